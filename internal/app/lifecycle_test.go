package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestNewFails has each step of New fail in turn: nothing is left open, and no goroutine.
func TestNewFails(t *testing.T) { //nolint:paralleltest // the descriptors of the whole process are looked at
	h := newHome(t)
	broken := errors.New("broken")
	warm := newApp(h.options()) // what the process opens once and keeps
	if err := warm.build(warm.steps()); err != nil {
		t.Fatal(err)
	}
	if err := warm.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	for n := range len(newApp(h.options()).steps()) + 1 {
		before := descriptors(t)
		a := newApp(h.options())
		steps := append(slices.Clone(a.steps()[:n]), func() error { return broken })
		if err := a.build(steps); !errors.Is(err, broken) {
			t.Errorf("after %d steps: %v", n, err)
		}
		after := descriptors(t)
		for _, one := range before { // what the runtime closes meanwhile, of tests before, is nobody's loss
			if at := slices.Index(after, one); at >= 0 {
				after = slices.Delete(after, at, at+1)
			}
		}
		if len(after) > 0 {
			t.Errorf("after %d steps there are open %q, which were not before", n, after)
		}
	}
}

// descriptors lists what this process has open.
func descriptors(t *testing.T) (list []string) {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip(err)
	}
	for _, entry := range entries {
		if to, err := os.Readlink(filepath.Join("/proc/self/fd", entry.Name())); err == nil {
			list = append(list, to)
		}
	}
	slices.Sort(list)
	return list
}

// TestNewWithAMistake checks that a file with a mistake is told before anything is made.
func TestNewWithAMistake(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write("tools.yaml", "tools: 1\n")
	if _, err := New(h.options()); len(yamldoc.List(err)) == 0 {
		t.Errorf("got %v", err)
	}
	if _, err := os.Lstat(h.state); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("there is a state directory: %v", err)
	}
}

// TestStop checks that nothing begins after Stop, and that it may be called again.
func TestStop(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.version("v0")
	a := h.new()
	if err := a.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := a.Start(t.Context()); err == nil {
		t.Error("it is started twice")
	}
	for range 2 {
		if err := a.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	}
	_, opened := a.openDoor()
	_, bridged := a.Bridge(t.Context(), BridgeOptions{Command: []string{"true"}})
	for name, err := range map[string]error{"Start": a.Start(t.Context()), "Reload": a.Reload(t.Context()), "openDoor": opened, "Bridge": bridged} {
		if !errors.Is(err, ErrStopped) {
			t.Errorf("%s after Stop: %v", name, err)
		}
	}
	if result := a.Executor.Execute(t.Context(), h.call("v"), nil); result.Error == nil || result.Error.Code != tool.FailCancelled {
		t.Errorf("a call after Stop came to %v, %q", result.Error, result.Stdout)
	}
}

// asked is a person who is asked, and answers when he is let.
type asked struct{ begun, answer chan struct{} }

func (p asked) Ask(ctx context.Context, _ approval.Question) (approval.Answer, error) {
	close(p.begun)
	select {
	case <-p.answer:
		return approval.Answer{Verdict: permissions.Approve, Source: permissions.SourcePerson, By: "test"}, nil
	case <-ctx.Done():
		return approval.Answer{}, context.Cause(ctx)
	}
}

// TestStopDuringCalls stops an App while a person is asked about a call: the call is waited for as long as
// Stop may take, ended then, and on record either way.
func TestStopDuringCalls(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		patience bool // Stop has time
		want     tool.Status
		error    tool.FailureCode
	}{
		{"it may take its time", true, tool.StatusCompleted, ""},
		{"at once", false, tool.StatusCancelled, tool.FailCancelled},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			h.write("tools.yaml", "version: 2\ntools:\n  v: {script: echo said}\n")
			a := h.new()
			h.runs(a)
			door, err := a.openDoor()
			if err != nil {
				t.Fatal(err)
			}
			who := asked{make(chan struct{}), make(chan struct{})}
			results := make(chan tool.Result, 1)
			go func() { // ends with the call
				defer door.close()
				results <- door.Executor.Execute(context.Background(), h.call("v"), who)
			}()
			<-who.begun
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if !test.patience {
				cancel()
			}
			stopped := make(chan error, 1)
			go func() { stopped <- a.Stop(ctx) }() // ends with the call
			for !a.isStopped() {
				runtime.Gosched()
			}
			if test.patience {
				close(who.answer)
			}
			result := <-results
			if err := <-stopped; err != nil {
				t.Error(err)
			}
			if result.Status != test.want || test.error == "" != (result.Error == nil) || result.Error != nil && result.Error.Code != test.error {
				t.Errorf("the call came to %s, %v, want %s", result.Status, result.Error, test.want)
			}
			entries, err := audit.List(filepath.Join(h.state, "audit"), audit.Filter{})
			if err != nil {
				t.Fatal(err)
			}
			last := entries[len(entries)-1].Event
			if last.CallID != result.CallID || last.Type != events.ToolEnded && last.Type != events.ToolDecided {
				t.Errorf("last on record is %s of %q", last.Type, last.CallID)
			}
		})
	}
}

// TestStopDuringAProcess stops an App at once while a process of a call runs, which is ended.
func TestStopDuringAProcess(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write("tools.yaml", "version: 2\ntools:\n  v: {script: 'echo began > begun; read -r _ < never', sandbox: {use_temp_isolation: false, allowed_paths: ['.']}}\n")
	h.write("auto_approval_policies.yaml", "version: 2\nauto_approval_policies:\n  - {id: yes, applies_to: [v], decision: {type: approve}}\n")
	a := h.new()
	h.runs(a)
	for _, name := range []string{"begun", "never"} {
		if err := unix.Mkfifo(filepath.Join(h.dir, "work", name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	results, begun := make(chan tool.Result, 1), make(chan string, 1)
	go func() { results <- a.Executor.Execute(context.Background(), h.call("v"), nil) }() // ends with the call
	go func() {                                                                           // ends when the process writes, or with the test program
		said, _ := os.ReadFile(filepath.Join(h.dir, "work", "begun"))
		begun <- string(said)
	}()
	select {
	case said := <-begun:
		if said != "began\n" {
			t.Errorf("the process says %q", said)
		}
	case result := <-results:
		t.Fatalf("the call ended by itself: %v, %s", result.Error, result.Stderr)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := a.Stop(ctx); err != nil {
		t.Error(err)
	}
	if result := <-results; result.Status != tool.StatusCancelled || result.Error == nil || result.Error.Code != tool.FailCancelled {
		t.Errorf("the call came to %s, %v", result.Status, result.Error)
	}
}

// TestDoors checks that what people allow at one door counts in no session of another's, though it has the
// same name.
func TestDoors(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	a := h.new()
	var doors [2]*Door
	for i := range doors {
		door, err := a.openDoor()
		if err != nil {
			t.Fatal(err)
		}
		defer door.close()
		doors[i] = door
	}
	work := filepath.Join(h.dir, "work")
	r := permissions.Request{
		Door: tool.DoorACP, Action: permissions.ActionWrite, Tools: []string{"functions.acp_fs__write_text_file"}, Session: "s", Dir: work,
		Workspace: tool.Workspace{Root: work}, Paths: []permissions.Path{{Name: filepath.Join(work, "a.txt"), Write: true}},
	}
	in := func(d *Door) permissions.Decision { return d.Gate.Decide(r) }
	asIs := func(s string) string { return s }
	for _, d := range doors {
		rules := d.inForce(r.Workspace).Rules
		if words := rules.Remember(rules.Allowance(r, asIs), 1); !strings.HasPrefix(words, "kept for this session") {
			t.Fatal(words)
		}
		if got := in(d); got.Source != permissions.SourceSession {
			t.Errorf("what is allowed here is %s by %s", got.Verdict, got.Source)
		}
		if other := doors[1]; d != other && in(other).Verdict != permissions.Ask {
			t.Errorf("what is allowed at one door is %s at another", in(other).Verdict)
		}
	}
	doors[0].Gate.EndSession("s")
	if first, second := in(doors[0]), in(doors[1]); first.Verdict != permissions.Ask || second.Source != permissions.SourceSession {
		t.Errorf("with the session of the first ended, it is %s there and %s by %s at the second", first.Verdict, second.Verdict, second.Source)
	}
}
