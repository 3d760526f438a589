package permissions

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/sensitive"
)

func (c *compiledRule) matchPaths(v *evaluation) (holds, string) {
	switch {
	case c.Verdict != Approve:
		return c.stopsPaths(v)
	case v.runs():
		return c.approvesCommand(v)
	default:
		return c.approvesPaths(v)
	}
}

// approvesPaths wants every resource to be known, to match, and to be plain data or named letter by letter.
func (c *compiledRule) approvesPaths(v *evaluation) (holds, string) {
	if len(v.resources) == 0 {
		switch {
		case len(c.include) > 0:
			return no, "it names no path"
		case aboutFiles(v.Action):
			return no, fmt.Sprintf("it is about a file (%s) and names none", v.Action)
		}
	}
	for _, p := range v.resources {
		if p.err != nil {
			return no, fmt.Sprintf("the path cannot be told: %s", display.Line(p.err.Error()))
		}
		switch {
		case len(c.include) == 0 && !v.inside(p):
			return no, shown(v.Workspace, p.real) + " lies outside the workspace, and the rule names no paths"
		case len(c.include) > 0 && !slices.ContainsFunc(c.include, func(g *pathGlob) bool {
			return v.covers(g, p)
		}):
			return no, v.shown(p.real) + " is not in include_paths (" + c.included + ")"
		}
		if at := v.excluded(c.exclude, p.maybe); at >= 0 {
			return no, fmt.Sprintf("%s is in exclude_paths (%s)", shown(v.Workspace, p.real),
				display.Line(c.ExcludePaths[at]))
		}
		if why := v.guarded(p); why != "" && !slices.ContainsFunc(c.include, func(g *pathGlob) bool {
			return v.names(g, p)
		}) {
			return no, why + ", and include_paths does not name it exactly"
		}
	}
	return yes, ""
}

// approvesCommand: what a command touches is only claimed, so paths never approve one.
func (c *compiledRule) approvesCommand(v *evaluation) (holds, string) {
	if len(c.include) > 0 {
		return no, "it runs a command, and paths never approve commands: say which commands may run (commands: allow:)"
	}
	if len(c.commands) > 0 {
		if len(c.exclude) > 0 && !v.shell.allNamed {
			return no, "it cannot be told that it touches nothing of exclude_paths"
		}
		for _, p := range v.resources {
			if !v.inside(p) {
				return no, fmt.Sprintf("%q lies outside the workspace, or nobody can tell",
					display.Line(p.name))
			}
			if why := v.guarded(p); why != "" {
				return no, why
			}
		}
		for _, p := range v.everyResource() {
			if at := v.excluded(c.exclude, p.maybe); at >= 0 {
				return no, fmt.Sprintf("%s is in exclude_paths (%s)", shown(v.Workspace, p.maybe[0]),
					display.Line(c.ExcludePaths[at]))
			}
		}
		if len(c.exclude) > 0 {
			return c.leavesTrees(v)
		}
		return yes, ""
	}
	if len(c.exclude) > 0 {
		return no, "it runs a command, and nobody can tell that it touches nothing of exclude_paths"
	}
	if why := v.commandGuard(); why != "" {
		return no, why
	}
	return yes, ""
}

// stopsPaths looks at every name that something could mean.
func (c *compiledRule) stopsPaths(v *evaluation) (holds, string) {
	if len(c.include)+len(c.exclude) == 0 {
		return yes, ""
	}
	places := v.everyResource()
	for _, p := range places {
		if c.mayInclude(v, p) && !c.excludes(v, p) {
			return yes, ""
		}
	}
	switch below, why := c.stopsTrees(v); {
	case below != no:
		return below, why
	case v.runs() && (v.shell == nil || !v.shell.allNamed):
		return maybe, ""
	case len(places) == 0 && len(c.include) == 0:
		return yes, "" // nothing shows that it is excluded
	case len(places) == 0:
		return no, "it names no path"
	case len(c.include) == 0:
		return no, fmt.Sprintf("%s is in exclude_paths (%s)", shown(v.Workspace, places[0].maybe[0]),
			listed(c.ExcludePaths))
	}
	return no, v.shown(places[0].maybe[0]) + " is not in include_paths (" + c.included + ")"
}

// mayInclude reports whether include_paths could stand for the resource, by any name.
func (c *compiledRule) mayInclude(v *evaluation, p resource) bool {
	if len(c.include) == 0 {
		return true
	}
	for _, g := range c.include {
		for _, name := range p.maybe {
			if v.mayCover(g, name) || v.removes(g, name) {
				return true
			}
		}
	}
	return false
}

// removes reports whether the act takes a directory away in which the pattern's files lie.
func (v *evaluation) removes(g *pathGlob, name string) bool {
	if v.Action != ActionDelete && v.Action != ActionMove {
		return false
	}
	fixed := g.text
	if at := strings.IndexAny(fixed, `*?[\`); at >= 0 {
		fixed = fixed[:at]
	}
	for _, relative := range v.relatives(g.base, name) {
		if relative == "." || strings.HasPrefix(sensitive.Fold(fixed), sensitive.Fold(relative)+"/") {
			return true
		}
	}
	return false
}

// excluded returns the index of a pattern that could stand for one of the names, -1 for none.
func (v *evaluation) excluded(patterns []*pathGlob, names []string) int {
	for i, g := range patterns {
		for _, name := range names {
			if v.mayCover(g, name) {
				return i
			}
		}
	}
	return -1
}

// everyResource lists what the act names, and what the words of its command could name.
func (v *evaluation) everyResource() []resource {
	if v.shell == nil {
		return v.resources
	}
	return append(v.resources[:len(v.resources):len(v.resources)], v.shell.resources...)
}

// guarded tells why a resource needs a rule that names it exactly; "" when it does not. What a person has
// typed into the command line needs none.
func (v *evaluation) guarded(p resource) string {
	if v.byPerson() {
		return ""
	}
	return v.sensitiveWhy(p, p.write)
}
