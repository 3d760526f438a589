package config

import (
	"fmt"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
)

// TestManyMistakes guards the time that hints take: of a file made of mistakes the first ones are told, and
// it is refused.
func TestManyMistakes(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("version: 2\nauto_approval_policies: []\n")
	for i := range 40_000 {
		fmt.Fprintf(&b, "key%d:\n", i)
	}
	_, err := ReadPolicies(File{Name: "p.yaml", Data: []byte(b.String())})
	if found := yamldoc.List(err); len(found) != yamldoc.MaxErrors+1 ||
		found[yamldoc.MaxErrors].Rule != yamldoc.RuleTooLarge {
		t.Errorf("want %d mistakes and a last word, got %d", yamldoc.MaxErrors, len(found))
	}
	warnings := "tools:\n"
	for i := range 3 * yamldoc.MaxErrors {
		warnings += fmt.Sprintf("  t%d: {script: \"echo {{x}}\"}\n", i)
	}
	tools, err := ReadTools(File{Name: "t.yaml", Data: []byte(warnings)})
	if err != nil || len(tools) != 3*yamldoc.MaxErrors || len(tools[len(tools)-1].Warnings) != 1 {
		t.Errorf("warnings are no mistakes: %d tools, %v", len(tools), err)
	}
}

// TestRepairedIsRefused: a file is repaired to find its other mistakes, never to be used.
func TestRepairedIsRefused(t *testing.T) {
	t.Parallel()
	for _, data := range []string{
		"version: 2\ntools:\n  a:\n    script: \"echo\n",
		"version: 2\ntools:\n\ta:\n\t\tscript: echo\n",
		"version: 2\ntools:\n  a:\n    script: {{x}} y\n    parameters: [{name: x, type: string, required: true}]\n",
		"version: 2\ntools:\n  a:\n    script: echo\n    tags: [a\n",
		"version: 2\ntools:\n  a:\n    script: echo\n    sandbox:\n      timeout:5\n      network: off\n",
	} {
		if tools, err := ReadTools(File{Name: "t.yaml", Data: []byte(data)}); err == nil || tools != nil {
			t.Errorf("%q is read as %v", data, tools)
		}
		if _, err := ReadPolicies(File{Name: "p.yaml",
			Data: []byte(strings.ReplaceAll(data, "tools:", "auto_approval_policies:"))}); err == nil {
			t.Errorf("%q is read", data)
		}
	}
}

// TestMessagesAreSafeOnATerminal: a workspace's policy file is a stranger's, and what is wrong in it is
// shown.
func TestMessagesAreSafeOnATerminal(t *testing.T) {
	t.Parallel()
	hostile := `"\e]0;owned\a\u202e\nroot:"`
	for name, data := range map[string]string{
		"key":        "auto_approval_policies: []\n" + hostile + ": 1\n",
		"id":         "auto_approval_policies:\n  - {id: " + hostile + "}\n",
		"verdict":    "auto_approval_policies:\n  - {decision: {type: " + hostile + "}}\n",
		"one text":   "auto_approval_policies:\n  - {applies_to: " + hostile + "}\n",
		"parameters": "auto_approval_policies:\n  - {parameters: {" + hostile + ": []}}\n",
		"tag":        "auto_approval_policies: !<" + "%1b]0;owned%07" + "> []\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := ReadPolicies(File{Name: "p.yaml", Data: []byte(data)})
			if err == nil {
				t.Fatal("want a mistake")
			}
			for _, e := range yamldoc.List(err) {
				if strings.ContainsAny(e.Message+e.Hint, "\x1b\a\u202e") ||
					strings.Contains(e.Message, "\n") {
					t.Errorf("message %q, hint %q", e.Message, e.Hint)
				}
			}
		})
	}
}
