package toolsocket

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestOtherUser has another user attach with the right token: the directory keeps them out, and where it
// does not, the kernel's word on who they are does.
func TestOtherUser(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skipf("only root can be somebody else; this is user %d", os.Geteuid())
	}
	for _, row := range []struct {
		name string
		user int  // that may attach; 0 is ours
		open bool // the modes let everybody in
		want string
		said string
	}{
		{"the directory keeps them out", 0, false, "permission denied", ""},
		{"the kernel tells who they are", 0, true, "the socket belongs to user 0", "another user"},
		{"it is for a third", 1234, false, "permission denied", ""},
		{"it is for a third, and the modes let everybody in", 1234, true, "the socket belongs to user 0", "another user"},
		{"it is for them", 65534, false, "", ""},
		{"it is for them, but anybody could have put it there", 65534, true, "the socket belongs to user 0", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			told := newSays()
			door, err := Listen(ListenOptions{Tools: fakeTools{}, TempDir: "/tmp", Say: told.say, User: row.user})
			if err != nil {
				t.Fatal(err)
			}
			defer door.Close()
			if row.open {
				for _, path := range []string{filepath.Dir(door.Socket()), door.Socket()} {
					if err := os.Chmod(path, 0o777); err != nil {
						t.Fatal(err)
					}
				}
			}
			process := exec.CommandContext(t.Context(), copyOfSelf(t))
			process.Env = []string{socketVariable + "=" + door.Socket(), TokenVariable + "=" + door.Token()}
			process.Dir = "/"
			process.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
			out, err := process.CombinedOutput()
			if (err == nil) != (row.want == "") || !strings.Contains(string(out), row.want) {
				t.Errorf("got %q, %v; want %q", out, err, row.want)
			}
			if row.said != "" {
				told.want(t, row.said)
			}
		})
	}
}

// copyOfSelf puts this test binary where another user can run it.
func copyOfSelf(t *testing.T) string {
	t.Helper()
	program, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("/tmp", "mcp")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	path := filepath.Join(dir, "test")
	if err := os.WriteFile(path, program, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}
