package steering

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestWhatIsGrantedHasItsName grants calls a directory in which some files count because of the names above
// them: they count there as they do where a directory above was granted.
func TestWhatIsGrantedHasItsName(t *testing.T) {
	t.Parallel()
	host := fullHost(t)
	for _, row := range []struct {
		name, granted, before, writes string
		held                          bool // it is not there any more, or as it was
	}{
		{"new workflows", ".github", "", "workflows/ci.yml", true},
		{"a workflow that was there", ".github", ".github/workflows/ci.yml", "workflows/ci.yml", true},
		{"instructions", ".github", "", "copilot-instructions.md", true},
		{"a shell's settings", "home/.config", "", "fish/config.fish", true},
		{"programs on the way to programs", "home/.local", "", "bin/ls", true},
		{"git's settings", "home/.config", "home/.config/git/config", "git/config", true},
		{"what is granted as a whole", ".vscode", "", "tasks.json", false},
		{"a workspace below settings", ".claude/worktrees/w", "", "main.go", false},
		{"what is data", ".github", "", "ISSUE_TEMPLATE/bug.md", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			dir, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			granted := filepath.Join(dir, row.granted)
			file := filepath.Join(granted, row.writes)
			if err := os.MkdirAll(granted, 0o755); err != nil {
				t.Fatal(err)
			}
			if row.before != "" {
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, row.before), []byte("before"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			plan, err := host.Plan(sandbox.Profile{Dir: dir, Limits: tool.DefaultLimits(),
				AllowedPaths: []tool.AllowedPath{{Path: granted}}})
			if err != nil {
				t.Fatal(err)
			}
			out, err := host.Run(t.Context(), plan, sandbox.Process{Argv: []string{"/bin/bash", "-c",
				`mkdir -p "$(dirname "$0")"; echo after >"$0"`, file}})
			if err != nil {
				t.Fatal(err)
			}
			text, _ := os.ReadFile(file)
			if left := strings.HasPrefix(string(text), "after"); left == row.held {
				t.Errorf("it holds %q; told %q; %s", text, out.Changed, out.Stderr)
			}
			if !row.held && len(out.Changed) > 0 {
				t.Errorf("told %q", out.Changed)
			}
		})
	}
}
