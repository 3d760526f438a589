package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/ndjson"
)

// session is what a client of a time before 2026-07-28 says once, and what it is told of by itself.
type session struct {
	name  string // tells it from others; "" where a connection is one
	watch *watch
	asks  asks
	send  func(message []byte) // to the client, outside of any request; nil where there is no such way

	mu     sync.Mutex
	client *Client // nil before initialize
	level  Level
	uris   map[string]bool // resources of which it wants to hear
	dirs   []string        // its roots
	asked  bool            // for its roots
}

// rootsTime is how long a client may take to say what its roots are.
const rootsTime = 5 * time.Second

// roots returns what the client's roots are.
func (x *session) roots(ctx context.Context) []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.asked {
		return x.dirs
	}
	x.mu.Unlock()
	ctx, stop := context.WithTimeout(ctx, rootsTime)
	defer stop()
	answer, err := x.asks.ask(ctx, "roots/list", nil, x.send)
	dirs := RootsOf(answer)
	x.mu.Lock()
	x.dirs, x.asked = dirs, err == nil || ctx.Err() == nil // who did not answer in time may do so later
	return dirs
}

// rootsChanged has them asked for again.
func (x *session) rootsChanged() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.asked = false
}

// mostRoots is how many roots of a client are looked at.
const mostRoots = 100

// RootsOf reads the answer to roots/list: the directories, each absolute.
func RootsOf(answer json.RawMessage) []string {
	var said struct {
		Roots []struct {
			URI string `json:"uri"`
		} `json:"roots"`
	}
	if json.Unmarshal(answer, &said) != nil || len(said.Roots) > mostRoots {
		return nil
	}
	var dirs []string
	for _, root := range said.Roots {
		at, err := url.Parse(root.URI)
		if err == nil && at.Scheme == "file" && (at.Host == "" || at.Host == "localhost") && filepath.IsAbs(at.Path) {
			dirs = append(dirs, filepath.Clean(at.Path))
		}
	}
	return dirs
}

// mostSubscriptions is how many resources one client is told of.
const mostSubscriptions = 1000

func (x *session) logLevel() Level {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.level
}

// who returns who has begun the session, or somebody of an older revision before anybody has.
func (x *session) who() (c *Client, begun bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.client == nil {
		return &Client{Revision: Revision20251125}, false
	}
	return x.client, true
}

// initialize begins a session, or begins it anew.
func (s *Server) initialize(x *session, principal string, params []byte) ([]byte, *ProtocolError) {
	asked := textParam(params, "protocolVersion")
	if asked == "" {
		return nil, failf(codeParams, "initialize has no protocolVersion")
	}
	client := readClient(negotiated(asked), param(params, "clientInfo"), param(params, "capabilities"))
	client.Principal, client.Session = principal, x.name
	if client.Capabilities.Roots && x.send != nil {
		client.roots = x.roots
	}
	x.mu.Lock()
	x.client = client
	x.mu.Unlock()
	result, err := encode(struct {
		Revision     string `json:"protocolVersion"`
		Capabilities any    `json:"capabilities"`
		Server       any    `json:"serverInfo"`
		Instructions string `json:"instructions"`
	}{client.Revision, s.capabilities(false), s.implementation(), instructions})
	if err != nil {
		return nil, failf(codeInternal, "%v", err)
	}
	return result, nil
}

func (s *Server) ping(context.Context, *exchange) ([]byte, error) { return []byte("{}"), nil }

func (s *Server) setLevel(_ context.Context, x *exchange) ([]byte, error) {
	level := Level(textParam(x.params, "level"))
	if !slices.Contains(levels, level) {
		return nil, failf(codeParams, "there is no such level")
	}
	x.session.mu.Lock()
	x.session.level = level
	x.session.mu.Unlock()
	return []byte("{}"), nil
}

func (s *Server) subscribe(_ context.Context, x *exchange) ([]byte, error) {
	uri := textParam(x.params, "uri")
	x.session.mu.Lock()
	defer x.session.mu.Unlock()
	switch {
	case uri == "":
		return nil, failf(codeParams, "a uri is missing")
	case len(x.session.uris) >= mostSubscriptions:
		return nil, failf(codeParams, "%d resources are the most that a session is told of", mostSubscriptions)
	}
	if x.session.uris == nil {
		x.session.uris = map[string]bool{}
	}
	x.session.uris[uri] = true
	return []byte("{}"), nil
}

func (s *Server) unsubscribe(_ context.Context, x *exchange) ([]byte, error) {
	x.session.mu.Lock()
	defer x.session.mu.Unlock()
	delete(x.session.uris, textParam(x.params, "uri"))
	return []byte("{}"), nil
}

// wants reports whether the session is told of a change.
func (x *session) wants(n note) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	switch n.method {
	case changedTools, changedPrompts, changedResources:
		return x.client != nil
	case updatedResource:
		return x.uris[n.key]
	}
	return false
}

// asks are requests of ours that a client has not answered yet.
type asks struct {
	mu     sync.Mutex
	last   int
	closed error
	open   map[string]chan message
}

// errTooMany is returned where a client leaves too many requests of ours without an answer.
var errTooMany = errors.New("the client has left too many questions without an answer")

const mostAsks = 64

// ask sends a request and waits for the response. send may block.
func (a *asks) ask(ctx context.Context, method string, params json.RawMessage,
	send func(message []byte)) (json.RawMessage, error) {
	answer := make(chan message, 1)
	a.mu.Lock()
	if a.closed != nil || len(a.open) >= mostAsks {
		err := a.closed
		a.mu.Unlock()
		if err == nil {
			err = errTooMany
		}
		return nil, err
	}
	a.last++
	id := "a2a-acp-" + strconv.Itoa(a.last)
	if a.open == nil {
		a.open = map[string]chan message{}
	}
	a.open[id] = answer
	a.mu.Unlock()
	defer func() {
		a.mu.Lock()
		delete(a.open, id)
		a.mu.Unlock()
	}()
	text, err := request(id, method, params)
	if err != nil {
		return nil, err
	}
	send(text)
	select {
	case <-ctx.Done():
		if gone, err := notification("notifications/cancelled", map[string]any{"requestId": id}); err == nil {
			send(gone)
		}
		return nil, context.Cause(ctx)
	case m, ok := <-answer:
		switch {
		case !ok:
			return nil, ErrGone
		case m.failed != nil:
			return nil, errors.New("the client answered with an error: " + claim(textParam(m.failed, "message")))
		}
		return m.result, nil
	}
}

// answered takes a response of the client's. What nobody waits for is dropped.
func (a *asks) answered(m message) {
	id, err := ndjson.String(m.id)
	if err != nil {
		return
	}
	m.result, m.failed = slices.Clone(m.result), slices.Clone(m.failed) // what was read is overwritten
	a.mu.Lock()
	defer a.mu.Unlock()
	if answer := a.open[id]; answer != nil {
		delete(a.open, id)
		answer <- m
	}
}

// close has everybody who waits be told that the client is gone.
func (a *asks) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = ErrGone
	for id, answer := range a.open {
		delete(a.open, id)
		close(answer)
	}
}
