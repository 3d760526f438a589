package audit

import (
	"bytes"
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
	Until     time.Time // an entry of exactly this time does not
	Last      int       // the last so many of those that fit; 0 wants all
	// About wants what may be about the same act as an entry: what is of its session or call; nil wants all.
	About *Entry
}

// related reports whether another entry may be about the same act.
func (e *Entry) related(other Entry) bool {
	return other.Seq == e.Seq || e.Session != "" && other.Session == e.Session || e.CallID != "" && other.CallID == e.CallID
}

// Fits reports whether one entry is wanted, Last aside.
func (f Filter) Fits(e Entry) bool {
	return (f.About == nil || f.About.related(e)) &&
		(f.Session == "" || e.Session == f.Session || e.Session == "" && f.NoSession > 0 && e.Seq >= f.NoSession) &&
		(f.Task == "" || e.Task == f.Task) &&
		(f.CallID == "" || e.CallID == f.CallID) &&
		(f.ToolCall == "" || e.ToolCall == f.ToolCall) &&
		(len(f.Types) == 0 || slices.Contains(f.Types, e.Type)) &&
		(f.Since.IsZero() || !e.Time.Before(f.Since)) &&
		(f.Until.IsZero() || e.Time.Before(f.Until))
}

// mayFit reports whether a line may be of an entry that is wanted: it holds what we would have written there.
func (f Filter) mayFit(line []byte) bool {
	if f.Session != "" && !holds(line, "session_id", f.Session) {
		place, err := parseEnvelope(line)
		if f.NoSession == 0 || bytes.Contains(line, []byte(`"session_id":`)) || err == nil && place.seq < f.NoSession {
			return false
		}
	}
	if a := f.About; a != nil && !(a.Session != "" && holds(line, "session_id", a.Session)) &&
		!(a.CallID != "" && holds(line, "call_id", a.CallID)) && !bytes.Equal(line, a.Raw) {
		return false
	}
	return holds(line, "task_id", f.Task) && holds(line, "call_id", f.CallID) && holds(line, "tool_call_id", f.ToolCall) &&
		(len(f.Types) == 0 || slices.ContainsFunc(f.Types, func(t events.Type) bool { return holds(line, "type", string(t)) }))
}

// holds reports whether a line has a member with a value somewhere, as Record writes it; "" is always there.
func holds(line []byte, member, value string) bool {
	if value == "" {
		return true
	}
	encoded, err := encode(value)
	return err != nil || bytes.Contains(line, append([]byte(`"`+member+`":`), encoded...))
}

// At returns the entry with a number of the record in dir; the error is fs.ErrNotExist where there is none.
func At(dir string, seq int64) (Entry, error) {
	line, err := lineOf(dir, seq)
	if err != nil {
		return Entry{}, err
	}
	return parseEntry(line)
}

// OfType returns what Scan wants of entries of some types.
func OfType(types ...events.Type) func([]byte) bool { return Filter{Types: types}.mayFit }

// Each gives a function the entries of the record in dir that fit, Last aside, in order and one at a time. See Read.
func Each(dir string, f Filter, each func(Entry) error) error {
	return Scan(dir, f.mayFit, func(e Entry) error {
		if !f.Fits(e) {
			return nil
		}
		return each(e)
	})
}

// List returns the entries of the record in dir that fit, the oldest first. It holds in memory what it
// gives and no more. With an error about damaged lines (see Read) it gives the others all the same.
func List(dir string, f Filter) ([]Entry, error) {
	var list []Entry
	err := Each(dir, f, func(e Entry) error {
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
