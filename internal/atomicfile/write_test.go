package atomicfile_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/atomicfile"
)

// What stands at a path afterwards, whatever stood there before; nothing else is left in the directory.
func TestWrite(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		before func(path string) error
		mode   fs.FileMode
	}{
		{"none", func(string) error { return nil }, 0o600},
		{"a file with other permissions", func(path string) error { return os.WriteFile(path, []byte("a longer old text"), 0o400) }, 0o644},
		{"a link", func(path string) error { return os.Symlink("elsewhere", path) }, 0o640},
		{"more than the umask lets through", func(string) error { return nil }, 0o666},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, "file")
			if err := c.before(path); err != nil {
				t.Fatal(err)
			}
			if err := atomicfile.Write(path, []byte("new"), c.mode); err != nil {
				t.Fatal(err)
			}
			info, err := os.Lstat(path)
			if err != nil || info.Mode() != c.mode {
				t.Fatalf("%v, %v; want a file with %v", info, err, c.mode)
			}
			if data, err := os.ReadFile(path); string(data) != "new" || err != nil {
				t.Errorf("%q, %v", data, err)
			}
			alone(t, dir)
		})
	}
}

// What cannot be written leaves what there is, and no temporary file: the name cannot be taken, or the file
// has no room.
func TestWriteFails(t *testing.T) {
	t.Parallel()
	t.Run("a directory has the name", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		path := filepath.Join(dir, "file")
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := atomicfile.Write(path, []byte("new"), 0o600); err == nil {
			t.Error("it was written")
		}
		if info, err := os.Lstat(path); err != nil || !info.IsDir() {
			t.Errorf("%v, %v; want the directory", info, err)
		}
		alone(t, dir)
	})
	t.Run("no directory", func(t *testing.T) {
		t.Parallel()
		if err := atomicfile.Write(filepath.Join(t.TempDir(), "none", "file"), nil, 0o600); err == nil {
			t.Error("it was written")
		}
	})
}

// Who reads while others write finds one of the texts, whole.
func TestWriteIsWhole(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	texts := [][]byte{bytes.Repeat([]byte("a"), 100_000), bytes.Repeat([]byte("b"), 50_000)}
	if err := atomicfile.Write(path, texts[0], 0o600); err != nil {
		t.Fatal(err)
	}
	var writers sync.WaitGroup
	for _, text := range texts {
		writers.Go(func() {
			for range 20 {
				if err := atomicfile.Write(path, text, 0o600); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 200 {
		data, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(data, texts[0]) && !bytes.Equal(data, texts[1]) {
			t.Fatalf("%d bytes, %v", len(data), err)
		}
	}
	writers.Wait()
	alone(t, filepath.Dir(path))
}

func alone(t *testing.T, dir string) {
	t.Helper()
	names, err := os.ReadDir(dir)
	if err != nil || len(names) != 1 {
		t.Errorf("left behind: %v, %v", names, err)
	}
}
