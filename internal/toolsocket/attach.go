package toolsocket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/a2a-acp/a2a-acp/internal/mcpserver"
	"github.com/a2a-acp/a2a-acp/internal/unixsocket"
)

// attachTime is how long the bridge may take to let us in and to list its tools.
const attachTime = 10 * time.Second

// ErrBridgeGone is what Attach returns when the other side of the socket ended first.
var ErrBridgeGone = errors.New("the bridge has taken its tools back: the session, or the bridge itself, has ended")

// AttachOptions says what Attach needs.
type AttachOptions struct {
	Socket  string         // required: Door.Socket
	Token   string         // required: Door.Token; the agent has it as TokenVariable
	Stdin   io.ReadCloser  // required: MCP from the agent
	Stdout  io.WriteCloser // required: MCP to the agent, and nothing else
	Version string         // of the program, for the agent
}

// Attach is an MCP server on Stdin and Stdout whose tools are those of the Door at Socket. It serves until
// the agent closes Stdin (then the error is nil), the Door is closed (ErrBridgeGone) or ctx ends (its
// cause). Calls that are under way end with it, and when the Door was closed the agent is told so first.
// Both streams are closed then. A Read of Stdin that nothing can interrupt, as of a terminal, outlives
// Attach.
func Attach(ctx context.Context, o AttachOptions) error {
	switch {
	case o.Token == "":
		return fmt.Errorf("%s is not set: this is for the agent of a running bridge to start, "+
			"with the environment of its MCP server entry", TokenVariable)
	case o.Socket == "" || o.Stdin == nil || o.Stdout == nil:
		return errors.New("attach: socket, stdin and stdout are required")
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	a := &attachment{sinks: map[string]func(string){}, changed: make(chan struct{}, 1)}
	if err := a.open(ctx, o); err != nil {
		return errors.Join(fmt.Errorf("attach to %s: %w", o.Socket, err), o.Stdin.Close(), o.Stdout.Close())
	}
	defer a.bridge.Close() //nolint:errcheck // nothing is written any more
	server, err := mcpserver.New(mcpserver.Options{Tools: a, Version: o.Version})
	if err != nil {
		return err
	}
	var following sync.WaitGroup
	following.Go(func() { a.follow(ctx, server) }) // ends with Attach
	err = server.ServeStdio(ctx, mcpserver.StdioOptions{In: o.Stdin, Out: o.Stdout,
		Until: a.bridge.DisconnectNotify()})
	cancel(nil)
	following.Wait()
	if errors.Is(err, mcpserver.ErrTakenBack) {
		return ErrBridgeGone
	}
	return err
}

// attachment is the agent's side of one attached connection: the tools of the Door.
type attachment struct {
	bridge *jsonrpc2.Conn

	mu        sync.Mutex
	catalogue *mcpserver.Catalogue
	last      int                     // number of the last call
	sinks     map[string]func(string) // where progress of a call goes, by the call's id

	changed chan struct{} // has something to take when the bridge has told of a change
}

// open connects, shows the token and takes the list of tools.
func (a *attachment) open(ctx context.Context, o AttachOptions) error {
	asking, stop := context.WithTimeout(ctx, attachTime)
	defer stop()
	conn, err := unixsocket.Dial(asking, o.Socket)
	if err != nil {
		return err
	}
	a.bridge = jsonrpc2.NewConn(ctx, newLineStream(conn, mostFrame), handler(a.handle), jsonrpc2.SetLogger(silent{}))
	err = a.bridge.Call(asking, methodHello, hello{Version: wireVersion, Token: o.Token}, nil)
	if err == nil {
		_, err = a.fetch(asking)
	}
	if err != nil {
		a.bridge.Close() //nolint:errcheck // it may be closed already
		return whyShut(ctx, asking, err)
	}
	return nil
}

// whyShut says why the bridge did not let us in. It is never ErrBridgeGone: a Door that was open until now
// is another thing.
func whyShut(ctx, asking context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case asking.Err() != nil:
		return fmt.Errorf("the bridge did not answer for %s", attachTime)
	case errors.Is(err, jsonrpc2.ErrClosed):
		return errors.New("the bridge hung up before it answered; its own standard error says why")
	}
	return inWords(err)
}

// inWords gives what the bridge said, without the library's numbers around it.
func inWords(err error) error {
	var said *jsonrpc2.Error
	switch {
	case errors.As(err, &said):
		return errors.New(said.Message)
	case errors.Is(err, jsonrpc2.ErrClosed):
		return ErrBridgeGone
	}
	return err
}

// nextID returns an id that no other request of ours has.
func (a *attachment) nextID() jsonrpc2.ID {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.last++
	return jsonrpc2.ID{Str: strconv.Itoa(a.last), IsString: true}
}
