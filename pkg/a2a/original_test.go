package a2a

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	wire "github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/coder/websocket"
)

// TestOriginal is about what the original's clients find where they look for it.
func TestOriginal(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	params := `{"message":{"kind":"message","role":"user","messageId":"m","parts":[{"kind":"text","text":"do it"}]}}`
	for _, test := range []struct{ method, path, body, want string }{
		{"POST", "/a2a/message/send", params, `{"task":{"kind":"task",`},
		{"POST", "/a2a/message/stream", params, `data: {"jsonrpc":"2.0","id":null,"result":{"kind":"task"`},
		{"POST", "/a2a/message/stream", params, `"final":true`},
		{"POST", "/a2a/rpc", `{"jsonrpc":"2.0","id":1,"method":"message/send","params":` + params + `}`, `"state":"completed"`},
		{"GET", "/a2a/commands/get", "", `{"commands":[{"id":"act","name":"Act"`},
		{"POST", "/a2a/command/execute", `{"command":"Act","parameters":{"a":1}}`, `"data":{"parameters":{"a":1},"toolId":"act"}`},
		{"POST", "/a2a/command/execute", `{"command":"/act","arguments":[{"name":"a","value":1}]}`, `"data":{"parameters":{"a":1},"toolId":"act"}`},
		{"POST", "/a2a/command/execute", `{"command":"act"}`, `"status":"completed","task":{`},
		{"POST", "/a2a/command/execute", `{"command":"act"}`, DevelopmentExtension},
		{"POST", "/a2a/command/execute", `{"command":"act","arguments":[{"name":"a"},{"name":"a"}]}`, `no name twice`},
		{"POST", "/a2a/command/execute", `{"command":"act","arguments":["a"]}`, `want an object with name and value`},
		{"POST", "/a2a/command/execute", `{"command":"act","arguments":"a=1"}`, `want an object, or a list`},
		{"POST", "/a2a/command/execute", `{"command":"a","command":"b"}`, `stands there twice`},
		{"GET", "/a2a/message/send", "", `want POST`},
		{"GET", "/.well-known/agent.json", "", `"protocolVersion":"0.3.0"`},
		{"GET", "/ping", "", `{"status":"ok"}`},
		{"GET", "/health", "", `"services":{"database":"healthy","push_notifications":"healthy","streaming":"healthy"},"status":"healthy"`},
		{"GET", "/streaming/stats", "", `{"sse_connections":{"count":0},"total_connections":0,"websocket_connections":{"count":0}}`},
		{"POST", "/streaming/cleanup", "", `"cleaned_connections":0`},
		{"GET", "/streaming/cleanup", "", `want POST`},
		{"GET", "/streaming/sse?task_filter=nothing", "", `TASK_NOT_FOUND`},
		{"GET", "/metrics/push-notifications", "", `{"configuration_stats":{"active_configs":0,"expired_configs":0,"total_configs":0}`},
		{"GET", "/metrics/system", "", `"active_tasks":0`},
		{"GET", "/a2a/tasks/nothing/governor/history", "", `TASK_NOT_FOUND`},
	} {
		response := h.request("anna", test.method, test.path, test.body, "A2A-Version", "")
		body, err := io.ReadAll(response.Body)
		if err != nil || !strings.Contains(string(body), test.want) {
			t.Errorf("%s %s: %s %s, %v", test.method, test.path, response.Status, body, err)
		}
		_ = response.Body.Close()
	}
}

// TestSkillSaid: a tool that is called like another by its name does not run in the place of that.
func TestSkillSaid(t *testing.T) {
	t.Parallel()
	skills := []wire.AgentSkill{{ID: "wipe", Name: "list"}, {ID: "list", Name: "List"}}
	for said, want := range map[string]string{"list": "list", "/list": "list", "List": "list", "wipe": "wipe", "none": "none"} {
		if got := skillSaid(skills, said); got != want {
			t.Errorf("%s is %s, want %s", said, got, want)
		}
	}
}

// TestOriginalAnswers continues a task as the original's documents say, in each way to say the answer.
func TestOriginalAnswers(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for _, input := range []string{
		`"input":"yes"`, `"message":{"parts":[{"kind":"text","text":"yes"}]}`,
		`"input":{"messageId":"mine","parts":[{"kind":"text","text":"yes"}]}`,
	} {
		id, _ := h.send("anna", "ask")["id"].(string)
		history := h.request("anna", "GET", "/a2a/tasks/"+id+"/governor/history", "")
		body, err := io.ReadAll(history.Body)
		if err != nil || !strings.Contains(string(body), `"pendingPermissions":[{`) {
			t.Errorf("history %s, %v", body, err)
		}
		_ = history.Body.Close()
		for who, want := range map[string]string{"bert": "", "anna": "completed"} {
			result, failure := h.rpc(who, "tasks/provideInputAndContinue", `{"taskId":"`+id+`",`+input+`}`, "A2A-Version", "")
			if state := at(result, "status.state"); want != "" && state != want || want == "" && failure == nil {
				t.Errorf("%s %s: %v %v", who, input, result, failure)
			}
			if want == "" {
				continue
			}
		}
	}
	if _, failure := h.rpc("anna", "tasks/provideInputAndContinue", `{"taskId":"x"}`, "A2A-Version", ""); failure["code"] != -32602.0 {
		t.Errorf("nothing said: %v", failure)
	}
}

// TestOriginalConfirmation answers a tool call by its id, as the development-tool extension has it: one's own, and no other.
func TestOriginalConfirmation(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	const call = "call-1"
	h.send("anna", "call")
	confirm := func(who, call string) string {
		response := h.request(who, "POST", "/a2a/message/send", `{"message":{"kind":"message","role":"user","messageId":"c","parts":[],"metadata":{
			"development-tool":{"tool_call_confirmation":{"tool_call_id":"`+call+`","selected_option_id":"approve"}}}}}`, "A2A-Version", "")
		defer response.Body.Close() //nolint:errcheck // it is read
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Error(err)
		}
		return string(body)
	}
	for _, try := range []struct{ who, call, want string }{
		{"bert", call, "TASK_NOT_FOUND"}, {"anna", "another", "TASK_NOT_FOUND"}, {"anna", "", "want tool_call_id"},
		{"anna", call, "call-1 approve"}, {"anna", call, "TASK_NOT_FOUND"},
	} {
		if got := confirm(try.who, try.call); !strings.Contains(got, try.want) {
			t.Errorf("%s confirms %q: %s", try.who, try.call, got)
		}
	}
	h.send("anna", "call")
	h.send("anna", "call")
	if got := confirm("anna", call); !strings.Contains(got, "several of your tasks") {
		t.Errorf("two ask, and one is meant: %s", got)
	}
}

// TestOriginalStreams follows many tasks at once, on both kinds of stream: one's own, from when the stream was opened, and
// those that the filter names; nobody else's, and for no page of another origin.
func TestOriginalStreams(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	held, _ := h.rpc("anna", "SendMessage", strings.Replace(message("hold a", ""), "{", `{"configuration":{"returnImmediately":true},`, 1))
	id, _ := at(held, "task.id").(string)
	base := "ws" + strings.TrimPrefix(h.http.URL, "http")
	dial := func(who, origin, filter string) (*websocket.Conn, error) {
		header := http.Header{"Authorization": {who}}
		if origin != "" {
			header.Set("Origin", origin)
		}
		c, response, err := websocket.Dial(t.Context(), base+"/streaming/websocket"+filter, &websocket.DialOptions{HTTPHeader: header})
		if response != nil && response.Body != nil {
			_ = response.Body.Close()
		}
		return c, err
	}
	if _, err := dial("anna", "https://evil.example", ""); err == nil {
		t.Error("a page of another origin was let in")
	}
	if _, err := dial("bert", "", "?task_filter="+id); err == nil {
		t.Error("somebody else follows the task")
	}
	mine, err := dial("anna", "", "?task_filter="+id)
	if err != nil {
		t.Fatal(err)
	}
	others, err := dial("bert", "", "")
	if err != nil {
		t.Fatal(err)
	}
	sse := h.request("anna", "GET", "/streaming/sse", "")
	lines := bufio.NewScanner(sse.Body)
	if !lines.Scan() || !strings.HasPrefix(lines.Text(), `data: {"timestamp":`) || !strings.Contains(lines.Text(), "connection_established") {
		t.Fatalf("%q, %v", lines.Text(), lines.Err())
	}
	for _, said := range []struct{ word, want string }{
		{"", "connection_established"}, {`{"type":"ping"}`, `"pong"`}, {`{"type":"subscribe","taskIds":["nobody's"]}`, `"error"`},
		{`{"type":"unsubscribe"}`, `{"taskIds":[],`}, {`{"type":"subscribe","taskIds":["` + id + `"]}`, id}, {`[`, `"error"`},
	} {
		if said.word != "" {
			if err := mine.Write(t.Context(), websocket.MessageText, []byte(said.word)); err != nil {
				t.Fatal(err)
			}
		}
		if _, data, err := mine.Read(t.Context()); err != nil || !strings.Contains(string(data), said.want) {
			t.Errorf("%s: %s, %v", said.word, data, err)
		}
	}
	// Somebody else cannot come to follow the task later, either.
	if err := others.Write(t.Context(), websocket.MessageText, []byte(`{"type":"subscribe","taskIds":["`+id+`"]}`)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"connection_established", `"error"`} {
		if _, data, err := others.Read(t.Context()); err != nil || !strings.Contains(string(data), want) {
			t.Errorf("the other one is told %s, %v", data, err)
		}
	}
	close(h.actor.gate("a"))
	h.send("bert", "do it")
	for _, stream := range []struct {
		name string
		next func() string
	}{
		{"socket", func() string { _, data, err := mine.Read(t.Context()); return fmt.Sprint(string(data), err) }},
		{"events", func() string {
			for lines.Scan() {
				if strings.HasPrefix(lines.Text(), "data: ") {
					break
				}
			}
			return lines.Text()
		}},
	} {
		for {
			said := stream.next()
			if !strings.Contains(said, id) {
				t.Fatalf("%s: %s", stream.name, said)
			}
			if strings.Contains(said, `"state":"completed"`) {
				break
			}
		}
	}
	_, data, err := others.Read(t.Context())
	if err != nil || strings.Contains(string(data), id) || !strings.Contains(string(data), `"kind":"task"`) {
		t.Errorf("the other one is told %s, %v", data, err)
	}
	_ = mine.CloseNow()
	_ = others.CloseNow()
	_ = sse.Body.Close()
}

// TestOriginalArguments lists what a skill takes, as the original does.
func TestOriginalArguments(t *testing.T) {
	t.Parallel()
	card := &wire.AgentCard{Capabilities: wire.AgentCapabilities{Extensions: []wire.AgentExtension{
		developmentExtension(),
		{URI: ToolExtension, Params: map[string]any{"skills": map[string]any{"grep": toolSkill{Parameters: map[string]any{
			"properties": map[string]any{"pattern": map[string]any{"type": "string", "description": "What"}, "deep": map[string]any{"type": "boolean"}},
			"required":   []string{"pattern"}}}}}},
	}}}
	got := fmt.Sprint(originalArguments(card, "grep"), originalArguments(card, "none"))
	if want := "[{deep boolean  false} {pattern string What true}] []"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestOriginalWatch follows for longer than a thousand tasks last: those that have ended make room for others, and are told
// once. A principal has so many such streams, and leaves others for everybody else.
func TestOriginalWatch(t *testing.T) {
	t.Parallel()
	h := &house{t: t, dir: t.TempDir()}
	var now atomic.Int64
	now.Store(time.Now().UnixMilli())
	h.open(func(o *Options) { o.Now = func() time.Time { return time.UnixMilli(now.Load()) } })
	t.Cleanup(h.close)
	r := httptest.NewRequestWithContext(t.Context(), "GET", "/streaming/sse", nil)
	r.Header.Set("Authorization", "anna")
	w, err := h.door.newWatch(t.Context(), r, h.door.root)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		h.send("anna", "do it")
		told, err := w.look(t.Context())
		if err != nil || len(told) == 0 {
			t.Fatalf("told %q, %v", told, err)
		}
		now.Add(time.Minute.Milliseconds())
		if told, err := w.look(t.Context()); err != nil || len(told) != 0 {
			t.Errorf("told again: %q, %v", told, err)
		}
		if len(w.seen) != 0 {
			t.Errorf("%d are followed that have ended", len(w.seen))
		}
	}
	var kept watchers
	for range mostWatchBy {
		if err := kept.enter(watchedSSE, "anna"); err != nil {
			t.Fatal(err)
		}
	}
	if err := kept.enter(watchedSSE, "anna"); err == nil {
		t.Error("one principal may have more")
	}
	if err := errors.Join(kept.enter(watchedSSE, "bob"), kept.enter(watchedSocket, "anna")); err != nil {
		t.Error(err)
	}
	kept.leave(watchedSSE, "anna")
	if err := kept.enter(watchedSSE, "anna"); err != nil || kept.count(watchedSSE) != mostWatchBy+1 {
		t.Errorf("after one has ended: %v, %d", err, kept.count(watchedSSE))
	}
}
