package gate

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/internal/shellscan"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

func masked(text string) string { return strings.ReplaceAll(text, "hunter2", "[secret]") }

// TestDecisionEvent checks that all of a decision stands on record, and of the rules those that matched.
func TestDecisionEvent(t *testing.T) {
	t.Parallel()
	switched := permissions.Obligation{Environment: []permissions.Variable{{Name: "GIT_PAGER", Value: "cat"}}, Why: "git runs no pager"}
	d := permissions.Decision{
		Verdict: permissions.Approve, Source: permissions.SourcePolicy, Rule: "r", At: "p:1", Reason: "because", Policy: "hash", Approver: "maria",
		Obligation: switched,
		Reasons:    []permissions.Reason{{Rule: "q", Why: "another path"}, {Rule: "r", Matched: true, Why: "it is a note"}},
	}
	want := &events.Decision{
		DecisionSummary: tool.DecisionSummary{Result: "approve", Source: "policy", Rule: "r", At: "p:1", Reason: "because", Approver: "maria"},
		Option:          "once", Reasons: []string{"r: it is a note"}, PolicySHA256: "hash", Environment: map[string]string{"GIT_PAGER": "cat"},
	}
	if diff := cmp.Diff(want, DecisionEvent(d, "once")); diff != "" {
		t.Errorf("an approval (-want +got):\n%s", diff)
	}
	d.Verdict = permissions.Reject
	if got := DecisionEvent(d, ""); got.Environment != nil {
		t.Errorf("a rejection sets %v", got.Environment)
	}
	d.Verdict, d.Obligation = permissions.Approve, permissions.Obligation{}
	if got := DecisionEvent(d, ""); got.Environment != nil {
		t.Errorf("an approval without an obligation sets %v", got.Environment)
	}
}

// TestActEvent checks that the record of a decision holds what is needed to decide again, the other events
// name the act, and none of them holds a secret.
func TestActEvent(t *testing.T) {
	t.Parallel()
	request := permissions.Request{
		Action: permissions.ActionExecute, Tools: []string{"functions.shell", "acp.execute"}, ShellText: "ls hunter2", Argv: []string{"ls", "hunter2"},
		Paths: []permissions.Path{{Name: "hunter2.md"}}, Shell: &shellscan.Script{Commands: []shellscan.Command{{Name: "ls-hunter2"}}},
		Workspace: tool.Workspace{Root: "/w"}, Dir: "/w/hunter2", Env: []string{"A"}, Mode: "code", Headless: true, Confined: true, TakesObligations: true,
		Doubts: []string{"hunter2 is odd"}, ReadOnly: true, Destructive: true, RequiresConfirmation: true,
	}
	request.Secret, request.Arguments = map[string]bool{"b": true}, map[string]any{"a": []any{"1 hunter2"}, "b": "hunter2"}
	arguments := map[string]any{"a": []any{"1 [secret]"}, "b": "[secret]"}
	want := &events.Act{
		Kind: "execute", Tool: "functions.shell", Shell: "ls [secret]", Arguments: arguments, Paths: []string{"[secret].md"}, Commands: []string{"ls-[secret]"},
	}
	if diff := cmp.Diff(want, ActEvent(events.ApprovalAsked, request, nil, masked)); diff != "" {
		t.Errorf("a question (-want +got):\n%s", diff)
	}
	want.Tools, want.Argv, want.Dir, want.Workspace, want.Env = []string{"acp.execute"}, []string{"ls", "[secret]"}, "/w/[secret]", []string{"/w"}, []string{"A"}
	want.Mode, want.Headless, want.Confined, want.Obliging, want.Doubts = "code", true, true, true, []string{"[secret] is odd"}
	want.ReadOnly, want.Destructive, want.Confirm = true, true, true
	if diff := cmp.Diff(want, ActEvent(events.ToolDecided, request, nil, masked)); diff != "" {
		t.Errorf("a decision (-want +got):\n%s", diff)
	}
	request.Shell = nil
	if got := ActEvent(events.ToolDecided, request, nil, masked); got.Commands != nil {
		t.Errorf("an act without a command runs %q", got.Commands)
	}
}

// TestLater checks that a later event names the act and does not repeat what stands in the record of its
// decision.
func TestLater(t *testing.T) {
	t.Parallel()
	named := events.Act{
		Kind: "call", Tool: "note", Title: "a note", Paths: []string{"a.md"}, Commands: []string{"ls"}, Digest: "d", Claimed: true,
	}
	full := named
	full.Arguments, full.Shell, full.Dir, full.Env = map[string]any{"text": "long"}, "ls", "/w", []string{"A"}
	got := Later(events.Event{Type: events.GovernorsAsked, Session: "s", Act: &full})
	if diff := cmp.Diff(events.Event{Type: events.GovernorsAsked, Session: "s", Act: &named}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestMaskGovernance checks that no secret which a governor repeats stands on record, in whichever member,
// and that what it said is left as it is for those who go on with it.
func TestMaskGovernance(t *testing.T) {
	t.Parallel()
	said := tool.Governance{Phase: tool.PhasePermission, InputSHA256: "i", Answers: []tool.GovernorAnswer{
		{Governor: "g", Messages: []string{"hunter2", "fine"}, FollowUp: "use hunter2", Metadata: `{"a":"hunter2"}`, Error: "hunter2: no such file"},
		{Governor: "other"},
	}}
	want := &tool.Governance{Phase: tool.PhasePermission, InputSHA256: "i", Answers: []tool.GovernorAnswer{
		{Governor: "g", Messages: []string{"[secret]", "fine"}, FollowUp: "use [secret]", Metadata: `{"a":"[secret]"}`, Error: "[secret]: no such file"},
		{Governor: "other"},
	}}
	if diff := cmp.Diff(want, MaskGovernance(said, masked)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if said.Answers[0].Messages[0] != "hunter2" || said.Answers[0].FollowUp != "use hunter2" {
		t.Errorf("what was said is changed: %+v", said)
	}
}

// TestRejected checks what is left of a decision in whose place a rejection is put.
func TestRejected(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		verdict  permissions.Verdict
		source   permissions.Source
		keepRule bool
	}{
		{"a rule that asked", permissions.Ask, permissions.SourcePolicy, true},
		{"a rule that approved", permissions.Approve, permissions.SourcePolicy, false},
		{"a person's yes to what a rule asked", permissions.Approve, permissions.SourcePerson, true},
		{"a person's no to what a rule asked", permissions.Reject, permissions.SourcePerson, true},
	} {
		d := permissions.Decision{
			Verdict: test.verdict, Source: test.source, Rule: "r", At: "p:1", Reason: "because", Option: "o", Open: true, Policy: "hash",
			Obligation: permissions.Obligation{Why: "so"},
		}
		want := permissions.Decision{Verdict: permissions.Reject, Source: permissions.SourceFault, Reason: "no space", Policy: "hash"}
		if test.keepRule {
			want.Rule, want.At = "r", "p:1"
		}
		if diff := cmp.Diff(want, Rejected(d, permissions.SourceFault, "no space")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// TestNote checks the line that stands on a card.
func TestNote(t *testing.T) {
	t.Parallel()
	switched := permissions.Obligation{Environment: []permissions.Variable{{Name: "A", Value: "1"}}, Why: "with A=1"}
	for _, test := range []struct {
		d    permissions.Decision
		want string
	}{
		{permissions.Decision{Verdict: permissions.Approve}, "allowed"},
		{permissions.Decision{Verdict: permissions.Reject, Reason: "no"}, "stopped: no"},
		{permissions.Decision{Verdict: permissions.Ask, Rule: "r", At: "p:1"}, "asked (rule r, p:1)"},
		{permissions.Decision{Verdict: permissions.Approve, Reason: "it reads", Obligation: switched, Rule: "r", At: "p:1"}, "allowed: it reads; with A=1 (rule r, p:1)"},
		{permissions.Decision{Verdict: permissions.Reject, Source: permissions.SourceGovernor, Rule: "g", At: "g:1"}, "stopped (governor g, g:1)"},
	} {
		if got := Note(test.d); got != test.want {
			t.Errorf("%+v: got %q, want %q", test.d, got, test.want)
		}
	}
}

// TestInstead checks that rules are asked what else would be allowed only where a rule was in the way.
func TestInstead(t *testing.T) {
	t.Parallel()
	s := &story{}
	g, err := New(Options{InForce: always(InForce{Rules: s}), Record: record{s}})
	if err != nil {
		t.Fatal(err)
	}
	for source, want := range map[permissions.Source]string{
		permissions.SourcePolicy: "something else", permissions.SourceDefault: "something else", permissions.SourceFault: "", permissions.SourceGovernor: "",
	} {
		if got := g.Alternatives(permissions.Decision{Verdict: permissions.Reject, Source: source}, permissions.Request{}); got != want {
			t.Errorf("%s: got %q, want %q", source, got, want)
		}
	}
}

// TestEventsBearTheTime checks that each event of an act bears the time of the gate's clock, which is the
// machine's by itself.
func TestEventsBearTheTime(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, now := range []func() time.Time{func() time.Time { return at }, nil} {
		s := &story{
			rule: permissions.Decision{Verdict: permissions.Ask}, governed: true, governor: permissions.Ruling{Verdict: permissions.Approve},
			atMost: permissions.Decision{Verdict: permissions.Approve},
		}
		g, err := New(Options{InForce: always(InForce{Rules: s, Governors: council{s}}), Record: record{s}, Now: now})
		if err != nil {
			t.Fatal(err)
		}
		before := time.Now()
		if now != nil {
			before = at
		}
		g.Pass(t.Context(), act{s}, Person{Asker: s, Patience: time.Minute})
		if len(s.times) != 3 {
			t.Fatalf("%d events, want what governors said, the question and the decision", len(s.times))
		}
		for _, got := range s.times {
			if got.Before(before) || now != nil && !got.Equal(at) {
				t.Errorf("an event bears the time %s", got)
			}
		}
	}
}

// TestAskedOnRecord has the record of a question say what can be answered, and what governors have said: whoever
// is told of it elsewhere sees no other line.
func TestAskedOnRecord(t *testing.T) {
	t.Parallel()
	s := &story{governed: true, rule: permissions.Decision{Verdict: permissions.Ask, Source: permissions.SourcePolicy},
		governor: permissions.Ruling{Verdict: permissions.Ask}, unanswered: approval.ErrNobody}
	var asked events.Event
	g, err := New(Options{Record: recorderFunc(func(e events.Event) {
		if e.Type == events.ApprovalAsked {
			asked = e
		}
	}), InForce: func(tool.Workspace) InForce { return InForce{Rules: s, Governors: council{s}} }})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = g.Pass(t.Context(), act{s}, Person{Asker: s, Patience: time.Minute})
	want := []events.Option{{ID: "allow_once", Name: "Allow once", Kind: "allow_once"}, {ID: "reject_once", Name: "Reject", Kind: "reject_once"}}
	if diff := cmp.Diff(want, asked.Options); diff != "" {
		t.Errorf("options (-want +got):\n%s", diff)
	}
	if asked.Governance == nil || asked.Governance.Answers[0].Messages[0] != "[secret]" {
		t.Errorf("governors: %+v", asked.Governance)
	}
	question := approval.Question{Lasting: []string{"writing in docs/"}}
	if options := optionsOf(question); len(options) != 3 || options[1].Name != "In this session, allow writing in docs/" {
		t.Errorf("%+v", options)
	}
}

type recorderFunc func(events.Event)

func (f recorderFunc) Record(_ context.Context, e events.Event) error {
	f(e)
	return nil
}
