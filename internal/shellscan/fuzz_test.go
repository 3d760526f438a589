package shellscan

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// FuzzScan: whatever the text is, Scan ends, keeps its bounds and says the same twice. Where it has no
// Problems, it has found where the text ends: a command in front of the text or behind it is found too, and
// changes nothing about the rest, and a shell that gets the text in a word does the same. That bash runs
// nothing else is for TestBashRunsNothingElse, and that no command can be hidden behind the text is what
// the two have in common.
func FuzzScan(f *testing.F) {
	for _, text := range []string{
		"git status", "a && b | c", "cat <<E\n$(a)\nE\n", `echo "${x:-$(a)}" 'b' $'c'`, "f() { a; }; f", "if a; then b; fi # c", "a # \\\nb",
		"find . -exec rm {} \\;", "xargs -I{} cp {} x", "trap 'a' EXIT; eval 'b'", "bash -c 'sh -c \"a\"'", "(( 1 + 2 )) && [[ -f x ]]", "cat <(a) > >(b)",
		"export A=b; PATH=.", "for x in a; do b; done", "case x in y) a;; esac", "env -u X timeout 5 nice rm", "a >& b 2>&1 <c", "coproc a", "cat <<'E'# > g\nE\n",
		"${x:-<(a)}", "a <((b) #)\n)", "sudo -u x a", "git -c a=b c", "a\\\nb", "\"`a`\"", "time -p a; ! b", "a=([1]=2) b+=c", "\xff\x00\u202e", "if ", "}{", "exec {a}>b",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := Scan(text, nil)
		if again := Scan(text, nil); !reflect.DeepEqual(s, again) {
			t.Fatalf("%+v, and then %+v", s, again)
		}
		checkBounds(t, text, s)
		checkBounds(t, text, ScanArgv(strings.Split(text, " "), nil))
		const marker = "zzz"
		if !s.Certain() || strings.Contains(text, marker) {
			return
		}
		for _, around := range []struct {
			name, text string
			want       []string
		}{
			{"in front", marker + "\n" + text, append([]string{marker}, names(s)...)},
			{"behind", text + "\n" + marker, append(names(s), marker)},
			{"in a group", "{ " + text + "\n}; " + marker, append(names(s), marker)},
			{"in a word", "bash -c '" + strings.ReplaceAll(text, "'", `'\''`) + "'; " + marker, append(append([]string{"bash"}, names(s)...), marker)},
		} {
			got := Scan(around.text, nil)
			if diff := missing(around.want, names(got)); got.Certain() && len(diff) > 0 && !strings.HasSuffix(text, `\`) {
				t.Errorf("%s: %q does not tell %q: %s", around.name, around.text, diff, brief(got))
			}
		}
	})
}

func checkBounds(t *testing.T, text string, s Script) {
	t.Helper()
	lines := 2 + strings.Count(text, "\n") // an end that is missing is named behind the last line
	line := func(what string, n int) {
		if n < 1 || n > lines {
			t.Errorf("%s in line %d of %d", what, n, lines)
		}
	}
	for _, c := range s.Commands {
		line(fmt.Sprintf("command %q", c.Name), c.Line)
		if c.Name == "" {
			t.Errorf("a command without a name: %+v", c)
		}
	}
	for _, w := range s.Writes {
		line("a write", w.Line)
	}
	for _, r := range s.Reads {
		line("a read", r.Line)
	}
	for _, p := range s.Problems {
		line(p.Text, p.Line)
		if p.Text == parserPanics {
			t.Error("the parser panicked")
		}
	}
	if len(s.Commands) > maxCommands || len(s.Problems) > maxProblems {
		t.Errorf("%d commands and %d problems", len(s.Commands), len(s.Problems))
	}
}

// names returns the names of the commands.
func names(s Script) []string {
	var all []string
	for _, c := range s.Commands {
		all = append(all, c.Name)
	}
	return all
}

// missing returns those of want that are not among got.
func missing(want, got []string) []string {
	return slices.DeleteFunc(slices.Clone(want), func(name string) bool { return slices.Contains(got, name) })
}
