package state_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/state"
)

func TestOpenMakesDirectory(t *testing.T) {
	t.Parallel()
	path := filepath.Join(realTempDir(t), "deep", "a2a-acp")
	dir, err := state.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, made := range []string{path, filepath.Dir(path)} {
		info, err := os.Stat(made)
		if err != nil {
			t.Fatal(err)
		}
		if mode := info.Mode().Perm(); mode != 0o700 {
			t.Errorf("%s has mode %04o, want 0700", made, mode)
		}
	}
	if left, err := os.ReadDir(path); err != nil || len(left) != 0 {
		t.Errorf("the probe left %v (error %v)", left, err)
	}
	if got, want := dir.Child("audit"), filepath.Join(path, "audit"); got != want {
		t.Errorf("Child gives %s, want %s", got, want)
	}
}

func TestOpenFollowsOurOwnLink(t *testing.T) {
	t.Parallel()
	root := realTempDir(t)
	real, link := filepath.Join(root, "real"), filepath.Join(root, "link")
	mkdir(t, real, 0o700)
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	dir, err := state.Open(link)
	if err != nil {
		t.Fatal(err)
	}
	if dir.Path() != real {
		t.Errorf("Path gives %s, want %s: rules compare paths without links", dir.Path(), real)
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	const stranger = 65534
	tests := []struct {
		name    string
		root    bool // only root can set it up
		prepare func(t *testing.T, root string) string
		want    string
	}{
		{
			name:    "relative path",
			prepare: func(*testing.T, string) string { return "state" },
			want:    "the path is not absolute",
		},
		{
			name: "readable by others",
			prepare: func(t *testing.T, root string) string {
				mkdir(t, filepath.Join(root, "s"), 0o750)
				return filepath.Join(root, "s")
			},
			want: "can be entered by others (mode 0750); run: chmod 700 ",
		},
		{
			name: "link to a directory that others can enter",
			prepare: func(t *testing.T, root string) string {
				mkdir(t, filepath.Join(root, "s"), 0o755)
				symlink(t, filepath.Join(root, "s"), filepath.Join(root, "link"))
				return filepath.Join(root, "link")
			},
			want: "can be entered by others",
		},
		{
			name: "a file in its place",
			prepare: func(t *testing.T, root string) string {
				file(t, filepath.Join(root, "s"))
				return filepath.Join(root, "s")
			},
			want: "a file stands where one of its directories should be",
		},
		{
			name: "a file above it",
			prepare: func(t *testing.T, root string) string {
				file(t, filepath.Join(root, "s"))
				return filepath.Join(root, "s", "a2a-acp")
			},
			want: "a file stands where one of its directories should be",
		},
		{
			name: "somebody else's directory",
			root: true,
			prepare: func(t *testing.T, root string) string {
				mkdir(t, filepath.Join(root, "s"), 0o700)
				chown(t, filepath.Join(root, "s"), stranger)
				return filepath.Join(root, "s")
			},
			want: "belongs to user 65534",
		},
		{
			name: "somebody else's link to a directory of ours",
			root: true,
			prepare: func(t *testing.T, root string) string {
				mkdir(t, filepath.Join(root, "s"), 0o700)
				symlink(t, filepath.Join(root, "s"), filepath.Join(root, "link"))
				chown(t, filepath.Join(root, "link"), stranger)
				return filepath.Join(root, "link")
			},
			want: "is a link that user 65534 made",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if test.root && os.Geteuid() != 0 {
				t.Skip("needs root: only root can give a file away")
			}
			path := test.prepare(t, t.TempDir())
			dir, err := state.Open(path)
			if err == nil {
				t.Fatalf("opened %s", dir.Path())
			}
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %q, want one with %q", err, test.want)
			}
			if !strings.Contains(err.Error(), path) && test.name != "link to a directory that others can enter" {
				t.Errorf("error %q does not name %s", err, path)
			}
		})
	}
}

// realTempDir returns a temporary directory by the path that has no link in it: macOS keeps its own behind
// one.
func realTempDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func mkdir(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil { // whatever the umask
		t.Fatal(err)
	}
}

func symlink(t *testing.T, to, at string) {
	t.Helper()
	if err := os.Symlink(to, at); err != nil {
		t.Fatal(err)
	}
}

func chown(t *testing.T, path string, owner int) {
	t.Helper()
	if err := os.Lchown(path, owner, owner); err != nil {
		t.Fatal(err)
	}
}

func file(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
}
