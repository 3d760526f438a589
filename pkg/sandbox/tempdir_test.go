package sandbox

import (
	"os"
	"path/filepath"
	"testing"
)

// TestTempPlace checks that every process of a user finds the same directory, and that what somebody else has
// put in its place, or opened to others, is not used.
func TestTempPlace(t *testing.T) {
	t.Parallel()
	temp := t.TempDir()
	place, err := PrivateTempDir(temp)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := PrivateTempDir(temp); again != place || err != nil {
		t.Errorf("got %q, %v, and %q before", again, err, place)
	}
	for name, put := range map[string]func() error{
		"open to others": func() error { return os.Chmod(place, 0o770) },
		"a link":         func() error { return os.Symlink(t.TempDir(), place) },
		"a file":         func() error { return os.WriteFile(place, nil, 0o600) },
	} {
		if name != "open to others" {
			if err := os.RemoveAll(place); err != nil {
				t.Fatal(err)
			}
		}
		if err := put(); err != nil {
			t.Fatal(err)
		}
		got, err := PrivateTempDir(temp)
		if err != nil || got == place || filepath.Dir(got) != temp {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
		if is, err := os.Lstat(got); err != nil || is.Mode().Perm() != 0o700 {
			t.Errorf("%s: got mode %v, %v", name, is, err)
		}
		if err := os.RemoveAll(place); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(place, 0o700); err != nil {
			t.Fatal(err)
		}
	}
}
