package a2a

import (
	"errors"
	"fmt"
	"time"

	wire "github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/a2a-acp/a2a-acp/internal/tasklog"
)

// Retention says how long tasks are kept after they have ended, by how they did, and how much of them; 0 is for good, and
// all.
type Retention struct {
	Completed time.Duration
	Failed    time.Duration // also those that were canceled or rejected
	// Waiting is how long a task may wait for its client. Then it fails.
	Waiting time.Duration
	// Most is how many bytes the tasks of one principal may take on disk, about. Where they come to that, those that have
	// ended first are removed before their time; what is under way may go beyond, up to twice as much.
	Most int64
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

// cleanOnce removes what is old by now, and ends what has waited for too long, or for nobody.
func (s *Server) cleanOnce() {
	s.endRevoked()
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
	return s.eachWaiting(at, func(t tasklog.Task) error {
		if !t.Changed.Before(before) {
			return nil
		}
		return s.endOne(t, errWaited, wire.TaskStateFailed, errWaited.Error())
	})
}

// endRevoked ends the tasks that wait, with nobody working on them, for a principal that may have nothing done any more:
// for a login of the agent, or for another message.
func (s *Server) endRevoked() {
	for _, at := range s.all() {
		err := s.eachWaiting(at, func(t tasklog.Task) error {
			if s.o.Acts(t.Owner) {
				return nil
			}
			return s.endOne(t, errRevoked, wire.TaskStateCanceled, revokedText)
		})
		if err != nil && s.ending.Err() == nil {
			s.o.Say(fmt.Sprintf("tasks of who may have nothing done any more were not ended: %v", err))
		}
	}
}

// eachWaiting calls do with each task of an endpoint that waits for its client.
func (s *Server) eachWaiting(at *endpoint, do func(tasklog.Task) error) error {
	for _, state := range []tasklog.State{tasklog.InputRequired, tasklog.AuthRequired} {
		for q := (tasklog.Query{Door: at.door, Anyones: true, State: state, Most: 100}); ; {
			list, _, next, err := s.o.Log.List(s.ending, q)
			if err != nil {
				return err
			}
			for _, t := range list {
				if err := do(t); err != nil {
					return err
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

// endOne ends a task that waits, and says so; one that is worked on is stopped because of why.
func (s *Server) endOne(t tasklog.Task, why error, state wire.TaskState, text string) error {
	if r := s.of(t.ID); r != nil {
		r.stop(why)
		<-r.over
		now, err := s.o.Log.Get(s.ending, t.ID)
		if err != nil || !now.State.Interrupted() || now.Seq != t.Seq {
			return err
		}
		// It had said that it waits, and was about to be over.
	}
	t, err := s.o.Log.Take(s.ending, t.ID)
	if errors.Is(err, tasklog.ErrMoved) {
		return nil // another process works on it
	}
	if err != nil {
		return err
	}
	if err := s.endQuestions(s.ending, t); err != nil {
		return err
	}
	step, err := s.step(t, statusEvent(t, state, agentText(t, text)))
	if err == nil {
		step.From = t.State
		_, err = s.o.Log.Append(s.ending, t.ID, step)
	}
	if errors.Is(err, tasklog.ErrMoved) {
		return nil // it was answered right now
	}
	return err
}
