package app

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestChangesCountAtTheNextDecision changes what a workspace forbids while others decide: a decision that
// begins when the change is on disk is made by it, whoever else is reading the files at that moment.
func TestChangesCountAtTheNextDecision(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(dir, ".a2a-acp")
	if err := os.Mkdir(own, 0o700); err != nil {
		t.Fatal(err)
	}
	state := filepath.Join(t.TempDir(), "state")
	a, err := New(Options{
		Getenv: func(name string) string { return map[string]string{"A2A_STATE_DIR": state}[name] },
		Dir:    dir, Say: func(string) {},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Stop(t.Context())
	w := tool.Workspace{Root: dir}
	if err := a.admit(w); err != nil {
		t.Fatal(err)
	}
	decide := func() permissions.Decision {
		return a.Gate.Decide(permissions.Request{
			Door: tool.DoorACP, Action: permissions.ActionRead, Workspace: w, Dir: dir, Paths: []permissions.Path{{Name: filepath.Join(dir, "file")}},
		})
	}

	// Where nothing has changed, nobody waits for whoever reads.
	a.reading.Lock()
	decide()
	a.reading.Unlock()

	const changes, others = 6, 3
	stop := make(chan struct{})
	var running sync.WaitGroup
	for range others {
		running.Go(func() { // ends with stop
			for {
				select {
				case <-stop:
					return
				default:
					decide()
				}
			}
		})
	}
	rule := []byte("version: 2\nauto_approval_policies:\n  - {id: no, applies_to: ['*'], include_paths: ['file'], decision: {type: reject, reason: mine}}\n")
	path := filepath.Join(own, "auto_approval_policies.yaml")
	for n := range changes {
		temp := filepath.Join(own, "temp")
		if err := os.WriteFile(temp, rule, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(temp, path); err != nil {
			t.Fatal(err)
		}
		if d := decide(); d.Verdict != permissions.Reject || d.Rule != "no" {
			t.Errorf("change %d: the file forbids it, and the decision is %v by %s %s", n, d.Verdict, d.Source, d.Rule)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if d := decide(); d.Rule == "no" {
			t.Errorf("change %d: the file is gone, and the decision is %v by %s", n, d.Verdict, d.Rule)
		}
	}
	close(stop)
	running.Wait()
}

// TestSavedRuleCountsAtOnce saves a rule of the person's own: the next decision is made by it, with nobody who watches.
// With a mistake in the file what it said before counts, and nobody waits for it twice.
func TestSavedRuleCountsAtOnce(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	a := h.new()
	h.runs(a)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	decide := func() permissions.Decision {
		return a.Gate.Decide(permissions.Request{Door: tool.DoorACP, Action: permissions.ActionRead, Workspace: tool.Workspace{Root: dir},
			Dir: dir, Paths: []permissions.Path{{Name: filepath.Join(dir, "file")}}})
	}
	if d := decide(); d.Verdict != permissions.Approve {
		t.Fatalf("before: %s, %s", d.Verdict, d.Reason)
	}
	rule := "version: 2\nauto_approval_policies:\n  - {id: no, applies_to: ['*'], decision: {type: reject, reason: mine}}\n"
	for _, step := range []struct {
		text string
		want permissions.Verdict
	}{{rule, permissions.Reject}, {rule + "  - {", permissions.Reject}, {"version: 2\nauto_approval_policies: []\n", permissions.Approve}} {
		h.write("auto_approval_policies.yaml", step.text)
		if d := decide(); d.Verdict != step.want {
			t.Errorf("%q: %s, %s; want %s", step.text, d.Verdict, d.Reason, step.want)
		}
		a.reading.Lock() // and nobody waits any more
		decide()
		a.reading.Unlock()
	}
}

// TestTornReadCountsNot writes a file while it is read, in several steps: what was read first counts never, and what was read
// when it was quiet does. Of a file that changes all the time nothing counts.
func TestTornReadCountsNot(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		writes int // while it is read
		reads  int
	}{{"quiet", 0, 1}, {"one write", 1, 2}, {"several", 3, 4}, {"all the time", mostPauses, mostPauses}} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			a := h.new()
			h.write("a2a-acp.yaml", "")
			before := a.Configuration()
			var read []*Configuration
			err := a.whenQuiet(func(look string) (*Configuration, error) {
				next := *before
				next.read = look
				read = append(read, &next)
				if len(read) <= test.writes {
					h.write("a2a-acp.yaml", strings.Repeat("#", len(read)))
				}
				return &next, nil
			})
			want := read[len(read)-1]
			if test.writes == mostPauses {
				want = before
			}
			if got := a.Configuration(); got != want || len(read) != test.reads || (want == before) != errors.Is(err, errUnsettled) {
				t.Errorf("read %d times, want %d; %v; the one in force is the %d.", len(read), test.reads, err, 1+slices.Index(read, got))
			}
		})
	}
}

// TestLook: whatever becomes of what somebody trusts, or of a workspace's own files, looks otherwise than before: also of
// files whose directory was not there, or is another by now.
func TestLook(t *testing.T) {
	t.Parallel()
	dir, state := t.TempDir(), t.TempDir()
	a := &App{o: Options{Getenv: func(name string) string { return map[string]string{"A2A_STATE_DIR": state}[name] }, Dir: dir}}
	own, other := filepath.Join(dir, ".a2a-acp"), filepath.Join(dir, "other")
	in := func(parent, name string) string { return filepath.Join(parent, name) }
	write := func(path, text string) error { return os.WriteFile(path, []byte(text), 0o600) }
	policies, governors, tools := "auto_approval_policies.yaml", "governors.yaml", "tools.yaml"
	before := a.look(tool.Workspace{Root: dir})
	for _, step := range []struct {
		what string
		same bool // nothing that is looked at has changed
		do   func() error
	}{
		{"nothing", true, func() error { return nil }},
		{"a directory without files", true, func() error { return os.Mkdir(own, 0o700) }},
		{"a file of tools", false, func() error { return write(in(own, tools), "a") }},
		{"another text in it", false, func() error { return write(in(own, tools), "ab") }},
		{"a file of the same text in its place", false, func() error {
			return joined(write(in(own, "new"), "ab"), os.Rename(in(own, "new"), in(own, tools)))
		}},
		{"a file of rules", false, func() error { return write(in(own, policies), "a") }},
		{"a file of governors", false, func() error { return write(in(own, governors), "a") }},
		{"a file that is of no use", true, func() error { return write(in(own, "other.yaml"), "a") }},
		{"no directory", false, func() error { return os.RemoveAll(own) }},
		{"a link that leads nowhere", true, func() error { return os.Symlink(other, own) }},
		{"a directory there", true, func() error { return os.Mkdir(other, 0o700) }},
		{"a file in it", false, func() error { return write(in(other, policies), "a") }},
		{"a file in place of the directory", false, func() error { return joined(os.Remove(own), write(own, "a")) }},
		{"no file", false, func() error { return os.Remove(own) }},
		{"what is trusted", false, func() error { return write(in(state, "trust.json"), "{}") }},
	} {
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		now := a.look(tool.Workspace{Root: dir})
		if same := now == before; same != step.same {
			t.Errorf("after %s it looks the same: %t", step.what, same)
		}
		before = now
	}
}
