package state_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/a2a-acp/a2a-acp/internal/state"
)

// TestOpenUnwritable opens a state directory on a file system that is read-only, and on one that is full.
// Both are real, in a mount namespace of their own.
func TestOpenUnwritable(t *testing.T) {
	t.Parallel()
	if !inMountNamespace(t) {
		return
	}
	root := t.TempDir()
	if err := unix.Mount("none", root, "tmpfs", 0, "size=64k,mode=700"); err != nil {
		t.Fatal(err)
	}
	defer unix.Unmount(root, unix.MNT_DETACH)
	dir := filepath.Join(root, "a2a-acp")
	mkdir(t, dir, 0o700)
	filler, err := os.Create(filepath.Join(root, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	defer filler.Close()
	if _, err := filler.Write(make([]byte, 1<<20)); !errors.Is(err, unix.ENOSPC) {
		t.Fatalf("the disk is not full: %v", err)
	}
	expect(t, dir, "no space left on device; make room there")

	if err := os.Remove(filler.Name()); err != nil {
		t.Fatal(err)
	}
	filler.Close()
	if _, err := state.Open(dir); err != nil {
		t.Errorf("with room again: %v", err)
	}
	if err := unix.Mount("none", root, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	expect(t, dir, "read-only file system; set A2A_STATE_DIR to a directory that you can write")
}

func expect(t *testing.T, dir, want string) {
	t.Helper()
	_, err := state.Open(dir)
	if err == nil || !strings.Contains(err.Error(), dir+" cannot be written: "+want) {
		t.Errorf("error %v, want one with %q", err, want)
	}
}

// inMountNamespace runs the test once more in a mount namespace of its own and reports true there. Where
// the kernel lets nobody make one, the test is skipped.
func inMountNamespace(t *testing.T) bool {
	t.Helper()
	const mark = "A2A_TEST_IN_NAMESPACE"
	if os.Getenv(mark) != "" {
		return true
	}
	cmd := exec.Command("/proc/self/exe", "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), mark+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  unix.CLONE_NEWUSER | unix.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSPC) {
		t.Skipf("wanted a user and a mount namespace: %v", err)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return false
}
