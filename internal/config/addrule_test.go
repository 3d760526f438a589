package config

import (
	"strings"
	"testing"
)

// TestAddRule: a rule that is kept comes behind those that a person has written, and every byte of his stays.
func TestAddRule(t *testing.T) {
	t.Parallel()
	const rule = "id: kept\napplies_to: [x]\ndecision:\n  type: approve\n  reason: |\n    so\n\n    it is\n"
	const added = "\n  # kept\n  - id: kept\n    applies_to: [x]\n    decision:\n      type: approve\n      reason: |\n        so\n\n        it is\n"
	const one = "auto_approval_policies:\n  - {id: a, applies_to: [y], decision: {type: approve}} # mine\n"
	for _, row := range []struct {
		name, before string
		after        string // "" for an error
		line         int
		says         string
	}{
		{"nothing", "", "version: 2\n\nauto_approval_policies:\n" + added, 6, ""},
		{"comments alone", "# mine", "# mine\nversion: 2\n\nauto_approval_policies:\n" + added, 7, ""},
		{"rules at the end", "version: 2\n" + one, "version: 2\n" + one + added, 6, ""},
		{"no end of the last line", "version: 2\n" + strings.TrimSuffix(one, "\n"), "version: 2\n" + one + added, 6, ""},
		{"dashes at the margin", "version: 2\nauto_approval_policies:\n-   id: a\n    applies_to: [y]\n    decision: {type: approve}\n",
			"version: 2\nauto_approval_policies:\n-   id: a\n    applies_to: [y]\n    decision: {type: approve}\n" +
				strings.ReplaceAll(added, "\n  ", "\n"), 8, ""},
		{"another key behind", one + "\n# why\nversion: 2\n", one + added + "\n# why\nversion: 2\n", 5, ""},
		{"line ends of Windows", "version: 2\r\n" + strings.ReplaceAll(one, "\n", "\r\n"),
			strings.ReplaceAll("version: 2\n"+one+added, "\n", "\r\n"), 6, ""},
		{"a text at the end", "version: 2\nauto_approval_policies:\n  - id: a\n    applies_to: [y]\n    decision:\n      type: approve\n      reason: |\n        so\n",
			"version: 2\nauto_approval_policies:\n  - id: a\n    applies_to: [y]\n    decision:\n      type: approve\n      reason: |\n        so\n" + added, 11, ""},
		{"a text that would be longer", "version: 2\nauto_approval_policies:\n  - id: a\n    applies_to: [y]\n    decision:\n      type: approve\n      reason: |+\n        so\n", "", 0, "only a person"},
		{"the original format", one, "", 0, "p.yaml has no version: 2"},
		{"in one line", "version: 2\nauto_approval_policies: [{id: a, applies_to: [y], decision: {type: approve}}]\n", "", 0, "a list with a dash before each"},
		{"indented", "  version: 2\n  auto_approval_policies:\n    - {id: a, applies_to: [y], decision: {type: approve}}\n", "", 0, "keys with a line each"},
		{"an end", "version: 2\n" + one + "...\n", "", 0, "only a person"},
		{"a second document", "version: 2\n" + one + "---\nx: y\n", "", 0, "p.yaml"},
		{"without rules", "version: 2\n", "", 0, "p.yaml"},
		{"broken", "version: 2\na: [\n", "", 0, "p.yaml"},
		{"of the same name", "version: 2\n" + strings.Replace(one, "id: a", "id: kept", 1), "", 0, "kept"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			data, made, line, err := AddRule(File{Name: "p.yaml", Data: []byte(row.before)}, "kept", []byte(rule))
			if row.says != "" {
				if err == nil || !strings.Contains(err.Error(), row.says) || data != nil {
					t.Errorf("%q, line %d, %v; want %s", data, line, err, row.says)
				}
				return
			}
			if !strings.Contains(string(made), "- id: kept") || len(row.before)+len(made) != len(row.after) {
				t.Errorf("new is %q", made)
			}
			if err != nil || string(data) != row.after || line != row.line {
				t.Errorf("line %d, %v, want %d:\n%q\n%q", line, err, row.line, data, row.after)
			}
		})
	}
}
