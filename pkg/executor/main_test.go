package executor

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/internal/gate"
	"github.com/a2a-acp/a2a-acp/internal/render"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// house is an Executor with a real sandbox and real policies, that writes down in which order it does things.
type house struct {
	level string // of the sandbox
	t     *testing.T
	dir   string // where calls are made from, and the workspace
	bash  string

	tools     *Tools
	authority *permissions.Authority
	council   *council // the governors; nil for none
	executor  *Executor
	session   string

	mu      sync.Mutex
	steps   []string
	events  []events.Event
	refuses map[events.Type]error                                             // events that cannot be recorded
	decides func()                                                            // what else happens while it is decided
	slept   []time.Duration                                                   // between attempts
	sleeps  func(context.Context) error                                       // what else happens meanwhile
	instead func(context.Context) sandbox.Outcome                             // in place of a process, where only time matters
	vault   vault                                                             // what the entry refers to
	answers func(context.Context, approval.Question) (approval.Answer, error) // the person; nil: nobody may be asked
}

// effect is a file that the tools of these tests make where they run.
const effect = "effect"

// shared is the sandbox of the tests: what a machine enforces is found out once. A test with a clock of its
// own has a sandbox of its own, too.
var shared *sandbox.Host

func TestMain(m *testing.M) {
	os.Exit(withHost(m))
}

func withHost(m *testing.M) (code int) {
	dir, err := os.MkdirTemp("", "executor-test-")
	if err == nil {
		defer os.RemoveAll(dir)
		shared, err = openSandbox(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() {
		if err := shared.Close(); err != nil {
			fmt.Fprintln(os.Stderr, "close the sandbox:", err)
			code = 1
		}
	}()
	return m.Run()
}

// openSandbox opens one whose grace no test waits for: how a call ends must not depend on how fast the
// machine is.
func openSandbox(dir string) (*sandbox.Host, error) {
	return sandbox.Open(sandbox.Options{TempDir: dir, Grace: time.Minute})
}

func newHouse(t *testing.T, policies ...permissions.Rule) *house {
	t.Helper()
	return newHouseWith(t, shared, policies)
}

// newTimedHouse makes a house for a test that runs in a synctest bubble.
func newTimedHouse(t *testing.T, policies ...permissions.Rule) *house {
	t.Helper()
	host, err := openSandbox(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := host.Close(); err != nil {
			t.Errorf("close the sandbox: %v", err)
		}
	})
	return newHouseWith(t, host, policies)
}

func newHouseWith(t *testing.T, host *sandbox.Host, policies []permissions.Rule) *house {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if !host.Level().AtLeast(sandbox.LevelLandlock) {
		if os.Getenv("REQUIRE_SANDBOX") != "" {
			t.Fatalf("REQUIRE_SANDBOX is set, but: %s", host.Why())
		}
		t.Skip(host.Why())
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatal(err)
	}
	h := &house{t: t, level: string(host.Level()), dir: dir, bash: bash, session: "session", refuses: map[events.Type]error{}}
	h.authority = permissions.New(permissions.Options{Policies: permissions.NewSet([]permissions.File{{Version: permissions.Version2, Rules: policies}})})
	h.executor, err = New(Options{
		InForce: h.inForce, Gate: h.gate(), Host: workshop{h, host}, Record: ledger{h}, Bash: bash, Vault: keeper{h},
		NewID: func() string { return "call-1" }, Sleep: h.sleep,
	})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// gate makes a gate that the house decides at.
func (h *house) gate() *gate.Gate {
	h.t.Helper()
	g, err := gate.New(gate.Options{InForce: func(w tool.Workspace) gate.InForce { return h.inForce(w).InForce }, Record: ledger{h}})
	if err != nil {
		h.t.Fatal(err)
	}
	return g
}

// inForce is the house as a Configuration.
func (h *house) inForce(tool.Workspace) Configuration {
	in := Configuration{Tools: h.tools, InForce: gate.InForce{Rules: judge{h}}}
	if h.council != nil {
		in.Governors, in.Screener = h.council, h.council
	}
	return in
}

// rule makes a policy about every tool.
func rule(verdict permissions.Verdict) permissions.Rule {
	return permissions.Rule{ID: "house-rule", AppliesTo: []string{"*"}, Verdict: verdict, Source: tool.Source{File: "policies.yaml", Line: 3}}
}

// step writes down what happens, and that it is late: when a tool has already done what it does.
func (h *house) step(what string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, err := os.Lstat(filepath.Join(h.dir, effect)); err == nil {
		what += ", after the effect"
	}
	h.steps = append(h.steps, what)
}

// judge, workshop, ledger and person are the house as the interfaces of the Executor.
type judge struct{ h *house }

func (j judge) Take(r permissions.Request) permissions.Decision { return j.Decide(r) }

func (j judge) Decide(r permissions.Request) permissions.Decision {
	d := j.h.authority.Decide(r)
	j.h.step("decide " + d.Verdict.String())
	if j.h.decides != nil {
		j.h.decides()
	}
	return d
}

func (j judge) Remember(allows permissions.Allowance, scope int) string {
	j.h.step("remember")
	return j.h.authority.Remember(allows, scope)
}

func (j judge) Forget(session string) { j.h.authority.Forget(session) }

func (j judge) Alternatives(r permissions.Request) string { return j.h.authority.Alternatives(r) }

func (j judge) Allowance(r permissions.Request, mask func(string) string) permissions.Allowance {
	return j.h.authority.Allowance(r, mask)
}

// host is what the executor's scripts run in.
func (h *house) host() Host { return h.executor.scripts.(scripts).host }

// runsIn has the executor's scripts and programs run in another host.
func (h *house) runsIn(host Host) {
	h.executor.scripts = scripts{host, h.bash}
	h.executor.argvs = argvs{scripts{host, h.bash}, &programs{}}
}

type workshop struct {
	h    *house
	host *sandbox.Host
}

func (w workshop) Plan(p sandbox.Profile) (sandbox.Plan, error) {
	w.h.step("plan")
	return w.host.Plan(p)
}

func (w workshop) Run(ctx context.Context, plan sandbox.Plan, p sandbox.Process) (sandbox.Outcome, error) {
	w.h.step("run")
	if w.h.instead != nil {
		return w.h.instead(ctx), nil
	}
	return w.host.Run(ctx, plan, p)
}

func (w workshop) Reach(plan sandbox.Plan) sandbox.Reach { return w.host.Reach(plan) }

type ledger struct{ h *house }

func (l ledger) Record(_ context.Context, e events.Event) error {
	what := "record " + string(e.Type)
	if e.Decision != nil {
		what += " " + e.Decision.Result + " " + e.Decision.Source
	}
	if e.Outcome != nil {
		what += " " + e.Outcome.Status
	}
	l.h.step(what)
	l.h.mu.Lock()
	defer l.h.mu.Unlock()
	if err := l.h.refuses[e.Type]; err != nil {
		return err
	}
	l.h.events = append(l.h.events, e)
	return nil
}

type person struct{ h *house }

func (p person) Ask(ctx context.Context, q approval.Question) (approval.Answer, error) {
	p.h.step("ask")
	if p.h.answers == nil {
		return approval.Answer{}, approval.ErrNobody
	}
	return p.h.answers(ctx, q)
}

// has makes tools that can be called.
func (h *house) has(tools ...*tool.Tool) {
	h.t.Helper()
	var entries []*Entry
	for _, t := range tools {
		entry := &Entry{Tool: t, Details: map[int]*render.Tree{}}
		if t.Unavailable == "" && t.Exec == nil && t.A2A == nil {
			template, findings := render.Compile(t.Script, t.Parameters, render.Options{DynamicCommand: t.AllowDynamicCommand})
			if template == nil {
				h.t.Fatalf("compile %s: %v", t.ID, findings)
			}
			entry.Template = template
		}
		if t.Sandbox.ConfirmationMessage != "" {
			entry.Confirmation = h.text(t.Sandbox.ConfirmationMessage)
		}
		if t.Caching.Key != "" {
			entry.CacheKey = h.text(t.Caching.Key)
		}
		for code, mapped := range t.ErrorMapping {
			if detail, ok := mapped.Detail.(string); ok {
				entry.Details[code] = &render.Tree{Text: h.text(detail)}
			}
		}
		entries = append(entries, entry)
	}
	h.tools = NewTools(entries)
}

func (h *house) text(source string) *render.Text {
	h.t.Helper()
	text, err := render.CompileText(source)
	if err != nil {
		h.t.Fatal(err)
	}
	return text
}

// script makes a tool that takes one text, word, which is optional. It has ample time: what reads its
// output runs with the race detector, on machines that do other things as well.
func script(text string) *tool.Tool {
	limits := tool.DefaultLimits()
	limits.Timeout = 5 * time.Minute
	return &tool.Tool{
		ID: "work", Script: text, Parameters: []tool.Parameter{{Name: "word", Type: tool.TypeString, Default: "nothing"}},
		Sandbox: tool.Sandbox{Limits: limits, AllowedPaths: []tool.AllowedPath{{Path: "."}}}, Source: tool.Source{File: "tools.yaml", Line: 7},
	}
}

// call makes a call of the tool as an agent would.
func (h *house) call(arguments string) tool.Call {
	return tool.Call{
		Tool: "work", Arguments: json.RawMessage(arguments), Dir: h.dir, Workspace: tool.Workspace{Root: h.dir},
		Origin: tool.Origin{Door: tool.DoorMCP, Agent: "agent", Session: h.session, ToolCall: "toolu_1"},
	}
}

// sleep writes down how long it would take.
func (h *house) sleep(ctx context.Context, d time.Duration) error {
	h.step("sleep")
	h.mu.Lock()
	h.slept = append(h.slept, d)
	h.mu.Unlock()
	if h.sleeps != nil {
		return h.sleeps(ctx)
	}
	return nil
}

// count counts the steps of a name.
func (h *house) count(step string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := 0
	for _, s := range h.steps {
		if name, _, _ := strings.Cut(s, ", after"); name == step || strings.HasPrefix(name, step+" ") {
			n++
		}
	}
	return n
}

// of returns the events of a type.
func (h *house) of(kind events.Type) []events.Event {
	h.mu.Lock()
	defer h.mu.Unlock()
	var list []events.Event
	for _, e := range h.events {
		if e.Type == kind {
			list = append(list, e)
		}
	}
	return list
}

// execute makes the call and gives its result.
func (h *house) execute(ctx context.Context, arguments string) tool.Result {
	return h.executor.Execute(ctx, h.call(arguments), person{h})
}

// hasRun reports whether a tool has done what it does.
func (h *house) hasRun() bool {
	_, err := os.Lstat(filepath.Join(h.dir, effect))
	return err == nil
}

// recorded returns all that was recorded, as the record holds it.
func (h *house) recorded() string {
	h.t.Helper()
	encoded, err := json.Marshal(h.events)
	if err != nil {
		h.t.Fatal(err)
	}
	return string(encoded)
}
