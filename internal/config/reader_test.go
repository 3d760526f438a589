package config

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// laughs is the classic: each level names the one below ten times.
func laughs(levels int) string {
	var b strings.Builder
	b.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < levels; i++ {
		below := strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 10), ", ")
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i, i, below)
	}
	return b.String()
}

// ladder nests by aliases only: no line of it is deep.
func ladder(rungs int) string {
	var b strings.Builder
	b.WriteString("a0: &a0 [x]\n")
	for i := 1; i < rungs; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [*a%d]\n", i, i, i-1)
	}
	return b.String()
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, data string
		rule       string
		line       int
		message    string
	}{
		{"empty", "", ruleEmpty, 1, "the file is empty"},
		{"blank", " \n\n", ruleEmpty, 1, "the file is empty"},
		{"one byte too many", strings.Repeat("#", maxFileSize+1), ruleTooLarge, 0, "1048577 bytes"},
		{"too many nodes", "a: [" + strings.Repeat("x,", maxNodes) + "]", ruleTooLarge, 1, "more than 100000 values"},
		{"alias bomb of four levels", laughs(4), "", 0, ""},
		{"alias bomb of ten levels", laughs(10), ruleTooLarge, 5, "more than 100000 values"},
		{"alias bomb of a thousand levels", laughs(1000), ruleTooLarge, 5, "more than 100000 values"},
		{"alias of itself", "a: &a\n  b: *a\n", ruleAlias, 1, "&a holds an alias to itself"},
		{"alias of itself in a list", "- &a [1, [2, *a]]\n", ruleAlias, 1, "&a holds an alias to itself"},
		{"deep by brackets", strings.Repeat("[", 200) + strings.Repeat("]", 200), ruleTooLarge, 1, "more than 100"},
		{"deep beyond the library", strings.Repeat("[", 20000), ruleSyntax, 1, "inside each other"},
		{"deep by aliases", ladder(120), ruleTooLarge, 0, "more than 100"},
		{"deep enough", ladder(90), "", 0, ""},
		{"unclosed flow at the largest size", "[" + strings.Repeat("a,", maxFileSize/2-1), ruleSyntax, 1, "is expected before here"},
		{"invalid UTF-8 after a comment", "# é\n#ü\xff", ruleSyntax, 2, "not UTF-8"},
		{"control character", "a: \x1b[31m", ruleSyntax, 1, "U+001B"},
		{"next line", "a: \u0085", ruleSyntax, 1, "U+0085"},
		{"second byte order mark", "\ufeff\ufeffa: 1", ruleSyntax, 1, "U+FEFF"},
		{"first byte order mark", "\ufeffa: 1", "", 0, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			doc := parse("x.yaml", []byte(test.data))
			if test.rule == "" {
				if doc.root == nil || len(doc.found) > 0 {
					t.Fatalf("want it to be read, got %v", doc.found)
				}
				return
			}
			if !doc.found.Broken() {
				t.Fatalf("want %s, and it is read", test.rule)
			}
			got := doc.found[0]
			if got.Rule != test.rule || !strings.Contains(got.Message, test.message) || test.line != 0 && got.Line != test.line {
				t.Errorf("want line %d, %q [%s]; got %v", test.line, test.message, test.rule, got)
			}
		})
	}
}

// TestManyMistakes guards the time that hints take: of a file made of mistakes the first ones are told, and it is refused.
func TestManyMistakes(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("version: 2\nauto_approval_policies: []\n")
	for i := range 40_000 {
		fmt.Fprintf(&b, "key%d:\n", i)
	}
	_, err := ReadPolicies(File{Name: "p.yaml", Data: []byte(b.String())})
	if found := List(err); len(found) != maxErrors+1 || found[maxErrors].Rule != ruleTooLarge {
		t.Errorf("want %d mistakes and a last word, got %d", maxErrors, len(found))
	}
	warnings := "tools:\n"
	for i := range 3 * maxErrors {
		warnings += fmt.Sprintf("  t%d: {script: \"echo {{x}}\"}\n", i)
	}
	tools, err := ReadTools(File{Name: "t.yaml", Data: []byte(warnings)})
	if err != nil || len(tools) != 3*maxErrors || len(tools[len(tools)-1].Warnings) != 1 {
		t.Errorf("warnings are no mistakes: %d tools, %v", len(tools), err)
	}
}

// TestSyntaxLine says where the parser trips, not where the surrounding construct begins.
func TestSyntaxLine(t *testing.T) {
	t.Parallel()
	long := "tools:\n" + strings.Repeat("  a:\n    script: echo\n", 2000) // duplicate keys, which do not matter here
	tests := []struct {
		name, data string
		line       int
	}{
		{"late indentation", long + "   b: 1\n" + strings.Repeat("# more\n", 50), 4002},
		{"late tab", long + "\tb: 1\n", 4002},
		{"late quote", long + "  b: \"x\n" + strings.Repeat("  c: 1\n", 50), 4002},
		{"late bracket", long + "  b: [x\n" + strings.Repeat("  c: 1\n", 50), 4002},
		{"no newline at the end", "a: b: c", 1},
		{"too large to be searched", "a:\n  b: 1\n   c: 2\n" + strings.Repeat("#\n", searchSize), 3},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			doc := parse("x.yaml", []byte(test.data))
			var broken []int
			for _, e := range doc.found {
				if e.Rule == ruleSyntax {
					broken = append(broken, e.Line)
				}
			}
			if diff := cmp.Diff([]int{test.line}, broken); diff != "" {
				t.Errorf("lines with a syntax error (-want +got):\n%s", diff)
			}
		})
	}
}

// TestMendedIsRefused: a file is mended to find its other mistakes, never to be used.
func TestMendedIsRefused(t *testing.T) {
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
		if _, err := ReadPolicies(File{Name: "p.yaml", Data: []byte(strings.ReplaceAll(data, "tools:", "auto_approval_policies:"))}); err == nil {
			t.Errorf("%q is read", data)
		}
	}
}

// TestSaidOnce: what stands behind an alias is told once, and a mistake never stays unsaid for a warning of the same words.
func TestSaidOnce(t *testing.T) {
	t.Parallel()
	doc := parse("x.yaml", []byte("a: &x 1\nb: *x\n"))
	root := doc.at(doc.root, "", "")
	a, _ := root.get("a")
	b, _ := root.get("b")
	a.warn("r", "", "words")
	b.warn("r", "", "words")
	b.fail("r", "", "words")
	a.fail("r", "", "words")
	a.fail("other", "", "words")
	var got []string
	for _, e := range doc.found {
		got = append(got, string(e.Severity)+" "+e.Rule+" "+e.Message)
	}
	want := []string{"warning r a: words", "error r b: words", "error other a: words"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
