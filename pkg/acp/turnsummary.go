package acp

// summarised begins to note what a turn comes to. A turn that goes on with another prompt is told of in parts: each answer
// ends one.
func (b *Bridge) summarised(s *Session) {
	if b.o.BeginTurn == nil {
		return
	}
	b.mu.Lock()
	id, under := s.id, s.turn.summary != nil
	b.mu.Unlock()
	if under {
		return
	}
	summary := b.o.BeginTurn(id)
	b.mu.Lock()
	s.turn.summary = summary
	b.mu.Unlock()
}

// tellSummary shows what a turn came to, before the editor hears that it is over: what comes after a turn, editors may put
// into the next one.
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
