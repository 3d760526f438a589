//go:build amd64 || arm64

package sandbox

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestTellMapped checks that what is written through a mapping is noticed on every kind of file system: in
// memory it leaves no trace in the change time when it was read from before.
func TestTellMapped(t *testing.T) {
	t.Parallel()
	p := newProtected([]string{"sub/.envrc"})
	for _, place := range []string{"/dev/shm", t.TempDir()} {
		t.Run(filepath.Base(place), func(t *testing.T) {
			t.Parallel()
			dir, err := os.MkdirTemp(place, "a2a-acp-test-")
			if err != nil {
				lacking(t, err.Error())
			}
			t.Cleanup(func() { os.RemoveAll(dir) })
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
