package main

import (
	"bytes"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
)

// TestHelpFits holds what help says of every verb to a terminal of 80 columns. Of an example the library
// cuts off what is longer than 72, and such an example cannot be pasted; the first word of a flag's text it
// writes with one capital.
func TestHelpFits(t *testing.T) {
	t.Parallel()
	root := rootCommand(&cli.Environment{Stdout: new(bytes.Buffer), Stderr: new(bytes.Buffer)})
	cli.FitHelp(root, 80)
	verbs := 0
	var look func(cmd *cobra.Command)
	look = func(cmd *cobra.Command) {
		verbs++
		if lazyregexp.New(` \[[^\]]*\] [^\[]`).MatchString(strings.Replace(cmd.Use, "[flags] ", "", 1)) {
			t.Errorf("%s: the library takes what is in brackets out of the middle, and leaves a line too long: %s", cmd.CommandPath(), cmd.Use)
		}
		if len(cmd.Use) > 50 {
			t.Errorf("%s: this leaves no room for what it does: %s", cmd.CommandPath(), cmd.Use)
		}
		for _, line := range strings.Split(cmd.Long, "\n") {
			if utf8.RuneCountInString(line) > 76 {
				t.Errorf("%s: too long: %s", cmd.CommandPath(), line)
			}
		}
		for _, line := range strings.Split(cmd.Example, "\n") {
			if utf8.RuneCountInString(strings.TrimSpace(line)) > 72 {
				t.Errorf("%s: this example is cut: %s", cmd.CommandPath(), line)
			}
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden {
				return
			}
			if first, _ := utf8.DecodeRuneInString(f.Usage); unicode.IsUpper(first) {
				t.Errorf("%s --%s: begins with a capital: %s", cmd.CommandPath(), f.Name, f.Usage)
			}
			switch f.DefValue { // which help shows in parentheses, but for the first four
			case "", "false", "0", "[]":
			case "0s", "<nil>", "map[]", "{}", "-1":
				t.Errorf("%s --%s: help has (%s) for its default, which says nothing", cmd.CommandPath(), f.Name, f.DefValue)
			default:
				if strings.Contains(f.Usage, "default") {
					t.Errorf("%s --%s: its default is told twice: %s (%s)", cmd.CommandPath(), f.Name, f.Usage, f.DefValue)
				}
			}
			for _, line := range strings.Split(f.Usage, "\n") {
				if utf8.RuneCountInString(line) > 80-cli.HelpMargin-len(f.Name) {
					t.Errorf("%s --%s: too long: %s", cmd.CommandPath(), f.Name, line)
				}
			}
		})
		for _, sub := range cmd.Commands() {
			look(sub)
		}
	}
	look(root)
	if verbs < 30 {
		t.Errorf("%d verbs were looked at; there are more", verbs)
	}
}

// TestFitText fills paragraphs, and leaves alone what is a line for a reason.
func TestFitText(t *testing.T) {
	t.Parallel()
	const text = "one two\nthree four five\n\nLevels:\n  full         nothing outlives\n               the call\n  none         nothing is run\n\n    - call: x\n      expect: y"
	const want = "one two three four five\n\nLevels:\n  full         nothing\n               outlives\n               the call\n  none         nothing\n               is run\n\n    - call: x\n      expect: y"
	if got := cli.FitText(text, 24); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// TestStackedTable shows the last column below its row where there is no room for it, and never cuts the
// one that counts.
func TestStackedTable(t *testing.T) {
	t.Parallel()
	out := cli.Table{Head: []string{"RULE", "AT", "WHY"}, Whole: true}
	out.Add("a", "policies.yaml:1", "the tool is another one than the rule is about")
	var got bytes.Buffer
	widths := []int{4, 15, 46}
	if !out.IsCut(widths, 40) || out.IsCut(widths, 80) {
		t.Error("a column is cut when it does not fit, and only then")
	}
	out.WriteStacked(&got, append([][]string{out.Head}, out.Rows...), widths, 30)
	const want = "RULE  AT\n    WHY\na     policies.yaml:1\n    the tool is another one\n    than the rule is about\n"
	if got.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", got.String(), want)
	}

	// A column that can be spared makes room first.
	out = cli.Table{Head: []string{"ID", "DIGEST", "WHAT"}, Spare: "DIGEST"}
	out.Add("k3f9x2ab", "57db982d", "git push --force-with-lease origin main")
	for _, row := range []struct {
		limit int
		want  string
	}{
		{0, "ID        DIGEST    WHAT\nk3f9x2ab  57db982d  git push --force-with-lease origin main\n"},
		{44, "ID        DIGEST    WHAT\nk3f9x2ab  57db982d  git push --force-with-l…\n"},
		{40, "ID        WHAT\nk3f9x2ab  git push --force-with-lease o…\n"},
		{30, "ID\n    WHAT\nk3f9x2ab\n    git push --force-with-lea…\n"},
	} {
		got.Reset()
		out.WriteWithin(&got, row.limit)
		if got.String() != row.want {
			t.Errorf("%d columns: got:\n%s\nwant:\n%s", row.limit, got.String(), row.want)
		}
	}

	// Rows without a head go on below themselves.
	out = cli.Table{Head: []string{"", ""}, Whole: true}
	out.Add("why", "the last attempt failed: there is no secret HOOK_KEY")
	for limit, want := range map[int]string{
		0:  "why  the last attempt failed: there is no secret HOOK_KEY\n",
		35: "why  the last attempt failed: there\n     is no secret HOOK_KEY\n",
		20: "why  the last attempt failed: there is no secret HOOK_KEY\n",
	} {
		got.Reset()
		if out.WriteRowsWithin(&got, limit); got.String() != want {
			t.Errorf("%d columns: got:\n%s\nwant:\n%s", limit, got.String(), want)
		}
	}

	// What has no room beside the row shares a line below it.
	got.Reset()
	out = cli.Table{Head: []string{"LAYER", "RULE", "AT", "WHY"}, Whole: true}
	out.Add("user", "balanced-commands", "p.yaml:1", "`git push` is not among the commands")
	out.Add("user", "b", "a/long/path/to/a/policies.yaml:1", "why")
	out.WriteStacked(&got, append([][]string{out.Head}, out.Rows...), []int{5, 17, 32, 36}, 40)
	const below = "LAYER  RULE\n    AT  WHY\nuser   balanced-commands\n    p.yaml:1  `git push` is not among\n    the commands\n" +
		"user   b\n    a/long/path/to/a/policies.yaml:1\n    why\n"
	if got.String() != below {
		t.Errorf("got:\n%s\nwant:\n%s", got.String(), below)
	}
}
