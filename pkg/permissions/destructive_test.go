package permissions

import (
	"testing"

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
