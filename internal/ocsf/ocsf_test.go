package ocsf

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// samples are events as they stand on record, and what matters of them in the schema's words.
var samples = []struct {
	name, recorded, want string
}{
	{
		"a tool starts",
		`{"type":"tool.started","call_id":"c","agent":"claude","session_id":"s","principal":"ci","door":"mcp",
		  "act":{"kind":"call","tool":"x","title":"call x","arguments":{"n":1}}}`,
		`{"class_uid":1007,"activity_id":1,"type_uid":100701,"severity_id":1,"status_id":1,"message":"tool.started: call x",
		  "actor":{"app_name":"claude","session":{"uid":"s"},"user":{"name":"ci"}},
		  "device":{"type_id":0,"hostname":"here"},"process":{"uid":"c","name":"x"}}`,
	},
	{
		"and fails at the second attempt",
		`{"type":"tool.ended","call_id":"c","act":{"kind":"call","tool":"x"},
		  "outcome":{"status":"failed","exit_code":3,"ms":1500,"attempt":2,"error":"it is not there"}}`,
		`{"class_uid":1007,"activity_id":2,"type_uid":100702,"severity_id":1,"status_id":2,"status_code":"failed","exit_code":3,
		  "status_detail":"it is not there","duration":1500,"process":{"uid":"c#2","name":"x"}}`,
	},
	{
		"a kept result starts nothing",
		`{"type":"tool.ended","call_id":"c","act":{"kind":"call","tool":"x"},"outcome":{"status":"completed","exit_code":0,"cached":true}}`,
		`{"class_uid":6003,"activity_id":99,"activity_name":"tool.ended","api":{"operation":"x","request":{"uid":"c"},"response":{"code":0}}}`,
	},
	{
		"a rule rejects it",
		`{"type":"tool.decided","call_id":"c","door":"editor","trace_id":"0af7651916cd43dd8448eb211c80319c","span_id":"b7ad6b7169203331",
		  "act":{"kind":"write","title":"write a","paths":["/a"]},
		  "decision":{"result":"reject","source":"rule","rule":"no-writes","reason":"not here","policy_sha256":"ab"}}`,
		`{"class_uid":6003,"activity_id":3,"activity_name":"Update","type_uid":600303,"severity_id":3,"status_id":2,
		  "status_detail":"not here","action_id":2,"disposition_id":2,"policy":{"name":"no-writes","uid":"ab"},
		  "api":{"operation":"write","request":{"uid":"c"}},"src_endpoint":{"svc_name":"editor"},
		  "trace":{"uid":"0af7651916cd43dd8448eb211c80319c"}}`,
	},
	{
		"an agent does it all the same",
		`{"type":"tool.violated","tool_call_id":"t","act":{"kind":"read","paths":["/a"]},
		  "decision":{"result":"reject","source":"rule","rule":"no"}}`,
		`{"class_uid":6003,"activity_id":2,"severity_id":5,"action_id":3,"disposition_id":15,"is_alert":true,
		  "api":{"operation":"read","request":{"uid":"t"}}}`,
	},
	{
		"somebody is not let in",
		`{"type":"client.refused","client":{"by":"token","address":"[::ffff:192.0.2.1%eth0]:5000","error":"wrong token"}}`,
		`{"class_uid":6003,"activity_id":99,"severity_id":3,"status_id":2,"status_detail":"wrong token",
		  "api":{"operation":"client.refused"},"src_endpoint":{"svc_name":"a2a-acp","ip":"192.0.2.1"}}`,
	},
	{
		"a task begins",
		`{"type":"task.created","task_id":"k","progress":{"state":"submitted"}}`,
		`{"activity_id":1,"type_uid":600301,"api":{"operation":"task.created","request":{"uid":"k"}},
		  "unmapped":{"task_id":"k","progress":{"state":"submitted"}}}`,
	},
}

func TestOf(t *testing.T) {
	t.Parallel()
	for _, test := range samples {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var got, want map[string]any
			decode(t, encoded(t, Of(recorded(t, test.recorded), "here")), &got)
			decode(t, []byte(test.want), &want)
			maps.DeleteFunc(got, func(name string, _ any) bool { _, wanted := want[name]; return !wanted })
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestRequired has what the schema requires of every event, and of its class, as far as that is known without it.
func TestRequired(t *testing.T) {
	t.Parallel()
	for _, r := range everything(t) {
		var got map[string]any
		decode(t, encoded(t, Of(r, "")), &got)
		want := []string{"activity_id", "category_uid", "class_uid", "metadata", "severity_id", "time", "type_uid", "actor", "api",
			"src_endpoint"}
		if got["class_uid"] == 1007.0 {
			want = append(want[:8], "device", "process")
		}
		for _, name := range want {
			if got[name] == nil || got[name] == 0.0 {
				t.Errorf("%s: %s is %v", r.Type, name, got[name])
			}
		}
	}
}

// TestSchema holds events of all types, with and without what may stand in them, against the published schema.
func TestSchema(t *testing.T) {
	t.Parallel()
	s := openSchema(t)
	for _, r := range everything(t) {
		t.Run(string(r.Type), func(t *testing.T) { s.check(t, encoded(t, Of(r, "here"))) })
	}
}

// everything are the samples and events of all types.
func everything(t *testing.T) []events.Recorded {
	t.Helper()
	var list []events.Recorded
	for _, test := range samples {
		list = append(list, recorded(t, test.recorded))
	}
	code := 1
	for _, name := range events.Names() {
		kind := events.Type(name)
		if types, _ := events.Named(name); !slices.Contains(types, kind) {
			continue
		}
		full := events.Event{Type: kind, Time: recordedAt, Session: "s", Task: "k", Context: "x", CallID: "c", ToolCall: "t", Agent: "a",
			Door: "mcp", Principal: "p", TraceID: "0af7651916cd43dd8448eb211c80319c", Detail: "why",
			Act:      &events.Act{Kind: "call", Tool: "x", Arguments: map[string]any{"a": []any{1, nil}}},
			Decision: &events.Decision{}, Outcome: &events.Outcome{ExitCode: &code, Error: "io: no", Attempt: 2},
			Progress: &events.Progress{}, Client: &events.Client{Address: "192.0.2.1"}, Circuit: &events.Circuit{}}
		list = append(list, events.Recorded{Seq: 1, ID: "i", Event: events.Event{Type: kind, Time: recordedAt}},
			events.Recorded{Seq: 2, ID: "j", Event: full})
	}
	if len(list) < 2*30 {
		t.Fatalf("only %d events", len(list))
	}
	return list
}

var recordedAt = time.Date(2026, 11, 24, 10, 30, 0, 0, time.UTC)

func recorded(t *testing.T, text string) events.Recorded {
	t.Helper()
	r := events.Recorded{Seq: 7, ID: "i"}
	decode(t, []byte(text), &r.Event)
	r.Time = recordedAt
	return r
}

func decode(t *testing.T, data []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

func encoded(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
