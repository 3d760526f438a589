package governor

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestHashOfPrograms checks that governors have another name once a file that one of them is has changed:
// the program, a script that an interpreter is given, or what a link to one leads to; and the same one when
// it is as it was.
func TestHashOfPrograms(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		command func(dir string) []string
		change  func(dir string) error
		same    bool
	}{
		"nothing":                  {func(string) []string { return []string{"./check"} }, func(string) error { return nil }, true},
		"the program":              {func(string) []string { return []string{"./check"} }, replaceWith("check", "#!/bin/sh\nexit 1\n"), false},
		"by its whole name":        {func(dir string) []string { return []string{filepath.Join(dir, "check")} }, replaceWith("check", "#!/bin/sh\nexit 1\n"), false},
		"written over, as long":    {func(string) []string { return []string{"./check"} }, overwrite("check", "#!/bin/sh\nexit 3\n"), false},
		"written over as it was":   {func(string) []string { return []string{"./check"} }, overwrite("check", "#!/bin/sh\nexit 0\n"), true},
		"a script beside the file": {func(string) []string { return []string{"sh", "check"} }, overwrite("check", "#!/bin/sh\nexit 3\n"), false},
		"a file that is data":      {func(string) []string { return []string{"./check", "data"} }, replaceWith("data", "deny"), false},
		"a file that is no word":   {func(string) []string { return []string{"./check"} }, replaceWith("data", "deny"), true},
		"what a link leads to": {func(dir string) []string { return []string{filepath.Join(dir, "link")} }, func(dir string) error {
			return overwrite("check", "#!/bin/sh\nexit 3\n")(dir)
		}, false},
		"gone": {func(string) []string { return []string{"./check"} }, func(dir string) error { return os.Remove(filepath.Join(dir, "check")) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := realDir(t)
			long := time.Now().Add(-time.Hour)
			for file, text := range map[string]string{"check": "#!/bin/sh\nexit 0\n", "data": "allow"} {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.Chtimes(filepath.Join(dir, file), long, long); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Symlink("check", filepath.Join(dir, "link")); err != nil {
				t.Fatal(err)
			}
			g := New(Options{})
			g = g.With([]File{{Permission: []Spec{spec("g", KindScript, func(s *Spec) { s.Script = Script{Command: test.command(dir), Dir: dir} })}}})
			w := tool.Workspace{Root: realDir(t)}
			first := g.Hash(w)
			if err := test.change(dir); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(filepath.Join(dir, "check"), long, long); err != nil && !os.IsNotExist(err) { // it hides nothing
				t.Fatal(err)
			}
			if got := g.Hash(w); len(first) != 64 || (got == first) != test.same {
				t.Errorf("%q, then %q", first, got)
			}
		})
	}
}

func replaceWith(name, text string) func(dir string) error {
	return func(dir string) error {
		if err := os.WriteFile(filepath.Join(dir, "new"), []byte(text), 0o755); err != nil {
			return err
		}
		return os.Rename(filepath.Join(dir, "new"), filepath.Join(dir, name))
	}
}

func overwrite(name, text string) func(dir string) error {
	return func(dir string) error { return os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755) }
}
