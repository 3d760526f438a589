package approval

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/store"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// openStore opens the store of a state directory. What becomes of questions goes to the record before it
// counts.
func openStore(ctx context.Context, dir string, record events.Recorder, now func() time.Time) (*store.Store,
	error) {
	return store.Open(ctx, store.Options{Path: filepath.Join(dir, store.Name), Now: now,
		Record: func(transition store.Transition, before, after store.Approval) error {
			event := transitionEvent(transition, before, after)
			event.Time = now()
			return record.Record(context.WithoutCancel(ctx), event)
		}})
}

// transitionEvent tells of a question that has outlived the process that asked it.
func transitionEvent(transition store.Transition, before, after store.Approval) events.Event {
	event := events.Event{
		Session: after.Session, Task: after.Task, Context: after.Context, CallID: after.CallID, ToolCall: after.ToolCall,
		Agent: after.Agent, Door: after.Door, Principal: after.Principal,
		Act: &events.Act{Kind: after.Kind, Title: events.Text(after.Title), Digest: after.Digest,
			Claimed: !after.Bound},
	}
	switch transition {
	case store.TransitionLeft:
		event.Type, event.Detail = events.ApprovalLeft,
			fmt.Sprintf("question %s stands, though nobody waits for its answer any more", before.ID)
	case store.TransitionJoined:
		event.AskedBy = before.CallID
		event.Type, event.Detail = events.ApprovalJoined,
			fmt.Sprintf("question %s, which call %s had asked, is this call's now", before.ID, before.CallID)
	case store.TransitionUsed:
		event.Type = events.ApprovalUsed
		event.CallID, event.AskedBy = after.UsedBy, before.CallID
		event.Detail = fmt.Sprintf("the answer to question %s, which call %s had asked: %s at %s by %s",
			before.ID, before.CallID, before.State, before.Answered.UTC().Format(time.RFC3339), before.Approver)
	case store.TransitionCancelled:
		event.Type = events.ApprovalCancelled
		event.Detail = fmt.Sprintf("question %s is over: %s", before.ID, after.Reason)
		if before.State == store.Approved {
			event.Detail = fmt.Sprintf("the yes to question %s, by %s, counts no more: %s", before.ID, before.Approver, after.Reason)
		}
	}
	event.Detail = events.Text(event.Detail)
	return event
}

// answeredEvent is a person's answer for the record.
func answeredEvent(a store.Approval, approved bool, by, reason string) events.Event {
	decision := tool.DecisionSummary{Result: permissions.Reject.String(),
		Source: string(permissions.SourcePerson), Reason: events.Text(reason), Approver: by}
	if approved {
		decision.Result = permissions.Approve.String()
	}
	return events.Event{
		Type: events.ApprovalAnswered, Session: a.Session, Task: a.Task, Context: a.Context, CallID: a.CallID,
		ToolCall: a.ToolCall, Agent: a.Agent, Door: a.Door, Principal: a.Principal,
		Act:      &events.Act{Kind: a.Kind, Title: events.Text(a.Title), Digest: a.Digest, Claimed: !a.Bound},
		Decision: &events.Decision{DecisionSummary: decision},
	}
}
