package audit

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestGovernors checks the history of a session and of a task: what was decided, by whom, which governors
// had a say, and what still waits.
func TestGovernors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir() + "/audit"
	log, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	n := 0
	record := func(e events.Event) {
		e.Time = start.Add(time.Duration(n) * time.Second)
		n++
		if err := log.Record(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	decision := func(result, source, rule, option string) *events.Decision {
		return &events.Decision{DecisionSummary: tool.DecisionSummary{Result: result, Source: source, Rule: rule, Reason: "why"}, Option: option}
	}
	said := func(phase string, answers ...tool.GovernorAnswer) *tool.Governance {
		return &tool.Governance{Phase: phase, InputSHA256: "h", Answers: answers}
	}
	act := &events.Act{Kind: "call", Tool: "note"}
	record(events.Event{Type: events.GovernorsAsked, Session: "s1", Task: "t1", CallID: "c1", Governance: said("permission",
		tool.GovernorAnswer{Governor: "guard", Status: "reject", Messages: []string{"no", "never"}, FollowUp: "ask first", Millis: 3},
		tool.GovernorAnswer{Governor: "slow", Status: "timeout", CountsAs: "ask", Error: "its time was up"})})
	record(events.Event{Type: events.ToolDecided, Session: "s1", Task: "t1", CallID: "c1", Act: act, Decision: decision("reject", "governor", "guard", "")})
	record(events.Event{Type: events.ToolDecided, Session: "s1", CallID: "c2", ToolCall: "a2", Act: act, Decision: decision("approve", "policy", "r1", "yes")})
	record(events.Event{Type: events.GovernorsAsked, Session: "s1", CallID: "c2", Governance: said("post_run", tool.GovernorAnswer{Governor: "clean", Status: "approve", Redacted: 1})})
	record(events.Event{Type: events.ApprovalAsked, Session: "s1", CallID: "c3", Decision: decision("ask", "default", "", "")})
	record(events.Event{Type: events.ApprovalAsked, Session: "s2", CallID: "c4", Decision: decision("ask", "default", "", "")})
	record(events.Event{Type: events.ToolDecided, Session: "s2", CallID: "c4", Act: act, Decision: decision("approve", "person", "", "")})
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}

	h, err := historyOf(dir, Filter{Session: "s1"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range h.PermissionDecisions {
		encoded, _ := json.Marshal(d.Governors)
		got = append(got, d.CallID+" "+d.Result+" "+d.Source+" "+d.OptionID+" "+string(encoded))
	}
	for _, p := range h.PendingPermissions {
		got = append(got, "pending "+p.CallID+" "+p.Source)
	}
	for _, f := range h.GovernorFeedback {
		got = append(got, append([]string{f.Phase + " " + f.CallID}, f.Summary...)...)
	}
	want := []string{
		`c1 reject governor:guard  ["guard","slow"]`, `c2 approve policy:r1 yes []`, "pending c3 default",
		"permission c1", "[guard] reject: no; never", "[slow] timeout (counts as ask): its time was up", "post_run c2", "[clean] approve",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if r := h.GovernorFeedback[0].Results[0]; r.GovernorID != "guard" || r.FollowUpPrompt != "ask first" || r.LatencyMS != 3 || len(r.Messages) != 2 {
		t.Errorf("got %+v", r)
	}

	h, err = historyOf(dir, Filter{Task: "t1"})
	if err != nil || len(h.PermissionDecisions) != 1 || h.PermissionDecisions[0].TaskID != "t1" || len(h.PendingPermissions) != 0 || len(h.GovernorFeedback) != 1 {
		t.Errorf("of the task: got %+v, %v", h, err)
	}
	h, err = historyOf(dir, Filter{Session: "nothing"})
	encoded, _ := json.Marshal(h)
	if want := `{"permissionDecisions":[],"pendingPermissions":[],"governorFeedback":[]}`; err != nil || string(encoded) != want {
		t.Errorf("of nothing: got %s, %v", encoded, err)
	}
}

// TestLongGovernance checks that what governors say cannot make an event too long for a line.
func TestLongGovernance(t *testing.T) {
	t.Parallel()
	e := events.Event{Type: events.GovernorsAsked, CallID: "c", Governance: &tool.Governance{Phase: "permission"}}
	long := string(make([]byte, 100_000)) // which JSON writes as six characters each
	for range 40 {
		e.Governance.Answers = append(e.Governance.Answers, tool.GovernorAnswer{Governor: long, Type: long, Status: long, CountsAs: long, Error: long, Messages: []string{long}})
	}
	body, err := encodeEvent(e, nil)
	if err != nil || len(body) > longestLine-envelopeSize {
		t.Fatalf("got %d bytes, %v", len(body), err)
	}
	var kept events.Event
	if err := json.Unmarshal(body, &kept); err != nil || kept.Governance == nil || len(kept.Governance.Answers) == 0 {
		t.Errorf("got %+v, %v", kept.Governance, err)
	}
}

// historyOf reads the record in dir for what fits.
func historyOf(dir string, f Filter) (GovernorHistory, error) {
	entries, err := List(dir, f)
	return HistoryOf(ByAct(entries)), err
}
