package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/sourcegraph/jsonrpc2"

	"github.com/a2a-acp/a2a-acp/internal/unixsocket"
)

// Name is what our MCP server is called, and instructions is what it tells models about all its tools.
const (
	Name         = "a2a-acp"
	instructions = "These tools run on the person's machine, under rules that the person set. " +
		"A call may wait until the person has answered; one that is refused says why."
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
// cause); a line of Stdin beyond the bound is an error, too. Calls that are under way end with it, and when
// the Door was closed the agent is told so first. Both streams are closed then. A Read of Stdin that
// nothing can interrupt, as of a terminal, outlives Attach.
func Attach(ctx context.Context, o AttachOptions) error {
	switch {
	case o.Token == "":
		return fmt.Errorf("%s is not set: this is for the agent of a running bridge to start, "+
			"with the environment of its MCP server entry", TokenVariable)
	case o.Socket == "" || o.Stdin == nil || o.Stdout == nil:
		return errors.New("attach: socket, stdin and stdout are required")
	}
	defer o.Stdout.Close()
	defer o.Stdin.Close()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	a := &attachment{sinks: map[string]func(string){}, changed: make(chan struct{}, 1),
		offered: map[string]string{}}
	tools, err := a.open(ctx, o)
	if err != nil {
		return fmt.Errorf("attach to %s: %w", o.Socket, err)
	}
	defer a.bridge.Close() //nolint:errcheck // nothing is written any more
	server := mcp.NewServer(&mcp.Implementation{Name: Name, Version: o.Version}, &mcp.ServerOptions{
		Instructions: instructions,
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: true}},
		PageSize:     max(mcp.DefaultPageSize, len(tools)), // some clients read the first page only
	})
	if err := a.offer(server, tools); err != nil {
		return fmt.Errorf("attach to %s: %w", o.Socket, err)
	}

	agent := newStdio(o.Stdin, o.Stdout)
	var watching sync.WaitGroup
	watching.Go(func() { // ends with the connection to the bridge, once every call is answered, or with Attach
		select {
		case <-a.bridge.DisconnectNotify():
			select {
			case <-agent.answered():
				cancel(ErrBridgeGone)
			case <-ctx.Done():
			}
		case <-ctx.Done():
		}
		o.Stdin.Close() // the SDK would wait for an answer that it is writing to an agent that does not read
		o.Stdout.Close()
	})
	watching.Go(func() { a.follow(ctx, server) }) // ends with Attach
	err = server.Run(ctx, agent)
	gone := context.Cause(ctx)
	cancel(nil)
	watching.Wait()
	if gone != nil {
		return gone
	}
	return err
}

// attachment is the agent's side of one attached connection.
type attachment struct {
	bridge *jsonrpc2.Conn

	mu    sync.Mutex
	last  int                     // number of the last call
	sinks map[string]func(string) // where progress of a call goes, by the call's id

	changed chan struct{} // has something to take when the bridge has told of a change
	// The tools that the agent is offered, by their names; of Attach, then of follow alone.
	offered map[string]string
}

// open shows the token to the bridge and asks for its tools.
func (a *attachment) open(ctx context.Context, o AttachOptions) ([]Tool, error) {
	asking, stop := context.WithTimeout(ctx, attachTime)
	defer stop()
	conn, err := unixsocket.Dial(asking, o.Socket) // whoever listens there learns the token
	if err != nil {
		return nil, err
	}
	a.bridge = jsonrpc2.NewConn(ctx, newLineStream(conn, mostFrame), handler(a.handle),
		jsonrpc2.SetLogger(silent{}))
	var tools []Tool
	err = a.bridge.Call(asking, methodHello, hello{Version: wireVersion, Token: o.Token}, nil)
	if err == nil {
		err = a.bridge.Call(asking, methodList, nil, &tools, jsonrpc2.PickID(a.nextID()))
	}
	if err != nil {
		a.bridge.Close() //nolint:errcheck // it may be closed already
		return nil, whyShut(ctx, asking, err)
	}
	return tools, nil
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
