package a2a

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// desk offers a tool whose calls begin, perhaps ask, and end when they are let.
type desk struct {
	began chan string // the id of a call, and that it goes on
	ends  map[string]chan struct{}
}

func (d *desk) List(Caller) []*tool.Tool { return []*tool.Tool{{ID: "hold"}} }
func (d *desk) Sandbox() string          { return "none" }

func (d *desk) Call(ctx context.Context, call ToolCall, asker ToolCaller) tool.Result {
	d.began <- call.ID
	if strings.HasPrefix(call.ID, "ask") {
		if _, err := asker.Ask(ctx, approval.Question{Title: "may I?"}); err != nil {
			return NoResult(call, tool.Failf(tool.FailInternal, "%v", err))
		}
		d.began <- call.ID + " goes on"
	}
	select {
	case <-d.ends[call.ID]:
	case <-ctx.Done():
	}
	return tool.Result{CallID: call.ID, ToolID: call.Tool, Status: tool.StatusCompleted}
}

// curious offers a tool whose calls ask twice.
type curious struct{ *desk }

func (curious) Call(ctx context.Context, call ToolCall, asker ToolCaller) tool.Result {
	for _, title := range []string{"may I begin?", "may I go on?"} {
		answer, err := asker.Ask(ctx, approval.Question{Title: title})
		if err != nil || answer.Verdict != permissions.Approve {
			return NoResult(call, tool.Failf(tool.FailDenied, "%s %v", title, err))
		}
	}
	return tool.Result{CallID: call.ID, ToolID: call.Tool, Status: tool.StatusCompleted}
}

// TestSecondQuestionOfACall has a call ask while it runs, as a remote agent does, after somebody has let it run: a second yes
// to the first question, which comes a moment later, is none to that one.
func TestSecondQuestionOfACall(t *testing.T) {
	t.Parallel()
	h := &house{t: t, dir: t.TempDir()}
	h.open(func(o *Options) {
		o.Agent = NewToolAgent(ToolOptions{Tools: curious{}, Name: "desk", Version: "1"})
	})
	t.Cleanup(h.close)
	result, failure := h.rpc("anna", "SendMessage", `{"message":{"role":"ROLE_USER","messageId":"m","parts":[{"data":{"toolCalls":[{"id":"c1","toolId":"hold"}]}}]}}`)
	if failure != nil {
		t.Fatal(failure)
	}
	id := at(result, "task.id")
	answer := func(parts string) (result, failure map[string]any) {
		return h.rpc("anna", "SendMessage", fmt.Sprintf(`{"message":{"role":"ROLE_USER","messageId":"a","taskId":%q,"parts":[%s]}}`, id, parts))
	}
	if result, failure = answer(`{"text":"allow c1"}`); at(result, "task.status.state") != "TASK_STATE_INPUT_REQUIRED" {
		t.Fatal(result, failure)
	}
	for _, late := range []string{`{"text":"allow"}`, `{"text":"allow c1"}`, `{"data":{"optionId":"allow_once","requestId":"c1"}}`,
		`{"data":{"optionId":"allow_once","toolCallId":"c1"}}`} {
		if result, failure := answer(late); failure["code"] != -32602.0 {
			t.Errorf("%s: %v, %v", late, result, failure)
		}
	}
	name := at(result, "task.status.message.metadata.requestId")
	_, failure = answer(`{"text":"allow"}`)
	if want := "one of allow_once, reject_once: " + fmt.Sprint(name); !strings.Contains(fmt.Sprint(failure), want) {
		t.Errorf("it is refused with %v, want %q in it", failure, want)
	}
	if result, failure = answer(fmt.Sprintf(`{"text":"allow %v"}`, name)); at(result, "task.status.state") != "TASK_STATE_COMPLETED" {
		t.Errorf("the question %v was answered: %v, %v", name, result, failure)
	}
}

// TestSeats has a principal run so many calls at a time, and no more: others are not held up by that, and a call that waits
// for an answer holds up nobody.
func TestSeats(t *testing.T) {
	t.Parallel()
	d := &desk{began: make(chan string, 10), ends: map[string]chan struct{}{}}
	h := &house{t: t, dir: t.TempDir()}
	h.open(func(o *Options) {
		o.Agent = NewToolAgent(ToolOptions{Tools: d, Name: "desk", Version: "1", Running: 1})
	})
	t.Cleanup(h.close)
	begin := func(who, id string) (task string) {
		result, failure := h.rpc(who, "SendMessage", fmt.Sprintf(`{"message":{"role":"ROLE_USER","messageId":%q,"parts":[{"data":{"toolCalls":[
			{"id":%[1]q,"toolId":"hold"}]}}]},"configuration":{"returnImmediately":true}}`, id))
		if failure != nil {
			t.Fatal(failure)
		}
		return at(result, "task.id").(string)
	}
	next := func(want string) {
		t.Helper()
		if got := <-d.began; got != want {
			t.Fatalf("%q has begun, want %q", got, want)
		}
	}
	for _, id := range []string{"a", "late", "bob's", "ask", "c", "x"} {
		d.ends[id] = make(chan struct{})
	}
	begin("anna", "a")
	next("a")
	late := begin("anna", "late")
	begin("bob", "bob's")
	next("bob's")
	h.rpc("anna", "CancelTask", fmt.Sprintf(`{"id":%q}`, late))
	next("late") // it has no time any more, and ends at once
	asking := begin("anna", "ask")
	close(d.ends["a"])
	next("ask")
	begin("anna", "c")
	next("c") // the one before waits for an answer
	if _, failure := h.rpc("anna", "SendMessage", `{"message":{"role":"ROLE_USER","messageId":"m","taskId":"`+asking+
		`","parts":[{"text":"allow"}]},"configuration":{"returnImmediately":true}}`); failure != nil {
		t.Fatal(failure)
	}
	begin("bob", "x")
	if len(d.began) > 0 {
		t.Errorf("%q goes on beside another", <-d.began)
	}
	close(d.ends["c"])
	next("ask goes on")
	close(d.ends["ask"])
	close(d.ends["bob's"])
	next("x")
	close(d.ends["x"])
}
