//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestMountsStayApart checks that a call's mounts are not made on the machine, whose mounts are shared where
// systemd has started it; and that what is mounted there while it runs does not appear in the call.
func TestMountsStayApart(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root mounts")
	}
	const variable = "SANDBOX_TEST_MOUNTS"
	if os.Getenv(variable) == "" {
		// The mounts are the process's: a call need not run on the thread of the test.
		cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestMountsStayApart$")
		cmd.Env = append(os.Environ(), variable+"=1")
		cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: unix.CLONE_NEWNS}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	mustDo(t, unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
	mustDo(t, unix.Mount("", "/", "", unix.MS_REC|unix.MS_SHARED, ""))
	for _, owner := range []int{0, ordinaryUser} {
		t.Run(fmt.Sprint(owner), func(t *testing.T) {
			h, dir := openFull(t), realTemp(t)
			later := filepath.Join(dir, "later")
			mustDo(t, os.Mkdir(later, 0o755))
			mustDo(t, os.Chown(dir, owner, owner))
			const mounted = "/proc/self/mountinfo"
			before, err := os.ReadFile(mounted)
			mustDo(t, err)
			out := script{
				dir: dir, allowed: []tool.AllowedPath{{Path: dir}},
				stdout: whenWritten(func() {
					mustDo(t, unix.Mount("tmpfs", later, "tmpfs", 0, ""))
					mustDo(t, os.WriteFile(filepath.Join(dir, "go"), nil, 0o644))
				}),
				text: "echo; until [ -e go ]; do :; done; grep ' " + later + " ' /proc/self/mountinfo",
			}.run(t.Context(), t, h)
			if err := unix.Unmount(later, unix.MNT_DETACH); err != nil {
				t.Error(err)
			}
			if out.ExitCode != 1 || string(out.Stdout) != "\n" {
				t.Errorf("in the call: %q, %d: %s", out.Stdout, out.ExitCode, out.Stderr)
			}
			if after, err := os.ReadFile(mounted); err != nil || string(after) != string(before) {
				t.Errorf("the machine's mounts after a call: %v\n%s\nbefore:\n%s", err, after, before)
			}
		})
	}
}

// whenWritten is a Writer that does something when it is written to.
type whenWritten func()

func (f whenWritten) Write(b []byte) (int, error) {
	f()
	return len(b), nil
}
