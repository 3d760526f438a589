package events

import (
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Reduce takes out of an event what does not stand on record at a level: of tool.AuditMetadata all that the act is
// about, and whatever may speak of it, such as the reason of a rule, which names the paths that it looked at. What a
// person gave for a reason stays.
func (e *Event) Reduce(level tool.AuditLevel) {
	if level != tool.AuditMetadata {
		return
	}
	if a := e.Act; a != nil {
		e.Act = &Act{Level: level, Kind: a.Kind, Tool: a.Tool, Tools: a.Tools, Given: a.Given, Dir: a.Dir,
			Workspace: a.Workspace, Mode: a.Mode, Headless: a.Headless, Confined: a.Confined, Sandboxing: a.Sandboxing,
			Obliging: a.Obliging, ReadOnly: a.ReadOnly, Destructive: a.Destructive, OwnProgram: a.OwnProgram, Confirm: a.Confirm,
			Trial: a.Trial, History: a.History, Claimed: a.Claimed}
	}
	e.Job = nil
	if d := e.Decision; d != nil {
		kept := *d
		kept.Reasons = nil
		if !isByPerson(e) {
			kept.Reason = ""
		}
		e.Decision = &kept
	}
	if o := e.Outcome; o != nil {
		kept := *o
		kept.Error, _, _ = strings.Cut(o.Error, ":")
		kept.OutputHash, kept.Changed, kept.Diagnostics, kept.Stdout, kept.Stderr = "", nil, nil, "", ""
		e.Outcome = &kept
	}
	if g := e.Governance; g != nil {
		kept := *g
		kept.InputSHA256, kept.Answers = "", nil
		for _, answer := range g.Answers {
			answer.Messages, answer.FollowUp, answer.Metadata, answer.Error = nil, "", "", ""
			kept.Answers = append(kept.Answers, answer)
		}
		e.Governance = &kept
	}
	e.Options = slices.Clone(e.Options)
	for i := range e.Options {
		e.Options[i].Name = e.Options[i].Kind // what is kept for a session names what it is about
	}
}
