package app

import (
	"errors"
	"fmt"
	"os/exec"
	"sync"
	"sync/atomic"

	"github.com/a2a-acp/a2a-acp/internal/yamldoc"

	a2aacp "github.com/a2a-acp/a2a-acp"
	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/dirs"
	"github.com/a2a-acp/a2a-acp/internal/gate"
	"github.com/a2a-acp/a2a-acp/internal/mcpserver"
	"github.com/a2a-acp/a2a-acp/internal/sensitive"
	"github.com/a2a-acp/a2a-acp/internal/steering"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/executor"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Options is what an App takes from outside.
type Options struct {
	ToolFiles   []string            // --tools
	PolicyFiles []string            // --policies
	Getenv      func(string) string // required
	Dir         string              // required: the current directory, absolute
	Say         func(line string)   // required: one line for the person
	Version     string
}

// Dirs says where our own files lie.
func (o Options) Dirs() dirs.Dirs { return dirs.Dirs{Getenv: o.Getenv} }

// App is the program, put together. Close it.
type App struct {
	Executor  *executor.Executor
	Gate      *gate.Gate
	Questions *approval.Questions
	Record    events.Recorder
	// Unrecorded says why nothing can be recorded; nil when it can. Then no tool runs, no rule approves anything, and
	// writes and terminals are refused.
	Unrecorded error

	o        Options
	host     *sandbox.Host
	sources  config.Sources
	recorder *recorder // of the record; nil when there is none
	state    string    // the state directory; "" when there is none
	handed   issuedSecrets

	inForce atomic.Pointer[Configuration]
	reading sync.Mutex // held while files are read, and until what they say is in force; no act waits for it, unless they have changed

	mu        sync.Mutex
	toolDoors map[*mcpserver.Door]bool // those that are open
	teardown  []func() error           // run in reverse
}

// Sources says where the files of these options are found.
func Sources(o Options) config.Sources {
	return config.Sources{
		EmbeddedTools: a2aacp.Tools, EmbeddedPolicies: a2aacp.Policies,
		ConfigHome: o.Dirs().ConfigHome(), Env: o.Getenv,
		Tools: o.ToolFiles, Policies: o.PolicyFiles, Dir: o.Dir,
		SystemDir: dirs.System,
		Workspace: o.Dirs().Workspace(o.Dir, nil), Standing: standing(o), StandingPath: standingPath(o),
	}
}

// New puts the program together. A mistake in a file is a config.Errors; nothing is half started then.
func New(o Options) (*App, error) {
	a := &App{o: o, sources: Sources(o), toolDoors: map[*mcpserver.Door]bool{}}
	if err := a.start(); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

// start is one straight line: every step needs what came before it.
func (a *App) start() error {
	seen := a.look(a.sources.Workspace) // before they are read: what changes meanwhile is read again
	set, err := config.Load(a.sources)
	if err != nil {
		return err
	}
	for _, warning := range set.Warnings {
		a.o.Say(warning.Error())
	}

	a.openRecord()
	a.Questions = approval.New(approval.Options{Dir: a.state, Record: a.Record, Unrecorded: a.Unrecorded, Say: a.o.Say, Now: now})
	a.onClose(a.Questions.Close)

	options := permissions.Options{OwnPaths: a.o.Dirs().Own(), Home: a.o.Getenv("HOME"), Ledger: a.Questions}
	if a.state != "" {
		options.Counter = newCounts(a.state)
	}
	empty := &Configuration{seen: seen, Tools: executor.NewTools(nil), Authority: permissions.New(options), Governors: a.openGovernors()}
	a.inForce.Store(a.with(empty, set))
	a.recordFiles(set.Files)
	inForce := func(w tool.Workspace) gate.InForce { return a.Refreshed(w).InForce() }
	if a.Gate, err = gate.New(gate.Options{InForce: inForce, Record: a.Record, Now: now}); err != nil {
		return err
	}

	host, err := sandbox.Open(sandbox.Options{
		AllowWeak: set.Settings.Sandbox.AllowWeak, Hidden: a.o.Dirs().Own(), Protected: sensitive.Protected(), Judge: steering.New(),
	})
	if err != nil {
		return err
	}
	a.onClose(host.Close)
	a.host = host

	bash, err := exec.LookPath("bash")
	if err != nil {
		bash = "/bin/bash" // calls will say that it is missing; the rest works without
	}
	if a.Executor, err = executor.New(executor.Options{
		InForce: func(w tool.Workspace) executor.Configuration { return a.Refreshed(w).forCalls() }, Gate: a.Gate, Host: host, Record: a.Record, Bash: bash, Vault: a.vault(), ErrorProfile: set.ErrorProfile,
		Blobs: a.blobs(),
	}); err != nil {
		return err
	}
	return nil
}

// Watch keeps the App fresh while its files change: a good change is taken over, a bad one is told once and what counted
// before still counts. Calls that are under way keep what they began with.
func (a *App) Watch() error {
	a.tellHeldBack(a.Set())
	watcher, err := config.Watch(a.sources, a.Set(), config.WatchOptions{
		Changed: func(*config.Set) {
			a.changed()
			a.o.Say("the changed configuration is in use")
		},
		Trouble: func(err error) {
			a.o.Say(fmt.Sprintf("a changed configuration is not used, what counted before still counts:\n%s", yamldoc.Shown(err)))
			a.note(events.Event{Type: events.ConfigRefused, Detail: err.Error()})
		},
	})
	if err != nil {
		return err
	}
	a.onClose(watcher.Close)
	return nil
}

// openRecord opens the record. Where there can be none, everything that depends on it is refused later, one act at a time,
// and the rest goes on.
func (a *App) openRecord() {
	dir, log, err := openLog(a.o)
	if dir != nil {
		a.state = dir.Path()
	}
	if err != nil {
		a.Unrecorded = err
		a.Record = unrecorded{err}
		a.o.Say(fmt.Sprintf("nothing can be recorded, so no tool runs, no rule approves anything, and writes and terminals are refused; the rest is relayed: %v", err))
		return
	}
	a.recorder = &recorder{Recorder: log, first: []events.Event{}}
	a.Record = a.recorder
	a.onClose(log.Close)
}

// Close ends what the App has started, the last first.
func (a *App) Close() error {
	a.mu.Lock()
	teardown := a.teardown
	a.teardown = nil
	a.mu.Unlock()
	var errs []error
	for i := len(teardown) - 1; i >= 0; i-- {
		errs = append(errs, teardown[i]())
	}
	return errors.Join(errs...)
}

func (a *App) onClose(f func() error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.teardown = append(a.teardown, f)
}
