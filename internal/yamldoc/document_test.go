package yamldoc

import (
	"fmt"
	"slices"
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
		{"empty", "", RuleEmpty, 1, "the file is empty"},
		{"blank", " \n\n", RuleEmpty, 1, "the file is empty"},
		{"one byte too many", strings.Repeat("#", MaxFileSize+1), RuleTooLarge, 0, "1048577 bytes"},
		{"too many nodes", "a: [" + strings.Repeat("x,", maxNodes) + "]", RuleTooLarge, 1,
			"more than 100000 values"},
		{"alias bomb of four levels", laughs(4), "", 0, ""},
		{"alias bomb of ten levels", laughs(10), RuleTooLarge, 5, "more than 100000 values"},
		{"alias bomb of a thousand levels", laughs(1000), RuleTooLarge, 5, "more than 100000 values"},
		{"alias bomb behind a broken line", "x: y: z\n" + laughs(20), RuleTooLarge, 6,
			"more than 100000 values"},
		{"alias of itself", "a: &a\n  b: *a\n", RuleAlias, 1, "&a holds an alias to itself"},
		{"alias of itself in a list", "- &a [1, [2, *a]]\n", RuleAlias, 1, "&a holds an alias to itself"},
		{"deep by brackets", strings.Repeat("[", 200) + strings.Repeat("]", 200), RuleTooLarge, 1,
			"more than 100"},
		{"deep beyond the library", strings.Repeat("[", 20000), RuleSyntax, 1, "inside each other"},
		{"deep by aliases", ladder(120), RuleTooLarge, 0, "more than 100"},
		{"deep enough", ladder(90), "", 0, ""},
		{"unclosed flow at the largest size", "[" + strings.Repeat("a,", MaxFileSize/2-1), RuleSyntax, 1,
			"is expected before here"},
		{"invalid UTF-8 after a comment", "# é\n#ü\xff", RuleSyntax, 2, "not UTF-8"},
		{"control character", "a: \x1b[31m", RuleSyntax, 1, "U+001B"},
		{"next line", "a: \u0085", RuleSyntax, 1, "U+0085"},
		{"second byte order mark", "\ufeff\ufeffa: 1", RuleSyntax, 1, "U+FEFF"},
		{"first byte order mark", "\ufeffa: 1", "", 0, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if testing.Short() && len(test.data) > MaxFileSize/2 {
				t.Skip("takes a second")
			}
			doc := Parse("x.yaml", []byte(test.data), Options{})
			if test.rule == "" {
				if doc.root == nil || len(doc.Found) > 0 {
					t.Fatalf("want it to be read, got %v", doc.Found)
				}
				return
			}
			if !doc.Found.Broken() {
				t.Fatalf("want %s, and it is read", test.rule)
			}
			if !slices.ContainsFunc(doc.Found, func(e Error) bool {
				return e.Rule == test.rule && strings.Contains(e.Message, test.message) &&
					(test.line == 0 || e.Line == test.line)
			}) {
				t.Errorf("want line %d, %q [%s]; got %v", test.line, test.message, test.rule, doc.Found)
			}

		})
	}
}

// TestSyntaxLine says where the parser trips, not where the surrounding construct begins.
func TestSyntaxLine(t *testing.T) {
	t.Parallel()
	// duplicate keys, which do not matter here
	long := "tools:\n" + strings.Repeat("  a:\n    script: echo\n", 2000)
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
			doc := Parse("x.yaml", []byte(test.data), Options{})
			var broken []int
			for _, e := range doc.Found {
				if e.Rule == RuleSyntax {
					broken = append(broken, e.Line)
				}
			}
			if diff := cmp.Diff([]int{test.line}, broken); diff != "" {
				t.Errorf("lines with a syntax error (-want +got):\n%s", diff)
			}
		})
	}
}

// TestSaidOnce: what stands behind an alias is told once, and a mistake never stays unsaid for a warning of
// the same words.
func TestSaidOnce(t *testing.T) {
	t.Parallel()
	doc := Parse("x.yaml", []byte("a: &x 1\nb: *x\n"), Options{})
	root := doc.At(doc.root, "", "")
	a, _ := root.Get("a")
	b, _ := root.Get("b")
	a.Warn("r", "", "words")
	b.Warn("r", "", "words")
	b.Fail("r", "", "words")
	a.Fail("r", "", "words")
	a.Fail("other", "", "words")
	var got []string
	for _, e := range doc.Found {
		got = append(got, string(e.Severity)+" "+e.Rule+" "+e.Message)
	}
	want := []string{"warning r a: words", "error r b: words", "error other a: words"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// FuzzParse reads any bytes: nothing panics, every mistake lies in the file, and what is walked ends.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"a: b\n", "a: [1, {b: c}]\n", "a: |\n  b\n", "a: b: c\n", "\ta: b\n",
		laughs(10), ladder(120)} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		doc := Parse("f.yaml", data, Options{})
		if root, ok := doc.Root(""); ok {
			root.JSON()
		} else if !doc.Found.Broken() {
			t.Error("it is not read, and nothing is wrong")
		}
		doc.Finish()
		lines := len(splitLines(data))
		for _, e := range doc.Found {
			if e.Line < 0 || e.Line > lines || (e.Line == 0) != (e.Column == 0) || e.Message == "" ||
				e.Rule == "" {
				t.Errorf("of %d lines: %+v", lines, e)
			}
		}
	})
}

// What a line leaves open is guessed where people can have written it: a repository's file is read before anybody trusts it,
// and 100 KB of brackets in one line took ten seconds.
func TestLongLinesAreNotGuessedAt(t *testing.T) {
	t.Parallel()
	for length, want := range map[int]bool{100: true, longestOpen: true, longestOpen + 3: false, 100_000: false} {
		for _, open := range []string{"[ x, ", `"x `} {
			line := open + strings.Repeat("x", length-len(open))
			doc := Parse("f.yaml", []byte(line), Options{})
			if got := len(doc.Found) > 0 && strings.Contains(doc.Found[0].Message, "opens here is not closed"); got != want {
				t.Errorf("%q of %d bytes: guessed %t, want %t: %v", open, length, got, want, doc.Found)
			}
		}
	}
}
