package blob

import (
	"os"
	"path/filepath"
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
	// One that is longer than there is room for is kept all the same, alone.
	if _, err := s.Keep([]byte("much longer than that")); err != nil {
		t.Fatal(err)
	}
	if left, err := filepath.Glob(filepath.Join(s.Dir, "*")); err != nil || len(left) != 1 {
		t.Errorf("left: %v, %v", left, err)
	}
}
