//go:build agents

package agents

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
)

// endStrays kills the processes that still run with the given home directory, and returns their command
// lines. No two tests share a home.
func endStrays(t *testing.T, home string) []string { return endAllBut(t, home, 0) }

// endAllBut is endStrays that spares a process.
func endAllBut(t *testing.T, home string, spared int) []string {
	t.Helper()
	processes, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, process := range processes {
		environment, err := os.ReadFile(filepath.Join(process, "environ"))
		if err != nil || !bytes.Contains(append([]byte{0}, environment...), []byte("\x00HOME="+home+"\x00")) {
			continue // another user's, gone meanwhile, or none of ours
		}
		pid, err := strconv.Atoi(filepath.Base(process))
		if err != nil || pid == spared {
			continue
		}
		line, err := os.ReadFile(filepath.Join(process, "cmdline"))
		if err != nil || len(line) == 0 {
			continue // a zombie: it has ended, and its parent has not looked yet
		}
		left = append(left, fmt.Sprintf("%d %s", pid, bytes.ReplaceAll(line, []byte{0}, []byte{' '})))
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	return left
}
