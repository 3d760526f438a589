package acp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/gate"
	"github.com/a2a-acp/a2a-acp/pkg/acp"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// stage is a Bridge with both ends in the hands of a test.
type stage struct {
	t      *testing.T
	record *recorder
	board  *slate // nil without the line `board` in the setup
	in     atomic.Pointer[gate.InForce]
	// session is the one that was opened last, where there are tools.
	session   atomic.Pointer[acp.Session]
	cancelled atomic.Value // of which session questions were over last, with the line `cancelled`

	editorIn, agentOut io.WriteCloser // what the two write
	editor, agent      *bufio.Reader  // what the two read
	done               chan error
}

// newStage starts a Bridge with the policies. The setup is a list of lines: `always forward`, `hide files`,
// `hide terminals`, `logins`, `cancelled`, `board`, `same board`, `long pause`, `no record`, `degrades`, `confined`, `tools`, `agent
// exit TEXT`, `governor approve|answers|ask|reject|waits REASON`.
func newStage(t *testing.T, policies, setup string) *stage {
	t.Helper()
	s := &stage{t: t, record: &recorder{}, done: make(chan error, 1)}
	editorInR, editorIn := io.Pipe()
	editorR, editorOut := io.Pipe()
	agentInR, agentIn := io.Pipe()
	agentR, agentOut := io.Pipe()
	s.editorIn, s.agentOut = editorIn, agentOut
	s.editor, s.agent = bufio.NewReader(editorR), bufio.NewReader(agentInR)
	in := gate.InForce{Rules: rulesOf(t, policies)}
	o := acp.Options{
		SearchDir: func(title string) (string, bool) { _, dir, _ := strings.Cut(title, " within "); return dir, false },
		EditorIn:  editorInR, EditorOut: editorOut, AgentIn: agentIn, AgentOut: agentR,
		Record: s.record,
		Workspace: func(cwd string, more []string) tool.Workspace {
			if real, err := filepath.EvalSymlinks(cwd); err == nil {
				cwd = real
			}
			return tool.Workspace{Root: cwd, Additional: more}
		},
		Stop:   func(acp.StopCause) {},
		Exit:   func() string { return "exit code 0" },
		Say:    func(line string) { t.Log("say:", line) },
		Noise:  func(line []byte) { t.Logf("noise: %q", line) },
		Now:    atTheEpoch,
		Prefix: "ours-",
		Pause:  1, // nobody clicks
	}
	for line := range strings.Lines(setup) {
		switch line = strings.TrimSpace(line); {
		case line == "always forward":
			o.ForwardAlways = true
		case line == "cancelled":
			o.Cancelled = func(agent, session string, why error) {
				s.cancelled.Store(fmt.Sprintf("%s %s: %v", agent, session, why))
			}
		case line == "hide files":
			o.HideFiles = true
		case line == "hide terminals":
			o.HideTerminals = true
		case line == "logins":
			o.LoginCommand = func(command []string) []string {
				if command[0] != "agent" {
					return nil
				}
				return append([]string{"/bin/ours", "bridge", "--"}, command...)
			}
		case line == "board":
			s.board = newSlate()
			o.Board = s.board
		case line == "same board":
			o.Board = &sameBoard{slate: newSlate()}
		case line == "long pause":
			o.Pause = time.Hour
		case line == "confined":
			o.Confinement = fakeCell{s}
		case line == "summary card":
			turns := 0
			o.BeginTurn = func(session string) func() string {
				turns++
				if turns%2 == 0 {
					return func() string { return "" }
				}
				return func() string { return "ran 1 in " + session }
			}
		case line == "degrades":
			o.Degrades = true
		case line == "no record":
			s.record.err = errors.New("the disk is full")
		case line == "tools":
			o.Tools = fakeDoor{s}
		case strings.HasPrefix(line, "governor "):
			word, reason, _ := strings.Cut(strings.TrimPrefix(line, "governor "), " ")
			in.Governors = &council{word: word, reason: reason}
		case strings.HasPrefix(line, "agent exit "):
			o.Exit = func() string { return strings.TrimPrefix(line, "agent exit ") }
		case line != "":
			t.Fatalf("setup: %q is not known", line)
		}
	}
	s.in.Store(&in)
	o.Gate = newGate(t, func(tool.Workspace) gate.InForce { return *s.in.Load() }, s.record, atTheEpoch)
	b, err := acp.New(o)
	if err != nil {
		t.Fatal(err)
	}
	go func() { // ends when the agent closes its end, which end does at the latest
		err := b.Run(context.Background())
		editorOut.Close()
		s.done <- err
	}()
	t.Cleanup(func() {
		editorIn.Close()
		editorR.Close()
		agentInR.Close()
	})
	return s
}

func atTheEpoch() time.Time { return time.Unix(0, 0).UTC() }

func newGate(t *testing.T, in func(tool.Workspace) gate.InForce, record events.Recorder, now func() time.Time) *gate.Gate {
	t.Helper()
	g, err := gate.New(gate.Options{InForce: in, Record: record, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func rulesOf(t *testing.T, policies string) gate.Rules {
	return permissions.New(permissions.Options{Policies: permissions.NewSet(readPolicies(t, policies))})
}

func readPolicies(t *testing.T, text string) []permissions.File {
	t.Helper()
	if text == "" {
		return nil
	}
	file, err := config.ReadPolicies(config.File{Name: "policies.yaml", Layer: tool.LayerFlag, Data: []byte(text)})
	if err != nil {
		t.Fatal(err)
	}
	return []permissions.File{file}
}

// end ends the agent and waits for the bridge.
func (s *stage) end() {
	s.t.Helper()
	s.agentOut.Close()
	go io.Copy(io.Discard, s.editor) // ends when the bridge closes the editor's end
	go io.Copy(io.Discard, s.agent)  // ends with the cleanup
	if err := <-s.done; err != nil {
		s.t.Errorf("the bridge ended with %v", err)
	}
}

func writeLine(w io.Writer, line string) error {
	_, err := io.WriteString(w, line+"\n")
	return err
}

// patience is how long a test waits for a line that does not come. It is no measure of anything.
const patience = 5 * time.Minute

func readLine(r *bufio.Reader) (string, error) {
	type result struct {
		line string
		err  error
	}
	read := make(chan result, 1)
	go func() { // ends with the line, or when the test closes the pipe
		line, err := r.ReadString('\n')
		read <- result{strings.TrimSuffix(line, "\n"), err}
	}()
	select {
	case got := <-read:
		return got.line, got.err
	case <-time.After(patience):
		return "", errors.New("no line came")
	}
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// recorder keeps events as lines, without what differs from run to run.
type recorder struct {
	mu  sync.Mutex
	b   bytes.Buffer
	err error
	// before is called with each event; optional.
	before func(events.Event)
}

func (r *recorder) Record(_ context.Context, event events.Event) error {
	if r.before != nil {
		r.before(event)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return r.err
	}
	if event.Decision != nil {
		copied := *event.Decision
		copied.PolicySHA256 = ""
		event.Decision = &copied
	}
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(event); err != nil {
		return err
	}
	r.b.WriteString(strings.Replace(line.String(), `"time":"1970-01-01T00:00:00Z",`, "", 1))
	return nil
}

func (r *recorder) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.b.String()
}

// fakeCell is a sandbox in which an agent reaches all but what has "outside" in its name, and may not
// change what has "control" in it. A command with "nowhere" in it cannot be run.
type fakeCell struct{ s *stage }

func (fakeCell) Hold(r acp.Reaching) (permissions.Verdict, string) {
	switch path := r.Path; {
	case strings.Contains(path, "outside"):
		return permissions.Reject, "confined; --allow " + r.Path
	case r.Write && strings.Contains(path, "control"):
		return permissions.Ask, "confined, and others believe it"
	}
	return permissions.Approve, ""
}

func (fakeCell) Whole() bool { return true }

func (fakeCell) Terminal(o acp.TerminalOrder) (string, []string, error) {
	if strings.Contains(o.Shell, "nowhere") {
		return "", nil, errors.New("the disk is full")
	}
	return "/bin/a2a-acp", []string{"sandbox", "exec", "--ticket", "00", "--", "label"}, nil
}

func (c fakeCell) NoteOutput(session, toolCall, text string) {
	_ = c.s.record.Record(context.Background(), events.Event{Type: events.SandboxRefused, Time: time.Unix(0, 0).UTC(), Session: session, ToolCall: toolCall, Detail: text})
}

// fakeDoor offers three tools: deploy, which wants to be confirmed, grep, which only reads, and note, which
// is neither.
type fakeDoor struct{ s *stage }

func (d fakeDoor) Open(s *acp.Session) (*acp.MCPServer, error) {
	d.s.session.Store(s)
	return &acp.MCPServer{
		Command: "/bin/a2a-acp", Args: []string{"mcp", "--attach", "/s"}, Env: []acp.Variable{{Name: "TOKEN", Value: "t"}},
		Close: func() {},
	}, nil
}

func (fakeDoor) ToolID(_ tool.Workspace, name string) (string, bool) {
	return name, name == "deploy" || name == "grep" || name == "note"
}

func (d fakeDoor) Request(s *acp.Session, name string, arguments json.RawMessage) (permissions.Request, bool) {
	id, ok := d.ToolID(tool.Workspace{}, name)
	r := permissions.Request{
		Door: tool.DoorMCP, Action: permissions.ActionCall, Tools: []string{id}, Session: s.ID(context.Background()),
		Workspace: s.Workspace(), Dir: s.Dir(), ReadOnly: name == "grep", RequiresConfirmation: name == "deploy",
	}
	_ = json.Unmarshal(arguments, &r.Arguments)
	if _, given := r.Arguments["bogus"]; given { // no parameter of any
		r.Arguments = nil
	}
	if _, given := r.Arguments["password"]; given {
		r.Secret = map[string]bool{"password": true}
		r.Paths = []permissions.Path{{Name: fmt.Sprint(r.Arguments["password"])}}
		if r.Arguments["text"] == "runs" {
			r.ShellText = fmt.Sprint("log in with ", r.Arguments["password"])
		}
		r.Doubts = []string{fmt.Sprint("nobody believes ", r.Arguments["password"])}
	}
	return r, ok
}

// council is governors that say a word about everything that names the file guarded, and nothing about the
// rest.
type council struct{ word, reason string }

func (c *council) Active(tool.Workspace) bool { return true }

func (c *council) Hash(tool.Workspace) string { return c.word }

func (c *council) Forget(string) {}

func (c *council) Review(ctx context.Context, r permissions.Review) permissions.Ruling {
	encoded, err := json.Marshal(r)
	if err != nil {
		panic(err)
	}
	ruling := permissions.Ruling{Governor: "guard", At: "governors.yaml:3", Reason: c.reason, Governance: tool.Governance{
		Phase: tool.PhasePermission, Answers: []tool.GovernorAnswer{{Governor: "guard", Type: "script", Status: c.word}},
	}}
	switch {
	case !bytes.Contains(encoded, []byte("guarded")):
		return permissions.Ruling{Silent: true}
	case c.word == "waits": // until nobody waits for it any more; then it says yes, too late
		<-ctx.Done()
		ruling.Verdict, ruling.Answers = permissions.Approve, true
	case c.word == "approve", c.word == "answers":
		ruling.Verdict, ruling.Answers = permissions.Approve, c.word == "answers"
	case c.word == "reject":
		ruling.Verdict, ruling.FollowUp = permissions.Reject, "Read CONTRIBUTING first."
	}
	return ruling
}
