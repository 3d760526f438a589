package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// found returns the task that a request is about.
func (s *Server) found(ctx context.Context, x *exchange) (Task, error) {
	if !x.client.Capabilities.Tasks {
		return Task{}, needsTasks()
	}
	task, err := s.o.Tasks.Get(ctx, x.client.Principal, textParam(x.params, "taskId"))
	if errors.Is(err, ErrNoTask) {
		return task, failf(codeParams, "%v", ErrNoTask)
	}
	return task, err
}

func needsTasks() *ProtocolError {
	return NeedsCapability(map[string]any{"extensions": map[string]any{tasksExtension: map[string]any{}}})
}

// getTask says how a task stands. One that waits goes on where its answer has come another way.
func (s *Server) getTask(ctx context.Context, x *exchange) ([]byte, error) {
	task, err := s.found(ctx, x)
	if err != nil {
		return nil, err
	}
	if task.Status == TaskInput {
		if task, err = s.goOn(ctx, x); err != nil {
			return nil, err
		}
	}
	told := task.detail()
	told["resultType"], told["_meta"] = "complete", s.resultMeta()
	return encode(told)
}

// goOn has a task go on whose answer has come, and returns it.
func (s *Server) goOn(ctx context.Context, x *exchange) (Task, error) {
	s.tasks.turn.Lock()
	defer s.tasks.turn.Unlock()
	task, err := s.found(ctx, x)
	if err != nil || task.Status != TaskInput ||
		len(task.Waits.Requests) > 0 && (s.o.Answered == nil || !s.o.Answered(ctx, task.Waits.State)) {
		return task, err
	}
	if err = s.resume(ctx, x, &task); errors.Is(err, errNotNow) {
		err = nil
	}
	return task, err
}

// updateTask takes answers. What nobody asks, or asks no more, is passed over.
func (s *Server) updateTask(ctx context.Context, x *exchange) ([]byte, error) {
	s.tasks.turn.Lock()
	defer s.tasks.turn.Unlock()
	task, err := s.found(ctx, x)
	if err != nil {
		return nil, err
	}
	answers, failed := readAnswers(param(x.params, "inputResponses"))
	if failed != nil {
		return nil, failed
	}
	if task.Status == TaskInput {
		task.Waits = task.Waits.clone()
		for key, answer := range answers {
			if _, asked := task.Waits.Requests[key]; asked {
				delete(task.Waits.Requests, key)
				task.Waits.Answers[strings.TrimPrefix(key, fmt.Sprintf("%d.", task.Waits.Round))] = answer
			}
		}
		err := errNotNow
		if len(task.Waits.Requests) == 0 {
			err = s.resume(ctx, x, &task)
		}
		if errors.Is(err, errNotNow) { // with the answers, until getTask goes on with it
			err = s.keep(ctx, &task)
		}
		if err != nil {
			return nil, err
		}
	}
	return encode(s.head(x, notKept))
}

// cancelTask ends a task, if it has not ended.
func (s *Server) cancelTask(ctx context.Context, x *exchange) ([]byte, error) {
	s.tasks.turn.Lock()
	defer s.tasks.turn.Unlock()
	task, err := s.found(ctx, x)
	if err == nil {
		err = s.endTask(ctx, task)
	}
	if err != nil {
		return nil, err
	}
	return encode(s.head(x, notKept))
}

// endTask ends a task, if it has not ended. turn is held.
func (s *Server) endTask(ctx context.Context, task Task) error {
	s.tasks.mu.Lock()
	r := s.tasks.running[task.ID]
	if r != nil {
		r.cancelled = true
		r.cancel(ErrCancelled)
	}
	s.tasks.mu.Unlock()
	if r != nil || task.Status != TaskInput {
		return nil
	}
	if err := s.o.Cancelled(ctx, task.Waits.State); err != nil { // first: a task that waits for what is over asks anew
		return err
	}
	task.Status = TaskCancelled
	return s.keep(ctx, &task)
}

// endUntold ends a task of which its client does not learn.
func (s *Server) endUntold(told Task) {
	ctx := context.WithoutCancel(s.tasks.ctx)
	s.tasks.turn.Lock()
	defer s.tasks.turn.Unlock()
	task, err := s.o.Tasks.Get(ctx, told.Principal, told.ID)
	if err == nil {
		err = s.endTask(ctx, task)
	}
	if err != nil {
		s.o.Say(fmt.Sprintf("a call that was given up may still wait for an answer: %v", err))
	}
}
