package permissions

import "testing"

// What an agent's words could name is enough for a rule that stops, and for none that approves.
func TestAllegedNames(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		pattern, words string
		want           bool
	}{
		{"mcp__github__create_issue", "github_create_issue", true},
		{"mcp__github__create_issue", "mcp_github_create_issue", true},
		{"mcp__github__create_issue", "mcp.github.create-issue", true},
		{"mcp__github__create_issue", "Tool: github/create_issue", true},
		{"mcp__github__create_issue", "MCP: GitHub: create_issue", true},
		{"mcp__github__create_issue", "create_issue (github MCP Server)", true},
		{"mcp__github__create_issue", "create_issue (github)", true},
		{"create_issue (github MCP Server)", "github_create_issue", true},
		{"mcp__github__*", "github_create_issue", true},
		{"mcp__github__*", "gitlab_create_issue", false},
		{"mcp__*", "github_create_issue", false}, // it may be anything
		{"mcp__*__create_issue", "gitlab_delete_issue", false},
		{"mcp__github__create_issue", "create_issue", false},
		{"mcp__github__create_issue", "Read about github_create_issue", false},
		{"deploy", "deploy", true},
	} {
		g, err := compileToolGlob(row.pattern)
		if err != nil {
			t.Fatal(err)
		}
		for verdict, want := range map[Verdict]bool{Reject: row.want, Ask: row.want, Approve: false} {
			if got := g.means(Alleged+row.words, verdict); got != want {
				t.Errorf("a rule about %s that says %s: an act called %q is meant: %v, want %v", row.pattern, verdict, row.words, got, want)
			}
		}
	}
	b := newTestbed(t)
	r, again := b.request(ActionOther, "acp.other"), b.request(ActionOther, "acp.other")
	r.Tools, again.Tools = append(r.Tools, Alleged+"one"), append(again.Tools, Alleged+"another")
	limited := rule("few", Approve, func(r *Rule) { r.Limit = &Limit{Count: 1, Per: PermitLife, Key: LimitTool} })
	c := compileRule(limited)
	a := b.authority(File{Name: "x", Version: Version2, Rules: []Rule{limited}})
	if one, other := c.limitKey(a.newEvaluation(r)), c.limitKey(a.newEvaluation(again)); one != other {
		t.Errorf("an act is counted apart by its title: %q, %q", one, other)
	}
}
