// Package editor is a strict ACP editor for tests: it talks to an agent as an editor does, answers the
// agent's requests as a test says, writes down every frame, and reports whatever the protocol forbids.
//
// It is strict where real editors are lenient, because they are lenient in different ways: a blank line, a
// response to nothing, a tool call that nobody announced or that has no title, a request that the editor
// did not offer to answer, an update outside a turn (rules.go). It speaks protocol 1 and 2.
//
// An Editor sits on two streams (Open). Process starts an agent and gives the streams.
package editor

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Missing says how a request to read a file that is not there is answered. Editors differ: Zed gives an
// empty file.
type Missing int

// The answers.
const (
	MissingIsError Missing = iota // -32002, resource not found
	MissingIsEmpty
)

// Options say what kind of editor it is.
type Options struct {
	Version   int                    // protocol version, 1 or 2
	Missing   Missing                //
	Buffers   map[string]string      // unsaved text by path: what fs/read_text_file gives before what is on disk
	Violation func(violation string) // required; called for each, from other goroutines, and not after Done
}

// Editor is a connection to an agent.
type Editor struct {
	options Options
	lines   *bufio.Reader
	out     io.WriteCloser
	done    chan struct{}  // closed when the agent's stream has ended and every request of its was answered
	answers sync.WaitGroup // goroutines that answer requests of the agent's

	writing sync.Mutex // held while a line is recorded and written; taken before mu

	mu       sync.Mutex
	frames   []Frame
	next     int                 // our next id
	pending  map[string]*request // ours that have no response yet, by id
	theirs   map[string]string   // methods of all the agent's requests, by id
	open     map[string]bool     // ids of the agent's requests that have no response yet
	sessions map[string]*Session
	early    map[string][]string        // kinds of updates of sessions that we did not know (yet), by session
	below    map[string]map[string]bool // the calls of sessions that an agent below works in, by session
}

// request is one of ours that waits for its response.
type request struct {
	method  string
	respond func(result json.RawMessage, err *Error) // called once, by the reader
}

// Open starts an Editor that reads what the agent writes to in, and writes to out. It takes over out: Close
// closes it.
func Open(in io.Reader, out io.WriteCloser, options Options) *Editor {
	e := &Editor{
		options:  options,
		lines:    bufio.NewReader(in),
		out:      out,
		done:     make(chan struct{}),
		pending:  make(map[string]*request),
		theirs:   make(map[string]string),
		open:     make(map[string]bool),
		sessions: make(map[string]*Session),
		early:    make(map[string][]string),
		below:    make(map[string]map[string]bool),
	}
	go e.read() // ends with the agent's stream, and then closes done
	return e
}

// Close hangs up: it closes the stream to the agent.
func (e *Editor) Close() error { return e.out.Close() }

// Done is closed when the agent's stream has ended and nothing of the Editor's runs any more.
func (e *Editor) Done() <-chan struct{} { return e.done }

// Frames returns every frame so far, both ways, in the order in which the editor saw or sent them.
func (e *Editor) Frames() []Frame {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.frames)
}

// Error is a JSON-RPC error.
type Error struct {
	Code    int64           `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

func (e *Error) Error() string { return fmt.Sprintf("%d %s %s", e.Code, e.Message, e.Data) }

// Initialize makes the acquaintance, as an editor that serves files and terminals. It returns the agent's
// answer.
func (e *Editor) Initialize(ctx context.Context) (json.RawMessage, error) {
	params := map[string]any{
		"protocolVersion": 1,
		"clientInfo":      map[string]any{"name": "strict-editor", "title": "Strict editor", "version": "1.0.0"},
		"clientCapabilities": map[string]any{
			"fs":       map[string]any{"readTextFile": true, "writeTextFile": true},
			"terminal": true,
		},
	}
	if e.options.Version == 2 {
		params = map[string]any{
			"protocolVersion": 2,
			"info": map[string]any{"name": "strict-editor", "title": "Strict editor",
				"version": "1.0.0"},
			"capabilities": map[string]any{},
		}
	}
	result, err := e.call(ctx, "initialize", params)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Version int `json:"protocolVersion"`
	}
	if err := json.Unmarshal(result, &answer); err != nil || answer.Version != e.options.Version {
		return nil, fmt.Errorf("asked for protocol %d, got %s", e.options.Version, result)
	}
	return result, nil
}

// call sends a request and waits for its response. An error response is an *Error.
func (e *Editor) call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	type response struct {
		result json.RawMessage
		err    *Error
	}
	got := make(chan response, 1)
	if err := e.request(method, params,
		func(result json.RawMessage, err *Error) { got <- response{result, err} }); err != nil {
		return nil, err
	}
	select {
	case r := <-got:
		if r.err != nil {
			return nil, fmt.Errorf("%s: %w", method, r.err)
		}
		return r.result, nil
	case <-e.done:
		return nil, fmt.Errorf("%s: the agent's stream ended without a response", method)
	case <-ctx.Done():
		return nil, fmt.Errorf("%s: no response: %w", method, context.Cause(ctx))
	}
}

// request sends a request; respond is called with its response.
func (e *Editor) request(method string, params any, respond func(json.RawMessage, *Error)) error {
	e.mu.Lock()
	id := strconv.Itoa(e.next) // 0 is the first, as in the SDK: a peer must not take it for none
	e.next++
	e.pending[id] = &request{method: method, respond: respond}
	e.mu.Unlock()
	return e.send(map[string]any{"jsonrpc": "2.0", "id": json.RawMessage(id), "method": method, "params": params},
		method)
}

func (e *Editor) notify(method string, params any) error {
	return e.send(map[string]any{"jsonrpc": "2.0", "method": method, "params": params}, method)
}

// send writes one message. Of a response, method is that of its request.
func (e *Editor) send(message any, method string) error {
	line, err := json.Marshal(message)
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	e.writing.Lock()
	defer e.writing.Unlock()
	frame, err := Parse(line)
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	frame.ToAgent, frame.Method = true, method
	e.record(frame)
	_, err = e.out.Write(append(line, '\n'))
	return err
}

func (e *Editor) record(frame Frame) {
	frame.At = time.Now()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.frames = append(e.frames, frame)
}
