package replay

import (
	"slices"
	"strings"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
	"github.com/a2a-acp/a2a-acp/internal/secret"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Recorded is a decided act, read back from the record.
type Recorded struct {
	Entry   audit.Entry // the decision
	Seq     int64       // the act's number, as lists of the record have it
	Time    time.Time
	Request permissions.Request
	Before  permissions.Verdict // what the rules came to then; where a person was asked, Ask
	// Untold says why the act cannot be decided again, whatever the rules; "" when it can.
	Untold string
}

// ReadBack returns the act of an entry. It is false for an entry that is none, or that rules had no part
// in: an answer that stood for the same act already, and a fault; and for what was only tried out.
func ReadBack(e audit.Entry, commands *command.Catalogue) (Recorded, bool) {
	r := Recorded{Entry: e, Seq: e.Seq, Time: e.Time}
	if e.Type != events.ToolDecided || e.Act == nil || e.Decision == nil || e.Act.Trial {
		return r, false
	}
	switch permissions.Source(e.Decision.Source) {
	case permissions.SourceAct, permissions.SourceFault:
		return r, false
	case permissions.SourceTool:
		if e.Act.Claimed {
			return r, false // a question about a tool of ours: the call itself is decided by itself
		}
		r.Before = verdictOf(e.Decision.Result)
	case permissions.SourcePerson, permissions.SourceNobody, permissions.SourceSession:
		r.Before = permissions.Ask
	default:
		r.Before = verdictOf(e.Decision.Result)
	}
	r.Request, r.Untold = requestOf(e, commands)
	return r, true
}

// ReadBackAct is ReadBack for an act with all that is on record of it. One that the agent first asked about, and that was
// decided again as it came, is one all the same: what the rules said last counts.
func ReadBackAct(c audit.ActRecord, commands *command.Catalogue) (Recorded, bool) {
	for _, e := range slices.Backward(c) {
		if r, ok := ReadBack(e, commands); ok {
			r.Seq = c[0].Seq
			return r, true
		}
	}
	return Recorded{}, false
}

// Answer returns how a person has answered about the act; Ask where none was asked, or none answered.
func (r Recorded) Answer() permissions.Verdict {
	if r.Entry.Decision.Source != string(permissions.SourcePerson) {
		return permissions.Ask
	}
	return verdictOf(r.Entry.Decision.Result)
}

// Approved reports whether a person was asked about the act, and approved it.
func (r Recorded) Approved() bool { return r.Answer() == permissions.Approve }

func verdictOf(result string) permissions.Verdict {
	for _, v := range []permissions.Verdict{permissions.Approve, permissions.Reject} {
		if v.String() == result {
			return v
		}
	}
	return permissions.Ask
}

// requestOf makes the request that was decided out of what is on record.
func requestOf(e audit.Entry, commands *command.Catalogue) (r permissions.Request, untold string) {
	a := e.Act
	r = permissions.Request{
		Door: tool.Door(e.Door), Action: permissions.Action(a.Kind), Prompt: a.Claimed,
		Tools:     append([]string{a.Tool}, a.Tools...),
		Arguments: a.Arguments, Dir: a.Dir, Agent: e.Agent, Session: e.Session, Mode: a.Mode,
		Principal: e.Principal, Served: e.Principal != "",
		Headless: a.Headless, Confined: a.Confined, TakesObligations: a.Obliging, TakesProfile: a.Sandboxing,
		Env: a.Env, Commands: commands,
		Doubts: a.Doubts, ReadOnly: a.ReadOnly, Destructive: a.Destructive, OwnProgram: a.OwnProgram, RequiresConfirmation: a.Confirm,
	}
	switch {
	case e.Cut != nil:
		return r, "the record holds only a part of the act: " + e.Cut.Why
	case a.Level == tool.AuditMetadata:
		return r, "the record does not hold what it was about: audit: metadata in the tool's entry"
	case a.Dir == "":
		return r, "the record does not say where it happened: it is of an earlier version"
	}
	if len(a.Workspace) > 0 {
		r.Workspace = tool.Workspace{Root: a.Workspace[0], Additional: a.Workspace[1:]}
	}
	for _, path := range a.Paths {
		if withheld(path) {
			return r, "the record does not hold a path, because it is secret"
		}
		r.Paths = append(r.Paths, permissions.Path{Name: path, Write: r.Action == permissions.ActionCall &&
			!a.ReadOnly})
	}
	if a.Request != nil {
		if _, whole := a.Request["url"]; !whole || withheldIn(a.Request) {
			return r, "the record does not hold the whole request"
		}
		r.Sent = a.Request
	}
	for name, value := range a.Arguments {
		if withheldIn(value) {
			if r.Withheld == nil {
				r.Withheld = map[string]bool{}
			}
			r.Withheld[name] = true
		}
	}
	return r, readCommand(&r, a)
}

// readCommand reads what the act runs, as it was read then.
func readCommand(r *permissions.Request, a *events.Act) (untold string) {
	if withheld(a.Shell) || withheldIn(anyOf(a.Argv)) {
		return "the record does not hold the whole command"
	}
	doubts := r.Doubts // on record with the rest
	switch {
	case len(a.Argv) > 0:
		r.SetArgv(a.Argv)
		r.ShellText = a.Shell
	case a.Shell != "" || r.Action == permissions.ActionExecute:
		r.SetShellText(a.Shell)
	}
	r.Doubts = doubts
	if r.Action == permissions.ActionExecute {
		r.SetsVariables(a.Env)
	}
	return ""
}

func anyOf(texts []string) []any {
	list := make([]any, len(texts))
	for i, text := range texts {
		list[i] = text
	}
	return list
}

// shortenedText is how events.Text ends a text that it has cut.
var shortenedText = lazyregexp.New(`… \[[0-9]+ bytes(, sha256 [0-9a-f]{64})?\]\z`)

// withheld reports whether a text is not on record as it was.
func withheld(text string) bool {
	return strings.Contains(text, secret.Mark) || strings.Contains(text, secret.HashPrefix) ||
		strings.HasSuffix(text, "]") && shortenedText.MatchString(text)
}

func withheldIn(value any) bool {
	switch v := value.(type) {
	case string:
		return withheld(v)
	case []any:
		for _, item := range v {
			if withheldIn(item) {
				return true
			}
		}
	case map[string]any:
		for _, item := range v {
			if withheldIn(item) {
				return true
			}
		}
	}
	return false
}
