package acp

import (
	"context"
	"errors"
	"slices"
)

// errHookGone is why nothing comes of an act whose hook has ended before it was answered.
var errHookGone = errors.New("the agent gave the call up")

// hookQuestion is a question of ours that a hook asks. Guarded by Bridge.mu.
type hookQuestion struct {
	gone     <-chan struct{} // closed when the hook does not wait any more
	withdraw context.CancelCauseFunc
	at       *place // what comes of it goes there
}

// hookAsks notes a question until over is called.
func (s *Session) hookAsks(ctx context.Context, gone <-chan struct{}, at *place) (asking context.Context, over func()) {
	asking, withdraw := context.WithCancelCause(ctx)
	q := &hookQuestion{gone: gone, withdraw: withdraw, at: at}
	s.b.mu.Lock()
	s.ofHooks = append(s.ofHooks, q)
	s.b.mu.Unlock()
	return asking, func() {
		s.b.mu.Lock()
		s.ofHooks = slices.DeleteFunc(s.ofHooks, func(other *hookQuestion) bool { return other == q })
		s.b.mu.Unlock()
		withdraw(nil)
	}
}

// withdrawGone takes back the questions for which no hook waits any more: a turn has no end before the editor has
// heard what came of them, since nothing is said of a call outside of a turn.
func (b *Bridge) withdrawGone(s *Session) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, q := range s.ofHooks {
		if isClosed(q.gone) {
			q.at.again()
			q.withdraw(errHookGone)
		}
	}
}

// hookGone returns errHookGone where nobody waits for the decision any more.
func (a *ownAct) hookGone() error {
	if isClosed(a.gone) {
		return errHookGone
	}
	return nil
}

func isClosed(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default: // also of a nil channel
		return false
	}
}
