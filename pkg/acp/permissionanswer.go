package acp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/gate"
	"github.com/a2a-acp/a2a-acp/internal/ndjson"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// editorAnswers is what the record calls a person who answered in the editor.
const editorAnswers = "editor"

// errNotAnswered says that the editor has put a question away, or that what it said is no answer.
var errNotAnswered = errors.New("the editor put the question away")

// Ask implements approval.Asker: the agent's question goes to the editor, and stands on the board, too.
// While it stands, nothing changes the card that it stands in. One of an agent below stands in a card of ours:
// its own is in its own session, at which nobody may be looking.
func (p *permissionPrompt) Ask(ctx context.Context, q approval.Question) (approval.Answer, error) {
	if p.below && p.standsElsewhere() {
		return p.session.ask(ctx, q, p.place, p.queued)
	}
	p.question = q
	board := p.b.o.Board
	if !p.standsElsewhere() {
		board = nil
	}
	if err := p.queued.pause(ctx); err != nil {
		return approval.Answer{}, err
	}
	p.askedAs = "" // it may be asked a second time
	elsewhere := standingOn(board)
	put := func(ctx context.Context) (approval.Answer, error) { return p.put(ctx, q, elsewhere.id) }
	answer, err := approval.AskOnBoard(ctx, elsewhere.board(), q, func() { p.queued.giveUp(p.place) }, put)
	p.b.answered(p.askedAs, answer, err)
	if err != nil && context.Cause(ctx) != nil {
		err = context.Cause(ctx)
	}
	return answer, err
}

// standsElsewhere reports whether the question can be answered elsewhere than in the editor. It cannot
// where "yes" has more than one meaning, as with a change of mode, or is not offered for this once.
func (p *permissionPrompt) standsElsewhere() bool {
	_, once := permissions.ChooseOption(permissions.Decision{Verdict: permissions.Approve}, p.options)
	return once && p.claim.request.Action != permissions.ActionSwitchMode
}

// put has the editor ask when it is the question's turn, and waits for what it says. When ctx ends first the
// editor is told to take the question away.
func (p *permissionPrompt) put(ctx context.Context, q approval.Question, stands <-chan string) (approval.Answer, error) {
	over, err := p.queued.wait(ctx, p.place)
	if err != nil {
		return approval.Answer{}, err
	}
	defer over()
	b := p.b
	if b.o.Person != nil {
		var options []permissions.Option
		for _, o := range p.offered() {
			options = append(options, permissions.Option{ID: o.ID, Name: o.shownName(), Kind: o.Kind})
		}
		var picked Picked
		if p.askedAs, picked, err = p.session.askPerson(ctx, q, options, stands, p.place); err != nil {
			return approval.Answer{}, err
		}
		return p.pick(picked)
	}
	replies := make(chan reply, 1)
	open := &passed{id: p.id, method: methodPermission, session: p.session,
		answered: func(answer ndjson.Frame, line []byte) []byte {
			kept, line := clone(answer, line)
			replies <- reply{frame: kept, line: line}
			return nil // the agent hears what was decided, once it is on record
		}}
	b.mu.Lock()
	b.fromAgentOpen[agentsID(p.id)] = open
	call := p.sessionsCall()
	// What was decided in this card before would be read as if it were about this.
	p.open.without, p.call.notes = len(call.notes) > 0, nil
	if p.asked.Source == permissions.SourceGovernor { // the agent's words go on, so the card says why
		why := "a2a-acp: " + gate.Note(p.asked)
		call.notes, p.call.notes = append(call.notes, why), []string{why}
	}
	if p.call.id != "" {
		b.announced(call) // the request itself tells the editor of the call
	}
	fits := b.holdEarlier(p.open, p.session.toEditor) // what has come to wait there since, of ours
	b.mu.Unlock()
	if !fits {
		b.sayDropped(p.call.id)
	}
	p.place.put(p.line())
	select {
	case p.reply = <-replies:
		return p.read(p.reply.frame)
	case <-ctx.Done():
	}
	b.mu.Lock()
	open.over = true // what the editor still says goes nowhere
	b.mu.Unlock()
	p.place.put(request("", methodCancelRequest, map[string]any{"requestId": json.RawMessage(p.id)}))
	return approval.Answer{}, context.Cause(ctx)
}

// reply is what the editor says to a question.
type reply struct {
	frame ndjson.Frame
	line  []byte // of the frame; nil when the editor has said nothing
}

// read reads the person's answer. An "always" is kept here, as narrow as can be, and the agent gets "once"
// from its own list, so that it goes on asking. The error is errNotAnswered for what answers nothing:
// cancelled, an error, an option that was not offered.
func (p *permissionPrompt) read(answer ndjson.Frame) (approval.Answer, error) {
	result, err := exactObject(answer.Result)
	if err != nil {
		return approval.Answer{}, errNotAnswered
	}
	outcome := result.object("outcome")
	if outcome.text("outcome") != "selected" {
		return approval.Answer{}, errNotAnswered
	}
	return p.pick(Picked{Option: outcome.text("optionId"), By: editorAnswers})
}

// pick is what the option that the person has picked amounts to.
func (p *permissionPrompt) pick(picked Picked) (approval.Answer, error) {
	offered := p.offered()
	at := slices.IndexFunc(offered, func(o offer) bool { return o.ID == picked.Option })
	if at < 0 {
		return approval.Answer{}, errNotAnswered
	}
	option := offered[at]
	p.picked, p.pickedBy = option.ID, picked.By
	a := approval.Answer{Verdict: permissions.Reject, Source: permissions.SourcePerson, By: picked.By,
		Reason: picked.Reason, Option: option.ID}
	switch option.Kind {
	case rejectOnce, rejectAlways:
	case allowOnce:
		a.Verdict = permissions.Approve
	case allowAlways:
		a.Verdict = permissions.Approve
		if once, found := firstOf(p.options, allowOnce); found && p.b.keepsAlways(p) {
			a.Always, a.Option = cmp.Or(option.lasting, 1), once.ID
		}
	default:
		a.Reason = "an option of the kind " + display.Line(option.Kind) + ", and nobody here knows what that means"
	}
	return a, nil
}

// keepsAlways reports whether "always" is kept here. A change of mode is not: it is the agent's own, and
// its "once" would be another choice than the person made.
func (b *Bridge) keepsAlways(p *permissionPrompt) bool {
	return !b.o.ForwardAlways && p.claim.request.Action != permissions.ActionSwitchMode
}

// answerPrompt tells the agent what came of its question, and the card, where somebody else than the person
// at the editor has answered.
func (b *Bridge) answerPrompt(p *permissionPrompt, passage *gate.Passage) {
	d := passage.Decision
	if passage.Unrecorded != nil && d.Source == permissions.SourcePerson {
		b.o.Say(fmt.Sprintf("the person's answer was passed on, but not recorded: %v", passage.Unrecorded))
	}
	if passage.Cause == nil && !p.joined { // it stands for no other frame: the agent carries it out itself
		b.settleEffects(p, d)
	}
	b.noteAnswer(p, d, passage.Cause)
	if errors.Is(passage.Cause, errAgentGaveUp) {
		b.mu.Lock()
		p.sessionsCall().withdrawn = true
		b.mu.Unlock()
	}
	p.place.leave()
	b.questionEnded(p.open) // the agent may ask in this card again as soon as it has its answer
	p.answer.put(p.response(d, passage.Cause))
}

// response writes the answer to the agent's question.
func (p *permissionPrompt) response(d permissions.Decision, cause error) []byte {
	option, offered := p.optionFor(d, cause)
	switch {
	case errors.Is(cause, errNotAnswered) && saysNothing(p.reply.frame),
		offered && d.Approver == editorAnswers && option.ID == p.picked && p.reply.line != nil:
		return p.reply.line // in the editor's own words, with its _meta
	case errors.Is(cause, errAgentGaveUp):
		return errorResponse(p.id, wireError{Code: codeCancelled, Message: "a2a-acp: " + cause.Error()})
	case !offered:
		return response(p.id, cancelledOutcome)
	}
	return response(p.id, selected(option.ID))
}

// saysNothing reports whether the editor's answer is none to everybody: an error, or that the question was
// put away. Anything else could be a yes to the agent, and was none here.
func saysNothing(answer ndjson.Frame) bool {
	if failed(answer) && len(answer.Result) == 0 {
		return true
	}
	result, err := exactObject(answer.Result)
	return err == nil && !failed(answer) && result.object("outcome").text("outcome") == "cancelled" &&
		result.object("outcome")["optionId"] == nil
}

// cancelledOutcome answers a question in a turn that the person cancelled (ACP,
// session/request_permission), and one that offers no way to say what was decided.
var cancelledOutcome = map[string]any{"outcome": map[string]string{"outcome": "cancelled"}}

// noteAnswer puts a decision into the card of the call, where the person at the editor cannot know it.
func (b *Bridge) noteAnswer(p *permissionPrompt, d permissions.Decision, cause error) {
	b.mu.Lock()
	call := p.sessionsCall()
	call.rejected, call.approved = d.Verdict != permissions.Approve, nil
	if !call.rejected && !p.joined && cause == nil && p.claim.request.Action != permissions.ActionCall {
		p.since, call.approved = b.o.Now(), p
	}
	if call.own != nil && call.own.call != p.call && !p.joined && !call.rejected {
		call.own.instead = p
	}
	b.mu.Unlock()
	note, status := gate.Note(d), ""
	switch {
	case p.call.id == "", p.joined, cause != nil && d.Source != permissions.SourceNobody:
		return
	case d.Source == permissions.SourcePerson && (d.Approver == editorAnswers || d.Approver == p.pickedBy):
		if note = d.Reason; note == "" || d.Verdict != permissions.Approve {
			return
		}
	case d.Source == permissions.SourcePerson, d.Source == permissions.SourceNobody:
		note = saysAnswer(approval.Answer{Verdict: d.Verdict, Source: d.Source, Reason: d.Reason, By: d.Approver})
	case d.Verdict == permissions.Reject:
		status = "failed"
	}
	p.place.put(b.decided(p.session, call, note, status)...)
}

// saysAnswer is an answer in one line for a card.
func saysAnswer(answer approval.Answer) string {
	words := "rejected by you"
	switch {
	case answer.Verdict == permissions.Approve:
		words = "allowed by you"
	case answer.Source == permissions.SourceNobody:
		return "rejected: " + answer.Reason
	}
	if answer.By != "" && answer.By != editorAnswers {
		words += ", elsewhere (" + display.Line(answer.By) + ")"
	}
	return words
}

// settleEffects lets an answer stand for the frames in which the agent carries the act out, unless the turn
// has ended or been cancelled since: whoever ends it holds mu before he forgets what was answered.
func (b *Bridge) settleEffects(p *permissionPrompt, d permissions.Decision) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p.turn.Err() != nil || p.session.turn.over != p.before {
		return
	}
	if d.Verdict == permissions.Approve {
		for _, effect := range p.claim.effects {
			b.o.Gate.Allow(p.claim.request.Session, effect, d)
		}
		return
	}
	for _, effect := range slices.Concat(p.claim.effects, p.claim.unshown) {
		b.o.Gate.Refuse(p.claim.request.Session, effect, d)
	}
}
