package app

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// daemonLockName is the file in the state directory that the daemon holds, and in which it says where it is.
const daemonLockName = "daemon.lock"

// daemonLock keeps a second daemon from a state directory: what a daemon finds there at its start, such as tasks
// under way, it takes for what another has left. The kernel lets go of it with the process.
type daemonLock struct{ file *os.File }

// lockDaemon takes the lock of a state directory.
func lockDaemon(state string) (*daemonLock, error) {
	path := filepath.Join(state, daemonLockName)
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, err
	}
	err = unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if err == nil {
		return &daemonLock{file}, nil
	}
	defer file.Close()
	if !errors.Is(err, unix.EWOULDBLOCK) {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	where := make([]byte, 4096)
	n, _ := file.ReadAt(where, 0)
	return nil, fmt.Errorf("another daemon uses the state directory %s (%s); "+
		"end it, or set A2A_STATE_DIR to another directory", state, strings.TrimSpace(string(where[:n])))
}

// tell writes where the daemon is, for whoever finds the lock taken.
func (l *daemonLock) tell(urls []string) error {
	text := fmt.Appendf(nil, "process %d at %s", os.Getpid(), strings.Join(urls, ", "))
	_, err := l.file.WriteAt(text, 0)
	return errors.Join(err, l.file.Truncate(int64(len(text))))
}

// release lets the next one in. To close the file does not always: a process that is started at this moment has it
// open, too, until it runs its program.
func (l *daemonLock) release() error {
	return errors.Join(l.file.Truncate(0), unix.Flock(int(l.file.Fd()), unix.LOCK_UN), l.file.Close())
}
