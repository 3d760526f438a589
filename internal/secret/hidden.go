package secret

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"sync"
)

// Hidden are the values that must not stand on record, and what stands there in their place. It is safe for
// concurrent use; a nil Hidden hides nothing, and has Mark for every value.
type Hidden struct {
	Hashes *Hashes // nil: there is no key

	mu       sync.Mutex
	values   []string // the oldest first
	replacer *strings.Replacer
	stale    bool // values have come that it does not know
}

// Mark returns what stands on record in the place of a value: its keyed hash, or Mark where there can be none.
func (h *Hidden) Mark(value string) string {
	if h == nil || h.Hashes == nil {
		return Mark
	}
	hash, err := h.Hashes.Of(value)
	if err != nil {
		return Mark // that nothing can be recorded there is told elsewhere
	}
	return hash
}

// Add has values hidden from now on, wherever they turn up: a command of the agent's may hold what a tool was given.
// What is short, or has the form of a hash, would be found in anything.
func (h *Hidden) Add(values ...string) {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, value := range values {
		if len(value) < shortestIssued || slices.Contains(h.values, value) || strings.Contains(HashPrefix, value) {
			continue
		}
		h.values = append(h.values, value)
		h.stale = true
	}
	if over := len(h.values) - mostIssued; over > 0 {
		h.values = slices.Delete(h.values, 0, over)
	}
}

// Hide returns a text, or a text of JSON, without the values: their marks stand there instead.
func (h *Hidden) Hide(text string) string {
	if h == nil {
		return text
	}
	h.mu.Lock()
	if h.stale {
		h.replacer, h.stale = h.replacing(), false
	}
	replacer := h.replacer
	h.mu.Unlock()
	if replacer == nil {
		return text
	}
	return replacer.Replace(text)
}

// replacing makes what puts marks in the place of values, the longest first: of two that begin alike, the whole of
// the longer one is to go.
func (h *Hidden) replacing() *strings.Replacer {
	type form struct{ text, mark string }
	var forms []form
	for _, value := range h.values {
		mark := h.Mark(value)
		for _, text := range []string{value, insideJSON(value, true), insideJSON(value, false)} {
			forms = append(forms, form{text, mark})
		}
	}
	slices.SortStableFunc(forms, func(a, b form) int { return len(b.text) - len(a.text) })
	var pairs []string
	for _, f := range forms {
		pairs = append(pairs, f.text, f.mark)
	}
	return strings.NewReplacer(pairs...)
}

// insideJSON is a value as it stands within a string of JSON; html says that <, > and & are escaped.
func insideJSON(value string, html bool) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(html)
	if enc.Encode(value) != nil {
		return value
	}
	text := strings.TrimSuffix(b.String(), "\n")
	return text[1 : len(text)-1] // without its quotes
}
