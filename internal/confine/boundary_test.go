package confine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/acp"
	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
)

// A sandbox that this machine makes in part is not a whole one, and is not said to be.
func TestWhole(t *testing.T) {
	t.Parallel()
	for level, want := range map[sandbox.Level]bool{
		sandbox.LevelFullCgroup: true, sandbox.LevelFull: true, sandbox.LevelNoProc: false, sandbox.LevelLandlock: false, sandbox.LevelRlimits: false, sandbox.LevelNone: false,
	} {
		b := &Boundary{level: level}
		if b.Whole() != want || strings.Contains(b.String(), "only as far as") == want {
			t.Errorf("%s: whole %t: %s", level, b.Whole(), b)
		}
	}
}

// The words of a refusal are the same whatever lies outside: a file, a directory, a link, or nothing. An
// agent could else ask its way through a home that it does not see.
func TestRefusalsTellNothingOfWhatLiesOutside(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, put := range map[string]func(string) error{
		"plain":  func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"dir":    func(path string) error { return os.Mkdir(path, 0o700) },
		"link":   func(path string) error { return os.Symlink("plain", path) },
		"secret": func(path string) error { return os.Symlink("/home/someone/.ssh/id_rsa", path) },
		"loop":   func(path string) error { return os.Symlink("loop", path) },
	} {
		if err := put(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	s := &Boundary{o: BoundaryOptions{Confinement: Confinement{Profile: "q"}}}
	hold := func(name string, write bool) string {
		verdict, why := s.Hold(acp.Reaching{Dir: "/", Path: filepath.Join(dir, name), Write: write})
		return verdict.String() + " " + strings.ReplaceAll(why, name, "NAME")
	}
	for _, write := range []bool{false, true} {
		for _, below := range []string{"", "/x"} {
			want := strings.ReplaceAll(hold("none"+below, write), "none", "NAME")
			for _, name := range []string{"plain", "dir", "link", "secret", "loop"} {
				if got := strings.ReplaceAll(hold(name+below, write), name, "NAME"); got != want {
					t.Errorf("%s%s, write %t: the agent is told\n%s\nand of what is not there\n%s", name, below, write, got, want)
				}
			}
		}
	}
}
