//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestEachListed checks that the listing with inodes has the processes that the plain one has, each with an
// inode of its own.
func TestEachListed(t *testing.T) {
	child := sleeper(t)
	inodes, listed := map[uint64]int{}, map[int]bool{}
	if err := eachListed(func(pid int, inode uint64) {
		if other := inodes[inode]; inode <= noInode || other != 0 {
			t.Errorf("process %d has the inode %d, as %d has", pid, inode, other)
		}
		inodes[inode], listed[pid] = pid, true
	}); err != nil {
		t.Fatal(err)
	}
	for _, pid := range []int{os.Getpid(), child} {
		if !listed[pid] {
			t.Errorf("process %d is not listed", pid)
		}
	}
}

// TestTallyForgets checks that a process that is no call's is looked at once and not again, until some time
// has gone by, and that one with the number of another is looked at.
func TestTallyForgets(t *testing.T) {
	child := sleeper(t)
	own, err := markOf(child)
	if err != nil {
		t.Fatal(err)
	}
	// A mark of its own: with ours, all that starts on this machine meanwhile would be counted as well.
	mark := own - 1
	if err := unix.Prlimit(child, unix.RLIMIT_LOCKS, &unix.Rlimit{Max: uint64(mark)}, nil); err != nil {
		t.Fatal(err)
	}
	// To the tally it is foreign while nobody asks for its mark, and a call's as soon as somebody does.
	none, calls, now := map[callMark]*call{}, map[callMark]*call{mark: {}}, time.Now()
	var tasks taskCount
	if got := tasks.count(none, now); len(got) != 0 || tasks.foreign[child] == 0 {
		t.Fatalf("got %v, and the child is remembered by %d", got, tasks.foreign[child])
	}
	ours := taskCount{family: family{first: mark, size: 1}}
	if ours.count(none, now); ours.foreign[child] != 0 {
		t.Error("a process of a call that is about to begin is taken for another")
	}
	if got := tasks.count(calls, now.Add(foreignFor-1))[mark]; got != 0 {
		t.Errorf("%d tasks were looked at again", got)
	}
	if got := tasks.count(calls, now.Add(foreignFor))[mark]; got != 1 {
		t.Errorf("%d tasks were counted after a while, want the child's one", got)
	}
	tasks.count(none, now)
	tasks.foreign[child]++ // as if its number had been another's
	if got := tasks.count(calls, now.Add(foreignFor-1))[mark]; got != 1 {
		t.Errorf("of a process that was given the number of another %d tasks were counted, want 1", got)
	}
}

func sleeper(t testing.TB) int {
	t.Helper()
	cmd := exec.Command("sleep", "1000")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // killed
	})
	return cmd.Process.Pid
}

// BenchmarkTally counts the tasks of a call among a hundred processes that are no call's: anew each time,
// as if none were remembered, and as the census does it.
func BenchmarkTally(b *testing.B) {
	for range 100 {
		sleeper(b)
	}
	calls := map[callMark]*call{leastMark: {}}
	for _, remembers := range []bool{false, true} {
		b.Run(fmt.Sprintf("remembers=%t", remembers), func(b *testing.B) {
			var tasks taskCount
			now := time.Now()
			for b.Loop() {
				if !remembers {
					tasks.foreign = nil
				}
				tasks.count(calls, now)
			}
		})
	}
}
