package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/mcpserver"
	"github.com/a2a-acp/a2a-acp/internal/person"
	"github.com/a2a-acp/a2a-acp/internal/serve"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// mcpCaller is one call of an MCP client.
type mcpCaller struct {
	door  *mcpDoor
	call  mcpserver.Call
	state mcpState
	place mcpPlace
	// secret is set if the call has arguments that may be kept nowhere.
	secret bool

	// Set by Ask, and read when the call has ended.
	asked    string // the question that the client is to be asked
	question approval.Question
}

// Workspace implements Caller.
func (c *mcpCaller) Workspace() tool.Workspace { return c.place.workspace }

// Dir implements Caller.
func (c *mcpCaller) Dir() string { return c.place.dir }

// Origin implements Caller.
func (c *mcpCaller) Origin() tool.Origin {
	client := c.call.Client
	origin := tool.Origin{Door: tool.DoorMCP, Agent: display.Line(client.Name), Principal: client.Principal,
		Served: client.Principal != "", Session: client.Session}
	if !origin.Served {
		origin.Principal = "an MCP client on standard input"
		if person.Look().AgentsAct() {
			origin.Principal = "some agent's own MCP server" // what a person was asked for his own client is another's
		}
	}
	return origin
}

// Begin implements Caller.
func (c *mcpCaller) Begin(ctx context.Context, call Begun) (context.Context, tool.Origin, func()) {
	origin := c.Origin()
	origin.ToolCall, origin.Token, origin.Claims = call.Hint, shownIn(ctx), claimsIn(ctx)
	return ctx, origin, func() {}
}

// unaskedTime is how long a call waits for a person who cannot be asked by its client: clients give up on a
// call after a minute at the earliest.
const unaskedTime = 50 * time.Second

// Ask implements approval.Asker: the question stands on the board, and the client is asked at the same time
// where it can ask its person and may answer for them. The first answer holds. What a client answers it may
// have answered by itself: such a yes is for one call, and recorded as claimed.
func (c *mcpCaller) Ask(ctx context.Context, q approval.Question) (approval.Answer, error) {
	if c.call.Client.Session == "" {
		q.Lasting = nil // for the rest of what?
	}
	if c.state.Question != "" { // what the client has brought is no answer to this
		if err := c.door.Questions.AskedAnew(ctx, c.state.Question, q); err != nil {
			return approval.Answer{}, err
		}
	}
	mayAnswer := c.call.Client.Capabilities.Elicitation && !q.AtTerminal && c.door.app.clientsAnswer(c.call.Client.Principal)
	q.InCall = mayAnswer && c.call.Ask != nil
	switch {
	case q.InCall:
		return c.askInCall(ctx, q)
	case mayAnswer:
		return c.askByResult(ctx, q)
	}
	return c.wait(ctx, q)
}

// clientsAnswer reports whether the clients of a principal may answer for their person. That of a program which an
// agent has started is that agent, or whatever it likes. Where nobody shows a token, it may be one that is confined.
func (a *App) clientsAnswer(principal string) bool {
	return !a.Set().Settings.People.AtTerminal && a.caller().Caller != person.Agent &&
		strings.TrimPrefix(principal, agentsName("")) != serve.NameAnonymous
}

// askInCall asks the client while the call waits.
func (c *mcpCaller) askInCall(ctx context.Context, q approval.Question) (approval.Answer, error) {
	stands := newStanding()
	return approval.AskAndTell(ctx, c.door.Questions, q, func() {}, stands.set, func(ctx context.Context) (approval.Answer, error) {
		raw, err := c.call.Ask(ctx, c.elicitation(q))
		if err == nil {
			if answer, answered := c.answer(raw); answered {
				return answer, nil
			}
		}
		if ctx.Err() != nil {
			return approval.Answer{}, context.Cause(ctx)
		}
		if why := c.door.Questions.MayStay(ctx, q); why != nil { // it stands already, and does not stay
			no := approval.Answer{Verdict: permissions.Reject, Source: permissions.SourceNobody, Reason: why.Error()}
			return no, nil //nolint:nilerr // it is the reason
		}
		return stands.until(ctx, c.door.unasked) // it cannot ask after all, or its person has put it aside
	})
}

// wait has the question stand where others can answer it, for as long as a client waits without a sign.
func (c *mcpCaller) wait(ctx context.Context, q approval.Question) (approval.Answer, error) {
	stands := newStanding()
	return approval.AskAndTell(ctx, c.door.Questions, q, func() {}, stands.set, func(ctx context.Context) (approval.Answer, error) {
		return stands.until(ctx, c.door.unasked)
	})
}

// askByResult has the call's result ask the client. The question stands meanwhile, and the call that is made
// again finds its answer there.
func (c *mcpCaller) askByResult(ctx context.Context, q approval.Question) (approval.Answer, error) {
	if c.dismissed() {
		return c.wait(ctx, q)
	}
	id, answer, found, err := c.door.Questions.Stand(ctx, q)
	if found || err != nil {
		return answer, err
	}
	c.asked, c.question = id, q
	return approval.Answer{}, noAnswerYet("the client is asked")
}

// needs returns what the client is asked for before the call can go on; nil if nothing.
func (c *mcpCaller) needs() *mcpserver.InputRequired {
	if c.asked == "" {
		return nil
	}
	state := c.state
	state.Question, state.Call = c.asked, c.question.CallID
	text, err := json.Marshal(state)
	if err != nil { // of texts there is none
		return nil
	}
	return &mcpserver.InputRequired{State: string(text), Waits: !c.secret,
		Requests: map[string]mcpserver.InputRequest{answerKey: c.elicitation(c.question)}}
}

// bring takes the answer that the client has brought along to the question that it was asked.
func (c *mcpCaller) bring(ctx context.Context) error {
	if c.state.Question == "" || !c.door.app.clientsAnswer(c.call.Client.Principal) { // that may have changed since it was asked
		return nil
	}
	answer, answered := c.answer(c.call.Answers[answerKey])
	if !answered {
		return nil
	}
	err := c.door.Questions.Bring(ctx, c.state.Question, answer.Verdict == permissions.Approve, answer.By, answer.Reason)
	if errors.Is(err, approval.ErrNoQuestion) {
		return nil // somebody else was first, or it is an answer that was brought before: the store knows which holds
	}
	return err
}

// dismissed reports whether the client's person has put the question aside without an answer.
func (c *mcpCaller) dismissed() bool {
	var said struct {
		Action string `json:"action"`
	}
	return c.state.Question != "" && json.Unmarshal(c.call.Answers[answerKey], &said) == nil && said.Action == "cancel"
}

// The answers that a client can give, one of which its person picks.
const (
	allowOnce = "allow once"
	deny      = "deny"
)

// elicitation is a question as a client asks its person.
func (c *mcpCaller) elicitation(q approval.Question) mcpserver.InputRequest {
	message := q.Title
	if q.Text != "" {
		message += "\n\n" + q.Text
	}
	params, err := json.Marshal(map[string]any{
		"mode": "form", "message": message,
		"requestedSchema": map[string]any{
			"type": "object", "required": []string{"answer"},
			"properties": map[string]any{"answer": map[string]any{
				"type": "string", "title": "Your answer", "enum": []string{allowOnce, deny},
			}},
		},
	})
	if err != nil { // of texts there is none
		params = nil
	}
	return mcpserver.InputRequest{Method: "elicitation/create", Params: params}
}

// answer reads what a client has answered. answered is false where its person has put the question aside, or
// it says something that is no answer.
func (c *mcpCaller) answer(raw json.RawMessage) (answer approval.Answer, answered bool) {
	var said struct {
		Action  string `json:"action"`
		Content struct {
			Answer string `json:"answer"`
		} `json:"content"`
	}
	if len(raw) == 0 || json.Unmarshal(raw, &said) != nil {
		return answer, false
	}
	name := strings.TrimSpace(display.Line(c.call.Client.Name) + " " + display.Line(c.call.Client.Version))
	if name == "" {
		name = "a client without a name"
	}
	answer = approval.Answer{Verdict: permissions.Reject, Source: permissions.SourcePerson, By: "claimed by " + name + " over MCP"}
	switch {
	case said.Action == "accept" && said.Content.Answer == allowOnce:
		answer.Verdict = permissions.Approve
	case said.Action == "decline", said.Action == "accept":
	default:
		return answer, false
	}
	return answer, true
}

// noAnswerYet is an error that leaves the question where it stands, for whoever asks it again.
type noAnswerYet string

func (e noAnswerYet) Error() string { return string(e) }

func (e noAnswerYet) Is(target error) bool {
	return target == approval.ErrNobody || target == approval.ErrAskerGone
}

// standing is a question that stands on the board, or will in a moment.
type standing struct{ id chan string }

func newStanding() *standing { return &standing{id: make(chan string, 1)} }

// set notes under which id it can be answered; "" is nowhere. It is called once.
func (s *standing) set(id string) {
	if id != "" {
		s.id <- id
	}
}

// slowDisk is how long a question may take until it stands.
const slowDisk = 10 * time.Second

// until waits for an answer from elsewhere, which ends ctx, and then says where the question can be answered.
func (s *standing) until(ctx context.Context, patience time.Duration) (approval.Answer, error) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return approval.Answer{}, context.Cause(ctx)
	case <-timer.C:
	}
	how := "a2a-acp approvals"
	timer.Reset(slowDisk)
	select {
	case <-ctx.Done():
		return approval.Answer{}, context.Cause(ctx)
	case id := <-s.id:
		how = "a2a-acp approvals approve " + id
	case <-timer.C:
	}
	return approval.Answer{}, noAnswerYet(fmt.Sprintf("nobody has answered yet, and the question waits: "+
		"the person can answer it at a terminal with `%s`; make the same call again then", how))
}
