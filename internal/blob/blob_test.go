package blob

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestKeep(t *testing.T) {
	t.Parallel()
	s := &Store{Dir: filepath.Join(t.TempDir(), "blobs"), Most: 10}
	one, err := s.Keep([]byte("first"))
	if err != nil || one.Bytes != 5 || one.SHA256 != "a7937b64b8caa58f03721bb6bacf5c78cb235febe0e70b1b84cd99541461a08e" {
		t.Fatalf("got %+v, %v", one, err)
	}
	info, err := os.Stat(one.Path)
	if err != nil || info.Mode() != 0o600 {
		t.Fatalf("mode %v, %v", info.Mode(), err)
	}
	if data, err := os.ReadFile(one.Path); err != nil || string(data) != "first" {
		t.Errorf("got %q, %v", data, err)
	}
	two, err := s.Keep([]byte("secon"))
	if err != nil {
		t.Fatal(err)
	}
	// The first is asked for again, so that it is the newer one.
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(two.Path, old, old); err != nil {
		t.Fatal(err)
	}
	if again, err := s.Keep([]byte("first")); err != nil || again != one {
		t.Fatalf("got %+v, %v", again, err)
	}
	three, err := s.Keep([]byte("third"))
	if err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(s.Dir, "*"))
	if err != nil || len(left) != 2 {
		t.Errorf("left: %v, %v", left, err)
	}
	for _, path := range []string{one.Path, three.Path} {
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
	// One that is longer than there is room for is not kept, and leaves nothing behind.
	if _, err := s.Keep([]byte("much longer than that")); !errors.Is(err, ErrFull) {
		t.Errorf("got %v", err)
	}
	if left := files(t, s); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

func files(t *testing.T, s *Store) []string {
	t.Helper()
	entries, err := os.ReadDir(s.Dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

// TestWriter is about a blob that comes in parts: it has its name when it is complete, and nothing stays of
// one that is given up.
func TestWriter(t *testing.T) {
	t.Parallel()
	s := &Store{Dir: filepath.Join(t.TempDir(), "blobs")}
	w, err := s.Begin()
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"fi", "", "rst"} {
		if _, err := w.Write([]byte(part)); err != nil {
			t.Fatal(err)
		}
	}
	if left := files(t, s); len(left) != 1 || !strings.HasPrefix(left[0], temporary) {
		t.Errorf("before it is complete: %v", left)
	}
	b, err := w.Commit()
	if data, readErr := os.ReadFile(b.Path); err != nil || readErr != nil || string(data) != "first" {
		t.Errorf("got %q, %v, %v", data, err, readErr)
	}
	if info, err := os.Stat(b.Path); err != nil || info.Mode() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if again, err := s.Keep([]byte("first")); err != nil || again != b {
		t.Errorf("in one piece it is %+v, %v; want %+v", again, err, b)
	}
	given, err := s.Begin()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := given.Write([]byte("up")); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(given.Abort(), given.Abort(), w.Abort()); err != nil {
		t.Error(err)
	}
	if left := files(t, s); len(left) != 1 || left[0] != b.SHA256 {
		t.Errorf("left: %v", left)
	}
}

// TestRoom checks that what is being written counts, and is not removed; that older blobs go for it; and
// that there is an end.
func TestRoom(t *testing.T) {
	t.Parallel()
	s := &Store{Dir: filepath.Join(t.TempDir(), "blobs"), Most: 100}
	if _, err := s.Keep(bytes.Repeat([]byte("o"), 60)); err != nil {
		t.Fatal(err)
	}
	one, err := s.Begin()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := one.Write(make([]byte, 50)); err != nil {
		t.Fatal(err)
	}
	if left := files(t, s); len(left) != 1 {
		t.Errorf("the old blob is in the way still: %v", left)
	}
	two, err := s.Begin()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := two.Write(make([]byte, 51)); !errors.Is(err, ErrFull) {
		t.Errorf("101 bytes: %v", err)
	}
	if _, err := two.Commit(); !errors.Is(err, ErrFull) {
		t.Errorf("what could not be written is kept: %v", err)
	}
	if _, err := one.Commit(); err != nil {
		t.Error(err)
	}
	if left := files(t, s); len(left) != 1 {
		t.Errorf("left: %v", left)
	}
}

// TestPrune removes what is old, and what a process has left that did not live to end it, but nothing that
// is being written.
func TestPrune(t *testing.T) {
	t.Parallel()
	s := &Store{Dir: filepath.Join(t.TempDir(), "blobs")}
	if err := s.Prune(); err != nil {
		t.Errorf("without a directory: %v", err)
	}
	w, err := s.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	old, err := s.Keep([]byte("old"))
	if err != nil {
		t.Fatal(err)
	}
	young, err := s.Keep([]byte("young"))
	if err != nil {
		t.Fatal(err)
	}
	left := filepath.Join(s.Dir, temporary+"left")
	if err := os.WriteFile(left, []byte("by a process that was killed"), 0o600); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	for path, age := range map[string]time.Duration{old.Path: Longest + time.Hour, young.Path: Longest - time.Hour, w.file.Name(): 2 * Longest} {
		if err := os.Chtimes(path, now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Prune(); err != nil {
		t.Fatal(err)
	}
	want := []string{filepath.Base(w.file.Name()), young.SHA256}
	if got := files(t, s); !slices.Equal(got, want) {
		t.Errorf("left: %v, want %v", got, want)
	}
}

// TestReserve checks that blobs leave some of the disk to others, older ones going first.
func TestReserve(t *testing.T) {
	t.Parallel()
	free := int64(Reserve + 50)
	s := &Store{Dir: filepath.Join(t.TempDir(), "blobs"), Most: 1000}
	s.free = func(dir string) int64 { // a disk on which there is nothing else
		left := free
		for _, name := range files(t, s) {
			if info, err := os.Stat(filepath.Join(dir, name)); err == nil {
				left -= info.Size()
			}
		}
		return left
	}
	one, err := s.Keep(bytes.Repeat([]byte("a"), 30))
	if err != nil {
		t.Fatal(err)
	}
	two, err := s.Keep(bytes.Repeat([]byte("b"), 40))
	if err != nil {
		t.Fatal(err)
	}
	if left := files(t, s); !slices.Equal(left, []string{two.SHA256}) {
		t.Errorf("left: %v, want the second alone, not %s", left, one.SHA256)
	}
	free = 0
	if err := s.Prune(); err != nil || len(files(t, s)) != 1 {
		t.Errorf("somebody else has filled the disk, and %v are left, %v", files(t, s), err)
	}
	if _, err := s.Keep([]byte("c")); !errors.Is(err, ErrFull) {
		t.Errorf("more than the disk has: %v", err)
	}
}

// TestOnDisk: what Commit names is on disk, the bytes before the name; so is what is there already. What the disk
// refuses is not named.
func TestOnDisk(t *testing.T) {
	t.Parallel()
	s := &Store{Dir: filepath.Join(t.TempDir(), "blobs")}
	var synced []string
	s.sync = func(f *os.File) error {
		name := filepath.Base(f.Name())
		if strings.HasPrefix(name, temporary) {
			name = "new"
			if left := files(t, s); len(left) != 1 {
				t.Errorf("it has its name before it is on disk: %v", left)
			}
		}
		synced = append(synced, name)
		return f.Sync()
	}
	kept, err := s.Keep([]byte("first"))
	if err != nil || strings.Join(synced, " ") != "new blobs" {
		t.Errorf("synced %v, %v", synced, err)
	}
	synced = nil
	if _, err := s.Keep([]byte("first")); err != nil || strings.Join(synced, " ") != kept.SHA256+" blobs" {
		t.Errorf("of one that is there: synced %v, %v", synced, err)
	}
	s.sync = func(*os.File) error { return errors.New("I/O error") }
	for _, text := range []string{"first", "second"} {
		if _, err := s.Keep([]byte(text)); err == nil {
			t.Errorf("%s is named though the disk has refused it", text)
		}
	}
	if left := files(t, s); len(left) != 1 {
		t.Errorf("left: %v", left)
	}
}
