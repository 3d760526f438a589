package permissions

import (
	"fmt"
	"net/url"

	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// defaults is what happens when no rule matches: the first row that is about the act. Nobody who reads this
// table should be surprised by what it lets happen.
var defaults = []struct {
	about  func(*evaluation) bool
	answer func(*evaluation) Decision
}{
	// The caller's own act is the approval.
	{typedByPerson, func(*evaluation) Decision {
		return Decision{Verdict: Approve, Source: SourceCaller, Reason: "you typed the command yourself"}
	}},
	// What the agent asks about is its own act, and its own words: the person answers.
	{askedByAgent, func(v *evaluation) Decision {
		return Decision{Source: SourceDefault, Reason: v.whyAgentAsks()}
	}},
	{readsInside, func(*evaluation) Decision {
		return Decision{Verdict: Approve, Source: SourceDefault, Reason: "it reads inside the workspace"}
	}},
	{callsReader, func(v *evaluation) Decision {
		return Decision{Verdict: Approve, Source: SourceDefault,
			Reason: "the tool's author says that it changes nothing, and " + v.keepsTo()}
	}},
	// Everything else: fs/write_text_file, fs/read_text_file outside the workspace, terminals, tools that
	// change something, and whatever nobody has thought of.
	{anything, func(v *evaluation) Decision {
		return Decision{Source: SourceDefault, Reason: v.whyAsked()}
	}},
}

func typedByPerson(v *evaluation) bool { return v.byPerson() && !v.Prompt }

func askedByAgent(v *evaluation) bool { return v.Prompt }

// readsInside: the editor reads the file for the agent. One that may hold a secret has been asked about
// before.
func readsInside(v *evaluation) bool {
	return v.Door == tool.DoorACP && v.Action == ActionRead && len(v.resources) > 0 && v.allInside() && !v.runs()
}

// callsReader: a tool that its author marks as read-only, and that runs nothing that the agent chose. In the sandbox
// it has nowhere to write to (tool.HoldToHints).
func callsReader(v *evaluation) bool {
	calls := v.Door == tool.DoorMCP || v.Door == tool.DoorA2A
	return calls && v.Action == ActionCall && v.ReadOnly && v.allInside() && (!v.runs() || v.OwnProgram)
}

// keepsTo says what a tool that only reads keeps to: of files to the workspace, and a request to the host that it is sent to.
func (v *evaluation) keepsTo() string {
	text, _ := v.Sent["url"].(string)
	to, err := url.Parse(text)
	switch {
	case v.Sent == nil:
		return "it names no file outside the workspace"
	case err != nil || to.Host == "":
		return "it only asks its server"
	case v.Credential:
		return "it only asks " + display.Line(to.Host) + ", with a credential"
	}
	return "it only asks " + display.Line(to.Host)
}

func anything(*evaluation) bool { return true }

func (v *evaluation) byDefault() Decision {
	for _, row := range defaults {
		if row.about(v) {
			return row.answer(v)
		}
	}
	// Never reached: the last row is about anything.
	return Decision{Source: SourceDefault, Reason: "no rule approves or rejects it"}
}

// whyAgentAsks says in a sentence why a person is asked about an act of the agent's own.
func (v *evaluation) whyAgentAsks() string {
	if v.Action == ActionSearch && len(v.resources) == 0 {
		return "the agent does not say where it searches, so it could be anywhere, and no rule approves that"
	}
	return "no rule approves or rejects it"
}

// whyAsked says in a sentence what the person is asked about.
func (v *evaluation) whyAsked() string {
	for _, p := range v.resources {
		if p.err != nil {
			return "it cannot be told which file it touches: " + display.Line(p.err.Error())
		}
		if !v.inside(p) {
			return shown(v.Workspace, p.real) + " lies outside the workspace, and no rule approves or rejects that"
		}
	}
	destroys := ""
	if v.Destructive && v.Action == ActionCall {
		destroys = "the tool's author says that it removes or overwrites something (destructiveHint), and "
	}
	switch {
	case v.shell != nil && v.shell.fault != "":
		return destroys + "no rule covers the command: " + v.shell.fault
	case v.Action == ActionCall && len(v.Tools) > 0 && (v.OwnProgram || destroys != "" && !v.runs()):
		if destroys == "" {
			destroys = "the tool may change something, and "
		}
		return fmt.Sprintf("%sno rule names it (applies_to: [%s])", destroys, display.Line(v.Tools[0]))
	case v.runs() && destroys != "":
		return destroys + "no rule covers the command"
	case v.runs():
		return "no rule covers the command"
	case writes(v.Action):
		return fmt.Sprintf("no rule approves or rejects it (%s)", v.Action)
	case v.Action == ActionCall:
		return "the tool may change something, and no rule approves or rejects it"
	}
	return "no rule approves or rejects it"
}
