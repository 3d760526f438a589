package a2a

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	wire "github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/a2a-acp/a2a-acp/internal/agentclient"
	"github.com/a2a-acp/a2a-acp/internal/tasklog"
)

// Agents are agents that speak ACP, as they are driven for a client that has no editor. Safe for concurrent use.
// *agentclient.Driver is one, and says what the methods do.
type Agents interface {
	List() []agentclient.Agent
	Prompt(ctx context.Context, p agentclient.Prompt, tell func(agentclient.Event)) (agentclient.Outcome, error)
	Answer(ctx context.Context, question string, a agentclient.Answer) error
	Outlived(ctx context.Context, question, principal string) error
	Reply(ctx context.Context, input string, r agentclient.Reply) error
}

// ACPAgent is an Agent that hands each message to an agent that speaks ACP, and tells what that says and does. A
// context is a session with it, and a task a prompt.
type ACPAgent struct {
	o ACPOptions

	mu     sync.Mutex
	shown  agentclient.Agent // what the cards are made of
	public *wire.AgentCard
	whole  *wire.AgentCard // for callers that are known
}

// ACPOptions configure an ACPAgent.
type ACPOptions struct {
	Agents  Agents // required
	Name    string // required: which of them
	Version string // required: ours
	// Card adds to the card what the agent does not say: security. Optional.
	Card func(*wire.AgentCard)
	// May reports whether a principal may have something done now. A task may have waited while that changed. Optional; by
	// default whoever may begin a task may.
	May func(principal string) bool
	// Screen looks at what the agent answers before anybody is told. Optional.
	Screen AnswerScreen
	// MostSaid is how many bytes an agent may say for one message. Optional, default 32 MiB.
	MostSaid int
}

// AgentExtension is the URI of what a card and a task say of an agent that speaks ACP.
const AgentExtension = "https://github.com/a2a-acp/a2a-acp/extensions/agents/v1"

// NewACPAgent makes an ACPAgent.
func NewACPAgent(o ACPOptions) *ACPAgent {
	if o.MostSaid <= 0 {
		o.MostSaid = mostSaid
	}
	return &ACPAgent{o: o}
}

// Card implements Agent.
func (a *ACPAgent) Card(from Caller) *wire.AgentCard {
	all := a.o.Agents.List()
	now := agentclient.Agent{Name: a.o.Name, Title: a.o.Name, Description: "It is not configured any more."}
	if i := slices.IndexFunc(all, func(other agentclient.Agent) bool { return other.Name == a.o.Name }); i >= 0 {
		now = all[i]
	}
	now.Running = 0 // it changes all the time, and nobody is told
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.public == nil || a.shown != now {
		a.shown, a.public, a.whole = now, a.cardOf(now, false), a.cardOf(now, true)
	}
	if from == (Caller{}) {
		return a.public
	}
	return a.whole
}

func (a *ACPAgent) cardOf(agent agentclient.Agent, extended bool) *wire.AgentCard {
	title := cmp.Or(agent.Title, agent.Name)
	description := cmp.Or(agent.Description, title+", an agent on this machine. What it does is decided by policies, and on record.")
	card := &wire.AgentCard{
		Name: title, Version: a.o.Version, Description: description,
		Capabilities:       wire.AgentCapabilities{Streaming: true, ExtendedAgentCard: true},
		DefaultInputModes:  []string{"text/plain", "text/*", "application/json", "application/*", "image/*", "audio/*"},
		DefaultOutputModes: []string{"text/plain", "text/markdown", "text/x-diff", "application/json", "image/*"},
		Skills: []wire.AgentSkill{{ID: agent.Name, Name: title, Description: description,
			Tags: []string{"agent", "acp"}}},
	}
	params := map[string]any{"session": "a context is a session with the agent, and its messages wait for each other"}
	if extended {
		params["workspace"], params["confined"] = agent.Workspace, agent.Confined
	}
	card.Capabilities.Extensions = []wire.AgentExtension{{
		URI: AgentExtension, Params: params,
		Description: "An agent that speaks ACP: the artifact response is what it answers; what it thinks and does is told beside.",
	}, developmentExtension()}
	if a.o.Card != nil {
		a.o.Card(card)
	}
	return card
}

// Receive implements Agent.
func (a *ACPAgent) Receive(_ context.Context, from Caller, m *wire.Message) (*wire.Message, error) {
	if from.NoTools { // what the agent does would be done for somebody who may have nothing done
		return nil, errNoTools()
	}
	content, err := contentOf(m)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(content, func(c agentclient.Content) bool {
		return strings.TrimSpace(c.Text) != "" || c.Data != nil || c.URI != ""
	}) {
		return nil, invalid("message.parts", "the message is empty")
	}
	return nil, nil
}

// errNoTools is what somebody is told who may follow tasks alone.
func errNoTools() *Error {
	return failf(errUnsupported, "you may follow tasks here, and give agents none: that needs the scope tools")
}

// Work implements Agent. A message that goes on with a task whose agent nobody drives any more has the agent go on.
func (a *ACPAgent) Work(ctx context.Context, t *Turn) error { return a.prompt(ctx, t) }

// Resume implements Resumer. What waits for an answer goes on waiting, and then the agent goes on with its session.
func (a *ACPAgent) Resume(ctx context.Context, t *Turn) error {
	switch logState(t.Task().Status.State) {
	case tasklog.AuthRequired: // the next message goes on with it
		return nil
	case tasklog.InputRequired: // where it works, it has its answer
		if ended, err := a.await(ctx, t); ended || err != nil {
			return err
		}
	}
	return a.prompt(ctx, t)
}

// Idle implements Resumer. An answer to a question that an earlier process has left has the agent started anew, which may
// take a while: until it is there, nobody has done anything.
func (a *ACPAgent) Idle(task *wire.Task) bool {
	idle, _ := task.Metadata[idleKey].(bool)
	return idle
}

// The members of a task's metadata.
const (
	sessionKey = AgentExtension + "/session"
	openingKey = AgentExtension + "/opening"
	idleKey    = AgentExtension + "/idle"
	stopKey    = AgentExtension + "/stopReason"
	usageKey   = AgentExtension + "/usage"
	metaKey    = AgentExtension + "/_meta"
)

// questionKey is the member of a task's metadata that says that a question is over.
func questionKey(id string) string { return AgentExtension + "/answered/" + id }

// principalOf is whom the agent is driven for.
func principalOf(c Caller) string { return cmp.Or(c.Name, "anybody") }

// prompt has the agent work on the message that began the task; where it had begun to, it goes on.
func (a *ACPAgent) prompt(ctx context.Context, t *Turn) error {
	if a.o.May != nil && !a.o.May(t.Caller().Name) {
		return t.Reject(ctx, "Whose task this is may give agents none any more: that needs the scope tools.")
	}
	task := t.Task()
	first := task.History[0]
	content, err := contentOf(first)
	if err != nil {
		return err
	}
	end := t.Begin()
	defer end()
	driving, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(nil)
	defer context.AfterFunc(ctx, func() {
		cause := context.Cause(ctx)
		switch {
		case errors.Is(cause, errEnds): // the questions stay
			cause = agentclient.ErrClosed
		case errors.Is(cause, errRevoked):
			cause = agentclient.ErrRevoked
		}
		stop(cause)
	})()
	p := newPlay(ctx, t, a.o, stop)
	prompt := agentclient.Prompt{
		Conversation: agentclient.Conversation{Agent: a.o.Name, Principal: principalOf(t.Caller()), Context: task.ContextID},
		Task:         string(task.ID), Message: first.ID, Content: content, Continue: task.Metadata[sessionKey] != nil,
		Trace: t.Caller().Trace.Header(),
	}
	if a.o.Screen != nil && a.o.Screen.Screens(a.o.Name) {
		p.screen = a.o.Screen
		answer := AgentAnswer{Agent: a.o.Name, Principal: t.Caller().Name, Task: string(task.ID), Context: task.ContextID}
		prompt.After = func(ctx context.Context, outcome agentclient.Outcome) []agentclient.Content {
			return p.screened(ctx, answer, outcome)
		}
	}
	outcome, err := a.o.Agents.Prompt(driving, prompt, p.tell)
	failed := p.close()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case failed != nil:
		return failed
	case err != nil:
		return a.failed(ctx, t, err)
	case p.withheld != "":
		return t.Fail(ctx, p.withheld)
	}
	return t.Emit(ctx, ended(outcome, p.denied))
}

// messageInstead returns what an agent has said as a message that no task is told of; nil where the task is the answer.
// An agent wants that with {"a2a": {"message": true}} in the _meta of its answer to the prompt. The task is there all
// the same: it was on disk before the agent was asked, and streams begin with it.
func messageInstead(task *wire.Task) *wire.Message {
	meta, _ := task.Metadata[metaKey].(map[string]any)
	about, _ := meta["a2a"].(map[string]any)
	if wanted, _ := about["message"].(bool); !wanted || task.Status.State != wire.TaskStateCompleted || len(task.Artifacts) != 1 {
		return nil
	}
	reply := wire.NewMessage(wire.MessageRoleAgent, told(task).Artifacts[0].Parts...)
	reply.ContextID = task.ContextID
	return reply
}

// failed ends a task whose agent has not answered.
func (a *ACPAgent) failed(ctx context.Context, t *Turn, err error) error {
	var (
		died    *agentclient.EndedError
		refused *agentclient.RefusedError
		login   *agentclient.LoginError
		content *agentclient.ContentError
	)
	switch {
	case errors.Is(err, agentclient.ErrClosed):
		return errEnds
	case errors.As(err, &login):
		return t.Emit(ctx, &wire.TaskStatusUpdateEvent{Status: wire.TaskStatus{State: wire.TaskStateAuthRequired,
			Message: loginMessage(a.o.Name, login)}})
	case errors.As(err, &content):
		return failf(errContentType, "%v", err)
	case errors.As(err, &died), errors.As(err, &refused), errors.Is(err, agentclient.ErrNoAgent):
		return t.Fail(ctx, err.Error())
	}
	return err
}

// ended is the status that a task ends with whose agent has stopped.
func ended(outcome agentclient.Outcome, denied bool) *wire.TaskStatusUpdateEvent {
	event := &wire.TaskStatusUpdateEvent{Metadata: map[string]any{stopKey: string(outcome.Stop)}}
	if usage := value(outcome.Usage); usage != nil {
		event.Metadata[usageKey] = usage
	}
	if meta := value(outcome.Meta); meta != nil {
		event.Metadata[metaKey] = meta
	}
	state, text := wire.TaskStateCompleted, ""
	switch outcome.Stop {
	case agentclient.StopEndTurn:
	case agentclient.StopRefusal:
		state, text = wire.TaskStateRejected, "The agent refuses to go on."
	case agentclient.StopMaxTokens:
		state, text = wire.TaskStateFailed, "The agent stopped: it has used as many tokens as it may."
	case agentclient.StopMaxTurns:
		state, text = wire.TaskStateFailed, "The agent stopped: it has asked its model as often as it may for one message."
	case agentclient.StopCancelled:
		state, text = wire.TaskStateCanceled, "The agent stopped by itself."
		if denied {
			state, text = wire.TaskStateRejected, "The agent stopped, since it was not allowed what it had asked for."
		}
	default:
		text = "The agent stopped for a reason of its own."
	}
	event.Status.State = state
	if text != "" {
		event.Status.Message = wire.NewMessage(wire.MessageRoleAgent, wire.NewTextPart(text))
	}
	return event
}
