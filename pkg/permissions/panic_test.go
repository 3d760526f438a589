package permissions

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"
)

// faulty panics when it is asked about a file, as a mistake of ours would.
type faulty struct {
	files
	with func()
}

func (f faulty) Lstat(string) (fs.FileInfo, error) { f.with(); return nil, os.ErrNotExist }

// faultyCounter panics when a rule's approvals are counted.
type faultyCounter struct{ Counter }

func (faultyCounter) Take(string, int, time.Duration, time.Time) (bool, error) {
	var none []string
	_ = none[len(os.Args)]
	return true, nil
}

// TestPanicRejects is about mistakes of ours: the act is rejected whatever rule stands for it, the reason
// says where the mistake is and nothing that the agent has sent, and the program goes on.
func TestPanicRejects(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	secret := "hunter2"
	everything := v2(rule("all", Approve))
	counted := v2(rule("all", Approve, func(r *Rule) { r.Limit = &Limit{Count: 5, Per: time.Minute} }))
	for _, row := range []struct {
		name   string
		with   func()
		where  string
		counts bool // it is the counting that panics
	}{
		{"index out of range", func() { _ = []int{}[len(os.Args)] }, "index out of range", false},
		{"nil pointer", func() { var d *Decision; d.Verdict = Approve }, "nil pointer dereference", false},
		{"a text", func() { panic("about " + secret) }, "(string, ", false},
		{"an error", func() { panic(errors.New("about " + secret)) }, "(*errors.errorString, ", false},
		{"while it is counted", nil, "index out of range", true},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			a := b.authority(everything)
			a.panics, a.ungathered = false, nil
			if row.counts {
				a = b.authority(counted)
				a.panics, a.counter = false, faultyCounter{NewCounter()}
			} else {
				a.files = faulty{machine{}, row.with}
			}
			r := b.write("docs/a.md")
			decisions := map[string]Decision{"Take": a.Take(r)}
			if !row.counts {
				decisions["Decide"] = a.Decide(r)
				if why := a.Guarded(r); !strings.Contains(why, row.where) {
					t.Errorf("Guarded: %q", why)
				}
				if said := remember(a, "s", r); !strings.HasPrefix(said, "nothing is kept: ") {
					t.Errorf("Remember: %q", said)
				}
				if said := a.Alternatives(r); strings.Contains(said, "allowed without asking") {
					t.Errorf("Alternatives: %q", said)
				}
			}
			decisions["Redecide"], _ = a.Redecide(r, time.Now())
			for name, d := range decisions {
				if d.Verdict != Reject || d.Source != SourceFault || !strings.Contains(d.Reason, row.where) ||
					!strings.Contains(d.Reason, "panic_test.go:") || strings.Contains(d.Reason, secret) {
					t.Errorf("%s: got %v by %s: %q", name, d.Verdict, d.Source, d.Reason)
				}
			}
		})
	}
}
