package app

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/agents"
	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/confine"
	"github.com/a2a-acp/a2a-acp/internal/exit"
	"github.com/a2a-acp/a2a-acp/internal/hook"
	"github.com/a2a-acp/a2a-acp/internal/lines"
	"github.com/a2a-acp/a2a-acp/internal/ndjson"
	"github.com/a2a-acp/a2a-acp/internal/person"
	"github.com/a2a-acp/a2a-acp/internal/resident"
	"github.com/a2a-acp/a2a-acp/internal/supervisor"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/acp"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// BridgeOptions is what a bridge takes from outside.
type BridgeOptions struct {
	Command   []string // required: the agent
	AgentEnv  []string // required: the agent's environment
	EditorIn  io.Reader
	EditorOut io.Writer
	Stderr    *lines.Writer // required
	MaxFrame  int           // bytes
	Hooks     HookUse
	// SummaryCard has a card at the end of each turn say what the turn came to.
	SummaryCard bool

	Confinement confine.Confinement // the sandbox that the agent is to be in
	// Driven is set where nobody looks at an editor. Optional.
	Driven *Driven
	// Again is what starts a bridge like this one, behind the program and in front of an agent's command.
	// Optional: without it the editor runs no command that the agent names for its login.
	Again []string
}

// Driven is what is different where a client of ours drives the agent, and plays the editor for it.
type Driven struct {
	Dir       string // required: where the agent works, absolute and without links
	Principal string // required: who talks to it, by a name of the daemon's where Served says so
	Served    bool
	Person    acp.Person            // required: who is asked
	Terminals acp.Terminals         // runs commands for an agent that is in no sandbox; nil if it may have none run
	Patience  time.Duration         // as in acp.Options
	Say       func(line string)     // required: is told what the person is told
	Ended     func(supervisor.Exit) // required: is told how the agent has ended
}

// Bridge runs an agent behind a bridge until one of the two sides ends, or the App does, and returns the
// agent's exit code. With an error the code is ours: the agent could not be started. The last line on Stderr
// says how it ended. An App may have several at once.
func (a *App) Bridge(ctx context.Context, o BridgeOptions) (code int, err error) {
	relayed := false
	defer func() {
		if err != nil && !relayed && o.Driven == nil && o.EditorIn != nil {
			RefuseEditor(o.EditorIn, o.EditorOut, err)
		}
	}()
	if err := MustConfine(a.Set(), o.Confinement.On(), o.Confinement.BestEffort); err != nil {
		return exit.Denied, err
	}
	door, err := a.openDoor()
	if err != nil {
		return exit.Host, err
	}
	defer door.close()
	o.AgentEnv = a.forAgents(o.AgentEnv)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(a.ending, func() { cancel(ErrStopped) })()

	self, err := os.Executable()
	if err != nil {
		return exit.Host, err
	}
	for _, stream := range []any{o.EditorIn, o.EditorOut} {
		if file, ok := stream.(*os.File); ok {
			ndjson.Prepare(file)
		}
	}
	b := &bridge{app: a, door: door, self: self, stderr: o.Stderr, known: agents.CoverageOf(o.Command, false),
		caller: a.caller(), dir: a.o.Dir}
	if o.Driven != nil {
		b.dir = o.Driven.Dir
	}
	command, before := o.Command, o.AgentEnv
	hooking, hooked, err := a.hooksOf(o)
	if err != nil {
		return exit.Usage, err
	}
	if asking, _ := hook.ByName(hooking.Name); hooked && asking.Variable != "" {
		o.Confinement.Environment = append(slices.Clone(o.Confinement.Environment), asking.Variable)
	}
	if o.Confinement.On() {
		if code, err = b.confine(o.Confinement, o.Command); err != nil {
			return code, err
		}
		defer func() { err = errors.Join(err, b.boundary.Close()) }()
		command = b.boundary.Command()
	}
	if hooked {
		if b.hooks, err = a.openHooks(hooking, b, o); err != nil {
			return exit.Host, err
		}
	}
	if b.hooks != nil {
		defer b.hooks.close()
		b.hooks.tooOld = func() { b.withoutHooks(o.Command) }
		o.AgentEnv, b.known = b.hooks.environ, agents.CoverageOf(o.Command, true)
		command = slices.Concat(command, b.hooks.words)
	}
	b.startedAs = b.nameStart(o.Command, before, o.Confinement)
	if !o.Confinement.On() {
		o.AgentEnv = b.startAsking(o.Command, o.AgentEnv)
	}
	agent, err := supervisor.Start(ctx,
		supervisor.Options{Self: self, Command: command, Env: o.AgentEnv, Dir: b.dir, Prepare: ndjson.Prepare})
	if err != nil {
		return exit.Host, err
	}
	b.agent = agent
	if _, err := a.host.wait(); err != nil {
		agent.Stop()
		return exit.Host, err
	}
	relayed = true
	return b.run(ctx, o)
}

// RefuseEditor tells an editor why it gets no agent: it may show nobody what stands on standard error.
func RefuseEditor(in io.Reader, out io.Writer, why error) {
	const patience = 3 * time.Second // for its first request, which it makes at once
	if len(yamldoc.List(why)) > 0 {
		why = errors.New(yamldoc.Shown(why)) // with what helps
	}
	acp.Refuse(in, out, why, patience)
}

// confine makes the agent's sandbox ready. With an error comes the exit code.
func (b *bridge) confine(c confine.Confinement, command []string) (code int, err error) {
	host, err := b.app.host.wait()
	if err != nil {
		return exit.Host, err
	}
	options := b.app.o.Confine()
	options.Dir = b.dir
	c.Hidden = b.app.unreadable(b.app.o.Dirs().Workspace(b.dir, nil), c)
	b.boundary, code, err = confine.NewBoundary(confine.BoundaryOptions{
		Options: options, Confinement: c, Self: b.self, Agent: command, Host: host, Note: b.app.note,
	})
	return code, err
}

// bridge is one agent behind a door: in a running bridge the agent's processes and the relay, or an agent in
// a terminal of its own (run.go).
type bridge struct {
	app          *App
	door         *Door
	self         string
	dir          string // where the agent starts
	agent        *supervisor.Agent
	stderr       *lines.Writer
	known        agents.Coverage
	boundary     *confine.Boundary // nil where the agent is not confined
	hooks        *hookDoor         // where the agent asks us before each act of its own; nil where it does not
	startedAs    string            // see nameStart
	unaskedModes []string          // its modes in which nothing holds it and nobody is asked
	caller       person.Finding    // who has started it, and so who answers in its editor
	left         atomic.Bool       // the editor has gone, before the agent did
}

func (b *bridge) run(ctx context.Context, o BridgeOptions) (_ int, err error) {
	settings := b.app.Set().Settings
	own := &confine.Terminals{Self: b.self}
	defer func() { err = errors.Join(err, own.Close()) }()
	var hooks acp.HookDoor
	if b.hooks != nil { // a nil *hookDoor would not be nil there
		hooks = b.hooks
	}
	summaries := b.app.newSummaries()
	known, _ := agents.ByCommand(o.Command)
	options := acp.Options{
		EditorIn: o.EditorIn, EditorOut: o.EditorOut, AgentIn: b.agent.Stdin, AgentOut: b.agent.Stdout,
		Gate: b.door.Gate, Record: summaries, Mark: b.app.hidden.Mark, Degrades: b.app.degrades,
		Tools:         &toolDoor{Door: b.door, self: b.self, boundary: b.boundary},
		Hooks:         hooks,
		UnaskedModes:  b.unaskedModes,
		SearchDir:     known.SearchDir,
		Board:         b.door.Questions,
		Principal:     b.principal(o.Command),
		Started:       b.startedAs,
		Workspace:     func(cwd string, additional []string) tool.Workspace { return b.app.o.Dirs().Workspace(cwd, additional) },
		Admit:         b.admit,
		Stop:          b.stop,
		Abandoned:     b.agent.Abandoned(),
		Exit:          func() string { return b.agent.Wait().String() },
		Logins:        func(logins [][]string) { b.rememberLogins(o.Command, logins) },
		LoginCommand:  func(command []string) []string { return b.loginCommand(o, command) },
		Say:           b.app.o.Say,
		Noise:         func(line []byte) { b.stderr.Raw("agent stdout: ", line) },
		ForwardAlways: settings.Always == config.AlwaysForward,
		HideFiles:     settings.Mask.FS, HideTerminals: settings.Mask.Terminal,
		MaxFrame: max(o.MaxFrame, settings.MaxFrame),
		Prefix:   "a2a-acp-" + random() + "-",

		Confinement: b.confinement(), Terminals: own,
	}
	if o.SummaryCard {
		options.BeginTurn = summaries.beginTurn
	}
	if o.Driven != nil {
		b.drive(&options, o.Driven)
	}
	options.Cancelled = b.cancelsLeft(options)
	relay, err := acp.New(options)
	if err != nil {
		return exit.Host, err
	}
	b.started(o.Command)
	resident.GiveBack() // while the agent starts, of which most take a second

	var relayed sync.WaitGroup
	relayed.Go(func() { b.relayStderr() }) // ends when the agent's tree has closed its stderr
	runErr := relay.Run(ctx)
	exit := b.agent.Wait()
	relayed.Wait()
	if o.Driven != nil {
		o.Driven.Ended(exit)
	}
	b.app.note(events.Event{Type: events.BridgeEnded, Detail: exit.String()})
	summaries.tellAll()
	if runErr != nil {
		b.app.o.Say(fmt.Sprintf("the relay broke: %v", runErr))
	}
	if exit.Code() != 0 || ctx.Err() == nil {
		b.app.o.Say("the agent ended: " + exit.String())
	}
	if b.left.Load() && ctx.Err() == nil && (exit.Signalled() || b.boundary != nil && isSignalCode(exit.Code())) {
		return 0, nil // the editor was done with an agent that does not end with its input, as Gemini does not
	}
	return exit.Code(), nil
}

// drive has a client of ours drive the agent.
func (b *bridge) drive(options *acp.Options, by *Driven) {
	options.Person, options.Served = by.Person, by.Served
	options.Pause = 1 // nobody clicks
	options.Terminals, options.Principal, options.Patience = by.Terminals, by.Principal, by.Patience
	options.HideTerminals = options.HideTerminals || by.Terminals == nil && b.boundary == nil
	if b.caller.AgentsAct() {
		options.Principal, options.Served = "some agent's own daemon, for "+by.Principal, false
	}
	options.Say = func(line string) {
		b.app.o.Say(line)
		by.Say(line)
	}
}

// cancelsLeft returns what has the questions be over that an earlier bridge has left for a session.
func (b *bridge) cancelsLeft(options acp.Options) func(agent, session string, why error) {
	principal := ""
	if options.Served {
		principal = options.Principal
	}
	return func(agent, session string, why error) {
		err := b.door.Questions.CancelSession(context.Background(), agent, session, principal, why.Error())
		if err != nil {
			options.Say(fmt.Sprintf("questions that were left in the session may still stand open, and yeses to them count: %v", err))
		}
	}
}

// withoutHooks corrects what is said of an agent that turns out to be too old for its hooks.
func (b *bridge) withoutHooks(command []string) {
	b.known = agents.CoverageOf(command, false)
	b.started(command)
}

// startAsking returns the environment that starts an agent in a mode in which it asks, unless its hooks do, or
// that says which mode it is to start in.
func (b *bridge) startAsking(command, environ []string) []string {
	agent, known := agents.ByCommand(command)
	if !known {
		return environ
	}
	if b.hooks == nil || b.hooks.words == nil { // else it asks in each
		b.unaskedModes = agent.UnaskedModes
	}
	name, value, _ := strings.Cut(agent.Asking, "=")
	said := func(variable string) bool { return strings.HasPrefix(variable, name+"=") }
	if b.hooks != nil || name == "" || slices.ContainsFunc(environ, said) {
		return environ
	}
	b.app.o.Say(fmt.Sprintf("%s starts in its mode %s, since in its own default it asks nobody; set %s to choose another",
		agent.Title, value, name))
	return append(slices.Clip(environ), agent.Asking)
}

// principal says for whom questions are asked. What a person was asked by his own bridge is another's in one
// that an agent has started: who answers there is that agent, and who has answered elsewhere meant his own.
func (b *bridge) principal(command []string) string {
	if b.caller.AgentsAct() {
		return "some agent's own bridge of " + permissions.QuoteArgv(command)
	}
	return permissions.QuoteArgv(command)
}

// rememberLogins keeps what the agent adds to its command for a login. Without a state directory a login
// still works from a terminal. What a bridge hears that an agent has started is not kept: it would have a
// command of a person's run without a bridge.
func (b *bridge) rememberLogins(command []string, logins [][]string) {
	if b.app.state == "" || b.caller.AgentsAct() {
		return
	}
	if err := agents.LoginsIn(b.app.state).Remember(command, logins); err != nil {
		b.app.o.Say(fmt.Sprintf("logins are not remembered: %v", err))
	}
}

// loginCommand returns the command that the editor is to run for a login that the agent names: a bridge like
// this one, which with a terminal as its standard input becomes the agent, known as one, and confined if
// this one is. A confined agent is shown the files of its own program; it may name no other.
func (b *bridge) loginCommand(o BridgeOptions, command []string) []string {
	if len(o.Again) == 0 || o.Confinement.On() && !confine.SameFiles(command, o.Command) {
		return nil
	}
	return slices.Concat([]string{b.self}, o.Again, command)
}

// isSignalCode reports whether an exit code is that of an agent which we ended in its sandbox: what is around
// it passes on what signal it got as an exit code.
func isSignalCode(code int) bool {
	return code == 128+int(syscall.SIGTERM) || code == 128+int(syscall.SIGKILL)
}

func (b *bridge) stop(why acp.StopCause) {
	b.left.Store(why == acp.EditorGone)
	b.door.Questions.Leave()
	if b.hooks != nil {
		b.hooks.end()
	}
	go b.agent.Stop() // ends with the agent; run waits for it through Wait
}

// started says what this bridge can and cannot say no to.
func (b *bridge) started(command []string) {
	shown := strings.Join(command, " ")
	b.app.o.Say(fmt.Sprintf("guarding %s; files: %s; terminals: %s; prompts: %s; its own acts: %s", shown,
		b.known.Files, b.known.Terminals, b.known.Prompts, b.known.Own))
	coverage := b.coverage()
	if b.caller.AgentsAct() {
		b.app.o.Say("an agent has started this bridge, or may have: what its editor answers is no person's word (" +
			b.caller.Reason + ")")
		coverage["answers"] = "maybe an agent's: " + b.caller.Reason
	}
	b.app.note(events.Event{Type: events.BridgeStarted, Command: command, Coverage: coverage})
}

// coverage is what is known of the agent, for the record. That it is confined is said.
func (b *bridge) coverage() map[string]string {
	coverage := b.known.Map()
	if b.boundary != nil {
		says := b.boundary.String()
		if b.agent != nil { // in a terminal of its own there is no editor
			says += "; what the editor does for it is held to the same"
		}
		b.app.o.Say(says)
		coverage["confined"] = says
	}
	return coverage
}

// confinement returns the agent's sandbox as the relay knows it; a nil *Boundary would not be nil there.
func (b *bridge) confinement() acp.Confinement {
	if b.boundary == nil {
		return nil
	}
	return b.boundary
}

// admit looks at a session before it begins.
func (b *bridge) admit(w tool.Workspace, cwd string) error {
	if b.boundary != nil {
		if err := b.boundary.Admit(w, cwd); err != nil {
			return err
		}
	}
	return b.app.admitAt(w, cwd)
}

// relayStderr passes the agent's stderr on, a line at a time.
func (b *bridge) relayStderr() {
	var to io.Writer = b.stderr
	if b.boundary != nil {
		to = io.MultiWriter(b.stderr, b.boundary.Stderr())
	}
	if _, err := io.Copy(to, b.agent.Stderr); err != nil && !errors.Is(err, os.ErrClosed) {
		b.app.o.Say(fmt.Sprintf("the agent's stderr broke: %v", err))
	}
	b.stderr.Flush()
}

// admitAt is admit for what begins in a directory.
func (a *App) admitAt(w tool.Workspace, dir string) error {
	for _, dir := range append(w.Dirs(), dir) {
		if err := a.sources.Admit(dir, a.Set().Files); err != nil {
			return err
		}
	}
	return a.admit(w)
}

// admit looks at a session before it begins. No file that the environment names may lie in its workspace,
// since whoever wrote the repository could have set the variable (direnv does); and what the workspace itself
// forbids holds in it.
func (a *App) admit(w tool.Workspace) error {
	for _, file := range a.Set().Files {
		if file.Layer == tool.LayerEnvironment && w.Contains(file.Path) {
			return fmt.Errorf("%s is named by the environment and lies in the workspace, whose author could have set that; "+
				"move it, or name it with a flag", file.Path)
		}
	}
	a.reading.Lock()
	defer a.reading.Unlock()
	c, err := a.readOwn(a.Configuration(), w)
	if err != nil {
		return err
	}
	a.configuration.Store(c)
	return nil
}

func random() string {
	var b [8]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

func now() time.Time { return time.Now() }
