package permissions

import (
	"io/fs"
	"os"
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
	for name, want := range map[string]bool{
		"ENV~1": true, "ENV~1/config": true, ".env": false, "back~1.txt": false, "back~1.txt/x": false, "HEAD~1": false, "none": false,
	} {
		if got := facts.isAlias(filepath.Join(dir, name)); got != want {
			t.Errorf("%s: another name %t, want %t", name, got, want)
		}
	}
	if !newFacts(noLists{}).isAlias(filepath.Join(dir, "back~1.txt")) {
		t.Error("a file is taken for the only one of its name where its directory cannot be read")
	}
}

// noLists is a machine whose directories cannot be read.
type noLists struct{ machine }

func (noLists) ReadDir(string) ([]fs.DirEntry, error) { return nil, fs.ErrPermission }

// TestShortNameIsAsked has *careful* decide about files by their short names, in acts and in words of commands.
func TestShortNameIsAsked(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	for _, name := range []string{".env", "back~1.txt"} {
		if err := os.WriteFile(filepath.Join(b.ws, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a := b.authority(presetFile(t, "careful"))
	a.files = shortNames{names: map[string]string{"ENV~1": ".env", "GIT~1": ".git"}}
	for verdict, requests := range map[Verdict][]Request{
		Approve: {b.read("back~1.txt"), b.run("cat back~1.txt")},
		Ask: {
			b.read("ENV~1"), b.run("cat ENV~1"), b.run("cat ./ENV~1"), b.write("ENV~1"),
			b.read("GIT~1/config"), b.run("cat GIT~1/config"), b.write("GIT~1/hooks/pre-commit"),
		},
	} {
		for _, r := range requests {
			if d := a.Decide(r); d.Verdict != verdict {
				t.Errorf("%s %v %v: %s, want %s: %s", r.Action, r.ShellText, r.Paths, d.Verdict, verdict, d.Reason)
			}
		}
	}
}
