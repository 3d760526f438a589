package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestHostileFiles reads what somebody made to hurt: each ends in a mistake that says what is wrong, and none
// takes the memory or the hours that it asks for (the test would not end).
func TestHostileFiles(t *testing.T) {
	t.Parallel()
	const searched = 128 << 10 // bytes, up to which yamldoc looks for the line of a fault
	deep := func(levels int) string {
		var b strings.Builder
		for i := range levels {
			b.WriteString(strings.Repeat(" ", i) + "a:\n")
		}
		return b.String()
	}
	tests := []struct {
		name, data, message string
	}{
		{"as many keys as fit", strings.Repeat("a:\n", yamldoc.MaxFileSize/3), "stands here twice"},
		{"as many tools as the bounds let through", "tools:\n" + strings.Repeat(" a: {}\n", 30_000),
			"stands here twice"},
		{"deep by indentation", deep(1400), "inside each other"},
		{"deep by brackets", "a: " + strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000),
			"inside each other"},
		{"brackets that nothing closes", "a: " + strings.Repeat("[", 9_000), "not closed"},
		{"quotation marks", strings.Repeat("a: \"x\"y\"\n", searched/10), "quotation mark"},
		{"quotation marks that nothing closes", strings.Repeat("a: 'x\n", searched/8), "not closed"},
		{"tabs", strings.Repeat("\ta: b\n", searched/8), "a tab indents"},
		{"steps between columns", "a:\n    b: 1\n" + strings.Repeat("   c: 1\n  d: 1\n", searched/20),
			"column where nothing"},
		{"one line", "a: " + strings.Repeat("{{x}} ", searched/8), "{{"},
		{"one line of brackets", strings.Repeat("- ]", searched/4), "YAML"},
		{"colons", strings.Repeat("a: b: c\n", searched/10), "make a key of it"},
		{"words", strings.Repeat("word\n", searched/8), "found \"word"},
		// Each of the marks is a guess of its own, and the right one is the last: the bytes that are parsed
		// run out first.
		{"quotation marks within another text",
			"a: \"\n" + strings.Repeat("b: 'c\n", 450) + "\" d\n" + strings.Repeat("#\n", searched/3),
			"this is no key, and one is expected here"},
		{"a broken file beyond the search", strings.Repeat("a: b: c\n", searched/4),
			"a key cannot stand here"},
	}
	for i, test := range tests {
		if testing.Short() && i%3 != 1 {
			continue
		}
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := ReadTools(File{Name: "tools.yaml", Layer: tool.LayerUser, Data: []byte(test.data)})
			found := yamldoc.List(err)
			if !found.Broken() || !strings.Contains(found.Error(), test.message) {
				t.Errorf("want %q, got %.300s", test.message, found.Error())
			}
			if len(found) > yamldoc.MaxErrors+1 {
				t.Errorf("%d mistakes are told", len(found))
			}
			for _, e := range found {
				if e.Excerpt != nil && len(e.Excerpt.Text) > 8*74 {
					t.Errorf("an excerpt of %d bytes", len(e.Excerpt.Text))
				}
				if len(e.Message) > 2000 || len(e.Hint) > 2000 {
					t.Errorf("%d and %d bytes are said", len(e.Message), len(e.Hint))
				}
			}
		})
	}
}

// TestHugeFile never reads more of a file than the bound: this one has 100 MB, none of them on the disk.
func TestHugeFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tools.yaml")
	if err := os.WriteFile(path, []byte("tools:\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 100<<20); err != nil {
		t.Fatal(err)
	}
	_, err := ReadFile(path, tool.LayerFlag)
	if found := yamldoc.List(err); len(found) != 1 ||
		!strings.Contains(found[0].Message, "more than 1048576 bytes") {
		t.Errorf("got %v", err)
	}
}
