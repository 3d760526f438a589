//go:build amd64 || arm64

package sandbox

import (
	"os"
	"os/exec"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

func TestMark(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("/bin/sleep", "1000")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	own, err := ownMark()
	if err != nil {
		t.Fatal(err)
	}
	if m, err := markOf(cmd.Process.Pid); m != own || err != nil {
		t.Errorf("a child that nobody marked has %d, %v; want ours, %d", m, err, own)
	}
	want := familyOf("", own).newMark()
	if want >= own {
		t.Fatalf("a call's mark %d is not below ours, %d", want, own)
	}
	if err := unix.Prlimit(cmd.Process.Pid, unix.RLIMIT_LOCKS, &unix.Rlimit{Cur: 0, Max: uint64(want)}, nil); err != nil {
		t.Fatal(err)
	}
	check := func(when string) {
		t.Helper()
		if got, err := markOf(cmd.Process.Pid); got != want || err != nil {
			t.Errorf("%s: got %d, %v; want %d", when, got, err, want)
		}
		if got, err := publicLimit(cmd.Process.Pid, unix.RLIMIT_LOCKS); got != uint64(want) || err != nil {
			t.Errorf("%s, from /proc: got %d, %v; want %d", when, got, err, want)
		}
	}
	check("running")
	cmd.Process.Kill()
	if err := waitid(cmd.Process.Pid, unix.WEXITED|unix.WNOWAIT); err != nil {
		t.Fatal(err)
	}
	check("as a zombie")
	if got, err := publicLimit(os.Getpid(), unix.RLIMIT_LOCKS); got != uint64(own) || err != nil {
		t.Errorf("our own, from /proc: got %d, %v; want %d", got, err, own)
	}
	// A sandbox in a sandbox in a sandbox: each has room below the one around it.
	for i := range 30 {
		inner := familyOf(strconv.Itoa(i), own).newMark()
		if inner >= own || inner < leastMark {
			t.Fatalf("below %d comes %d", own, inner)
		}
		own = inner
	}
}
