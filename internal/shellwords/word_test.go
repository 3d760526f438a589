package shellwords

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

// words splits a simple command as bash would.
func words(t testing.TB, command string) []Word {
	t.Helper()
	return StaticAll(call(t, command).Args)
}

func call(t testing.TB, command string) *syntax.CallExpr {
	t.Helper()
	file, err := syntax.NewParser().Parse(strings.NewReader(command), "")
	if err != nil {
		t.Fatalf("%s: %v", command, err)
	}
	var found *syntax.CallExpr
	syntax.Walk(file, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CallExpr); ok && found == nil {
			found = c
		}
		return found == nil
	})
	if found == nil {
		t.Fatalf("%s: no command", command)
	}
	return found
}

func TestStatic(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		word string
		want Word
	}{
		{`ls`, Word{Text: "ls", Fixed: true}},
		{`\ls`, Word{Text: "ls", Fixed: true}},
		{`'l's`, Word{Text: "ls", Fixed: true}},
		{`"l"'s'`, Word{Text: "ls", Fixed: true}},
		{`-e\xec`, Word{Text: "-exec", Fixed: true}},
		{`''`, Word{Text: "", Fixed: true}},
		{`"a\"b\$c\\d\e"`, Word{Text: `a"b$c\d\e`, Fixed: true}},
		{"a\\\nb", Word{Text: "ab", Fixed: true}},
		{"\"a\\\nb\"", Word{Text: "ab", Fixed: true}},
		{`$'\x6c\163\t\u00e9'`, Word{Text: "ls\té", Fixed: true}},
		{`$'a\'b'`, Word{Text: "a'b", Fixed: true}},
		{`$'\q'`, Word{Text: `\q`, Fixed: true}},
		{`$'a\0b'`, Word{}},
		{`$'\cA'`, Word{}},
		{`$'\x{41}'`, Word{}},
		{`$"hi"`, Word{}},
		{`[`, Word{Text: "[", Fixed: true}},
		{`{}`, Word{Text: "{}", Fixed: true}},
		{`{a}`, Word{Text: "{a}", Fixed: true}},
		{`a]`, Word{Text: "a]", Fixed: true}},
		{`\*`, Word{Text: "*", Fixed: true}},
		{`"*"`, Word{Text: "*", Fixed: true}},
		{`a@b.c~`, Word{Text: "a@b.c~", Fixed: true}},
		{`*.go`, Word{Splits: true}},
		{`c?t`, Word{Splits: true}},
		{`[ab]c`, Word{Splits: true}},
		{`{rm,-rf}`, Word{Splits: true}},
		{`{-x,"b c"}`, Word{Splits: true}},
		{`{1..3}`, Word{Splits: true}},
		{`~/x`, Word{}},
		{`a=~/x`, Word{Text: "a=~/x"}},
		{`$x`, Word{Splits: true}},
		{`"$x"`, Word{}},
		{`"$@"`, Word{Splits: true}},
		{`"$*"`, Word{}},
		{`"${a[@]}"`, Word{Splits: true}},
		{`"${a[0]}"`, Word{}},
		{`--file="$x"`, Word{Text: "--file="}},
		{`-c$x`, Word{Text: "-c", Splits: true}},
		{`"a$(b)c"`, Word{Text: "a"}},
		{`$(b)`, Word{Splits: true}},
		{"`b`", Word{Splits: true}},
		{`$((1))`, Word{}},
		{`<(b)`, Word{Text: "/dev/fd/"}},
		{`@(a|b)`, Word{Splits: true}},
	} {
		t.Run(row.word, func(t *testing.T) {
			t.Parallel()
			got := words(t, "x "+row.word)[1]
			if row.want.Text == "a=~/x" { // how much of it is fixed does not matter
				row.want.Text, got.Text = "", ""
			}
			if got != row.want {
				t.Errorf("got %+v, want %+v", got, row.want)
			}
		})
	}
}

// What is said to be fixed is what real bash makes of the word.
func TestStaticIsWhatBashSays(t *testing.T) {
	t.Parallel()
	for _, word := range []string{
		`a\b'c d'"e\"\$f"g`, `$'\a\b\e\f\n\r\t\v\\\'\"\?\101\x41\u41\U0001F600\q\8'`, "a\\\nb", "\"a\\\nb\\c\"", `\~`, `"~"`, `a\*b`, `"{a,b}"`, `{a}`, `{}`, `a{b`, `[`, `[]`, `]`, `=~`, `a,b`, `\$x`, `'$x'`, `!`,
		`$'\xe9'`, `$'\351'`,
	} {
		w := words(t, "x "+word)[1]
		if !w.Fixed {
			continue
		}
		bash := exec.CommandContext(t.Context(), "bash", "--noprofile", "--norc", "-c", "printf %s "+word)
		bash.Env = append(os.Environ(), "LC_ALL=C.UTF-8") // what \U stands for depends on it
		out, err := bash.Output()
		if err != nil {
			t.Errorf("%s: %v", word, err)
		}
		if string(out) != w.Text {
			t.Errorf("%s: got %q, bash says %q", word, w.Text, out)
		}
	}
}
