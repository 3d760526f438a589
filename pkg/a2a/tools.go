package a2a

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	wire "github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Tools are the tools that a ToolAgent offers. Safe for concurrent use.
type Tools interface {
	// List returns the tools that a caller is offered, in the order in which they are shown; those of Caller{}
	// are what the public card says. It must not block.
	List(Caller) []*tool.Tool
	// Sandbox returns how calls are confined here, in a word.
	Sandbox() string
	// Call makes a call, and returns when it has ended. It may wait for a person.
	Call(ctx context.Context, call ToolCall, asker ToolCaller) tool.Result
}

// ToolCall is a call as a client asks for it. Only its tool is known to be one that the caller is offered.
type ToolCall struct {
	ID        string // the client's, or ours; unique in its task
	Tool      string
	Arguments json.RawMessage
	Caller    Caller
	Task      string
	Context   string
}

// ToolCaller is asked, and hears, while a call is made.
type ToolCaller interface {
	approval.Asker
	// Output is told what the call has put out since the last time; p is valid until it returns.
	Output(stderr bool, p []byte)
	// Working is told while the call waits how it goes on, in our own words.
	Working(text string)
}

// ToolAgent is an Agent whose skills are tools. It makes one of them (ToolExtension says how), and tells what
// it comes to as an artifact.
type ToolAgent struct {
	o ToolOptions

	mu    sync.Mutex
	cards map[Caller]*toolCard
	seats seats
}

// ToolOptions configure a ToolAgent.
type ToolOptions struct {
	Tools Tools // required
	// Board is where questions also stand. Optional.
	Board   approval.Board
	Name    string // required, as what follows: the agent's
	Version string
	// Card adds to the card what the tools do not say: documentation, security. Optional.
	Card func(*wire.AgentCard)
	// AtOnce is how many calls of one task are made at the same time. Optional, default 4.
	AtOnce int
	// Running is how many calls of one principal run at the same time; those that wait for somebody do not count.
	// Optional, default 32.
	Running int
}

// toolCard is a card, and the tools that it was made of.
type toolCard struct {
	tools []*tool.Tool
	card  *wire.AgentCard
}

// ToolExtension is the URI of what a card says of tools: how they are called, how they are confined, and for which
// of them a person is asked.
const ToolExtension = "https://github.com/a2a-acp/a2a-acp/extensions/tools/v1"

// NewToolAgent makes a ToolAgent.
func NewToolAgent(o ToolOptions) *ToolAgent {
	if o.AtOnce <= 0 {
		o.AtOnce = 4
	}
	if o.Running <= 0 {
		o.Running = 32
	}
	return &ToolAgent{o: o, cards: map[Caller]*toolCard{}, seats: seats{most: o.Running}}
}

// Card implements Agent.
func (a *ToolAgent) Card(from Caller) *wire.AgentCard {
	tools := a.o.Tools.List(from)
	from.Token, from.Claims, from.Trace = tool.Credential{}, tool.Claims{}, tool.Trace{} // the same card for all of them
	a.mu.Lock()
	defer a.mu.Unlock()
	known := a.cards[from]
	if known != nil && slices.Equal(known.tools, tools) {
		return known.card
	}
	if len(a.cards) >= mostCards {
		clear(a.cards)
	}
	known = &toolCard{tools, a.cardOf(tools, from != Caller{})}
	a.cards[from] = known
	return known.card
}

// toolSkill is what the extension says of a skill.
type toolSkill struct {
	// Person says when a person is asked before a call: always, never, or as the policies say.
	Person      string         `json:"person"`
	ReadOnly    bool           `json:"readOnly"`
	Destructive bool           `json:"destructive"`
	OpenWorld   bool           `json:"openWorld"`
	Parameters  map[string]any `json:"parameters,omitempty"` // a JSON schema; in the extended card
}

func (a *ToolAgent) cardOf(tools []*tool.Tool, extended bool) *wire.AgentCard {
	modes := []string{"application/json", "text/plain"}
	card := &wire.AgentCard{
		Name: a.o.Name, Version: a.o.Version,
		Description:       "Runs the tools that people have written for it: each call is decided by policies, confined, and on record.",
		Capabilities:      wire.AgentCapabilities{Streaming: true, ExtendedAgentCard: true},
		DefaultInputModes: modes, DefaultOutputModes: []string{"text/plain", "application/json"},
		Skills: []wire.AgentSkill{},
	}
	said := map[string]any{}
	for _, t := range tools {
		card.Skills = append(card.Skills, skillOf(t))
		about := toolSkill{Person: "policy", ReadOnly: t.IsReadOnly(), Destructive: t.IsDestructive(), OpenWorld: t.IsOpenWorld()}
		switch {
		case t.Sandbox.RequiresConfirmation:
			about.Person = "always"
		case t.IsReadOnly():
			about.Person = "never unless a policy asks"
		}
		if extended {
			about.Parameters = t.InputSchema()
		}
		said[t.ID] = about
	}
	if len(card.Skills) == 0 { // a card has at least one
		card.Skills = append(card.Skills, wire.AgentSkill{ID: "help", Name: "Help",
			Description: "Says which tools there are. At the moment there are none.", Tags: []string{"help"}})
	}
	card.Capabilities.Extensions = []wire.AgentExtension{{
		URI:         ToolExtension,
		Description: "How skills are called as tools: a data part with toolCalls, or a skill's id with its parameters.",
		Params: map[string]any{
			"call":    `{"toolCalls": [{"id": "1", "toolId": "SKILL", "parameters": {}}]}`,
			"sandbox": a.o.Tools.Sandbox(), "skills": said,
		},
	}, developmentExtension()}
	if a.o.Card != nil {
		a.o.Card(card)
	}
	return card
}

func skillOf(t *tool.Tool) wire.AgentSkill {
	name := t.Name
	if name == "" {
		name = t.ID
	}
	skill := wire.AgentSkill{ID: t.ID, Name: name, Description: t.Description,
		Tags: append([]string{"tool"}, t.Tags...), InputModes: []string{"application/json", "text/plain"},
		OutputModes: []string{"text/plain", "application/json"}}
	if skill.Description == "" {
		skill.Description = "No description."
	}
	for _, example := range t.Examples {
		switch {
		case example.Text != "":
			skill.Examples = append(skill.Examples, example.Text)
		case len(example.Arguments) > 0:
			skill.Examples = append(skill.Examples, t.ID+" "+string(example.Arguments))
		}
	}
	return skill
}

// Receive implements Agent. A message that calls nothing is answered with what could be called.
func (a *ToolAgent) Receive(_ context.Context, from Caller, m *wire.Message) (*wire.Message, error) {
	calls, err := callsOf(m)
	if err != nil {
		return nil, err
	}
	tools := a.o.Tools.List(from)
	if calls == nil {
		return wire.NewMessage(wire.MessageRoleAgent, wire.NewTextPart(help(tools))), nil
	}
	for i, call := range calls {
		if !slices.ContainsFunc(tools, func(t *tool.Tool) bool { return t.ID == call.Tool }) {
			return nil, invalid(fmt.Sprintf("toolCalls[%d].toolId", i), "there is no tool %.60q; the card has those that there are",
				call.Tool)
		}
	}
	return nil, nil
}

// help says what can be called, and how.
func help(tools []*tool.Tool) string {
	var b strings.Builder
	b.WriteString("This agent runs tools. Send a skill's id with its parameters, as a text\n\n    SKILL {\"name\": \"value\"}\n\n" +
		"(or /SKILL where it needs none), or as a data part {\"toolCalls\": [{\"toolId\": \"SKILL\", " +
		"\"parameters\": {…}}]}.\n\nThe skills:\n")
	for _, t := range tools {
		line, _, _ := strings.Cut(t.Description, "\n")
		fmt.Fprintf(&b, "- %s: %s\n", t.ID, line)
	}
	if len(tools) == 0 {
		b.WriteString("(none at the moment)\n")
	}
	return b.String()
}

// Work implements Agent.
func (a *ToolAgent) Work(ctx context.Context, t *Turn) error { return a.work(ctx, t, nil) }

// Resume implements Resumer. Calls that have their result are done. Of the others, those go on whose question was
// not answered, since they had not begun; what may have run is not run again.
func (a *ToolAgent) Resume(ctx context.Context, t *Turn) error {
	return a.work(ctx, t, progressOf(t.Task()))
}

// Idle implements Resumer. A call runs as soon as it may.
func (a *ToolAgent) Idle(*wire.Task) bool { return false }

// work makes the calls of a task, and tells how it has ended.
func (a *ToolAgent) work(ctx context.Context, t *Turn, earlier *progress) error {
	first := t.Task().History[0]
	calls, err := callsOf(first)
	if err != nil {
		return err
	}
	if earlier == nil || !earlier.begun {
		if err := t.Working(ctx, ""); err != nil {
			return err
		}
	}
	results := make([]tool.Result, len(calls))
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(a.o.AtOnce, len(calls)) {
		workers.Go(func() { // ends when there are no more calls
			for i := range next {
				results[i] = a.make(ctx, t, calls[i], earlier)
			}
		})
	}
	for i := range calls {
		next <- i
	}
	close(next)
	workers.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return t.Emit(ctx, summary(results))
}

// make makes one call, unless that is done, and puts its artifact out.
func (a *ToolAgent) make(ctx context.Context, t *Turn, call ToolCall, earlier *progress) tool.Result {
	call.Caller, call.Task, call.Context = t.Caller(), string(t.Task().ID), t.Task().ContextID
	p := newPresenter(ctx, t, a.o.Board, call)
	if earlier != nil {
		if result, done := earlier.results[call.ID]; done {
			return result
		}
		if earlier.begun && !earlier.waits(call.ID) {
			return p.end(NoResult(call, tool.Failf(tool.FailInternal,
				"the server was ended while the call ran, or before it was told how it ended; it was not made again")))
		}
		if earlier.expired(call.ID, t.run.server.o.Now()) {
			return p.end(NoResult(call, tool.Failf(tool.FailApproval,
				"nobody answered in time, which counts as no")))
		}
	}
	if t.run.develops {
		if err := t.Emit(ctx, callBegins(call)); err != nil {
			return p.end(NoResult(call, tool.Failf(tool.FailInternal, "what is told of the call cannot be kept: %v", err)))
		}
	}
	p.seat = a.seats.seat(t.run.owner)
	defer p.seat.leave()
	_ = p.seat.take(ctx) // a call whose time is over ends at once
	end := t.Begin()
	result := a.o.Tools.Call(ctx, call, p)
	end()
	if p.left() { // the question goes on, for the process that comes next
		return result
	}
	return p.end(result)
}

// NoResult is the result of a call that was not made.
func NoResult(call ToolCall, why *tool.Failure) tool.Result {
	status := tool.StatusFailed
	if why.Code == tool.FailApproval || why.Code == tool.FailDenied {
		status = tool.StatusDenied
	}
	return tool.Result{CallID: call.ID, ToolID: call.Tool, Status: status, ExitCode: -1, Error: why,
		Metadata: tool.Metadata{Diagnostics: map[string]any{},
			Sandbox: tool.SandboxReport{Level: "none", Limits: map[string]int64{}, LimitsHit: []string{}, Hints: []tool.Hint{}}}}
}

// summary is the status that a task ends with, after its calls.
func summary(results []tool.Result) *wire.TaskStatusUpdateEvent {
	state, denied := wire.TaskStateCompleted, 0
	var lines []string
	for _, r := range results {
		if r.Status == tool.StatusDenied {
			denied++
		}
		if r.Status == tool.StatusCompleted {
			continue
		}
		state = wire.TaskStateFailed
		lines = append(lines, r.ToolID+": "+sentence(r))
	}
	if denied == len(results) {
		state = wire.TaskStateRejected
	}
	event := &wire.TaskStatusUpdateEvent{Status: wire.TaskStatus{State: state}}
	if lines != nil {
		event.Status.Message = wire.NewMessage(wire.MessageRoleAgent, wire.NewTextPart(strings.Join(lines, "\n")))
	}
	return event
}

// sentence says why a call did not end well.
func sentence(r tool.Result) string {
	switch {
	case r.Error != nil:
		return r.Error.Error()
	case r.MCPError != nil:
		text := strings.TrimSuffix(fmt.Sprintf("%s: %s", r.MCPError.Message, r.MCPError.DetailText()), ": ")
		if r.Metadata.Diagnostics["error_profile"] == tool.ProfileBasic.Word() {
			text += fmt.Sprintf(" (error code %d, return code %d)", r.MCPError.Code, r.MCPError.ReturnCode)
		}
		return text
	case r.Signal != "":
		return "ended by " + r.Signal
	}
	return fmt.Sprintf("exit code %d", r.ExitCode)
}
