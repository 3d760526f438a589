package permissions

import (
	"strings"
	"testing"
)

// What is said of a command that is asked about is what is the matter with it.
func TestSaidReason(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	a := b.authority(presetFile(t, "balanced"))
	const nothing = "no rule covers the command"
	for _, tt := range []struct{ text, want string }{
		{"node --test", nothing},
		{"node --test src/a.test.js", nothing},
		{"node -C --test", "node runs what it reads on its standard input"},
		{"less README.md", "less runs commands that are typed, or that its settings name, while it shows a file"},
		{"ed README.md", "ed runs what it reads on its standard input"},
		{"bash -n -i x.sh", "bash is given the option -i"},
		{"bash -x -n x.sh", "bash runs or obeys what a file holds"},
		{"bash -n x.sh +n", "bash runs or obeys what a file holds"},
		{"bash -n ../x.sh", "lies outside the workspace"},
		{"bash -n .env", "`.env` may hold a secret"},
		{"git config user.name X", "it changes the setting user.name"},
		{"git config http.extraHeader", `it is not known that the setting "http.extraHeader" holds no secret`},
		{"python3 -m venv .venv", "`.venv` belongs to what is installed or built"},
		{"python3 -m venv env", nothing},
		{"echo x > ../y", "rule balanced-writes does not, because it writes `" + b.dir + "/y`, outside the workspace"},
		{"ls > Makefile", "`Makefile` runs at your next build"},
		{"ls | tee ../y", "rule balanced-writes does not, because it writes `" + b.dir + "/y`, outside the workspace"},
	} {
		d := a.Decide(b.run(tt.text))
		if d.Verdict != Ask || !strings.HasSuffix(d.Reason, tt.want) && (tt.want == nothing || !strings.Contains(d.Reason, tt.want)) {
			t.Errorf("%s: %s: %s; want %s", tt.text, said(d), d.Reason, tt.want)
		}
	}
}
