package permissions

import "testing"

// TestGrantsStayInTheirWorkspace has a session go to another workspace with what a person allowed in the first:
// the same words are about other files there.
func TestGrantsStayInTheirWorkspace(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	command := b.request(ActionExecute, toolShell)
	command.SetShellText("make test")
	theirs := b.request(ActionOther, "mcp.srv.deploy")
	for name, r := range map[string]Request{
		"a tool": b.call("deploy", map[string]any{"x": "1"}), "another server's tool": theirs, "a command": command,
	} {
		r.Session = "s"
		a := b.authority()
		remember(a, "s", r)
		if d := a.Decide(r); d.Verdict != Approve {
			t.Errorf("%s, where it was allowed: %s: %s", name, d.Verdict, d.Reason)
		}
		other, more := r, r
		other.Workspace.Root = b.dir + "/elsewhere"
		more.Workspace.Additional = append(more.Workspace.Additional[:0:0], b.dir+"/more", b.dir+"/home/notes")
		for what, r := range map[string]Request{"another workspace": other, "a directory more": more} {
			if d := a.Decide(r); d.Verdict != Ask {
				t.Errorf("%s, %s: %s: %s", name, what, d.Verdict, d.Reason)
			}
		}
	}
}

// TestLaterRulesOutrankGrants has rules come after a person has allowed something for the session: one that asks
// is heard, and an answer to it counts for it from then on. What asked before goes on being answered.
func TestLaterRulesOutrankGrants(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	asks := func(change func(*Rule)) File {
		rule := Rule{ID: "byhand", AppliesTo: []string{"deploy"}, Verdict: Ask}
		if change != nil {
			change(&rule)
		}
		return File{Version: Version2, Rules: []Rule{rule}}
	}
	for _, test := range []struct {
		name          string
		before, after []File
		want          Verdict
	}{
		{"no rules", nil, nil, Approve},
		{"the rule that asked", []File{asks(nil)}, []File{asks(nil)}, Approve},
		{"the rule that asked, elsewhere in the file", []File{asks(nil)},
			[]File{asks(func(r *Rule) { r.Source.Line = 9 })}, Approve},
		{"no rule any more", []File{asks(nil)}, nil, Approve},
		{"a rule that asks", nil, []File{asks(nil)}, Ask},
		{"one more, behind the other", []File{asks(nil)},
			[]File{asks(nil), asks(func(r *Rule) { r.ID = "second" })}, Ask},
		{"a rule that wants a terminal", nil, []File{asks(func(r *Rule) { r.AtTerminal = true })}, Ask},
		{"the rule comes to want a terminal", []File{asks(nil)},
			[]File{asks(func(r *Rule) { r.AtTerminal = true })}, Ask},
		{"a rule that rejects", nil, []File{asks(func(r *Rule) { r.Verdict = Reject })}, Reject},
	} {
		r := b.call("deploy", map[string]any{"x": "1"})
		r.Session = "s"
		a := b.authority(test.before...)
		remember(a, "s", r)
		later := a.With(NewSet(test.after), nil)
		if d := later.Decide(r); d.Verdict != test.want {
			t.Errorf("%s: %s: %s, want %s", test.name, d.Verdict, d.Reason, test.want)
		}
		remember(later, "s", r)
		if d := later.Decide(r); test.want == Ask && d.Verdict != Approve {
			t.Errorf("%s, allowed once more: %s: %s", test.name, d.Verdict, d.Reason)
		}
	}
}

// TestLaterAnswersAtTerminal has root want every answer from a terminal once something was asked or allowed: what was
// allowed before is asked again, and so is what somebody answered before, since that was under other rules. What is
// answered under it counts, also when it is taken back. Whether a rule asks, or none matches, is the same.
func TestLaterAnswersAtTerminal(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	for name, files := range map[string][]File{
		"no rule": nil,
		"a rule":  {{Version: Version2, Rules: []Rule{{ID: "byhand", AppliesTo: []string{"deploy"}, Verdict: Ask}}}},
	} {
		r := b.call("deploy", map[string]any{"x": "1"})
		r.Session = "s"
		a := b.authority(files...)
		asked := a.Decide(r)
		remember(a, "s", r)
		later := a.WithAnswers(true)
		d := later.Decide(r)
		if d.Verdict != Ask || !d.AtTerminal || asked.AtTerminal {
			t.Errorf("%s: what was allowed is %s: %s (at a terminal: %t)", name, d.Verdict, d.Reason, d.AtTerminal)
		}
		if d.Policy == asked.Policy || later.Policy() == a.Policy() {
			t.Errorf("%s: an answer of before would be one under the same rules: %s", name, d.Policy)
		}
		remember(later, "s", r)
		for _, terminal := range []bool{true, false} {
			if d := later.WithAnswers(terminal).Decide(r); d.Verdict != Approve {
				t.Errorf("%s, allowed once more (%t): %s: %s", name, terminal, d.Verdict, d.Reason)
			}
		}
	}
}

// TestGrantsStayWithTheirPrincipal has what was allowed for one of the daemon's principals count for no other, also where both
// have a session of one name.
func TestGrantsStayWithTheirPrincipal(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	as := func(principal string, r Request) Request {
		r.Session, r.Principal, r.Served = "s", principal, true
		return r
	}
	for name, r := range map[string]Request{"a tool": b.call("x", nil, "docs/a.md"), "a file": b.write("docs/a.md")} {
		a := b.authority()
		remember(a, "s", as("anna", r))
		if d := a.Decide(as("anna", r)); d.Verdict != Approve {
			t.Errorf("%s: for whom it was allowed it is %s: %s", name, d.Verdict, d.Reason)
		}
		for who, other := range map[string]Request{"another principal": as("bob", r), "a command of the name": func() Request {
			r := as("anna", r)
			r.Served = false
			return r
		}()} {
			if d := a.Decide(other); d.Verdict == Approve {
				t.Errorf("%s: for %s it is %s: %s", name, who, d.Verdict, d.Reason)
			}
		}
	}
}
