package mcpserver

import (
	"context"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// HTTPOptions say whom the front lets in, and how much.
type HTTPOptions struct {
	// Principal says who makes a request, as whoever let it in has found out. Optional: nobody is told from
	// others.
	Principal func(*http.Request) string
	// Admit is asked before a principal's call of a tool is begun. over is called when it has ended. Where ok
	// is false the call is not begun, and may be made again after wait. Optional: all are begun.
	Admit func(*http.Request) (over func(), wait time.Duration, ok bool)
	// Hosts are names and addresses that a request may be for, without a port, beside those of this machine's
	// loopback. A request from a page has to be from one of them, or from one of Origins.
	Hosts   []string
	Origins []string
	// Guarded says that whoever lets requests in has looked which host they are for, and which page they are from.
	Guarded bool
	// Carry adds to the context of a request's call what is known of the request. Optional.
	Carry func(context.Context, *http.Request) context.Context
	// Streams is told when the request with this context only tells news from now on. Optional.
	Streams func(context.Context)

	MostBody     int64         // optional, default MostFrame: bytes of a request
	MostSessions int           // optional, default 4096
	Idle         time.Duration // optional, default 30 minutes: after that a session is ended that nobody uses
}

// HTTP is the front at an URL (2025-11-25 and 2026-07-28, Streamable HTTP): one URL for clients of both eras.
// Close it.
type HTTP struct {
	server *Server
	o      HTTPOptions

	ctx     context.Context // ends with the front
	cancel  context.CancelCauseFunc
	working sync.WaitGroup // calls of sessions

	mu       sync.Mutex
	closing  bool
	sessions map[string]*httpSession
	sweeper  *time.Timer
}

// HTTP returns a front at an URL.
func (s *Server) HTTP(o HTTPOptions) *HTTP {
	if o.Principal == nil {
		o.Principal = func(*http.Request) string { return "" }
	}
	if o.Admit == nil {
		o.Admit = func(*http.Request) (func(), time.Duration, bool) { return func() {}, 0, true }
	}
	if o.Streams == nil {
		o.Streams = func(context.Context) {}
	}
	if o.Carry == nil {
		o.Carry = func(ctx context.Context, _ *http.Request) context.Context { return ctx }
	}
	if o.MostBody == 0 {
		o.MostBody = MostFrame
	}
	if o.MostSessions == 0 {
		o.MostSessions = 4096
	}
	if o.Idle == 0 {
		o.Idle = 30 * time.Minute
	}
	h := &HTTP{server: s, o: o, sessions: map[string]*httpSession{}}
	h.ctx, h.cancel = context.WithCancelCause(context.Background())
	return h
}

// Close ends all sessions and their calls, and returns when they have ended. Requests that stand for
// themselves end with their connections, which are not the front's.
func (h *HTTP) Close() {
	h.mu.Lock()
	h.closing = true
	sessions := h.sessions
	h.sessions = map[string]*httpSession{}
	if h.sweeper != nil {
		h.sweeper.Stop()
	}
	h.mu.Unlock()
	for _, x := range sessions {
		x.end(ErrGone)
	}
	h.cancel(ErrGone)
	h.working.Wait()
}

// Expel ends the sessions of a principal, and its calls that go on behind its back: as of now it is nobody here.
// Requests that stand for themselves are ended by whoever has let them in. It does not wait.
func (h *HTTP) Expel(principal string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for name, x := range h.sessions {
		if x.principal == principal {
			delete(h.sessions, name)
			x.end(ErrRevoked)
		}
	}
	h.server.endTasks(principal)
}

// The headers of MCP.
const (
	headerSession  = "Mcp-Session-Id"
	headerRevision = "Mcp-Protocol-Version"
	headerMethod   = "Mcp-Method"
	headerName     = "Mcp-Name"
	headerParam    = "Mcp-Param-"
	headerLast     = "Last-Event-Id"
)

// bodyTime is how long a client may take to send a request.
const bodyTime = time.Minute

// ServeHTTP implements http.Handler.
func (h *HTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	if why := h.foreign(r); why != "" && !h.o.Guarded {
		h.refuse(w, http.StatusForbidden, nil, failf(codeRequest, "%s", why))
		return
	}
	switch r.Method {
	case http.MethodPost:
		h.post(w, r)
	case http.MethodGet:
		h.get(w, r)
	case http.MethodDelete:
		h.delete(w, r)
	default:
		w.Header().Set("Allow", "GET, POST, DELETE")
		h.refuse(w, http.StatusMethodNotAllowed, nil, failf(codeRequest, "%s is no method of this URL", claim(r.Method)))
	}
}

// foreign says why a request is not for this server, or from a page that is not its own: a page that somebody
// has open may resolve its own name to this machine (DNS rebinding).
func (h *HTTP) foreign(r *http.Request) string {
	if !h.isOurs(r.Host) {
		return "this server does not go by that name"
	}
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		return ""
	}
	if len(origins) == 1 && slices.Contains(h.o.Origins, origins[0]) {
		return ""
	}
	from, err := url.Parse(origins[0])
	if len(origins) > 1 || err != nil || from.Scheme != "http" && from.Scheme != "https" || from.Host != r.Host {
		return "a page of another origin may not call this server"
	}
	return ""
}

// isOurs reports whether a request may be for a host.
func (h *HTTP) isOurs(host string) bool {
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		name, port = strings.Trim(host, "[]"), ""
	}
	if _, err := strconv.ParseUint(port, 10, 16); port != "" && err != nil {
		return false
	}
	if ip := net.ParseIP(name); ip != nil && ip.IsLoopback() {
		return true
	}
	return strings.EqualFold(name, "localhost") ||
		slices.ContainsFunc(h.o.Hosts, func(ours string) bool { return strings.EqualFold(ours, name) })
}

// refuse answers a request with an error that has a status of its own.
func (h *HTTP) refuse(w http.ResponseWriter, status int, id []byte, failed *ProtocolError) {
	h.json(w, status, failure(id, failed))
}

func (h *HTTP) json(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // who is gone reads nothing
}

// post takes a message.
func (h *HTTP) post(w http.ResponseWriter, r *http.Request) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		h.refuse(w, http.StatusUnsupportedMediaType, nil, failf(codeRequest, "the body has to be application/json"))
		return
	}
	if !accepts(r, "application/json") {
		h.refuse(w, http.StatusNotAcceptable, nil,
			failf(codeRequest, "the client has to accept application/json and text/event-stream"))
		return
	}
	body, status, failed := h.body(w, r)
	if failed != nil {
		h.refuse(w, status, nil, failed)
		return
	}
	m, failed := readMessage(body)
	if failed != nil {
		h.refuse(w, http.StatusBadRequest, m.id, failed)
		return
	}
	switch {
	case r.Header.Get(headerSession) != "" && !saysRevision(m.params):
		h.inSession(w, r, m)
	case m.method == "initialize" && !saysRevision(m.params):
		h.initialize(w, r, m)
	default:
		h.stateless(w, r, m)
	}
}

// body reads a request. A client that takes too long is cut.
func (h *HTTP) body(w http.ResponseWriter, r *http.Request) (body []byte, status int, failed *ProtocolError) {
	if r.ContentLength > h.o.MostBody {
		return nil, http.StatusRequestEntityTooLarge, failf(codeRequest, "%d bytes are the most that is taken", h.o.MostBody)
	}
	control := http.NewResponseController(w)
	control.SetReadDeadline(time.Now().Add(bodyTime)) //nolint:errcheck // where there is none, the frame has its own
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, h.o.MostBody))
	control.SetReadDeadline(time.Time{}) //nolint:errcheck // see above
	var long *http.MaxBytesError
	switch {
	case errors.As(err, &long):
		return nil, http.StatusRequestEntityTooLarge, failf(codeRequest, "%d bytes are the most that is taken", long.Limit)
	case err != nil:
		return nil, http.StatusBadRequest, failf(codeRequest, "the body could not be read")
	}
	return body, 0, nil
}

// accepts reports whether a client takes a type of content. One that says nothing takes everything.
func accepts(r *http.Request, kind string) bool {
	said := r.Header.Values("Accept")
	if len(said) == 0 {
		return true
	}
	group, _, _ := strings.Cut(kind, "/")
	for _, part := range strings.Split(strings.Join(said, ","), ",") {
		name, _, _ := strings.Cut(part, ";")
		switch strings.ToLower(strings.TrimSpace(name)) {
		case kind, "*/*", group + "/*":
			return true
		}
	}
	return false
}

// statusOf is the HTTP status of an error of a request that stands for itself (2026-07-28, Streamable HTTP).
func statusOf(failed *ProtocolError) int {
	switch failed.Code {
	case codeMethod:
		return http.StatusNotFound
	case codeHeader, codeCapability, codeRevision:
		return http.StatusBadRequest
	}
	return http.StatusOK
}

// admit asks whether a call may begin, and answers the client where it may not.
func (h *HTTP) admit(w http.ResponseWriter, r *http.Request, m message) (over func(), ok bool) {
	if m.method != "tools/call" {
		return func() {}, true
	}
	over, wait, ok := h.o.Admit(r)
	if !ok {
		seconds := int64((wait + time.Second - 1) / time.Second)
		w.Header().Set("Retry-After", strconv.FormatInt(max(1, seconds), 10))
		h.refuse(w, http.StatusTooManyRequests, m.id, failf(codeInternal, "too many calls; try again in %d s", max(1, seconds)))
	}
	return over, ok
}
