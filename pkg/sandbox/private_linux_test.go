//go:build amd64 || arm64

package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestPrivate checks that a call of root's reads of the system what others can, and what it was granted.
func TestPrivate(t *testing.T) {
	t.Parallel()
	host := openWith(t, Options{Grace: time.Second, TempDir: t.TempDir(), Level: LevelFull})
	if host.capability.user != 0 || !host.Level().AtLeast(LevelNoProc) {
		t.Skip("root's calls with mounts of their own alone have it")
	}
	opt, err := os.MkdirTemp("/opt", "a2a-acp-test-") // what lies in /tmp no call sees
	if err != nil {
		lacking(t, err.Error())
	}
	t.Cleanup(func() { os.RemoveAll(opt) })
	shell(t, opt, "chmod 755 .; mkdir -p app/conf shut/in far/a/b; echo x >app/conf/key; echo x >app/open; echo x >shut/in/it; echo x >far/a/b/key; chmod 600 app/conf/key far/a/b/key; chmod 700 shut")
	list := privateIn(opt, 2)
	slices.SortFunc(list, func(a, b hiding) int { return strings.Compare(a.path, b.path) })
	if want := []hiding{{path: filepath.Join(opt, "app/conf/key"), file: true}, {path: filepath.Join(opt, "shut")}}; !slices.Equal(list, want) {
		t.Fatalf("private are %v, want %v", list, want)
	}
	if most := privateIn("/proc", 0); slices.ContainsFunc(most, func(h hiding) bool { return strings.ContainsAny(h.path, "0123456789") }) {
		t.Errorf("processes are among %v", most)
	}
	host.private = list // as if it had been there when the host was opened
	const reads = "cd " + `"$1"; for f in app/open app/conf/key shut/in/it; do cat $f >/dev/null 2>&1 && test -s $f && printf '%s ' $f; done`
	for _, test := range []struct {
		name    string
		allowed []tool.AllowedPath
		want    string
	}{
		{"nothing granted", nil, "app/open "},
		{"a file", []tool.AllowedPath{{Path: filepath.Join(opt, "app/conf/key"), ReadOnly: true}}, "app/open app/conf/key "},
		{"what a directory holds", []tool.AllowedPath{{Path: filepath.Join(opt, "shut/in")}}, "app/open shut/in/it "},
		{"all of it", []tool.AllowedPath{{Path: opt, ReadOnly: true}}, "app/open app/conf/key shut/in/it "},
	} {
		out := script{text: "set -- " + opt + "; " + reads, dir: realTemp(t), allowed: test.allowed}.run(t.Context(), t, host)
		if got := string(out.Stdout); got != test.want {
			t.Errorf("%s: a call reads %q, want %q; %s", test.name, got, test.want, out.Stderr)
		}
	}
}

// TestHomeInSystemDirectory confines calls of somebody whose home lies in a directory of the system.
func TestHomeInSystemDirectory(t *testing.T) {
	home, err := os.MkdirTemp("/opt", "a2a-acp-test-")
	if err != nil {
		lacking(t, err.Error())
	}
	t.Cleanup(func() { os.RemoveAll(home) })
	shell(t, home, "mkdir -p .config/ours work; echo x >.config/ours/key; chmod 700 .config")
	openWith(t, Options{Level: LevelFull}) // or there is nothing to look at
	t.Setenv("HOME", home)
	host, err := Open(Options{Grace: time.Second, TempDir: t.TempDir(), Hidden: []string{filepath.Join(home, ".config/ours")}})
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close()
	if host.Level() != LevelFull {
		t.Errorf("the level is %s: %s", host.Level(), host.Why())
	}
	out := script{text: "ls -A " + home, dir: filepath.Join(home, "work")}.run(t.Context(), t, host)
	if got := string(out.Stdout); got != "work\n" {
		t.Errorf("a call sees %q of the home; %s", got, out.Stderr)
	}
}
