package mcpserver

import (
	"context"
	"encoding/json"
	"io"
	"net/http/httptest"
	"strings"
	"testing"
)

// endingTasks keeps tasks, and tells when one comes to wait a second time.
type endingTasks struct {
	memoryTasks
	waitsAgain func(Task)
}

func (e *endingTasks) Keep(ctx context.Context, task Task) error {
	if task.Status == TaskInput && task.Waits.Round == 2 {
		e.waitsAgain(task)
	}
	return e.memoryTasks.Keep(ctx, task)
}

// A task that is cancelled just as its call comes to wait once more is cancelled, and so is what it waits for.
func TestCancelledWhileItIsKept(t *testing.T) {
	t.Parallel()
	asks := func(state string) *InputRequired {
		return &InputRequired{State: state, Waits: true, Requests: map[string]InputRequest{
			"approval": {Method: "elicitation/create", Params: json.RawMessage(`{}`)}}}
	}
	log := &endingTasks{memoryTasks: memoryTasks{kept: map[string]Task{}}}
	over := map[string]bool{} // guarded by the turn of tasks
	s, err := New(Options{Tasks: log,
		Cancelled: func(_ context.Context, state string) error {
			over[state] = true
			return nil
		},
		Tools: fakeTools{list: oneTool("a"), call: func(_ context.Context, call Call) (CallResult, error) {
			if call.State == "" {
				return CallResult{Input: asks("first")}, nil
			}
			return CallResult{Input: asks("second")}, nil
		}}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.CloseTasks()
	w := newWeb(t, s, HTTPOptions{})
	do := func(method, id, more string) string {
		body, headers := stateless(method, `"taskId":"`+id+`"`+more, headerName, id)
		if method == "tools/call" {
			body, headers = stateless(method, `"name":"a"`, headerName, "a")
		}
		_, text := w.post(strings.Replace(body, `{"elicitation":{}}`, `{"elicitation":{},"extensions":{"`+tasksExtension+`":{}}}`, 1), headers...)
		return text
	}
	cancelled := make(chan string, 1)
	log.waitsAgain = func(task Task) {
		free := s.tasks.turn.TryLock()
		if free {
			s.tasks.turn.Unlock()
		}
		done := make(chan struct{})
		go func() { // ends with the answer
			defer close(done)
			cancelled <- do("tasks/cancel", task.ID, "")
		}()
		if free { // it could come right now
			<-done
		}
	}
	_, rest, _ := strings.Cut(do("tools/call", "", ""), `"taskId":"`)
	id, _, _ := strings.Cut(rest, `"`)
	do("tasks/update", id, `,"inputResponses":{"1.approval":{"action":"accept"}}`)
	if text := <-cancelled; strings.Contains(text, `"error"`) {
		t.Fatal(text)
	}
	text := do("tasks/get", id, "")
	s.tasks.turn.Lock()
	defer s.tasks.turn.Unlock()
	if !strings.Contains(text, `"cancelled"`) || !over["second"] {
		t.Errorf("it stands so: %s; over is %v", text, over)
	}
}

// A client that gives a call up hears nothing of it: what the call has come to wait for meanwhile is over, as nobody comes
// back for it.
func TestGivenUpBeforeItIsTold(t *testing.T) {
	t.Parallel()
	for _, capabilities := range []string{`{"elicitation":{}}`, `{"elicitation":{},"extensions":{"` + tasksExtension + `":{}}}`} {
		for _, front := range []string{"stdio", "http"} {
			t.Run(front+" "+capabilities, func(t *testing.T) {
				t.Parallel()
				begun, over := make(chan bool), make(chan string, 2)
				s, err := New(Options{Tasks: &memoryTasks{kept: map[string]Task{}},
					Cancelled: func(_ context.Context, state string) error {
						over <- state
						return nil
					},
					Tools: fakeTools{list: oneTool("a"), call: func(ctx context.Context, _ Call) (CallResult, error) {
						begun <- true
						<-ctx.Done()
						return CallResult{Input: &InputRequired{State: "question", Waits: true, Requests: map[string]InputRequest{
							"approval": {Method: "elicitation/create", Params: json.RawMessage(`{}`)}}}}, nil
					}}})
				if err != nil {
					t.Fatal(err)
				}
				defer s.CloseTasks()
				body, headers := stateless("tools/call", `"name":"a"`, headerName, "a")
				body = strings.Replace(body, `{"elicitation":{}}`, capabilities, 1)
				if front == "http" {
					at := httptest.NewServer(s.HTTP(HTTPOptions{}))
					ctx, hangUp := context.WithCancel(t.Context())
					go sendUnread(ctx, at.URL, body, headers) // ends when it hangs up
					<-begun
					hangUp()
					at.Close() // waits for the request
				} else {
					inRead, in := io.Pipe()
					out, outWrite := io.Pipe()
					served := make(chan error, 1)
					go func() { served <- s.ServeStdio(t.Context(), StdioOptions{In: inRead, Out: outWrite}) }() // ends with in
					go io.Copy(io.Discard, out)                                                                  //nolint:errcheck // ends with it
					io.WriteString(in, body+"\n")                                                                //nolint:errcheck // then nothing begins
					<-begun
					io.WriteString(in, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`+"\n") //nolint:errcheck // likewise
					in.Close()
					<-served
				}
				select {
				case state := <-over:
					if state != "question" {
						t.Errorf("%q is over", state)
					}
				default:
					t.Error("what it asks for stands")
				}
			})
		}
	}
}
