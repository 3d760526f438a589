package app

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"sync/atomic"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/agents"
	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/internal/confine"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/hook"
	"github.com/a2a-acp/a2a-acp/internal/supervisor"
	"github.com/a2a-acp/a2a-acp/pkg/acp"
	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// RunOptions is what an agent in a person's own terminal takes from outside.
type RunOptions struct {
	Agent    agents.Agent // required
	Command  []string     // required: its terminal program
	Words    []string     // what the person gives it
	AgentEnv []string     // required: the agent's environment
	Stdio    []*os.File   // required
	Signals  <-chan os.Signal
	Prints   bool // it prints an answer and ends
	Hooks    bool // it asks us before each act of its own

	Confinement confine.Confinement // the sandbox that the agent is to be in
	// Shown is what the agent shows while it waits for us, where it can.
	Shown string
	// Stands is told by which id a question can be answered. Required.
	Stands func(q approval.Question, id string)
	// Theirs is told when the terminal becomes the agent's, and when it is ours again. Required.
	Theirs func(bool)
}

// Run runs an agent in a person's own terminal until it ends, and returns its exit code. Its hooks ask at a
// door of its own, as behind a bridge; questions stand on the board. With an error the code is ours.
func (a *App) Run(ctx context.Context, o RunOptions) (code int, err error) {
	if err := MustConfine(a.Set(), o.Confinement.On(), o.Confinement.BestEffort); err != nil {
		return exit.Denied, err
	}
	door, err := a.openDoor()
	if err != nil {
		return exit.Host, err
	}
	defer door.close()
	o.AgentEnv = a.forAgents(o.AgentEnv)
	self, err := os.Executable()
	if err != nil {
		return exit.Host, err
	}
	b := &bridge{app: a, door: door, self: self, known: o.Agent.Terminal().Sees(o.Hooks), caller: a.caller(),
		dir: a.o.Dir}
	supervisor.Mark()
	command, before := o.Command, o.AgentEnv
	asking, _ := hook.ByName(o.Agent.Name)
	if asking.Words != nil { // these say it, and no variable
		asking.Variable = ""
	}
	if o.Hooks && asking.Variable != "" {
		o.Confinement.Environment = append(slices.Clone(o.Confinement.Environment), asking.Variable)
	}
	if o.Confinement.On() {
		if code, err = b.confine(o.Confinement, o.Command); err != nil {
			return code, err
		}
		defer func() { err = errors.Join(err, b.boundary.Close()) }()
		command = b.boundary.Command()
	}
	workspace := a.o.Dirs().Workspace(a.o.Dir, nil)
	if err := b.admit(workspace, a.o.Dir); err != nil {
		return exit.Denied, err
	}
	summaries := a.newSummaries()
	agent, err := acp.NewAlone(acp.AloneOptions{
		Gate: door.Gate, Record: summaries, Board: door.Questions, Agent: o.Agent.Name, Principal: b.principal(o.Command),
		Started:     b.nameStart(o.Command, before, o.Confinement),
		Confinement: b.confinement(), Workspace: workspace, Dir: a.o.Dir, Stands: o.Stands, Say: a.o.Say,
		Prefix: "a2a-acp-" + random() + "-",
	})
	if err != nil {
		return exit.Host, err
	}
	defer agent.Close()
	var heard atomic.Bool
	if o.Hooks {
		if err := b.askInTerminal(asking, agent, o, &heard); err != nil {
			return exit.Host, err
		}
		defer b.hooks.close()
		o.AgentEnv = b.hooks.environ
		if asking.Words != nil {
			command = slices.Concat(command, asking.Words(b.hooks.at))
		}
		if err := b.tryHooks(ctx, command, o); err != nil {
			return exit.Host, fmt.Errorf("%s is not started, since its hooks are not in force: %w", o.Agent.Title, err)
		}
	}
	says := fmt.Sprintf("guarding %s; its own acts: %s", o.Agent.Title, b.known.Own)
	if b.boundary != nil && !o.Hooks {
		says += "; the sandbox holds all of them"
	}
	a.o.Say(says)
	if o.Hooks {
		a.o.Say("questions wait for you in another terminal: a2a-acp approvals watch")
	}
	// What the person has said to it is none of the record's business.
	a.note(events.Event{Type: events.BridgeStarted, Command: o.Command, Coverage: b.coverage()})
	o.Theirs(true)
	ended, err := supervisor.Foreground{Command: slices.Concat(command, o.Words), Env: o.AgentEnv, Stdio: o.Stdio,
		Signals: o.Signals}.Run()
	o.Theirs(false)
	if b.hooks != nil {
		b.hooks.end()
	}
	if err != nil {
		return exit.Host, err
	}
	agent.Close()
	a.note(events.Event{Type: events.BridgeEnded, Detail: ended.String()})
	summaries.tellAll()
	if o.Hooks && asking.Words != nil && asking.Trial == nil && !heard.Load() {
		a.o.Say(fmt.Sprintf("%s has not asked about anything, not even when it began: if it did anything, that was not decided",
			o.Agent.Title))
	}
	return ended.Code(), nil
}

// askInTerminal opens the door where the hooks of an agent in its own terminal ask.
func (b *bridge) askInTerminal(asking hook.Agent, agent *acp.Alone, o RunOptions, heard *atomic.Bool) error {
	d := &hookDoor{app: b.app, self: b.self, agent: asking, known: o.Agent, boundary: b.boundary, given: o.AgentEnv,
		again: func(call hook.Call) hook.Answer { return decideAgain(agent, call) },
		begun: func() { heard.Store(true) }}
	d.ends()
	if err := d.check(b.app.o.Dir); err != nil {
		return err
	}
	var err error
	if d.shared, err = d.listen(func(call hook.Call) *acp.Session {
		if len(call.Sessions) == 0 {
			return nil
		}
		heard.Store(true)
		return agent.Session(call.Sessions[len(call.Sessions)-1]) // the topmost
	}); err != nil {
		return err
	}
	d.at = hook.Endpoint{Self: b.self, Socket: d.shared.Socket(), Shared: b.boundary != nil, Prints: o.Prints, Shown: o.Shown}
	if d.environ, err = asking.Environ(o.AgentEnv, d.at); err != nil {
		d.close()
		return err
	}
	b.hooks = d
	return nil
}

// decideAgain answers what an agent in its own terminal asks once more before it uses a tool. What it asks its
// person by itself, it goes on asking; anything else was approved as it is, or is not allowed.
func decideAgain(agent *acp.Alone, call hook.Call) hook.Answer {
	if call.TheirOwn || call.Harmless {
		return hook.Answer{Verdict: hook.Undecided}
	}
	for _, s := range agent.Sessions() {
		if len(call.Sessions) > 0 && !s.Is(call.Sessions[0]) || !s.Confirm(call.ID, call.Tool, call.Input) {
			continue
		}
		if call.Planning {
			return hook.Answer{Verdict: hook.Undecided}
		}
		return hook.Answer{Verdict: hook.Allow}
	}
	return hook.Answer{Reason: "a2a-acp did not allow it: another hook has put it in the place of what was decided about"}
}

// trialTime is how long a trial of hooks may take.
const trialTime = 30 * time.Second

// tryHooks has the agent's program say which hooks it has, where it can be asked, or which version it is.
func (b *bridge) tryHooks(ctx context.Context, command []string, o RunOptions) error {
	ctx, cancel := context.WithTimeout(ctx, trialTime)
	defer cancel()
	start := func(more ...string) *exec.Cmd {
		program := exec.CommandContext(ctx, command[0], slices.Concat(command[1:], more)...)
		program.Env, program.WaitDelay = o.AgentEnv, time.Second
		return program
	}
	if terminal := o.Agent.Terminal(); terminal.Since != "" {
		said, _ := start("--version").Output() // what it does not say is no version
		if err := terminal.Old(string(said)); err != nil {
			return err
		}
	}
	if b.hooks.agent.Trial == nil {
		return nil
	}
	trial := b.hooks.agent.Trial(b.app.o.Dir, b.hooks.at)
	program := start(trial.Words...)
	stdin, err := program.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := program.StdoutPipe()
	if err != nil {
		return err
	}
	if err := program.Start(); err != nil {
		return err
	}
	defer func() {
		stdin.Close()
		cancel()
		_ = program.Wait() // it was ended, or has ended with its input
	}()
	if _, err := stdin.Write(trial.Says); err != nil {
		return err
	}
	lines := bufio.NewReader(stdout)
	for {
		line, err := lines.ReadBytes('\n')
		if over, holds := trial.Judge(bytes.TrimSpace(line)); over {
			return holds
		}
		if err != nil {
			return fmt.Errorf("it does not say which hooks it has: %w", err)
		}
	}
}
