package cliimport

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// driftOf tells, a line each, what is other than before of the tools of an import: + for what is new, - for what is
// gone, ~ for what is another.
func driftOf(before, after []config.Loaded, owned, made []string) (lines []string) {
	find := func(list []config.Loaded, id string) *tool.Tool {
		if i := slices.IndexFunc(list, func(l config.Loaded) bool { return l.Tool.ID == id }); i >= 0 {
			return &list[i].Tool
		}
		return nil
	}
	ids := slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(owned), made...))))
	for _, id := range ids {
		old, now := find(before, id), find(after, id)
		switch {
		case old == nil && now == nil:
		case old == nil:
			lines = append(lines, "+ "+id)
		case now == nil:
			lines = append(lines, "- "+id)
		default:
			lines = append(lines, driftOfTool(old, now)...)
		}
	}
	return lines
}

func driftOfTool(old, now *tool.Tool) (lines []string) {
	parameter := func(t *tool.Tool, name string) *tool.Parameter {
		if i := slices.IndexFunc(t.Parameters, func(p tool.Parameter) bool { return p.Name == name }); i >= 0 {
			return &t.Parameters[i]
		}
		return nil
	}
	if old.Description != now.Description {
		lines = append(lines, fmt.Sprintf("~ %s: its description: %q", now.ID, now.Description))
	}
	if old.Exec != nil && now.Exec != nil && (old.Exec.Command != now.Exec.Command || !slices.Equal(old.Exec.Argv, now.Exec.Argv)) {
		lines = append(lines, fmt.Sprintf("~ %s: it runs %s %s", now.ID, now.Exec.Command, strings.Join(now.Exec.Argv, " ")))
	}
	var names []string
	for _, p := range slices.Concat(old.Parameters, now.Parameters) {
		names = append(names, p.Name)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		was, is := parameter(old, name), parameter(now, name)
		switch {
		case was == nil:
			lines = append(lines, fmt.Sprintf("+ %s %s: %s", now.ID, name, brief(is)))
		case is == nil:
			lines = append(lines, fmt.Sprintf("- %s %s", now.ID, name))
		case brief(was) != brief(is):
			lines = append(lines, fmt.Sprintf("~ %s %s: %s, was %s", now.ID, name, brief(is), brief(was)))
		case was.Description != is.Description:
			lines = append(lines, fmt.Sprintf("~ %s %s: %q", now.ID, name, is.Description))
		}
	}
	return lines
}

// brief says what a parameter takes.
func brief(p *tool.Parameter) string {
	parts := []string{string(p.Type)}
	if p.Format != "" {
		parts = append(parts, string(p.Format))
	}
	if p.Items != nil {
		parts = append(parts, "of "+brief(p.Items))
	}
	if p.Form != tool.FormEqual {
		parts = append(parts, string(p.Form))
	}
	if len(p.Enum) > 0 {
		parts = append(parts, fmt.Sprintf("one of %v", p.Enum))
	}
	if p.Minimum != "" {
		parts = append(parts, "from "+p.Minimum)
	}
	if p.Required {
		parts = append(parts, "required")
	}
	if p.Default != nil {
		if text, err := json.Marshal(p.Default); err == nil {
			parts = append(parts, "default "+string(text))
		}
	}
	return strings.Join(parts, " ")
}
