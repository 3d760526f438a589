package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/agentclient"
	"github.com/a2a-acp/a2a-acp/internal/agents"
	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/confine"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/lines"
	"github.com/a2a-acp/a2a-acp/internal/secret"
	"github.com/a2a-acp/a2a-acp/internal/supervisor"
	"github.com/a2a-acp/a2a-acp/pkg/acp"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// start starts an agent behind a bridge whose editor is the caller.
func (d *agentDriver) start(ctx context.Context, c config.Agent, s agentclient.Starting) (p agentclient.Process, err error) {
	fail := func(err error) (agentclient.Process, error) {
		return agentclient.Process{}, &agentclient.EndedError{How: "could not be started: " + err.Error()}
	}
	if d.app.o.Dirs().Workspace(c.Workspace, nil).Root == "" {
		return fail(fmt.Errorf("%s is no directory that an agent may work in: it has to be there, and hold no more than a project; "+
			"name another with workspace (%s)", c.Workspace, c.At))
	}
	command := c.Command
	if command == nil {
		known, _ := agents.ByName(c.Known)
		if command, err = d.o.Find(known); err != nil {
			return fail(err)
		}
	}
	environ, values, err := d.environ(ctx, c)
	if err != nil {
		return fail(err)
	}
	self, err := os.Executable()
	if err != nil {
		return fail(err)
	}
	a := &drivenAgent{driver: d, config: c, self: self, environ: environ, redactor: secret.New(values...),
		over: make(chan struct{})}
	terminals := a.openTerminals()
	editorIn, in := io.Pipe()
	out, editorOut := io.Pipe()
	o := BridgeOptions{
		Command: command, AgentEnv: environ, EditorIn: editorIn, EditorOut: editorOut, Stderr: lines.New(a),
		Hooks: map[string]HookUse{"on": HooksOn, "off": HooksOff}[c.Hooks],
		Driven: &Driven{
			Dir: c.Workspace, Principal: s.Principal, Served: d.o.Served, Person: questioner{s, d.app}, Patience: c.Patience, Say: s.Say,
			Terminals: terminals, Ended: func(exit supervisor.Exit) { a.how = exit.String() },
		},
	}
	if c.Confine.Profile != "" {
		o.Confinement = confine.Confinement{Profile: c.Confine.Profile, Allow: c.Confine.Allow, BestEffort: c.Confine.BestEffort}
		o.Confinement.Environment = slices.Concat(slices.Collect(maps.Keys(c.Environment)), slices.Collect(maps.Keys(c.References)))
	}
	go func() { // ends with the agent, which does when in is closed; Wait waits for it
		defer close(a.over)
		_, err := d.app.Bridge(context.WithoutCancel(ctx), o)
		if a.terminals != nil {
			err = errors.Join(err, a.terminals.Close())
		}
		if err != nil && a.how == "" {
			a.how = "could not be started: " + err.Error()
		} else if err != nil {
			d.app.o.Say(err.Error())
		}
		_ = editorOut.Close() // a pipe of memory
		_ = editorIn.Close()
	}()
	process := agentclient.Process{In: in, Out: out, Wait: a.wait}
	if terminals != nil || c.Confine.Profile != "" {
		process.Run = a.run
	}
	return process, nil
}

// environ returns the environment of an agent, and the values in it that nobody is to see.
func (d *agentDriver) environ(ctx context.Context, c config.Agent) (environ, values []string, err error) {
	set := maps.Clone(c.Environment)
	if set == nil {
		set = map[string]string{}
	}
	vault := d.app.vault()
	for _, name := range slices.Sorted(maps.Keys(c.References)) {
		value, err := vault.Value(ctx, c.References[name])
		if err != nil {
			return nil, nil, fmt.Errorf("its variable %s (%s): %w", name, c.At, err)
		}
		set[name] = value
		values = append(values, value)
	}
	if key := d.app.o.Getenv(agentKeyVariable); key != "" {
		values = append(values, key)
	}
	for _, entry := range d.app.forAgents(d.o.Environ) { // its commands get it, too
		if name, _, _ := strings.Cut(entry, "="); set[name] == "" {
			environ = append(environ, entry)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(set)) {
		environ = append(environ, name+"="+set[name])
	}
	return environ, values, nil
}

// drivenAgent is an agent whose editor is a client of ours.
type drivenAgent struct {
	driver    *agentDriver
	config    config.Agent
	self      string
	environ   []string
	redactor  *secret.Redactor
	terminals *confine.Boundary // what its commands run in; nil where it is confined itself, or may have none run
	over      chan struct{}     // closed when everything is gone
	how       string            // how it ended; set before over is closed

	mu   sync.Mutex
	tail []byte // the end of what it said on stderr
}

// longestWords is how many bytes of what an agent has said on stderr are kept.
const longestWords = 4 << 10

// Write takes lines of the agent's stderr.
func (a *drivenAgent) Write(p []byte) (int, error) {
	said := a.driver.app.issued.Redact(a.redactor.String(string(p)))
	a.mu.Lock()
	a.tail = append(a.tail, said...)
	if more := len(a.tail) - longestWords; more > 0 {
		a.tail = append(a.tail[:0], a.tail[more:]...)
	}
	a.mu.Unlock()
	for line := range strings.Lines(said) {
		a.driver.o.Stderr.Line(a.config.Name + ": " + display.Line(strings.TrimRight(line, "\r\n")))
	}
	return len(p), nil
}

// wait waits until everything is gone, and says how the agent ended.
func (a *drivenAgent) wait() *agentclient.EndedError {
	<-a.over
	a.mu.Lock()
	defer a.mu.Unlock()
	words := strings.ToValidUTF8(string(a.tail), "")
	if len(a.tail) == longestWords { // from the beginning of a line on
		if _, whole, found := strings.Cut(words, "\n"); found {
			words = whole
		}
	}
	return &agentclient.EndedError{How: a.how, LastWords: display.Whole(strings.TrimSpace(words))}
}

// openTerminals makes the sandbox ready in which the commands run that an unconfined agent has us run; nil
// where there is none.
func (a *drivenAgent) openTerminals() acp.Terminals {
	if a.config.Confine.Profile != "" {
		return nil // they run in the agent's own
	}
	app := a.driver.app
	options := app.o.Confine()
	options.Dir = a.config.Workspace
	host, err := app.host.wait()
	var boundary *confine.Boundary
	if err == nil {
		boundary, _, err = confine.NewBoundary(confine.BoundaryOptions{
			Options: options, Confinement: confine.Confinement{Profile: "terminal"}, Self: a.self, Agent: []string{"/bin/sh"},
			Host: host, Note: app.note,
		})
	}
	if err != nil {
		app.o.Say(fmt.Sprintf("agent %s has no commands run by a2a-acp: %v", a.config.Name, err))
		return nil
	}
	a.terminals = boundary
	return boundary
}

// command is a command that runs for an agent. It implements agentclient.Running.
type command struct{ *supervisor.Agent }

// run runs a command, below a supervisor of its own, so that nothing of it is left when it ends or we do.
func (a *drivenAgent) run(c agentclient.Command) (agentclient.Running, error) {
	words := append([]string{"/bin/sh", "-c", `exec "$0" "$@" 2>&1`}, c.Words...)
	started, err := supervisor.Start(context.Background(),
		supervisor.Options{Self: a.self, Command: words, Env: a.environ, Dir: c.Dir, StdinGrace: time.Millisecond})
	if err != nil {
		return nil, err
	}
	started.Stdin.Close()
	go func() { // ends with the command's supervisor, which alone writes there
		_, _ = io.Copy(io.Discard, started.Stderr)
		started.Stderr.Close()
	}()
	return command{started}, nil
}

// Output implements agentclient.Running.
func (c command) Output() io.Reader { return c.Stdout }

// Wait implements agentclient.Running.
func (c command) Wait() (code int, signal string) {
	exit := c.Agent.Wait()
	c.Stdout.Close()
	if exit.Signalled() {
		return exit.Code(), fmt.Sprintf("signal %d", exit.Code()-128)
	}
	return exit.Code(), ""
}

// questioner asks whoever talks to an agent. It implements acp.Person.
type questioner struct {
	s   agentclient.Starting
	app *App
}

// Ask implements acp.Person.
func (p questioner) Ask(ctx context.Context, asked acp.Asked) (acp.Picked, error) {
	q := agentclient.Question{
		Action: string(asked.Action), Title: asked.Title, Text: asked.Text, Risk: asked.Risk, Command: asked.Command, Dir: asked.Dir,
		Paths: asked.Paths, ToolCall: asked.ToolCall, Lasting: asked.Lasting,
		AtTerminal: asked.AtTerminal || !p.app.clientsAnswer(p.s.Principal),
	}
	if change := asked.Change; change != nil {
		q.Change = &agentclient.Diff{Path: change.Path, OldText: change.OldText, NewText: change.NewText}
		q.Text += "\n\n" + change.Show()
	}
	q.Expires, _ = ctx.Deadline()
	for _, o := range asked.Options {
		q.Options = append(q.Options, agentclient.Option{ID: o.ID, Name: o.Name, Kind: agentclient.OptionKind(o.Kind)})
	}
	picked, err := p.s.Ask(ctx, agentclient.Asking{ID: asked.ID, Question: q, Stands: asked.Stands})
	return acp.Picked(picked), err
}

// Answered implements acp.Person.
func (p questioner) Answered(id string, answer approval.Answer, err error) {
	if err != nil {
		p.s.Answered(id, agentclient.Answered{Reason: err.Error()})
		return
	}
	p.s.Answered(id, agentclient.Answered{Allowed: answer.Verdict == permissions.Approve, By: answer.By, Reason: answer.Reason})
}
