package hook

import (
	"encoding/json"
	"slices"
	"strings"
)

// Agent is how an agent comes to ask us, and in which words.
type Agent struct {
	// Read reads what its hook was told, and Say writes what the hook is to be answered, both in one line.
	Read func(event []byte) (Call, error)
	Say  func(Answer) []byte
	// Blocked returns why an answer blocks the tool, where an agent is told that by the exit code of its
	// hook, which is 2 then. Optional.
	Blocked func(answer []byte) (why string, blocked bool)
	// Rereads is set where it goes by settings of a repository's that come, or change, while a session is open.
	Rereads bool
	// Off are variables that switch its hooks off.
	Off []string
	// Meta says in _meta of session/new that it is to ask, by starting self; nil where Variable says so.
	Meta func(self, socket string) json.RawMessage
	// Variable is the environment variable that says so to all of its sessions at once; "" for none. Set
	// returns the value of it, given the one that the person has set.
	Variable string
	Set      func(value string, at Endpoint) (string, error)
	// NoTool reports whether a card is that of no tool of the agent's own that was started, so that no hook was
	// to ask: of what it does with itself, what the maker of its model does, and what failed before it began.
	NoTool func(Card) bool
	// Proof returns what to ask the agent, to know whether its hooks are in force, and what has to hold of
	// the answer. Optional.
	Proof func(dir string, at Endpoint) (method string, params any, holds func(result json.RawMessage) error)
	// Words are what its own terminal program is started with, before the words of the person, so that it is to
	// ask; nil where Variable says so.
	Words func(at Endpoint) []string
	// SayAgain writes the answer to a Call that is asked about Again, in one line. Optional.
	SayAgain func(Answer, Call) []byte
	// Trial has the terminal program say which hooks it has. Optional.
	Trial func(dir string, at Endpoint) Trial
	// Rules are the words behind its command that have it ask the editor about everything, where it does so by
	// rules of its own and has no hooks. Optional.
	Rules func(environ []string, at Endpoint) ([]string, error)
}

// Endpoint is where an agent's hooks find us.
type Endpoint struct {
	Self   string // this program
	Socket string
	Shared bool // files that are made for the agent are read by another user than ours
	// Of an agent in its own terminal program:
	Prints bool   // it prints an answer and ends, and can ask nobody
	Shown  string // what it is to show while it waits for us, where it can
}

// Trial is a conversation with an agent's program, by which is known whether its hooks are in force.
type Trial struct {
	Words []string // behind Agent.Words
	Says  []byte   // what it is told on its standard input
	// Judge hears a line of the answer. It is over with an error, which says why they are not in force, too.
	Judge func(line []byte) (over bool, err error)
}

// Card is what an agent shows of a call that has ended.
type Card struct {
	Title, Kind, Name string
	Input             json.RawMessage // null where it shows none
	Failure           string          // in its words; "" for a call that is completed
}

// compaction reports whether a card tells that the agent has made its conversation shorter. Claude's and
// Codex' adapters show it so.
func (c Card) compaction() bool {
	return c.Kind == "think" && c.Title == "Compact conversation" && c.Name == "" && len(c.Input) == 0
}

// ByName finds an agent that has hooks, or rules in their place.
func ByName(name string) (Agent, bool) {
	a, ok := map[string]Agent{"claude": claude, "codex": codex, "opencode": opencode, "gemini": gemini}[name]
	return a, ok
}

// Environ returns the environment of an agent whose hooks are in force.
func (a Agent) Environ(environ []string, at Endpoint) ([]string, error) {
	value := ""
	environ = slices.DeleteFunc(slices.Clone(environ), func(variable string) bool {
		name, is, _ := strings.Cut(variable, "=")
		if name == a.Variable {
			value = is
		}
		return name == a.Variable || slices.Contains(a.Off, name)
	})
	if a.Variable == "" {
		return environ, nil
	}
	value, err := a.Set(value, at)
	return append(environ, a.Variable+"="+value), err
}
