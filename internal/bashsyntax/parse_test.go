package bashsyntax_test

import (
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/bashsyntax"
	"mvdan.cc/sh/v3/syntax"
)

// TestParse holds what is read and what is refused: what bash is known to read in another way, what is no
// bash, and what is nested so deep that the parser could not come back.
func TestParse(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, text, message string }{
		{"a script", "#!/bin/bash\nx=1 # a\necho \"$x\" <<'E'\n#\\\nE\n", ""},
		{"a # within a word", "echo a#b ${x#a} ${#x}", ""},
		{"no bash", "echo (", "must be followed by"},
		{"a carriage return", "echo a\r\necho b", "a carriage return or a NUL"},
		{"a NUL", "echo a\x00", "a carriage return or a NUL"},
		{"a comment that goes on", "echo a # b \\\necho c", "a backslash stands at the end of a comment"},
		{"a name that is none", "--a=b[", "--a is no name of a variable"},
		{"a # behind a marker", "cat <<'E'#\na\nE\n", "a # stands right behind a word"},
		{"a substitution that could be arithmetic", "echo <((a))", "for arithmetic at first"},
		{"brackets", strings.Repeat("(", 501) + "a" + strings.Repeat(")", 501), "nested too deep"},
		{"a deep tree", strings.Repeat("echo $(", 300) + "a" + strings.Repeat(")", 300), "nested too deep"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			file, err := bashsyntax.Parse(row.text)
			if row.message == "" {
				if err != nil || len(file.Stmts) == 0 {
					t.Errorf("got %v, %v", file, err)
				}
				return
			}
			if err == nil || !strings.Contains(bashsyntax.Message(err), row.message) {
				t.Fatalf("got %v, want %q", err, row.message)
			}
			offset, ok := bashsyntax.Offset(err)
			if deep := errors.Is(err, bashsyntax.ErrTooDeep); ok == deep || offset < 0 || offset > len(row.text) {
				t.Errorf("the mistake is at %d, %t", offset, ok)
			}
		})
	}
}

// TestDiffers holds what bash may read in another way against what looks like it.
func TestDiffers(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ text, how string }{
		{"coproc x >f", "the name of this coprocess"}, {"coproc x { cat; }", ""}, {"coproc cat", ""},
		{"echo ${x:-<(a)}", "for a substitution"}, {"echo ${x:-a}", ""},
		{"echo !(a)", "this extended glob"}, {"echo @(a|$b)", "this extended glob"}, {"echo @(a|b)", ""},
	} {
		file, err := bashsyntax.Parse(row.text)
		if err != nil {
			t.Fatalf("%s: %v", row.text, err)
		}
		found := ""
		syntax.Walk(file, func(n syntax.Node) bool {
			if how, cure := bashsyntax.Differs(n); how != "" && cure != "" {
				found += how
			}
			return true
		})
		if (found == "") != (row.how == "") || !strings.Contains(found, row.how) {
			t.Errorf("%s: got %q, want %q", row.text, found, row.how)
		}
	}
}

// TestHeredoc: bash prints a text that was escaped for a here-document as it was.
func TestHeredoc(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"a", `$a ${b} $(c)`, "`d`", `\ \\ \$ \a`, "a\\\nb", `"'*?~!`} {
		escaped := bashsyntax.EscapeHeredoc(text)
		out, err := exec.Command("bash", "-c", "cat <<E\n"+escaped+"\nE\n").Output()
		if err != nil || string(out) != text+"\n" {
			t.Errorf("%q: bash prints %q, %v", text, out, err)
		}
		if back := bashsyntax.UnescapeHeredoc(escaped); back != text {
			t.Errorf("%q: came back as %q", text, back)
		}
	}
	for marker, want := range map[string]bool{"E": false, "'E'": true, `"E"`: true, `\E`: true, "E''": true} {
		file, err := bashsyntax.Parse("cat <<" + marker + "\nE\n")
		if err != nil {
			t.Fatal(err)
		}
		if got := bashsyntax.IsQuotedMarker(file.Stmts[0].Redirs[0].Word); got != want {
			t.Errorf("%s: got %t", marker, got)
		}
	}
}
