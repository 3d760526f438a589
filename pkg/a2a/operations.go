package a2a

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"

	wire "github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/a2a-acp/a2a-acp/internal/tasklog"
)

// query is a request as every binding makes one of it: in the words of A2A 1.0, whatever the client speaks.
type query struct {
	at         *endpoint
	caller     Caller
	version    string // "1.0" or "0.3": what the client speaks
	base       string // the URL of the server
	params     []byte // see canonical
	extensions []string
	bareScopes bool // see cardForm
	// lastEvent is the last event that the client has of a stream; -1 for none.
	lastEvent int64
}

// operation is one of the protocol's. Exactly one of call and stream is set. What they return is JSON of 1.0.
type operation struct {
	name   string // of 1.0, in JSON-RPC and gRPC
	legacy string // of 0.3, in JSON-RPC; "" for none
	call   func(*Server, context.Context, *query) (json.RawMessage, error)
	stream func(*Server, context.Context, *query) (*stream, error)
}

// operations are all operations (A2A 1.0.1, 5.3).
var operations = []*operation{
	{name: "SendMessage", legacy: "message/send", call: (*Server).sendMessage},
	{name: "SendStreamingMessage", legacy: "message/stream", stream: (*Server).sendStreamingMessage},
	{name: "GetTask", legacy: "tasks/get", call: (*Server).getTask},
	{name: "ListTasks", legacy: "tasks/list", call: (*Server).listTasks},
	{name: "CancelTask", legacy: "tasks/cancel", call: (*Server).cancelTask},
	{name: "SubscribeToTask", legacy: "tasks/resubscribe", stream: (*Server).subscribeToTask},
	{name: "CreateTaskPushNotificationConfig", legacy: "tasks/pushNotificationConfig/set", call: (*Server).createPush},
	{name: "GetTaskPushNotificationConfig", legacy: "tasks/pushNotificationConfig/get", call: (*Server).getPush},
	{name: "ListTaskPushNotificationConfigs", legacy: "tasks/pushNotificationConfig/list", call: (*Server).listPush},
	{name: "DeleteTaskPushNotificationConfig", legacy: "tasks/pushNotificationConfig/delete", call: (*Server).deletePush},
	{name: "GetExtendedAgentCard", legacy: "agent/getAuthenticatedExtendedCard", call: (*Server).getExtendedAgentCard},
}

// operationNamed returns an operation by its name in a version of the protocol.
func operationNamed(name, version string) *operation {
	for _, op := range operations {
		if version == version10 && op.name == name || version == version03 && op.legacy == name && name != "" {
			return op
		}
	}
	return nil
}

// The versions that are spoken.
const (
	version10 = "1.0"
	version03 = "0.3"
)

// versionOf returns which version a client says that it speaks (A2A 1.0.1, 3.6): patches do not count, and
// nothing is 0.3.
func versionOf(said string) (string, *Error) {
	if said == "" {
		return version03, nil
	}
	for _, version := range []string{version10, version03} {
		if said == version || strings.HasPrefix(said, version+".") {
			return version, nil
		}
	}
	e := failf(errVersion, "A2A %.20q is not spoken here; send A2A-Version: 1.0 or 0.3", said)
	e.about = map[string]string{"supportedVersions": version10 + "," + version03}
	return "", e
}

// do carries out an operation with one answer.
func (s *Server) do(ctx context.Context, op *operation, q *query) (json.RawMessage, error) {
	if err := s.route(q); err != nil {
		return nil, err
	}
	return op.call(s, ctx, q)
}

// open carries out an operation with a stream, which the caller closes.
func (s *Server) open(ctx context.Context, op *operation, q *query) (*stream, error) {
	if err := s.route(q); err != nil {
		return nil, err
	}
	return op.stream(s, ctx, q)
}

// route finds the endpoint of a request that names a tenant: agents other than the root's have their name for
// one.
func (s *Server) route(q *query) error {
	if !bytes.Contains(q.params, []byte(`"tenant"`)) {
		return nil
	}
	params, err := decode[struct {
		Tenant string `json:"tenant"`
	}](q)
	switch {
	case err != nil:
		return err
	case params.Tenant == q.at.name:
		return nil
	}
	if other := s.endpoint(params.Tenant); other != nil && q.at == s.root {
		q.at = other
		return nil
	}
	return invalid("tenant", "there is no %.60q here", params.Tenant)
}

// decode reads the parameters of an operation.
func decode[T any](q *query) (*T, error) {
	var params T
	if len(q.params) == 0 {
		return &params, nil
	}
	if err := json.Unmarshal(q.params, &params); err != nil {
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) && wrong.Field != "" {
			return nil, invalid(wrong.Field, "a %s cannot stand there", wrong.Value)
		}
		return nil, failf(errParams, "the parameters cannot be read: %v", err)
	}
	return &params, nil
}

// task returns a task that the caller may know of. To everybody else it does not exist.
func (s *Server) task(ctx context.Context, q *query, id wire.TaskID) (tasklog.Task, error) {
	if id == "" {
		return tasklog.Task{}, invalid("id", "say which task is meant")
	}
	t, err := s.o.Log.Get(ctx, string(id))
	switch {
	case errors.Is(err, tasklog.ErrNotFound):
		return t, taskNotFound(id)
	case err != nil:
		return t, err
	case t.Door != q.at.door || t.Owner != q.caller.Name && !q.caller.Admin:
		return t, taskNotFound(id)
	}
	return t, nil
}

func checkHistoryLength(length *int) error {
	if length != nil && *length < 0 {
		return invalid("historyLength", "it is negative")
	}
	return nil
}

// encodeTask returns a task as JSON, with so much of its history.
func encodeTask(snap *snapshot, length *int) (json.RawMessage, error) {
	if length == nil || len(snap.task.History) <= *length {
		return snap.json()
	}
	return json.Marshal(told(recent(snap.task, length)))
}

func (s *Server) getTask(ctx context.Context, q *query) (json.RawMessage, error) {
	params, err := decode[wire.GetTaskRequest](q)
	if err != nil {
		return nil, err
	}
	if err := checkHistoryLength(params.HistoryLength); err != nil {
		return nil, err
	}
	t, err := s.task(ctx, q, params.ID)
	if err != nil {
		return nil, err
	}
	snap, err := s.snapshot(ctx, t)
	if err != nil {
		return nil, err
	}
	return encodeTask(snap, params.HistoryLength)
}

func notCancelable(t tasklog.Task) error {
	e := failf(errNotCancelable, "task %s has ended: it is %s", t.ID, t.State)
	e.about = map[string]string{"taskId": t.ID}
	return e
}

func (s *Server) cancelTask(ctx context.Context, q *query) (json.RawMessage, error) {
	params, err := decode[wire.CancelTaskRequest](q)
	if err != nil {
		return nil, err
	}
	t, err := s.task(ctx, q, params.ID)
	if err != nil {
		return nil, err
	}
	if t.State.Ended() {
		return nil, notCancelable(t)
	}
	if r := s.of(t.ID); r != nil {
		r.stop(errCanceled)
		select {
		case <-r.over:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		if t, err = s.task(ctx, q, params.ID); err != nil {
			return nil, err
		}
	}
	if t.State != tasklog.Canceled {
		if err := s.endQuestions(ctx, t); err != nil { // first: a task that goes on asks anew
			return nil, err
		}
		step, err := s.step(t, statusEvent(t, wire.TaskStateCanceled, nil))
		if err != nil {
			return nil, err
		}
		ended, err := s.o.Log.Append(context.WithoutCancel(ctx), t.ID, step)
		var refused *tasklog.StepError
		if errors.As(err, &refused) {
			t.State = refused.Before
			return nil, notCancelable(t)
		}
		if err != nil {
			return nil, err
		}
		t = ended
	}
	snap, err := s.snapshot(ctx, t)
	if err != nil {
		return nil, err
	}
	return snap.json()
}
