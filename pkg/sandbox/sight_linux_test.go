//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// someNames is a Judge to whom a few names count.
type someNames []string

func (s someNames) Enter(dir string) bool { return filepath.Base(dir) != "closed" }

func (s someNames) Hides(string) bool { return false }

func (s someNames) Weigh(path string, _ func(string) []byte) Weight {
	if slices.Contains(s, filepath.Base(path)) {
		return Held
	}
	return Plain
}

// TestSight checks that what is kept of earlier readings hides nothing: after each change a look with it
// sees what a first look does, and tells the file from what it was.
func TestSight(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	shell(t, dir, "mkdir -p a/b/c d/closed e; echo x >a/b/.envrc; echo x >d/.envrc; echo x >d/closed/.envrc; mkdir e/.vscode; echo x >plain")
	open, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	judge := someNames{".envrc", ".vscode", "tasks.json"}
	// Long after, so that every reading is kept.
	kept := listings{now: func() time.Time { return time.Now().Add(time.Hour) }}
	before := kept.look(int(open.Fd()), dir, judge)
	if len(before.there) != 3 || !before.whole {
		t.Fatalf("%+v", before)
	}
	for _, change := range []struct {
		commands string
		differs  []string
	}{
		{"cat a/b/.envrc; ls -R; touch plain; echo y >>plain", nil},
		{"echo y >>a/b/.envrc", []string{"a/b/.envrc"}},
		{"echo z >a/b/c/.envrc", []string{"a/b/c/.envrc"}},
		{"echo y >e/.vscode/tasks.json", []string{"e/.vscode/tasks.json"}},
		{"echo y >e/.vscode/tasks.json; touch -d 2020-01-01 e/.vscode/tasks.json e/.vscode e", []string{"e/.vscode/tasks.json"}},
		{"mv plain d/closed; rm -r d/closed", nil},
		{"chmod +x d/.envrc", []string{"d/.envrc"}},
		{"mv a z", []string{"z/b/.envrc", "z/b/c/.envrc"}},
		{"mkdir -p a/b; mv z/b/.envrc a/b", []string{"a/b/.envrc"}},
		{"rm -r a; ln -s z a; echo x >z/.envrc", []string{"z/.envrc"}},
		{"rm z/.envrc; mkdir z/.envrc", []string{"z/.envrc/"}},
		{"mv e/.vscode e/aside; mkdir e/.vscode", []string{"e/.vscode/", "e/aside/tasks.json"}},
		{"rm -r e", nil},
	} {
		shell(t, dir, change.commands)
		after, first := kept.look(int(open.Fd()), dir, judge), (&listings{}).look(int(open.Fd()), dir, judge)
		if fmt.Sprint(after) != fmt.Sprint(first) {
			t.Errorf("%s: with what was kept %v, without %v", change.commands, after, first)
		}
		var differs []string
		for at, v := range after.there {
			if !before.has(at, v) {
				differs = append(differs, at)
			}
		}
		slices.Sort(differs)
		if !slices.Equal(differs, change.differs) {
			t.Errorf("%s: %q are not what they were, want %q", change.commands, differs, change.differs)
		}
		before = after
	}
}

// TestSightBounds looks through a directory that holds more than is looked at.
func TestSightBounds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	shell(t, dir, "mkdir sub; touch sub/{1..30}")
	open, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	l := &listings{now: func() time.Time { return time.Now().Add(time.Hour) }}
	buffer := make([]byte, 256)
	if one := l.read(int(open.Fd()), "sub/", buffer, 30, someNames{}); one.names != 30 || !one.settled {
		t.Errorf("%+v", one)
	}
	if one := l.read(int(open.Fd()), "sub/", buffer, 29, someNames{}); one.names != 30 {
		t.Errorf("%+v, and more should show", one)
	}
	if one := l.read(int(open.Fd()), "sub/", buffer, 3, someNames{}); one.names != 4 || one.settled {
		t.Errorf("%+v", one)
	}
	if one := l.read(int(open.Fd()), "none/", buffer, 3, someNames{}); one.names != 0 || one.settled {
		t.Errorf("%+v", one)
	}
}

// TestSightDepth looks through directories whose paths are so long that each takes as long as many names.
func TestSightDepth(t *testing.T) {
	t.Parallel()
	const each = 15 * 256 / longPath
	for _, test := range []struct {
		directories int
		whole       bool
	}{{20, true}, {mostSeen / each, false}} {
		dir := t.TempDir()
		shell(t, dir, fmt.Sprintf("n=%s; for i in {1..15}; do mkdir $n; cd $n; done; mkdir {1..%d}", strings.Repeat("d", 255), test.directories))
		open, err := openDirectory(dir)
		mustDo(t, err)
		l := &listings{}
		if s := l.look(int(open.Fd()), dir, someNames{}); s.whole != test.whole {
			t.Errorf("%d directories: looked through all of them: %t, want %t", test.directories, s.whole, test.whole)
		}
		open.Close()
	}
}

// TestSightLinks looks at many links that lead to the same directory, each of which could be looked at whole.
func TestSightLinks(t *testing.T) {
	t.Parallel()
	for links, want := range map[int]int{20: 0, 60: 10} {
		dir := realTemp(t)
		shell(t, dir, fmt.Sprintf("mkdir -p v {1..%d}; touch v/{1..1000}; for i in {1..%[1]d}; do ln -s ../v $i/.vscode; done", links))
		open, err := openDirectory(dir)
		mustDo(t, err)
		if s := new(listings).look(int(open.Fd()), dir, someNames{".vscode"}); len(s.partly) != want {
			t.Errorf("of %d links %d are not looked behind, want %d", links, len(s.partly), want)
		}
		open.Close()
	}
}

// TestSightClosed has a call close a directory behind itself, which leaves the way through it open. Root
// can look into it all the same.
func TestSightClosed(t *testing.T) {
	t.Parallel()
	asEveryUser(t, func(t *testing.T) {
		host := openWith(t, Options{Grace: time.Second, Level: LevelFull, Judge: someNames{".envrc"}})
		dir, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		s := script{text: "mkdir sub; echo x >sub/.envrc; chmod 311 sub", dir: dir, allowed: []tool.AllowedPath{{Path: dir}}}
		out := s.run(t.Context(), t, host)
		if len(out.Changed) != 1 || !strings.Contains(out.Changed[0], filepath.Join(dir, "sub")) {
			t.Errorf("told %q", out.Changed)
		}
		s.text = "true"
		if out := s.run(t.Context(), t, host); os.Geteuid() != 0 && len(out.Changed) != 1 {
			t.Errorf("told %q, and a call could have changed what is in there", out.Changed)
		}
		shell(t, dir, "chmod 200 sub")
		if out := s.run(t.Context(), t, host); len(out.Changed) != 0 {
			t.Errorf("told %q of what was so before, and nobody can have changed", out.Changed)
		}
		shell(t, dir, "chmod 755 sub")
	})
}
