package a2a

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	wire "github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/a2a-acp/a2a-acp/internal/agentclient"
	"github.com/a2a-acp/a2a-acp/internal/display"
)

// acpAsk is a question of an agent's that is put to the client.
type acpAsk struct {
	over   chan struct{} // closed when it is not put any more
	cancel context.CancelFunc
}

// answerPatience is how long a client's message waits for what its answer leads to. After that the answer is given,
// and what became of it is told as everything is.
const answerPatience = 5 * time.Second

// putQuestion puts a question to the client until somebody has answered it.
func (p *play) putQuestion(id string, m *wire.Message, accept func(*wire.Message) error) {
	ctx, cancel := context.WithCancel(p.asking)
	a := &acpAsk{over: make(chan struct{}), cancel: cancel}
	p.open[id] = a
	p.asks.Go(func() { // ends with the question
		defer close(a.over)
		if p.flush() != nil || ctx.Err() != nil { // what was said before is told before
			return
		}
		_, err := p.turn.Ask(ctx, m, accept)
		if err != nil && ctx.Err() == nil {
			p.fail(err)
		}
	})
}

// question has somebody decide whether the agent may do something.
func (p *play) question(q *agentclient.Question) {
	options := []choice{}
	for _, o := range q.Options {
		options = append(options, choice{o.ID, o.Name, string(o.Kind)})
	}
	p.putQuestion(q.ID, questionMessage(p.turn.run.at.name, q, options), func(m *wire.Message) error {
		if q.AtTerminal {
			return invalid("message", "%v", agentclient.ErrAtTerminal)
		}
		picked, err := pick(m, q.ID, options)
		if err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(p.ctx, answerPatience)
		defer cancel()
		return answerError(ctx, p.agents.Answer(ctx, q.ID, answerOf(p.turn.Caller(), picked)))
	})
}

// answerOf is an answer of a client's.
func answerOf(from Caller, picked choice) agentclient.Answer {
	option := agentclient.Option{ID: picked.ID, Name: picked.Name, Kind: agentclient.OptionKind(picked.Kind)}
	return agentclient.Answer{Option: option, Principal: principalOf(from),
		By: "the A2A client of " + display.Line(principalOf(from))}
}

// answerError is what the sender of an answer is told of what became of it.
func answerError(ctx context.Context, err error) error {
	switch {
	case err == nil, errors.Is(err, ctx.Err()):
		return nil
	case errors.Is(err, agentclient.ErrAnswered):
		return failf(errUnsupported, "the question was answered before, by somebody else")
	case errors.Is(err, agentclient.ErrExpired), errors.Is(err, agentclient.ErrNoQuestion):
		return failf(errUnsupported, "the question is over: %v", err)
	case errors.Is(err, agentclient.ErrAtTerminal), errors.Is(err, agentclient.ErrNoOption):
		return invalid("message", "%v", err)
	}
	return err
}

// questionMessage is a question as a client is asked it.
func questionMessage(agent string, q *agentclient.Question, options []choice) *wire.Message {
	data := questionData{Type: "permission_request", RequestID: q.ID, ToolCall: q.ToolCall, Tool: agent, Approval: q.ID,
		Title: q.Title, Command: q.Text, Lasting: q.Lasting, Options: options,
		Risk: &questionRisk{Action: q.Action, Paths: q.Paths, Notes: q.Risk}}
	how := howToAnswer(q.ID, options)
	if q.AtTerminal {
		data.Options, how = []choice{}, "Only a person at a terminal of the agent's machine may answer: a2a-acp approvals."
	}
	if strings.HasPrefix(q.ID, agentclient.Here) {
		data.Approval = "" // it stands nowhere else
	}
	message := wire.NewMessage(wire.MessageRoleAgent)
	message.Metadata = map[string]any{"requestId": q.ID, optionsKey: data.Options,
		"tool_call": map[string]any{"id": q.ToolCall, "toolId": agent, "command": q.Command}}
	if !q.Expires.IsZero() {
		until := q.Expires.UTC().Truncate(time.Second)
		data.Expires, message.Metadata["expires"] = &until, until.Format(time.RFC3339)
	}
	message.Parts = wire.ContentParts{wire.NewTextPart(q.Title + "\n\n" + q.Text + "\n\n" + how), dataPart(data)}
	return message
}

// answered is told that a question is over.
func (p *play) answered(a *agentclient.Answered) {
	put := p.open[a.Question]
	if put == nil {
		return
	}
	put.cancel()
	<-put.over
	delete(p.open, a.Question)
	p.denied = p.denied || !a.Allowed
	event := &wire.TaskStatusUpdateEvent{Status: wire.TaskStatus{State: wire.TaskStateWorking},
		Metadata: map[string]any{questionKey(a.Question): map[string]any{"allowed": a.Allowed}}}
	if task := p.turn.Task(); task.Status.State == wire.TaskStateInputRequired { // others stand
		event.Status = wire.TaskStatus{State: task.Status.State, Message: task.Status.Message}
	}
	p.emit(event, 0, true)
	p.stand()
}

// input has somebody tell the agent something.
func (p *play) input(in *agentclient.Input) {
	message := wire.NewMessage(wire.MessageRoleAgent,
		wire.NewTextPart("The agent asks: "+display.Whole(in.Message)+
			"\n\nAnswer with a data part {\"content\": {…}} as the schema says, or decline."),
		dataPart(map[string]any{"type": "input_request", "requestId": in.ID, "toolCallId": in.ToolCall, "message": in.Message,
			"requestedSchema": value(in.Schema)}))
	message.Metadata = map[string]any{"requestId": in.ID}
	p.putQuestion(in.ID, message, func(m *wire.Message) error {
		reply, err := replyOf(m, in)
		if err != nil {
			return err
		}
		reply.Principal, reply.Message = principalOf(p.turn.Caller()), m.ID
		return answerError(p.ctx, p.agents.Reply(p.ctx, in.ID, reply))
	})
}

// replyOf reads what a client tells an agent.
func replyOf(m *wire.Message, in *agentclient.Input) (reply agentclient.Reply, err error) {
	said := ""
	for _, part := range m.Parts {
		data, ok := part.Data().(map[string]any)
		if !ok {
			said = strings.TrimSpace(part.Text())
			continue
		}
		if about := text(data, "requestId", "request_id"); about != "" && about != in.ID {
			return reply, invalid("message.parts", "nothing with the requestId %.60q is asked for", about)
		}
		switch content, ok := data["content"].(map[string]any); {
		case ok:
			reply.Content, err = json.Marshal(content)
			return reply, err
		case text(data, "action") == "decline" || text(data, "action") == "cancel":
			return agentclient.Reply{Declined: true}, nil
		}
	}
	if word := strings.ToLower(said); len(m.Parts) == 1 && (word == "decline" || words[word] == "reject_once") {
		return agentclient.Reply{Declined: true}, nil
	}
	var schema struct {
		Properties map[string]struct {
			Type string `json:"type"`
		} `json:"properties"`
	}
	if json.Unmarshal(in.Schema, &schema) == nil && len(schema.Properties) == 1 && len(m.Parts) == 1 && said != "" {
		for name, property := range schema.Properties {
			if property.Type == "string" {
				reply.Content, err = json.Marshal(map[string]string{name: said})
				return reply, err
			}
		}
	}
	return reply, invalid("message.parts",
		"the task waits for what the agent asks for; give a data part {\"content\": {…}}, or decline")
}

// settledError is why the questions that an earlier process has left are not put any more: one of them has its answer,
// or is over.
type settledError struct{ question string }

func (*settledError) Error() string { return "it was answered elsewhere" }

// await puts the questions again that an earlier process has left, and waits until one of them has its answer,
// wherever it is given. Then the agent goes on, and asks again what still has to be asked. ended is true if the
// task has ended.
func (a *ACPAgent) await(ctx context.Context, t *Turn) (ended bool, err error) {
	open := openQuestions(t.Task())
	open = slices.DeleteFunc(open, func(m *wire.Message) bool { // what stands nowhere else has ended with its process
		return strings.HasPrefix(text(m.Metadata, "requestId"), agentclient.Here)
	})
	if len(open) == 0 {
		return false, nil
	}
	type end struct {
		question string
		err      error
	}
	asking, answered := context.WithCancelCause(ctx)
	defer answered(nil)
	over := make(chan end, 2*len(open)) // what became of each, from here and from elsewhere
	for _, m := range open {
		id := text(m.Metadata, "requestId")
		go func() { // ends with asking
			over <- end{id, a.o.Agents.Outlived(asking, id, principalOf(t.Caller()))}
		}()
		go func() { // likewise
			_, err := t.ask(asking, a.again(ctx, t, m))
			over <- end{id, err}
		}()
	}
	first := <-over
	answered(&settledError{first.question})
	for range 2*len(open) - 1 {
		<-over
	}
	switch {
	case ctx.Err() != nil:
		return false, context.Cause(ctx)
	case errors.Is(first.err, agentclient.ErrExpired):
		return true, t.Reject(ctx, "Nobody answered in time, which counts as no.")
	case first.err == nil, errors.Is(first.err, agentclient.ErrNoQuestion):
		return false, nil
	}
	return false, first.err
}

// again is the question of a message that an earlier process has put. With its answer the task is idle until the agent is
// there again, and the question is not put to the process that comes next.
func (a *ACPAgent) again(ctx context.Context, t *Turn, m *wire.Message) *asking {
	id, options := text(m.Metadata, "requestId"), optionsOf(m)
	var picked choice
	return &asking{
		question: m,
		accept: func(answer *wire.Message) (err error) {
			if len(options) == 0 {
				return invalid("message", "%v", agentclient.ErrAtTerminal)
			}
			if picked, err = pick(answer, id, options); err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerPatience)
			defer cancel()
			return answerError(ctx, a.o.Agents.Answer(ctx, id, answerOf(t.Caller(), picked)))
		},
		over: func(cause error) map[string]any {
			var settled *settledError
			switch {
			case cause == nil:
				return map[string]any{idleKey: true,
					questionKey(id): map[string]any{"allowed": agentclient.OptionKind(picked.Kind).Allows()}}
			case errors.As(cause, &settled) && settled.question == id:
				return map[string]any{idleKey: true, questionKey(id): true}
			}
			return nil
		},
	}
}

// openQuestions returns the questions of a task that are not over, in order.
func openQuestions(task *wire.Task) (open []*wire.Message) {
	said := slices.Clone(task.History)
	if task.Status.Message != nil {
		said = append(said, task.Status.Message)
	}
	seen := map[string]bool{}
	for _, m := range slices.Backward(said) {
		id := text(m.Metadata, "requestId")
		if m.Role != wire.MessageRoleAgent || id == "" || seen[id] || task.Metadata[questionKey(id)] != nil {
			continue
		}
		seen[id] = true
		open = append(open, m)
	}
	slices.Reverse(open)
	return open
}

// optionsOf reads the options of a question out of its message.
func optionsOf(m *wire.Message) (options []choice) {
	for _, part := range m.Parts {
		var data questionData // as it was made here, or as it was read from the log
		encoded, err := json.Marshal(part.Data())
		if err == nil && json.Unmarshal(encoded, &data) == nil && data.Type == "permission_request" {
			return data.Options
		}
	}
	return nil
}
