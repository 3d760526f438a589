package permissions

import (
	"context"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// What GNU programs say of an option that lacks its value, and of one that they do not know.
var (
	wantsValue = regexp.MustCompile(`requires an argument|option requires|missing argument`)
	unknownOne = regexp.MustCompile(`invalid option|unrecognized option|unknown option`)
)

// TestRowsAgreeWithThePrograms asks the real programs what their options are. What counts most is that an option which the
// row gives a value takes one: else the word behind it would be a file that nobody looks at.
func TestRowsAgreeWithThePrograms(t *testing.T) {
	t.Parallel()
	dir, asked := t.TempDir(), 0
	for _, name := range []string{
		"ls", "cat", "tac", "nl", "head", "tail", "wc", "grep", "stat", "du", "df", "basename", "dirname", "realpath", "readlink", "uname", "nproc", "id", "groups",
		"date", "seq", "tr", "cut", "paste", "fold", "comm", "cmp", "uniq", "sort", "md5sum", "sha256sum", "od", "diff", "sed",
	} {
		path, err := exec.LookPath(name)
		if err != nil || programs[name] == nil {
			continue
		}
		if out, _ := exec.CommandContext(t.Context(), path, "--version").Output(); !strings.Contains(string(out), "GNU") {
			continue
		}
		asked++
		row := programs[name]
		for i := 0; i < len(row.short); i++ {
			if isSign(row.short[i]) {
				continue
			}
			sign := byte(0)
			if i+1 < len(row.short) && isSign(row.short[i+1]) {
				sign = row.short[i+1]
			}
			askProgram(t, dir, path, "-"+row.short[i:i+1], sign)
		}
		for entry := range strings.FieldsSeq(row.long) {
			bare := strings.TrimRight(entry, "=:?&%")
			sign := byte(0)
			if bare != entry {
				sign = entry[len(bare)]
			}
			if bare != "help" && bare != "version" {
				askProgram(t, dir, path, "--"+bare, sign)
			}
		}
	}
	t.Logf("%d programs of GNU's were asked", asked)
}

// askProgram gives a program an option as its last word: one that takes a value complains, one that takes none does not.
func askProgram(t *testing.T, dir, path, option string, sign byte) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, option)
	cmd.Env = []string{"LC_ALL=C", "PATH=/usr/bin:/bin"}
	cmd.Dir = dir
	var says strings.Builder
	cmd.Stderr = &says
	_ = cmd.Run() // most fail for want of operands
	takes := slices.Contains([]byte("=:&%"), sign)
	switch text := says.String(); {
	case unknownOne.MatchString(text): // other programs share the row, or another version knows it; the program does nothing
	case wantsValue.MatchString(text) != takes:
		t.Errorf("%s %s: the program says %q; the row says that it takes a value: %v", path, option, firstLine(text), takes)
	}
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
