package a2a

import (
	"context"
	"fmt"
	"strings"

	wire "github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/a2a-acp/a2a-acp/internal/agentclient"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// AnswerScreen looks at what agents answer, before clients are told: output governors. Safe for concurrent use.
type AnswerScreen interface {
	// Screens reports whether anybody looks at what an agent answers.
	Screens(agent string) bool
	// Screen says what of an answer may be told, and what has to be on record of that is. It may block.
	Screen(ctx context.Context, a AgentAnswer) ScreenedAnswer
	// Over says that the agent is asked for no other answer to the prompt.
	Over(a AgentAnswer)
}

// AgentAnswer is what an agent has answered to a prompt.
type AgentAnswer struct {
	Agent, Principal, Task, Context, Session string
	Text                                     string
}

// ScreenedAnswer is what may be told of it.
type ScreenedAnswer struct {
	Text     string // in place of the agent's
	Withheld string // why it is not told; "" where it is
	Governor string // who withholds it
	FollowUp string // what the agent is to be told, and answer anew; "" for nothing
	Said     tool.Governance
}

// governedKey is the member of a task's metadata with what governors said of an answer, by how many there were before.
func governedKey(n int) string { return fmt.Sprintf("%s/governed/%d", AgentExtension, n) }

// keep keeps a piece of an answer that somebody is to look at first.
func (p *play) keep(c agentclient.Content) {
	if p.keptSize += len(c.Text) + len(c.Data) + len(c.URI) + eachEvent; p.keptSize > p.most {
		p.fail(saidTooMuch(p.most))
		return
	}
	p.kept = append(p.kept, c)
}

// screened has what the agent answered looked at, and tells what may be told of it; or it returns what the agent is told, to
// answer anew. The agent says nothing meanwhile.
func (p *play) screened(ctx context.Context, a AgentAnswer, outcome agentclient.Outcome) []agentclient.Content {
	var text strings.Builder
	for _, c := range p.kept {
		if c.Data == nil && c.URI == "" {
			text.WriteString(c.Text)
		}
	}
	kept := p.kept
	p.kept, p.keptSize = nil, 0
	a.Session, a.Text = p.session, text.String()
	if len(kept) == 0 {
		p.screen.Over(a)
		return nil
	}
	s := p.screen.Screen(ctx, a)
	again := s.FollowUp != "" && outcome.Stop == agentclient.StopEndTurn
	if !again {
		p.screen.Over(a)
	}
	if len(s.Said.Answers) > 0 {
		said := "Governors have looked at the answer."
		if again {
			said = "The agent is asked to answer anew by governor " + s.Governor + ": " + s.FollowUp
		}
		message := wire.NewMessage(wire.MessageRoleAgent, wire.NewTextPart(strings.ToValidUTF8(said, "\uFFFD")))
		p.emit(&wire.TaskStatusUpdateEvent{Status: wire.TaskStatus{State: wire.TaskStateWorking, Message: message},
			Metadata: map[string]any{governedKey(p.governed): feedbackOf(s.Said)}}, sizeOf(message.Parts), true)
		p.governed++
	}
	switch {
	case again:
		return []agentclient.Content{{Text: s.FollowUp}}
	case s.Withheld != "":
		p.withheld = fmt.Sprintf("The answer is withheld by governor %s: %s", s.Governor, s.Withheld)
	case s.Text != a.Text:
		p.say("response", agentclient.Content{Text: s.Text})
	default:
		for _, c := range kept {
			p.say("response", c)
		}
	}
	return nil
}

// feedbackOf is what governors said, as the original has it in a task's history.
func feedbackOf(said tool.Governance) map[string]any {
	results := []any{}
	for _, a := range said.Answers {
		messages := []any{}
		for _, m := range a.Messages {
			messages = append(messages, m)
		}
		result := map[string]any{"governorId": a.Governor, "status": a.Status, "messages": messages, "followUpPrompt": nil}
		if a.FollowUp != "" {
			result["followUpPrompt"] = a.FollowUp
		}
		results = append(results, result)
	}
	return map[string]any{"phase": said.Phase, "summary": strings.Join(said.Summary(), "\n"), "results": results}
}
