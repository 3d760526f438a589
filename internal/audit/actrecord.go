package audit

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// ActRecord holds the entries of one act in the order in which they were recorded: asked, decided, ended, or
// only seen. An entry that belongs to no act, such as the start of a bridge, is an ActRecord of its own.
type ActRecord []Entry

// Act returns the fullest description of the act: the one that was decided, else the first; nil where there
// is none.
func (c ActRecord) Act() *events.Act {
	if decided := c.Decided(); decided != nil && decided.Act != nil {
		return decided.Act
	}
	return c[0].Act
}

// What Result may return beside what a decision came to.
const (
	ResultViolation = "violation" // the agent did by itself what a rule rejects, or what it was refused
	ResultSeen      = "seen"      // the agent did it by itself
	ResultAsked     = "asked"     // nobody has answered, at least not while its call waited
	ResultRefused   = "refused"   // by the sandbox of a confined agent
)

// Result says in a word what was decided, or why nothing was; "" where it is about no act.
func (c ActRecord) Result() string {
	switch decided := c.Decided(); {
	case c.last(events.ToolViolated) != nil:
		return ResultViolation
	case c.PutOff():
		return ResultAsked
	case decided != nil && decided.Decision != nil:
		return decided.Decision.Result
	case c.last(events.ToolSeen) != nil:
		return ResultSeen
	case c[0].Type == events.ApprovalAsked:
		return ResultAsked
	case c[0].Type == events.SandboxRefused:
		return ResultRefused
	}
	return ""
}

// By says who decided: a rule or a governor by its name, a person, or what stood in their place; "" for
// nobody. An answer that stood for the act already is that of whoever gave it.
func (c ActRecord) By() string {
	if violated := c.last(events.ToolViolated); violated != nil && violated.Decision != nil {
		return violated.Decision.Rule
	}
	decided := c.Decided()
	if decided == nil || decided.Decision == nil || c.PutOff() {
		return ""
	}
	d := decided.Decision
	switch d.Source {
	case "person", "caller":
		return "person"
	case "session":
		return "person, for the session"
	case "act":
		if d.Approver != "" {
			return "person"
		}
	case "nobody":
		return "nobody"
	}
	if d.Rule != "" {
		return d.Rule
	}
	if word, known := sources[d.Source]; known {
		return word
	}
	return d.Source
}

// sources says of what decides without a name what it is.
var sources = map[string]string{"default": "built in", "confinement": "the sandbox", "fault": "a2a-acp",
	"tool": "its call", "act": "built in"}

// PutOff reports whether the call has ended without an answer to a question that stands on, as an MCP client's does that is
// to ask its person and to make it again. The answer is for the call that is made again.
func (c ActRecord) PutOff() bool {
	decided := c.Decided()
	return decided != nil && decided.Decision != nil && decided.Decision.Result == rejected && decided.Decision.Source == "nobody" &&
		(decided.Decision.Waits || c.AnsweredLate())
}

// Asked reports whether somebody was asked about the act, whatever came of it.
func (c ActRecord) Asked() bool {
	return c.last(events.ApprovalAsked) != nil || c.last(events.ApprovalJoined) != nil || c.answer() != nil || c.PutOff()
}

// AnsweredLate reports whether a person has answered when the call had ended already.
func (c ActRecord) AnsweredLate() bool {
	decided, answered := c.Decided(), c.last(events.ApprovalAnswered)
	return decided != nil && answered != nil && answered.Decision != nil && answered.Decision.Source == "person" &&
		answered.Seq > decided.Seq
}

// uses returns the id of the call whose question's answer the act has used; "" where it has asked itself, also in a process
// before: a call that goes on after a restart has its id still, and is an act all the same.
func (c ActRecord) uses() string {
	used := c.last(events.ApprovalUsed)
	if used == nil {
		return ""
	}
	asked := used.AskedBy
	if asked == "" { // older records have it in words alone
		_, rest, _ := strings.Cut(used.Detail, ", which call ")
		asked, _, _ = strings.Cut(rest, " had asked: ")
	}
	if asked != c[0].CallID {
		return asked
	}
	return ""
}

// Outcome returns how the act ended, or what the agent says of that; nil where nobody has told.
func (c ActRecord) Outcome() *events.Outcome {
	for _, kind := range []events.Type{events.ToolEnded, events.ToolViolated, events.ToolSeen} {
		if entry := c.last(kind); entry != nil && entry.Outcome != nil {
			return entry.Outcome
		}
	}
	return nil
}

// Decided returns the last decision about the act; nil when there is none.
func (c ActRecord) Decided() *Entry { return c.last(events.ToolDecided) }

// Ended returns how the act ended; nil when it has not, or was never let through.
func (c ActRecord) Ended() *Entry { return c.last(events.ToolEnded) }

// Governed returns the last time that governors were asked about the act; nil when none were.
func (c ActRecord) Governed() *Entry { return c.last(events.GovernorsAsked) }

func (c ActRecord) last(kind events.Type) *Entry {
	for i := len(c) - 1; i >= 0; i-- {
		if c[i].Type == kind {
			return &c[i]
		}
	}
	return nil
}

// ByAct groups entries by the act that they speak of, in the order in which the acts began. Entries
// belong together when they have the same call id of ours, or the same call id of the agent's in the same
// session. Of two acts that were decided in one call of the agent's, which it may name as it likes, the
// second is in the record of the first only where it is what the agent had asked about there.
func ByAct(entries []Entry) []ActRecord {
	acts := map[string]*recorded{} // by our ids
	for i := range entries {
		if id := entries[i].CallID; id != "" {
			if acts[id] == nil {
				acts[id] = &recorded{}
			}
			acts[id].add(&entries[i])
		}
	}
	var groups []*group
	ours, theirs := map[string]*group{}, map[agentsCall]*group{}
	for i := range entries {
		entry := &entries[i]
		mine := ours[entry.CallID]
		if mine == nil {
			act := acts[entry.CallID]
			if act == nil {
				act = &recorded{}
				act.add(entry)
			}
			mine = groupOf(act, entry.CallID != "", theirs)
			if mine == nil {
				mine = &group{}
				groups = append(groups, mine)
			}
			if act.decided != nil {
				mine.decided = act.decided
			}
			for _, call := range act.calls {
				theirs[call] = mine
			}
			if entry.CallID != "" {
				ours[entry.CallID] = mine
			}
		}
		mine.entries = append(mine.entries, *entry)
	}
	records := make([]ActRecord, len(groups))
	for i, c := range groups {
		records[i] = c.entries
	}
	return records
}

// groupOf returns the group that an act belongs to as it begins; nil when it begins a group of its own. What
// is only seen of a call of the agent's belongs to the last act in it.
func groupOf(act *recorded, own bool, theirs map[agentsCall]*group) *group {
	for _, call := range act.calls {
		about := theirs[call]
		switch {
		case about == nil:
		case about.decided == nil, !own && act.decided == nil, follows(about.decided, act.decided):
			return about
		}
	}
	return nil
}

// follows reports whether an act is what the agent had asked about, and does now or has done: the same act,
// to which the same was said.
func follows(asked, next *Entry) bool {
	if next == nil {
		return false
	}
	a, b := asked.Act, next.Act
	switch {
	case a == nil || b == nil:
		return true
	case !a.Claimed || b.Claimed || a.Kind != b.Kind || asked.Decision == nil || next.Decision == nil:
		return false
	case a.Kind == "call":
		later := asked.Decision.Source == "tool" // somebody is asked when it is called
		return a.Tool == b.Tool && (later || asked.Decision.Result == next.Decision.Result)
	}
	return asked.Decision.Result == next.Decision.Result && a.Dir == b.Dir && a.Shell == b.Shell &&
		slices.Equal(named(a), named(b))
}

// named are the files that an act names, as its directory makes them.
func named(act *events.Act) []string {
	files := make([]string, len(act.Paths))
	for i, name := range act.Paths {
		if files[i] = filepath.Clean(name); !filepath.IsAbs(name) {
			files[i] = filepath.Join(act.Dir, name)
		}
	}
	return files
}

// group is an ActRecord that is being put together.
type group struct {
	entries ActRecord
	decided *Entry // the last act in it that was decided, be it further on
}

// agentsCall names a call as the agent does.
type agentsCall struct{ session, id string }

// recorded is what is on record of one act of ours.
type recorded struct {
	calls   []agentsCall // of the agent's that it belongs to
	decided *Entry
}

func (r *recorded) add(entry *Entry) {
	if call := (agentsCall{entry.Session, entry.ToolCall}); entry.ToolCall != "" && !slices.Contains(r.calls, call) {
		r.calls = append(r.calls, call)
	}
	if entry.Type == events.ToolDecided {
		r.decided = entry
	}
}
