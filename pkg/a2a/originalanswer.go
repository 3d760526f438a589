package a2a

import (
	"bytes"
	"context"
	"encoding/json"

	wire "github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/a2a-acp/a2a-acp/internal/tasklog"
)

// What the original's clients read is not quite what the protocol says: a task is a member of an answer, the events of
// a stream are answers of JSON-RPC, and whoever is asked answers with a tool call's id and without the task's.

// originalResult returns what POST /a2a/message/send answers, for a result of message/send.
func originalResult(result json.RawMessage) (json.RawMessage, error) {
	var said struct {
		Kind string `json:"kind"`
	}
	if err := json.Unmarshal(result, &said); err != nil {
		return nil, err
	}
	name := "task"
	if said.Kind == "message" {
		name = "message"
	}
	return json.Marshal(map[string]json.RawMessage{name: result})
}

// originalNews is an event of POST /a2a/message/stream.
func originalNews(n news) ([]byte, error) {
	body, err := legacyNews(n)
	if err != nil {
		return nil, err
	}
	return rpcResult(json.RawMessage("null"), body), nil
}

// commandStatus are the states of a task in the original's words for a command.
var commandStatus = map[string]string{"submitted": "pending", "completed": "completed", "failed": "failed", "rejected": "failed",
	"canceled": "failed"}

// confirmationKeys are where a message says which tool call it answers: the original's name, and that of the events.
var confirmationKeys = []string{"development-tool", DevelopmentExtension}

// originalConfirmation makes a message that confirms a tool call, as the extension has it, an answer to the task that
// waits for that: one of the caller's own. Other parameters are returned as they are.
func (s *Server) originalConfirmation(ctx context.Context, q *query) error {
	if !bytes.Contains(q.params, []byte(kindConfirmation)) {
		return nil
	}
	request, err := decode[wire.SendMessageRequest](q)
	if err != nil || request.Message == nil {
		return err
	}
	said, _ := object(member(request.Message.Metadata, confirmationKeys...))
	confirmed, ok := said[kindConfirmation].(map[string]any)
	if !ok {
		return nil
	}
	call, option := text(confirmed, "tool_call_id"), text(confirmed, "selected_option_id")
	if call == "" || option == "" {
		return invalid("message.metadata."+kindConfirmation, "want tool_call_id and selected_option_id")
	}
	if request.Message.TaskID == "" {
		if request.Message.TaskID, err = s.waitingFor(ctx, q, call); err != nil {
			return err
		}
	}
	request.Message.Parts = wire.ContentParts{wire.NewDataPart(map[string]any{"requestId": call, "optionId": option})}
	q.params, err = json.Marshal(request)
	return err
}

// waitingFor returns the caller's task that asks about a tool call. Where its client has chosen the call's id, none is meant:
// another task may have asked under the same one a moment ago, and a yes is for what was read.
func (s *Server) waitingFor(ctx context.Context, q *query, call string) (wire.TaskID, error) {
	list, _, _, err := s.o.Log.List(ctx, tasklog.Query{Door: q.at.door, Owner: q.caller.Name, State: tasklog.InputRequired,
		Most: mostUnderWay})
	if err != nil {
		return "", err
	}
	var found wire.TaskID
	for _, t := range list {
		snap, err := s.snapshot(ctx, t)
		if err != nil {
			return "", err
		}
		if progressOf(snap.task).waits(call) {
			if isNamed(snap.task.History[0], call) {
				return "", invalid("message.taskId", "a client has named the tool call %.60q, and another may bear that "+
					"name; say which task is meant", call)
			}
			if found != "" {
				return "", invalid("message.taskId", "several of your tasks ask about a tool call %.60q; say which is meant", call)
			}
			found = wire.TaskID(t.ID)
		}
	}
	if found != "" {
		return found, nil
	}
	return "", failf(errTaskNotFound, "no task of yours asks about a tool call %.60q", call)
}
