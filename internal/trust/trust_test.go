package trust_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/trust"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestRead lists the ways in which a repository could show one file and have another pinned.
func TestRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir+"/w/real/tools.yaml", "x")
	write(t, dir+"/outside", "x")
	for _, link := range [][2]string{{"real", "w/directory"}, {"real/tools.yaml", "w/file"}, {dir + "/outside", "w/out"}} {
		if err := os.Symlink(link[0], filepath.Join(dir, link[1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(dir+"/w/fifo", 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"directory/tools.yaml": "is a link", "file": "is a link", "out": "is a link", "../outside": "leads out of",
		dir + "/outside": "leads out of", "real": "not a regular file", "fifo": "not a regular file", "none": "no such file",
	} {
		if data, err := trust.Read(dir+"/w", name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %q, %v; want %s", name, data, err, want)
		}
	}
	if data, err := trust.Read(dir+"/w", "real/tools.yaml"); err != nil || string(data) != "x" {
		t.Errorf("%q, %v", data, err)
	}
}

// What a workspace brings is read by what its person knows of programs, too.
func TestReadByOwnCommands(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir+"/.a2a-acp/tools.yaml", "tools:\n  frob:\n    description: Runs frob.\n    script: frob --eval={{x}}\n"+
		"    parameters: [{name: x, type: string, required: true}]\n")
	own, err := command.Read("commands.yaml", []byte("version: 1\nprograms:\n  - names: frob\n    code: --eval\n"))
	if err != nil {
		t.Fatal(err)
	}
	o := trust.Options{Getenv: func(string) string { return "" }, Home: dir, Dir: dir, Say: func(string) {}}
	if _, err := trust.ReadWorkspace(o, dir, nil); err != nil {
		t.Errorf("without a row of frob: %v", err)
	}
	if _, err := trust.ReadWorkspace(o, dir, own); err == nil || !strings.Contains(err.Error(), "frob --eval") {
		t.Errorf("with a row of frob: %v", err)
	}
	if _, err := trust.ReadFile(o, dir+"/.a2a-acp/tools.yaml", own); err == nil || !strings.Contains(err.Error(), "frob --eval") {
		t.Errorf("as a file of its own: %v", err)
	}
}

// TestChanged: a pin is about bytes, and about what was not there.
func TestChanged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir+"/a", "a")
	write(t, dir+"/s", "s")
	d := trust.Directory{
		Dir: dir, Files: map[string]trust.Pin{"a": trust.NewPin([]byte("a"))},
		Scripts: map[string]string{"s": trust.Hash([]byte("s")), "later": ""},
	}
	names := []string{"a", "b"}
	check := func(want string) {
		t.Helper()
		if got := strings.Join(d.Changed(names), " "); got != want {
			t.Errorf("changed: %q, want %q", got, want)
		}
	}
	check("")
	write(t, dir+"/b", "")
	check("b")
	write(t, dir+"/later", "")
	check("b later")
	write(t, dir+"/a", "A")
	check("a b later")
	if err := os.Remove(dir + "/s"); err != nil {
		t.Fatal(err)
	}
	check("a b later s")
	if d.HasScript("never pinned") {
		t.Error("a script that nobody looked at is as it was trusted")
	}
}

// TestStore: nothing counts that is not on record, no change is lost, and the file is ours alone.
func TestStore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store := trust.In(dir)
	fine := func() error { return nil }
	if err := store.Trust(trust.Directory{Dir: "/unrecorded"}, func() error { return errors.New("no record") }); err == nil {
		t.Error("it counts without a record")
	}
	if _, ok, err := store.Lookup("/unrecorded"); ok || err != nil {
		t.Errorf("%v, %v", ok, err)
	}
	var all sync.WaitGroup
	for _, name := range strings.Fields("/a /b /c /d /e /f") {
		all.Go(func() {
			if err := store.Trust(trust.Directory{Dir: name}, fine); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if list, err := store.List(); err != nil || len(list) != 6 {
		t.Errorf("%v, %v", list, err)
	}
	if err := store.Revoke("/a", fine); err != nil {
		t.Error(err)
	}
	if err := store.Revoke("/a", fine); !errors.Is(err, trust.ErrNotTrusted) {
		t.Errorf("got %v", err)
	}
	if _, ok, _ := store.Lookup("/a/b"); ok {
		t.Error("what lies in a directory is trusted with it")
	}
	if info, err := os.Stat(trust.Path(dir)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	write(t, trust.Path(dir), "{")
	if _, ok, err := store.Lookup("/b"); ok || err == nil {
		t.Errorf("a broken store trusts: %v, %v", ok, err)
	}
}

// TestStateBroughtAlong: whoever wrote the workspace does not trust himself by a state directory that he
// brought along, whatever the variables say that he sets.
func TestStateBroughtAlong(t *testing.T) {
	t.Parallel()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home := base + "/home"
	for _, name := range []string{"home/project", "home/clone/sub/.h", "home/clone/.h"} {
		if err := os.MkdirAll(filepath.Join(base, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	clone := home + "/clone"
	for _, row := range []struct {
		dir         string
		environment map[string]string
		want        bool // whether it may be trusted
	}{
		{clone, map[string]string{"HOME": home}, true},
		{clone, map[string]string{"HOME": base + "/elsewhere"}, true},
		{clone, map[string]string{"HOME": home, "A2A_STATE_DIR": home + "/state"}, true},
		{clone, map[string]string{"HOME": home, "A2A_STATE_DIR": clone + "/.state"}, false},
		{clone, map[string]string{"HOME": clone}, false},
		{clone, map[string]string{"HOME": clone + "/.h"}, false},
		{clone + "/sub", map[string]string{"HOME": clone}, false},
		{clone + "/sub", map[string]string{"HOME": clone + "/.h"}, false},
		{clone + "/sub", map[string]string{"HOME": clone + "/sub/.h"}, false},
		{clone + "/sub", map[string]string{"HOME": clone + "/.h", "XDG_STATE_HOME": clone + "/.s"}, false},
		{clone + "/sub", map[string]string{"HOME": clone + "/.h", "A2A_STATE_DIR": clone + "/.s"}, false},
	} {
		o := trust.Options{Getenv: func(name string) string { return row.environment[name] }, Home: home, Dir: row.dir}
		if _, err := trust.FileName(o, writeIn(t, row.dir)); (err == nil) != row.want {
			t.Errorf("%s with %v: %v, want it trusted: %t", row.dir, row.environment, err, row.want)
		}
	}
}

// writeIn writes a file into a directory and returns its name.
func writeIn(t *testing.T, dir string) string {
	t.Helper()
	write(t, dir+"/tools.yaml", "x")
	return dir + "/tools.yaml"
}
