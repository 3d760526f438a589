package app

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// home is where an App of these tests lives: its files, its state, and what it has said.
type home struct {
	t     *testing.T
	dir   string
	state string
	mu    sync.Mutex
	said  []string
}

func newHome(t *testing.T) *home {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &home{t: t, dir: dir, state: filepath.Join(dir, "state")}
}

// options are those of an App whose user has his files in config, and which works in the directory work.
func (h *home) options() Options {
	work := filepath.Join(h.dir, "work")
	if err := os.MkdirAll(work, 0o700); err != nil {
		h.t.Fatal(err)
	}
	environment := map[string]string{"A2A_STATE_DIR": h.state, "XDG_CONFIG_HOME": filepath.Join(h.dir, "config"), "PATH": os.Getenv("PATH"), "HOME": h.dir}
	return Options{Getenv: func(name string) string { return environment[name] }, Dir: work, Home: h.dir, Say: func(line string) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.said = append(h.said, line)
	}}
}

// heard reports whether something with the text was said.
func (h *home) heard(text string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return strings.Contains(strings.Join(h.said, "\n"), text)
}

// write writes one of the user's own files.
func (h *home) write(name, text string) string {
	h.t.Helper()
	path := filepath.Join(h.dir, "config", "a2a-acp", name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
	return path
}

func (h *home) new() *App {
	h.t.Helper()
	a, err := New(h.options())
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() {
		if err := a.Stop(h.t.Context()); err != nil {
			h.t.Error(err)
		}
	})
	return a
}

// runs skips the test where no tool can run on this machine.
func (h *home) runs(a *App) {
	h.t.Helper()
	host, err := a.host.wait()
	if err != nil {
		h.t.Fatal(err)
	}
	if host.Level().AtLeast(sandbox.LevelLandlock) {
		return
	}
	if os.Getenv("REQUIRE_SANDBOX") != "" {
		h.t.Fatalf("REQUIRE_SANDBOX is set, but: %s", host.Why())
	}
	h.t.Skip(host.Why())
}

// call is one of a tool.
func (h *home) call(id string) tool.Call {
	work := filepath.Join(h.dir, "work")
	return tool.Call{Tool: id, Arguments: json.RawMessage(`{}`), Dir: work, Workspace: tool.Workspace{Root: work}, Origin: tool.Origin{Door: tool.DoorMCP, Session: "s"}}
}

// version writes files that all say which version they are of: what the tool prints, which rule approves,
// which governor looks.
func (h *home) version(v string) {
	h.write("tools.yaml", "version: 2\ntools:\n  v: {script: echo "+v+"}\n")
	h.write("auto_approval_policies.yaml", "version: 2\nauto_approval_policies:\n  - {id: "+v+", applies_to: [v], decision: {type: approve}}\n")
	h.write("governors.yaml", "permission_governors:\n  - {id: "+v+", type: cel, expression: 'true'}\n")
}

// TestReloadDuringCalls replaces the whole configuration again and again while two doors make calls: each
// call meets the tools, the rules and the governors of one version. Where another is in force by the time
// that its process would start, none does.
func TestReloadDuringCalls(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.version("v0")
	a := h.new()
	h.runs(a)
	const reloads, calls = 20, 15
	var results sync.Map // of calls, by id
	var calling sync.WaitGroup
	for range 2 {
		door, err := a.openDoor()
		if err != nil {
			t.Fatal(err)
		}
		calling.Go(func() {
			defer door.close()
			for range calls {
				result := door.Executor.Execute(t.Context(), h.call("v"), nil)
				results.Store(result.CallID, result)
			}
		})
	}
	for n := range reloads {
		a.reading.Lock() // nobody reads one file of a version, and another of the next
		h.version(fmt.Sprintf("v%d", n%3))
		a.reading.Unlock()
		if err := a.Reload(t.Context()); err != nil {
			t.Error(err)
		}
	}
	calling.Wait()

	ran := 0
	entries, err := audit.List(filepath.Join(h.state, "audit"), audit.Filter{Types: []events.Type{events.ToolDecided, events.GovernorsAsked}})
	if err != nil {
		t.Fatal(err)
	}
	looked := map[string]string{} // the governor, by the call
	for _, e := range entries {
		switch e.Event.Type {
		case events.GovernorsAsked:
			looked[e.Event.CallID] = e.Event.Governance.Answers[0].Governor
		case events.ToolDecided:
			found, _ := results.Load(e.Event.CallID)
			result := found.(tool.Result)
			rule := e.Event.Decision.Rule
			if looked[e.Event.CallID] != rule {
				t.Errorf("governor %q looked at a call that rule %q has approved", looked[e.Event.CallID], rule)
			}
			switch {
			case result.Error == nil:
				ran++
				if strings.TrimSpace(result.Stdout) != rule {
					t.Errorf("rule %q has approved a call that says %q", rule, result.Stdout)
				}
			case result.Error.Code != tool.FailDenied || !strings.Contains(result.Error.Message, "the permission no longer holds"):
				t.Errorf("a call came to %v", result.Error)
			}
		}
	}
	if len(entries) != 2*2*calls || ran == 0 {
		t.Errorf("%d entries, %d calls ran", len(entries), ran)
	}
}

// A person's own commands.yaml counts from the reload on that reads it, for tools that stay as they are, too,
// and not where another file has a mistake. It counts in its own configuration alone.
func TestReloadOfCommands(t *testing.T) {
	t.Parallel()
	const rule = "version: 2\nauto_approval_policies:\n  - {id: frob, applies_to: [functions.shell], commands: {allow: [frob]}, decision: {type: approve}}\n"
	h, other := newHome(t), newHome(t)
	h.write("auto_approval_policies.yaml", rule)
	other.write("auto_approval_policies.yaml", rule)
	h.write("tools.yaml", "version: 2\ntools:\n  v: {script: 'frob --eval {{x}}', parameters: [{name: x, type: string}]}\n")
	a, untouched := h.new(), other.new()
	request := func(a *App, dir string) permissions.Request {
		w := tool.Workspace{Root: filepath.Join(dir, "work")}
		r := permissions.Request{Door: tool.DoorACP, Action: permissions.ActionExecute, Tools: []string{"functions.shell"},
			Workspace: w, Dir: w.Root, Commands: a.Gate.Commands(w)}
		r.SetShellText("frob x")
		return r
	}
	before := request(a, h.dir)
	asked := func(want bool) {
		t.Helper()
		if d := a.Gate.Decide(request(a, h.dir)); (d.Verdict == permissions.Ask) != want {
			t.Errorf("frob is asked about: %t, want %t: %s", !want, want, d.Reason)
		}
		if d := untouched.Gate.Decide(request(untouched, other.dir)); d.Verdict != permissions.Approve {
			t.Errorf("by a configuration without own rows: %s: %s", d.Verdict, d.Reason)
		}
	}
	asked(false)
	path := h.write("commands.yaml", "version: 1\nprograms:\n  - names: frob\n    asks: true\n")
	tools := h.write("governors.yaml", "version: 7\n")
	if err := a.Reload(t.Context()); err == nil {
		t.Error("a mistake in another file is taken")
	}
	asked(false)
	if err := os.Remove(tools); err != nil {
		t.Fatal(err)
	}
	if err := a.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	asked(true)
	h.write("commands.yaml", "version: 1\nprograms:\n  - names: frob\n    asks: false\n")
	err := a.Reload(t.Context())
	if list := yamldoc.List(err); len(list) != 1 || list[0].File != path || list[0].Line != 4 || list[0].Column != 5 {
		t.Errorf("with a mistake: %v", err)
	}
	asked(true)
	h.write("commands.yaml", "version: 1\nprograms:\n  - names: frob\n    code: --eval\n")
	if err := a.Reload(t.Context()); err == nil || !strings.Contains(err.Error(), "frob --eval") {
		t.Errorf("a tool that has not changed: %v", err)
	}
	asked(true)
	h.write("commands.yaml", "version: 1\nvariables:\n  - names: FROB\n")
	if err := a.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	asked(false)
	if d := a.Gate.Decide(before); d.Verdict != permissions.Ask || !strings.Contains(d.Reason, "commands.yaml") {
		t.Errorf("a command that was read before: %s: %s", d.Verdict, d.Reason)
	}
}

// TestReload checks what a reload leaves in place: everything where one file has a mistake, and what a file
// that is gone said last.
func TestReload(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.version("v0")
	a := h.new()
	before := a.Configuration()
	h.write("tools.yaml", "version: 2\ntools:\n  v: {script: echo v1}\n")
	path := h.write("auto_approval_policies.yaml", "version: 2\nauto_approval_policies:\n  - {id: v1, applies_to: [v], decision: {type: aprove}}\n")
	if err := a.Reload(t.Context()); len(yamldoc.List(err)) != 1 || a.Configuration() != before {
		t.Errorf("with a mistake: %v", err)
	}
	if !h.heard("aprove") || !h.heard("what counted before still counts") {
		t.Errorf("said: %q", h.said)
	}
	h.write("auto_approval_policies.yaml", "version: 2\nauto_approval_policies:\n  - {id: never, applies_to: [v], decision: {type: reject, reason: mine}}\n")
	if err := a.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	decide := func() permissions.Decision {
		return a.Gate.Decide(a.Executor.Request(h.call("v")))
	}
	if d := decide(); d.Rule != "never" {
		t.Errorf("after the reload it is %s by %s", d.Verdict, d.Rule)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	h.write("tools.yaml", "version: 2\ntools:\n  v: {script: echo v2}\n")
	if err := a.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	if d := decide(); d.Rule != "never" {
		t.Errorf("a file that is gone rejects no more: %s by %s", d.Verdict, d.Rule)
	}
}
