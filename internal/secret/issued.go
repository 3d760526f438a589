package secret

import (
	"slices"
	"sync"
)

// Issued knows the values that this process has given to tools and governors, for governors that look for
// secrets. The executor takes a value out of what the tool prints that was given it; this finds it wherever
// else it turns up, such as in the file that the tool has left behind and another one prints, or in what the
// agent asks for next. It is safe for concurrent use.
type Issued struct {
	mu       sync.Mutex
	values   []string // the oldest first
	redactor *Redactor
	stale    bool // values have come that it does not know
}

const (
	mostIssued = 256 // values; beyond that the oldest is forgotten
	// shortestIssued is the length, in bytes, below which a value is not looked for in everything: a
	// region or a user's name that is given by reference would stand in many a text.
	shortestIssued = 8
)

func (i *Issued) add(value string) {
	if len(value) < shortestIssued {
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if slices.Contains(i.values, value) {
		return
	}
	i.values = append(i.values, value)
	if len(i.values) > mostIssued {
		i.values = slices.Delete(i.values, 0, 1)
	}
	i.stale = true // made when it is asked: mostly no governor looks
}

// Redact implements governor.Redactor.
func (i *Issued) Redact(text string) string {
	i.mu.Lock()
	if i.stale {
		i.redactor, i.stale = New(i.values...), false
	}
	redactor := i.redactor
	i.mu.Unlock()
	return redactor.String(text) // nil changes nothing
}
