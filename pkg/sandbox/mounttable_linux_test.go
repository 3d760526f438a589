//go:build amd64 || arm64

package sandbox

import (
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestUncovered replaces what a call shall not change, or see, while it runs: that is told.
func TestUncovered(t *testing.T) {
	t.Parallel()
	asEveryUser(t, func(t *testing.T) {
		for _, level := range []Level{LevelNoProc, LevelFull} {
			dir := realTemp(t)
			h := openWith(t, Options{Level: level, Hidden: []string{dir + "/own"}, Protected: []string{".envrc", ".vscode", "AGENTS.md"}})
			for _, name := range []string{"own", ".envrc", "AGENTS.md"} {
				mustDo(t, os.WriteFile(dir+"/"+name, []byte("before\n"), 0o644))
			}
			mustDo(t, os.Mkdir(dir+"/.vscode", 0o755))
			other := realTemp(t) + "/f" // has its place in what is the call's own
			mustDo(t, os.WriteFile(other, nil, 0o644))
			s := script{dir: dir, allowed: []tool.AllowedPath{{Path: dir}, {Path: other, ReadOnly: true}}, text: "true"}
			s.text = `echo started; until [ -e go ]; do :; done; cat own; (echo evil >.envrc) && echo wrote; (echo >.vscode/new) 2>/dev/null; echo evil >AGENTS.md; rm go`
			s.stdout = whenWritten(sync.OnceFunc(func() {
				for _, name := range []string{"own", ".envrc"} {
					mustDo(t, os.WriteFile(dir+"/new", []byte("after\n"), 0o644))
					mustDo(t, os.Rename(dir+"/new", dir+"/"+name))
				}
				mustDo(t, os.Rename(dir+"/AGENTS.md", dir+"/notes"))
				mustDo(t, os.Remove(other))
				mustDo(t, os.WriteFile(dir+"/go", nil, 0o644))
			}))
			told := strings.Join(s.run(t.Context(), t, h).Changed, "\n")
			if strings.Contains(told, other) {
				t.Errorf("nothing can have come into the place of %s:\n%s", other, told)
			}
			for name, want := range map[string]bool{"own": true, ".envrc": true, "AGENTS.md": true, ".vscode": false} {
				if strings.Contains(told, " "+dir+"/"+name+"; from then") != want {
					t.Errorf("%s: %s is told: %v, want %v:\n%s", level, name, !want, want, told)
				}
			}
		}
	})
}
