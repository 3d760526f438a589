package permissions

import (
	"fmt"
	"slices"

	"github.com/a2a-acp/a2a-acp/internal/display"
)

// matchWorkspace compares the directories of the session's workspace. What is approved in one project is not approved in
// another, whose `npm test` is other people's code; so every directory has to match for a rule that approves, and any
// for one that stops.
func (c *compiledRule) matchWorkspace(v *evaluation) (holds, string) {
	if len(c.places) == 0 {
		return yes, ""
	}
	dirs := v.Workspace.Dirs()
	for _, dir := range dirs {
		among := slices.ContainsFunc(c.places, func(g *pathGlob) bool {
			if c.Verdict == Approve {
				return slices.ContainsFunc(v.relatives(g.base, dir), g.matches)
			}
			return v.mayCover(g, dir)
		})
		switch {
		case among && c.Verdict != Approve:
			return yes, ""
		case !among && c.Verdict == Approve:
			return no, fmt.Sprintf("the workspace is %s, and the rule is about %s", display.Line(dir), listed(c.Workspaces))
		}
	}
	switch {
	case len(dirs) == 0:
		return no, "it has no workspace, and the rule is about " + listed(c.Workspaces)
	case c.Verdict == Approve:
		return yes, ""
	}
	return no, fmt.Sprintf("the workspace is %s, and the rule is about %s", display.Line(dirs[0]), listed(c.Workspaces))
}

// checkWorkspaces checks the condition of this file.
func (c *checker) checkWorkspaces(r *Rule) {
	for i, text := range r.Workspaces {
		field := fmt.Sprintf("workspaces[%d]", i)
		g, err := compilePathGlob(text)
		if err == nil && g.base == workspaceBase {
			c.add(field, fmt.Sprintf("%s is no directory that begins with / or ~/", display.Line(text)),
				"write the whole name: ~/src/shop, or ~/src/** for all below ~/src")
			continue
		}
		c.pattern(field, err)
	}
}
