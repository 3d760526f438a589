package a2a

import (
	"encoding/json"
	"strings"
	"testing"

	wire "github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/a2a-acp/a2a-acp/internal/agentclient"
)

func artifactOf(id string, parts ...*wire.Part) *wire.TaskArtifactUpdateEvent {
	return &wire.TaskArtifactUpdateEvent{Artifact: &wire.Artifact{ID: wire.ArtifactID(id), Parts: parts}}
}

// TestDevelop tells each event in the words of the development-tool extension.
func TestDevelop(t *testing.T) {
	t.Parallel()
	working := func(m *wire.Message, metadata map[string]any) *wire.TaskStatusUpdateEvent {
		return &wire.TaskStatusUpdateEvent{Status: wire.TaskStatus{State: wire.TaskStateWorking, Message: m}, Metadata: metadata}
	}
	call := func(status string) *wire.Message {
		return callMessage(callDataOf(&agentclient.ToolCall{ID: "c1", Title: "Run make", Name: "shell", Kind: "execute", Status: status,
			Input: json.RawMessage(`{"command":"make"}`)}))
	}
	result := func(text string) *wire.Part {
		var data any
		if err := json.Unmarshal([]byte(text), &data); err != nil {
			t.Fatal(err)
		}
		return wire.NewDataPart(data)
	}
	question := questionMessage("gemini", &agentclient.Question{ID: "q1", Title: "Run?", Text: "make"},
		[]choice{{"allow_once", "Allow", "allow_once"}})
	for name, test := range map[string]struct {
		event wire.Event
		want  []string
	}{
		"a state":       {working(nil, nil), []string{`"kind":"state_change"`, `"state":"working"`}},
		"pending":       {working(call("pending"), nil), []string{`"kind":"tool_call_update"`, `"status":"pending"`}},
		"executing":     {working(call("in_progress"), nil), []string{`"tool_call_id":"c1"`, `"status":"executing"`, `"input_parameters":{"command":"make"}`}},
		"succeeded":     {working(call("completed"), nil), []string{`"status":"succeeded"`, `"tool_name":"shell"`}},
		"failed":        {working(call("failed"), nil), []string{`"status":"failed"`}},
		"cancelled":     {working(call("cancelled"), nil), []string{`"status":"cancelled"`}},
		"a question":    {working(question, nil), []string{`"confirmation_request":{`, `"options":[{"description":"allow_once","id":"allow_once","name":"Allow"}]`, `"status":"pending"`}},
		"an answer":     {working(nil, map[string]any{questionKey("q1"): map[string]any{"allowed": true}}), []string{`"kind":"tool_call_confirmation"`, `"tool_call_id":"q1"`, `"allowed":true`}},
		"a call's":      {working(nil, map[string]any{answeredKey("c1"): true}), []string{`"kind":"tool_call_confirmation"`, `"tool_call_id":"c1"`}},
		"a text":        {artifactOf("response", wire.NewTextPart("Hello")), []string{`"kind":"text_content"`, `"content":"Hello"`}},
		"a thought":     {artifactOf("thought", wire.NewTextPart("Hm")), []string{`"kind":"thought"`, `"content":"Hm"`}},
		"a result":      {artifactOf("c1", result(`{"type":"tool_result","tool_id":"t","status":"completed","exitCode":0,"stdout":"out"}`)), []string{`"kind":"tool_call_update"`, `"status":"succeeded"`, `"content":"out"`}},
		"a failure":     {artifactOf("c1", result(`{"type":"tool_result","tool_id":"t","status":"failed","exitCode":3,"stderr":"no"}`)), []string{`"status":"failed"`, `"message":"exit code 3"`, `"stderr":"no"`}},
		"a rule's no":   {artifactOf("c1", result(`{"type":"tool_result","tool_id":"t","status":"denied","exitCode":-1,"error":{"code":"denied","message":"no"},"metadata":{"decision":{"result":"reject","source":"policy","rule":"r1"}}}`)), []string{`"kind":"governance_event"`, `"rule":"r1"`, `"decision":"reject"`}},
		"a person's no": {artifactOf("c1", result(`{"type":"tool_result","tool_id":"t","status":"denied","exitCode":-1,"metadata":{"decision":{"result":"reject","source":"person"}}}`)), []string{`"kind":"tool_call_update"`, `"status":"failed"`}},
		"a lie":         {artifactOf("c1", result(`{"type":"tool_result","exitCode":"x"}`)), []string{`"status":"failed"`}},
	} {
		develop(test.event)
		metadata := map[string]any{}
		switch event := test.event.(type) {
		case *wire.TaskStatusUpdateEvent:
			metadata = event.Metadata
		case *wire.TaskArtifactUpdateEvent:
			metadata = event.Metadata
		}
		encoded, err := json.Marshal(metadata[DevelopmentExtension])
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range test.want {
			if !strings.Contains(string(encoded), want) {
				t.Errorf("%s: %s; want %s", name, encoded, want)
			}
		}
	}
}

// TestDevelopmentExtension tells it to tasks that began with it, also after a restart, and to no others.
func TestDevelopmentExtension(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	result, failure := h.rpc("anna", "SendMessage", message("ask", ""), "A2A-Extensions", DevelopmentExtension)
	if failure != nil {
		t.Fatal(failure)
	}
	task, _ := result["task"].(map[string]any)
	id, _ := task["id"].(string)
	tells := func(id string) bool {
		got, failure := h.rpc("anna", "GetTask", `{"id":"`+id+`"}`)
		if failure != nil {
			t.Fatal(failure)
		}
		metadata, _ := got["metadata"].(map[string]any)
		return metadata[DevelopmentExtension] != nil
	}
	if !tells(id) {
		t.Error("a task that began with the extension does not tell it")
	}
	h.close()
	h.open(func(*Options) {})
	if _, failure := h.rpc("anna", "SendMessage", message("this", `,"taskId":"`+id+`"`)); failure != nil {
		t.Fatal(failure)
	}
	got, _ := h.rpc("anna", "GetTask", `{"id":"`+id+`"}`)
	if encoded, _ := json.Marshal(got["metadata"]); !strings.Contains(string(encoded), `"state":"completed"`) {
		t.Errorf("after a restart it tells %s", encoded)
	}
	plain, _ := h.send("anna", "ask")["id"].(string)
	if tells(plain) {
		t.Error("a task that began without the extension tells it")
	}
}
