package mcpserver

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Name is what our MCP server is called, and instructions is what it tells models about all its tools.
const (
	Name         = "a2a-acp"
	instructions = "These tools run on the person's machine, under rules that the person set. " +
		"A call may wait until the person has answered; one that is refused says why."
)

// Options say what a Server is made of.
type Options struct {
	Tools     Tools     // required
	Resources Resources // optional
	Prompts   Prompts   // optional
	Completer Completer // optional
	Version   string    // of the program, for clients
	// Tasks keeps the calls that their clients do not wait for. Optional: without it there are none.
	Tasks TaskLog
	// Answered reports whether what a waiting call needs has come another way, by its InputRequired.State.
	// Optional.
	Answered func(ctx context.Context, state string) bool
	// Cancelled is told that a call which waits is not gone on with, by its InputRequired.State: what it asked for is asked
	// no more. Optional.
	Cancelled func(ctx context.Context, state string) error
	// TaskAfter is optional, default TaskAfter.
	TaskAfter time.Duration
	// Key returns what signs that which clients carry from one round of a request to the next. It is called
	// when it is needed first. Optional: a random one, with which no such request outlives the program.
	Key func() ([]byte, error)
	// Say is told what went wrong that no client may know of. Optional. Safe for concurrent use.
	Say func(line string)
	Now func() time.Time // optional, default time.Now
}

// Server is an MCP server. It answers each request by the era that the request is of, whichever front it
// comes by, and is safe for concurrent use.
type Server struct {
	o      Options
	states states
	tasks  tasks

	mu      sync.Mutex
	watches map[*watch]bool // clients that want to hear of changes
}

// New makes a Server.
func New(o Options) (*Server, error) {
	if o.Tools == nil {
		return nil, errors.New("make an MCP server: Tools is required")
	}
	if o.Say == nil {
		o.Say = func(string) {}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Key == nil {
		o.Key = func() ([]byte, error) {
			key := make([]byte, 32)
			rand.Read(key) // never fails
			return key, nil
		}
	}
	if o.Cancelled == nil {
		o.Cancelled = func(context.Context, string) error { return nil }
	}
	if o.TaskAfter == 0 {
		o.TaskAfter = TaskAfter
	}
	s := &Server{o: o, tasks: tasks{running: map[string]*running{}}, watches: map[*watch]bool{},
		states: states{key: sync.OnceValues(o.Key), now: o.Now}}
	s.tasks.ctx, s.tasks.end = context.WithCancelCause(context.Background())
	return s, nil
}

// implementation is how the server calls itself.
func (s *Server) implementation() map[string]any {
	version := s.o.Version
	if version == "" {
		version = "0"
	}
	return map[string]any{"name": Name, "version": version}
}

// capabilities are what the server can do for a client.
func (s *Server) capabilities(stateless bool) map[string]any {
	can := map[string]any{"tools": map[string]any{"listChanged": true}, "logging": map[string]any{}}
	if s.o.Resources != nil {
		can["resources"] = map[string]any{"listChanged": true, "subscribe": true}
	}
	if s.o.Prompts != nil {
		can["prompts"] = map[string]any{"listChanged": true}
	}
	if s.o.Completer != nil {
		can["completions"] = map[string]any{}
	}
	if stateless && s.o.Tasks != nil {
		can["extensions"] = map[string]any{tasksExtension: map[string]any{}}
	}
	return can
}

// answer returns the result of a request, or an error. It may take as long as the request does; ctx ends
// when the client gives the request up or goes away.
func (s *Server) answer(ctx context.Context, x *exchange) (result []byte, failed *ProtocolError) {
	method, known := methods[x.method]
	if !known || method.stateful && x.client.Stateless() || method.stateless && !x.client.Stateless() ||
		method.has != nil && !method.has(s) {
		return nil, failf(codeMethod, "there is no method %q", claim(x.method))
	}
	if !x.client.Stateless() && !x.begun && x.method != "ping" {
		return nil, failf(codeRequest, "%s before initialize", x.method)
	}
	if x.client.Stateless() {
		x.level = Level(textParam(x.params, "_meta", metaLevel))
		if param(x.params, "_meta", metaLevel) != nil && !slices.Contains(levels, x.level) {
			return nil, failf(codeParams, "_meta has no level in %q", metaLevel)
		}
	}
	result, err := method.do(s, ctx, x)
	switch {
	case err == nil:
		return result, nil
	case errors.As(err, &failed):
		return nil, failed
	}
	s.o.Say(fmt.Sprintf("%s: %v", x.method, err))
	return nil, failf(codeInternal, "internal error; a2a-acp has told the person why")
}

// method is a request that clients make.
type method struct {
	do func(*Server, context.Context, *exchange) ([]byte, error)
	// stateful and stateless say in which eras alone there is such a method.
	stateful, stateless bool
	has                 func(*Server) bool // optional: whether the server offers what it is about
}

var methods = map[string]method{
	"server/discover":      {do: (*Server).discover, stateless: true},
	"ping":                 {do: (*Server).ping, stateful: true},
	"logging/setLevel":     {do: (*Server).setLevel, stateful: true},
	"tools/list":           {do: (*Server).listTools},
	"tools/call":           {do: (*Server).callTool},
	"subscriptions/listen": {do: (*Server).listen, stateless: true},
	"tasks/get":            {do: (*Server).getTask, stateless: true, has: hasTasks},
	"tasks/update":         {do: (*Server).updateTask, stateless: true, has: hasTasks},
	"tasks/cancel":         {do: (*Server).cancelTask, stateless: true, has: hasTasks},

	"resources/list":           {do: (*Server).listResources, has: hasResources},
	"resources/templates/list": {do: (*Server).listTemplates, has: hasResources},
	"resources/read":           {do: (*Server).readResource, has: hasResources},
	"resources/subscribe":      {do: (*Server).subscribe, stateful: true, has: hasResources},
	"resources/unsubscribe":    {do: (*Server).unsubscribe, stateful: true, has: hasResources},
	"prompts/list":             {do: (*Server).listPrompts, has: hasPrompts},
	"prompts/get":              {do: (*Server).getPrompt, has: hasPrompts},
	"completion/complete":      {do: (*Server).complete, has: func(s *Server) bool { return s.o.Completer != nil }},
}

func hasResources(s *Server) bool { return s.o.Resources != nil }
func hasTasks(s *Server) bool     { return s.o.Tasks != nil }
func hasPrompts(s *Server) bool   { return s.o.Prompts != nil }
