package blob

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	t.Parallel()
	s := &Store{Dir: filepath.Join(t.TempDir(), "blobs")}
	kept, err := s.Keep([]byte("0123456789"))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		offset, length int64
		want           string
	}{{0, 100, "0123456789"}, {3, 4, "3456"}, {9, 4, "9"}, {10, 4, ""}, {11, 4, ""}, {-1, 4, ""}, {0, 0, ""}} {
		part, total, err := s.Read(kept.SHA256, row.offset, row.length)
		if string(part) != row.want || total != 10 || err != nil {
			t.Errorf("%d from %d on: %q of %d, %v", row.length, row.offset, part, total, err)
		}
	}
	// A name that is no hash opens nothing, nor does a link in the place of a blob.
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	link := strings.Repeat("ab", 32)
	if err := os.Symlink(secret, filepath.Join(s.Dir, link)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"", "../" + filepath.Base(secret), secret, strings.Repeat("0", 64), kept.SHA256[:63], kept.SHA256 + "0", link} {
		if part, _, err := s.Read(name, 0, 100); err == nil || len(part) > 0 {
			t.Errorf("%q is read: %q", name, part)
		} else if name != link && !errors.Is(err, ErrNone) {
			t.Errorf("%q: %v", name, err)
		}
	}
}
