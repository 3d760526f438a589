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
	// Decide considers the request and the links of its paths. It never blocks on a person. The Policy of
	// its Decision identifies the rules in force for the request: a permit issued under other rules is
	// void.
	Decide(permissions.Request) permissions.Decision
	// Take is Decide for an act that is carried out if it is approved: it counts towards the limits of
	// rules.
	Take(permissions.Request) permissions.Decision
	// Allowance returns what a person's "always" about the request can allow; its words are masked by mask.
	Allowance(request permissions.Request, mask func(string) string) permissions.Allowance
	// Remember keeps a person's "always" for the session. It returns in words what it kept.
	Remember(allows permissions.Allowance, scope int) string
	// Alternatives returns what would be allowed instead of an act that was refused; "" for nothing.
	Alternatives(permissions.Request) string
	// Forget drops what was kept for a session that has ended.
	Forget(session string)
}

// Governors judge an act after the rules and before a person. They block until they have answered, their
// time is up or ctx ends. Safe for concurrent use.
type Governors interface {
	// Active reports whether any could be asked about acts in the workspace.
	Active(tool.Workspace) bool
	// Hash identifies the governors that could be asked about acts in the workspace; "" for none.
	Hash(tool.Workspace) string
	// Review returns what they say of an act. A governor that does not answer never approves.
	Review(context.Context, permissions.Review) permissions.Ruling
	// Forget drops what was counted for a session that has ended.
	Forget(session string)
}

// InForce is what decides about acts: the rules and governors of one configuration. It is immutable, and
// one value decides about an act from beginning to end.
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

// Options configure a Gate.
type Options struct {
	// InForce returns what decides about an act that begins now in the workspace. Required.
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

// Under returns a gate for an act that began while inForce was in force.
func (g *Gate) Under(in InForce) *Gate {
	under := *g
	under.o.InForce = func(tool.Workspace) InForce { return in }
	return &under
}

// Person is who can be asked about an act.
type Person struct {
	approval.Asker
	// Patience is how long the person may take to answer. No answer by then counts as no.
	Patience time.Duration
}

// Passage is one act on its way through the gate.
type Passage struct {
	// Decision is the decision so far. After Finish it approves or rejects.
	Decision permissions.Decision
	// Cause is why nobody answered, if somebody was asked; otherwise nil.
	Cause error
	// Unrecorded says why the decision is not on record; nil when it is.
	Unrecorded error

	gate    *Gate
	in      InForce
	act     Act
	said    *tool.Governance // what governors have said, as it is on record; nil for nothing
	earlier bool             // an answer to the very same act, given a moment ago, stands behind the decision
	heard   bool             // the governors in force have looked at the act then
	resumed bool

	always int // of what the person can allow for the session, which; counted from 1, 0 for none
	// allowance is what that allows: what the person was shown.
	allowance permissions.Allowance
}

// Pass decides about an act. The act may be carried out if and only if the Decision approves. The error
// says why nobody answered, if somebody was asked. When ctx ends, Pass stops waiting for governors and
// people.
func (g *Gate) Pass(ctx context.Context, a Act, who Person) (permissions.Decision, error) {
	p := g.Begin(a)
	p.Finish(ctx, who)
	return p.Decision, p.Cause
}

// Begin makes the part of the decision that needs no waiting.
func (g *Gate) Begin(a Act) *Passage {
	p := g.passage(a)
	p.decide()
	return p
}

// Resume continues from a decision that was already made about an act. The rules and governors are asked
// again when the act is carried out.
func (g *Gate) Resume(a Act, d permissions.Decision) *Passage {
	p := g.passage(a)
	p.Decision, p.resumed = d, true
	return p
}

func (g *Gate) passage(a Act) *Passage {
	return &Passage{gate: g, act: a, in: g.o.InForce(a.Request().Workspace)}
}

// Settled reports whether nobody has to be asked any more. Then only Close is left, which blocks on the
// disk only.
func (p *Passage) Settled() bool {
	return p.Decision.Verdict != permissions.Ask && !p.governed()
}

// Finish takes the act through the rest of the gate.
func (p *Passage) Finish(ctx context.Context, who Person) {
	p.govern(ctx)
	p.ask(ctx, who)
	if !p.Close(ctx) {
		p.ask(ctx, who)
		p.Close(ctx)
	}
}

// Close checks the act once more and records the decision. It returns false if a person has to be asked
// after all: because a rule's answer cannot be given to the agent, or cannot be recorded, and the act
// prefers a question. The Decision then asks.
func (p *Passage) Close(ctx context.Context) (settled bool) {
	if p.Decision.Verdict == permissions.Approve { // a person may have read for an hour
		p.Decision = p.act.Recheck(p.Decision)
	}
	if p.Decision.Verdict == permissions.Approve {
		p.keep()
	}
	return p.Decision.Verdict != permissions.Ask && p.record(ctx)
}

// decide asks the rules. A recent answer to the same act answers what they would ask; it was counted when
// it was given. An act that could not be carried out anyway is rejected before anybody is asked.
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
		// Read before they are asked: if they change meanwhile, the hash would be of the wrong ones.
		p.Decision.Governors = p.in.Governors.Hash(request.Workspace)
		p.heard = given && earlier.Governors == p.Decision.Governors
	}
}

// reject replaces the decision with a rejection that nobody decided.
func (p *Passage) reject(source permissions.Source, reason string) {
	p.Decision = Rejected(p.Decision, source, reason)
}

// Rejected returns a rejection in place of d, for a reason that is nobody's decision. A rule that made
// somebody be asked stays in it, one that approved does not.
func Rejected(d permissions.Decision, source permissions.Source, reason string) permissions.Decision {
	if d.Verdict == permissions.Approve && d.Source != permissions.SourcePerson {
		d.Rule, d.At = "", ""
	}
	d.Verdict, d.Source, d.Reason = permissions.Reject, source, reason
	d.Option, d.Obligation, d.Open = "", permissions.Obligation{}, false
	return d
}

// Commands returns the catalogue by which a command of an act that begins now in the workspace is read.
func (g *Gate) Commands(w tool.Workspace) *command.Catalogue { return g.o.InForce(w).Commands }

// Decide returns what the rules say of a request. Nothing is counted, and nobody is asked.
func (g *Gate) Decide(r permissions.Request) permissions.Decision {
	return g.o.InForce(r.Workspace).Rules.Decide(r)
}

// Allow lets an effect happen once in this turn of the session, since the agent's own question about it was
// answered.
func (g *Gate) Allow(session string, e Effect, d permissions.Decision) {
	g.answers.Allow(session, e, d)
}

// Refuse makes the effect be refused once in this turn of the session.
func (g *Gate) Refuse(session string, e Effect, d permissions.Decision) {
	g.answers.Refuse(session, e, d)
}

// EndTurn drops the answers of a session's turn.
func (g *Gate) EndTurn(session string) { g.answers.EndTurn(session) }

// EndSession drops what was allowed and counted for a session.
func (g *Gate) EndSession(session string) {
	in := g.o.InForce(tool.Workspace{})
	in.Rules.Forget(session)
	if in.Governors != nil {
		in.Governors.Forget(session)
	}
	g.answers.EndTurn(session)
}
