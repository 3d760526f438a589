package tooltest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// exam runs one example with a call and a setup that are functions, in a directory of the test's.
type exam struct {
	example tool.Example
	setup   func(dir string) tool.Result
	call    func(dir string) tool.Result // nil for one that must not be made
	calls   int
}

func (e *exam) run(t *testing.T) Outcome {
	t.Helper()
	temp := t.TempDir()
	r := &Runner{
		TempDir: temp,
		Setup:   func(_ context.Context, _ string, _ *tool.Example, dir string) tool.Result { return e.setup(dir) },
		Call: func(_ context.Context, id string, _ *tool.Example, dir string) tool.Result {
			e.calls++
			if id != "work" || filepath.Dir(dir) != temp {
				t.Errorf("called %s in %s", id, dir)
			}
			return e.call(dir)
		},
		LookPath: func(name string) (string, error) {
			if name == "there" {
				return "/bin/there", nil
			}
			return "", errors.New("not found")
		},
	}
	e.example.Name, e.example.Line = "it works", 12
	out, err := r.Run(t.Context(), &tool.Tool{ID: "work", Source: tool.Source{File: "tools.yaml", Line: 3}}, &e.example)
	if err != nil {
		t.Fatal(err)
	}
	if out.Tool != "work" || out.Example != "it works" || out.At != "tools.yaml:12" || out.Problems == nil || (out.Status == Passed) != (len(out.Problems) == 0) {
		t.Errorf("got %+v", out)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	return out
}

func done() tool.Result { return tool.Result{Status: tool.StatusCompleted} }

func text(s string) *tool.TextMatch { return &tool.TextMatch{Is: &s} }

// TestFiles checks what is found to be different in the files of an example.
func TestFiles(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	is := func(name, content string) tool.FileMatch { return tool.FileMatch{Name: name, Text: *text(content)} }
	for _, test := range []struct {
		name string
		call func(dir string) error
		want tool.Expectation
		says []string // a part of each problem; none: it passes
	}{
		{"as expected", write("a/b", "new"), tool.Expectation{Files: []tool.FileMatch{is("a/b", "new")}}, nil},
		{"another text", write("a/b", "other"), tool.Expectation{Files: []tool.FileMatch{is("a/b", "new")}}, []string{"file a/b: "}},
		{"not there", nothing, tool.Expectation{Files: []tool.FileMatch{is("new", "")}}, []string{"file new: want it to be there"}},
		{"gone, as expected", remove("a/b"), tool.Expectation{Files: []tool.FileMatch{{Name: "a/b", Absent: true}}}, nil},
		{"still there", nothing, tool.Expectation{Files: []tool.FileMatch{{Name: "a/b", Absent: true}}}, []string{"file a/b: must not be there, and is"}},
		{"a directory", nothing, tool.Expectation{Files: []tool.FileMatch{is("a", "")}}, []string{"file a: "}},
		{"too long", func(dir string) error { return os.Truncate(filepath.Join(dir, "a/b"), longestFile+1) },
			tool.Expectation{Files: []tool.FileMatch{is("a/b", "")}}, []string{"no more than 16777216 can be compared"}},
		{"a link to a file of its own", link("b", "a/link"), tool.Expectation{Files: []tool.FileMatch{is("a/link", "old")}}, nil},
		{"a link that leads out", link(outside, "link"), tool.Expectation{Files: []tool.FileMatch{is("link", "new")}}, []string{"file link: "}},
		{"a link upwards", link("../..", "up"), tool.Expectation{Files: []tool.FileMatch{is("up/x", "")}}, []string{"file up/x: "}},
		{"a dangling link is there", link("nowhere", "link"), tool.Expectation{Files: []tool.FileMatch{{Name: "link", Absent: true}}}, []string{"file link: must not be there, and is"}},
		{"two mistakes", nothing, tool.Expectation{Files: []tool.FileMatch{is("x", ""), is("a/b", "y")}}, []string{"file x: ", "file a/b: "}},

		{"unchanged", nothing, tool.Expectation{Unchanged: true}, nil},
		{"written again, the same", write("a/b", "old"), tool.Expectation{Unchanged: true}, nil},
		{"made", write("x", ""), tool.Expectation{Unchanged: true}, []string{"file x: nothing must change, and the call made it"}},
		{"removed", remove("a/b"), tool.Expectation{Unchanged: true}, []string{"file a/b: nothing must change, and the call removed it"}},
		{"changed", write("a/b", "new"), tool.Expectation{Unchanged: true}, []string{"file a/b: nothing must change, and the call changed it"}},
		{"another mode", func(dir string) error { return os.Chmod(filepath.Join(dir, "a/b"), 0o600) }, tool.Expectation{Unchanged: true},
			[]string{"file a/b: nothing must change, and the call changed it"}},
		{"a link in place of a file", func(dir string) error { return errors.Join(remove("a/b")(dir), link(outside, "a/b")(dir)) },
			tool.Expectation{Unchanged: true}, []string{"file a/b: nothing must change, and the call changed it"}},
		{"a link that leads elsewhere", func(dir string) error { return errors.Join(remove("to-b")(dir), link("a", "to-b")(dir)) },
			tool.Expectation{Unchanged: true}, []string{"file to-b: nothing must change, and the call changed it"}},
		{"an empty directory", func(dir string) error { return os.Mkdir(filepath.Join(dir, "d"), 0o755) }, tool.Expectation{Unchanged: true},
			[]string{"file d: nothing must change, and the call made it"}},
		{"changes do not matter", remove("a/b"), tool.Expectation{}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			e := exam{call: func(dir string) tool.Result {
				if err := test.call(dir); err != nil {
					t.Fatal(err)
				}
				return done()
			}}
			e.example.Files = []tool.ExampleFile{{Name: "a/b", Content: "old"}, {Name: "to-b", Link: "a/b"}}
			e.example.Expect = test.want
			out := e.run(t)
			if len(out.Problems) != len(test.says) || (out.Result != nil) != (len(test.says) > 0) {
				t.Fatalf("got %q, result %v; want %q", out.Problems, out.Result, test.says)
			}
			for i, want := range test.says {
				if !strings.Contains(out.Problems[i], want) {
					t.Errorf("got %q, want %q in it", out.Problems[i], want)
				}
			}
		})
	}
	if data, err := os.ReadFile(outside); err != nil || string(data) != "new" {
		t.Errorf("outside is %q, %v", data, err)
	}
}

func nothing(string) error { return nil }

func write(name, content string) func(string) error {
	return func(dir string) error { return os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644) }
}

func remove(name string) func(string) error {
	return func(dir string) error { return os.Remove(filepath.Join(dir, name)) }
}

func link(to, name string) func(string) error {
	return func(dir string) error { return os.Symlink(to, filepath.Join(dir, name)) }
}

// TestLayStaysInside checks that no file of an example is written through a link of it that leads out.
func TestLayStaysInside(t *testing.T) {
	t.Parallel()
	outside, dir := t.TempDir(), t.TempDir()
	err := lay(dir, []tool.ExampleFile{{Name: "a", Link: outside}, {Name: "a/b", Content: "x"}})
	if found, _ := os.ReadDir(outside); err == nil || len(found) > 0 {
		t.Errorf("got %v, %v", err, found)
	}
}

// TestResults checks how what a call came to is held against what is expected.
func TestResults(t *testing.T) {
	t.Parallel()
	failed := tool.Result{Status: tool.StatusFailed, ExitCode: 3, Stdout: "out", Stderr: "first\nit broke\n"}
	denied := tool.Result{Status: tool.StatusDenied, ExitCode: -1, Error: tool.Failf(tool.FailDenied, "no")}
	for _, test := range []struct {
		name   string
		want   tool.Expectation
		result tool.Result
		says   []string
	}{
		{"completed", tool.Expectation{}, done(), nil},
		{"the code that is wanted", tool.Expectation{Exit: 3, Stdout: text("out")}, failed, nil},
		{"another code", tool.Expectation{}, failed, []string{"exit: want 0, but the call ended with code 3: it broke"}},
		{"texts", tool.Expectation{Exit: 3, Stdout: text("x"), Stderr: text("y")}, failed, []string{"stdout: ", "stderr: "}},
		{"the failure that is wanted", tool.Expectation{Error: tool.FailDenied}, denied, nil},
		{"another failure", tool.Expectation{Error: tool.FailTimeout}, denied, []string{"error: want timeout, but the call was not carried out: "}},
		{"no failure", tool.Expectation{Error: tool.FailDenied}, done(), []string{"error: want denied, but the call ended with code 0"}},
		{"a failure that is not wanted", tool.Expectation{}, denied, []string{"exit: want 0, but the call was not carried out: "}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			e := exam{call: func(string) tool.Result { return test.result }}
			e.example.Expect = test.want
			out := e.run(t)
			if len(out.Problems) != len(test.says) {
				t.Fatalf("got %q, want %q", out.Problems, test.says)
			}
			for i, want := range test.says {
				if !strings.HasPrefix(out.Problems[i], want) {
					t.Errorf("got %q, want it to begin with %q", out.Problems[i], want)
				}
			}
		})
	}
}

// TestSetup checks that a setup that fails ends the example before the call, and that what it makes is no
// change of the call's.
func TestSetup(t *testing.T) {
	t.Parallel()
	e := exam{setup: func(string) tool.Result { return tool.Result{Status: tool.StatusFailed, ExitCode: 4, Stderr: "no git"} }}
	e.example.Setup = "git init"
	if out := e.run(t); out.Status != Failed || out.Problems[0] != "the setup ended with code 4: no git" || e.calls != 0 || out.Result.ExitCode != 4 {
		t.Errorf("got %+v, %d calls", out, e.calls)
	}
	e = exam{
		setup: func(dir string) tool.Result {
			if err := write("made", "x")(dir); err != nil {
				t.Error(err)
			}
			return done()
		},
		call: func(string) tool.Result { return done() },
	}
	e.example.Setup, e.example.Expect = "touch made", tool.Expectation{Unchanged: true, Files: []tool.FileMatch{{Name: "made"}}}
	if out := e.run(t); out.Status != Passed || e.calls != 1 {
		t.Errorf("got %+v, %d calls", out, e.calls)
	}
}

// TestSkipped checks that nothing is run where a program is missing.
func TestSkipped(t *testing.T) {
	t.Parallel()
	e := exam{setup: func(string) tool.Result { t.Error("the setup was run"); return done() }}
	e.example.Setup, e.example.Needs = "x", []string{"there", "missing", "too"}
	if out := e.run(t); out.Status != Skipped || len(out.Problems) != 1 || out.Problems[0] != "missing is not installed" || e.calls != 0 {
		t.Errorf("got %+v, %d calls", out, e.calls)
	}
	e = exam{call: func(string) tool.Result { return done() }}
	e.example.Needs = []string{"there"}
	if out := e.run(t); out.Status != Passed {
		t.Errorf("got %+v", out)
	}
}
