package audit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// childLimited runs the roles that need a process of their own.
func childLimited(role, dir string) error {
	switch role {
	case "limit":
		return limitedFile(dir)
	case "tmpfs":
		return fullDisk(dir)
	case "full again and again":
		return fullAgain(dir)
	case "read-only":
		return readOnly(dir)
	}
	return fmt.Errorf("no role %q", role)
}

func TestDiskTrouble(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, role string
		namespace  bool
	}{
		{"a limit on the size of files, in mid-line", "limit", false},
		{"a full disk", "tmpfs", true},
		{"a disk that is full again and again, at any moment", "full again and again", true},
		{"a read-only file system", "read-only", true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), "/proc/self/exe", t.TempDir())
			cmd.Env = append(os.Environ(), childRole+"="+test.role)
			if test.namespace {
				cmd.SysProcAttr = &syscall.SysProcAttr{
					Cloneflags:  unix.CLONE_NEWUSER | unix.CLONE_NEWNS,
					UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
					GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
				}
			}
			out, err := cmd.CombinedOutput()
			if errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSPC) {
				t.Skipf("wanted a user and a mount namespace: %v", err)
			}
			if err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// limitedFile appends until the kernel lets through half a line (setrlimit(2), RLIMIT_FSIZE).
func limitedFile(dir string) error {
	signal.Ignore(unix.SIGXFSZ)
	log, err := Open(filepath.Join(dir, "audit"))
	if err != nil {
		return err
	}
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &before); err != nil {
		return err
	}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 8000, Max: before.Max}); err != nil {
		return err
	}
	return runsFull(log, filepath.Join(dir, "audit"), unix.EFBIG, func() error {
		return unix.Setrlimit(unix.RLIMIT_FSIZE, &before)
	})
}

// fullDisk appends until a small file system is full.
func fullDisk(dir string) error {
	if err := unix.Mount("none", dir, "tmpfs", 0, "size=256k,mode=700"); err != nil {
		return err
	}
	filler := filepath.Join(dir, "filler")
	if err := os.WriteFile(filler, make([]byte, 128<<10), 0o600); err != nil {
		return err
	}
	log, err := Open(filepath.Join(dir, "audit"))
	if err != nil {
		return err
	}
	return runsFull(log, filepath.Join(dir, "audit"), unix.ENOSPC, func() error { return os.Remove(filler) })
}

// fullAgain fills a small file system to the brim again and again while lines, segments, the key, the tree and
// checkpoints are written, and old ones removed. Nothing of that is damage.
func fullAgain(dir string) error {
	if err := unix.Mount("none", dir, "tmpfs", 0, "size=2m,mode=700"); err != nil {
		return err
	}
	filler, record := filepath.Join(dir, "filler"), filepath.Join(dir, "audit")
	for round := range 30 {
		log := newLog(record, restless)
		log.now = func() time.Time { return testTime.AddDate(0, 0, round/4) }
		var disk unix.Statfs_t
		if err := unix.Statfs(dir, &disk); err != nil {
			return err
		}
		pages := max(0, int(disk.Bfree)-round%12) // so few are left
		if err := os.WriteFile(filler, make([]byte, pages*int(disk.Bsize)), 0o600); err != nil {
			return err
		}
		for range 20 {
			if log.segment == nil {
				if err := log.open(); err != nil {
					if !noRoom(err) {
						return fmt.Errorf("round %d: open: %w", round, err)
					}
					log.closeFiles()
				}
				continue
			}
			err := log.Record(context.Background(), decided(strings.Repeat("x", 400)))
			if err != nil && (!noRoom(err) || errors.Is(err, ErrDead)) {
				return fmt.Errorf("round %d: record: %w", round, err)
			}
		}
		if round%2 == 0 { // there is room when it ends
			os.Remove(filler)
		}
		if err := log.Close(); err != nil && !noRoom(err) {
			return fmt.Errorf("round %d: close: %w", round, err)
		}
		os.Remove(filler)
		report, err := Verify(record, VerifyOptions{})
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil || !report.OK {
			return fmt.Errorf("round %d: %+v, %w", round, report, err)
		}
	}
	return nil
}

// runsFull appends until there is no room, sees that nothing of the line that did not fit stays, makes room
// and goes on.
func runsFull(log *Log, dir string, want error, makeRoom func() error) error {
	defer log.Close()
	kept := 0
	var full error
	for full == nil {
		if full = log.Record(context.Background(), decided(strings.Repeat("x", 3001))); full == nil {
			kept++
		}
	}
	if !errors.Is(full, want) || errors.Is(full, ErrDead) || !strings.Contains(full.Error(), "make room") {
		return fmt.Errorf("without room: error %w, want %w with its cure, and no dead record", full, want)
	}
	if kept == 0 {
		return errors.New("nothing fitted, so nothing was tried")
	}
	entries, err := List(dir, Filter{})
	if err != nil || len(entries) != kept {
		return fmt.Errorf("%d entries, want %d: %w", len(entries), kept, err)
	}
	if info, err := os.Stat(filepath.Join(dir, segmentName(1))); err != nil || info.Size() != log.end.size {
		return fmt.Errorf("half a line stayed: %v, want %d bytes (%w)", info, log.end.size, err)
	}
	if err := makeRoom(); err != nil {
		return err
	}
	if err := log.Record(context.Background(), decided("room again")); err != nil {
		return fmt.Errorf("with room again: %w", err)
	}
	entries, err = List(dir, Filter{})
	if err != nil || len(entries) != kept+1 {
		return fmt.Errorf("%d entries, want %d: %w", len(entries), kept+1, err)
	}
	for i, entry := range entries {
		prev := ""
		if i > 0 {
			prev = sum(entries[i-1].Raw)
		}
		if entry.Seq != int64(i+1) || entry.Prev != prev {
			return fmt.Errorf("the chain is broken at %d", i+1)
		}
	}
	return nil
}

// readOnly opens records that cannot be written: one that is not there yet, and one that is.
func readOnly(dir string) error {
	if err := unix.Mount("none", dir, "tmpfs", 0, "size=256k,mode=700"); err != nil {
		return err
	}
	log, err := Open(filepath.Join(dir, "there"))
	if err != nil {
		return err
	}
	if err := log.Record(context.Background(), events.Event{Type: events.ToolDecided}); err != nil {
		return err
	}
	if err := log.Close(); err != nil {
		return err
	}
	if err := unix.Mount("none", dir, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		return err
	}
	for _, name := range []string{"there", "new"} {
		_, err := Open(filepath.Join(dir, name))
		if !errors.Is(err, unix.EROFS) || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "set A2A_STATE_DIR") {
			return fmt.Errorf("%s: error %w, want EROFS with the path and the cure", name, err)
		}
	}
	entries, err := List(filepath.Join(dir, "there"), Filter{})
	if err != nil || len(entries) != 1 {
		return fmt.Errorf("%d entries can be read, want 1: %w", len(entries), err)
	}
	return nil
}
