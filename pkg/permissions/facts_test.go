package permissions

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// record answers as the machine does and keeps what it has answered; once it is closed, it answers from
// that alone.
type record struct {
	*facts
	closed  bool
	t       testing.TB
	asked   map[string]int
	missing []string
}

func newRecord(t testing.TB) *record {
	return &record{facts: newFacts(machine{}), t: t, asked: map[string]int{}}
}

func (r *record) note(kind, name string, known bool) {
	r.asked[kind+" "+name]++
	if r.closed && !known {
		r.missing = append(r.missing, kind+" "+name)
	}
}

func (r *record) Lstat(name string) (fs.FileInfo, error) {
	_, known := r.lstats[name]
	r.note("lstat", name, known)
	return r.lstat(name)
}

func (r *record) Stat(name string) (fs.FileInfo, error) {
	_, known := r.stats[name]
	r.note("stat", name, known)
	return r.stat(name)
}

func (r *record) Readlink(name string) (string, error) {
	_, known := r.links[name]
	r.note("readlink", name, known)
	return r.readlink(name)
}

func (r *record) ReadDir(name string) ([]fs.DirEntry, error) {
	_, known := r.dirs[name]
	r.note("readdir", name, known)
	return r.readDir(name)
}

func (r *record) ReadFile(name string) ([]byte, error) {
	_, known := r.texts[name]
	r.note("readfile", name, known)
	return r.readFile(name)
}

// What is decided follows from what was seen: decided again from that alone, with the files gone, it comes
// out the same, for the same reasons. Nothing is looked at twice for one decision. (Of a repository git is
// asked, and so its texts are left out.)
func TestDecidedByWhatWasSeen(t *testing.T) {
	t.Parallel()
	b := corpusBed(t, ordinaryFiles, trappedFiles)
	type decided struct {
		request  Request
		preset   string
		seen     *record
		decision Decision
	}
	var all []decided
	authorities := map[string]*Authority{}
	decide := func(preset string, seen *record, request Request) Decision {
		a := authorities[preset]
		if a == nil {
			a = b.authority(presetFile(t, preset))
			authorities[preset] = a
		}
		a.files = seen
		return a.Decide(request)
	}
	requests := []Request{
		b.read("src/main.go"), b.read("to_secret"), b.read("docs/out.md"), b.read("src/link/.env"), b.read("nothing/at/all"), b.read("../elsewhere/secret"),
		b.write("src/main.go"), b.write("src/link/x"), b.write("Makefile"), b.write("out/x"), b.write("docs/../.git/x"), b.request(ActionDelete, "acp.delete", "."),
	}
	for _, name := range []string{"harmless.txt", "reported.txt", "tricky.txt"} {
		for i, row := range readCorpus(t, name) {
			if strings.Contains(row.text, "git") || testing.Short() && i%10 > 0 {
				continue
			}
			requests = append(requests, b.run(row.text))
		}
	}
	for _, preset := range []string{"careful", "balanced"} {
		for _, request := range requests {
			d := decided{request: request, preset: preset, seen: newRecord(t)}
			d.decision = decide(preset, d.seen, request)
			for what, times := range d.seen.asked {
				if times > 1 {
					t.Errorf("%s %s: %s: %d times", request.Action, request.ShellText, what, times)
				}
			}
			all = append(all, d)
		}
	}
	if err := os.Rename(b.dir, b.dir+".gone"); err != nil {
		t.Fatal(err)
	}
	if len(all) < 200 && !testing.Short() {
		t.Errorf("only %d acts were decided", len(all))
	}
	for _, d := range all {
		d.seen.closed = true
		again := decide(d.preset, d.seen, d.request)
		if diff := cmp.Diff(d.decision.Reason, again.Reason); diff != "" || said(d.decision) != said(again) {
			t.Errorf("%s %s: %s, from what was seen %s: %s", d.request.Action, d.request.ShellText, said(d.decision), said(again), diff)
		}
		if len(d.seen.missing) > 0 {
			t.Errorf("%s %s: it looks at more: %q", d.request.Action, d.request.ShellText, d.seen.missing)
		}
	}
}

// Nothing in this package but gather.go looks at files. What rules are matched against was gathered before:
// every authority of these tests panics where it was not (see testbed.authority).
func TestOnlyGatheringLooks(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	looks := []string{"EvalSymlinks", "Walk", "WalkDir", "Glob", "Abs"}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") || name == "gather.go" {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range file.Imports {
			if spec.Path.Value == `"os"` || spec.Path.Value == `"os/exec"` {
				t.Errorf("%s imports %s", name, spec.Path.Value)
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if of, ok := s.X.(*ast.Ident); ok && of.Name == "filepath" && slices.Contains(looks, s.Sel.Name) {
					t.Errorf("%s uses filepath.%s", name, s.Sel.Name)
				}
			}
			return true
		})
	}
}
