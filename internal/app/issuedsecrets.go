package app

import (
	"slices"
	"sync"

	"github.com/a2a-acp/a2a-acp/internal/secret"
)

// issuedSecrets knows the values that this process has given to tools and governors, for governors that look for secrets. The executor
// takes a value out of what the tool prints that was given it; this finds it wherever else it turns up, such as in the file that the
// tool has left behind and another one prints, or in what the agent asks for next. It is safe for concurrent use.
type issuedSecrets struct {
	mu       sync.Mutex
	values   []string // the oldest first
	redactor *secret.Redactor
}

const (
	mostHandedOut = 256 // values; beyond that the oldest is forgotten
	// shortestHandedOut is the length, in bytes, below which a value is not looked for in everything: a region or a user's name that
	// is given by reference would stand in many a text.
	shortestHandedOut = 8
)

func (h *issuedSecrets) add(value string) {
	if len(value) < shortestHandedOut {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if slices.Contains(h.values, value) {
		return
	}
	h.values = append(h.values, value)
	if len(h.values) > mostHandedOut {
		h.values = slices.Delete(h.values, 0, 1)
	}
	h.redactor = secret.New(h.values...)
}

// Redact implements governor.Redactor.
func (h *issuedSecrets) Redact(text string) string {
	h.mu.Lock()
	redactor := h.redactor
	h.mu.Unlock()
	return redactor.String(text) // nil changes nothing
}
