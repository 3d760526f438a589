package app

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/internal/mcpserver"
	"github.com/a2a-acp/a2a-acp/internal/store"
)

// mcpTasks keeps tasks of MCP clients in the store, so that those which wait for an answer outlive the program.
// It is a mcpserver.TaskLog.
type mcpTasks struct{ questions *approval.Questions }

// Keep implements mcpserver.TaskLog.
func (t mcpTasks) Keep(ctx context.Context, task mcpserver.Task) error {
	s, err := t.questions.Store(ctx)
	if err != nil {
		return err
	}
	data, err := json.Marshal(task)
	if err != nil {
		return err
	}
	kept := store.MCPTask{ID: task.ID, Principal: task.Principal, Created: task.Created,
		Working: task.Status == mcpserver.TaskWorking, Ended: task.Status.Ended(), Data: data}
	err = s.KeepMCPTask(ctx, kept, now().Add(-mcpserver.TaskLife), mostOfTasks)
	if errors.Is(err, store.ErrTooManyTasks) {
		return &mcpserver.ProtocolError{Code: mcpInternal, Message: err.Error()}
	}
	return err
}

// mostOfTasks is how many bytes of tasks are kept for a principal.
const mostOfTasks = 256 << 20

// Get implements mcpserver.TaskLog.
func (t mcpTasks) Get(ctx context.Context, principal, id string) (mcpserver.Task, error) {
	s, err := t.questions.Store(ctx)
	if err != nil {
		return mcpserver.Task{}, err
	}
	kept, err := s.MCPTask(ctx, principal, id)
	if errors.Is(err, store.ErrNoTask) {
		return mcpserver.Task{}, mcpserver.ErrNoTask
	}
	var task mcpserver.Task
	if err == nil {
		err = json.Unmarshal(kept.Data, &task)
	}
	if err != nil || !kept.Left {
		return task, err
	}
	task.Status, task.Failed = mcpserver.TaskFailed, &mcpserver.ProtocolError{Code: mcpInternal,
		Message: "the program ended while the call ran; what it has done is not known"}
	return task, t.Keep(ctx, task)
}

// mcpInternal is JSON-RPC's code of an internal error.
const mcpInternal = -32603

// answered reports whether the question of a waiting call has been answered elsewhere.
func (d *mcpDoor) answered(ctx context.Context, text string) bool {
	var state mcpState
	return json.Unmarshal([]byte(text), &state) == nil && state.Question != "" && d.Questions.Answered(ctx, state.Question)
}

// cancelled has the question of a waiting call be over which nobody goes on with.
func (d *mcpDoor) cancelled(ctx context.Context, text string) error {
	var state mcpState
	if json.Unmarshal([]byte(text), &state) == nil && state.Question != "" {
		return d.Questions.Cancel(ctx, store.Cancelled{ID: state.Question, CallID: state.Call, Why: "the call was cancelled"})
	}
	return nil
}
