package httptool

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/netguard"
	"github.com/a2a-acp/a2a-acp/internal/request"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Exchange is one request and what it is sent with.
type Exchange struct {
	Request *request.Request
	API     tool.API
	// To is another URL of the same origin that the request goes to, which a server has named; "" for its own.
	To string
	// Credentials are the values that the references of the API stand for, by their names.
	Credentials map[string]string
	// Validators are the headers that ask whether an answer that is kept still holds (RFC 9110, 13.1).
	Validators map[string]string
	Limits     Limits
}

// Limits bound an exchange.
type Limits struct {
	Time  time.Duration // required: from the first byte to the last
	Bytes int64         // required: of the answer's body, after decompression
}

// Client sends requests. It keeps connections for the next request, and is safe for concurrent use.
type Client struct {
	resolver netguard.Resolver // nil: that of the system

	mu         sync.Mutex
	transports map[string]*http.Transport // by what they may reach

	tokens tokens

	// pieces are *[pieceBytes]byte: most answers are small, and what they are read with is not.
	pieces sync.Pool
}

// New makes a Client, which has to be closed. Nothing is opened before the first request.
func New() *Client {
	c := &Client{transports: map[string]*http.Transport{}}
	c.tokens.open()
	return c
}

// Close ends the fetching of tokens, and closes the connections that wait for another request.
func (c *Client) Close() {
	c.tokens.close()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range c.transports {
		t.CloseIdleConnections()
	}
}

// The bounds of a connection. A connection that nobody uses is closed before most servers close it themselves: a
// request that crosses with that is lost.
const (
	idleTime        = 4 * time.Second
	mostHeaderBytes = 64 << 10
)

// mostTransports is how many are kept: one more for each certificate that a server is shown.
const mostTransports = 512

// transport returns what reaches a place with the addresses of an API. Those that may reach the same, and show and
// trust the same, share their connections.
func (c *Client) transport(to string, api tool.API, trust tlsTrust) netguard.WithoutUpgrade {
	key := fmt.Sprint(to, api.Addresses, trust.sum)
	c.mu.Lock()
	defer c.mu.Unlock()
	if t := c.transports[key]; t != nil {
		return netguard.WithoutUpgrade{Transport: t}
	}
	if len(c.transports) >= mostTransports {
		for _, t := range c.transports {
			t.CloseIdleConnections() // those under way go on
		}
		clear(c.transports)
	}
	guard := &netguard.Guard{Allow: api.Addresses, Resolver: c.resolver}
	t := guard.Transport()
	t.IdleConnTimeout, t.MaxResponseHeaderBytes = idleTime, mostHeaderBytes
	t.TLSClientConfig = trust.config()
	t.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := guard.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &countedConn{Conn: conn}, nil
	}
	c.transports[key] = t
	return netguard.WithoutUpgrade{Transport: t}
}

// countedConn counts what was written to a connection.
type countedConn struct {
	net.Conn
	written atomic.Int64
}

func (c *countedConn) Write(p []byte) (int, error) {
	c.written.Add(int64(len(p))) // before: what has been tried may have left
	return c.Conn.Write(p)
}

// Do sends a request and returns its answer. What it returns beside an answer is a *tool.Failure, whose words hold no
// part of the request's URL. The body goes to b as it comes.
func (c *Client) Do(ctx context.Context, x Exchange, b *Body) (*Answer, error) {
	started := time.Now()
	within, cancel := context.WithTimeout(ctx, x.Limits.Time)
	defer cancel()
	answer, err := c.exchange(within, x, b)
	if err != nil {
		if context.Cause(ctx) != nil {
			err = tool.Failf(tool.FailCancelled, "the caller gave up")
		} else if within.Err() != nil {
			err = timeout(x)
		}
		if answer == nil {
			answer = &Answer{}
		}
	}
	answer.Elapsed = time.Since(started)
	return answer, err
}

// exchange follows redirects, as far as the source lets it.
func (c *Client) exchange(ctx context.Context, x Exchange, b *Body) (*Answer, error) {
	trust, failure := trustOf(x.API, x.Credentials)
	if failure != nil {
		return nil, failure
	}
	transport := c.transport(x.API.Origin, x.API, trust)
	to := x.To
	if origin := cmp.Or(x.API.Origin, x.Request.Origin); to != "" && !SameOrigin(to, origin) {
		return nil, tool.Failf(tool.FailUpstream, "nothing was sent: %s names a next page that is at another origin", x.API.Who())
	}
	for left := x.API.Redirects; ; left-- {
		r, err := requestTo(ctx, x, to)
		if err != nil {
			return nil, err
		}
		response, err := send(r, transport)
		if err != nil {
			return nil, connectionFailure(err, x.API)
		}
		next := redirected(r, response)
		if next == "" || left == 0 {
			return c.read(response, x, b)
		}
		if err := response.Body.Close(); err != nil {
			return nil, connectionFailure(err, x.API)
		}
		to = next
	}
}

// requestTo returns the request with its credential, for another URL of the same origin; "" for its own.
func requestTo(ctx context.Context, x Exchange, to string) (*http.Request, error) {
	r, err := x.Request.HTTP(ctx)
	if err == nil && to != "" {
		r.URL, err = url.Parse(to)
	}
	if err != nil {
		return nil, tool.Failf(tool.FailInternal, "nothing was sent: the URL cannot be read")
	}
	if r.Header.Get("User-Agent") == "" {
		r.Header.Set("User-Agent", userAgent)
	}
	for name, value := range x.Validators {
		r.Header.Set(name, value)
	}
	return r, authenticate(r, x)
}

// redirected returns where an answer sends the request to; "" where that is not followed: of another method than GET
// and HEAD, or to another origin.
func redirected(r *http.Request, response *http.Response) string {
	switch response.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect,
		http.StatusPermanentRedirect:
	default:
		return ""
	}
	location := response.Header.Get("Location")
	if location == "" || r.Method != http.MethodGet && r.Method != http.MethodHead {
		return ""
	}
	to, err := r.URL.Parse(location)
	if err != nil || to.User != nil || to.Opaque != "" || originOf(to) != originOf(r.URL) {
		return ""
	}
	to.Fragment = ""
	return to.String()
}

// SameOrigin reports whether a URL is of an origin, such as https://api.example.com, and names no user.
func SameOrigin(to, origin string) bool {
	u, err := url.Parse(to)
	own, errOwn := url.Parse(origin)
	return err == nil && errOwn == nil && u.User == nil && u.Opaque == "" && u.Host != "" && originOf(u) == originOf(own)
}

func originOf(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"https": "443", "http": "80"}[u.Scheme]
	}
	return strings.ToLower(u.Scheme + "://" + u.Hostname() + ":" + port)
}

// userAgent is what servers know us by.
const userAgent = "a2a-acp"

// send sends a request once: again only where a connection that was kept turns out to be closed, and no byte of the
// request was written to it.
func send(r *http.Request, transport netguard.WithoutUpgrade) (*http.Response, error) {
	for {
		var sent sentBytes
		response, err := transport.RoundTrip(onlyOnce(r.WithContext(httptrace.WithClientTrace(r.Context(), sent.trace()))))
		if err == nil || !sent.reused || sent.any() || r.Context().Err() != nil {
			return response, err
		}
		if r.GetBody != nil {
			if r.Body, err = r.GetBody(); err != nil {
				return nil, err
			}
		}
	}
}

// sentBytes tells whether anything of a request was written.
type sentBytes struct {
	conn   *countedConn
	before int64
	reused bool
}

func (s *sentBytes) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
		conn := info.Conn
		if secured, ok := conn.(*tls.Conn); ok {
			conn = secured.NetConn()
		}
		s.conn, _ = conn.(*countedConn)
		s.reused = info.Reused
		if s.conn != nil {
			s.before = s.conn.written.Load()
		}
	}}
}

// any reports whether something was written, or that is not known.
func (s *sentBytes) any() bool { return s.conn == nil || s.conn.written.Load() != s.before }

// noBody is a body without a byte, which the transport does not know to be one.
type noBody struct{}

func (noBody) Read([]byte) (int, error) { return 0, io.EOF }
func (noBody) Close() error             { return nil }

// onlyOnce keeps the transport from sending a request again by itself (net/http, Transport: "Transport only retries
// a request upon encountering a network error if the connection has been used successfully and if the request is
// idempotent and either has no body or has its Request.GetBody defined"; a header Idempotency-Key counts as
// idempotent).
func onlyOnce(r *http.Request) *http.Request {
	r.GetBody = nil
	r.Header = r.Header.Clone()
	for _, name := range []string{"Idempotency-Key", "X-Idempotency-Key"} {
		if values := r.Header[name]; values != nil { // the same name, which the transport does not look for
			delete(r.Header, name)
			r.Header[strings.ToLower(name)] = values
		}
	}
	if r.Body == nil && (r.Method == http.MethodGet || r.Method == http.MethodHead || r.Method == http.MethodOptions) {
		r.Body = noBody{}
	}
	return r
}

// connectionFailure says why there is no answer, without the URL, which may hold what nobody should read.
func connectionFailure(err error, api tool.API) *tool.Failure {
	var failure *tool.Failure
	if errors.As(err, &failure) {
		return failure
	}
	var refused *netguard.RefusedError
	if errors.As(err, &refused) {
		f := tool.Failf(tool.FailUpstream, "%s was not reached: %v", api.Who(), refused)
		if refused.Address.IsValid() && api.Name != "" {
			f.Message += fmt.Sprintf("; if that is meant, write allow_addresses: [%s] under sources.%s",
				netip.PrefixFrom(refused.Address, refused.Address.BitLen()), api.Name)
		}
		return f
	}
	var of *url.Error
	if errors.As(err, &of) {
		err = of.Err
	}
	f := tool.Failf(tool.FailUpstream, "%s gave no answer: %s", api.Who(), reasonOf(err))
	f.Retryable = !errors.Is(err, netguard.ErrUpgrade)
	return f
}

// reasonOf says why a connection came to nothing. The library's words about an answer that cannot be read repeat it,
// past all that looks at outputs.
func reasonOf(err error) string {
	var network net.Error
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.As(err, &network), errors.As(err, &certificate), errors.Is(err, netguard.ErrUpgrade), errors.Is(err, io.EOF),
		errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET):
		return err.Error()
	}
	return "what it sent is no answer of HTTP, or a part of it is too long"
}

func timeout(x Exchange) *tool.Failure {
	f := tool.Failf(tool.FailUpstreamTimeout, "%s gave no whole answer within %s (timeout under http, or of the source)",
		x.API.Who(), x.Limits.Time)
	f.Retryable = true
	return f
}
