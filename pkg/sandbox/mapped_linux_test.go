//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestTellMapped checks that what is written through a mapping is noticed on every kind of file system: in
// memory it leaves no trace in the change time when it was read from before.
func TestTellMapped(t *testing.T) {
	t.Parallel()
	p := newProtected([]string{"sub/.envrc"})
	for name, make := range map[string]func(*testing.T) string{
		"memory": inMemory, "disk": func(t *testing.T) string { return t.TempDir() }, "overlay": onOverlay,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := make(t)
			shell(t, dir, "mkdir sub; echo plain >sub/.envrc; ln sub/.envrc other")
			f := &confinement{grants: []grant{{path: dir, write: true}}}
			look := func(change func(mapped []byte)) int {
				t.Helper()
				f.watched = nil
				f.protect(p, p, nil, &listings{}, &Profile{}, false)
				file, err := os.OpenFile(filepath.Join(dir, "other"), os.O_RDWR, 0)
				if err != nil {
					t.Fatal(err)
				}
				defer file.Close()
				mapped, err := unix.Mmap(int(file.Fd()), 0, 5, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
				if err != nil {
					t.Fatal(err)
				}
				if mapped[0] == 0 { // it is read
					t.Fatal("it is empty")
				}
				change(mapped)
				if err := unix.Munmap(mapped); err != nil {
					t.Fatal(err)
				}
				return len(f.watched[0].tellNew(false))
			}
			if told := look(func([]byte) {}); told != 0 {
				t.Errorf("told of %d files that were only read", told)
			}
			if told := look(func(mapped []byte) { copy(mapped, "other") }); told != 1 {
				t.Errorf("told of %d files, want the one that was written", told)
			}
		})
	}
}

func inMemory(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "a2a-acp-test-")
	if err != nil {
		lacking(t, err.Error())
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// onOverlay makes a directory of an overlay whose upper part is in memory, which only this test sees.
func onOverlay(t *testing.T) string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root mounts")
	}
	at := inMemory(t)
	shell(t, at, "mkdir lower upper work merged")
	runtime.LockOSThread() // for good: the thread's mounts end with it
	if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
		t.Skip(err)
	}
	mustDo(t, unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
	merged := filepath.Join(at, "merged")
	if err := unix.Mount("overlay", merged, "overlay", 0, "lowerdir="+at+"/lower,upperdir="+at+"/upper,workdir="+at+"/work"); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { mustDo(t, unix.Unmount(merged, unix.MNT_DETACH)) })
	return merged
}

// TestTimesThatCount checks that a directory is looked at anew each time where its change time could be set
// by a call.
func TestTimesThatCount(t *testing.T) {
	t.Parallel()
	later := func() time.Time { return time.Now().Add(time.Hour) }
	processes := fmt.Sprintf("/proc/%d/task", os.Getpid()) // /proc/self is a link
	for dir, want := range map[string]bool{"/sys/kernel": false, processes: false, inMemory(t): true, t.TempDir(): true} {
		open, err := openDirectory(dir)
		if err != nil {
			lacking(t, err.Error())
		}
		l := &listings{now: later}
		if got := l.read(int(open.Fd()), "", make([]byte, 32<<10), mostSeen, newProtected(nil)).settled; got != want {
			t.Errorf("%s: what was read counts the next time: %t, want %t", dir, got, want)
		}
		open.Close()
	}
}

// TestReadBehindLinks checks that a link leads to nothing that is not for reading: a repository can have
// links to the kernel's files.
func TestReadBehindLinks(t *testing.T) {
	t.Parallel()
	memory := inMemory(t)
	shell(t, memory, "echo x >file")
	for target, read := range map[string]bool{"/proc/version": false, "/proc/self": false, "/sys/kernel": false, memory: true, memory + "/file": true} {
		dir := realTemp(t)
		mustDo(t, os.Symlink(target, filepath.Join(dir, ".vscode")))
		open, err := openDirectory(dir)
		mustDo(t, err)
		if s := new(listings).look(int(open.Fd()), dir, someNames{".vscode"}); s.hashed > 0 != read {
			t.Errorf("%s: %d bytes are read", target, s.hashed)
		}
		open.Close()
	}
}

// TestChangesAtOnceShow checks that a call does not begin within the tick of the clock in which a file was
// changed that counts: a further change in that would not show.
func TestChangesAtOnceShow(t *testing.T) {
	t.Parallel()
	dir := realTemp(t)
	for range 3 {
		shell(t, dir, "echo x >.envrc")
		f := &confinement{grants: []grant{{path: dir, write: true}}}
		f.protect(newProtected(nil), someNames{".envrc"}, nil, &listings{}, &Profile{}, true)
		v := f.watched[0].before.there[".envrc"]
		var now unix.Timespec // the clock of change times
		mustDo(t, unix.ClockGettime(unix.CLOCK_REALTIME_COARSE, &now))
		if now.Nano() <= v.changed.Nano() {
			t.Errorf("a call begins at %d, and a file that counts was changed at %d", now.Nano(), v.changed.Nano())
		}
	}
}
