package command

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// usage is a line in which git tells of one option, as in "-u, --[no-]untracked-files[=<mode>]".
var usage = regexp.MustCompile(`^ {4}(?:(-\w)(?:, )?)?(?:--(?:\[no-\])?([\w-]+))?(\[|[ =]?\[?[<(])?`)

// Rows of git's commands say of an option's value what git itself says of it.
func TestGitsUsage(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("found no git, wanted it to ask")
	}
	asked := 0
	for _, row := range Rows() {
		words := strings.Fields(row.Names[0])
		if row.Parser != Git || words[0] != "git" {
			continue
		}
		cmd := exec.CommandContext(t.Context(), "git", words[1], "-h")
		cmd.Dir = t.TempDir()
		out, _ := cmd.CombinedOutput() // its status is 129
		for line := range strings.Lines(string(out)) {
			m := usage.FindStringSubmatch(line)
			if m == nil || m[1] == "" && m[2] == "" {
				continue
			}
			for _, name := range []string{m[1], "--" + m[2]} {
				kind, known := row.options[name]
				if !known {
					continue
				}
				asked++
				switch optional := strings.HasPrefix(m[3], "["); {
				case optional && kind != Optional:
					t.Errorf("%s %s: its value is optional to git: %s", row.Names[0], name, line)
				case !optional && m[3] != "" && kind.values() != 1 && kind != Optional: // taken for optional, the value is an operand
					t.Errorf("%s %s: it has a value to git: %s", row.Names[0], name, line)
				case m[3] == "" && kind.values() > 0:
					t.Errorf("%s %s: it has no value to git: %s", row.Names[0], name, line)
				}
			}
		}
	}
	if asked < 50 {
		t.Errorf("git spoke of %d options", asked)
	}
}
