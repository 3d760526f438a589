package a2a

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestSend is about what comes of a message.
func TestSend(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for _, test := range []struct {
		text, state, said string
	}{
		{"do it", "TASK_STATE_COMPLETED", "did it"},
		{"ask", "TASK_STATE_INPUT_REQUIRED", "what?"},
		{"turn", "TASK_STATE_INPUT_REQUIRED", "and now?"},
		{"silent", "TASK_STATE_FAILED", "The agent has ended without saying how."},
	} {
		task := h.send("anna", test.text)
		if at(task, "status.state") != test.state || at(task, "status.message.parts.text") != test.said {
			t.Errorf("%q: %v", test.text, task)
		}
		if at(task, "history.parts.text") != test.text || at(task, "history.taskId") != task["id"] {
			t.Errorf("%q: the history is %v", test.text, task["history"])
		}
	}
	if result, _ := h.rpc("anna", "SendMessage", message("answer", "")); at(result, "message.parts.text") != "an answer" ||
		at(result, "message.contextId") == nil {
		t.Errorf("a direct answer: %v", result)
	}
	task := h.send("anna", "chunks")
	if at(task, "artifacts.parts.text") != "one two three" {
		t.Errorf("the artifact is %v", task["artifacts"])
	}
	now, _ := h.rpc("anna", "SendMessage", strings.TrimSuffix(message("hold x", ""), "}")+
		`,"configuration":{"returnImmediately":true,"historyLength":0}}`)
	if at(now, "task.status.state") == "TASK_STATE_COMPLETED" || at(now, "task.history") != nil {
		t.Errorf("returned at once: %v", now)
	}
	close(h.actor.gate("x"))
}

// TestGoOn is about a message to a task that there is.
func TestGoOn(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	task := h.send("anna", "ask")
	to := fmt.Sprintf(`,"taskId":%q`, task["id"])
	for _, test := range []struct {
		name, text, more string
		code             float64
	}{
		{"nonsense", "nonsense", to, -32602},
		{"another context", "yes", to + `,"contextId":"elsewhere"`, -32602},
		{"no task", "yes", `,"taskId":"none"`, -32001},
		{"of another endpoint", "yes", to, -32001},
	} {
		path := "/"
		if test.name == "of another endpoint" {
			path = "/agents/other"
		}
		var answer struct{ Error map[string]any }
		read(t, h.request("anna", "POST", path, `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":`+message(test.text, test.more)+`}`), &answer)
		if answer.Error["code"] != test.code {
			t.Errorf("%s: %v", test.name, answer.Error)
		}
	}
	result, _ := h.rpc("anna", "SendMessage", message("this", to))
	if at(result, "task.status.message.parts.text") != "did this" || at(result, "task.contextId") != task["contextId"] {
		t.Errorf("answered: %v", result)
	}
	history := at(result, "task.history").([]any)
	if len(history) != 3 || at(history[1], "parts.text") != "what?" || at(history[2], "parts.text") != "this" {
		t.Errorf("the history is %v", history)
	}
	if _, failure := h.rpc("anna", "SendMessage", message("that", to)); failure["code"] != -32004.0 {
		t.Errorf("a second answer: %v", failure)
	}
	turn := h.send("anna", "turn")
	if result, _ = h.rpc("anna", "SendMessage", message("go on", fmt.Sprintf(`,"taskId":%q`, turn["id"]))); at(result, "task.status.state") != "TASK_STATE_COMPLETED" {
		t.Errorf("the next turn: %v", result)
	}
}

// TestTwoAnswer has two clients answer one question at the same moment: one counts, the other is told.
func TestTwoAnswer(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	task := h.send("anna", "ask")
	told := make(chan bool)
	for i := range 8 {
		go func() {
			_, failure := h.rpc("anna", "SendMessage", message(fmt.Sprint("answer ", i), fmt.Sprintf(`,"taskId":%q`, task["id"])))
			told <- failure == nil
		}()
	}
	counted := 0
	for range 8 {
		if <-told {
			counted++
		}
	}
	if counted != 1 {
		t.Errorf("%d answers count", counted)
	}
}

// TestCancel cancels a task in each state.
func TestCancel(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for _, text := range []string{"hold forever", "ask", "turn"} {
		params := strings.TrimSuffix(message(text, ""), "}") + `,"configuration":{"returnImmediately":true}}`
		result, _ := h.rpc("anna", "SendMessage", params)
		id := at(result, "task.id").(string)
		canceled, failure := h.rpc("anna", "CancelTask", `{"id":"`+id+`"}`)
		if at(canceled, "status.state") != "TASK_STATE_CANCELED" {
			t.Errorf("%s: %v, %v", text, canceled, failure)
		}
		if _, failure := h.rpc("anna", "CancelTask", `{"id":"`+id+`"}`); failure["code"] != -32002.0 {
			t.Errorf("%s, again: %v", text, failure)
		}
	}
	done := h.send("anna", "do it")
	if _, failure := h.rpc("anna", "CancelTask", fmt.Sprintf(`{"id":%q}`, done["id"])); failure["code"] != -32002.0 ||
		at(failure["data"], "reason") != "TASK_NOT_CANCELABLE" {
		t.Errorf("what has ended: %v", failure)
	}
}

// TestOthersTasks tries each operation with the task of another caller, and with one that does not exist: the
// answers are the same. The admin may.
func TestOthersTasks(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	task := h.send("anna", "turn")
	id := task["id"].(string)
	for _, test := range []struct{ method, params string }{
		{"GetTask", `{"id":"ID"}`}, {"CancelTask", `{"id":"ID"}`}, {"SubscribeToTask", `{"id":"ID"}`},
		{"SendMessage", message("x", `,"taskId":"ID"`)}, {"SendStreamingMessage", message("x", `,"taskId":"ID"`)},
	} {
		_, others := h.rpc("bert", test.method, strings.ReplaceAll(test.params, "ID", id))
		_, none := h.rpc("bert", test.method, strings.ReplaceAll(test.params, "ID", "none"))
		if fmt.Sprint(others) != strings.ReplaceAll(fmt.Sprint(none), "none", id) || others["code"] != -32001.0 {
			t.Errorf("%s: %v, and of a task that does not exist %v", test.method, others, none)
		}
		_, nobody := h.rpc("", test.method, strings.ReplaceAll(test.params, "ID", id))
		if fmt.Sprint(nobody) != fmt.Sprint(others) {
			t.Errorf("%s by one without a name: %v", test.method, nobody)
		}
	}
	for who, want := range map[string]float64{"anna": 1, "bert": 0, "": 0, "admin": 1} {
		list, _ := h.rpc(who, "ListTasks", `{}`)
		if list["totalSize"] != want || len(list["tasks"].([]any)) != int(want) {
			t.Errorf("%q lists %v", who, list)
		}
		list, _ = h.rpc(who, "ListTasks", fmt.Sprintf(`{"contextId":%q}`, task["contextId"]))
		if list["totalSize"] != want {
			t.Errorf("%q lists of the context %v", who, list)
		}
	}
	if got, failure := h.rpc("admin", "GetTask", `{"id":"`+id+`"}`); got["id"] != id {
		t.Errorf("the admin gets %v", failure)
	}
	for _, method := range []string{"SendMessage", "SendStreamingMessage"} { // it would be anna's word, and her yes
		_, failure := h.rpc("admin", method, message("x", `,"taskId":"`+id+`"`))
		if text, _ := failure["message"].(string); !strings.Contains(text, "another principal's") {
			t.Errorf("%s of the admin to anna's task: %v", method, failure)
		}
	}
}

// TestList is about the form of a list.
func TestList(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	empty, _ := h.rpc("anna", "ListTasks", `{}`)
	if fmt.Sprint(empty) != "map[nextPageToken: pageSize:50 tasks:[] totalSize:0]" {
		t.Errorf("an empty list is %v", empty)
	}
	var ids []string
	for range 5 {
		ids = append(ids, h.send("anna", "chunks")["id"].(string))
	}
	var got []string
	token := ""
	for {
		page, failure := h.rpc("anna", "ListTasks", `{"pageSize":2,"pageToken":"`+token+`"}`)
		if failure != nil {
			t.Fatal(failure)
		}
		for _, task := range page["tasks"].([]any) {
			got = append(got, at(task, "id").(string))
			if at(task, "artifacts") != nil {
				t.Errorf("artifacts that nobody wants: %v", task)
			}
		}
		if token = page["nextPageToken"].(string); token == "" {
			break
		}
	}
	for i := range ids {
		if len(got) != 5 || got[i] != ids[4-i] {
			t.Fatalf("listed %v, made %v", got, ids)
		}
	}
	with, _ := h.rpc("anna", "ListTasks", `{"includeArtifacts":true,"historyLength":0,"status":"TASK_STATE_COMPLETED"}`)
	if at(with, "tasks.artifacts.parts.text") != "one two three" || at(with, "tasks.history") != nil {
		t.Errorf("with artifacts: %v", with)
	}
	for _, params := range []string{`{"pageSize":0}`, `{"pageSize":101}`, `{"pageSize":-1}`, `{"status":"ODD"}`, `{"pageToken":"odd"}`,
		`{"historyLength":-1}`, `{"pageSize":"x"}`, `{"statusTimestampAfter":"yesterday"}`} {
		if _, failure := h.rpc("anna", "ListTasks", params); failure["code"] != -32602.0 {
			t.Errorf("%s: %v", params, failure)
		}
	}
}

// TestStreams is about what streams tell, when they end, and how one goes on that was lost.
func TestStreams(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	sent := eventsOf(h.request("anna", "POST", "/message:stream", message("hold it", ""), "Accept", "text/event-stream"))
	id, first := sent.next(t)
	task, _ := at(first, "task.id").(string)
	if id != "1" || task == "" {
		t.Fatalf("the first event is %s %v", id, first)
	}
	if id, second := sent.next(t); id != "2" || at(second, "statusUpdate.status.state") != "TASK_STATE_WORKING" {
		t.Fatalf("the second is %s %v", id, second)
	}
	gone := eventsOf(h.request("anna", "POST", "/tasks/"+task+":subscribe", ""))
	if id, snapshot := gone.next(t); id != "2" || at(snapshot, "task.status.state") != "TASK_STATE_WORKING" {
		t.Errorf("who subscribes gets %s %v", id, snapshot)
	}
	_ = gone.body.Close()
	lost := eventsOf(h.request("anna", "GET", "/tasks/"+task+":subscribe", "", "Last-Event-ID", "1"))
	close(h.actor.gate("it"))
	if got := lost.rest(t); got != "2 3" {
		t.Errorf("who had event 1 gets %s", got)
	}
	if got := sent.rest(t); got != "3" {
		t.Errorf("who sent it gets %s then", got)
	}
	late := eventsOf(h.request("anna", "GET", "/tasks/"+task+":subscribe", "", "Last-Event-ID", "2"))
	if got := late.rest(t); got != "3" {
		t.Errorf("who comes back after the end gets %s", got)
	}
	response := h.request("anna", "GET", "/tasks/"+task+":subscribe", "")
	var failure struct{ Error map[string]any }
	read(t, response, &failure)
	if response.StatusCode != 400 || at(failure.Error["details"], "reason") != "UNSUPPORTED_OPERATION" {
		t.Errorf("after the end: %s %v", response.Status, failure)
	}
	asked := eventsOf(h.request("anna", "POST", "/message:stream", message("ask", "")))
	if got := asked.rest(t); got != "1 2" {
		t.Errorf("a stream whose task needs input tells %s", got)
	}
}

// TestStreamGoesOnAfterRestart ends the server under a stream: whoever comes back gets what is missing, and a
// question that stood goes on.
func TestStreamGoesOnAfterRestart(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	task := h.send("anna", "ask")
	id := task["id"].(string)
	watching := eventsOf(h.request("anna", "GET", "/tasks/"+id+":subscribe", ""))
	if seen, _ := watching.next(t); seen != "2" {
		t.Fatalf("it begins with %s", seen)
	}
	running := eventsOf(h.request("anna", "POST", "/message:stream", message("hold on", "")))
	_, first := running.next(t)
	running.next(t) // it has begun: one that has not goes on in the process that comes next
	h.close()
	h.open(func(*Options) {})
	if lost, _ := h.rpc("anna", "GetTask", fmt.Sprintf(`{"id":%q}`, at(first, "task.id"))); at(lost, "status.state") != "TASK_STATE_FAILED" {
		t.Errorf("what was under way is %v", lost["status"])
	}
	again := eventsOf(h.request("anna", "GET", "/tasks/"+id+":subscribe", "", "Last-Event-ID", "2"))
	result, failure := h.rpc("anna", "SendMessage", message("late", fmt.Sprintf(`,"taskId":%q`, id)))
	if at(result, "task.status.message.parts.text") != "did late" {
		t.Errorf("the answer after a restart: %v, %v", result, failure)
	}
	seen := strings.Fields(again.rest(t))
	for i := range seen {
		if seen[i] != fmt.Sprint(i+3) {
			t.Errorf("who comes back sees %v", seen)
		}
	}
	if len(seen) < 2 {
		t.Errorf("who comes back sees %v", seen)
	}
}

// TestVersions is about which version is spoken, by header, query and method.
func TestVersions(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	legacy := `{"message":{"kind":"message","role":"user","messageId":"m","parts":[{"kind":"text","text":"do it"}]}}`
	for _, test := range []struct {
		method, params, version string
		code                    float64
	}{
		{"SendMessage", message("do it", ""), "1.0", 0},
		{"SendMessage", message("do it", ""), "1.0.1", 0},
		{"SendMessage", message("do it", ""), "", -32009},
		{"SendMessage", message("do it", ""), "0.3", -32009},
		{"SendMessage", message("do it", ""), "99.0", -32009},
		{"SendMessage", message("do it", ""), "1.00", -32009},
		{"message/send", legacy, "", 0},
		{"message/send", legacy, "0.3.0", 0},
		{"message/send", legacy, "1.0", -32601},
		{"message/none", legacy, "1.0", -32601},
	} {
		result, failure := h.rpc("anna", test.method, test.params, "A2A-Version", test.version)
		code, _ := failure["code"].(float64)
		if code != test.code {
			t.Errorf("%s in %q: %v %v", test.method, test.version, result, failure)
		}
	}
	for path, want := range map[string]int{"/tasks": 400, "/v1/tasks": 200, "/tasks?A2A-Version=1.0": 200, "/v1/tasks?A2A-Version=1.0": 400} {
		r, _ := http.NewRequestWithContext(t.Context(), "GET", h.http.URL+path, nil)
		response, err := h.http.Client().Do(r)
		if err != nil || response.StatusCode != want {
			t.Errorf("%s: %v, %v", path, response.Status, err)
		}
		_ = response.Body.Close()
	}
}
