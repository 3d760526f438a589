//go:build agents

package agents

import (
	"context"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/trust"
	"github.com/a2a-acp/a2a-acp/test/agents/internal/editor"
	"github.com/a2a-acp/a2a-acp/test/agents/internal/model"
	"github.com/a2a-acp/a2a-acp/test/agents/internal/wiretap"
	"github.com/a2a-acp/a2a-acp/test/agents/internal/witness"
)

// patience is how long one answer may take. An agent takes a second to start and milliseconds to answer;
// the rest is for a machine that does something else at the same time.
const patience = 2 * time.Minute

// options say how a rig is put together.
type options struct {
	missing editor.Missing
	buffers map[string]string // unsaved text by file name
	bridge  *bridge           // nil: none
}

// bridge says how a bridge is started.
type bridge struct {
	policies string // text of a policy file
	tools    string // text of a tools file
	confine  string // the profile that the agent is confined by; "": it is not
	hooks    bool   // the agent's hooks ask before each act of its own, as is the default
}

// rig is everything that a test needs around an agent: a model, an editor with an MCP server of its own, a
// workspace, and perhaps a bridge in between.
type rig struct {
	t       *testing.T
	agent   agent
	model   *model.Server
	program editor.Program // the agent, or a bridge with the agent behind it
	bridged bool

	// What start adds.
	editor  *editor.Editor
	session *editor.Session
	process *editor.Process
	stopped sync.Once

	onlySeen int // acts on record that nobody decides about, and that a test means to see

	work  string // the workspace
	home  string
	state string // where the bridge keeps its record
	tap   string // the wiretap's file, behind a bridge
	seen  string // the witness's file
}

// witnessName is the name of the editor's own MCP server.
const witnessName = "witness"

// assemble puts everything together, and starts the model but not the agent.
func assemble(t *testing.T, a agent, o options) *rig {
	t.Helper()
	root := t.TempDir()
	r := &rig{
		t: t, agent: a, model: new(model.Server),
		work: filepath.Join(root, "work"), home: filepath.Join(root, "home"), state: apart(t, "s"),
		tap: filepath.Join(root, "tap.jsonl"), seen: filepath.Join(root, "witness.jsonl"),
	}
	for _, dir := range []string{r.work, r.home} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	// Sockets are made in it, and their names are short by law: not below a directory that has the test's
	// name in it.
	temp := apart(t, "a")
	server := httptest.NewServer(r.model)
	t.Cleanup(server.Close)

	r.program = editor.Program{
		Arguments:   a.command(t),
		Environment: a.install(t, r.home, temp, server.URL),
		Dir:         r.work,
	}
	if o.bridge != nil {
		r.bridged = true
		r.program.Arguments = r.throughBridge(r.program.Arguments, *o.bridge, root)
		r.program.Environment = append(r.program.Environment, "A2A_STATE_DIR="+r.state)
	}
	return r
}

// apart makes a directory that does not lie beside the workspace: who wrote that could else have brought it along.
func apart(t *testing.T, name string) string {
	t.Helper()
	dir, err := os.MkdirTemp("", name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// trusts has somebody have read files of the workspace, as they are, and let them count.
func (r *rig) trusts(names ...string) {
	r.t.Helper()
	d := trust.Directory{Dir: r.work, By: "a test", Files: map[string]trust.Pin{}}
	for _, name := range names {
		data, err := os.ReadFile(r.path(name))
		if err != nil {
			r.t.Fatal(err)
		}
		d.Files[name] = trust.NewPin(data)
	}
	if err := trust.In(r.state).Trust(d, func() error { return nil }); err != nil {
		r.t.Fatal(err)
	}
}

// start assembles a rig, starts the agent and opens a session with it. All of it ends with the test, or
// with stop.
func start(t *testing.T, a agent, o options) *rig {
	t.Helper()
	r := assemble(t, a, o)
	r.open(o)
	return r
}

// open starts what was assembled, and opens a session with it.
func (r *rig) open(o options) {
	t, a := r.t, r.agent
	t.Helper()
	var err error
	if r.process, err = editor.Start(r.program); err != nil {
		t.Fatal(err)
	}
	buffers := make(map[string]string)
	for name, text := range o.buffers {
		buffers[r.path(name)] = text
	}
	r.editor = editor.Open(r.process.Stdout, r.process.Stdin, editor.Options{
		Version: a.version, Missing: o.missing, Buffers: buffers,
		Violation: func(violation string) { t.Errorf("the protocol forbids: %s", violation) },
	})
	t.Cleanup(r.stop)

	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if _, err := r.editor.Initialize(ctx); err != nil {
		t.Fatal(err)
	}
	var servers []editor.Server
	if o.bridge == nil || o.bridge.confine == "" {
		servers = append(servers, editor.Server{Name: witnessName, Command: testBinary(t), Environment: map[string]string{witness.Environment: r.seen}})
	}
	r.session, err = r.editor.NewSession(ctx, r.work, servers...)
	if err != nil {
		t.Fatal(err)
	}
}

// throughBridge returns the words that start a bridge with the agent, and a wiretap before it, behind.
func (r *rig) throughBridge(agent []string, b bridge, root string) []string {
	r.t.Helper()
	words := bridgeCommand(r.t)
	policies := filepath.Join(root, "policies.yaml")
	write(r.t, policies, b.policies)
	words = append(words, "--policies", policies)
	if b.tools != "" {
		tools := filepath.Join(root, "tools.yaml")
		write(r.t, tools, b.tools)
		words = append(words, "--tools", tools)
	}
	if !b.hooks {
		words = append(words, "--hooks=off")
	}
	if b.confine != "" {
		// Nobody taps it: what of the test's it cannot see it cannot start.
		return append(append(words, "--confine="+b.confine, "--"), agent...)
	}
	words = append(words, "--")
	return append(words, wiretap.Command(testBinary(r.t), r.tap, agent...)...)
}

// stop ends the agent as an editor does that is closed, and checks that nothing of it is left. After it,
// everything that was said has arrived.
func (r *rig) stop() { r.stopped.Do(r.end) }

func (r *rig) end() {
	if err := r.editor.Close(); err != nil {
		r.t.Errorf("close the agent's standard input: %v", err)
	}
	code, byItself := r.process.End(r.grace())
	if r.bridged && (!byItself || code != 0) {
		r.t.Errorf("the bridge ended with %d (by itself: %t) after its editor was closed", code, byItself)
	}
	left := endStrays(r.t, r.home)
	if r.bridged && len(left) > 0 {
		r.t.Errorf("processes of the agent outlived the bridge: %q", left)
	}
	select {
	case <-r.editor.Done():
	case <-time.After(patience):
		r.t.Error("somebody still holds the agent's standard output")
	}
	r.process.Stdout.Close()
	<-r.editor.Done()
	if r.t.Failed() {
		r.t.Logf("standard error of %s ended with:\n%s", r.agent.name, r.process.Stderr())
		r.t.Logf("the last frames:\n%s", lastFrames(r.editor.Frames(), 30))
	}
}

// grace is how long the program has to end when its input does. Alone, Gemini may not end by itself, and
// that is its own affair. A bridge must, and must have ended the agent.
func (r *rig) grace() time.Duration {
	if r.bridged {
		return patience / 4
	}
	return 200 * time.Millisecond
}

// lastFrames shows frames for a person.
func lastFrames(frames []editor.Frame, count int) string {
	var out strings.Builder
	for _, frame := range frames[max(0, len(frames)-count):] {
		arrow, raw := "<-", string(frame.Raw)
		if frame.ToAgent {
			arrow = "->"
		}
		if len(raw) > 500 {
			raw = raw[:500] + "…"
		}
		out.WriteString(frame.At.Format("05.000 ") + arrow + " " + raw + "\n")
	}
	return out.String()
}

// within runs a part of a test as a subtest: what fails in it, fails there.
func (r *rig) within(name string, part func(t *testing.T)) {
	r.t.Helper()
	whole := r.t
	defer func() { r.t = whole }()
	whole.Run(name, func(t *testing.T) {
		r.t = t
		part(t)
	})
}

// prompt plays a script in the rig's session.
func (r *rig) prompt(person editor.Person, steps ...model.Step) editor.Turn {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), patience)
	defer cancel()
	turn, err := r.session.Prompt(ctx, model.Prompt(steps...), person)
	if err != nil {
		r.t.Fatalf("%v\nstandard error:\n%s\nframes:\n%s", err, r.process.Stderr(), lastFrames(r.editor.Frames(), 30))
	}
	return turn
}

// path returns the absolute path of a file in the workspace.
func (r *rig) path(name string) string { return filepath.Join(r.work, name) }

// files returns the files in the workspace, by name.
func (r *rig) files() map[string]string {
	r.t.Helper()
	entries, err := os.ReadDir(r.work)
	if err != nil {
		r.t.Fatal(err)
	}
	files := make(map[string]string)
	for _, entry := range entries {
		if entry.IsDir() {
			files[entry.Name()] = "(a directory)"
			continue
		}
		text, err := os.ReadFile(r.path(entry.Name()))
		if err != nil {
			r.t.Fatal(err)
		}
		files[entry.Name()] = string(text)
	}
	return files
}

// witnessed returns the calls that the editor's own MCP server got.
func (r *rig) witnessed() []string {
	r.t.Helper()
	entries, err := witness.Read(r.seen)
	if err != nil {
		r.t.Fatal(err)
	}
	return witness.Calls(entries)
}

// group matches what Gemini tells of a process, which is another one each time.
var group = regexp.MustCompile(`PGID: \d+`)

// told returns what the model was told that the calls of a turn came to, without what differs from run to
// run. An agent may tell it with a later prompt only, or never.
func (r *rig) told(turn editor.Turn) []string {
	var out []string
	for _, told := range r.model.Told() {
		if !slices.ContainsFunc(turn.Calls, func(call editor.ToolCall) bool {
			return strings.HasSuffix(call.ID, told.ID) // Gemini puts the name of the tool before the model's id
		}) {
			continue
		}
		text, _, _ := strings.Cut(told.Text, "<system-reminder>") // Claude Code adds these where it sees fit
		text = strings.ReplaceAll(strings.TrimSpace(text), r.work, "WORK")
		out = append(out, group.ReplaceAllString(text, "PGID: N"))
	}
	return out
}

func testBinary(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// since returns what is in after and was not the same in before.
func since(before, after map[string]string) map[string]string {
	changed := make(map[string]string)
	for name, text := range after {
		if old, ok := before[name]; !ok || old != text {
			changed[name] = text
		}
	}
	return changed
}
