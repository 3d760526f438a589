package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// rule is one of the rules of ACTS, the suite that is to follow the TCK (A2A pull request 1882), played as its text says.
type rule struct {
	id   string
	only string // the binding that it is about; "" for each
	play func(*actor)
}

const (
	done     = "TASK_STATE_COMPLETED"
	asked    = "TASK_STATE_INPUT_REQUIRED"
	canceled = "TASK_STATE_CANCELED"
	working  = "TASK_STATE_WORKING"
	begun    = "TASK_STATE_SUBMITTED"
)

var soon = map[string]any{"returnImmediately": true}

// The rules that say the same twice in ACTS stand here once, with both names. What is not here: CARD-SCHEMA-001 and DM-SERIAL-002
// want a JSON schema, which the types of gRPC are here; CORE-CAP-001 and 002, PUSH-CFG-004 and SEC-EXTCARD-003 are about servers
// that cannot what this one can; SEC-PUSH-002 and CLIENT-… are about clients; REST-PD-001 wants RFC 7807, which 1.0 has given up.
var rules = []rule{
	{"CARD-DISC-001 to 007", "", func(a *actor) {
		_, _, said, err := a.s.raw(a.Context(), "GET", "/.well-known/agent-card.json", "", "A2A-Version", "1.0")
		var card map[string]any
		if err != nil || json.Unmarshal(said, &card) != nil {
			a.Fatalf("%s: %v", said, err)
		}
		for _, path := range []string{"name", "version", "description", "supportedInterfaces.0.url", "capabilities", "skills.0.id",
			"skills.0.name", "defaultInputModes.0", "defaultOutputModes.0"} {
			a.has(card, path)
		}
		found := false
		for _, i := range card["supportedInterfaces"].([]any) {
			found = found || text(i, "protocolBinding") == a.b.name() && strings.HasPrefix(text(i, "protocolVersion"), "1.")
		}
		if !found {
			a.Errorf("the card does not say where %s is: %v", a.b.name(), card["supportedInterfaces"])
		}
	}},
	{"CARD-CACHE-001", "HTTP+JSON", func(a *actor) {
		_, header, _, err := a.s.raw(a.Context(), "GET", "/.well-known/agent-card.json", "")
		if err != nil || header.Get("Cache-Control") == "" || header.Get("ETag") == "" || header.Get("Last-Modified") == "" {
			a.Errorf("%v: %v", header, err)
		}
	}},
	{"CARD-EXT-001", "", func(a *actor) {
		card := a.call("GetExtendedAgentCard", map[string]any{})
		a.has(card, "skills.0.id")
		a.has(card, "description")
	}},
	{"CORE-SEND-001", "", func(a *actor) {
		task := a.send("tck-complete-task hello world")
		a.has(task, "id")
		a.is(task, "status.state", done)
	}},
	{"CORE-SEND-002, CORE-ERR-004", "", func(a *actor) {
		task := a.send("tck-complete-task setup")
		a.refused("SendMessage", message("tck-complete-task again", "taskId", task["id"]), "UNSUPPORTED_OPERATION")
	}},
	{"CORE-SEND-003, DM-FMT-002", "", func(a *actor) {
		answer := a.call("SendMessage", message("tck-message-response hello"))
		a.is(answer, "message.role", "ROLE_AGENT")
		a.is(answer, "message.parts.0.text", "Direct message response")
		a.lacks(answer, "task")
	}},
	{"CORE-SEND-004", "", func(a *actor) { // its text has the type in the part's metadata, where 1.0 has none
		a.refused("SendMessage", message("", "parts", []any{map[string]any{"data": map[string]any{"value": "x"},
			"mediaType": "x-unsupported/type-12345"}}), "CONTENT_TYPE_NOT_SUPPORTED")
	}},
	{"CORE-GET-001", "", func(a *actor) {
		task := a.send("tck-complete-task for get")
		got := a.call("GetTask", map[string]any{"id": task["id"]})
		a.is(got, "id", text(task, "id"))
		a.is(got, "status.state", done)
	}},
	{"CORE-GET-002, CORE-HIST-001, 003 and 004", "", func(a *actor) {
		task := a.send("tck-complete-task history zero", "configuration", map[string]any{"historyLength": 0})
		a.lacks(task, "history")
		a.lacks(a.call("GetTask", map[string]any{"id": task["id"], "historyLength": 0}), "history")
		a.has(a.call("GetTask", map[string]any{"id": task["id"]}), "history.0")
	}},
	{"CORE-CANCEL-001", "", func(a *actor) {
		task := a.send("tck-cancel start", "configuration", soon)
		a.is(task, "status.state", begun, working)
		got := a.call("CancelTask", map[string]any{"id": task["id"]})
		a.is(got, "id", text(task, "id"))
		a.is(got, "status.state", canceled)
	}},
	{"CORE-CANCEL-002, CORE-ERR-003", "", func(a *actor) {
		task := a.send("tck-complete-task setup")
		a.refused("CancelTask", map[string]any{"id": task["id"]}, "TASK_NOT_CANCELABLE")
	}},
	{"CORE-FAIL-001", "", func(a *actor) {
		task := a.send("tck-task-failure trigger error")
		a.is(task, "status.state", "TASK_STATE_FAILED")
		a.has(task, "status.message")
	}},
	{"CORE-LIST-001 to 003", "", func(a *actor) {
		task := a.send("tck-complete-task for list test")
		list := a.call("ListTasks", map[string]any{"contextId": task["contextId"], "includeArtifacts": false})
		a.is(list, "tasks.0.id", text(task, "id"))
		a.is(list, "tasks.0.contextId", text(task, "contextId"))
		a.lacks(list, "tasks.0.artifacts")
		if a.b.name() != "GRPC" { // protobuf has no empty text that is there
			a.is(list, "nextPageToken", "")
			a.has(list, "nextPageToken")
		}
	}},
	{"CORE-MULTI-001 and 005, CORE-HIST-002, 005 and 006", "", func(a *actor) {
		first := a.send("tck-multi-turn chronological first")
		a.is(first, "status.state", asked)
		again := a.send("here is more input", "taskId", first["id"], "contextId", first["contextId"])
		a.is(again, "id", text(first, "id"))
		a.is(again, "status.state", asked)
		last := a.send("done", "taskId", first["id"]) // the context is inferred
		a.is(last, "contextId", text(first, "contextId"))
		a.is(last, "status.state", done)
		var said []string
		for _, m := range at(a.call("GetTask", map[string]any{"id": first["id"]}), "history").([]any) {
			if text(m, "role") == "ROLE_USER" { // 005 counts as if the agent's questions were no history
				said = append(said, text(m, "parts.0.text"))
			}
		}
		if got := strings.Join(said, ", "); got != "tck-multi-turn chronological first, here is more input, done" {
			a.Errorf("the history is %q", got)
		}
		if some, _ := at(a.call("GetTask", map[string]any{"id": first["id"], "historyLength": 2}), "history").([]any); len(some) > 2 {
			a.Errorf("%d messages of 2", len(some))
		}
	}},
	{"CORE-MULTI-003 and 006", "", func(a *actor) {
		first, second := a.send("tck-multi-turn start"), a.send("tck-complete-task second")
		a.refused("SendMessage", message("mismatched", "taskId", first["id"], "contextId", second["contextId"]))
		a.refused("SendMessage", message("mismatched", "taskId", second["id"], "contextId", first["contextId"]))
		a.is(a.call("GetTask", map[string]any{"id": first["id"]}), "status.state", asked)
	}},
	{"CORE-CTX-001", "", func(a *actor) { // one that is taken stays what it is, one that cannot be taken is refused
		a.is(a.send("tck-complete-task", "contextId", "client-generated"), "contextId", "client-generated")
		a.refused("SendMessage", message("tck-complete-task", "contextId", strings.Repeat("c", 300)))
	}},
	{"STREAM-SSE-001 and 002, STREAM-SUB-002, STREAM-MULTI-001, GRPC-STREAM-001, JSONRPC-SSE-001", "", func(a *actor) {
		events := a.events("SendStreamingMessage", message("tck-stream-basic generate output"))
		a.is(events[len(events)-1], "statusUpdate.status.state", done)
		puts := 0
		for _, event := range events[:len(events)-1] {
			if strings.Contains(stateOf(event), "COMPLETED") {
				a.Errorf("it has ended before its end: %v", events)
			}
			if event["artifactUpdate"] != nil {
				puts++
			}
		}
		a.has(events[0], "task.id")
		if puts == 0 {
			a.Errorf("no artifact is told of: %v", events)
		}
	}},
	{"STREAM-SSE-003", "", func(a *actor) {
		if events := a.events("SendStreamingMessage", message("tck-stream-chunked multi-part")); len(events) < 3 {
			a.Errorf("%d events", len(events))
		}
	}},
	{"STREAM-SSE-004, STREAM-SUB-001, STREAM-MULTI-002, STREAM-RESUB-001", "", func(a *actor) {
		task := a.send("tck-long-running start", "configuration", soon)
		subscribed := map[string]any{"id": task["id"]}
		failed, err := a.b.stream(a.Context(), "SubscribeToTask", subscribed, func(event map[string]any) bool {
			a.is(event, "task.id", text(task, "id"))
			return false // the client has gone
		})
		if failed != nil || err != nil {
			a.Errorf("%v, %v", failed, err)
		}
		var watching sync.WaitGroup
		told := make([]string, 2)
		for i := range told {
			watching.Go(func() {
				failed, err := a.b.stream(a.Context(), "SubscribeToTask", subscribed, func(event map[string]any) bool {
					if event["task"] == nil { // when each begins is another matter
						told[i] += fmt.Sprintln(event)
					}
					return true
				})
				if failed != nil || err != nil {
					a.Errorf("%v, %v", failed, err)
				}
			})
		}
		watching.Wait()
		if told[0] != told[1] && !strings.HasSuffix(told[0], told[1]) && !strings.HasSuffix(told[1], told[0]) || !strings.Contains(told[0], done) {
			a.Errorf("two streams of a task tell\n%s\nand\n%s", told[0], told[1])
		}
	}},
	{"STREAM-SUB-003", "", func(a *actor) {
		task := a.send("tck-complete-task setup")
		failed, err := a.b.stream(a.Context(), "SubscribeToTask", map[string]any{"id": task["id"]}, func(event map[string]any) bool {
			a.Errorf("it tells %v", event)
			return true
		})
		if err != nil || failed == nil || failed.reason != "UNSUPPORTED_OPERATION" {
			a.Errorf("%v, %v", failed, err)
		}
	}},
	{"CORE-EXEC-001 and 002", "", func(a *actor) {
		task := a.send("tck-long-running start process", "configuration", soon)
		a.is(task, "status.state", begun, working)
		worked := false
		for deadline := time.Now().Add(20 * time.Second); ; {
			task = a.call("GetTask", map[string]any{"id": task["id"]})
			worked = worked || text(task, "status.state") == working
			if text(task, "status.state") == done || time.Now().After(deadline) {
				break
			}
			time.Sleep(20 * time.Millisecond) // between two looks, as the rule wants it
		}
		a.is(task, "status.state", done)
		a.has(task, "artifacts.0")
		if !worked {
			a.Error("it was never seen at work")
		}
	}},
	{"CORE-ERR-001, 005, 007 and 009, GRPC-STATUS-001, REST-STATUS-001, JSONRPC-ERR-003", "", func(a *actor) {
		failed := a.refused("GetTask", map[string]any{"id": nobodysTask}, "TASK_NOT_FOUND")
		want := map[string]failure{"JSONRPC": {status: 200, code: -32001}, "HTTP+JSON": {status: 404}, "GRPC": {status: 5}}[a.b.name()]
		if failed.status != want.status || failed.code != want.code || len(failed.message) < 12 || !strings.Contains(failed.message, "task") {
			a.Errorf("%v", failed)
		}
	}},
	{"CORE-ERR-002", "", func(a *actor) {
		a.refused("CancelTask", map[string]any{"id": nobodysTask}, "TASK_NOT_FOUND", "TASK_NOT_CANCELABLE")
	}},
	{"CORE-ERR-008", "", func(a *actor) {
		a.refused("SendMessage", message("missing", "taskId", nobodysTask), "TASK_NOT_FOUND")
	}},
	{"CORE-ERR-006, JSONRPC-ERR-001 and 002, VER-NEG-001 and 002", "JSONRPC", func(a *actor) {
		for _, at := range []struct {
			body, version string
			codes         []int
		}{
			{`{"jsonrpc":"2.0","id":1,"params":{}}`, "1.0", []int{-32600, -32602}},
			{`{"jsonrpc":"2.0","id":1,"method":"DoSomethingUnsupported","params":{}}`, "1.0", []int{-32601}},
			{`{this is not valid json`, "1.0", []int{-32700}},
			{`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{}}`, "99.0", []int{-32009}},
			{`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{}}`, "", []int{-32009, -32601}}, // as pull request 2227 has it
		} {
			status, _, said, err := a.s.raw(a.Context(), "POST", "/", at.body, "Authorization", "Bearer "+token, "A2A-Version", at.version)
			if err != nil || status != 200 {
				a.Errorf("%s: %d, %v", at.body, status, err)
				continue
			}
			_, failed, err := readRPC(said)
			ok := false
			for _, code := range at.codes {
				ok = ok || failed != nil && failed.code == code
			}
			if !ok || err != nil {
				a.Errorf("%s at %q: %v, %v; want %v", at.body, at.version, failed, err, at.codes)
			}
		}
	}},
	{"JSONRPC-ENV-001, JSONRPC-CT-001, DM-FMT-001, DM-EXTRA-001", "JSONRPC", func(a *actor) {
		_, header, said, err := a.s.raw(a.Context(), "POST", "/", `{"jsonrpc":"2.0","id":"env","method":"SendMessage","params":{"message":
			{"role":"ROLE_USER","messageId":"m","parts":[{"text":"tck-complete-task"}]},"x_custom_field":"test"}}`, known...)
		var answer map[string]any
		if err != nil || json.Unmarshal(said, &answer) != nil || header.Get("Content-Type") != "application/json" {
			a.Fatalf("%s, %v, %v", said, header, err)
		}
		a.is(answer, "id", "env")
		a.is(answer, "jsonrpc", "2.0")
		a.is(answer, "result.task.status.state", done)
		if found := regexp.MustCompile(`"[a-z]+_[a-z_]+":`).Find(said); found != nil {
			a.Errorf("%s stands in %s", found, said)
		}
	}},
	{"REST-CT-001", "HTTP+JSON", func(a *actor) {
		_, header, _, err := a.s.raw(a.Context(), "GET", "/tasks", "", known...)
		if err != nil || header.Get("Content-Type") != "application/a2a+json" {
			a.Errorf("%v, %v", header, err)
		}
	}},
	{"GRPC-STREAM-002", "GRPC", func(a *actor) {
		task := a.send("tck-cancel start", "configuration", soon)
		a.is(a.call("CancelTask", map[string]any{"id": task["id"]}), "status.state", canceled)
	}},
	{"DM-ART-001 to 004", "", func(a *actor) { // 003 and 004 have the parts of 0.3 in their text
		a.is(a.send("tck-artifact-text hello"), "artifacts.0.parts.0.text", "Generated text content")
		a.is(a.send("tck-artifact-data structured"), "artifacts.0.parts.0.data.key", "value")
		file := a.send("tck-artifact-file document")
		a.is(file, "artifacts.0.parts.0.raw", "ZmlsZSBjb250ZW50")
		a.is(file, "artifacts.0.parts.0.filename", "output.txt")
		a.is(file, "artifacts.0.parts.0.mediaType", "text/plain")
		a.is(a.send("tck-artifact-file-url document"), "artifacts.0.parts.0.url", "https://example.com/output.txt")
	}},
	{"DM-SERIAL-001", "", func(a *actor) {
		at := text(a.send("tck-complete-task timestamp"), "status.timestamp")
		if !regexp.MustCompile(`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$`).MatchString(at) {
			a.Errorf("it is %q", at)
		}
	}},
	{"SEC-AUTH-005", "", func(a *actor) {
		task := a.send("tck-auth-required trigger auth")
		a.is(task, "status.state", "TASK_STATE_AUTH_REQUIRED")
		a.has(task, "status.message")
	}},
	{"SEC-AUTH-001, 002, 004 and 006, SEC-EXTCARD-001, 002 and 004", "HTTP+JSON", func(a *actor) {
		for _, shown := range []string{"", "Bearer no-token-of-anybodys-at-all", "Bearer " + scantyToken} {
			for _, at := range [][3]string{
				{"POST", "/", `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{}}`},
				{"POST", "/", `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"x"}}`}, {"GET", "/extendedAgentCard", ""},
				{"GET", "/tasks", ""}, {"POST", "/message:send", "{}"}, {"POST", "/message:stream", "{}"},
			} {
				status, _, said, err := a.s.raw(a.Context(), at[0], at[1], at[2], "Authorization", shown, "A2A-Version", "1.0")
				if want := map[bool]int{false: 401, true: 403}[strings.Contains(shown, scantyToken)]; err != nil || status != want {
					a.Errorf("%v with %q: %d %s, %v", at, shown, status, said, err)
				}
			}
		}
	}},
	{"SEC-AUTH-003", "HTTP+JSON", func(a *actor) {
		task := a.send("tck-complete-task of the suite")
		var told []string
		for _, id := range []string{text(task, "id"), nobodysTask} {
			status, _, said, err := a.s.raw(a.Context(), "GET", "/tasks/"+id, "", "Authorization", "Bearer "+othersToken, "A2A-Version", "1.0")
			told = append(told, fmt.Sprint(status, err, strings.ReplaceAll(string(said), id, "ID")))
		}
		if told[0] != told[1] || !strings.HasPrefix(told[0], "404") {
			a.Errorf("another principal's task: %s\none that is not there: %s", told[0], told[1])
		}
	}},
	{"PUSH-CFG-001 to 003, PUSH-LIST-001, PUSH-ERR-001, PUSH-IDEM-001", "", func(a *actor) {
		task := a.send("tck-multi-turn for push")
		const hook = "https://example.com/webhooks/a2a-tests"
		made := a.call("CreateTaskPushNotificationConfig", map[string]any{"taskId": task["id"], "url": hook})
		a.is(made, "url", hook)
		a.has(made, "id")
		named := map[string]any{"taskId": task["id"], "id": made["id"]}
		a.is(a.call("GetTaskPushNotificationConfig", named), "url", hook)
		a.is(a.call("ListTaskPushNotificationConfigs", map[string]any{"taskId": task["id"]}), "configs.0.id", text(made, "id"))
		a.refused("GetTaskPushNotificationConfig", map[string]any{"taskId": task["id"], "id": nobodysTask}, "TASK_NOT_FOUND")
		a.call("DeleteTaskPushNotificationConfig", named)
		a.call("DeleteTaskPushNotificationConfig", named)
		a.lacks(a.call("ListTaskPushNotificationConfigs", map[string]any{"taskId": task["id"]}), "configs")
	}},
	{"PUSH-DELIV-001 to 003, SEC-PUSH-001", "", func(a *actor) {
		task := a.send("tck-long-running start", "configuration", soon)
		a.call("CreateTaskPushNotificationConfig", map[string]any{"taskId": task["id"], "url": a.s.hook,
			"authentication": map[string]any{"scheme": "Bearer", "credentials": "of-" + text(task, "id")}})
		for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
			a.s.mu.Lock()
			pushes := a.s.pushes
			a.s.mu.Unlock()
			for _, p := range pushes {
				if text(p.body, "statusUpdate.taskId") == task["id"] && stateOf(p.body) == done {
					if p.header.Get("Authorization") != "Bearer of-"+text(task, "id") || p.header.Get("Content-Type") != "application/a2a+json" {
						a.Errorf("it comes with %v", p.header)
					}
					return
				}
			}
		}
		a.Error("nobody is told of its end")
	}},
}

// TestACTS plays the rules on each binding of the real daemon.
func TestACTS(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for _, b := range []binding{jsonRPC{s}, rest{s}, overGRPC{s}} {
		t.Run(b.name(), func(t *testing.T) {
			t.Parallel()
			for _, r := range rules {
				if r.only != "" && r.only != b.name() {
					continue
				}
				t.Run(r.id, func(t *testing.T) {
					a := &actor{T: t, s: s, b: b}
					defer a.end()
					r.play(a)
				})
			}
		})
	}
}
