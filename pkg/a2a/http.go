package a2a

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"

	wire "github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/a2a-acp/a2a-acp/internal/a2agrpc"
)

// ServeHTTP serves all bindings, by path: JSON-RPC at the place of an endpoint, HTTP+JSON below it, gRPC at the
// names of its methods, and cards.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	switch {
	case strings.Contains(strings.ToLower(r.URL.RawPath), "%2f"):
		// What stands before has chosen who may reach this by the path as it was sent, where that is no
		// slash.
		writeREST(w, r, failf(errMethod, "there is nothing at %.100q", r.URL.RawPath))
		return
	case strings.HasPrefix(path, a2agrpc.Prefix):
		s.serveGRPC(w, r)
		return
	case path == KeySetPath:
		s.serveKeys(w, r)
		return
	}
	at := s.root
	if name, rest, ok := agentPath(path); ok {
		if name == ".well-known" { // RFC 3986, 5.2.3: so reads /agents/NAME who looks for the card from there
			writeREST(w, r, failf(errMethod, "an agent's card is below its name; a client that looks for it beside that wants "+
				"the URL with a slash at its end: /agents/NAME/"))
			return
		}
		if at = s.endpoint(name); at == nil {
			writeREST(w, r, failf(errMethod, "there is no agent %.60q here", name))
			return
		}
		path = rest
	}
	switch path {
	case "/.well-known/agent-card.json", "/.well-known/agent.json":
		s.serveCard(w, r, at)
	case "", "/", "/a2a/rpc":
		s.serveRPC(w, r, at)
	default:
		if !s.serveOriginal(w, r, at, path) {
			s.serveREST(w, r, at, path)
		}
	}
}

// agentPath splits the path of an endpoint: /agents/NAME, and what follows.
func agentPath(path string) (name, rest string, ok bool) {
	path, ok = strings.CutPrefix(path, "/agents/")
	if !ok {
		return "", "", false
	}
	name, rest, _ = strings.Cut(path, "/")
	return name, "/" + rest, name != ""
}

// BaseOf returns the URL that a request was made to, without its path.
func BaseOf(r *http.Request) string {
	if r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// saidVersion returns the version that a client says it speaks (A2A 1.0.1, 3.6.1).
func saidVersion(r *http.Request) string {
	if said := r.Header.Get(wire.SvcParamVersion); said != "" {
		return strings.TrimSpace(said)
	}
	if r.URL.RawQuery == "" {
		return ""
	}
	return strings.TrimSpace(r.URL.Query().Get(wire.SvcParamVersion))
}

// extensionsOf returns the extensions that a client declares, in the names of both versions.
func extensionsOf(header http.Header) (list []string) {
	for _, name := range []string{wire.SvcParamExtensions, "X-A2a-Extensions"} {
		for _, line := range header.Values(name) {
			for uri := range strings.SplitSeq(line, ",") {
				if uri = strings.TrimSpace(uri); uri != "" && len(list) < mostMentioned {
					list = append(list, uri)
				}
			}
		}
	}
	return list
}

// newQuery returns a query with what all bindings over HTTP say in the same way.
func (s *Server) newQuery(r *http.Request, at *endpoint, version string) *query {
	q := &query{at: at, caller: s.o.Caller(r), version: version, base: s.o.Base(r), extensions: extensionsOf(r.Header),
		bareScopes: goClient(r), lastEvent: -1}
	if last := r.Header.Get("Last-Event-ID"); last != "" {
		if n, err := strconv.ParseInt(last, 10, 64); err == nil && n >= 0 {
			q.lastEvent = n
		}
	}
	return q
}

// tellExtensions says which of the declared extensions the agent has taken up.
func (q *query) tellExtensions(header http.Header) {
	if len(q.extensions) == 0 {
		return
	}
	var active []string
	for _, extension := range q.at.agent.Card(q.caller).Capabilities.Extensions {
		for _, uri := range q.extensions {
			if uri == extension.URI {
				active = append(active, uri)
			}
		}
	}
	if len(active) > 0 {
		header.Set(wire.SvcParamExtensions, strings.Join(active, ", "))
	}
}

// mostBody bounds the body of a request.
const mostBody = 16 << 20

// readBody reads the body of a request of one of these content types.
func readBody(w http.ResponseWriter, r *http.Request, types ...string) ([]byte, *Error) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	found := false
	for _, want := range types {
		found = found || err == nil && kind == want
	}
	if !found {
		return nil, failf(errContentType, "the body is %.60q; want %s", r.Header.Get("Content-Type"), strings.Join(types, " or "))
	}
	var body bytes.Buffer
	if r.ContentLength > 0 { // not all of it in memory before it is there: it may never be
		body.Grow(int(min(r.ContentLength, 64<<10)))
	}
	_, err = body.ReadFrom(http.MaxBytesReader(w, r.Body, mostBody))
	var long *http.MaxBytesError
	switch {
	case errors.As(err, &long):
		return nil, failf(errRequest, "the body is longer than %d bytes", long.Limit)
	case err != nil:
		return nil, failf(errRequest, "the body cannot be read to its end")
	}
	return body.Bytes(), nil
}

// explain returns an error as the client is told it, and says what it is not told.
func (s *Server) explain(err error) *Error {
	e := asError(err)
	if e.hidden != nil && !errors.Is(e.hidden, context.Canceled) {
		s.o.Say(fmt.Sprintf("a request at the A2A door failed: %v", e.hidden))
	}
	return e
}

func newReader(body []byte) io.ReadSeeker { return bytes.NewReader(body) }
