package audit

import (
	"cmp"
	"slices"

	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// Chapter holds the entries of one act in the order in which they were recorded: asked, decided, ended, or
// only seen. An entry that belongs to no act, such as the start of a bridge, is a Chapter of its own.
type Chapter []Entry

// Decided returns the last decision about the act; nil when there is none.
func (c Chapter) Decided() *Entry { return c.last(events.ToolDecided) }

// Ended returns how the act ended; nil when it has not, or was never let through.
func (c Chapter) Ended() *Entry { return c.last(events.ToolEnded) }

// Governed returns the last time that governors were asked about the act; nil when none were.
func (c Chapter) Governed() *Entry { return c.last(events.GovernorsAsked) }

func (c Chapter) last(kind events.Type) *Entry {
	for i := len(c) - 1; i >= 0; i-- {
		if c[i].Type == kind {
			return &c[i]
		}
	}
	return nil
}

// Chapters groups entries by the act that they speak of, in the order in which the acts began. Entries
// belong together when they have the same call id of ours, or the same call id of the agent's in the same
// session; an entry that has both ties the two together.
func Chapters(entries []Entry) []Chapter {
	byKey := map[actKey]*Chapter{}
	var chapters []*Chapter
	for _, entry := range entries {
		var mine *Chapter
		for _, key := range actKeys(entry) {
			other := byKey[key]
			switch {
			case other == nil || other == mine:
			case mine == nil:
				mine = other
			default:
				mine = merge(mine, other, byKey)
			}
		}
		if mine == nil {
			mine = &Chapter{}
			chapters = append(chapters, mine)
		}
		*mine = append(*mine, entry)
		for _, key := range actKeys(entry) {
			byKey[key] = mine
		}
	}
	story := make([]Chapter, 0, len(chapters))
	for _, c := range chapters {
		if len(*c) > 0 {
			story = append(story, *c)
		}
	}
	slices.SortStableFunc(story, func(a, b Chapter) int { return cmp.Compare(a[0].Seq, b[0].Seq) })
	return story
}

// actKey names an act: by our id alone, or by the agent's id and its session.
type actKey struct{ call, session, toolCall string }

func actKeys(e Entry) []actKey {
	var keys []actKey
	if e.CallID != "" {
		keys = append(keys, actKey{call: e.CallID})
	}
	if e.ToolCall != "" {
		keys = append(keys, actKey{session: e.Session, toolCall: e.ToolCall})
	}
	return keys
}

// merge moves the entries of one chapter into another and leaves it empty.
func merge(into, from *Chapter, byKey map[actKey]*Chapter) *Chapter {
	*into = append(*into, *from...)
	slices.SortStableFunc(*into, func(a, b Entry) int { return cmp.Compare(a.Seq, b.Seq) })
	for _, entry := range *from {
		for _, key := range actKeys(entry) {
			byKey[key] = into
		}
	}
	*from = nil
	return into
}
