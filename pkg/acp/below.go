package acp

import (
	"cmp"

	"github.com/a2a-acp/a2a-acp/internal/ndjson"
)

// An agent may start another one below it, which works in a session of its own: Claude does so for editors of
// version 2, and those that say they know about it (ACP, subagents). The agent announces such a session in the
// one above. Here it is a part of that one: its acts are held to the same rules, asked about in the same place
// and recorded as the same session's.

// mostBelow bounds the sessions below others that are remembered. What is told in any beyond is refused, as
// in a session that nobody has announced.
const mostBelow = 10_000

// announceBelow learns of a session below another. No id of a session that the editor has opened is one.
func (b *Bridge) announceBelow(s *Session, kind string, params []byte) {
	member := "sessionId"
	if kind == kindBelowDraft { // an earlier draft of it, which JetBrains' editors speak
		member = "subagentSessionId"
	}
	raw, _ := ndjson.Get(params, "update", member)
	id, err := ndjson.String(raw)
	if err != nil || id == "" {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.sessions[id] == nil && b.below[id] == nil && len(b.below) < mostBelow {
		b.below[id] = s
	}
}

// agentsSession finds the open session in which the agent speaks: that of the id, or the one that a session of
// that id is below. of is the id that the editor knows it by. Where there is none, it is nil and the id as it
// was.
func (b *Bridge) agentsSession(id string) (s *Session, of string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if s := b.sessions[id]; s != nil {
		return s, id
	}
	if s := b.below[id]; s != nil {
		return s, s.id
	}
	return nil, id
}

// cardsOf returns the id of the session in which the card of a call stands. Called with Bridge.mu held.
func (s *Session) cardsOf(call *toolCall) string { return cmp.Or(call.below, s.id) }
