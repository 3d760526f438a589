package state_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/state"
)

// No change is lost, however many change at a time, and what is left is the file, ours alone.
func TestSharedChanges(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var all sync.WaitGroup
	for range 8 {
		file := state.SharedFile(dir, "n.json")
		all.Go(func() {
			for range 10 {
				n := 0
				if err := file.Change(&n, func() (bool, error) { n++; return true, nil }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	n := 0
	if err := state.SharedFile(dir, "n.json").Read(&n); n != 80 || err != nil {
		t.Errorf("%d, %v; want 80", n, err)
	}
	names, err := os.ReadDir(dir)
	if err != nil || len(names) != 2 {
		t.Errorf("left behind: %v, %v", names, err)
	}
}

// A file that is not ours to understand is an error, and stays.
func TestSharedBroken(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "n.json")
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	n := 0
	err := state.SharedFile(filepath.Dir(path), "n.json").Change(&n, func() (bool, error) { return true, nil })
	if err == nil || !strings.Contains(err.Error(), "remove it") {
		t.Errorf("%v", err)
	}
	if data, _ := os.ReadFile(path); string(data) != "{" {
		t.Errorf("it was replaced by %q", data)
	}
}

// What nobody would read again is not written: a repository that somebody trusts could else have all be forgotten.
func TestSharedTooMuch(t *testing.T) {
	t.Parallel()
	file, text := state.SharedFile(t.TempDir(), "n.json"), "few"
	change := func(to string) error {
		return file.Change(&text, func() (bool, error) { text = to; return true, nil })
	}
	if err := change("few"); err != nil {
		t.Fatal(err)
	}
	if err := change(strings.Repeat("x", 9<<20)); err == nil || !strings.Contains(err.Error(), "left as it was") {
		t.Errorf("too much: %v", err)
	}
	if err := file.Read(&text); err != nil || text != "few" {
		t.Errorf("it holds %.10q, %v", text, err)
	}
}
