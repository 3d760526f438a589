package acp

// beginSummary begins to note what a turn comes to. A turn that goes on with another prompt is told of in parts:
// each answer ends one.
func (b *Bridge) beginSummary(s *Session) {
	if b.o.BeginTurn == nil {
		return
	}
	b.mu.Lock()
	id, begun := s.id, s.turn.summary != nil
	b.mu.Unlock()
	if begun {
		return
	}
	summary := b.o.BeginTurn(id)
	b.mu.Lock()
	s.turn.summary = summary
	b.mu.Unlock()
}

// tellSummary shows what a turn came to, before the editor hears that it is over: an editor may put what comes
// after a turn into the next one.
func (b *Bridge) tellSummary(s *Session) {
	b.mu.Lock()
	summary := s.turn.summary
	s.turn.summary = nil
	b.mu.Unlock()
	if summary == nil {
		return
	}
	if line := summary(); line != "" {
		b.showCard(s, line)
	}
}
