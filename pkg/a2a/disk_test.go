package a2a

import (
	"fmt"
	"strings"
	"testing"
)

// TestKeptOnDisk bounds what one principal's tasks take: those that have ended make room, the oldest first; where nothing
// can, messages are refused with the reason, and what a task puts out ends it. Nobody else notices.
func TestKeptOnDisk(t *testing.T) {
	t.Parallel()
	const most = 256 << 10
	h := &house{t: t, dir: t.TempDir()}
	h.open(func(o *Options) { o.Retention = func() Retention { return Retention{Most: most} } })
	t.Cleanup(h.close)
	kept := func(who string) int64 {
		bytes, err := h.log.Kept(t.Context(), who)
		if err != nil {
			t.Fatal(err)
		}
		return bytes
	}
	others := h.send("bert", "do "+strings.Repeat("b", 8<<10))
	text := strings.Repeat("a", 8<<10)
	var ids []any
	for range 100 {
		ids = append(ids, h.send("anna", "do "+text)["id"])
		if bytes := kept("anna"); bytes > most+most/4 {
			t.Fatalf("%d bytes are kept of %d", bytes, most)
		}
	}
	is := func(who string, id any) bool {
		_, failure := h.rpc(who, "GetTask", fmt.Sprintf(`{"id":%q}`, id))
		return failure == nil
	}
	if is("anna", ids[0]) || !is("anna", ids[99]) || !is("bert", others["id"]) {
		t.Error("not the oldest of hers were removed, or one of his")
	}
	// What waits for her goes on, and stands in her way at last.
	var refused map[string]any
	waiting := 0
	for refused == nil && waiting < 100 {
		if _, refused = h.rpc("anna", "SendMessage", message("turn "+text, "")); refused == nil {
			waiting++
		}
	}
	if refused["code"] != -32033.0 || !strings.Contains(fmt.Sprint(refused["message"]), "serve.tasks.keep_mb") || waiting < 20 {
		t.Errorf("after %d tasks that wait: %v", waiting, refused)
	}
	list, _ := h.rpc("anna", "ListTasks", `{"status":"TASK_STATE_INPUT_REQUIRED"}`)
	if list["totalSize"] != float64(waiting) {
		t.Errorf("%v tasks wait of %d", list["totalSize"], waiting)
	}
	first := at(list, "tasks.0.id")
	if _, failure := h.rpc("anna", "SendMessage", message("turn "+text, fmt.Sprintf(`,"taskId":%q`, first))); failure["code"] != -32033.0 {
		t.Errorf("one more message to a task: %v", failure)
	}
	if _, failure := h.rpc("anna", "CancelTask", fmt.Sprintf(`{"id":%q}`, first)); failure != nil {
		t.Errorf("she cannot cancel: %v", failure)
	}
	if _, failure := h.rpc("anna", "SendMessage", message("turn "+text, "")); failure != nil {
		t.Errorf("after one has ended: %v", failure)
	}
	h.send("bert", "do "+text)
	// A task that puts out without end is ended.
	flood := h.send("cleo", "flood 4096 1024")
	if at(flood, "status.state") != "TASK_STATE_FAILED" || !strings.Contains(fmt.Sprint(at(flood, "status.message.parts.text")), "serve.tasks.keep_mb") {
		t.Errorf("it is %v", at(flood, "status"))
	}
	if bytes := kept("cleo"); bytes > 2*most+8<<10 {
		t.Errorf("%d bytes are kept of %d", bytes, most)
	}
}
