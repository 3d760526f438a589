package a2a

import (
	"errors"
	"fmt"
	"time"

	wire "github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/a2a-acp/a2a-acp/internal/tasklog"
)

// Retention says how long tasks are kept after they have ended, by how they did; 0 is for good.
type Retention struct {
	Completed time.Duration
	Failed    time.Duration // also those that were canceled or rejected
	// Waiting is how long a task may wait for its client. Then it fails.
	Waiting time.Duration
}

// cleanEvery is how often old tasks are looked for.
const cleanEvery = 10 * time.Minute

// clean removes old tasks, until the server ends.
func (s *Server) clean() {
	tick := time.NewTicker(cleanEvery)
	defer tick.Stop()
	for {
		s.cleanOnce()
		select {
		case <-s.ending.Done():
			return
		case <-tick.C:
		}
	}
}

// cleanOnce removes what is old by now, and ends what has waited for too long.
func (s *Server) cleanOnce() {
	keep, now := s.o.Retention(), s.o.Now()
	for _, at := range s.all() {
		if keep.Waiting > 0 {
			if err := s.endWaiting(at, now.Add(-keep.Waiting)); err != nil && s.ending.Err() == nil {
				s.o.Say(fmt.Sprintf("tasks that nobody answers were not ended: %v", err))
			}
		}
		for state, age := range map[tasklog.State]time.Duration{
			tasklog.Completed: keep.Completed, tasklog.Failed: keep.Failed, tasklog.Canceled: keep.Failed,
			tasklog.Rejected: keep.Failed,
		} {
			if age <= 0 {
				continue
			}
			if _, err := s.o.Log.Remove(s.ending, at.door, state, now.Add(-age)); err != nil && s.ending.Err() == nil {
				s.o.Say(fmt.Sprintf("old tasks were not removed: %v", err))
			}
		}
	}
}

// errWaited is why a task ends that nobody has answered.
var errWaited = failf(errUnsupported, "The task was ended: it has waited for an answer for as long as tasks are kept that do.")

// endWaiting ends the tasks of an endpoint that have waited since before a time.
func (s *Server) endWaiting(at *endpoint, before time.Time) error {
	for _, state := range []tasklog.State{tasklog.InputRequired, tasklog.AuthRequired} {
		for q := (tasklog.Query{Door: at.door, Anyones: true, State: state, Most: 100}); ; {
			list, _, next, err := s.o.Log.List(s.ending, q)
			if err != nil {
				return err
			}
			for _, t := range list {
				if t.Changed.Before(before) {
					if err := s.endOne(t); err != nil {
						return err
					}
				}
			}
			if next == (tasklog.Cursor{}) {
				break
			}
			q.After = next
		}
	}
	return nil
}

func (s *Server) endOne(t tasklog.Task) error {
	if r := s.of(t.ID); r != nil {
		r.stop(errWaited)
		return nil
	}
	t, err := s.o.Log.Take(s.ending, t.ID)
	if errors.Is(err, tasklog.ErrMoved) {
		return nil // another process works on it
	}
	if err != nil {
		return err
	}
	step, err := s.step(t, statusEvent(t, wire.TaskStateFailed, agentText(t, errWaited.Error())))
	if err == nil {
		step.From = t.State
		_, err = s.o.Log.Append(s.ending, t.ID, step)
	}
	if errors.Is(err, tasklog.ErrMoved) {
		return nil // it was answered right now
	}
	return err
}
