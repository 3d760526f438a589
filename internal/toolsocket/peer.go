package toolsocket

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/a2a-acp/a2a-acp/internal/mcpserver"
	"github.com/a2a-acp/a2a-acp/internal/unixsocket"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// peer is one connection to a Door.
type peer struct {
	door   *Door
	who    unixsocket.Peer
	socket *net.UnixConn
	stream *lineStream

	ctx    context.Context // ends with the connection
	cancel context.CancelCauseFunc

	// Set by the reading goroutine before anybody else uses them.
	rpc   *jsonrpc2.Conn
	shown bool // the token was shown

	changed chan struct{} // has something to take when a change of the tools is to be told

	mu      sync.Mutex
	closing bool // nothing new may begin
	calls   map[string]context.CancelCauseFunc
	owed    int            // answers that are not written yet
	working sync.WaitGroup // one for each of them
}

// serve speaks with one connection until it ends.
func (d *Door) serve(conn *net.UnixConn, who unixsocket.Peer) {
	p := &peer{door: d, who: who, socket: conn, stream: newLineStream(conn, mostHello),
		calls: map[string]context.CancelCauseFunc{}, changed: make(chan struct{}, 1)}
	p.ctx, p.cancel = context.WithCancelCause(d.ctx)
	conn.SetReadDeadline(time.Now().Add(helloTime)) //nolint:errcheck // then reading fails too

	// The library starts a goroutine that reads and one that waits for d.ctx; both end when the stream is
	// closed.
	rpc := jsonrpc2.NewConn(d.ctx, p.stream, handler(p.handle), jsonrpc2.SetLogger(silent{}))
	<-p.stream.ended
	rpc.Close() //nolint:errcheck // the library may have closed it already

	p.mu.Lock()
	p.closing = true
	p.mu.Unlock()
	p.cancel(mcpserver.ErrGone) // unless the Door was closed, which has another cause
	d.mu.Lock()
	delete(d.peers, p)
	d.mu.Unlock()
	p.working.Wait()
	if !p.shown {
		d.farewell()
	}
	p.tellWhy()
}

// tellWhy tells of a connection that ended otherwise than by our will, or by that of somebody who was let in.
func (p *peer) tellWhy() {
	what, why := "refused", p.stream.why
	if p.shown {
		what = "ended"
	}
	switch {
	case p.door.ctx.Err() != nil, errors.Is(why, net.ErrClosed), p.shown && errors.Is(why, io.EOF):
		return
	case errors.Is(why, io.EOF):
		why = errors.New("it went away without a hello")
	case errors.Is(why, os.ErrDeadlineExceeded):
		why = fmt.Errorf("no hello for %s", helloTime)
	}
	p.door.tell(what, p.who, why)
}

// handler lets a func be a jsonrpc2.Handler.
type handler func(context.Context, *jsonrpc2.Conn, *jsonrpc2.Request)

// Handle implements jsonrpc2.Handler.
func (h handler) Handle(ctx context.Context, conn *jsonrpc2.Conn, r *jsonrpc2.Request) {
	h(ctx, conn, r)
}

// handle takes one request. It is called for one after the other, in the order in which they came, and must
// not wait.
func (p *peer) handle(_ context.Context, rpc *jsonrpc2.Conn, r *jsonrpc2.Request) {
	if !p.shown {
		p.rpc = rpc
		p.hello(r)
		return
	}
	switch r.Method {
	case methodList:
		p.work(r, func(ctx context.Context) (any, error) {
			catalogue, err := p.door.tools.List(ctx, anybody)
			if err != nil {
				return nil, err
			}
			return orEmpty(catalogue.Tools), nil
		})
	case methodCall:
		p.call(r)
	case methodCancel:
		var about aboutCall
		if json.Unmarshal(params(r), &about) == nil {
			p.end(about.ID, mcpserver.ErrCancelled)
		}
	default:
		p.reply(r, nil, &jsonrpc2.Error{Code: jsonrpc2.CodeMethodNotFound,
			Message: fmt.Sprintf("there is no method %q", r.Method)})
	}
}

// hello is the first thing that a connection says, or it ends.
func (p *peer) hello(r *jsonrpc2.Request) {
	err := p.checkHello(r)
	if err != nil {
		p.door.tell("refused", p.who, err)
		p.reply(r, nil, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidRequest, Message: err.Error()})
		p.rpc.Close() //nolint:errcheck // nothing more to say
		return
	}
	p.shown = true
	p.door.farewell()
	p.stream.limit = mostFrame
	p.socket.SetReadDeadline(time.Time{}) //nolint:errcheck // then reading fails too
	p.reply(r, struct{}{}, nil)
	p.door.mu.Lock()
	p.door.peers[p] = true
	p.door.mu.Unlock()
	p.working.Go(p.tellChanges) // ends with the connection
}

// tellChanges tells of changes of the tools, one after the other.
func (p *peer) tellChanges() {
	for {
		select {
		case <-p.ctx.Done():
			return
		case <-p.changed:
			p.rpc.Notify(p.ctx, methodChanged, nil) //nolint:errcheck // nobody is there to be told
		}
	}
}

func (p *peer) checkHello(r *jsonrpc2.Request) error {
	var said hello
	switch {
	case r.Method != methodHello || r.Notif:
		return fmt.Errorf("%q before hello", r.Method)
	case json.Unmarshal(params(r), &said) != nil:
		return errors.New("a hello that cannot be read")
	}
	if err := p.door.admit(said.Token); err != nil {
		return err
	}
	if said.Version != wireVersion {
		return fmt.Errorf("a process that speaks version %d of this protocol, while the bridge speaks %d: "+
			"the program was replaced while the bridge runs; start the agent again", said.Version, wireVersion)
	}
	return nil
}

// anybody is who calls at a Door. Which session that is, the Door's Tools know; what the agent's MCP client is
// like matters to Attach alone.
var anybody = &mcpserver.Client{}

func orEmpty(tools []mcpserver.Tool) []mcpserver.Tool {
	if tools == nil {
		return []mcpserver.Tool{}
	}
	return tools
}

// call begins a tool call.
func (p *peer) call(r *jsonrpc2.Request) {
	var said callParams
	if err := json.Unmarshal(params(r), &said); err != nil {
		p.reply(r, nil, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: err.Error()})
		return
	}
	p.work(r, func(ctx context.Context) (any, error) {
		tell := progress{peer: p, id: r.ID.Str}
		defer tell.stop() // before the answer is sent
		result, err := p.door.tools.Call(ctx,
			mcpserver.Call{Client: anybody, Name: said.Name, Arguments: said.Arguments, ToolCall: said.ToolCall,
				Trace:    tool.ParseTrace(said.Traceparent, said.Tracestate),
				Progress: tell.tell, Log: func(mcpserver.Level, string, any) {}, Detach: func(time.Duration) {}})
		if errors.Is(err, mcpserver.ErrUnknownTool) { // one that was listed, and went with a change of the configuration
			err = fmt.Errorf("%w: %q", mcpserver.ErrUnknownTool, said.Name)
		}
		return result, err
	})
}

// work does what a request asks for, in a goroutine that serve waits for. It ends when do has returned and
// its answer is written, or the connection closed.
func (p *peer) work(r *jsonrpc2.Request, do func(context.Context) (any, error)) {
	ctx, cancel := context.WithCancelCause(p.ctx)
	if err := p.begin(r, cancel); err != nil {
		cancel(err)
		p.reply(r, nil, err)
		return
	}
	go func() {
		defer p.working.Done()
		result, err := do(ctx)
		p.end(r.ID.Str, nil)
		p.answer(r, result, err)
		p.mu.Lock()
		p.owed--
		p.mu.Unlock()
	}()
}

// begin notes a request that is under way, if it may be.
func (p *peer) begin(r *jsonrpc2.Request, cancel context.CancelCauseFunc) *jsonrpc2.Error {
	if r.Notif || !r.ID.IsString {
		return &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidRequest, Message: "a request needs an id that is a string"}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.closing:
		return &jsonrpc2.Error{Code: jsonrpc2.CodeInternalError, Message: "closing"}
	case p.calls[r.ID.Str] != nil:
		return &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidRequest,
			Message: fmt.Sprintf("the id %q is in use", r.ID.Str)}
	case len(p.calls) >= mostCalls, p.owed >= 2*mostCalls: // the second: somebody calls and does not read
		return &jsonrpc2.Error{Code: codeForModel,
			Message: fmt.Sprintf("%d calls of this session are under way; wait until one of them has ended",
				mostCalls)}
	}
	p.calls[r.ID.Str] = cancel
	p.owed++
	p.working.Add(1)
	return nil
}

// end ends a request for a reason, or forgets one that has ended by itself.
func (p *peer) end(id string, why error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	cancel := p.calls[id]
	if cancel == nil {
		return // it has ended
	}
	cancel(why)
	if why == nil {
		delete(p.calls, id)
	}
}

// answer sends what a request came to. What is too long to be sent is an answer too.
func (p *peer) answer(r *jsonrpc2.Request, result any, err error) {
	switch {
	case errors.Is(err, mcpserver.ErrUnknownTool):
		p.reply(r, nil, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: err.Error()})
		return
	case err != nil:
		p.door.say(fmt.Sprintf("%s: %v", r.Method, err))
		p.reply(r, nil, &jsonrpc2.Error{Code: jsonrpc2.CodeInternalError,
			Message: "internal error; a2a-acp has told the person why"})
		return
	}
	encoded, err := json.Marshal(result)
	switch {
	case err != nil:
		p.door.say(fmt.Sprintf("%s: %v", r.Method, err))
		p.reply(r, nil, &jsonrpc2.Error{Code: jsonrpc2.CodeInternalError, Message: "internal error; a2a-acp has told the person why"})
		return
	case len(encoded) > mostFrame-mostHello:
		p.reply(r, nil, &jsonrpc2.Error{Code: codeForModel,
			Message: fmt.Sprintf("the call has ended, but its result has %d bytes, and %d is what can be passed on; "+
				"let the tool write less", len(encoded), mostFrame-mostHello)})
		return
	}
	p.reply(r, json.RawMessage(encoded), nil)
}

// reply answers a request, once. When the connection is gone there is nobody to answer.
func (p *peer) reply(r *jsonrpc2.Request, result any, failed *jsonrpc2.Error) {
	switch {
	case r.Notif:
	case failed != nil:
		p.rpc.ReplyWithError(p.ctx, r.ID, failed) //nolint:errcheck // see above
	default:
		p.rpc.Reply(p.ctx, r.ID, result) //nolint:errcheck // see above
	}
}

// progress tells the agent's side about one call, until the call has ended.
type progress struct {
	peer *peer
	id   string

	mu      sync.Mutex
	stopped bool
}

func (t *progress) tell(p mcpserver.Progress) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.stopped {
		//nolint:errcheck // nobody is there to be told
		t.peer.rpc.Notify(t.peer.ctx, methodProgress, aboutCall{ID: t.id, Text: p.Text})
	}
}

func (t *progress) stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stopped = true
}

// params returns the params of a request; null when there are none.
func params(r *jsonrpc2.Request) json.RawMessage {
	if r.Params == nil {
		return json.RawMessage("null")
	}
	return *r.Params
}
