package doctor

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/agents"
	"github.com/a2a-acp/a2a-acp/internal/confine"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/profile"
	"github.com/a2a-acp/a2a-acp/internal/supervisor"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// AgentDiagnosis is what `a2a-acp doctor --agent` finds out about one agent.
type AgentDiagnosis struct {
	Agent     string            `json:"agent"`
	Title     string            `json:"title"`
	Installed bool              `json:"installed"`
	Command   []string          `json:"command"` // that starts it
	Problem   string            `json:"problem"` // why it is not installed
	Coverage  map[string]string `json:"coverage"`
	Acts      []ActHealth       `json:"acts"`              // what becomes of its own
	Confined  map[string]string `json:"coverage_confined"` // likewise, with --confine
	Profile   *ProfileHealth    `json:"profile"`           // nil where there is none
	Trial     Trial             `json:"trial"`
}

// ActHealth is what becomes of a kind of acts that the agent carries out itself.
type ActHealth struct {
	Kind  string `json:"kind"`
	Hooks string `json:"with_hooks"` // "" where it has none
	Alone string `json:"hooks_off"`
}

// ProfileHealth is a profile as it turns out on this machine.
type ProfileHealth struct {
	Name        string           `json:"name"`
	Says        string           `json:"says"`
	Inner       string           `json:"inner_sandbox"` // what becomes of the agent's own
	Network     string           `json:"network"`
	Environment []VariableHealth `json:"environment"`
	Paths       []PathHealth     `json:"paths"`
}

// VariableHealth is a variable that a profile passes on. Its value is nobody's business here.
type VariableHealth struct {
	Name string `json:"name"`
	Set  bool   `json:"set"`
}

// PathHealth is a path that a profile grants.
type PathHealth struct {
	Path   string `json:"path"`
	Access string `json:"access"` // read or write
	For    string `json:"for"`    // state, profile or program
	Exists bool   `json:"exists"`
}

// Trial is a confined start, made for once: the agent was asked what it is, and ended.
type Trial struct {
	OK       bool   `json:"ok"`
	Level    string `json:"level"`
	Protocol int    `json:"protocol"` // ACP's version; 0 where it did not tell
	Name     string `json:"name"`     // as the agent calls itself
	Version  string `json:"version"`
	Problem  string `json:"problem"`
	Fix      string `json:"fix"`
}

// AgentQuestion is what a diagnosis of an agent is about.
type AgentQuestion struct {
	Options
	Name        string   // what the person calls it
	Command     []string // that starts it; nil where it is not there
	Missing     error    // why
	Env         []string // the agent's environment
	Confinement confine.Confinement
	// Patience is how long the agent may take to answer. Optional, default 30 s: some take ten on a busy
	// machine.
	Patience time.Duration
}

// DiagnoseAgent finds out what is decided, seen and confined of one agent, and starts it in its sandbox to
// see whether that works. The directories of the agent's own state are made, as any start would.
func DiagnoseAgent(ctx context.Context, q AgentQuestion) AgentDiagnosis {
	d := AgentDiagnosis{Agent: q.Name, Title: q.Name, Command: []string{}, Installed: q.Missing == nil}
	agent, ok := agents.ByName(q.Name)
	if !ok && q.Command != nil {
		agent, ok = agents.ByCommand(q.Command)
	}
	hooked := ok && agent.Hooks != "" && (q.Command == nil || agents.WithoutHooks(q.Command) == "")
	if ok {
		d.Title = agent.Title
	}
	for _, row := range agent.Acts() {
		d.Acts = append(d.Acts, ActHealth{Kind: string(row.Kind), Hooks: string(row.Hooked.Level), Alone: string(row.Alone.Level)})
	}
	known := agent.Coverage(hooked)
	d.Coverage, d.Confined = known.Map(), known.Confined(q.Confinement.Profile).Map()
	d.Profile = lookAtProfile(q)
	if q.Missing != nil {
		d.Problem = q.Missing.Error()
		d.Trial = Trial{Problem: "it is not installed"}
		if ok {
			d.Trial.Fix = agent.Install()
		}
		return d
	}
	d.Command = q.Command
	d.Trial = try(ctx, q)
	return d
}

func lookAtProfile(q AgentQuestion) *ProfileHealth {
	p, err := profile.Named(q.Confinement.Profile)
	if err != nil {
		return nil
	}
	h := &ProfileHealth{
		Name: p.Name, Says: p.Says, Inner: p.Inner, Network: string(p.Network),
		Environment: []VariableHealth{}, Paths: []PathHealth{},
	}
	for _, name := range q.Confinement.Variables() {
		h.Environment = append(h.Environment, VariableHealth{Name: name, Set: q.Getenv(name) != ""})
	}
	state := map[string]bool{}
	for _, dir := range p.StateDirs(q.Dir, q.Getenv) {
		state[dir] = true
	}
	add := func(why string, allowed tool.AllowedPath) {
		access := "write"
		if allowed.ReadOnly {
			access = "read"
		}
		_, err := os.Lstat(allowed.Path)
		h.Paths = append(h.Paths, PathHealth{Path: allowed.Path, Access: access, For: why, Exists: err == nil})
	}
	for _, allowed := range p.Paths(q.Dir, q.Getenv) {
		if state[allowed.Path] {
			add("state", allowed)
		} else {
			add("profile", allowed)
		}
	}
	if q.Command != nil {
		if path, err := exec.LookPath(q.Command[0]); err == nil {
			for _, path := range confine.AgentFiles(path, q.Command) {
				add("program", tool.AllowedPath{Path: path, ReadOnly: true})
			}
		}
	}
	for _, allowed := range q.Confinement.Allow {
		add("flag", allowed)
	}
	return h
}

// try starts the agent in its sandbox, and asks it what it is.
func try(ctx context.Context, q AgentQuestion) (t Trial) {
	failed := func(err error, fix string) Trial {
		t.Problem, t.Fix = display.Line(err.Error()), fix
		return t
	}
	self, err := os.Executable()
	if err != nil {
		return failed(err, "")
	}
	trial, fix, err := q.Confinement.Try(q.Options.Confine, self, q.Command)
	t.Level = string(trial.Level)
	defer trial.Close() //nolint:errcheck // nothing runs in it
	if err != nil {
		return failed(err, fix)
	}
	if q.Patience == 0 {
		q.Patience = 30 * time.Second
	}
	ctx, cancel := context.WithTimeoutCause(ctx, q.Patience,
		fmt.Errorf("it did not answer initialize within %s", q.Patience))
	defer cancel()
	answer, said, err := askInitialize(ctx,
		supervisor.Options{Self: self, Command: trial.Command, Env: q.Env, Dir: q.Dir})
	if err != nil {
		fix = "start it by hand and see: a2a-acp sandbox exec --profile " + q.Confinement.Profile + " -- " +
			strings.Join(q.Command, " ")
		if flag := trial.Advice(said); flag != "" {
			fix = "a2a-acp bridge --confine=" + q.Confinement.Profile + " " + flag
		}
		if said = lastLine(said); said != "" {
			err = fmt.Errorf("%w; it said: %s", err, said)
		}
		return failed(err, fix)
	}
	t.OK, t.Protocol = true, answer.ProtocolVersion
	t.Name, t.Version = display.Line(answer.AgentInfo.Name), display.Line(answer.AgentInfo.Version)
	return t
}

// lastLine returns the last line of a text that is not empty.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return display.Line(lines[len(lines)-1])
}

// initialized is what of an agent's answer to initialize matters here (ACP 1).
type initialized struct {
	ProtocolVersion int `json:"protocolVersion"`
	AgentInfo       struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	} `json:"agentInfo"`
}

// askInitialize starts an agent, asks it what it is, and ends it with all that it has started. said is the
// end of what it wrote to standard error.
func askInitialize(ctx context.Context, o supervisor.Options) (answer initialized, said string, err error) {
	agent, err := supervisor.Start(ctx, o)
	if err != nil {
		return answer, "", err
	}
	var talk tail
	var reading sync.WaitGroup
	reading.Go(func() { _, _ = io.Copy(&talk, agent.Stderr) }) // ends with the agent's tree
	answered := make(chan error, 1)
	reading.Go(func() { answered <- readAnswer(agent.Stdout, &answer) }) // likewise
	const question = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,` +
		`"clientCapabilities":{"fs":{"readTextFile":false,"writeTextFile":false},"terminal":false},` +
		`"clientInfo":{"name":"a2a-acp doctor","version":"1"}}}` + "\n"
	if _, err = io.WriteString(agent.Stdin, question); err == nil {
		select {
		case err = <-answered:
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
	}
	agent.Stop()
	exit := agent.Wait()
	reading.Wait()
	if err != nil && errors.Is(err, io.EOF) {
		err = fmt.Errorf("it ended before it answered initialize: %s", exit)
	}
	return answer, talk.String(), err
}

// readAnswer reads lines until the one that answers, and then to the end, so that the agent can write.
func readAnswer(from io.Reader, answer *initialized) error {
	lines := bufio.NewReaderSize(io.LimitReader(from, 16<<20), 64<<10)
	for {
		line, err := lines.ReadBytes('\n')
		var frame struct {
			ID     json.RawMessage `json:"id"`
			Result *initialized    `json:"result"`
			Error  *struct {
				Message string `json:"message"`
			} `json:"error"`
		}
		if json.Unmarshal(line, &frame) == nil && string(frame.ID) == "0" {
			switch {
			case frame.Error != nil:
				return fmt.Errorf("it answered initialize with an error: %s", frame.Error.Message)
			case frame.Result != nil:
				*answer = *frame.Result
				return nil
			}
		}
		if err != nil {
			return io.EOF
		}
	}
}

// tail keeps the end of what is written to it.
type tail struct{ b bytes.Buffer }

func (t *tail) Write(p []byte) (int, error) {
	const most = 16 << 10
	t.b.Write(p)
	if extra := t.b.Len() - most; extra > 0 {
		t.b.Next(extra)
	}
	return len(p), nil
}

func (t *tail) String() string { return t.b.String() }
