package filehash

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func hash(t *testing.T, f *Files, path string) string {
	t.Helper()
	sum, err := f.Hash(path)
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// TestReadOnce checks that a file which is as it was is not read again, that another one in its
// place is, and that one which has only just changed is not taken for settled.
func TestReadOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "check")
	if err := os.WriteFile(path, []byte("one"), 0o700); err != nil {
		t.Fatal(err)
	}
	young := true
	f := Files{fresh: func(time.Duration) bool { return young }}
	first := hash(t, &f, path)
	if len(first) != 64 || len(f.known) != 0 {
		t.Fatalf("got %q, and %d files are remembered", first, len(f.known))
	}
	young = false
	if again := hash(t, &f, path); again != first || len(f.known) != 1 {
		t.Fatalf("got %q, and %d files are remembered", again, len(f.known))
	}
	f.known[path] = file{f.known[path].was, "remembered"}
	if got := hash(t, &f, path); got != "remembered" {
		t.Errorf("it is read again: %q", got)
	}
	if err := os.WriteFile(path+".new", []byte("two"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	if got := hash(t, &f, path); got == "remembered" || got == first {
		t.Errorf("another file is taken for the one before: %q", got)
	}
}

// TestWhatIsNoFileIsNotRead: a device that never ends, in the place of a program or among its words, holds
// no decision up.
func TestWhatIsNoFileIsNotRead(t *testing.T) {
	t.Parallel()
	var f Files
	for _, path := range []string{"/dev/zero", t.TempDir()} {
		if got, err := f.Hash(path); !errors.Is(err, errIrregular) {
			t.Errorf("%s: got %q, %v", path, got, err)
		}
	}
}
