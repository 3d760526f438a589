package app

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/confine"
)

// TestNameStart checks that an agent started again has the same name, and that none has it which the same words
// start elsewhere, with another PATH, or after a change: an answer that was left for the one would count for the
// other.
func TestNameStart(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		command []string
		change  func(t *testing.T, dir string) (in, path string) // what is different the second time
		same    bool
	}{
		{"nothing", []string{"agent"}, nil, true},
		{"nothing, a script", []string{"/bin/sh", "agent"}, nil, true},
		{"a log is written to", []string{"./agent", "script", "log"}, func(t *testing.T, dir string) (string, string) {
			put(t, dir, "a/log", "more")
			return "a", "a"
		}, true},
		{"another PATH", []string{"agent"}, func(*testing.T, string) (string, string) { return "a", "b" }, false},
		{"another PATH, which its words do not show", []string{"/bin/sh", "-c", "agent"},
			func(*testing.T, string) (string, string) { return "a", "b" }, false},
		{"another directory", []string{"./agent"}, func(*testing.T, string) (string, string) { return "b", "a" }, false},
		{"another directory, which its words do not show", []string{"/bin/sh", "-c", "./agent"},
			func(*testing.T, string) (string, string) { return "b", "a" }, false},
		{"another script", []string{"/bin/sh", "agent"}, func(*testing.T, string) (string, string) { return "b", "a" }, false},
		{"the program is written anew", []string{"agent"}, func(t *testing.T, dir string) (string, string) {
			put(t, dir, "a/agent", "#!/bin/sh\n# a\n")
			return "a", "a"
		}, false},
		{"the script is written anew", []string{"/bin/sh", "agent"}, func(t *testing.T, dir string) (string, string) {
			put(t, dir, "a/agent", "#!/bin/sh\n# a\n")
			return "a", "a"
		}, false},
		{"another file in the program's place", []string{"agent"}, func(t *testing.T, dir string) (string, string) {
			rename(t, dir, "b/agent", "a/agent")
			return "a", "a"
		}, false},
		{"another file in the place of something that it names", []string{"agent", "script", "log"},
			func(t *testing.T, dir string) (string, string) {
				rename(t, dir, "b/agent", "a/log")
				return "a", "a"
			}, false},
		{"a link that leads elsewhere", []string{"link"}, func(t *testing.T, dir string) (string, string) {
			if err := os.Symlink("../b/agent", filepath.Join(dir, "new")); err != nil {
				t.Fatal(err)
			}
			rename(t, dir, "new", "a/link")
			return "a", "a"
		}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for _, in := range []string{"a", "b"} {
				if err := os.Mkdir(filepath.Join(dir, in), 0o700); err != nil {
					t.Fatal(err)
				}
				for _, name := range []string{"agent", "script", "log"} {
					put(t, dir, in+"/"+name, "#!/bin/sh\n")
				}
				if err := os.Symlink("agent", filepath.Join(dir, in, "link")); err != nil {
					t.Fatal(err)
				}
			}
			name := func(in, path string) string {
				b := &bridge{dir: filepath.Join(dir, in)}
				return b.nameStart(test.command, []string{"PATH=" + filepath.Join(dir, path)}, confine.Confinement{})
			}
			first, in, path := name("a", "a"), "a", "a"
			if test.change != nil {
				in, path = test.change(t, dir)
			}
			if second := name(in, path); (second == first) != test.same || first == "" {
				t.Errorf("it is called %s and %s; want the same: %t", first, second, test.same)
			}
		})
	}
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
}

func rename(t *testing.T, dir, from, to string) {
	t.Helper()
	if err := os.Rename(filepath.Join(dir, from), filepath.Join(dir, to)); err != nil {
		t.Fatal(err)
	}
}
