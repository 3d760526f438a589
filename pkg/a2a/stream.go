package a2a

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"

	wire "github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/a2a-acp/a2a-acp/internal/tasklog"
)

// news is an event as a stream tells it: a StreamResponse as JSON of 1.0.
type news struct {
	id    int64 // the number of the event in its task; 0 for one of no task
	state tasklog.State
	body  json.RawMessage
}

// stream tells what happens to a task. It is used by one goroutine. Close it.
type stream struct {
	first    []news
	follower *tasklog.Follower // nil for a stream that ends after first
	// pauses says that it ends when the task needs input, so that whoever waits for the end can give it.
	pauses bool
}

// next returns what comes next, at least one. It returns io.EOF at the end.
func (s *stream) next(ctx context.Context) ([]news, error) {
	if s.first != nil {
		first := s.first
		s.first = nil
		return first, nil
	}
	if s.follower == nil {
		return nil, io.EOF
	}
	events, err := s.follower.Next(ctx)
	if err != nil {
		return nil, err
	}
	list := make([]news, 0, len(events))
	for _, e := range events {
		list = append(list, news{e.Seq, e.State, e.Body})
		if s.pauses && e.State == tasklog.InputRequired && e.Kind == tasklog.Status {
			s.follower.Close()
			s.follower = nil
			break
		}
	}
	return list, nil
}

func (s *stream) close() {
	if s.follower != nil {
		s.follower.Close()
	}
}

func (s *Server) sendStreamingMessage(ctx context.Context, q *query) (*stream, error) {
	params, err := decode[wire.SendMessageRequest](q)
	if err != nil {
		return nil, err
	}
	got, err := s.send(ctx, q, params)
	if err != nil {
		return nil, err
	}
	if got.reply != nil {
		body, err := json.Marshal(wire.StreamResponse{Event: got.reply})
		return &stream{first: []news{{body: body}}}, err
	}
	if got.begun { // the event that began it is the task
		return &stream{follower: got.follower, pauses: true}, nil
	}
	got.follower.Close()
	stream, err := s.fromNow(ctx, got.task)
	if err == nil {
		stream.pauses = true
	}
	return stream, err
}

// fromNow returns a stream that begins with the task as it is.
func (s *Server) fromNow(ctx context.Context, t tasklog.Task) (*stream, error) {
	snap, err := s.snapshot(ctx, t)
	if err != nil {
		return nil, err
	}
	encoded, err := snap.json()
	if err != nil {
		return nil, err
	}
	follower, err := s.o.Log.Follow(ctx, t.ID, snap.seq)
	if err != nil {
		return nil, err
	}
	body := slices.Concat([]byte(`{"task":`), encoded, []byte(`}`))
	return &stream{first: []news{{snap.seq, logState(snap.task.Status.State), body}}, follower: follower}, nil
}

func (s *Server) subscribeToTask(ctx context.Context, q *query) (*stream, error) {
	params, err := decode[wire.SubscribeToTaskRequest](q)
	if err != nil {
		return nil, err
	}
	t, err := s.task(ctx, q, params.ID)
	if err != nil {
		return nil, err
	}
	missed := q.lastEvent >= 0 && q.lastEvent < t.Seq
	if t.State.Ended() && !missed {
		return nil, failf(errUnsupported, "task %s has ended: it is %s. GetTask returns it", t.ID, t.State)
	}
	if missed || q.lastEvent == t.Seq { // a client that has lost its connection, and nothing else
		follower, err := s.o.Log.Follow(ctx, t.ID, q.lastEvent)
		return &stream{follower: follower}, err
	}
	stream, err := s.fromNow(ctx, t)
	if errors.Is(err, tasklog.ErrNotFound) {
		return nil, taskNotFound(params.ID)
	}
	return stream, err
}
