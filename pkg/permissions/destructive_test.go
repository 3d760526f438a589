package permissions

import (
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/shellscan"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestDestructiveIsNamed asks about a tool that removes or overwrites something, unless a rule names it.
func TestDestructiveIsNamed(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	for _, row := range []struct {
		name, about string
		destructive bool
		door        tool.Door
		want        Verdict
	}{
		{"by its id", "wipe", true, tool.DoorMCP, Approve},
		{"by a pattern", "w*", true, tool.DoorMCP, Approve},
		{"whatever it is", "*", true, tool.DoorMCP, Ask},
		{"whatever it is, and it destroys nothing", "*", false, tool.DoorMCP, Approve},
		{"typed by a person", "*", true, tool.DoorCLI, Approve},
	} {
		request := b.call("wipe", nil)
		request.Destructive, request.Door = row.destructive, row.door
		if d := b.authority(v2(Rule{ID: "r", AppliesTo: []string{row.about}, Verdict: Approve})).Decide(request); d.Verdict != row.want {
			t.Errorf("%s: %v %s", row.name, d.Verdict, d.Reason)
		}
	}
}

// TestAskedSinceItDestroys: where no rule matches, the question says what the tool's author says of it, and what a rule would
// have to name; the rule that it tells of approves.
func TestAskedSinceItDestroys(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	for _, row := range []struct {
		name, command    string
		destructive, own bool
		want             string
	}{
		{"a program that destroys", "rm -v a", true, true,
			"the tool's author says that it removes or overwrites something (destructiveHint), and no rule names it (applies_to: [wipe])"},
		{"a script that destroys", "", true, false,
			"the tool's author says that it removes or overwrites something (destructiveHint), and no rule names it (applies_to: [wipe])"},
		{"a program", "touch a", false, true, "the tool may change something, and no rule names it (applies_to: [wipe])"},
		{"a command of the agent's own", "rm -v a", true, false,
			"the tool's author says that it removes or overwrites something (destructiveHint), and no rule covers the command"},
	} {
		request := b.call("wipe", nil)
		request.Destructive, request.OwnProgram, request.Door = row.destructive, row.own, tool.DoorMCP
		if row.command != "" {
			scan := shellscan.Scan(row.command, request.Commands)
			request.Shell, request.ShellText = &scan, row.command
		}
		if d := b.authority().Decide(request); d.Verdict != Ask || d.Reason != row.want {
			t.Errorf("%s: %v because %s", row.name, d.Verdict, d.Reason)
		}
		named := b.authority(v2(Rule{ID: "r", AppliesTo: []string{"wipe"}, Verdict: Approve})).Decide(request)
		if strings.Contains(row.want, "applies_to") && named.Verdict != Approve {
			t.Errorf("%s: with a rule that names it: %v because %s", row.name, named.Verdict, named.Reason)
		}
	}
}
