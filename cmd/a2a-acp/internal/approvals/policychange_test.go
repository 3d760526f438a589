package approvals

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
)

// What the person has seen is written, or nothing: not over a file that somebody has changed since.
func TestPolicyChange(t *testing.T) {
	t.Parallel()
	env := &cli.Environment{}
	for _, row := range []struct{ name, before, now, want string }{
		{"as it was", "a", "a", "b"}, {"changed", "a", "c", "c"}, {"none before", "", "", "b"}, {"made meanwhile", "", "c", "c"}, {"removed", "a", "", ""},
	} {
		c := policyChange{path: filepath.Join(t.TempDir(), "sub", "p.yaml"), before: []byte(row.before), after: []byte("b")}
		if row.now != "" {
			if err := os.MkdirAll(filepath.Dir(c.path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(c.path, []byte(row.now), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		err := c.write(env)
		if got, _ := readPolicyFile(c.path); string(got) != row.want || (err == nil) != (row.want == "b") ||
			err != nil && !strings.Contains(err.Error(), "was changed meanwhile; nothing is kept") {
			t.Errorf("%s: it holds %q, %v; want %q", row.name, got, err, row.want)
		}
	}
}
