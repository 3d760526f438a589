//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// openOurGroups opens groups as a program of its own would, or skips where there are none.
func openOurGroups(t *testing.T) *groups {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("control groups are root's here, or those of a service with Delegate=yes")
	}
	g, err := openGroups(randomName())
	if err != nil {
		t.Skipf("want a place for control groups: %v", err)
	}
	t.Cleanup(g.close)
	return g
}

// TestGroupsOfManyPrograms: programs that start at once sweep away what others have just made and not yet
// locked. Whoever has been told that the groups are its own keeps them.
func TestGroupsOfManyPrograms(t *testing.T) {
	t.Parallel()
	openOurGroups(t)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 60 {
				if err := openAndUseGroups(); err != nil {
					t.Errorf("program %d: %v", i, err)
					return
				}
			}
		})
	}
	all.Wait()
}

// openAndUseGroups is the life of a program with one call.
func openAndUseGroups() error {
	g, err := openGroups(randomName())
	if err != nil {
		return fmt.Errorf("open: %w", err)
	}
	defer g.close()
	one, fd, err := g.take(3, 0)
	if err != nil {
		return fmt.Errorf("take: %w", err)
	}
	defer unix.Close(fd)
	defer g.giveBack(one)
	if sweeper, err := lockGroups(g.base, unix.LOCK_NB); err == nil {
		sweeper.Close()
		return errors.New("our directory is not locked")
	} else if !errors.Is(err, unix.EWOULDBLOCK) {
		return fmt.Errorf("our directory: %w", err)
	}
	return nil
}

// TestGroupsAreMadeAgain: who removes empty groups of the machine, as some services do, removes ours with
// them. The next calls make them again, and lock them.
func TestGroupsAreMadeAgain(t *testing.T) {
	t.Parallel()
	g := openOurGroups(t)
	removeGroups(g.base)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			one, fd, err := g.take(3, 0)
			if err != nil {
				t.Error(err)
				return
			}
			unix.Close(fd)
			g.giveBack(one)
		})
	}
	all.Wait()
	if _, err := lockGroups(g.base, unix.LOCK_NB); !errors.Is(err, unix.EWOULDBLOCK) {
		t.Errorf("lock: got %v, want %v: ours is locked", err, unix.EWOULDBLOCK)
	}
}
