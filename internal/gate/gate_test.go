package gate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// story is a gate, an act and all who are asked about it, in the hands of a test. What happens is written
// down in steps.
type story struct {
	steps []string

	rule       permissions.Decision
	governor   permissions.Ruling
	governed   bool
	silent     bool // none of the governors was asked about this act
	answer     approval.Answer
	unanswered error
	withdrawn  error // why nobody waits any more, once the person is asked
	atMost     permissions.Decision
	effect     Effect
	shown      error              // why nobody can be asked
	rechecked  permissions.Source // of a rejection by Recheck; "" for none
	asksAgain  bool               // a yes that Recheck meets first is asked about
	unrecorded map[events.Type]error
	advisory   bool // what cannot be recorded is asked about
	once       bool
	late       bool  // the person answers in the very moment when the time is up
	gone       error // why nobody waits any more, once governors are asked

	times []time.Time // of the events

	withdraw context.CancelCauseFunc
	reviewed permissions.Review
	option   string
	kept     string
}

func (s *story) step(words ...string) { s.steps = append(s.steps, strings.Join(words, " ")) }

// The story as Rules.

func (s *story) Decide(permissions.Request) permissions.Decision { s.step("decide"); return s.rule }
func (s *story) Take(permissions.Request) permissions.Decision   { s.step("take"); return s.rule }
func (s *story) Alternatives(permissions.Request) string         { return "something else" }
func (s *story) Forget(string)                                   { s.step("forget") }
func (s *story) Allowance(_ permissions.Request, mask func(string) string) permissions.Allowance {
	s.kept = mask("kept: hunter2")
	return permissions.Allowance{}
}
func (s *story) Remember(permissions.Allowance, int) string {
	s.step("remember")
	return s.kept
}

// council is the story as Governors.
type council struct{ *story }

func (c council) Active(tool.Workspace) bool { return c.governed }
func (c council) Forget(string)              { c.step("governors forget") }
func (c council) Hash(tool.Workspace) string { return "governors" }
func (c council) Review(_ context.Context, r permissions.Review) permissions.Ruling {
	c.step("govern", r.Decided.Verdict.String())
	c.reviewed = r
	if c.gone != nil {
		c.withdraw(c.gone)
	}
	ruling := c.governor
	if c.silent {
		return ruling
	}
	ruling.Governance = tool.Governance{Phase: tool.PhasePermission, Answers: []tool.GovernorAnswer{{Governor: "g", Messages: []string{"hunter2"}}}}
	return ruling
}

// record is the story as a Recorder.
type record struct{ *story }

func (r record) Record(ctx context.Context, e events.Event) error {
	words := "record " + string(e.Type)
	if e.Decision != nil {
		words += " " + e.Decision.Result + " " + e.Decision.Source
		if e.Decision.Waits {
			words += " and waits"
		}
	}
	if ctx.Err() != nil {
		words += " too late"
	}
	if e.Governance != nil && strings.Contains(e.Governance.Answers[0].Messages[0], "hunter2") {
		words += " with a secret"
	}
	r.step(words)
	r.times = append(r.times, e.Time)
	return r.unrecorded[e.Type]
}

// act is the story as an Act.
type act struct{ *story }

func (a act) Request() permissions.Request {
	return permissions.Request{Session: "s", Action: permissions.ActionWrite, Tools: []string{"t"}}
}
func (a act) Effect() Effect               { return a.effect }
func (a act) AtMost() permissions.Decision { return a.atMost }
func (a act) Review(d permissions.Decision) permissions.Review {
	return permissions.Review{Decided: d}
}
func (a act) Event(kind events.Type) events.Event {
	return events.Event{Type: kind, Act: &events.Act{Kind: "write"}}
}
func (a act) Question(d permissions.Decision) (approval.Question, error) {
	a.step("question", string(d.Source))
	return approval.Question{Title: "write", Once: a.once}, a.shown
}
func (a act) Recheck(d permissions.Decision) permissions.Decision {
	a.step("recheck", string(d.Source))
	if a.asksAgain && d.Source != permissions.SourcePerson {
		d.Verdict = permissions.Ask
	}
	if a.rechecked != "" {
		return Rejected(d, a.rechecked, "it is another file now")
	}
	return d
}
func (a act) Option(d permissions.Decision, _ error) string { return a.option + d.Verdict.String() }
func (a act) Unrecorded(d permissions.Decision, err error) permissions.Decision {
	if a.advisory && d.Verdict == permissions.Approve && d.Source != permissions.SourcePerson {
		d.Verdict = permissions.Ask
		return d
	}
	if a.advisory {
		return d
	}
	return Rejected(d, permissions.SourceFault, "not recorded: "+err.Error())
}
func (a act) Mask(text string) string { return strings.ReplaceAll(text, "hunter2", "[secret]") }

// Ask is the story as a person.
func (s *story) Ask(ctx context.Context, q approval.Question) (approval.Answer, error) {
	s.step("ask", q.Title)
	if s.withdrawn != nil {
		s.withdraw(s.withdrawn)
	}
	if errors.Is(s.unanswered, context.DeadlineExceeded) { // as who waits to the end
		<-ctx.Done()
		return approval.Answer{}, context.Cause(ctx)
	}
	if s.late {
		<-ctx.Done()
	}
	return s.answer, s.unanswered
}

// TestGate is the way of an act through the gate: what is asked of whom, in which order, what comes of it,
// and what stands on record before the act may be carried out.
func TestGate(t *testing.T) {
	t.Parallel()
	policy := func(v permissions.Verdict) permissions.Decision {
		return permissions.Decision{Verdict: v, Source: permissions.SourcePolicy, Rule: "r", At: "p:1", Reason: "because"}
	}
	open := permissions.Decision{Verdict: permissions.Ask, Source: permissions.SourceDefault, Open: true, Reason: "no rule"}
	person := func(v permissions.Verdict) approval.Answer {
		return approval.Answer{Verdict: v, Source: permissions.SourcePerson, By: "maria"}
	}
	ruling := func(v permissions.Verdict) permissions.Ruling {
		return permissions.Ruling{Verdict: v, Governor: "g", At: "g:1", Reason: "I say so"}
	}
	full := errors.New("no space")
	for _, test := range []struct {
		name  string
		story story
		want  string // the verdict, the source and the reason
		steps string
	}{
		{"a rule approves", story{rule: policy(permissions.Approve)}, "approve policy because",
			"take, recheck policy, record tool.decided approve policy"},
		{"a rule rejects", story{rule: policy(permissions.Reject)}, "reject policy because",
			"take, record tool.decided reject policy"},
		{"a rule asks, and the person says yes", story{rule: policy(permissions.Ask), answer: person(permissions.Approve)}, "approve person ",
			"take, question policy, record approval.asked ask policy, ask write, recheck person, record tool.decided approve person"},
		{"a rule asks, and the person says no", story{rule: policy(permissions.Ask), answer: person(permissions.Reject)}, "reject person ",
			"take, question policy, record approval.asked ask policy, ask write, record tool.decided reject person"},
		{"an answer that is neither", story{rule: policy(permissions.Ask)}, "reject fault the answer is neither yes nor no",
			"take, question policy, record approval.asked ask policy, ask write, record tool.decided reject fault"},
		{"nobody is there", story{rule: open, unanswered: approval.ErrNobody}, "reject nobody no rule: " + approval.ErrNobody.Error(),
			"take, question default, record approval.asked ask default, ask write, record tool.decided reject nobody"},
		{"nobody is there, and the question stands on", story{rule: open, unanswered: fmt.Errorf("%w; %w", approval.ErrNobody, approval.ErrAskerGone)},
			"reject nobody no rule: " + approval.ErrNobody.Error() + "; " + approval.ErrAskerGone.Error(),
			"take, question default, record approval.asked ask default, ask write, record tool.decided reject nobody and waits"},
		{"nobody answers in time", story{rule: open, unanswered: context.DeadlineExceeded}, "reject nobody no rule: nobody answered within 1ms, which counts as no",
			"take, question default, record approval.asked ask default, ask write, record tool.decided reject nobody"},
		{"a broken editor beside a yes", story{rule: open, answer: person(permissions.Approve), unanswered: errors.New("broken pipe")},
			"reject fault asked, but not answered: broken pipe",
			"take, question default, record approval.asked ask default, ask write, record tool.decided reject fault"},
		{"a yes in the last moment", story{rule: open, answer: person(permissions.Approve), late: true}, "approve person ",
			"take, question default, record approval.asked ask default, ask write, recheck person, record tool.decided approve person"},
		{"a yes to what was taken back", story{rule: open, answer: person(permissions.Approve), withdrawn: errors.New("the turn was cancelled")},
			"reject fault asked, but not answered: the turn was cancelled",
			"take, question default, record approval.asked ask default, ask write, record tool.decided reject fault"},
		{"always", story{rule: open, answer: approval.Answer{Verdict: permissions.Approve, Source: permissions.SourcePerson, Always: 1}},
			"approve person kept: [secret]",
			"take, question default, record approval.asked ask default, ask write, recheck person, remember, record tool.decided approve person"},
		{"always, to what is asked every time", story{rule: open, once: true, answer: approval.Answer{Verdict: permissions.Approve, Source: permissions.SourcePerson, Always: 1}},
			"approve person ",
			"take, question default, record approval.asked ask default, ask write, recheck person, record tool.decided approve person"},
		{"always, to another file than was shown", story{rule: open, rechecked: permissions.SourceFault, answer: approval.Answer{Verdict: permissions.Approve, Source: permissions.SourcePerson, Always: 1}},
			"reject fault it is another file now",
			"take, question default, record approval.asked ask default, ask write, recheck person, record tool.decided reject fault"},
		{"nobody can be asked", story{rule: open, shown: errors.New("it would not run")}, "reject fault it would not run",
			"take, question default, record tool.decided reject fault"},
		{"it is another file now", story{rule: policy(permissions.Approve), rechecked: permissions.SourceFault}, "reject fault it is another file now",
			"take, recheck policy, record tool.decided reject fault"},
		{"a rule's yes that cannot be given", story{rule: policy(permissions.Approve), asksAgain: true, answer: person(permissions.Approve)}, "approve person ",
			"take, recheck policy, question policy, record approval.asked ask policy, ask write, recheck person, record tool.decided approve person"},

		{"a governor approves what a rule does", story{rule: policy(permissions.Approve), governed: true, governor: ruling(permissions.Approve)}, "approve policy because",
			"take, govern approve, record governors.asked, recheck policy, record tool.decided approve policy"},
		{"a governor rejects what a rule approves", story{rule: policy(permissions.Approve), governed: true, governor: ruling(permissions.Reject)}, "reject governor I say so",
			"take, govern approve, record governors.asked, record tool.decided reject governor"},
		{"a governor wants a person", story{rule: policy(permissions.Approve), governed: true, governor: ruling(permissions.Ask), answer: person(permissions.Approve)}, "approve person ",
			"take, govern approve, record governors.asked, question governor, record approval.asked ask governor, ask write, recheck person, record tool.decided approve person"},
		{"governors are not asked about what a rule rejects", story{rule: policy(permissions.Reject), governed: true, governor: ruling(permissions.Approve)}, "reject policy because",
			"take, record tool.decided reject policy"},
		{"a governor answers where only the default asks",
			story{rule: open, governed: true, governor: permissions.Ruling{Verdict: permissions.Approve, Answers: true, Governor: "g", At: "g:1", Reason: "fine"}},
			"approve governor fine", "take, govern ask, record governors.asked, recheck governor, record tool.decided approve governor"},
		{"a governor does not answer in a rule's place",
			story{rule: policy(permissions.Ask), governed: true, governor: permissions.Ruling{Verdict: permissions.Approve, Answers: true, Governor: "g", At: "g:1"}, answer: person(permissions.Reject)},
			"reject person ",
			"take, govern ask, record governors.asked, question policy, record approval.asked ask policy, ask write, record tool.decided reject person"},
		{"nobody waits for the governors any more", story{rule: policy(permissions.Approve), governed: true, governor: ruling(permissions.Approve), gone: errors.New("the turn was cancelled")},
			"reject fault the turn was cancelled", "take, govern approve, record governors.asked, record tool.decided reject fault"},
		{"no governor is about it", story{rule: policy(permissions.Approve), governed: true, silent: true, governor: ruling(permissions.Approve)}, "approve policy because",
			"take, govern approve, recheck policy, record tool.decided approve policy"},
		{"a governor repeats a secret", story{rule: policy(permissions.Approve), governed: true, governor: permissions.Ruling{Verdict: permissions.Reject, Reason: "hunter2 is weak"}},
			"reject governor [secret] is weak", "take, govern approve, record governors.asked, record tool.decided reject governor"},

		{"the sandbox rejects", story{rule: policy(permissions.Approve), governed: true, atMost: permissions.Decision{Verdict: permissions.Reject, Source: permissions.SourceConfinement, Reason: "outside"}},
			"reject confinement outside", "record tool.decided reject confinement"},
		{"the sandbox wants a person, and a rule approves",
			story{rule: policy(permissions.Approve), atMost: permissions.Decision{Verdict: permissions.Ask, Source: permissions.SourceConfinement, Reason: "others run it"}, answer: person(permissions.Approve)},
			"approve person ",
			"take, question confinement, record approval.asked ask confinement, ask write, recheck person, record tool.decided approve person"},
		{"the sandbox wants a person each time",
			story{rule: open, atMost: permissions.Decision{Verdict: permissions.Ask, Source: permissions.SourceConfinement, Reason: "others run it"}, answer: approval.Answer{Verdict: permissions.Approve, Source: permissions.SourcePerson, Always: 1}},
			"approve person for this time: what the agent's own sandbox does not let it change is asked each time",
			"take, question default, record approval.asked ask default, ask write, recheck person, record tool.decided approve person"},

		{"the decision is not recorded", story{rule: policy(permissions.Approve), unrecorded: map[events.Type]error{events.ToolDecided: full}}, "reject fault not recorded: no space",
			"take, recheck policy, record tool.decided approve policy"},
		{"the question is not recorded", story{rule: open, unrecorded: map[events.Type]error{events.ApprovalAsked: full}}, "reject fault not recorded: no space",
			"take, question default, record approval.asked ask default, record tool.decided reject fault"},
		{"what governors said is not recorded", story{rule: policy(permissions.Approve), governed: true, governor: ruling(permissions.Approve), unrecorded: map[events.Type]error{events.GovernorsAsked: full}},
			"reject fault not recorded: no space", "take, govern approve, record governors.asked, record tool.decided reject fault"},
		{"what governors said of an agent's own question is not recorded",
			story{rule: policy(permissions.Approve), governed: true, governor: ruling(permissions.Reject), advisory: true, unrecorded: map[events.Type]error{events.GovernorsAsked: full}},
			"reject governor I say so", "take, govern approve, record governors.asked, record tool.decided reject governor"},
		{"a rule's yes to an agent's own question is not recorded",
			story{rule: policy(permissions.Approve), advisory: true, unrecorded: map[events.Type]error{events.ToolDecided: full}, answer: person(permissions.Approve)}, "approve person ",
			"take, recheck policy, record tool.decided approve policy, question policy, record approval.asked ask policy, ask write, recheck person, record tool.decided approve person"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := test.story
			if s.atMost.Source == "" {
				s.atMost.Verdict = permissions.Approve
			}
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			s.withdraw = cancel
			g, err := New(Options{InForce: always(InForce{Rules: &s, Governors: council{&s}}), Record: record{&s}})
			if err != nil {
				t.Fatal(err)
			}
			patience := time.Minute
			if errors.Is(s.unanswered, context.DeadlineExceeded) || s.late {
				patience = time.Millisecond
			}
			d, cause := g.Pass(ctx, act{&s}, Person{Asker: &s, Patience: patience})
			if got := d.Verdict.String() + " " + string(d.Source) + " " + d.Reason; got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if got := strings.Join(s.steps, ", "); got != test.steps {
				t.Errorf("got steps\n%s\nwant\n%s", got, test.steps)
			}
			if asked := strings.Contains(test.steps, "ask write"); (cause != nil) != (s.shown != nil || s.gone != nil || asked && (s.unanswered != nil || s.withdrawn != nil)) {
				t.Errorf("the cause is %v", cause)
			}
			if asked := strings.Contains(test.steps, "take"); d.Governors != "governors" && asked {
				t.Errorf("decided under the governors %q", d.Governors)
			}
		})
	}
}

// always has the same decide about every act.
func always(in InForce) func(tool.Workspace) InForce {
	return func(tool.Workspace) InForce { return in }
}

// TestEarlierAnswer checks that an answer which was given to the very same act a moment ago answers what
// the rules ask, once, and that it counts once towards their limits.
func TestEarlierAnswer(t *testing.T) {
	t.Parallel()
	e := Effect{Kind: permissions.ActionExecute, Command: "ls", Dir: "/w"}
	s := &story{
		rule: permissions.Decision{Verdict: permissions.Ask, Source: permissions.SourceDefault, Open: true}, effect: e,
		atMost: permissions.Decision{Verdict: permissions.Approve}, unanswered: approval.ErrNobody,
	}
	g, err := New(Options{InForce: always(InForce{Rules: s, Governors: council{s}}), Record: record{s}})
	if err != nil {
		t.Fatal(err)
	}
	pass := func() permissions.Decision {
		d, _ := g.Pass(t.Context(), act{s}, Person{Asker: s, Patience: time.Minute})
		return d
	}
	g.Allow("s", e, permissions.Decision{Verdict: permissions.Approve, Source: permissions.SourcePerson})
	if d := pass(); d.Verdict != permissions.Approve || d.Source != permissions.SourceAct || d.First != permissions.SourcePerson {
		t.Errorf("what was answered before is %+v", d)
	}
	if steps := strings.Join(s.steps, ", "); !strings.HasPrefix(steps, "decide, recheck") {
		t.Errorf("got steps %s", steps)
	}
	if d := pass(); d.Verdict != permissions.Reject || d.Source != permissions.SourceNobody {
		t.Errorf("an answer is used twice: %+v", d)
	}
	g.Refuse("s", e, permissions.Decision{Verdict: permissions.Reject, Source: permissions.SourcePerson})
	if d := pass(); d.Verdict != permissions.Reject || d.First != permissions.SourcePerson {
		t.Errorf("what was refused before is %+v", d)
	}
	for name, end := range map[string]func(string){"turn": g.EndTurn, "session": g.EndSession} {
		s.steps = nil
		g.Allow("s", e, permissions.Decision{Verdict: permissions.Approve, Source: permissions.SourcePerson})
		end("s")
		if d := pass(); d.Verdict != permissions.Reject {
			t.Errorf("an answer outlives the %s: %+v", name, d)
		}
		for _, step := range []string{"forget", "governors forget"} {
			if forgot := slices.Contains(s.steps, step); forgot != (name == "session") {
				t.Errorf("at the end of the %s: %s is %t", name, step, forgot)
			}
		}
	}
}

// TestEarlierAnswerWithoutGovernors has a person say yes to an act of which the governors in force had
// heard nothing: they count it, and where they want a person to look at it, one is asked.
func TestEarlierAnswerWithoutGovernors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, governors string // those that were in force when it was answered
		by              permissions.Source
		ruling          permissions.Verdict
		want            permissions.Verdict
		counted         bool
	}{
		{"they have heard of it", "governors", permissions.SourcePerson, permissions.Ask, permissions.Approve, false},
		{"they have heard of it, and reject it now", "governors", permissions.SourcePerson, permissions.Reject, permissions.Reject, false},
		{"they have heard of it, and a rule said yes", "governors", permissions.SourcePolicy, permissions.Ask, permissions.Reject, false},
		{"it was a question about a tool of ours", "", permissions.SourcePerson, permissions.Ask, permissions.Reject, true},
		{"they are others by now", "others", permissions.SourcePerson, permissions.Ask, permissions.Reject, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			e := Effect{Kind: permissions.ActionCall, Tool: "note"}
			s := &story{
				rule: permissions.Decision{Verdict: permissions.Ask, Source: permissions.SourceDefault, Open: true}, effect: e, governed: true,
				governor: permissions.Ruling{Verdict: test.ruling, Governor: "guard", Reason: "a key is in it"},
				atMost:   permissions.Decision{Verdict: permissions.Approve}, unanswered: approval.ErrNobody,
			}
			g, err := New(Options{InForce: always(InForce{Rules: s, Governors: council{s}}), Record: record{s}})
			if err != nil {
				t.Fatal(err)
			}
			g.Allow("s", e, permissions.Decision{Verdict: permissions.Approve, Source: test.by, Governors: test.governors})
			d, _ := g.Pass(t.Context(), act{s}, Person{Asker: s, Patience: time.Minute})
			if d.Verdict != test.want || s.reviewed.Earlier == test.counted {
				t.Errorf("it is %s (%s), and counted: %t", d.Verdict, d.Reason, !s.reviewed.Earlier)
			}
		})
	}
}

// TestResume checks that an act which was decided elsewhere is asked about and recorded here, and not
// decided again.
func TestResume(t *testing.T) {
	t.Parallel()
	s := &story{governed: true, atMost: permissions.Decision{Verdict: permissions.Approve}, answer: approval.Answer{Verdict: permissions.Approve, Source: permissions.SourcePerson}}
	g, err := New(Options{InForce: always(InForce{Rules: s, Governors: council{s}}), Record: record{s}})
	if err != nil {
		t.Fatal(err)
	}
	p := g.Resume(act{s}, permissions.Decision{Verdict: permissions.Ask, Source: permissions.SourceTool})
	if p.Settled() {
		t.Error("a question is settled")
	}
	p.Finish(t.Context(), Person{Asker: s, Patience: time.Minute})
	if steps := strings.Join(s.steps, ", "); steps != "question tool, record approval.asked ask tool, ask write, recheck person, record tool.decided approve person" {
		t.Errorf("got steps %s", steps)
	}
	if _, err := New(Options{InForce: always(InForce{Rules: s})}); err == nil {
		t.Error("there is a gate without a record")
	}
	if _, err := New(Options{Record: record{s}}); err == nil {
		t.Error("there is a gate with nothing in force")
	}
}

// TestSettled checks when nobody needs to be asked any more, and what decides about an act that began under
// other rules.
func TestSettled(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		verdict  permissions.Verdict
		governed bool
		want     bool
	}{
		{"a rule approves", permissions.Approve, false, true},
		{"a rule rejects", permissions.Reject, false, true},
		{"a rule asks", permissions.Ask, false, false},
		{"a rule approves, and governors are to be asked", permissions.Approve, true, false},
		{"a rule rejects, and there are governors", permissions.Reject, true, true},
	} {
		now := &story{rule: permissions.Decision{Verdict: permissions.Reject}}
		then := &story{rule: permissions.Decision{Verdict: test.verdict}, governed: test.governed, atMost: permissions.Decision{Verdict: permissions.Approve}}
		g, err := New(Options{InForce: always(InForce{Rules: now}), Record: record{now}})
		if err != nil {
			t.Fatal(err)
		}
		p := g.Under(InForce{Rules: then, Governors: council{then}}).Begin(act{then})
		if p.Settled() != test.want {
			t.Errorf("%s: settled is %t", test.name, p.Settled())
		}
		if p.Decision.Verdict != test.verdict || len(now.steps) > 0 {
			t.Errorf("%s: it is %s, and other rules did %q", test.name, p.Decision.Verdict, now.steps)
		}
	}
}

// TestPersonsYesIsToWhatWasAsked checks that what a rule would have obliged to is not laid upon a person's
// own yes.
func TestPersonsYesIsToWhatWasAsked(t *testing.T) {
	t.Parallel()
	s := &story{
		rule: permissions.Decision{
			Verdict: permissions.Ask, Source: permissions.SourcePolicy,
			Obligation: permissions.Obligation{Environment: []permissions.Variable{{Name: "A", Value: "1"}}},
		},
		answer: approval.Answer{Verdict: permissions.Approve, Source: permissions.SourcePerson, By: "maria", Option: "o"},
		atMost: permissions.Decision{Verdict: permissions.Approve},
	}
	g, err := New(Options{InForce: always(InForce{Rules: s}), Record: record{s}})
	if err != nil {
		t.Fatal(err)
	}
	d, _ := g.Pass(t.Context(), act{s}, Person{Asker: s, Patience: time.Minute})
	if !d.Obligation.None() || d.Approver != "maria" || d.Option != "o" {
		t.Errorf("got %+v", d)
	}
}

// TestOneInForce checks that an act is decided by what was in force when it began.
func TestOneInForce(t *testing.T) {
	t.Parallel()
	s := &story{
		rule: permissions.Decision{Verdict: permissions.Approve, Source: permissions.SourcePolicy}, atMost: permissions.Decision{Verdict: permissions.Approve},
		governed: true, governor: permissions.Ruling{Verdict: permissions.Approve},
	}
	asked := 0
	g, err := New(Options{Record: record{s}, InForce: func(tool.Workspace) InForce {
		asked++
		return InForce{Rules: s, Governors: council{s}}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if d, _ := g.Pass(t.Context(), act{s}, Person{Asker: s, Patience: time.Minute}); d.Verdict != permissions.Approve || asked != 1 {
		t.Errorf("it is %s (%s); what is in force was asked for %d times, want once", d.Verdict, d.Reason, asked)
	}
	asked = 0
	if g.Under(InForce{Rules: s}).Begin(act{s}); asked != 0 {
		t.Error("what is in force was asked for, though the act has begun under another")
	}
}

// TestWhy checks what whoever wanted an act is told of its rejection.
func TestWhy(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		d    permissions.Decision
		want string
	}{
		{permissions.Decision{}, "it was not approved"},
		{permissions.Decision{Source: permissions.SourcePerson, Reason: SaidNo}, "the person said no"},
		{permissions.Decision{Source: permissions.SourcePerson, Rule: "r", At: "p:1", Reason: "not today"}, "the person said no: not today"},
		{permissions.Decision{Source: permissions.SourcePolicy, Rule: "r", At: "p:1"}, "rule r (p:1) rejects it"},
		{permissions.Decision{Source: permissions.SourceGovernor, Rule: "g", At: "g:1", Reason: "secret"}, "governor g (g:1) rejects it: secret"},
		{permissions.Decision{Source: permissions.SourceAct, First: permissions.SourceGovernor, Rule: "g", At: "g:1"}, "governor g (g:1) rejects it"},
		{permissions.Decision{Source: permissions.SourceAct, First: permissions.SourcePerson, Rule: "r", At: "p:1"}, "the person said no"},
		{permissions.Decision{Source: permissions.SourceAct, First: permissions.SourceDefault}, "the person said no"},
		{permissions.Decision{Source: permissions.SourceNobody, Rule: "r", At: "p:1", Reason: "nobody is there"}, "nobody is there"},
		{permissions.Decision{Source: permissions.SourceFault, Rule: "r", At: "p:1", Reason: "no space"}, "no space"},
	} {
		if got := Why(test.d); got != test.want {
			t.Errorf("%+v: got %q, want %q", test.d, got, test.want)
		}
	}
}
