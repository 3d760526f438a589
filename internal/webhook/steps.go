package webhook

import (
	"context"
	"slices"
	"sync"

	"github.com/a2a-acp/a2a-acp/internal/store"
)

// stepper keeps what came of deliveries: of all workers that wait, in one transaction.
type stepper struct {
	mu      sync.Mutex // guards waiting
	waiting []*stepping

	committing sync.Mutex // held by who writes, for all that wait; guards store
	store      *store.Store
}

// stepping is a step on its way into the store.
type stepping struct {
	step store.WebhookStep

	// Guarded by stepper.committing.
	done, lost bool
	err        error
}

func (s *stepper) set(to *store.Store) {
	s.committing.Lock()
	defer s.committing.Unlock()
	s.store = to
}

// keep keeps a step; lost tells that it does not hold, since the lease is another's or somebody has changed
// something. Whoever comes first writes for all that wait; the others find theirs done.
func (s *stepper) keep(ctx context.Context, step store.WebhookStep) (lost bool, err error) {
	st := &stepping{step: step}
	s.mu.Lock()
	s.waiting = append(s.waiting, st)
	s.mu.Unlock()
	s.committing.Lock()
	defer s.committing.Unlock()
	if !st.done {
		s.commit(context.WithoutCancel(ctx))
	}
	return st.lost, st.err
}

// commit writes what waits. Called with committing held.
func (s *stepper) commit(ctx context.Context) {
	s.mu.Lock()
	batch := s.waiting
	s.waiting = nil
	s.mu.Unlock()
	steps := make([]store.WebhookStep, len(batch))
	for i, st := range batch {
		steps[i] = st.step
	}
	lost, err := s.store.StepWebhooks(ctx, steps)
	for _, st := range batch {
		st.done, st.err, st.lost = true, err, slices.Contains(lost, st.step.WebhookKey)
	}
}
