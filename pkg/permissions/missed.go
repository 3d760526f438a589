package permissions

import (
	"slices"

	"github.com/a2a-acp/a2a-acp/internal/shellscan"
)

// missed is a rule that would approve an act but for a condition, and why that does not hold.
type missed struct {
	rule *compiledRule
	finding
}

// misses reports whether a rule would approve but for a condition about facts.
func (f finding) misses(rule *compiledRule) bool {
	return rule.Verdict == Approve && !rule.Observe && f.holds == no &&
		slices.ContainsFunc(factConditions, func(c ruleCondition) bool { return c.key == f.condition })
}

// whyNot says of the approving rule that is the nearest to the act why it does not approve it, or else of those that cover a
// part of its commands; "" where none is about it. It says no value of an argument: that could be a secret.
func (a outcome) whyNot(v *evaluation) string {
	near, best := missed{}, 0
	for _, m := range a.missed {
		// Of equal ones a person's own is named, whose name he knows.
		if nearness := m.nearness(v); nearness > best || nearness > 0 && nearness == best && near.rule.yieldsTo(m.rule) {
			near, best = m, nearness
		}
	}
	switch {
	case best == 0 && v.shell != nil && v.shell.fault != "": // more rules would not help
		return ": " + v.shell.fault
	case best == 0 && a.uncovered != "":
		return ": " + a.uncovered
	case best == 0:
		return ""
	}
	why := near.why
	switch near.condition {
	case "parameters":
		why = "it has other arguments"
	case "request":
		why = "it is another request"
	}
	return ": rule " + near.rule.ID + " does not, because " + why
}

// nearness is how much of the rule holds, and 0 where it is about other acts.
func (m missed) nearness(v *evaluation) int {
	c := m.rule
	switch m.condition {
	case "risk":
		return 5
	case "include_paths":
		if v.runs() && len(c.commands) > 0 {
			return 4
		}
		if !v.runs() && len(v.resources) > 0 && !slices.ContainsFunc(v.resources, func(p resource) bool {
			return len(c.include) > 0 && !slices.ContainsFunc(c.include, func(g *pathGlob) bool { return v.covers(g, p) })
		}) {
			return 4
		}
	case "commands":
		if c.begins(v) {
			if v.writesByName() && !c.redirects() {
				return 2
			}
			return 3
		}
	case "parameters", "request":
		if c.names() {
			return 1
		}
	case "requires":
		if len(c.include) == 0 && (len(c.commands) == 0 || c.begins(v)) {
			return 1
		}
	}
	return 0
}

// writesByName reports whether the text redirects an output to a file whose name is known.
func (v *evaluation) writesByName() bool {
	return slices.ContainsFunc(v.Shell.Writes, func(w shellscan.Write) bool { return w.Fixed && w.Path != "/dev/null" })
}

// redirects reports whether the rule lets commands write files by redirection.
func (c *compiledRule) redirects() bool {
	return !slices.ContainsFunc(c.commands, func(l *commandList) bool {
		return l.redirects != RedirectsWorkspace && l.redirects != RedirectsAny
	})
}

// begins reports whether every command of the act begins as one of the rule's does.
func (c *compiledRule) begins(v *evaluation) bool {
	return v.shell != nil && len(c.commands) > 0 &&
		!slices.ContainsFunc(c.commands, func(l *commandList) bool { return !l.begins(v) })
}

func (l *commandList) begins(v *evaluation) (some bool) {
	for i := range v.shell.commands {
		named := l.spells(v, i)
		if !named && !v.shell.needsNoRule(i) {
			return false
		}
		some = some || named
	}
	return some
}
