package agents

import (
	"slices"
	"strings"
)

// What a bridge knows of each kind of acts that an agent carries out itself. Each line was measured with the
// real agent by test/agents, which fails where a line is not so; what it cannot measure says so.

// Kind is a kind of acts.
type Kind string

// The kinds.
const (
	KindRead       Kind = "read"
	KindEdit       Kind = "edit"
	KindCommand    Kind = "command" // in the background, too
	KindWeb        Kind = "web"     // a page, or a search
	KindServerTool Kind = "MCP tool"
	KindBelow      Kind = "sub-agent's act"
	KindInput      Kind = "input" // that is typed into a command which runs already
)

// Kinds are all of them, in the order in which they are shown.
var Kinds = []Kind{KindRead, KindEdit, KindCommand, KindWeb, KindServerTool, KindBelow, KindInput}

// Level is what becomes of an act.
type Level string

// The levels, the best first.
const (
	Decided Level = "decided"    // before it happens, whatever the agent does
	Asked   Level = "asked only" // decided where the agent asks, as it does unless it takes the act for harmless; else seen
	Seen    Level = "seen"       // on record when it has happened; where a rule rejects it, as a violation
	NotSeen Level = "not seen"
	None    Level = "none" // the agent has no such acts
)

var levels = []Level{Decided, Asked, Seen, NotSeen, None}

// Cell is the level of one kind of acts, with hooks or without.
type Cell struct {
	Level    Level
	Untested string // why no test proves it; "" where one does
}

// Row is one kind of acts.
type Row struct {
	Kind Kind
	// Hooked is with the agent's hooks, Alone without. An agent that has no hooks has no level there.
	Hooked, Alone Cell
}

func is(level Level) Cell { return Cell{Level: level} }

func untested(level Level, why string) Cell { return Cell{Level: level, Untested: why} }

const (
	byItsTools    = "by the list of its tools"
	byItsOwnRules = "its own rules deny it in a session of an editor's"
	itsOwnSandbox = "its own sandbox, which commands run in then, is not made everywhere"
	unknownOne    = "nobody knows the agent"
)

// acts are the rows of each agent, by its name.
var acts = map[string][]Row{
	"claude": {
		{KindRead, is(Decided), is(Seen)}, // another place than its directory it asks about
		{KindEdit, is(Decided), is(Asked)},
		{KindCommand, is(Decided), is(Asked)},
		{KindWeb, is(Decided), is(Asked)},
		{KindServerTool, is(Decided), is(Asked)},
		{KindBelow, is(Decided), is(Asked)},
		{KindInput, untested(None, byItsTools), untested(None, byItsTools)},
	},
	// Without hooks it starts in its mode read-only.
	"codex": {
		{KindRead, is(Decided), is(Seen)}, // by its shell
		{KindEdit, is(Decided), is(Asked)},
		{KindCommand, is(Decided), untested(Seen, itsOwnSandbox)},
		{KindWeb, is(Seen), is(Seen)}, // its model's maker carries it out
		{KindServerTool, is(Decided), is(Asked)},
		{KindBelow, is(Decided), untested(NotSeen, itsOwnSandbox)},
		{KindInput, is(NotSeen), untested(NotSeen, itsOwnSandbox)},
	},
	"opencode": {
		{KindRead, is(Decided), is(Seen)}, // another place than its directory it asks about
		{KindEdit, is(Decided), is(Seen)},
		{KindCommand, is(Decided), is(Seen)},
		{KindWeb, is(Decided), is(Seen)},
		{KindServerTool, is(Decided), is(Seen)},
		{KindBelow, is(Decided), is(NotSeen)},
		{KindInput, untested(None, byItsTools), untested(None, byItsTools)},
	},
	// A rule of its own has it ask about everything; what a person's own rules allow it does not ask about.
	"gemini": {
		{KindRead, is(Decided), is(Seen)},
		{KindEdit, is(Decided), is(Asked)},
		{KindCommand, is(Decided), is(Asked)},
		{KindWeb, is(Asked), is(Asked)}, // but in its mode autoEdit
		{KindServerTool, is(Decided), is(Asked)},
		{KindBelow, untested(None, byItsOwnRules), untested(None, byItsOwnRules)},
		{KindInput, untested(None, byItsTools), untested(None, byItsTools)},
	},
}

// Acts returns what becomes of each kind of acts of an agent, with its hooks and without.
func (a Agent) Acts() []Row {
	if rows, known := acts[a.Name]; known {
		return rows
	}
	var rows []Row
	for _, kind := range Kinds {
		rows = append(rows, Row{Kind: kind, Alone: untested(Seen, unknownOne)})
	}
	return rows
}

// Act returns the row of one kind.
func (a Agent) Act(kind Kind) Row {
	rows := a.Acts()
	return rows[slices.IndexFunc(rows, func(row Row) bool { return row.Kind == kind })]
}

// own says in one line what becomes of an agent's own acts.
func (a Agent) own(hooked bool) string {
	if a.Name == "" {
		return "what it does without asking the editor is seen at most"
	}
	kinds := map[Level][]string{}
	for _, row := range a.Acts() {
		cell := row.Alone
		if hooked {
			cell = row.Hooked
		}
		kinds[cell.Level] = append(kinds[cell.Level], string(row.Kind))
	}
	var parts []string
	for _, level := range levels[:len(levels)-1] {
		if len(kinds[level]) > 0 {
			parts = append(parts, string(level)+": "+strings.Join(kinds[level], ", "))
		}
	}
	line := strings.Join(parts, "; ")
	switch {
	case hooked && a.ByRules:
		line += "; it asks about everything, but for what your own rules for it allow"
	case hooked:
		line += "; an act that no hook asked about stops the turn"
	}
	return line
}

// InShort says in a few words what becomes of an agent's own acts.
func (a Agent) InShort(hooked bool) string {
	if hooked && a.Hooks == "" {
		return "no hooks"
	}
	var found []Level
	for _, row := range a.Acts() {
		cell := row.Alone
		if hooked {
			cell = row.Hooked
		}
		if cell.Level != None && !slices.Contains(found, cell.Level) {
			found = append(found, cell.Level)
		}
	}
	slices.SortFunc(found, func(x, y Level) int { return slices.Index(levels, x) - slices.Index(levels, y) })
	switch {
	case hooked && len(found) > 1 && found[0] == Decided:
		return "decided, with exceptions"
	case len(found) == 1:
		return string(found[0])
	}
	var words []string
	for _, level := range found {
		words = append(words, string(level))
	}
	return strings.Join(words, ", ")
}
