package permissions

import (
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/sensitive"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

func TestSensitiveFiles(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{"real/": "", "link": "-> real"})
	s := newSensitive([]string{"/home/u/state/a2a", "relative is not ours", dir + "/link"})
	for path, want := range map[string]string{
		"/home/u/state/a2a/audit.log": "belongs to a2a-acp itself",
		"/home/u/state/A2A":           "belongs to a2a-acp itself",
		"/home/u/state/a2ax":          "",
		dir + "/real/audit.log":       "belongs to a2a-acp itself",
		"/w/.git/config":              "runs as code later",
		"/w/a/.nobodyrc":              "looks like a file that a tool takes its orders from",
		"/more/.worktree/main.go":     "",
		"/more/.worktree/.x":          "looks like a file that a tool takes its orders from",
		"/elsewhere/.nobodyrc":        "",
		"/w/main.go":                  "",
	} {
		if got := s.find(tool.Workspace{Root: "/w", Additional: []string{"/more", "/more/.worktree"}}, path, sensitive.Written); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

// shortNames is a machine whose directories know each file by a short name, too, as FAT and NTFS do.
type shortNames struct {
	machine
	names map[string]string
}

func (m shortNames) Lstat(name string) (fs.FileInfo, error) {
	if long, ok := m.names[filepath.Base(name)]; ok {
		name = filepath.Join(filepath.Dir(name), long)
	}
	return m.machine.Lstat(name)
}

// TestShortName checks that a file is known to have another name: what leads to it is not listed.
func TestShortName(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{".env": "", "back~1.txt": ""})
	facts := newFacts(shortNames{names: map[string]string{"ENV~1": ".env"}})
	for name, want := range map[string]bool{"ENV~1": true, ".env": false, "back~1.txt": false, "HEAD~1": false, "none": false} {
		if got := facts.isAlias(filepath.Join(dir, name)); got != want {
			t.Errorf("%s: another name %t, want %t", name, got, want)
		}
	}
}
