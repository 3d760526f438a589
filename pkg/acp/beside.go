package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/ndjson"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// editorAnswers is what the record calls a person who answered in the editor.
const editorAnswers = "editor"

// saidNo is a refusal without a reason.
const saidNo = "the person said no"

// errNoAnswer ends a question that nobody has answered.
var errNoAnswer = errors.New("nobody has answered in time, which counts as no")

// standing is an agent's own question that the editor shows and that stands on the board, too.
type standing struct {
	notice permissions.Notice
	ctx    context.Context
	stop   context.CancelCauseFunc
	waited chan struct{} // closed when nothing comes from elsewhere any more

	elsewhere *permissions.Answer // what came from there; set before waited is closed, and never after
}

// post puts an agent's question on the board; nil where it can be answered in the editor only. That is where "yes" has more
// than one meaning, as with a change of mode, or is not offered for this once.
func (b *Bridge) post(p prompt, asked permissions.Decision) *standing {
	if b.o.Board == nil || p.claim.request.Action == permissions.ActionSwitchMode {
		return nil
	}
	if _, ok := permissions.ChooseOption(permissions.Decision{Verdict: permissions.Approve}, p.options); !ok {
		return nil
	}
	question := p.question(asked)
	mask := p.claim.request.Mask()
	question.Title, question.Text = mask(question.Title), mask(question.Text)
	question.Basis = b.basis(p.claim.request, asked)
	s := &standing{notice: b.o.Board.Post(question), waited: make(chan struct{})}
	ctx, stop := context.WithCancelCause(p.turn)
	limited, release := context.WithTimeoutCause(ctx, b.o.Patience, errNoAnswer)
	s.ctx, s.stop = limited, func(cause error) { stop(cause); release() }
	return s
}

// watch waits for an answer from elsewhere. The goroutine that it starts ends with an answer, from there or from the editor,
// when the turn is cancelled, the session closed or the request withdrawn, and when the agent ends.
func (b *Bridge) watch(p prompt, asked permissions.Decision) {
	s := p.standing
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended {
		s.stop(errGone)
		close(s.waited)
		return
	}
	b.holding.Go(func() {
		answer, err := s.notice.Elsewhere(s.ctx, nil)
		switch {
		case err == nil:
			s.elsewhere = &answer
		case errors.Is(context.Cause(s.ctx), errNoAnswer):
			s.notice.Withdraw(errNoAnswer)
			s.elsewhere = &permissions.Answer{Verdict: permissions.Reject, Source: permissions.SourceNobody, Reason: errNoAnswer.Error()}
		case context.Cause(s.ctx) != nil && !errors.Is(context.Cause(s.ctx), context.Canceled):
			s.notice.Withdraw(context.Cause(s.ctx))
		}
		close(s.waited)
		if s.elsewhere != nil {
			b.answeredElsewhere(p, asked, *s.elsewhere)
		}
		s.stop(nil)
	})
}

// answeredElsewhere gives the agent the answer that came from elsewhere, and has the editor take its question away. Whatever
// the editor still says to it goes nowhere. Where the editor has answered meanwhile, personAnswered sees to it.
func (b *Bridge) answeredElsewhere(p prompt, asked permissions.Decision, answer permissions.Answer) {
	b.mu.Lock()
	open := b.fromAgentOpen[ndjson.ID(p.id)]
	ours := open != nil && open.standing == p.standing
	if ours {
		open.over = true
	}
	b.mu.Unlock()
	if !ours {
		return
	}
	if err := b.toEditor.Send(request("", methodCancelRequest, map[string]any{"requestId": json.RawMessage(p.id)})); err != nil {
		b.o.Say(fmt.Sprintf("the editor cannot be told that its question was answered elsewhere: %v", err))
	}
	b.backToAgent.put(b.settleElsewhere(p, asked, answer))
	b.questionEnded(p.session, p.call.id)
}

// settleElsewhere puts an answer from elsewhere on record, into the card, and into the agent's words.
func (b *Bridge) settleElsewhere(p prompt, asked permissions.Decision, answer permissions.Answer) []byte {
	option, offered := permissions.ChooseOption(permissions.Decision{Verdict: answer.Verdict}, p.options)
	asked.Source, asked.Approver = answer.Source, answer.By
	decision := b.recordAnswer(p, asked, answer.Verdict, option, answer.Reason)
	b.settleActs(p, decision)
	if p.call.id != "" {
		b.mu.Lock()
		call := p.session.calls.get(p.call.id)
		b.mu.Unlock()
		b.backToEditor.put(b.decided(p.session, call, saysAnswer(answer), ""))
	}
	if !offered || p.turn.Err() != nil { // an agent that offers no way to say no is told that nothing was chosen
		return response(p.id, cancelledOutcome)
	}
	return response(p.id, selected(option.ID))
}

// settle ends the question by what the editor said: an answer, or that it has put the question away. It gives the answer that
// was first elsewhere; nil when there is none, and what the editor said holds.
func (s *standing) settle(answered bool, verdict permissions.Verdict) (elsewhere *permissions.Answer) {
	if !answered {
		s.stop(errNotAnswered)
		<-s.waited
		if s.elsewhere == nil {
			s.notice.Withdraw(errNotAnswered)
		}
		return s.elsewhere
	}
	s.stop(nil)
	<-s.waited
	if s.elsewhere != nil {
		return s.elsewhere
	}
	held, first := s.notice.Settle(permissions.Answer{Verdict: verdict, Source: permissions.SourcePerson, By: editorAnswers})
	if first {
		return nil
	}
	return &held
}

// saysAnswer is an answer in one line for a card.
func saysAnswer(answer permissions.Answer) string {
	words := "rejected by you"
	switch {
	case answer.Verdict == permissions.Approve:
		words = "allowed by you"
	case answer.Source == permissions.SourceNobody:
		return "rejected: " + answer.Reason
	}
	if answer.By != "" && answer.By != editorAnswers {
		words += ", elsewhere (" + permissions.ShowLine(answer.By) + ")"
	}
	return words
}

// question is the agent's question for those who do not see the editor: every word of it is the agent's.
func (p *prompt) question(asked permissions.Decision) permissions.Question {
	r := p.claim.request
	q := permissions.Question{
		Session: r.Session, ToolCall: p.call.id, Action: r.Action, Once: true,
		Door: tool.DoorACP, Agent: r.Agent, CallID: p.act, Title: permissions.ShowLine(p.call.title),
	}
	if q.Title == "" {
		q.Title = string(r.Action)
	}
	if len(p.claim.acts) == 1 {
		q.Digest = p.claim.acts[0].Digest()
	}
	var text strings.Builder
	if asked.Reason != "" {
		fmt.Fprintf(&text, "Asked because: %s\n\n", permissions.ShowLine(asked.Reason))
	}
	if len(r.Secret) > 0 { // JSON can write a value in many ways, so nothing of what the agent wrote is kept
		text.WriteString("With these arguments; secret ones are not shown:\n")
		text.WriteString(permissions.Fence("json", permissions.Show(string(encode(events.Arguments(r.Arguments, r.Secret))))))
		q.Text = text.String()
		return q
	}
	text.WriteString("The agent's own words:\n")
	if r.ShellText != "" {
		fmt.Fprintf(&text, "%s\nin %s\n", permissions.Fence("bash", permissions.Show(r.ShellText)), permissions.ShowLine(r.Dir))
	} else if len(p.call.rawInput) > 0 {
		text.WriteString(permissions.Fence("json", permissions.Show(string(p.call.rawInput))) + "\n")
	}
	for _, path := range r.Paths {
		fmt.Fprintf(&text, "file %s\n", permissions.ShowLine(path.Name))
	}
	content, _ := (object{"c": p.call.content}).objects("c")
	for _, item := range content {
		if item.text("type") == "diff" {
			change := permissions.FileChange{Path: item.text("path"), NewText: item.text("newText")}
			if old, ok := item["oldText"]; ok && string(old) != "null" {
				before := item.text("oldText")
				change.OldText = &before
			}
			text.WriteString(change.Show() + "\n")
		} else if words := item.object("content").text("text"); words != "" {
			text.WriteString(permissions.Fence("", permissions.Show(words)) + "\n")
		}
	}
	q.Text = strings.TrimSuffix(text.String(), "\n")
	return q
}
