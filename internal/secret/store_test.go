package secret

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

func TestStore(t *testing.T) {
	t.Parallel()
	s := NewStore(t.TempDir())
	if _, ok, err := s.Lookup("KEY"); ok || err != nil {
		t.Fatalf("an empty store: %t, %v", ok, err)
	}
	if replaced, err := s.Set("KEY", Entry{Value: "hunter22", Set: time.Unix(1, 0)}); replaced || err != nil {
		t.Fatal(replaced, err)
	}
	if replaced, err := s.Set("KEY", Entry{Value: "hunter33"}); !replaced || err != nil {
		t.Fatal(replaced, err)
	}
	if _, err := s.Set("B", Entry{Command: []string{"pass", "show", "b"}}); err != nil {
		t.Fatal(err)
	}
	e, ok, err := s.Lookup("KEY")
	if e.Value != "hunter33" || !ok || err != nil {
		t.Fatal(e.Value, ok, err)
	}
	if text := fmt.Sprintf("%v %+v %#v", e, e, e); strings.Contains(text, "hunter") {
		t.Errorf("printing an entry shows %s", text)
	}
	info, err := os.Stat(filepath.Join(s.Dir(), fileName))
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	list, err := s.List()
	if err != nil || len(list) != 2 || list[0].Name != "B" || list[0].From != "the output of pass" {
		t.Errorf("got %v, %v", list, err)
	}
	if was, err := s.Remove("KEY"); !was || err != nil {
		t.Error(was, err)
	}
	if was, err := s.Remove("KEY"); was || err != nil {
		t.Error(was, err)
	}
	left, err := filepath.Glob(filepath.Join(s.Dir(), ".secrets*"))
	if err != nil || left != nil {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestStoreRefuses is about a file that somebody else may have read, written, or put there.
func TestStoreRefuses(t *testing.T) {
	t.Parallel()
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	if err := os.WriteFile(elsewhere, []byte(`{"version":1,"secrets":{"KEY":{"value":"planted!"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, want string
		put        func(path string) error
	}{
		{"readable by others", "chmod 600", func(p string) error { return os.WriteFile(p, []byte(`{"version":1}`), 0o644) }},
		{"a link", "is a link", func(p string) error { return os.Symlink(elsewhere, p) }},
		{"a directory", "is no file", func(p string) error { return os.Mkdir(p, 0o700) }},
		{"torn", "no JSON", func(p string) error {
			return os.WriteFile(p, []byte(`{"version":1,"secrets":{"KEY":{"value":"hunter2`), 0o600)
		}},
		{"of another version", "version 9", func(p string) error { return os.WriteFile(p, []byte(`{"version":9}`), 0o600) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := NewStore(t.TempDir())
			path := filepath.Join(s.Dir(), fileName)
			if err := test.put(path); err != nil {
				t.Fatal(err)
			}
			_, ok, err := s.Lookup("KEY")
			if ok || err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "hunter") {
				t.Errorf("Lookup gives %t, %v", ok, err)
			}
			if _, err := s.Set("KEY", Entry{Value: "hunter22"}); err == nil {
				t.Error("Set wrote over it")
			}
		})
	}
}

// TestStoreIsShared guards that nothing is lost when several set secrets at once.
func TestStoreIsShared(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			if _, err := NewStore(dir).Set(fmt.Sprintf("K%d", i), Entry{Value: "hunter22"}); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if list, err := NewStore(dir).List(); len(list) != 8 || err != nil {
		t.Errorf("%d are left, %v", len(list), err)
	}
}

func TestStoreChecks(t *testing.T) {
	t.Parallel()
	s := NewStore(t.TempDir())
	for _, name := range []string{"", "1A", "a b", "../x", "-x", strings.Repeat("a", 65)} {
		if _, err := s.Set(name, Entry{Value: "hunter22"}); err == nil {
			t.Errorf("%q is taken as a name", name)
		}
	}
	for _, value := range []string{"", "abc", "abc\x00def", "abc\xffdef", strings.Repeat("x", LongestValue+1)} {
		_, err := s.Set("A", Entry{Value: value})
		if err == nil || value != "" && strings.Contains(err.Error(), value) {
			t.Errorf("%.10q: %.100v", value, err)
		}
	}
}

func TestVault(t *testing.T) {
	t.Parallel()
	dir, own := t.TempDir(), t.TempDir()
	write := func(path, text string) string {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	token := write(filepath.Join(dir, "token"), "from-a-file\n")
	write(filepath.Join(own, "key"), "our-own-key")
	link := filepath.Join(dir, "link")
	if err := os.Symlink(filepath.Join(own, "key"), link); err != nil {
		t.Fatal(err)
	}
	v := &Vault{
		Store: NewStore(own), Own: []string{own},
		Environ: func(name string) string {
			return map[string]string{"TOKEN": "from-the-environment", "A2A_AUTH_TOKEN": "ours", "a2a_x": "ours"}[name]
		},
	}
	for name, e := range map[string]Entry{"KEY": {Value: "from-the-store"}, "CMD": {Command: []string{"/bin/echo", "from-a-stored-command"}}} {
		if _, err := v.Store.Set(name, e); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		reference tool.Reference
		want, err string
		missing   bool // and known to be without an effect
	}{
		{tool.Reference{Secret: "KEY"}, "from-the-store", "", false},
		{tool.Reference{Secret: "CMD"}, "from-a-stored-command", "", false},
		{tool.Reference{Secret: "NONE"}, "", "a2a-acp secrets set NONE", true},
		{tool.Reference{Env: "TOKEN"}, "from-the-environment", "", false},
		{tool.Reference{Env: "NONE"}, "", "not set where a2a-acp was started", true},
		{tool.Reference{Env: "A2A_AUTH_TOKEN"}, "", "belongs to this program", true},
		{tool.Reference{Env: "a2a_x"}, "", "belongs to this program", true},
		{tool.Reference{File: token}, "from-a-file", "", false},
		{tool.Reference{File: filepath.Join(own, "key")}, "", "belongs to this program", true},
		{tool.Reference{File: link}, "", "belongs to this program", true},
		{tool.Reference{File: dir}, "", "is no file", true},
		{tool.Reference{File: "/nowhere"}, "", "no such file", true},
		{tool.Reference{Command: []string{"bash", "-c", "echo from-a-command"}}, "from-a-command", "", false},
		{tool.Reference{Command: []string{"bash", "-c", "echo hunter22; echo hunter22 >&2; exit 3"}}, "", "ended with code 3", false},
		{tool.Reference{Command: []string{"true"}}, "", "is empty", false},
		{tool.Reference{Command: []string{"no-such-command"}}, "", "not found", true},
		{tool.Reference{Command: []string{"head", "-c", "70000", "/dev/zero"}}, "", "longer than", false},
	} {
		t.Run(test.reference.String(), func(t *testing.T) {
			t.Parallel()
			if err := v.Missing(test.reference); (err != nil) != test.missing {
				t.Errorf("Missing gives %v", err)
			}
			got, err := v.Value(t.Context(), test.reference)
			if got != test.want || (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Errorf("got %q, %v", got, err)
			}
			if err != nil && (strings.Contains(err.Error(), "hunter") || strings.Contains(err.Error(), "our-own")) {
				t.Errorf("the error holds the value: %v", err)
			}
		})
	}
}

// TestCommandGetsNothingOfOurs guards that a password manager does not see the program's own tokens.
func TestCommandGetsNothingOfOurs(t *testing.T) {
	t.Setenv("A2A_AUTH_TOKEN", "ours-alone")
	t.Setenv("THEIRS", "theirs-too")
	v := &Vault{Environ: os.Getenv}
	got, err := v.Value(t.Context(), tool.Reference{Command: []string{"bash", "-c", "env"}})
	if err != nil || strings.Contains(got, "ours-alone") || !strings.Contains(got, "theirs-too") {
		t.Errorf("got %.300q, %v", got, err)
	}
}
