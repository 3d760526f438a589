//go:build amd64 || arm64

package sandbox

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

const (
	soakAtOnce     = 64
	soakGoroutines = 1000
	// soakHeap is in bytes. The race detector takes as much as that again, and more.
	soakHeap = 256 << 20
)

// TestSoak runs calls of all kinds at LevelFull, 64 at a time, in a program with a large heap, a thousand
// goroutines that hand something on, and one garbage collection after the other: whatever in a start needs
// the runtime in a certain state comes to light here, after long enough. Then it counts what is left. `make
// soak` makes a hundred thousand calls (A2A_SOAK); by itself the test makes a few hundred.
func TestSoak(t *testing.T) {
	alone(t, func(t *testing.T) {
		calls, err := strconv.ParseInt(os.Getenv("A2A_SOAK"), 10, 64)
		if err != nil {
			calls = int64(stress(256))
		}
		heap := pointers(soakHeap)
		ring, stop := newRing(soakGoroutines)
		defer stop()
		name, value := marker()
		temp, work := t.TempDir(), t.TempDir()
		host, err := Open(Options{TempDir: temp, Grace: 50 * time.Millisecond, Level: LevelFull})
		if err != nil {
			t.Fatal(err)
		}
		if host.Level() != LevelFull {
			host.Close()
			lacking(t, "want level full, found "+string(host.Level())+": "+host.Why())
		}
		one(t, host, work, 5, name, value) // what is opened once
		descriptorsBefore, mountsBefore := descriptors(t, host), mounts(t)

		var next atomic.Int64
		var callers sync.WaitGroup
		begun := time.Now()
		for range soakAtOnce {
			callers.Go(func() {
				for i := next.Add(1); i <= calls && !t.Failed(); i = next.Add(1) {
					switch i % 8 {
					case 1:
						runtime.GC()
					case 3:
						ring()
					case 5:
						_ = make([]byte, 1<<20)
					}
					one(t, host, work, int(i), name, value)
					if i%10_000 == 0 {
						t.Logf("%d calls in %s", i, time.Since(begun).Round(time.Second))
					}
				}
			})
		}
		callers.Wait()
		t.Logf("%d calls in %s", min(next.Load()-1, calls), time.Since(begun).Round(time.Second))

		if after := descriptors(t, host); after != descriptorsBefore {
			t.Errorf("open are\n%s\nand were before\n%s", after, descriptorsBefore)
		}
		if after := mounts(t); after != mountsBefore {
			t.Errorf("mounts are now\n%s\nand were\n%s", after, mountsBefore)
		}
		if left := ownChildren(t); len(left) > 0 {
			t.Errorf("children of ours are left: %v", left)
		}
		if left := survivors(t, name, value); len(left) > 0 {
			t.Errorf("processes are left: %q", left)
		}
		if left := names(t, work); len(left) > 0 {
			t.Errorf("directories are left: %q", left)
		}
		groups := ""
		if host.groups != nil {
			groups = host.groups.base
			if left, _ := filepath.Glob(filepath.Join(groups, "*", "cgroup.procs")); len(left) > spareGroups {
				t.Errorf("control groups are left: %q", left)
			}
		}
		if err := host.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
		if left := names(t, tempPlace(temp)); len(left) > 0 {
			t.Errorf("Close left %q", left)
		}
		if _, err := os.Stat(groups); groups != "" && !os.IsNotExist(err) {
			t.Errorf("Close left the control groups in %s: %v", groups, err)
		}
		runtime.KeepAlive(heap)
	})
}

// newRing makes goroutines each of which hands on to the next what it gets. round lets something go round;
// stop ends them.
func newRing(size int) (round, stop func()) {
	first := make(chan chan struct{})
	from := first
	var all sync.WaitGroup
	for range size {
		to := make(chan chan struct{})
		all.Add(1)
		go func(from, to chan chan struct{}) { // ends when the one before it does
			defer all.Done()
			defer close(to)
			for done := range from {
				to <- done
			}
		}(from, to)
		from = to
	}
	all.Add(1)
	go func() { // ends with the last of them
		defer all.Done()
		for done := range from {
			close(done)
		}
	}()
	round = func() {
		done := make(chan struct{})
		first <- done
		<-done
	}
	stop = func() {
		close(first)
		all.Wait()
	}
	return round, stop
}

// mounts lists what is mounted where, in this process's view.
func mounts(t *testing.T) string {
	t.Helper()
	list, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	return string(list)
}
