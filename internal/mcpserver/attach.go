package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/sourcegraph/jsonrpc2"
)

// serverName is what our MCP server calls itself, and instructions is what it tells models about all its tools.
const (
	serverName   = "a2a-acp"
	instructions = "These tools run on the person's machine, under rules that the person set. A call may wait until the person has answered; one that is refused says why."
)

// attachTime is how long the bridge may take to let us in and to list its tools.
const attachTime = 10 * time.Second

// ErrBridgeGone is what Attach returns when the bridge ended first.
var ErrBridgeGone = errors.New("the bridge has ended")

// AttachOptions says what Attach needs.
type AttachOptions struct {
	Socket  string         // required: Door.Socket
	Token   string         // required: Door.Token; see TakeToken
	Stdin   io.ReadCloser  // required: MCP from the agent
	Stdout  io.WriteCloser // required: MCP to the agent, and nothing else
	Version string         // of the program, for the agent
}

// TakeToken gives the token from the environment of this process and removes it there, so that nothing that this process
// starts or prints can hold it.
func TakeToken() (string, error) {
	token := os.Getenv(TokenVariable)
	if token == "" {
		return "", fmt.Errorf("%s is not set: this command is for the agent of a running bridge to start, with the environment of its MCP server entry", TokenVariable)
	}
	return token, os.Unsetenv(TokenVariable)
}

// Attach is an MCP server on Stdin and Stdout whose tools are those of the Door at Socket. It serves until the agent closes
// Stdin (then the error is nil), the bridge ends (ErrBridgeGone) or ctx does. Both streams are closed then. A Read of Stdin
// that nothing can interrupt, as of a terminal, outlives Attach.
func Attach(ctx context.Context, o AttachOptions) error {
	if o.Socket == "" || o.Token == "" || o.Stdin == nil || o.Stdout == nil {
		return errors.New("attach: socket, token, stdin and stdout are required")
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	a := &attachment{sinks: map[string]func(string){}}
	tools, err := a.open(ctx, o)
	if err != nil {
		return fmt.Errorf("attach to %s: %w", o.Socket, err)
	}
	defer a.bridge.Close() //nolint:errcheck // nothing is written any more
	server := mcp.NewServer(&mcp.Implementation{Name: serverName, Version: o.Version}, &mcp.ServerOptions{
		Instructions: instructions,
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
		PageSize:     max(mcp.DefaultPageSize, len(tools)), // some clients read the first page only
	})
	for _, t := range tools {
		if err := a.add(server, t); err != nil {
			return fmt.Errorf("attach to %s: tool %q: %w", o.Socket, t.Name, err)
		}
	}

	var watching sync.WaitGroup
	watching.Go(func() { // ends with the bridge, or with Attach
		select {
		case <-a.bridge.DisconnectNotify():
			cancel(ErrBridgeGone)
		case <-ctx.Done():
		}
	})
	err = server.Run(ctx, &mcp.IOTransport{Reader: o.Stdin, Writer: o.Stdout, MaxLineLength: mostFrame})
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
}

// open shows the token to the bridge and asks for its tools.
func (a *attachment) open(ctx context.Context, o AttachOptions) ([]Tool, error) {
	asking, stop := context.WithTimeout(ctx, attachTime)
	defer stop()
	conn, err := (&net.Dialer{}).DialContext(asking, "unix", o.Socket)
	if err != nil {
		return nil, err
	}
	// Whoever listens there learns the token, so it must be our own user.
	if who, err := otherEnd(conn.(*net.UnixConn)); err != nil || who.known && who.uid != os.Geteuid() {
		conn.Close()
		return nil, errors.Join(fmt.Errorf("the socket belongs to user %d", who.uid), err)
	}
	a.bridge = jsonrpc2.NewConn(ctx, newLineStream(conn, mostFrame), handler(a.handle), jsonrpc2.SetLogger(silent{}))
	var tools []Tool
	err = a.bridge.Call(asking, methodHello, hello{Version: wireVersion, Token: o.Token}, nil)
	if err == nil {
		err = a.bridge.Call(asking, methodList, nil, &tools, jsonrpc2.PickID(a.nextID()))
	}
	if err != nil {
		a.bridge.Close() //nolint:errcheck // it may be closed already
		return nil, inWords(err)
	}
	return tools, nil
}

// inWords gives what the bridge said, without the library's numbers around it.
func inWords(err error) error {
	var said *jsonrpc2.Error
	if errors.As(err, &said) {
		return errors.New(said.Message)
	}
	if errors.Is(err, jsonrpc2.ErrClosed) {
		return ErrBridgeGone
	}
	return err
}

// nextID gives an id that no other request of ours has.
func (a *attachment) nextID() jsonrpc2.ID {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.last++
	return jsonrpc2.ID{Str: strconv.Itoa(a.last), IsString: true}
}

// add offers a tool. The SDK panics at a schema that it cannot take, so that is looked at before.
func (a *attachment) add(server *mcp.Server, t Tool) error {
	var schema struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(t.InputSchema, &schema); err != nil || schema.Type != "object" {
		return errors.Join(errors.New("its input schema is not that of an object"), err)
	}
	offered := &mcp.Tool{
		Name: t.Name, Title: t.Title, Description: t.Description, InputSchema: t.InputSchema,
		Annotations: &mcp.ToolAnnotations{
			Title:           t.Title,
			ReadOnlyHint:    t.Annotations.ReadOnly != nil && *t.Annotations.ReadOnly,
			DestructiveHint: t.Annotations.Destructive,
			IdempotentHint:  t.Annotations.Idempotent != nil && *t.Annotations.Idempotent,
			OpenWorldHint:   t.Annotations.OpenWorld,
		},
	}
	if len(t.OutputSchema) > 0 {
		if !json.Valid(t.OutputSchema) {
			return errors.New("its output schema is not JSON")
		}
		offered.OutputSchema = t.OutputSchema
	}
	server.AddTool(offered, a.call)
	return nil
}

// call passes a call on to the bridge and waits for its end. ctx ends when the agent gives the call up or goes away, and
// the bridge is told.
func (a *attachment) call(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	id := a.nextID()
	a.tellProgress(ctx, id.Str, r)
	defer a.forget(id.Str)

	toolCall, _ := r.Params.Meta["claudecode/toolUseId"].(string) // Claude's own id, which its editor knows too
	waiter, err := a.bridge.DispatchCall(ctx, methodCall, callParams{Name: r.Params.Name, Arguments: r.Params.Arguments, ToolCall: toolCall}, jsonrpc2.PickID(id))
	if err != nil {
		return nil, failed(err)
	}
	var result CallResult
	err = waiter.Wait(ctx, &result)
	if ctx.Err() != nil {
		a.bridge.Notify(context.WithoutCancel(ctx), methodCancel, aboutCall{ID: id.Str}) //nolint:errcheck // a bridge that is gone has ended the call
		return nil, context.Cause(ctx)
	}
	var said *jsonrpc2.Error
	if errors.As(err, &said) && said.Code == codeForModel {
		return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: said.Message}}}, nil
	}
	if err != nil {
		return nil, failed(err)
	}
	return toMCP(result)
}

// failed gives an error of the bridge as the agent gets it.
func failed(err error) error {
	var said *jsonrpc2.Error
	if errors.As(err, &said) {
		return &jsonrpc.Error{Code: said.Code, Message: said.Message}
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: inWords(err).Error()}
}

func toMCP(r CallResult) (*mcp.CallToolResult, error) {
	out := &mcp.CallToolResult{IsError: r.IsError, Content: []mcp.Content{&mcp.TextContent{Text: r.Content}}}
	if len(r.Structured) > 0 {
		out.StructuredContent = r.Structured
	}
	if len(r.Meta) > 0 {
		if err := json.Unmarshal(r.Meta, &out.Meta); err != nil {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the bridge sent a result that cannot be read"}
		}
	}
	return out, nil
}

// tellProgress sees to it that progress of a call reaches the agent, if it wants to hear of it (MCP 2025-11-25, progress).
func (a *attachment) tellProgress(ctx context.Context, id string, r *mcp.CallToolRequest) {
	token := r.Params.GetProgressToken()
	if token == nil {
		return
	}
	told := 0.0
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sinks[id] = func(text string) {
		told++                                                                                                              // must grow each time; nobody knows the whole
		r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: told, Message: text}) //nolint:errcheck // an agent that is gone
	}
}

func (a *attachment) forget(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.sinks, id)
}

// handle takes what the bridge says by itself: progress. It is called by the goroutine that reads, one at a time, so that
// no result overtakes the progress before it.
func (a *attachment) handle(_ context.Context, _ *jsonrpc2.Conn, r *jsonrpc2.Request) {
	var about aboutCall
	if r.Method != methodProgress || json.Unmarshal(params(r), &about) != nil {
		return
	}
	a.mu.Lock()
	sink := a.sinks[about.ID]
	a.mu.Unlock()
	if sink != nil {
		sink(about.Text)
	}
}
