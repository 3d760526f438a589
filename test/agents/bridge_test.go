//go:build agents

package agents

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/a2a-acp/a2a-acp/test/agents/internal/editor"
)

// noRules is a policy file that leaves everything to the person.
const noRules = "version: 2\nauto_approval_policies: []\n"

// TestBridge plays what TestBare plays, through the bridge: it must come to the same, with the same frames.
func TestBridge(t *testing.T) {
	t.Parallel()
	for _, a := range agents() {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			r := start(t, a, options{
				missing: editor.MissingIsEmpty, buffers: buffers(),
				bridge: &bridge{policies: noRules, tools: ourTools}, // which nobody calls here
			})
			r.playAll()
			r.stop()
			r.checkFrames(r.editor.Frames())
			r.checkRelay()
			r.checkServers()
		})
	}
}

// checkServers checks that the agent was asked to start the editor's own MCP server as the editor had
// asked, and one more.
func (r *rig) checkServers() {
	r.t.Helper()
	servers := func(frames []editor.Frame) []json.RawMessage {
		at := slices.IndexFunc(frames, func(f editor.Frame) bool { return f.ToAgent && f.Method == "session/new" })
		if at < 0 {
			r.t.Fatal("no session/new")
		}
		var params struct {
			Servers []json.RawMessage `json:"mcpServers"`
		}
		if err := json.Unmarshal(frames[at].Params, &params); err != nil {
			r.t.Fatal(err)
		}
		return params.Servers
	}
	asked, got := servers(r.editor.Frames()), servers(r.tapped())
	if len(got) != len(asked)+1 {
		r.t.Fatalf("the agent was given %d MCP servers, want the editor's %d and one of ours", len(got), len(asked))
	}
	for _, server := range asked {
		if !slices.ContainsFunc(got, func(g json.RawMessage) bool { return string(g) == string(server) }) {
			r.t.Errorf("the agent was not given the editor's server as it was: %s", server)
		}
	}
}
