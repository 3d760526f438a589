package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// replace puts a file in the place of another in one step, as editors do.
func replace(t *testing.T, path, data string) {
	t.Helper()
	if err := os.Rename(write(t, filepath.Join(tempDir(t), "new"), data), path); err != nil {
		t.Fatal(err)
	}
}

// reports collects what a Watcher tells, in order, as short lines.
type reports chan string

func (r reports) options() WatchOptions {
	return WatchOptions{
		Changed: func(set *Set) {
			var ids []string
			for _, t := range set.Tools {
				ids = append(ids, t.Tool.ID)
			}
			r <- "tools " + strings.Join(ids, " ")
		},
		Trouble: func(err error) { r <- "trouble " + yamldoc.List(err)[0].Rule },
		after:   func(time.Duration) <-chan time.Time { return ready() },
	}
}

func ready() <-chan time.Time {
	c := make(chan time.Time, 1)
	c <- time.Time{}
	return c
}

// all returns what was told so far.
func (r reports) all() []string {
	var all []string
	for len(r) > 0 {
		all = append(all, <-r)
	}
	return all
}

// next waits for the next report. It ends with the test's own deadline when none comes.
func (r reports) next(t *testing.T, want string) {
	t.Helper()
	if got := <-r; got != want {
		t.Fatalf("want the report %q, got %q", want, got)
	}
}

// still makes a Watcher without its goroutine, whose looks the test takes itself.
func still(t *testing.T, sources Sources) (*Watcher, reports) {
	t.Helper()
	set, err := Load(sources)
	if err != nil {
		t.Fatal(err)
	}
	told := make(reports, 100)
	w, err := newWatcher(sources, set, told.options())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w, told
}

func watch(t *testing.T, sources Sources, options func(reports) WatchOptions) (*Watcher, reports) {
	t.Helper()
	set, err := Load(sources)
	if err != nil {
		t.Fatal(err)
	}
	told := make(reports, 1000)
	w, err := Watch(sources, set, options(told))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w, told
}

// TestLook takes one look after each change and compares what it tells.
func TestLook(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	path := write(t, dir+"/a2a-acp/tools.yaml", tools("a"))
	named := write(t, dir+"/named.yaml", tools("n"))
	w, told := still(t, Sources{ConfigHome: dir, Tools: []string{named}, EmbeddedTools: []byte(tools("z"))})
	remove := func(path string) func() {
		return func() {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
	}
	steps := []struct {
		name   string
		change func()
		want   []string
	}{
		{"nothing changed", func() {}, nil},
		{"a tool more", func() { write(t, path, tools("a", "b")) }, []string{"tools a b n z"}},
		{"the same again", func() { write(t, path, tools("a", "b")) }, nil},
		{"broken", func() { write(t, path, "tools: [") }, []string{"trouble syntax"}},
		{"still broken", func() {}, []string(nil)},
		{"broken otherwise", func() { write(t, path, "tools: {a: {}}") }, []string{"trouble missing-key"}},
		{"broken as before", func() { write(t, path, "tools: [") }, nil},
		{"good as before", func() { write(t, path, tools("a", "b")) }, nil},
		{"broken once more", func() { write(t, path, "tools: [") }, []string{"trouble syntax"}},
		{"gone while broken", remove(path), []string{"trouble vanished"}},
		{"still gone", func() {}, nil},
		{"another changed while it is gone", func() {
			write(t, named, tools("m"))
		}, []string{"tools a b m z"}},
		{"a named one gone, too", remove(named), []string{"trouble vanished"}},
		{"both back", func() {
			write(t, path, tools("a"))
			write(t, named, tools("n"))
		}, []string{"tools a n z"}},
		{"gone again", remove(path), []string{"trouble vanished"}},
		{"a directory in its place", func() { mkdir(t, path) }, []string{"trouble file"}},
		{"a link to itself in its place", func() {
			remove(path)()
			link(t, "tools.yaml", path)
		}, []string{"trouble file"}},
		{"a new file of another kind", func() {
			remove(path)()
			write(t, path, tools("a"))
			write(t, dir+"/a2a-acp/a2a-acp.yaml", "always: forward\n")
		}, []string{"tools a n z"}},
		{"a file with a mistake beside a good change", func() {
			write(t, path, tools("a", "c"))
			write(t, dir+"/a2a-acp/a2a-acp.yaml", "always: maybe\n")
		}, []string{"trouble value"}},
	}
	for _, step := range steps {
		step.change()
		w.look()
		if diff := cmp.Diff(step.want, told.all()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.name, diff)
		}
	}
	// The last step changed nothing: a set is taken as a whole or not at all.
	if _, ids := w.current.Load().Settings.Always, len(w.current.Load().Tools); ids != 3 ||
		w.current.Load().Settings.Always != AlwaysForward {
		t.Errorf("%d tools, settings %+v", ids, w.current.Load().Settings)
	}
}

// TestWatchSees waits for real changes of real files.
func TestWatchSees(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		prepare func(t *testing.T, dir string) Sources
		change  func(t *testing.T, dir string)
		want    string
	}{
		{"a file replaced", func(t *testing.T, dir string) Sources {
			return Sources{Tools: []string{write(t, dir+"/t.yaml", tools("a"))}}
		}, func(t *testing.T, dir string) { replace(t, dir+"/t.yaml", tools("b")) }, "tools b"},
		{"a file that appears", func(t *testing.T, dir string) Sources {
			mkdir(t, dir+"/a2a-acp")
			return Sources{ConfigHome: dir}
		}, func(t *testing.T, dir string) { replace(t, dir+"/a2a-acp/tools.yaml", tools("b")) }, "tools b"},
		{"a directory that appears with its file", func(t *testing.T, dir string) Sources {
			return Sources{ConfigHome: dir + "/not/yet"}
		}, func(t *testing.T, dir string) {
			write(t, dir+"/elsewhere/yet/a2a-acp/tools.yaml", tools("b"))
			if err := os.Rename(dir+"/elsewhere", dir+"/not"); err != nil {
				t.Fatal(err)
			}
		}, "tools b"},
		{"a link turned elsewhere", func(t *testing.T, dir string) Sources {
			write(t, dir+"/old/t.yaml", tools("a"))
			write(t, dir+"/new/t.yaml", tools("b"))
			mkdir(t, dir+"/c")
			link(t, "../old", dir+"/c/data")
			link(t, "data/t.yaml", dir+"/c/t.yaml")
			return Sources{Tools: []string{dir + "/c/t.yaml"}}
		}, func(t *testing.T, dir string) {
			link(t, "../new", dir+"/c/data2")
			if err := os.Rename(dir+"/c/data2", dir+"/c/data"); err != nil {
				t.Fatal(err)
			}
		}, "tools b"},
		{"the target of a link replaced", func(t *testing.T, dir string) Sources {
			write(t, dir+"/far/t.yaml", tools("a"))
			link(t, "far/t.yaml", dir+"/t.yaml")
			return Sources{Tools: []string{dir + "/t.yaml"}}
		}, func(t *testing.T, dir string) { replace(t, dir+"/far/t.yaml", tools("b")) }, "tools b"},
		{"a file broken", func(t *testing.T, dir string) Sources {
			return Sources{Tools: []string{write(t, dir+"/t.yaml", tools("a"))}}
		}, func(t *testing.T, dir string) { replace(t, dir+"/t.yaml", "tools: [") }, "trouble syntax"},
		{"a file removed", func(t *testing.T, dir string) Sources {
			return Sources{Tools: []string{write(t, dir+"/t.yaml", tools("a"))}}
		}, func(t *testing.T, dir string) {
			if err := os.Remove(dir + "/t.yaml"); err != nil {
				t.Fatal(err)
			}
		}, "trouble vanished"},
		{"a workspace's own policies", func(t *testing.T, dir string) Sources {
			mkdir(t, dir+"/.a2a-acp")
			return Sources{Workspace: tool.Workspace{Root: dir}, EmbeddedTools: []byte(tools("z"))}
		}, func(t *testing.T, dir string) {
			replace(t, dir+"/.a2a-acp/auto_approval_policies.yaml", policy("reject", "r"))
		}, "tools z"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := tempDir(t)
			sources := test.prepare(t, dir)
			w, told := watch(t, sources, reports.options)
			test.change(t, dir)
			told.next(t, test.want)
			if err := w.Close(); err != nil {
				t.Error(err)
			}
			if more := told.all(); len(more) > 0 {
				t.Errorf("also told: %v", more)
			}
		})
	}
}

// TestWatchBetween: what changed between Load and Watch is seen.
func TestWatchBetween(t *testing.T) {
	t.Parallel()
	path := write(t, tempDir(t)+"/t.yaml", tools("a"))
	sources := Sources{Tools: []string{path}}
	set, err := Load(sources)
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, tools("b"))
	told := make(reports, 10)
	w, err := Watch(sources, set, told.options())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	told.next(t, "tools b")
}

// TestWatchSettles: while changes go on nothing is read, and after the last one all of them are read at once.
func TestWatchSettles(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	path := write(t, dir+"/t.yaml", tools("a"))
	asked := make(chan time.Duration, 1000)
	quiet := make(chan time.Time)
	w, told := watch(t, Sources{Tools: []string{path}}, func(r reports) WatchOptions {
		options := r.options()
		options.after = func(d time.Duration) <-chan time.Time {
			asked <- d
			return quiet
		}
		return options
	})
	replace(t, path, tools("b"))
	if d := <-asked; d != SettleTime {
		t.Errorf("settles after %s", d)
	}
	replace(t, path, "tools: [")
	<-asked
	replace(t, path, tools("c"))
	if all := told.all(); len(all) > 0 {
		t.Errorf("told before it was quiet: %v", all)
	}
	quiet <- time.Time{}
	told.next(t, "tools c")
	if got := w.current.Load().Tools[0].Tool.ID; got != "c" {
		t.Errorf("current is %q", got)
	}
}

func TestWatchCloses(t *testing.T) {
	t.Parallel()
	w, told := watch(t, Sources{Tools: []string{write(t, tempDir(t)+"/t.yaml", tools("a"))}}, reports.options)
	for range 3 {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
	if all := told.all(); len(all) > 0 {
		t.Errorf("told: %v", all)
	}
	if _, err := Watch(Sources{}, nil, WatchOptions{}); err == nil {
		t.Error("nothing to watch and nobody to tell, and no error")
	}
}
