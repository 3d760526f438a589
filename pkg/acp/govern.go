package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/a2a-acp/a2a-acp/internal/ndjson"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Governors look at an act after the rules and before any person. They block until they have answered or their time is up, and
// end early with ctx. Safe for concurrent use.
type Governors interface {
	// Active tells whether any could be asked about acts in the workspace.
	Active(tool.Workspace) bool
	// Hash names those that could be asked about acts in the workspace, by what they are; "" for none.
	Hash(tool.Workspace) string
	// Review gives what they say of an act. What does not answer never approves.
	Review(context.Context, permissions.Review) permissions.Ruling
	// Forget drops what was counted for a session that has ended.
	Forget(session string)
}

// governs tells whether governors are to be asked about what was decided. Nothing lifts a rejection.
func (b *Bridge) governs(w tool.Workspace, decision permissions.Decision) bool {
	return decision.Verdict != permissions.Reject && b.o.Governors != nil && b.o.Governors.Active(w)
}

// govern asks the governors, records what they said, and puts it on top of what was decided. It blocks, so it is called outside
// of the lanes.
func (b *Bridge) govern(ctx context.Context, review permissions.Review, asked events.Event) permissions.Decision {
	decided := review.Decided
	ruling := b.o.Governors.Review(ctx, review)
	if len(ruling.Governance.Answers) > 0 {
		asked.Governance = &ruling.Governance
		asked.Act.Arguments, asked.Act.Shell = nil, ""
		if err := b.recordDecision(asked); err != nil {
			b.sayUnrecorded(err)
			if review.Action != permissions.ActionRead {
				return unrecorded(decided, err)
			}
		}
	}
	return decided.Govern(ruling)
}

// governAct asks the governors about an act, and then the person where somebody wants that. earlier says that an answer which was
// given a moment ago stands for the act.
func (b *Bridge) governAct(ctx context.Context, a *act, decision permissions.Decision, earlier bool) permissions.Decision {
	review := permissions.NewReview(a.request, decision, a.request.Arguments, asIs)
	review.CallID, review.Title, review.Earlier = a.id, a.title(), earlier
	event := a.event(events.GovernorsAsked)
	if call := b.callFor(*a); call != nil {
		review.ToolCall, event.ToolCall = call.id, call.id
	}
	governed := b.govern(ctx, review, event)
	if err := context.Cause(ctx); err != nil {
		a.cause = err
		governed.Verdict, governed.Source, governed.Reason = permissions.Reject, permissions.SourceFault, err.Error()
		governed.Rule, governed.At, governed.Option = "", "", ""
		return governed
	}
	if governed.Verdict == permissions.Ask && earlier && decision.First == permissions.SourcePerson {
		return decision // the person has been asked about this very act, and said yes
	}
	if governed.Verdict != permissions.Ask {
		return governed
	}
	if refused, ok := b.mayAsk(a, governed); !ok {
		return refused
	}
	governed, a.cause = b.answerFor(ctx, *a, governed)
	return governed
}

// asIs leaves texts alone: what an agent asks its editor for holds no values that were declared secret.
func asIs(s string) string { return s }

// governPrompt asks the governors about an agent's question, outside of the lane, and then has it answered or passed on.
func (b *Bridge) governPrompt(frame ndjson.Frame, line []byte, p prompt, decision permissions.Decision) error {
	ctx, withdraw := context.WithCancelCause(b.turnContext(p.session))
	key := ndjson.ID(frame.ID)
	if !b.keep(key, withdraw) {
		withdraw(nil)
		return b.refuseAgent(frame, idInUse)
	}
	frame, _ = clone(frame, line)
	b.holding.Go(func() { // ends with the governors, whose time is bounded, or when the question is withdrawn
		defer withdraw(nil)
		request := p.claim.request
		review := permissions.NewReview(request, decision, request.Arguments, asIs)
		review.ToolCall, review.Title, review.Claim = p.call.id, p.call.title, p.call.told()
		governed := b.govern(ctx, review, p.event(events.GovernorsAsked))
		b.drop(key)
		var err error
		switch cause := context.Cause(ctx); {
		case errors.Is(cause, errTurnCancelled):
			b.backToAgent.put(response(p.id, cancelledOutcome))
		case cause != nil:
			b.backToAgent.put(errorResponse(p.id, wireError{Code: codeCancelled, Message: "a2a-acp: " + cause.Error()}))
		default:
			err = b.settlePrompt(frame, p, governed)
		}
		if err != nil {
			b.o.Say(fmt.Sprintf("%s: %v", methodPermission, err)) // the other end is broken; its lane ends the bridge
		}
	})
	return nil
}

// cancelledOutcome answers a question in a turn that the person cancelled (ACP, session/request_permission).
var cancelledOutcome = map[string]any{"outcome": map[string]string{"outcome": "cancelled"}}

// told gives the agent's tool call as it told of it.
func (c *toolCall) told() []byte {
	fields := map[string]any{"toolCallId": c.id, "title": c.title, "kind": c.kind}
	for name, raw := range map[string][]byte{"content": c.content, "locations": c.locations, "rawInput": c.rawInput} {
		if ndjson.Strict(raw) == nil && len(raw) > 0 {
			fields[name] = json.RawMessage(raw)
		} else if len(raw) > 0 {
			fields[name] = string(raw)
		}
	}
	return encode(fields)
}
