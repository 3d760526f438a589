package shellscan

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// nobody is the user that random scripts run as when the tests are root.
const nobody = 65534

// unprivileged lets a command, which runs a script that nobody has read, write in dir and nowhere else that
// matters. Such a script writes where its spoiled redirections say, be it /dev/nul or through a link to a
// program of the system.
func unprivileged(t testing.TB, cmd *exec.Cmd, dir string) {
	t.Helper()
	if os.Getuid() != 0 {
		return // then the permissions of the system's files protect them
	}
	cmd.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	if err := os.Chown(dir, nobody, nobody); err != nil {
		t.Fatal(err)
	}
}

// passable returns a temporary directory that another user can come through, but not write in.
func passable(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	for _, d := range []string{filepath.Dir(dir), dir} {
		if err := os.Chmod(d, 0o711); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
