package webhook

import (
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// Filter says which entries of the record a subscription wants. Of each list that is set, one must fit; an
// entry to which a list does not apply, since it is about no tool, or nothing was decided, does not fit it.
type Filter struct {
	Events   []string // names, as events.Event.Is knows them
	Disabled []string // likewise, and stronger
	Tools    []string // ids, in which * stands for any letters
	// Decisions are approve, reject and ask; an act that somebody is asked about is one of ask.
	Decisions []string
	Agents    []string // names, in which * stands for any letters
}

func (f *Filter) fits(e *recorded) bool {
	return (len(f.Events) == 0 || slices.ContainsFunc(f.Events, e.Is)) && !slices.ContainsFunc(f.Disabled, e.Is) &&
		(len(f.Tools) == 0 || anyFits(f.Tools, toolsOf(e))) &&
		(len(f.Decisions) == 0 || slices.Contains(f.Decisions, decisionOf(e))) &&
		(len(f.Agents) == 0 || anyFits(f.Agents, []string{e.Agent}))
}

// toolsOf are the ids that the tool of an entry has.
func toolsOf(e *recorded) []string {
	switch {
	case e.Act != nil:
		return append([]string{e.Act.Tool}, e.Act.Tools...)
	case e.Circuit != nil:
		return []string{e.Circuit.Tool}
	}
	return nil
}

// decisionOf is what an entry says was decided; "" where it says nothing.
func decisionOf(e *recorded) string {
	switch {
	case e.Decision != nil && e.Decision.Result != "":
		return e.Decision.Result
	case e.Type == events.ApprovalAsked:
		return "ask"
	}
	return ""
}

// anyFits reports whether one of some names fits one of some patterns.
func anyFits(patterns, names []string) bool {
	for _, name := range names {
		if name != "" && slices.ContainsFunc(patterns, func(pattern string) bool { return fitsPattern(pattern, name) }) {
			return true
		}
	}
	return false
}

// fitsPattern reports whether a name fits a pattern, in which * stands for any letters, or none.
func fitsPattern(pattern, name string) bool {
	first, rest, wild := strings.Cut(pattern, "*")
	if !wild {
		return pattern == name
	}
	name, ok := strings.CutPrefix(name, first)
	for ok {
		var part string
		part, rest, wild = strings.Cut(rest, "*")
		if !wild {
			return strings.HasSuffix(name, part)
		}
		var i int
		if i = strings.Index(name, part); i < 0 {
			return false
		}
		name = name[i+len(part):]
	}
	return false
}

// EventNames returns the names of events that fit a pattern, in which * stands for any letters; known is false
// where none does.
func EventNames(pattern string) (names []string, known bool) {
	if !strings.Contains(pattern, "*") {
		_, known := events.Named(pattern)
		return []string{pattern}, known || pattern == CheckpointEvent
	}
	for _, name := range events.Names() {
		if fitsPattern(pattern, name) {
			names = append(names, name)
		}
	}
	return names, names != nil
}
