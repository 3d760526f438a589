package cobratools

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/a2a-acp/a2a-acp/internal/mcpserver"
	"github.com/a2a-acp/a2a-acp/internal/ndjson"
)

// relay stands between a client and the guard, where calls have a Middleware. A call of such a tool goes through the
// Middleware, whose next hands it to the guard; what else there is passes as it is, what the guard asks included.
//
// What a command prints reaches the client in its result alone: words about progress and logs are left out, no call
// becomes a task whose result comes later, and outputs are not read as resources.
type relay struct {
	commands map[string]*command // by the names that clients know
	toClient *ndjson.Writer
	toGuard  *ndjson.Writer

	mu      sync.Mutex
	waiting map[string]*waitingCall // by the ids of the client's requests
	asked   map[string]chan []byte  // what the guard answers, once, by ids of our own
	ids     string                  // how these begin, after the quote: no client knows it
	calls   sync.WaitGroup
}

func newRelay(toClient, toGuard *ndjson.Writer) *relay {
	return &relay{commands: map[string]*command{}, toClient: toClient, toGuard: toGuard,
		waiting: map[string]*waitingCall{}, asked: map[string]chan []byte{}, ids: rand.Text() + "-"}
}

// waitingCall is a call that is under way.
type waitingCall struct{ cancel context.CancelCauseFunc }

// errGivenUp is why a call ends that its client no longer wants.
var errGivenUp = errors.New("the client gave the call up")

// errAsks is what next returns for a call that goes on when its client has given what the guard asks for.
var errAsks = errors.New("the guard asks for something first")

// run relays until the client or the guard ends.
func (r *relay) run(ctx context.Context, fromClient, fromGuard io.Reader, closeGuard func() error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	ended, left := make(chan error, 1), make(chan error, 1)
	go func() { ended <- r.answers(fromGuard) }() // ends with the guard's output
	// It ends with the client's input; where the guard ends first, with the process.
	go func() { left <- r.requests(ctx, fromClient) }()
	select {
	case err := <-ended:
		r.calls.Wait()
		return errors.Join(err, closeGuard())
	case err := <-left:
		cancel(errGivenUp)
		r.calls.Wait()
		err = errors.Join(err, closeGuard())
		return errors.Join(err, <-ended)
	}
}

// requests relays what the client sends.
func (r *relay) requests(ctx context.Context, from io.Reader) error {
	reader := ndjson.NewReader(from, mcpserver.MostFrame)
	for {
		line, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		frame := ndjson.Scan(line)
		if frame.Kind == ndjson.Array || frame.Ambiguous { // of which the guard could make a call that was not seen here
			const refusal = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,` +
				`"message":"one message a line, and none that can be read in two ways"}}`
			if err := r.toClient.Send([]byte(refusal)); err != nil {
				return err
			}
			continue
		}
		if c := r.called(&frame); c != nil {
			r.begin(ctx, c, withoutTasks(bytes.Clone(line)))
			continue
		}
		if frame.MethodName() == "resources/read" {
			if err := r.toClient.Send(refused(frame.ID, "what a command has printed is in its result alone")); err != nil {
				return err
			}
			continue
		}
		if frame.MethodName() == "notifications/cancelled" && r.cancelled(frame.Params) {
			continue
		}
		if err := r.toGuard.Relay(line); err != nil {
			return err
		}
	}
}

// called returns the command that a request calls, where there is something around its calls.
func (r *relay) called(frame *ndjson.Frame) *command {
	if frame.MethodName() != "tools/call" || len(frame.ID) == 0 {
		return nil
	}
	raw, ok := ndjson.Get(frame.Params, "name")
	name, err := ndjson.String(raw)
	if c := r.commands[name]; ok && err == nil && c != nil && c.around != nil {
		return c
	}
	return nil
}

// cancelled ends a call that the client gives up, and reports whether it is one of ours: the guard knows it by another id,
// and hears of it from ask.
func (r *relay) cancelled(params []byte) bool {
	id, ok := ndjson.Get(params, "requestId")
	r.mu.Lock()
	defer r.mu.Unlock()
	w := r.waiting[string(id)]
	if !ok || w == nil {
		return false
	}
	w.cancel(errGivenUp)
	return true
}

// begin makes a call in a goroutine of its own, which run waits for.
func (r *relay) begin(ctx context.Context, c *command, line []byte) {
	frame := ndjson.Scan(line)
	ctx, cancel := context.WithCancelCause(ctx)
	w := &waitingCall{cancel: cancel}
	id := string(frame.ID)
	r.mu.Lock()
	_, twice := r.waiting[id]
	if !twice {
		r.waiting[id] = w
	}
	r.mu.Unlock()
	if twice {
		cancel(nil)
		_ = r.toClient.Send(refused(frame.ID, "the id is that of another request")) // the client's lane notices
		return
	}
	r.calls.Go(func() {
		defer cancel(nil)
		answer := r.call(ctx, c, line, &frame, func(ctx context.Context, line []byte) ([]byte, error) {
			return r.ask(ctx, frame.ID, line)
		})
		gaveUp := errors.Is(context.Cause(ctx), errGivenUp)
		r.mu.Lock()
		delete(r.waiting, id)
		r.mu.Unlock()
		if !gaveUp { // who gave it up wants no answer
			_ = r.toClient.Send(answer) // the client's lane notices
		}
	})
}

// call takes a call through its Middleware, and returns the line for the client. ask hands a line to the guard, and
// returns its answer.
func (r *relay) call(ctx context.Context, c *command, line []byte, frame *ndjson.Frame,
	ask func(ctx context.Context, line []byte) ([]byte, error)) []byte {
	arguments, _ := ndjson.Get(frame.Params, "arguments")
	in, failure := inputOf(&c.tool, arguments)
	if failure != nil {
		return resultLine(frame.ID, nil, &Result{Content: failure.Error(), IsError: true}, ToolOutput{})
	}
	var last []byte    // the guard's answer
	var was ToolOutput // as it was in it
	name, _ := ndjson.Get(frame.Params, "name")
	asked := &Request{Name: c.tool.ID, Arguments: arguments}
	said, out, err := c.around(ctx, asked, in, func(ctx context.Context, _ *Request, in ToolInput) (*Result, ToolOutput, error) {
		given, err := json.Marshal(in)
		if err != nil {
			return nil, ToolOutput{}, err
		}
		to := line
		if len(arguments) > 0 {
			to = ndjson.Replace(line, arguments, given)
		} else if len(in.Flags)+len(in.Args) > 0 {
			to = ndjson.Replace(line, name, bytes.Join([][]byte{name, []byte(`,"arguments":`), given}, nil))
		}
		if last, err = ask(ctx, to); err != nil {
			return nil, ToolOutput{}, err
		}
		last = bytes.TrimRight(last, "\r\n")
		answer := ndjson.Scan(last)
		kind, _ := ndjson.Get(answer.Result, "resultType")
		if answer.Error != nil || len(kind) > 0 && string(kind) != `"complete"` {
			return nil, ToolOutput{}, errAsks
		}
		said := &Result{}
		isError, _ := ndjson.Get(answer.Result, "isError")
		said.IsError = string(isError) == "true"
		structured, _ := ndjson.Get(answer.Result, "structuredContent")
		if len(structured) == 0 { // it was not run: what says so is no output
			return said, was, nil
		}
		err = json.Unmarshal(structured, &was)
		return said, was, err
	})
	answer := ndjson.Scan(last)
	switch {
	case last != nil && answer.Error != nil, errors.Is(err, errAsks):
		return last
	case err != nil:
		return resultLine(frame.ID, nil, &Result{Content: err.Error(), IsError: true}, out)
	case said == nil:
		said = &Result{}
	}
	isError, _ := ndjson.Get(answer.Result, "isError")
	if last != nil && said.Content == "" && out == was && said.IsError == (string(isError) == "true") {
		return last
	}
	return resultLine(frame.ID, answer.Result, said, out)
}

// ask hands a call to the guard, and returns its answer. It has an id of its own each time: what the guard answers to
// another request of the client's, which may have the same id, or to what a Middleware has given up, is no answer to it.
func (r *relay) ask(ctx context.Context, id, line []byte) ([]byte, error) {
	own := []byte(`"` + r.ids + rand.Text() + `"`)
	frame := ndjson.Scan(line)
	line = ndjson.Replace(line, frame.ID, own)
	answer := make(chan []byte, 1)
	r.mu.Lock()
	if err := context.Cause(ctx); err != nil {
		r.mu.Unlock()
		return nil, err
	}
	r.asked[string(own)] = answer
	r.mu.Unlock()
	if err := r.toGuard.Relay(line); err != nil {
		return nil, err
	}
	select {
	case said := <-answer:
		frame := ndjson.Scan(said)
		return ndjson.Replace(said, frame.ID, id), nil
	case <-ctx.Done():
		r.mu.Lock()
		delete(r.asked, string(own))
		r.mu.Unlock()
		cancel := fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}`, own)
		_ = r.toGuard.Send([]byte(cancel)) // it ends, or has ended
		return nil, context.Cause(ctx)
	}
}

// answers relays what the guard sends, until it ends.
func (r *relay) answers(from io.Reader) error {
	reader := ndjson.NewReader(from, mcpserver.MostFrame)
	for {
		line, err := reader.Next()
		if errors.Is(err, io.EOF) {
			r.abandon()
			return nil
		}
		if err != nil {
			r.abandon()
			return err
		}
		frame := ndjson.Scan(line)
		r.mu.Lock()
		id := string(frame.ID)
		asked := r.asked[id]
		if !frame.HasMethod() { // one answer is all that a request gets
			delete(r.asked, id)
		}
		r.mu.Unlock()
		if !frame.HasMethod() && strings.HasPrefix(id, `"`+r.ids) {
			if asked != nil { // else it has ended here before: no Middleware has seen what the guard still says
				asked <- bytes.Clone(line)
			}
			continue
		}
		switch frame.MethodName() {
		case "notifications/message":
			continue
		case "notifications/progress": // that a call is under way is all that it says
			if said, ok := ndjson.Get(frame.Params, "message"); ok {
				line = ndjson.Replace(line, said, []byte(`""`))
			}
		}
		if err := r.toClient.Relay(line); err != nil {
			return err
		}
	}
}

// withoutTasks takes out of a request that its client knows extensions (2026-07-28, tasks): the result would come later.
func withoutTasks(line []byte) []byte {
	frame := ndjson.Scan(line)
	if known, ok := ndjson.Get(frame.Params, "_meta", "io.modelcontextprotocol/clientCapabilities", "extensions"); ok {
		return ndjson.Replace(line, known, []byte(`{}`))
	}
	return line
}

// abandon ends all calls: the guard has ended.
func (r *relay) abandon() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, w := range r.waiting {
		w.cancel(fmt.Errorf("%s has ended", guardName))
	}
}

// ownWords are the members of a result for programs that hold nothing which the command has printed.
var ownWords = []string{"signal", "truncated", "output_length", "error"}

// resultLine is the answer to a call: the guard's result with the output, and the words, of a Middleware. What else the
// guard says of the call may repeat what the command has printed, and what the Middleware has taken out of that: a hint names
// the file that a program could not write.
func resultLine(id, result []byte, said *Result, out ToolOutput) []byte {
	members := map[string]json.RawMessage{}
	structured := map[string]any{}
	for key, value := range ndjson.Members(result) {
		members[key] = bytes.Clone(value)
	}
	about := map[string]json.RawMessage{}
	_ = json.Unmarshal(members["_meta"], &about) // of no result there is none
	maps.DeleteFunc(about, func(key string, _ json.RawMessage) bool { return !strings.HasPrefix(key, "io.modelcontextprotocol/") })
	_ = json.Unmarshal(members["structuredContent"], &structured) // likewise
	maps.DeleteFunc(structured, func(key string, _ any) bool { return !slices.Contains(ownWords, key) })
	maps.Copy(structured, map[string]any{"stdout": out.StdOut, "stderr": out.StdErr, "exitCode": out.ExitCode})
	text := said.Content
	if text == "" {
		text = out.StdOut
		if out.StdErr != "" {
			text += "\nstderr:\n" + out.StdErr
		}
	}
	for key, value := range map[string]any{
		"content":           []any{map[string]string{"type": "text", "text": text}},
		"structuredContent": structured, "isError": said.IsError, "_meta": about,
	} {
		encoded, err := json.Marshal(value)
		if err != nil {
			return refused(id, err.Error())
		}
		members[key] = encoded
	}
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": json.RawMessage(id), "result": members})
	if err != nil {
		return refused(id, err.Error())
	}
	return line
}

// refused is an error of the protocol.
func refused(id []byte, why string) []byte {
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": json.RawMessage(id),
		"error": map[string]any{"code": -32600, "message": why}})
	if err != nil { // an id that was read is one that can be written
		return []byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"internal error"}}`)
	}
	return line
}
