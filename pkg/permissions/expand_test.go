package permissions

import (
	"context"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/shellscan"
)

// patternTree has names of every kind that a pattern could meet.
func patternTree(t testing.TB) string {
	return tree(t, map[string]string{
		"a.go": "", "b.go": "", "ab": "", ".hidden": "", ".x.go": "", "-n": "", "-x.go": "", "sp ace.go": "", "*": "", "a*b": "", `back\slash`: "", "é": "", "日本.go": "",
		"dir/a.go": "", "dir/.b.go": "", "dir/sub/c.go": "", "dir/sub/d.md": "", "other/a.go": "", "link": "-> dir", "dangling.go": "-> nowhere", "empty/": "", ".dot/a.go": "",
	})
}

// Every name that bash makes of a pattern is among those that are looked at.
func TestPatternsAreThoseOfBash(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("found no bash, wanted one to compare with")
	}
	dir := patternTree(t)
	for _, text := range []string{
		"*", "*.go", "./*.go", "a*", "?b", "??", ".*", ".*.go", ".?*", "*/", "*/*", "*/*/*", "dir/*", "dir/.*", "dir/*/", "dir/su*/c.go", "l*/a.go", "link/*", "dangl*", "no*such", "d*/no", "empty/*",
		`\**`, `'a*'*`, `a\*?`, `"sp "*`, "sp\\ *", "*\\\\*", `back*`, "-*", "./-*", "?", "日*", "*é*", ".dot/*", "./.*", "*.g?", "*o", "**", "dir//*", "./dir/./*", "dir/../*", "*.go/", "../*/a*",
	} {
		s := shellscan.Scan("p "+text, nil)
		if len(s.Commands) != 1 || len(s.Commands[0].Args) != 1 || s.Commands[0].Args[0].Pattern == "" {
			continue // asked
		}
		pattern := s.Commands[0].Args[0].Pattern
		cmd := exec.CommandContext(context.WithoutCancel(t.Context()), bash, "--noprofile", "--norc", "-c", `printf '%s\n' `+text)
		cmd.Dir, cmd.Env = dir, []string{"LC_ALL=C.UTF-8"}
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		got, ok := (&evaluation{facts: newFacts(machine{})}).matchPattern(dir, pattern)
		if !ok {
			t.Fatalf("%s: there is too much to look at", text)
		}
		got = append(got, unescape(pattern))
		for name := range strings.Lines(string(out)) {
			if name = strings.TrimSuffix(name, "\n"); !slices.Contains(got, name) {
				t.Errorf("%s: bash makes %q of it, and %q is looked at", text, name, got)
			}
		}
	}
}

// One row for each reason why the words of a command are not expanded.
func TestExpand(t *testing.T) {
	t.Parallel()
	b := testbed{patternTree(t), ""}
	b.ws = b.dir
	plain, reader := &command.Row{}, &command.Row{NoOptionHarms: true}
	for _, row := range []struct {
		name, text string
		row        *command.Row
		want       []string
		why        string
	}{
		{"nothing to expand", "p a 'b c'", plain, []string{"a", "b c"}, ""},
		{"a pattern", "p x dir/*.go y", plain, []string{"x", "dir/a.go", "y"}, ""},
		{"a pattern that stands for nothing", "p x*y dir/no*", nil, []string{"x*y", "dir/no*"}, ""},
		{"a pipe", "p <(a)", nil, []string{"/dev/null"}, ""},
		{"a name that could be an option", "p *.go", plain, nil, "could be an option: write ./*.go"},
		{"a name that is one", "p *.go", reader, nil, "*.go stands for -x.go, too, which could be an option"},
		{"a name that is none", "p ./*.md dir/sub/*.md", reader, []string{"./*.md", "dir/sub/d.md"}, ""},
		{"a pattern with no end", "p *", reader, nil, "could be an option"},
		{"a pattern of directories", "p */a.go", reader, nil, "could be an option"},
		{"an escaped dash", `p \-*`, reader, nil, "could be an option"},
		{"a variable", "p $x", reader, nil, "one of its words is not fixed"},
		{"what a command prints", `p "$(a)"`, reader, nil, "one of its words is not fixed"},
		{"options of the shell", "shopt -s dotglob; p dir/*", plain, nil, "one of its words is not fixed"},
		{"set may stop patterns", "set -f; p dir/*.go", plain, []string{"dir/a.go", "dir/*.go"}, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			v := newEvaluation(b.run(row.text), "", newSensitive(nil), machine{}, nil)
			at := slices.IndexFunc(v.shell.commands, func(c shellscan.Command) bool { return c.Name == "p" })
			got, why := v.expand(v.shell.commands[at], b.ws, row.row)
			if row.why == "" != (why == "") || !strings.Contains(why, row.why) {
				t.Errorf("%q; want %q", why, row.why)
			}
			if diff := cmp.Diff(row.want, got); why == "" && diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
