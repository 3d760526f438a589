package permissions

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// The modes that every act has one of, beside that of its agent.
const (
	ModeInteractive = "interactive" // somebody can be asked
	ModeHeadless    = "headless"    // nobody can
)

// matchAgent compares the name that the agent gave itself. A rule that stops does not let one go that has
// none.
func (c *compiledRule) matchAgent(v *evaluation) (holds, string) {
	if len(c.agents) == 0 {
		return yes, ""
	}
	for _, g := range c.agents {
		if g.matches(v.Agent) || c.Verdict != Approve && g.mayMatch(v.Agent) {
			return yes, ""
		}
	}
	if v.Agent == "" {
		if c.Verdict != Approve && v.Door != tool.DoorCLI {
			return maybe, "the agent gave itself no name, and the rule is about " + listed(c.Agents)
		}
		return no, "there is no agent's name, and the rule is about " + c.whose
	}
	return no, "the agent is " + display.Line(v.Agent) + ", and the rule is about " + c.whose
}

// matchPrincipal compares the name by which the daemon knows who calls it. What does not come through the
// daemon has no such name, whatever the command of its agent is called.
func (c *compiledRule) matchPrincipal(v *evaluation) (holds, string) {
	if len(c.callers) == 0 {
		return yes, ""
	}
	if !v.Served {
		return no, "it did not come through the daemon, and the rule is about the principals " + listed(c.Principals)
	}
	for _, g := range c.callers {
		if g.matches(v.Principal) || c.Verdict != Approve && g.mayMatch(v.Principal) {
			return yes, ""
		}
	}
	return no, "the principal is " + display.Line(v.Principal) + ", and the rule is about " + listed(c.Principals)
}

// matchMode compares whether anybody can be asked, and the agent's own mode as far as it has told us.
func (c *compiledRule) matchMode(v *evaluation) (holds, string) {
	if len(c.modes) == 0 {
		return yes, ""
	}
	reach := ModeInteractive
	if v.Headless {
		reach = ModeHeadless
	}
	for i, g := range c.modes {
		switch name := c.Modes[i]; {
		case name == ModeInteractive || name == ModeHeadless:
			if name == reach {
				return yes, ""
			}
		case g.matches(v.Mode), c.Verdict != Approve && v.Mode != "" && sameMode(g, v.Mode):
			return yes, ""
		}
	}
	shown := reach
	if v.Mode != "" {
		shown += ", " + display.Line(v.Mode)
	}
	return no, fmt.Sprintf("the mode is %s, and the rule is about %s", shown, listed(c.Modes))
}

// sameMode compares as loosely as agents spell: bypassPermissions, bypass-permissions, BYPASS_PERMISSIONS.
func sameMode(g *glob, mode string) bool {
	if g.mayMatch(mode) {
		return true
	}
	folded, err := compileGlob(foldMode(g.text), true)
	return err == nil && folded.mayMatch(foldMode(mode))
}

func foldMode(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == ' ' {
			return -1
		}
		return r
	}, s)
}

// matchExpiry ends a rule whose time is over, one that stops as well as one that approves: its author said
// so.
func (c *compiledRule) matchExpiry(v *evaluation) (holds, string) {
	if !c.Expires.IsZero() && !v.now.Before(c.Expires) {
		return no, "the rule expired at " + c.Expires.UTC().Format("2006-01-02 15:04 UTC")
	}
	return yes, ""
}

// checkAgents checks the conditions of this file.
func (c *checker) checkAgents(r *Rule) {
	for i, text := range r.Agents {
		_, err := compileGlob(text, true)
		c.pattern(fmt.Sprintf("agents[%d]", i), err)
	}
	for i, text := range r.Principals {
		_, err := compileGlob(text, true)
		c.pattern(fmt.Sprintf("principals[%d]", i), err)
	}
	for i, text := range r.Modes {
		_, err := compileGlob(text, true)
		c.pattern(fmt.Sprintf("mode[%d]", i), err)
	}
	if slices.Contains(r.Modes, ModeHeadless) && slices.Contains(r.Modes, ModeInteractive) {
		c.add("mode", "headless and interactive together are every act", "take one of them out")
	}
}
