package audit

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// waitUntilBlocked waits until somebody beside us has opened the lock of the record in dir, as who waits for it
// has (/proc/self/fd, proc_pid_fd(5)).
func waitUntilBlocked(t *testing.T, dir string) {
	t.Helper()
	for t.Context().Err() == nil {
		open := 0
		fds, err := filepath.Glob("/proc/self/fd/*")
		if err != nil {
			t.Fatal(err)
		}
		for _, fd := range fds {
			if file, err := os.Readlink(fd); err == nil && file == filepath.Join(dir, lockName) {
				open++
			}
		}
		if open > 1 {
			return
		}
		runtime.Gosched()
	}
}
