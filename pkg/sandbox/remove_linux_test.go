//go:build amd64 || arm64

package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// memoryDir is a directory on a file system in memory, where there is one: some trees take long to make on
// a disk.
func memoryDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "sandbox-test-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// TestRemoveTreeDeep removes a tree that is deeper than any path can name, than this process has
// descriptors, and whose directories nobody has a right to.
func TestRemoveTreeDeep(t *testing.T) {
	asEveryUser(t, func(t *testing.T) {
		base := memoryDir(t)
		top, err := unix.Open(base, unix.O_RDONLY|unix.O_DIRECTORY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Close(top)
		depth := stress(5_000) // PATH_MAX is 4096, and a path takes two bytes of it for each
		at := top
		for range depth {
			if err := unix.Mkdirat(at, "x", 0o700); err != nil {
				t.Fatal(err)
			}
			below, err := unix.Openat(at, "x", unix.O_RDONLY|unix.O_DIRECTORY, 0)
			if err != nil {
				t.Fatal(err)
			}
			if at != top {
				unix.Fchmod(at, 0)
				unix.Close(at)
			}
			at = below
		}
		unix.Close(at)
		if err := removeTree(top, "x"); err != nil {
			t.Errorf("removeTree: %v", err)
		}
		if left := names(t, base); len(left) > 0 {
			t.Errorf("left: %q", left)
		}
	})
}

// TestRemoveTreeWide removes directories with more entries than are read at a time, some of them directories.
func TestRemoveTreeWide(t *testing.T) {
	t.Parallel()
	base := memoryDir(t)
	for i := range 10_000 {
		dir := filepath.Join(base, "x", strconv.Itoa(i%3))
		if i%100 == 0 {
			dir = filepath.Join(dir, strconv.Itoa(i))
		}
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "f"+strconv.Itoa(i)), nil, 0); err != nil {
			t.Fatal(err)
		}
	}
	if err := removeTree(unix.AT_FDCWD, filepath.Join(base, "x")); err != nil {
		t.Errorf("removeTree: %v", err)
	}
	if left := names(t, base); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// TestRemoveTreeRefused checks that what cannot be removed is told, and does not keep us busy for ever: a
// directory of another user's, and what lies in one.
func TestRemoveTreeRefused(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("takes root, to make what an ordinary user cannot remove")
	}
	base := memoryDir(t)
	tree := filepath.Join(base, "x")
	if err := os.MkdirAll(filepath.Join(tree, "theirs", "deeper"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, ours := range []string{base, tree} {
		if err := os.Chown(ours, 65534, 65534); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), self, tree)
	cmd.Env = append(os.Environ(), roleVariable+"=remove")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "permitted") && !strings.Contains(string(out), "denied") {
		t.Errorf("got %v, %q; want a refusal", err, out)
	}
	if _, err := os.Stat(filepath.Join(tree, "theirs", "deeper")); err != nil {
		t.Errorf("what belongs to another user is gone: %v", err)
	}
}
