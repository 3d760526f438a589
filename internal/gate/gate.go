package gate

import (
	"context"
	"errors"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Rules decide whether an act may happen. *permissions.Authority is one.
type Rules interface {
	// Decide looks at the request and at the links of its paths; it never blocks on a person. The Policy of
	// its Decision names the rules in force for the request: a grant that was issued under others is void.
	Decide(permissions.Request) permissions.Decision
	// Take is Decide for an act that goes ahead when it is approved: it counts towards the limits of rules.
	Take(permissions.Request) permissions.Decision
	// Remember keeps a person's "always" for the session and says in words what it kept, without what mask
	// takes out of them.
	Remember(session string, request permissions.Request, mask func(string) string) string
	// Alternatives says what would be allowed in place of an act that was not; "" when there is nothing to
	// say.
	Alternatives(permissions.Request) string
	// Forget drops what was kept for a session that has ended.
	Forget(session string)
}

// Governors look at an act after the rules and before any person. They block until they have answered or
// their time is up, and end early with ctx. Safe for concurrent use.
type Governors interface {
	// Active reports whether any could be asked about acts in the workspace.
	Active(tool.Workspace) bool
	// Hash names those that could be asked about acts in the workspace, by what they are; "" for none.
	Hash(tool.Workspace) string
	// Review returns what they say of an act. What does not answer never approves.
	Review(context.Context, permissions.Review) permissions.Ruling
	// Forget drops what was counted for a session that has ended.
	Forget(session string)
}

// InForce is what decides about acts: the rules and governors of one configuration. It never changes; one
// value decides about an act from start to end.
type InForce struct {
	Rules     Rules     // required
	Governors Governors // optional
	// Commands is what is known of programs; nil for what comes with this program.
	Commands *command.Catalogue
}

// Gate decides about acts. It is safe for concurrent use.
type Gate struct {
	o       Options
	answers *Answers
}

// Options says what a Gate is made of.
type Options struct {
	// InForce returns what decides about an act in the workspace that is looked at from now on. Required.
	InForce func(tool.Workspace) InForce
	Record  events.Recorder  // required
	Now     func() time.Time // optional, default time.Now
}

// New makes a Gate.
func New(o Options) (*Gate, error) {
	if o.InForce == nil || o.Record == nil {
		return nil, errors.New("make a gate: what is in force and a record are required")
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Gate{o: o, answers: &Answers{}}, nil
}

// Under returns the gate for an act that has begun under what was in force then.
func (g *Gate) Under(in InForce) *Gate {
	under := *g
	under.o.InForce = func(tool.Workspace) InForce { return in }
	return &under
}

// Person is who can be asked about an act.
type Person struct {
	approval.Asker
	// Patience is how long the person may take to answer. Then nobody has, which counts as no.
	Patience time.Duration
}

// Passage is one act on its way through the gate.
type Passage struct {
	// Decision is what was decided so far. Once Finish has returned it approves or rejects.
	Decision permissions.Decision
	// Cause is why nobody has answered, where somebody was asked; nil otherwise.
	Cause error
	// Unrecorded says why the decision is not on record; nil when it is.
	Unrecorded error

	gate    *Gate
	in      InForce
	act     Act
	earlier bool // an answer to the very same act, given a moment ago, stands behind the decision
	heard   bool // the governors in force have looked at the act then
	resumed bool

	always bool // the person who approved it said "always"
}

// Pass decides about an act: it may be carried out exactly when the Decision approves. The error says why
// nobody answered, where somebody was asked. Ending ctx ends the waiting, for governors and for the person.
func (g *Gate) Pass(ctx context.Context, a Act, who Person) (permissions.Decision, error) {
	p := g.Begin(a)
	p.Finish(ctx, who)
	return p.Decision, p.Cause
}

// Begin decides what can be decided at once.
func (g *Gate) Begin(a Act) *Passage {
	p := g.passage(a)
	p.decide()
	return p
}

// Resume begins with a decision that was made about an act, by rules and governors that are asked again
// when it is carried out.
func (g *Gate) Resume(a Act, d permissions.Decision) *Passage {
	p := g.passage(a)
	p.Decision, p.resumed = d, true
	return p
}

func (g *Gate) passage(a Act) *Passage {
	return &Passage{gate: g, act: a, in: g.o.InForce(a.Request().Workspace)}
}

// Settled reports whether nobody needs to be asked any more: then Close is all that is left, and blocks on
// the disk only.
func (p *Passage) Settled() bool {
	return p.Decision.Verdict != permissions.Ask && !p.governed()
}

// Finish takes the act through the rest of the gate.
func (p *Passage) Finish(ctx context.Context, who Person) {
	if p.govern(ctx); p.Cause == nil {
		p.ask(ctx, who)
	}
	if !p.Close(ctx) {
		p.ask(ctx, who)
		p.Close(ctx)
	}
}

// Close looks at the act once more and puts what was decided on record. It reports whether that is the end
// of it: where a rule's answer cannot be given, or not be put on record, an act may want a person to be
// asked in its place, and the Decision asks.
func (p *Passage) Close(ctx context.Context) (settled bool) {
	if p.Decision.Verdict == permissions.Approve { // a person may have read for an hour
		p.Decision = p.act.Recheck(p.Decision)
	}
	if p.Decision.Verdict == permissions.Approve {
		p.keep()
	}
	return p.Decision.Verdict != permissions.Ask && p.record(ctx)
}

// decide asks the rules. What was answered a moment ago about the very same act answers what they ask; one
// such answer was counted when it was given. An act that could not be carried out anyway is rejected before
// anybody is asked.
func (p *Passage) decide() {
	request, most := p.act.Request(), p.act.AtMost()
	if most.Verdict == permissions.Reject {
		p.Decision = most
		return
	}
	earlier, given := p.gate.answers.Take(request.Session, p.act.Effect())
	if given {
		p.Decision, p.earlier = carryOver(p.in.Rules.Decide(request), earlier), true
	} else {
		p.Decision = p.in.Rules.Take(request)
	}
	p.Decision = Within(p.Decision, most).Masked(p.act.Mask)
	if p.in.Governors != nil {
		// Before they are asked: where they change meanwhile, nobody can tell which of them it was.
		p.Decision.Governors = p.in.Governors.Hash(request.Workspace)
		p.heard = given && earlier.Governors == p.Decision.Governors
	}
}

// reject puts a rejection in the place of what was decided, for a reason that is nobody's decision.
func (p *Passage) reject(source permissions.Source, reason string) {
	p.Decision = Rejected(p.Decision, source, reason)
}

// Rejected returns a decision with a rejection in its place: nobody decided so, it cannot be otherwise. A
// rule because of which somebody was asked stays in it, and one that approved does not.
func Rejected(d permissions.Decision, source permissions.Source, reason string) permissions.Decision {
	if d.Verdict == permissions.Approve && d.Source != permissions.SourcePerson {
		d.Rule, d.At = "", ""
	}
	d.Verdict, d.Source, d.Reason = permissions.Reject, source, reason
	d.Option, d.Obligation, d.Open = "", permissions.Obligation{}, false
	return d
}

// Commands returns what a command of an act that begins now in the workspace is read by.
func (g *Gate) Commands(w tool.Workspace) *command.Catalogue { return g.o.InForce(w).Commands }

// Decide says what the rules say of a request. It has no consequence: nothing is counted, nobody is asked.
func (g *Gate) Decide(r permissions.Request) permissions.Decision {
	return g.o.InForce(r.Workspace).Rules.Decide(r)
}

// Allow lets an effect happen once, in the turn of the session: an answer was given to the agent's own
// question about it.
func (g *Gate) Allow(session string, e Effect, d permissions.Decision) {
	g.answers.Allow(session, e, d)
}

// Refuse has an effect refused once, likewise.
func (g *Gate) Refuse(session string, e Effect, d permissions.Decision) {
	g.answers.Refuse(session, e, d)
}

// EndTurn forgets what was answered in a session's turn.
func (g *Gate) EndTurn(session string) { g.answers.EndTurn(session) }

// EndSession forgets what was allowed and counted for a session.
func (g *Gate) EndSession(session string) {
	in := g.o.InForce(tool.Workspace{})
	in.Rules.Forget(session)
	if in.Governors != nil {
		in.Governors.Forget(session)
	}
	g.answers.EndTurn(session)
}
