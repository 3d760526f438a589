package steering

import (
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/sensitive"
	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
)

// TestWeigh checks what it means that something was made or changed, without a disk: by its name, by where
// it lies, and by what it holds.
func TestWeigh(t *testing.T) {
	t.Parallel()
	const head = "ref: refs/heads/main\n"
	for _, test := range []struct {
		path  string
		files map[string]string // what is there; what is not is a directory, or a link to one
		want  sandbox.Weight
	}{
		{"notes.md", map[string]string{"notes.md": "x"}, sandbox.Plain},
		{".envrc", map[string]string{".envrc": "x"}, sandbox.Held},
		{"a/b/.envrc", map[string]string{"a/b/.envrc": "x"}, sandbox.Held},
		{"A/.ENVRC", map[string]string{"A/.ENVRC": "x"}, sandbox.Held},
		{".github/workflows/ci.yml", map[string]string{".github/workflows/ci.yml": "x"}, sandbox.Held},
		{".github/notes", map[string]string{".github/notes": "x"}, sandbox.Plain},
		{".github", nil, sandbox.Told},        // a link: the files behind it have any name
		{".github/", nil, sandbox.Plain},      // a directory: what is in it is looked at
		{".github/notes", nil, sandbox.Plain}, // a link of a name that does not count
		{"model.pth", map[string]string{"model.pth": "x"}, sandbox.Told},
		{"node_modules/one/.envrc", map[string]string{"node_modules/one/.envrc": "x"}, sandbox.Told},

		{"sub/.git/objects/aa/b", map[string]string{"sub/.git/objects/aa/b": "x"}, sandbox.Plain},
		{"sub/.git/hooks/pre-commit", map[string]string{"sub/.git/hooks/pre-commit": "x"}, sandbox.Held},
		{"sub/.git/hooks/pre-commit.sample", map[string]string{"sub/.git/hooks/pre-commit.sample": "x"}, sandbox.Plain},
		{"sub/.git/config", map[string]string{"sub/.git/config": "[core]\n\tbare = false\n"}, sandbox.Plain},
		{"sub/.git/config", map[string]string{"sub/.git/config": "[core]\n\tfsmonitor = ./x\n"}, sandbox.Held},
		{"sub/.git/hooks/", nil, sandbox.Plain},
		// Names that are the same to a file system that folds them (ext4's casefold, chattr +F).
		{"sub/.GİT/x", map[string]string{"sub/.GİT/x": "x"}, sandbox.Plain},
		{"sub/.git/hookſ/pre-commit", map[string]string{"sub/.git/hookſ/pre-commit": "x"}, sandbox.Held},
		{"sub/.git/conﬁg", map[string]string{"sub/.git/conﬁg": "[core]\n\tfsmonitor = ./x\n"}, sandbox.Held},
		{"sub/.git/con\u200dfig", map[string]string{"sub/.git/con\u200dfig": "[core]\n\tfsmonitor = ./x\n"}, sandbox.Held},
		{"sub/.g\u200cit/config", map[string]string{"sub/.g\u200cit/config": "[core]\n\tbare = false\n"}, sandbox.Plain},
		{"sub/.g\u200cit/config", map[string]string{"sub/.g\u200cit/config": "[core]\n\tfsmonitor = ./x\n"}, sandbox.Held},
		// What lies in a directory of which all counts counts there, too, though it lies in a repository.
		{".husky/sub/.git/objects/aa", map[string]string{".husky/sub/.git/objects/aa": "x"}, sandbox.Held},

		{"srv/HEAD", map[string]string{"srv/HEAD": head}, sandbox.Plain},
		{"srv/HEAD", map[string]string{"srv/HEAD": head, "srv/hooks/pre-receive": "x"}, sandbox.Held},
		{"srv/hooks/pre-receive", map[string]string{"srv/HEAD": head, "srv/hooks/pre-receive": "x"}, sandbox.Held},
		{"srv/hooks/pre-receive", map[string]string{"srv/hooks/pre-receive": "x"}, sandbox.Plain},
	} {
		read := func(name string) []byte {
			if text, ok := test.files[name]; ok {
				return []byte(text)
			}
			return nil
		}
		if got := New().Weigh(test.path, read); got != test.want {
			t.Errorf("%s in %q weighs %d, want %d", test.path, test.files, got, test.want)
		}
	}
}

// TestNothingIsPassedOver checks that the quick look at names leaves out none of those that the table of
// files says: each pattern counts, at the top and below, however its letters are written.
func TestNothingIsPassedOver(t *testing.T) {
	t.Parallel()
	judge := New()
	tried := 0
	for _, pattern := range sensitive.Patterns(steers) {
		name := strings.NewReplacer("/**", "/below/it", "[A-Z]", "X", "[0-9]", "1", "*", "x").Replace(pattern)
		if _, _, in := inRepository(name); in || strings.ContainsAny(name, "[]{}") || !isSteering(name) {
			continue
		}
		for _, at := range []string{name, "a/b c/" + name, strings.ToUpper(name)} {
			if !isSteering(at) {
				continue // letter case counts
			}
			tried++
			for _, read := range []func(string) []byte{nil, func(string) []byte { return []byte("x") }} {
				if judge.Weigh(at, read) == sandbox.Plain {
					t.Errorf("%s, of the pattern %s, is taken for data", at, pattern)
				}
			}
		}
		// In place of a directory on the way, a link leads to files of any name.
		for i, c := range name {
			if link := name[:i]; c == '/' && judge.Weigh(link, func(string) []byte { return nil }) == sandbox.Plain {
				t.Errorf("a link in place of %s, of the pattern %s, is taken for data", link, pattern)
			}
		}
	}
	if tried < 200 {
		t.Errorf("only %d names were tried", tried)
	}
}

// TestRepositoriesAreLookedInto checks which directories are looked into, and where a link would show less
// than there is.
func TestRepositoriesAreLookedInto(t *testing.T) {
	t.Parallel()
	judge := New()
	for dir, want := range map[string]struct{ enter, hides bool }{
		"a/":              {true, false},
		"objects/":        {true, false},
		"a/.git/":         {true, true},
		"a/.git/objects/": {false, true},
		"a/.GIT/objects/": {false, true},
		"a/.git/hooks/":   {true, true},
		"a/.github/":      {true, false},
	} {
		if got := judge.Enter(dir); got != want.enter {
			t.Errorf("%s is looked into: %t", dir, got)
		}
		if got := judge.Hides(dir); got != want.hides {
			t.Errorf("%s hides something: %t", dir, got)
		}
	}
}
