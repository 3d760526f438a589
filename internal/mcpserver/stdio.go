package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/ndjson"
)

// The reasons why calls end that did not end by themselves, as context.Cause gives them.
var (
	ErrCancelled = errors.New("the agent gave the call up")
	ErrGone      = errors.New("the agent is gone")
	ErrRevoked   = errors.New("the principal was taken away")
)

// ErrTakenBack is what ServeStdio returns after StdioOptions.Until.
var ErrTakenBack = errors.New("the tools were taken back")

// StdioOptions say what ServeStdio speaks on.
type StdioOptions struct {
	In  io.ReadCloser  // required
	Out io.WriteCloser // required: nothing else is written there
	// Until is closed when the tools are taken away. Requests that are under way are answered before the
	// server ends. Optional.
	Until <-chan struct{}
}

// The bounds of one client's requests.
const (
	MostFrame    = 64 << 20 // bytes of a message
	MostCalls    = 64       // at the same time
	mostListens  = 16       // requests at the same time that wait for changes
	frameReserve = 4 << 10  // bytes of a message beside its arguments or its result
)

// lastWords is how long a client that has closed In may take to read what is still written to it.
const lastWords = time.Second

// ServeStdio serves one client on two streams, a message a line, until In ends (then the error is nil), the
// tools are taken away (ErrTakenBack) or ctx ends (its cause). Calls that are under way end with it. Requests
// of both eras may stand on one stream. A line that is no JSON, or too long, is answered with an error, and the
// next one as if nothing had been. Both streams are closed then. A Read of In that nothing can interrupt, as of
// a terminal, outlives ServeStdio.
func (s *Server) ServeStdio(ctx context.Context, o StdioOptions) error {
	p := &pipe{server: s, out: ndjson.NewWriter(o.Out), session: &session{}, under: map[ndjson.Key]*underWay{}}
	p.ctx, p.cancel = context.WithCancelCause(ctx)
	defer p.cancel(nil)
	p.session.send = p.send
	p.session.watch = newWatch(p.session.wants)
	s.watching(p.session.watch)
	defer s.unwatch(p.session.watch)
	var following sync.WaitGroup
	following.Go(p.follow) // ends with p.ctx
	read := make(chan error, 1)
	go func() { read <- p.read(o.In) }() // ends with In

	why := error(nil)
	select {
	case err := <-read:
		p.cancel(ErrGone)
		if !errors.Is(err, io.EOF) {
			why = err
		}
	case <-ctx.Done():
		why = context.Cause(ctx)
	case <-o.Until:
		p.answered()
		why = ErrTakenBack
		if ctx.Err() != nil {
			why = context.Cause(ctx)
		}
	}
	p.stop()
	p.cancel(ErrGone)
	if why != nil { // an answer may be being written that nobody reads
		o.In.Close()
		o.Out.Close()
	}
	p.session.asks.close()
	unread := time.AfterFunc(lastWords, func() { o.Out.Close() })
	p.working.Wait()
	unread.Stop()
	following.Wait()
	o.In.Close()
	o.Out.Close()
	return why
}

// pipe is one client on two streams.
type pipe struct {
	server  *Server
	session *session
	out     *ndjson.Writer
	ctx     context.Context // ends with the client
	cancel  context.CancelCauseFunc

	mu      sync.Mutex
	closing bool                     // nothing new begins
	under   map[ndjson.Key]*underWay // whose response is not begun
	calls   int                      // whose response is not written
	listens int                      // likewise
	working sync.WaitGroup           // one for each of under
}

// underWay is a request that is being answered.
type underWay struct {
	cancel    context.CancelCauseFunc
	cancelled bool
	listens   bool
}

// read takes messages until the stream ends.
func (p *pipe) read(in io.Reader) error {
	lines := ndjson.NewReader(in, MostFrame)
	for {
		line, err := lines.Next()
		var long *ndjson.TooLongError
		switch {
		case errors.As(err, &long):
			if long.Request || long.ID == nil {
				p.send(failure(plainID(long.ID),
					failf(codeRequest, "the message has %d bytes, and %d is what is taken", long.Size, long.Limit)))
			}
			continue
		case err != nil:
			return err
		case len(bytes.TrimSpace(line)) > 0:
			p.take(bytes.Clone(bytes.TrimSpace(line)))
		}
	}
}

// take takes one message. What does not wait is answered at once, so that order is kept.
func (p *pipe) take(line []byte) {
	m, failed := readMessage(line)
	switch {
	case failed != nil && (m.method == "" || m.id != nil):
		p.send(failure(m.id, failed))
	case failed != nil: // a notification
	case m.method == "":
		p.session.asks.answered(m)
	case m.id == nil:
		p.notified(m)
	case m.method == "initialize" && !saysRevision(m.params):
		result, failed := p.server.initialize(p.session, "", m.params)
		p.reply(m.id, result, failed)
	default:
		p.begin(m)
	}
}

// notified takes a notification.
func (p *pipe) notified(m message) {
	switch m.method {
	case "notifications/cancelled":
	case "notifications/roots/list_changed":
		p.session.rootsChanged()
		return
	default:
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if u := p.under[ndjson.ID(param(m.params, "requestId"))]; u != nil {
		u.cancelled = true
		u.cancel(ErrCancelled)
	}
}

// exchangeOf returns the request of a message.
func (p *pipe) exchangeOf(m message) (*exchange, *ProtocolError) {
	x := &exchange{id: m.id, method: m.method, params: m.params, peer: p}
	if saysRevision(m.params) || m.method == "server/discover" {
		client, failed := readStateless(m.params)
		x.client = client
		return x, failed
	}
	x.client, x.begun = p.session.who()
	x.session = p.session
	return x, nil
}

// quick are the methods that are answered where they are read.
var quick = map[string]bool{"ping": true, "logging/setLevel": true, "resources/subscribe": true,
	"resources/unsubscribe": true, "server/discover": true}

// begin answers a request, in a goroutine that ServeStdio waits for where that may take time.
func (p *pipe) begin(m message) {
	x, failed := p.exchangeOf(m)
	if failed != nil {
		p.send(failure(m.id, failed))
		return
	}
	if quick[m.method] {
		result, failed := p.server.answer(p.ctx, x)
		p.reply(m.id, result, failed)
		return
	}
	ctx, cancel := context.WithCancelCause(p.ctx)
	u := &underWay{cancel: cancel, listens: m.method == "subscriptions/listen"}
	key := ndjson.ID(m.id)
	if refused := p.enter(key, u, m); refused != nil {
		cancel(nil)
		if !p.isClosing() {
			p.send(refused)
		}
		return
	}
	go func() { // ends with the request, and its response is written
		defer p.working.Done()
		result, failed := p.server.answer(ctx, x)
		x.end()
		cancelled := p.leave(key, u)
		cancel(nil)
		if cancelled {
			x.gaveUp()
		} else {
			p.reply(m.id, result, failed)
		}
		p.written(u)
	}()
}

// enter notes a request that is under way, if it may be; else it returns the response.
func (p *pipe) enter(key ndjson.Key, u *underWay, m message) (refused []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.closing:
		return failure(m.id, failf(codeInternal, "the server ends"))
	case p.under[key] != nil:
		return failure(m.id, failf(codeRequest, "the id is in use"))
	case u.listens && p.listens >= mostListens:
		return failure(m.id, failf(codeInternal, "%d requests wait for changes; cancel one of them", mostListens))
	case !u.listens && p.calls >= MostCalls:
		return p.tooMany(m)
	}
	if u.listens {
		p.listens++
	} else {
		p.calls++
	}
	p.under[key] = u
	p.working.Add(1)
	return nil
}

// tooMany is the response to a request too many. A model can do something about it where it is a call's.
func (p *pipe) tooMany(m message) []byte {
	const why = "64 calls are under way; wait until one of them has ended"
	if m.method != "tools/call" {
		return failure(m.id, failf(codeInternal, why))
	}
	x, failed := p.exchangeOf(m)
	if failed != nil {
		return failure(m.id, failed)
	}
	result, err := p.server.tell(x, CallResult{Content: why, IsError: true})
	if err != nil {
		return failure(m.id, failf(codeInternal, why))
	}
	return response(m.id, result)
}

// leave reports whether a request was given up by the client, which then waits for nothing. Its id is free: a client that
// has the response may use it again at once.
func (p *pipe) leave(key ndjson.Key, u *underWay) (cancelled bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.under, key)
	return u.cancelled
}

// written forgets a request whose response is written. Until then it counts: a client that does not read asks for no more.
func (p *pipe) written(u *underWay) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if u.listens {
		p.listens--
	} else {
		p.calls--
	}
}

func (p *pipe) isClosing() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.closing
}

// stop lets nothing new begin.
func (p *pipe) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closing = true
}

// answered lets nothing new begin, ends what waits for changes, and waits until every other request has its
// response, or the client is gone.
func (p *pipe) answered() {
	p.stop()
	p.mu.Lock()
	for _, u := range p.under {
		if u.listens {
			u.cancel(ErrGone)
		}
	}
	p.mu.Unlock()
	over := make(chan struct{})
	go func() { // ends with the last request
		p.working.Wait()
		close(over)
	}()
	select {
	case <-over:
	case <-p.ctx.Done():
	}
}

// follow tells the client of changes, where it has begun a session.
func (p *pipe) follow() {
	for {
		select {
		case <-p.ctx.Done():
			return
		case <-p.session.watch.wake:
			for _, n := range p.session.watch.take() {
				if text, err := notification(n.method, n.about(nil)); err == nil {
					p.send(text)
				}
			}
		}
	}
}

func (p *pipe) reply(id, result []byte, failed *ProtocolError) {
	if failed != nil {
		p.send(failure(id, failed))
		return
	}
	p.send(response(id, result))
}

// send implements peer. A client that is gone has nothing more to be told.
func (p *pipe) send(message []byte) {
	p.out.Send(message) //nolint:errcheck // see above
}

// ask implements peer.
func (p *pipe) ask(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	return p.session.asks.ask(ctx, method, params, p.send)
}

// detach implements peer: there is one connection for everything.
func (p *pipe) detach(time.Duration) {}
