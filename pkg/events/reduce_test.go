package events

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestReduce says of every text of an event whether it stays where nothing is to stand on record of what an act is
// about. A field that is added later is to be added here.
func TestReduce(t *testing.T) {
	t.Parallel()
	event := Event{Type: ToolEnded}
	fill(reflect.ValueOf(&event).Elem())
	event.Reduce(tool.AuditMetadata)
	text, err := json.Marshal(event)
	if err != nil {
		t.Fatal(err)
	}
	var members map[string]any
	if err := json.Unmarshal(text, &members); err != nil {
		t.Fatal(err)
	}
	var got []string
	findTexts("", members, &got)
	slices.Sort(got)
	want := strings.Fields(`
		act.dir act.given.canary act.kind act.mode act.tool act.tools act.workspace
		agent asked_by_call_id call_id context_id door principal session_id task_id tool_call_id
		trace_id span_id parent_span_id
		circuit.before circuit.source circuit.state circuit.tool
		decision.approver decision.at decision.environment.canary decision.option_id decision.policy_sha256
		decision.result decision.rule decision.sandbox decision.source
		governance.answers.at governance.answers.counts_as governance.answers.governor governance.answers.option_id
		governance.answers.status governance.answers.type governance.phase
		outcome.by outcome.error outcome.limits_hit outcome.same_as outcome.sandbox_level outcome.signal outcome.status
		options.id options.kind options.name
		client.address client.by client.error client.user_agent
		command coverage.canary damage.file damage.kind damage.message detail files.layer files.path files.sha256
		progress.artifact progress.before progress.media_type progress.name progress.role progress.state progress.text`)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what stays (-want +got):\n%s", diff)
	}
	if event.Act.Level != tool.AuditMetadata {
		t.Error("it does not say that something is left out")
	}

	// The reason of a person is his own. Other levels take nothing out, and nobody else's event is changed.
	decided := &Decision{DecisionSummary: tool.DecisionSummary{Source: "person", Reason: "not today"}}
	original := Event{Type: ToolDecided, Decision: decided, Act: &Act{Shell: "x"}, Outcome: &Outcome{Error: "validation_error: n is 12"},
		Options: []Option{{Name: "In this session, allow x", Kind: "allow_always"}}}
	for level, want := range map[tool.AuditLevel]string{tool.AuditMetadata: "not today  validation_error", tool.AuditParams: "not today x validation_error: n is 12",
		tool.AuditFull: "not today x validation_error: n is 12", "": "not today x validation_error: n is 12"} {
		e := original
		e.Reduce(level)
		if got := fmt.Sprint(e.Decision.Reason, " ", e.Act.Shell, " ", e.Outcome.Error); got != want {
			t.Errorf("%s: %q, want %q", level, got, want)
		}
	}
	if original.Act.Shell != "x" || original.Options[0].Name == "allow_always" || original.Outcome.Error != "validation_error: n is 12" {
		t.Error("the event of somebody else was changed")
	}
}

// fill puts a text into every field that takes one.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	case reflect.String:
		if v.IsZero() {
			v.SetString("canary")
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		element := reflect.New(v.Type().Elem()).Elem()
		fill(element)
		v.SetMapIndex(reflect.ValueOf("canary").Convert(v.Type().Key()), element)
	case reflect.Interface:
		v.Set(reflect.ValueOf("canary"))
	}
}

// findTexts lists where the text stands.
func findTexts(at string, value any, found *[]string) {
	switch v := value.(type) {
	case string:
		if strings.Contains(v, "canary") && !slices.Contains(*found, at) {
			*found = append(*found, at)
		}
	case []any:
		for _, item := range v {
			findTexts(at, item, found)
		}
	case map[string]any:
		for name, item := range v {
			findTexts(strings.TrimPrefix(at+"."+name, "."), item, found)
		}
	}
}
