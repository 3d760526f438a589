package secret

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestHashes has one key for an installation, whoever makes it, and the hash that anybody can make with it.
func TestHashes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var making sync.WaitGroup
	got := make([]string, 16)
	for i := range got {
		making.Go(func() {
			hash, err := NewHashes(dir).Of("hunter2hunter2")
			if err != nil {
				t.Error(err)
			}
			got[i] = hash
		})
	}
	making.Wait()
	text, err := os.ReadFile(filepath.Join(dir, hashKeyName))
	if err != nil {
		t.Fatal(err)
	}
	key, err := hex.DecodeString(strings.TrimSuffix(string(text), "\n"))
	if err != nil || len(key) != 32 {
		t.Fatalf("key %q, %v", text, err)
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("hunter2hunter2"))
	want := HashPrefix + hex.EncodeToString(mac.Sum(nil))
	for _, hash := range got {
		if hash != want {
			t.Errorf("got %s, want %s", hash, want)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("left: %v, %v", entries, err)
	}
	if info, err := os.Stat(filepath.Join(dir, hashKeyName)); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if other, err := NewHashes(t.TempDir()).Of("hunter2hunter2"); err != nil || other == want {
		t.Errorf("another installation has the same hash: %s, %v", other, err)
	}
}

// TestHashKeyThatIsNone makes no other key where there is something that is none, and says what to do.
func TestHashKeyThatIsNone(t *testing.T) {
	t.Parallel()
	for name, put := range map[string]func(path string) error{
		"half a key": func(path string) error { return os.WriteFile(path, []byte("abcd\n"), 0o600) },
		"no digits":  func(path string) error { return os.WriteFile(path, []byte(strings.Repeat("x", 64)), 0o600) },
		"a link":     func(path string) error { return os.Symlink("/etc/hostname", path) },
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, hashKeyName)
		if err := put(path); err != nil {
			t.Fatal(err)
		}
		hash, err := NewHashes(dir).Of("x")
		if err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %q, %v", name, hash, err)
		}
		if mark := (&Hidden{Hashes: NewHashes(dir)}).Mark("x"); mark != Mark {
			t.Errorf("%s: the mark is %q", name, mark)
		}
	}
}

// TestHidden takes values out of texts wherever they stand, and puts their marks there.
func TestHidden(t *testing.T) {
	t.Parallel()
	h := &Hidden{Hashes: NewHashes(t.TempDir())}
	text := `curl -H "PRIVATE-TOKEN: glpat-0123456789" # "quo\"ted<&>" short`
	if got := h.Hide(text); got != text {
		t.Errorf("before anything is known: %q", got)
	}
	h.Add("glpat-0123456789", "glpat-01", `quo"ted<&>`, "short", "")
	for _, test := range []struct{ text, want string }{
		{text, `curl -H "PRIVATE-TOKEN: ` + h.Mark("glpat-0123456789") + `" # "` + h.Mark(`quo"ted<&>`) + `" short`},
		{`"quo\"ted\u003c\u0026\u003e"`, `"` + h.Mark(`quo"ted<&>`) + `"`},
		{"glpat-01", h.Mark("glpat-01")},
		{"glpat-0", "glpat-0"},
	} {
		if got := h.Hide(test.text); got != test.want {
			t.Errorf("%q becomes %q, want %q", test.text, got, test.want)
		}
	}
	if mark := h.Mark("x"); !strings.HasPrefix(mark, HashPrefix) || len(mark) != len(HashPrefix)+64 {
		t.Errorf("a mark is %q", mark)
	}
	var none *Hidden
	none.Add("glpat-0123456789")
	if none.Hide(text) != text || none.Mark("x") != Mark {
		t.Error("what hides nothing hides something")
	}
	for i := range 2 * mostIssued { // bounded: the oldest go
		h.Add(strings.Repeat("v", 8) + string(rune('a'+i%26)) + strings.Repeat("w", i))
	}
	if len(h.values) != mostIssued {
		t.Errorf("%d values", len(h.values))
	}
}
