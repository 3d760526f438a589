package mcpserver

import (
	"context"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// stdio is the agent's side: MCP on two streams. It knows which tool calls still wait for their answer,
// since the SDK drops answers once a session is being closed, and an agent whose tools are taken away is to
// hear that of each of its calls.
type stdio struct {
	mcp.Connection // set by Connect

	streams mcp.IOTransport

	mu      sync.Mutex
	open    map[jsonrpc.ID]bool // tool calls that are not answered yet
	leaving bool                // somebody waits for none, or has
	none    chan struct{}       // closed when there is none, and somebody waits
}

func newStdio(stdin io.ReadCloser, stdout io.WriteCloser) *stdio {
	return &stdio{
		streams: mcp.IOTransport{Reader: stdin, Writer: stdout, MaxLineLength: mostFrame},
		open:    map[jsonrpc.ID]bool{}, none: make(chan struct{}),
	}
}

// Connect implements mcp.Transport.
func (s *stdio) Connect(ctx context.Context) (mcp.Connection, error) {
	conn, err := s.streams.Connect(ctx)
	if err != nil {
		return nil, err
	}
	s.Connection = conn
	return s, nil
}

// Read implements mcp.Connection.
func (s *stdio) Read(ctx context.Context) (jsonrpc.Message, error) {
	message, err := s.Connection.Read(ctx)
	if request, ok := message.(*jsonrpc.Request); ok && err == nil && request.IsCall() &&
		request.Method == methodCall {
		s.mu.Lock()
		s.open[request.ID] = true
		s.mu.Unlock()
	}
	return message, err
}

// Write implements mcp.Connection. An answer that cannot be written is none that anybody waits for.
func (s *stdio) Write(ctx context.Context, message jsonrpc.Message) error {
	err := s.Connection.Write(ctx, message)
	if response, ok := message.(*jsonrpc.Response); ok {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.open, response.ID)
		s.check()
	}
	return err
}

// answered returns a channel that is closed as soon as no tool call waits for its answer. It is asked for
// once.
func (s *stdio) answered() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.leaving = true
	s.check()
	return s.none
}

// check is called with mu held.
func (s *stdio) check() {
	if !s.leaving || len(s.open) > 0 {
		return
	}
	select {
	case <-s.none:
	default:
		close(s.none)
	}
}
