package events

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var at = time.Date(2026, 11, 24, 10, 30, 0, 0, time.UTC)

// told is a recorded event, as it stands on record, and what is told of it.
type told struct {
	name, recorded, want string
	names                []string // beside its type
}

// TestTold has each kind of notification with the members that the original documents.
func TestTold(t *testing.T) {
	t.Parallel()
	for _, test := range []told{
		{
			"a tool starts",
			`{"type":"tool.started","session_id":"s","task_id":"task_123","call_id":"c","agent":"claude","door":"mcp",
			  "act":{"kind":"call","tool":"web_request","arguments":{"method":"GET","n":12345678901234567890}}}`,
			`{"event":"tool_execution","task_id":"task_123","timestamp":"2026-11-24T10:30:00Z","component":"bash_executor",
			  "data":{"tool_id":"web_request","status":"started","parameters":{"method":"GET","n":12345678901234567890},
			  "execution_context":"mcp","user_id":"claude","agent":"claude","session_id":"s","call_id":"c"}}`,
			[]string{"tool_execution", "tool_started", "tool_execution_started"},
		},
		{
			"and ends well",
			`{"type":"tool.ended","task_id":"task_123","call_id":"c","act":{"kind":"call","tool":"web_request"},
			  "outcome":{"status":"completed","exit_code":0,"ms":500,"output_length":512}}`,
			`{"event":"tool_execution","task_id":"task_123","timestamp":"2026-11-24T10:30:00Z","component":"bash_executor",
			  "data":{"tool_id":"web_request","status":"completed","execution_time":0.5,"return_code":0,"output_length":512,
			  "cached":false,"outcome":"completed","call_id":"c","user_id":""}}`,
			[]string{"tool_execution", "tool_completed", "tool_execution_completed"},
		},
		{
			"a kept result",
			`{"type":"tool.ended","call_id":"c","act":{"kind":"call","tool":"x"},
			  "outcome":{"status":"completed","exit_code":0,"output_length":5,"cached":true,"same_as":"b"}}`,
			`{"event":"tool_execution","task_id":"","timestamp":"2026-11-24T10:30:00Z","component":"bash_executor",
			  "data":{"tool_id":"x","status":"completed","execution_time":0,"return_code":0,"output_length":5,
			  "cached":true,"outcome":"completed","call_id":"c","user_id":""}}`,
			[]string{"tool_execution", "tool_completed", "cache_hit"},
		},
		{
			"it fails, and is tried again",
			`{"type":"tool.attempted","call_id":"c","act":{"kind":"call","tool":"x"},
			  "outcome":{"status":"failed","exit_code":3,"ms":5200,"attempt":2}}`,
			`{"event":"tool_execution","task_id":"","timestamp":"2026-11-24T10:30:00Z","component":"bash_executor",
			  "data":{"tool_id":"x","status":"failed","error":"exit code 3","execution_time":5.2,"retry_attempt":2,
			  "will_retry":true,"return_code":3,"outcome":"failed","call_id":"c","user_id":""}}`,
			[]string{"tool_execution", "tool_failed", "tool_execution_failed"},
		},
		{
			"it takes too long",
			`{"type":"tool.ended","call_id":"c","act":{"kind":"call","tool":"x"},
			  "outcome":{"status":"timeout","ms":30000,"error":"timeout: the call was ended"}}`,
			`{"event":"tool_execution","task_id":"","timestamp":"2026-11-24T10:30:00Z","component":"bash_executor",
			  "data":{"tool_id":"x","status":"failed","error":"timeout: the call was ended","execution_time":30,"retry_attempt":0,
			  "will_retry":false,"outcome":"timeout","call_id":"c","user_id":""}}`,
			[]string{"tool_failed"},
		},
		{
			"the caller gives up",
			`{"type":"tool.ended","act":{"kind":"call","tool":"x"},"outcome":{"status":"cancelled","signal":"SIGKILL"}}`,
			`{"event":"tool_execution","task_id":"","timestamp":"2026-11-24T10:30:00Z","component":"bash_executor",
			  "data":{"tool_id":"x","status":"failed","error":"ended by SIGKILL","execution_time":0,"retry_attempt":0,
			  "will_retry":false,"outcome":"cancelled","user_id":""}}`,
			[]string{"tool_cancelled", "tool_execution_failed"},
		},
		{
			"arguments that do not fit",
			`{"type":"tool.ended","act":{"kind":"call","tool":"x"},"outcome":{"status":"failed","error":"validation_error: n"}}`,
			`{"event":"tool_execution","task_id":"","timestamp":"2026-11-24T10:30:00Z","component":"bash_executor",
			  "data":{"tool_id":"x","status":"failed","error":"validation_error: n","execution_time":0,"retry_attempt":0,
			  "will_retry":false,"outcome":"failed","user_id":""}}`,
			[]string{"tool_failed", "parameter_validation_failed"},
		},
		{
			"a rule rejects it",
			`{"type":"tool.decided","act":{"kind":"call","tool":"x"},
			  "decision":{"result":"reject","source":"policy","rule":"no-x","at":"p.yaml:3","reason":"not here"}}`,
			`{"event":"tool_execution","task_id":"","timestamp":"2026-11-24T10:30:00Z","component":"bash_executor",
			  "data":{"tool_id":"x","status":"failed","error":"denied: not here","execution_time":0,"retry_attempt":0,
			  "will_retry":false,"outcome":"denied","user_id":"",
			  "policy_decision":{"type":"reject","source":"policy","policy_id":"no-x","at":"p.yaml:3","reason":"not here"}}}`,
			[]string{"tool_execution", "tool_failed"},
		},
		{
			"the editor has written for the agent",
			`{"type":"tool.ended","agent":"codex","act":{"kind":"write","paths":["a"]},"outcome":{"status":"completed","by":"editor"}}`,
			`{"event":"tool_execution","task_id":"","timestamp":"2026-11-24T10:30:00Z","component":"acp_bridge",
			  "data":{"tool_id":"write","status":"completed","execution_time":0,"output_length":0,"cached":false,
			  "outcome":"completed","carried_out_by":"editor","user_id":"codex","agent":"codex"}}`,
			[]string{"tool_completed"},
		},
		{
			"a tool's author wants somebody asked",
			`{"type":"approval.asked","call_id":"c","act":{"kind":"call","tool":"x","arguments":{"a":1}},
			  "decision":{"result":"ask","source":"tool","reason":"This cannot be undone."},"options":[{"id":"yes","name":"Allow","kind":"allow_once"}]}`,
			`{"event":"tool_confirmation_required","task_id":"","timestamp":"2026-11-24T10:30:00Z","component":"bash_executor",
			  "data":{"tool_id":"x","tool_name":"x","confirmation_message":"This cannot be undone.","parameters":{"a":1},
			  "permission_options":[{"optionId":"yes","name":"Allow","kind":"allow_once"}],"governor_summary":[],
			  "policy_decision":{"type":"ask","source":"tool","reason":"This cannot be undone."},
			  "tool_call":{"toolId":"x","kind":"call","parameters":{"a":1}},"call_id":"c","user_id":""}}`,
			[]string{"tool_confirmation_required", "tool_confirmation_requested", "task_input_required"},
		},
		{
			"an agent asks, and governors have looked",
			`{"type":"approval.asked","session_id":"s","tool_call_id":"t","act":{"kind":"write","title":"Write it","paths":["config/secrets.env"],"claimed":true},
			  "decision":{"result":"ask","source":"governor","rule":"diff","reason":"secrets"},
			  "governance":{"phase":"permission","answers":[{"governor":"diff","type":"script","status":"needs_attention","messages":["touches secrets.env"],"ms":1}]},
			  "options":[{"id":"approved","name":"Approve"},{"id":"abort","name":"Reject"}]}`,
			`{"event":"input_required","task_id":"","timestamp":"2026-11-24T10:30:00Z","component":"acp_bridge",
			  "data":{"prompt":"Write it","input_types":["text/plain"],"detection_method":"protocol_compliant",
			  "permission_options":[{"optionId":"approved","name":"Approve","kind":""},{"optionId":"abort","name":"Reject","kind":""}],
			  "governor_summary":["[diff] needs_attention: touches secrets.env"],
			  "policy_decision":{"type":"ask","source":"governor","policy_id":"diff","reason":"secrets"},
			  "tool_call":{"toolId":"write","toolCallId":"t","kind":"write","title":"Write it","path":"config/secrets.env","paths":["config/secrets.env"],"parameters":{}},
			  "session_id":"s","tool_call_id":"t","user_id":""}}`,
			[]string{"input_required", "task_input_required"},
		},
		{
			"a governor wants more",
			`{"type":"governors.asked","task_id":"t","governance":{"phase":"post_run","answers":[
			  {"governor":"code-reviewer","type":"http","status":"needs_attention","follow_up_prompt":"Please include tests.","ms":1}]}}`,
			`{"event":"task_governor_followup","task_id":"t","timestamp":"2026-11-24T10:30:00Z","component":"governor_manager",
			  "data":{"governor_id":"code-reviewer","prompt":"Please include tests.","iteration":0,"summary":["[code-reviewer] needs_attention"],"user_id":""}}`,
			[]string{"task_governor_followup"},
		},
		{
			"a governor withholds",
			`{"type":"governors.asked","governance":{"phase":"post_run","answers":[
			  {"governor":"compliance","type":"script","status":"reject","messages":["internal keys"],"ms":1}]}}`,
			`{"event":"task_feedback_required","task_id":"","timestamp":"2026-11-24T10:30:00Z","component":"governor_manager",
			  "data":{"governor_id":"compliance","message":"governor compliance withheld the output: internal keys",
			  "summary":["[compliance] reject: internal keys"],"user_id":""}}`,
			[]string{"task_feedback_required"},
		},
		{
			"a task in another state",
			`{"type":"task.status_changed","task_id":"t","context_id":"x","progress":{"before":"working","state":"completed","text":"Done"}}`,
			`{"event":"status_change","task_id":"t","timestamp":"2026-11-24T10:30:00Z","component":"task_manager",
			  "data":{"old_state":"working","new_state":"completed","message":"Done","context_id":"x","user_id":""}}`,
			[]string{"status_change", "task_status_change", "task_completed"},
		},
		{
			"a task waits for its client",
			`{"type":"task.status_changed","task_id":"t","progress":{"before":"working","state":"input-required","text":"Which one?"}}`,
			`{"event":"input_required","task_id":"t","timestamp":"2026-11-24T10:30:00Z","component":"task_manager",
			  "data":{"old_state":"working","new_state":"input-required","message":"Which one?","prompt":"Which one?",
			  "input_types":["text/plain"],"detection_method":"protocol_compliant","user_id":""}}`,
			[]string{"input_required", "status_change"},
		},
		{
			"an agent says something",
			`{"type":"task.message","task_id":"t","progress":{"role":"agent","text":"Analysis complete"}}`,
			`{"event":"message","task_id":"t","timestamp":"2026-11-24T10:30:00Z","component":"task_manager",
			  "data":{"message_role":"assistant","message_content":"Analysis complete","message_type":"agent_response","user_id":""}}`,
			[]string{"message", "task_message"},
		},
		{
			"a task brings something forth",
			`{"type":"task.artifact","task_id":"t","progress":{"artifact":"a1","name":"report.pdf","media_type":"application/pdf","bytes":1024}}`,
			`{"event":"artifact","task_id":"t","timestamp":"2026-11-24T10:30:00Z","component":"task_manager",
			  "data":{"artifact_type":"application/pdf","artifact_name":"report.pdf","artifact_size":1024,"artifact_id":"a1","detection_text":"","user_id":""}}`,
			[]string{"artifact", "task_artifact"},
		},
		{
			"a client that is let in",
			`{"type":"client.accepted","client":{"by":"api_key","address":"192.168.1.100","user_agent":"A2A-Client/1.0"}}`,
			`{"event":"authentication","task_id":"","timestamp":"2026-11-24T10:30:00Z","component":"server",
			  "data":{"type":"api_key","status":"success","client_ip":"192.168.1.100","user_agent":"A2A-Client/1.0","user_id":""}}`,
			[]string{"authentication"},
		},
		{
			"anything else",
			`{"type":"tool.violated","session_id":"s","agent":"x","act":{"kind":"execute","shell":"rm","claimed":true},"detail":"it was refused"}`,
			`{"event":"security_audit","task_id":"","timestamp":"2026-11-24T10:30:00Z","component":"acp_bridge",
			  "data":{"event_type":"security_violation","severity":"critical","user_id":"x","agent":"x","session_id":"s","tool_id":"execute",
			  "details":{"type":"tool.violated","act":{"kind":"execute","shell":"rm","claimed":true},"detail":"it was refused"}}}`,
			[]string{"security_audit", "security_violation"},
		},
		{
			"a type without a row",
			`{"type":"trust.given","detail":"/w, by me"}`,
			`{"event":"security_audit","task_id":"","timestamp":"2026-11-24T10:30:00Z","component":"audit",
			  "data":{"event_type":"trust.given","severity":"info","user_id":"","session_id":"","tool_id":"",
			  "details":{"type":"trust.given","detail":"/w, by me"}}}`,
			[]string{"security_audit"},
		},
		{
			"a circuit opens", // of seed 002
			`{"type":"circuit.changed","circuit":{"tool":"flaky","state":"open","before":"closed","until":"2026-11-24T10:31:00Z",
			  "failures":5,"threshold":5,"last_failure":"2026-11-24T10:30:00Z"}}`,
			`{"specversion":"1.0","id":"0190","source":"a2a-acp","type":"circuit_breaker.opened.v1","subject":"flaky",
			  "time":"2026-11-24T10:30:00Z","datacontenttype":"application/json","sequence":"7",
			  "data":{"circuit_id":"flaky","circuit_type":"tool_execution","source_id":"flaky","state":"open","previous_state":"closed",
			  "failure_count":5,"failure_threshold":5,"last_failure_time":"2026-11-24T10:30:00Z","reason":"failure_threshold_reached",
			  "open_until":"2026-11-24T10:31:00Z"}}`,
			[]string{"circuit_breaker", "circuit_breaker_opened"},
		},
		{
			"a circuit is tried",
			`{"type":"circuit.changed","circuit":{"tool":"flaky","state":"half-open","before":"open","recovery":60,"opened":"2026-11-24T10:29:00Z"}}`,
			`{"specversion":"1.0","id":"0190","source":"a2a-acp","type":"circuit_breaker.half_opened.v1","subject":"flaky",
			  "time":"2026-11-24T10:30:00Z","datacontenttype":"application/json","sequence":"7",
			  "data":{"circuit_id":"flaky","circuit_type":"tool_execution","source_id":"flaky","state":"half-open","previous_state":"open",
			  "recovery_timeout":60,"opened_at":"2026-11-24T10:29:00Z","reason":"recovery_timeout_elapsed"}}`,
			[]string{"circuit_breaker", "circuit_breaker_half_opened"},
		},
		{
			"a circuit closes",
			`{"type":"circuit.changed","circuit":{"tool":"flaky","state":"closed","before":"half-open"}}`,
			`{"specversion":"1.0","id":"0190","source":"a2a-acp","type":"circuit_breaker.closed.v1","subject":"flaky",
			  "time":"2026-11-24T10:30:00Z","datacontenttype":"application/json","sequence":"7",
			  "data":{"circuit_id":"flaky","circuit_type":"tool_execution","source_id":"flaky","state":"closed","previous_state":"half-open",
			  "reason":"test_call_succeeded","closed_at":"2026-11-24T10:30:00Z","was_manual":false,"closed_by":null}}`,
			[]string{"circuit_breaker", "circuit_breaker_closed"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := recorded(t, test.recorded)
			if diff := cmp.Diff(object(t, []byte(test.want)), object(t, encoded(t, r.Told()))); diff != "" {
				t.Errorf("told (-want +got):\n%s", diff)
			}
			cloud := object(t, encoded(t, r.CloudEvent()))
			if cloud["specversion"] != "1.0" || cloud["id"] != "0190" || cloud["source"] == "" || cloud["type"] == "" {
				t.Errorf("no CloudEvent: %v", cloud)
			}
			for _, name := range append(test.names, string(r.Type)) {
				types, known := Named(name)
				if !r.Is(name) || !known || !slices.Contains(types, r.Type) {
					t.Errorf("it is no %s (%v)", name, types)
				}
			}
		})
	}
}

func recorded(t *testing.T, line string) Recorded {
	t.Helper()
	r := Recorded{Seq: 7, ID: "0190"}
	dec := json.NewDecoder(strings.NewReader(line))
	dec.UseNumber()
	if err := dec.Decode(&r.Event); err != nil {
		t.Fatal(err)
	}
	r.Time = at
	return r
}

func encoded(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func object(t *testing.T, text []byte) map[string]any {
	t.Helper()
	var out map[string]any
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&out); err != nil {
		t.Fatal(err)
	}
	if data, ok := out["data"].(map[string]any); ok { // when it was is told above
		if inner, ok := data["details"].(map[string]any); ok {
			delete(inner, "time")
		}
	}
	return out
}

// TestEveryType has each type of event among all of them, and something to tell of each, however little it says.
func TestEveryType(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "event.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	constants := 0
	ast.Inspect(file, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok {
			if name, ok := v.Type.(*ast.Ident); ok && name.Name == "Type" {
				constants += len(v.Names)
			}
		}
		return true
	})
	if constants != len(all) || len(all) < 30 {
		t.Errorf("there are %d types, and %d among all of them", constants, len(all))
	}
	for _, kind := range all {
		for _, e := range []Event{{Type: kind}, {Type: kind, Act: &Act{}, Decision: &Decision{}, Outcome: &Outcome{}, Progress: &Progress{}, Circuit: &Circuit{}}} {
			r := Recorded{Seq: 1, ID: "x", Event: e}
			if r.Told() == nil || !r.Is(string(kind)) {
				t.Errorf("%s: nothing is told", kind)
			}
			encoded(t, r.Told())
			encoded(t, r.CloudEvent())
		}
	}
}

// TestNames has no name in a filter that finds nothing for another reason than that nothing has it.
func TestNames(t *testing.T) {
	t.Parallel()
	for _, name := range Names() {
		types, known := Named(name)
		if !known || len(types) == 0 && !slices.Contains(silent, name) {
			t.Errorf("%s: %v, known %v", name, types, known)
		}
	}
	for _, name := range []string{ // of the original: what it emits, its audit, its push notifications, its documents
		"tool_started", "tool_completed", "tool_failed", "tool_cancelled", "tool_confirmation_required",
		"tool_execution_started", "tool_execution_completed", "tool_execution_failed", "tool_confirmation_requested",
		"tool_confirmation_approved", "tool_confirmation_denied", "security_violation", "parameter_validation_failed", "cache_hit",
		"cache_miss", "rate_limit_exceeded", "circuit_breaker_opened", "circuit_breaker_closed", "oauth_login_started",
		"oauth_login_success", "oauth_login_failed", "oauth_refresh_success", "oauth_token_removed",
		"task_status_change", "task_message", "task_artifact", "task_input_required", "task_completed", "task_failed",
		"task_governor_followup", "task_feedback_required", "status_change", "message", "input_required", "artifact",
		"tool_execution", "authentication", "security_audit",
	} {
		if _, known := Named(name); !known {
			t.Errorf("%s is not known", name)
		}
	}
	if _, known := Named("tool_stopped"); known {
		t.Error("a name that nobody has is known")
	}
}
