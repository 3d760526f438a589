package a2a

import (
	"fmt"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/tasklog"
)

// Retention says how long tasks are kept after they have ended, by how they did; 0 is for good.
type Retention struct {
	Completed time.Duration
	Failed    time.Duration // also those that were canceled or rejected
	// Waiting is how long a task may wait for its client. Then it fails.
	Waiting time.Duration
	// Every is how often old tasks are looked for. Default an hour.
	Every time.Duration
}

// clean removes old tasks, until the server ends.
func (s *Server) clean() {
	every := s.o.Retention.Every
	if every <= 0 {
		every = time.Hour
	}
	tick := time.NewTicker(every)
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

// cleanOnce removes what is old by now.
func (s *Server) cleanOnce() {
	keep, now := s.o.Retention, s.o.Now()
	for _, at := range s.all() {
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
