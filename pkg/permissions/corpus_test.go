package permissions

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// run is a command text that an agent wants a terminal for.
func (b testbed) run(text string) Request {
	r := b.request(ActionExecute, toolShell)
	r.SetShellText(text)
	return r
}

// corpusRow is one command text of testdata/commands.
//
// A file there is a list of rows below headings. A row is a verdict (ask or approve; ask|approve is
// careful's and balanced's) and a text; lines that begin with blanks and a | go on with it. Behind ask(go)
// the text is a string of Go's, for characters that nobody sees. A line that begins with # is a heading:
// where the rows below it come from.
type corpusRow struct {
	at, heading, text string
	want              map[string]string // verdicts, by preset
}

// rowContinue stands in front of the further lines of a text.
const rowContinue = "       |"

func readCorpus(t testing.TB, name string) []corpusRow {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "commands", name))
	if err != nil {
		t.Fatal(err)
	}
	var rows []corpusRow
	heading := ""
	for i, line := range strings.Split(string(data), "\n") {
		at := fmt.Sprintf("%s:%d", name, i+1)
		more, continues := strings.CutPrefix(line, rowContinue)
		switch {
		case continues && len(rows) > 0:
			rows[len(rows)-1].text += "\n" + more
		case line == "":
		case strings.HasPrefix(line, "#"):
			heading = strings.TrimLeft(line, "# ")
		default:
			rows = append(rows, readRow(t, at, heading, line))
		}
	}
	return rows
}

func readRow(t testing.TB, at, heading, line string) corpusRow {
	t.Helper()
	verdict, text, _ := strings.Cut(line, " ")
	text = strings.TrimLeft(text, " ")
	verdict, isGo := strings.CutSuffix(verdict, "(go)")
	if isGo {
		unquoted, err := strconv.Unquote(text)
		if err != nil {
			t.Fatalf("%s: %s: %v", at, text, err)
		}
		text = unquoted
	}
	careful, balanced, differ := strings.Cut(verdict, "|")
	if !differ {
		balanced = careful
	}
	for _, v := range []string{careful, balanced} {
		if v != "ask" && v != "approve" {
			t.Fatalf("%s: the verdict %q is none", at, v)
		}
	}
	return corpusRow{at: at, heading: heading, text: text, want: map[string]string{"careful": careful, "balanced": balanced}}
}

// ordinaryFiles are a workspace as many are.
var ordinaryFiles = map[string]string{
	"ws/.git/HEAD": "ref: refs/heads/main", "ws/.git/objects/": "", "ws/.git/refs/": "", "ws/.git/config": "", "ws/README.md": "a\n", "ws/main.go": "package main\n", "ws/go.mod": "module x\n",
	"ws/package.json": "{}", "ws/Makefile": "", "ws/out.txt": "", "ws/docs.tar": "", "ws/docs/a.md": "", "ws/docs/sub/b.md": "",
	"ws/src/main.go": "", "ws/.env": "KEY=1", "ws/.env.example": "KEY=", "ws/.gitignore": ".env\n!.gitkeep\n", "elsewhere/secret": "s", "home/": "",
}

// trappedFiles are what a hostile repository, or an agent, has put beside them.
var trappedFiles = map[string]string{
	"ws/private/.env": "KEY=1", "ws/hidden/.cache/id_rsa": "", "ws/.keys/x.pem": "", "ws/unhide/.ignore": "!.env\n", "ws/unhide/.env": "KEY=1", "ws/unhide/sub/a.md": "",
	"ws/out": "-> ../elsewhere", "ws/docs/out.md": "-> ../../elsewhere/secret", "ws/inner": "-> docs/sub", "ws/blank/a /etc/x.md": "", "ws/src/link": "-> ../private", "ws/to_secret": "-> .env",
	"ws/bare/HEAD": "ref: refs/heads/main", "ws/bare/config": hostileSettings, "ws/bare/objects/": "", "ws/bare/refs/": "", "ws/bare/in/x.txt": "",
	"ws/linkedbare/HEAD": "-> refs/heads/none", "ws/linkedbare/objects/": "", "ws/linkedbare/refs/": "",
	"ws/commonbare/HEAD": "ref: refs/heads/main", "ws/commonbare/commondir": "../other", "ws/other/objects/": "", "ws/other/refs/": "",
	"ws/dash/-exec": "", "ws/dash/-oREADME.md": "", "ws/ls": "#!/bin/sh", "ws/cat": "#!/bin/sh", "ws/bin/ls": "#!/bin/sh", "ws/1/cat": "#!/bin/sh", "ws/a/b/": "",
	"ws/vendored/.git/HEAD": "ref: refs/heads/main", "ws/vendored/.git/objects/": "", "ws/vendored/.git/refs/": "", "ws/vendored/.git/config": hostileSettings,
	"ws/vendored/in/x.txt": "", `ws/slash/x\y`: "-> ../../elsewhere/secret", `ws/slash/d\e`: "-> ../../elsewhere", `ws/slash/d\\e/`: "",
	"ws/whole/.git/info/exclude": "!.env\n", "ws/whole/.env": "KEY=1", "ws/whole/sub/a.md": "", "ws/tree/.git": "gitdir: ../whole/.git/worktrees/tree\n", "ws/tree/sub/a.md": "",
	"ws/whole/.git/worktrees/tree/commondir": "../..\n",
	"ws/names/x.pem":                         "KEY=1", "ws/names/x.[Ap]em": "", "ws/names/to": "-> ../../elsewhere/secret", "ws/names/--files0-from=to": "", "ws/names/host:x": "", "ws/names/FS=x": "",
}

// hostileSettings have git run something whenever it looks around.
const hostileSettings = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tfsmonitor = \"echo > PWNED; false\"\n\tpager = \"echo > PWNED\"\n"

func corpusBed(t testing.TB, lists ...map[string]string) testbed {
	t.Helper()
	all := map[string]string{}
	for _, list := range lists {
		maps.Copy(all, list)
	}
	dir := tree(t, all)
	return testbed{dir, dir + "/ws"}
}

// The hostile and tricky texts are decided as their rows say; above all none is approved that must not be.
// And of the harmless ones, no more is asked than their rows say: a rule set that asks too much is soon
// replaced by one that never asks.
func TestCorpus(t *testing.T) {
	t.Parallel()
	trapped := corpusBed(t, ordinaryFiles, trappedFiles)
	ordinary := corpusBed(t, ordinaryFiles)
	for _, part := range []struct {
		name  string
		files []string
		bed   testbed
		least int     // rows
		most  float64 // of them that are asked, in per cent
	}{
		{"hostile", []string{"reported.txt", "tricky.txt"}, trapped, 300, 100},
		{"harmless", []string{"harmless.txt"}, ordinary, 450, 5},
		{"as agents write them", []string{"agents.txt"}, ordinary, 108, 10},
	} {
		t.Run(part.name, func(t *testing.T) {
			t.Parallel()
			var rows []corpusRow
			for _, file := range part.files {
				rows = append(rows, readCorpus(t, file)...)
			}
			if len(rows) < part.least {
				t.Errorf("only %d rows", len(rows))
			}
			var asked askedOnce
			for _, preset := range []string{"careful", "balanced"} {
				a := part.bed.unchanging(&asked, presetFile(t, preset))
				asked, wrong := 0, 0
				for _, row := range rows {
					d := a.Decide(part.bed.run(row.text))
					if d.Verdict != Approve {
						asked++
					}
					if d.Verdict.String() == row.want[preset] {
						continue
					}
					wrong++
					what := "asked too much"
					if d.Verdict == Approve {
						what = "FALSE APPROVAL"
					}
					t.Errorf("%s: %s by %s: %q (%s)\n\t%s: %s\n\t%s", row.at, what, preset, row.text, row.heading, said(d), d.Reason, because1(d))
				}
				rate := 100 * float64(asked) / float64(len(rows))
				t.Logf("%s, %s: %d texts, %d asked (%.1f %%), %d wrong", part.name, preset, len(rows), asked, rate, wrong)
				if rate > part.most {
					t.Errorf("%s asks about %.1f %%; want at most %.0f %%", preset, rate, part.most)
				}
			}
		})
	}
}

// With the confined rules, beside those that hold without a file, an agent in its sandbox is asked about few
// of its commands; without a sandbox they approve nothing.
func TestConfinedAsksLittle(t *testing.T) {
	t.Parallel()
	const most = 3.0 // per cent
	ordinary := corpusBed(t, ordinaryFiles)
	var once askedOnce
	a := ordinary.unchanging(&once, presetFile(t, "careful"), presetFile(t, "confined"))
	for _, file := range []string{"harmless.txt", "agents.txt"} {
		var asked []string
		rows := readCorpus(t, file)
		for _, row := range rows {
			r := ordinary.run(row.text)
			if d := a.Decide(r); d.Verdict.String() != row.want["careful"] {
				t.Errorf("%s: %s without a sandbox: %s", row.at, said(d), d.Reason)
			}
			r.Confined = true
			if a.Decide(r).Verdict != Approve {
				asked = append(asked, row.text)
			}
		}
		if rate := 100 * float64(len(asked)) / float64(len(rows)); rate > most {
			t.Errorf("%s: %.1f %% are asked; want at most %.0f %%: %q", file, rate, most, asked)
		}
	}
}

// because1 returns why the rule about commands did not approve.
func because1(d Decision) string {
	for _, reason := range d.Reasons {
		if strings.HasSuffix(reason.Rule, "-commands") {
			return reason.Why
		}
	}
	return ""
}

// No text is listed twice, so that the counts are honest.
func TestCorpusHasNoDoubles(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, file := range []string{"reported.txt", "tricky.txt", "harmless.txt", "agents.txt"} {
		for _, row := range readCorpus(t, file) {
			if before, twice := seen[row.text]; twice {
				t.Errorf("%s: %q stands in %s, too", row.at, row.text, before)
			}
			seen[row.text] = row.at
			if row.heading == "" {
				t.Errorf("%s: no heading says where it comes from", row.at)
			}
		}
	}
}
