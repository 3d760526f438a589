package acp

import (
	"context"
	"slices"
	"time"
)

// queuedQuestion is the turn of a question among those of its session. One at a time is put: who is about to
// click on one, or presses the key that says yes to it, finds no other in its place. Guarded by Bridge.mu.
type queuedQuestion struct {
	session *Session
	first   chan struct{} // closed once no question is before it
	at      *place        // of the question, while it waits
	stands  bool          // it was put
}

// queueQuestion returns the turn behind all others. It ends with end.
func (s *Session) queueQuestion() *queuedQuestion {
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	t := &queuedQuestion{session: s}
	t.lineUp()
	return t
}

// lineUp puts a turn behind all others. Called with mu held.
func (t *queuedQuestion) lineUp() {
	s := t.session
	t.first = make(chan struct{})
	if s.turns = append(s.turns, t); len(s.turns) == 1 {
		close(t.first)
	}
}

// end lets the next question be put. Ending twice is harmless.
func (t *queuedQuestion) end() {
	s := t.session
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	at := slices.Index(s.turns, t)
	if at < 0 {
		return
	}
	t.at, t.stands = nil, false
	if s.turns = slices.Delete(s.turns, at, at+1); at == 0 && len(s.turns) > 0 {
		close(s.turns[0].first)
	}
}

// pause waits where only a click on the question before is in the way: what can be answered elsewhere is
// shown in the editor then, too, unless another question stands there.
func (t *queuedQuestion) pause(ctx context.Context) error {
	t.session.b.mu.Lock()
	first := slices.Index(t.session.turns, t) == 0
	t.session.b.mu.Unlock()
	if !first {
		return nil
	}
	return t.session.b.pause(ctx)
}

// wait waits until the question may be put: no other stands, and none has just ended. It gives up its place
// at where another stands, which may take a person a day; over is called when the question has ended.
func (t *queuedQuestion) wait(ctx context.Context, at *place) (over func(), err error) {
	s := t.session
	s.b.mu.Lock()
	if !slices.Contains(s.turns, t) { // it was another's meanwhile, which asked the very same
		t.lineUp()
	}
	t.at = at
	if s.turns[0].stands {
		at.leave()
	}
	first := t.first
	s.b.mu.Unlock()
	select {
	case <-first:
		err = s.b.pause(ctx)
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	if err != nil {
		t.end()
		return nil, err
	}
	s.b.mu.Lock()
	defer s.b.mu.Unlock()
	t.stands = true
	for _, behind := range s.turns[1:] {
		if behind.at != nil {
			behind.at.leave()
		}
	}
	return func() {
		s.b.clicked()
		t.end()
	}, nil
}

// giveUp ends the turn of a question that waits for the answer to the very same one, and leaves its place.
func (t *queuedQuestion) giveUp(at *place) {
	t.end()
	at.leave()
}

// pause waits until a click on the question before cannot be meant for this one.
func (b *Bridge) pause(ctx context.Context) error {
	for {
		b.mu.Lock()
		rest := time.Until(b.lastEnded.Add(b.o.Pause))
		b.mu.Unlock()
		if rest <= 0 {
			return context.Cause(ctx)
		}
		select {
		case <-time.After(rest):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// clicked notes that something has ended that a person may have clicked on.
func (b *Bridge) clicked() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lastEnded = time.Now()
}
