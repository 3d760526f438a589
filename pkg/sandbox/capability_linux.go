//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// requirement is something that owning a process tree needs of the kernel, found out by trying.
type requirement struct {
	name string // and since when Linux has it
	try  func() error
}

func requirements() []requirement {
	return []requirement{
		{"process descriptors (Linux 5.4)", tryPidfd},
		{"close_range (Linux 5.11)", tryCloseRange},
		{"sealed files in memory (Linux 3.17)", tryMemfd},
		{"system call filters (Linux 4.14, CONFIG_SECCOMP_FILTER)", tryFilter},
		{"/proc/PID/task/TID/children (a kernel with CONFIG_PROC_CHILDREN, and /proc mounted)", tryChildren},
		{"a limit on file locks that can be lowered", tryMark},
	}
}

// findCapability finds what this machine can do.
func findCapability(needed []requirement) capability {
	for _, r := range needed {
		if err := r.try(); err != nil {
			return capability{level: LevelNone,
				why: fmt.Sprintf("process trees cannot be owned without %s: %v", r.name, err)}
		}
	}
	c := capability{level: LevelRlimits, why: "nothing stronger was tried", user: os.Geteuid()}
	c.landlock, _ = landlockABI() // none, where there is an error
	ownLimits(&c)
	return c
}

func tryPidfd() error {
	fd, err := unix.PidfdOpen(os.Getpid(), 0)
	if err != nil {
		return fmt.Errorf("pidfd_open: %w", err)
	}
	defer unix.Close(fd)
	// Waiting by descriptor came two versions later. We are no child of our own: ECHILD says that the call
	// is known.
	if err := unix.Waitid(unix.P_PIDFD, fd, nil, unix.WEXITED|unix.WNOHANG, nil); err != unix.ECHILD {
		return fmt.Errorf("waitid: %w", err)
	}
	return nil
}

func tryCloseRange() error {
	const unused = 1 << 30 // no process has that many descriptors
	return unix.CloseRange(unused, unused, unix.CLOSE_RANGE_CLOEXEC)
}

func tryMemfd() error {
	fd, err := openInput(Input{Name: "probe", Data: []byte("x")})
	if err != nil {
		return err
	}
	return unix.Close(fd)
}

func tryChildren() error {
	list, err := openChildList(unix.Getpid())
	if err != nil {
		return err
	}
	defer list.close()
	_, err = list.read()
	return err
}

func tryMark() error {
	own, err := ownMark()
	if err != nil {
		return err
	}
	if own < 2*leastMark {
		return fmt.Errorf("ours is %d already, which leaves no room for the calls' marks", own)
	}
	return nil
}
