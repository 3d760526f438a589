package permissions_test

import (
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestTrustedAtHome: a trusted file of a workspace approves there, and elsewhere it only rejects; a
// person's own rules are stronger.
func TestTrustedAtHome(t *testing.T) {
	t.Parallel()
	rule := func(id, tools string, verdict permissions.Verdict) permissions.Rule {
		return permissions.Rule{ID: id, AppliesTo: []string{tools}, Verdict: verdict}
	}
	own := permissions.File{
		Version: permissions.Version2, Layer: tool.LayerProject, Root: "/w",
		Rules: []permissions.Rule{rule("yes", "*", permissions.Approve), rule("no", "danger", permissions.Reject)},
	}
	mine := permissions.File{Version: permissions.Version2, Layer: tool.LayerUser, Rules: []permissions.Rule{rule("mine", "careful", permissions.Ask)}}
	everywhere := permissions.New(permissions.Options{Policies: permissions.NewSet([]permissions.File{mine, own})})
	admitted := permissions.New(permissions.Options{Policies: permissions.NewSet([]permissions.File{mine})})
	for _, w := range []tool.Workspace{{Root: "/w"}, {Root: "/w/sub"}, {Root: "/v", Additional: []string{"/w"}}} {
		admitted = admitted.WithOwn(w, []permissions.File{own})
	}
	for _, row := range []struct {
		workspace tool.Workspace
		tool      string
		want      permissions.Verdict
	}{
		{tool.Workspace{Root: "/w"}, "build", permissions.Approve},
		{tool.Workspace{Root: "/w"}, "danger", permissions.Reject},
		{tool.Workspace{Root: "/w"}, "careful", permissions.Ask},
		{tool.Workspace{Root: "/w/sub"}, "build", permissions.Ask},
		{tool.Workspace{Root: "/w/sub"}, "danger", permissions.Reject},
		{tool.Workspace{Root: "/v", Additional: []string{"/w"}}, "build", permissions.Ask},
		{tool.Workspace{Root: "/v", Additional: []string{"/w"}}, "danger", permissions.Reject},
	} {
		for name, authority := range map[string]*permissions.Authority{"everywhere": everywhere, "admitted": admitted} {
			d := authority.Decide(permissions.Request{
				Door: tool.DoorMCP, Action: permissions.ActionCall, Tools: []string{row.tool}, Workspace: row.workspace, Dir: row.workspace.Root,
			})
			if d.Verdict != row.want {
				t.Errorf("%s: %s in %+v: %s, want %s (%s)", name, row.tool, row.workspace, d.Verdict, row.want, d.Reason)
			}
		}
	}
}
