package a2a

import (
	"context"
	"errors"

	wire "github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/a2a-acp/a2a-acp/internal/tasklog"
)

// endQuestions has the questions be over of a task that is being ended with nobody working on it.
func (s *Server) endQuestions(ctx context.Context, t tasklog.Task) error {
	snap, err := s.snapshot(ctx, t)
	if err != nil {
		return err
	}
	return s.cancelQuestions(ctx, t.Owner, questionsOf(snap.task))
}

// cancelQuestions has questions be over that a task has put, whichever process has put them. Those that were answered,
// and whose answer was used, are over already.
func (s *Server) cancelQuestions(ctx context.Context, owner string, ids []string) error {
	var errs []error
	for _, id := range ids {
		errs = append(errs, s.o.Cancelled(ctx, owner, id))
	}
	return errors.Join(errs...)
}

// questionsOf returns under which ids the questions of a task stand, or have stood, for a2a-acp approvals.
func questionsOf(task *wire.Task) (ids []string) {
	said := append([]*wire.Message{}, task.History...)
	if task.Status.Message != nil {
		said = append(said, task.Status.Message)
	}
	seen := map[string]bool{"": true}
	for _, m := range said {
		if m.Role != wire.MessageRoleAgent || m.Metadata["requestId"] == nil {
			continue
		}
		for _, part := range m.Parts {
			data, _ := part.Data().(map[string]any)
			if id := text(data, "approvalId"); data["type"] == "permission_request" && !seen[id] {
				seen[id] = true
				ids = append(ids, id)
			}
		}
	}
	return ids
}
