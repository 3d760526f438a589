package permissions

import "testing"

// TestGovern goes through the whole lattice: every verdict of the rules with every verdict of the governors.
func TestGovern(t *testing.T) {
	t.Parallel()
	open := Decision{Source: SourceDefault, Open: true}
	ask := Decision{Source: SourceDoubt}
	approve := Decision{Verdict: Approve, Source: SourcePolicy, Rule: "r", At: "p.yaml:1"}
	reject := Decision{Verdict: Reject, Source: SourcePolicy, Rule: "r", At: "p.yaml:1"}
	says := func(v Verdict) Ruling { return Ruling{Verdict: v, Governor: "g", At: "g.yaml:2", Reason: "because"} }
	answers := func(v Verdict) Ruling { r := says(v); r.Answers = true; return r }
	for _, test := range []struct {
		name    string
		decided Decision
		ruling  Ruling
		verdict Verdict
		source  Source
		rule    string
	}{
		{"a veto over a rule's approval", approve, says(Reject), Reject, SourceGovernor, "g"},
		{"a veto in a person's place", open, says(Reject), Reject, SourceGovernor, "g"},
		{"a question after a rule's approval", approve, says(Ask), Ask, SourceGovernor, "g"},
		{"two that ask", ask, says(Ask), Ask, SourceDoubt, ""},
		{"a rule's approval that nobody minds", approve, says(Approve), Approve, SourcePolicy, "r"},
		{"nothing lifts a rejection", reject, answers(Approve), Reject, SourcePolicy, "r"},
		{"a rejection is a rejection", reject, says(Reject), Reject, SourcePolicy, "r"},
		{"a governor's word is no permission by itself", open, says(Approve), Ask, SourceDefault, ""},
		{"unless its file says so", open, answers(Approve), Approve, SourceGovernor, "g"},
		{"but never over a doubt", ask, answers(Approve), Ask, SourceDoubt, ""},
		{"nobody spoke", approve, Ruling{Silent: true, Verdict: Reject}, Approve, SourcePolicy, "r"},
		{"the zero ruling asks", approve, Ruling{}, Ask, SourceGovernor, ""},
		{"a verdict that nobody knows asks", approve, says(Verdict(7)), Ask, SourceGovernor, "g"},
		{"nor lifts it a question", open, answers(Verdict(7)), Ask, SourceDefault, ""},
	} {
		got := test.decided.Govern(test.ruling)
		if got.Verdict != test.verdict || got.Source != test.source || got.Rule != test.rule {
			t.Errorf("%s: got %s by %s %q, want %s by %s %q", test.name, got.Verdict, got.Source, got.Rule, test.verdict, test.source, test.rule)
		}
		if test.verdict == Ask && got.Open && test.ruling.Verdict != Approve && !test.ruling.Silent && test.ruling.Governor != "" {
			t.Errorf("%s: the question that a governor put can still be answered by another", test.name)
		}
	}
}

// TestOpen checks which questions a governor may ever answer: those that stand only because nothing else
// decided.
func TestOpen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	request := Request{Action: ActionWrite, Tools: []string{"functions.acp_fs__write_text_file"}, Dir: dir, Paths: []Path{{Name: "a.txt", Write: true}}}
	request.Workspace.Root = dir
	manual := New(Options{Policies: NewSet([]File{{Version: Version2, Rules: []Rule{{ID: "m", AppliesTo: []string{"*"}, Verdict: Ask}}}})})
	plain := New(Options{})
	with := func(change func(*Request)) Request { r := request; change(&r); return r }
	for _, test := range []struct {
		name      string
		authority *Authority
		request   Request
		open      bool
	}{
		{"no rule matches", plain, request, true},
		{"a rule wants a person", manual, request, false},
		{"a doubt", plain, with(func(r *Request) { r.Doubts = []string{"x"} }), false},
		{"a control file", plain, with(func(r *Request) { r.Paths = []Path{{Name: ".git/hooks/pre-commit", Write: true}} }), false},
		{"a change of mode", plain, with(func(r *Request) { r.Action = ActionSwitchMode }), false},
		{"the tool's author wants a person", plain, with(func(r *Request) { r.Action, r.RequiresConfirmation = ActionCall, true }), false},
	} {
		d := test.authority.Decide(test.request)
		if d.Verdict != Ask || d.Open != test.open {
			t.Errorf("%s: got %s by %s, open %t; want ask, open %t", test.name, d.Verdict, d.Source, d.Open, test.open)
		}
	}
	skipping := New(Options{Policies: NewSet([]File{{Version: Version2, Rules: []Rule{
		{ID: "s", AppliesTo: []string{"*"}, IncludePaths: []string{"**"}, Verdict: Approve, SkipGovernors: true},
	}}})})
	if d := skipping.Decide(request); d.Verdict != Approve || !d.SkipGovernors {
		t.Errorf("got %+v, want an approval that skips governors", d)
	}
}
