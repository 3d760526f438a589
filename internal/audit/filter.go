package audit

import (
	"slices"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// Filter says which entries are wanted. Every field that is set must fit; the zero Filter wants all.
type Filter struct {
	Session string
	// NoSession also wants what belongs to no session and has at least this number; 0 wants none of it where
	// a Session is wanted.
	NoSession int64
	Task      string // an A2A client's
	CallID    string // ours
	ToolCall  string // the agent's; it is unique only within its session
	Types     []events.Type
	Since     time.Time // an entry of exactly this time fits
	Last      int       // the last so many of those that fit; 0 wants all
}

// Fits reports whether one entry is wanted, Last aside.
func (f Filter) Fits(e Entry) bool {
	return (f.Session == "" || e.Session == f.Session || e.Session == "" && f.NoSession > 0 && e.Seq >= f.NoSession) &&
		(f.Task == "" || e.Task == f.Task) &&
		(f.CallID == "" || e.CallID == f.CallID) &&
		(f.ToolCall == "" || e.ToolCall == f.ToolCall) &&
		(len(f.Types) == 0 || slices.Contains(f.Types, e.Type)) &&
		(f.Since.IsZero() || !e.Time.Before(f.Since))
}

// List returns the entries of the record in dir that fit, the oldest first. It holds in memory what it
// gives and no more. With an error about damaged lines (see Read) it gives the others all the same.
func List(dir string, f Filter) ([]Entry, error) {
	var list []Entry
	err := Read(dir, func(e Entry) error {
		if !f.Fits(e) {
			return nil
		}
		list = append(list, e)
		if f.Last > 0 && len(list) >= 2*f.Last {
			list = slices.Clone(list[len(list)-f.Last:])
		}
		return nil
	})
	if f.Last > 0 && len(list) > f.Last {
		list = list[len(list)-f.Last:]
	}
	return list, err
}
