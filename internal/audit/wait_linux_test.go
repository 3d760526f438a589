package audit

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// waitUntilBlocked waits until somebody waits for the lock of the record in dir, which the kernel tells in
// /proc/locks (proc_locks(5)): a second line of the same lock, marked with an arrow.
func waitUntilBlocked(t *testing.T, dir string) {
	t.Helper()
	info, err := os.Stat(filepath.Join(dir, lockName))
	if err != nil {
		t.Fatal(err)
	}
	inode := fmt.Sprintf(":%d ", info.Sys().(*syscall.Stat_t).Ino)
	for t.Context().Err() == nil {
		locks, err := os.ReadFile("/proc/locks")
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(locks)) {
			if strings.Contains(line, "->") && strings.Contains(line, inode) {
				return
			}
		}
		runtime.Gosched()
	}
}
