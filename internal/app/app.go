package app

import (
	"errors"
	"fmt"
	"os/exec"
	"sync"

	a2aacp "github.com/a2a-acp/a2a-acp"
	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/dirs"
	"github.com/a2a-acp/a2a-acp/internal/gate"
	"github.com/a2a-acp/a2a-acp/internal/governor"
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
	Registry  *executor.Registry
	Executor  *executor.Executor
	Authority *permissions.Authority
	Governors *governor.Governors
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

	fresh fresh

	mu        sync.Mutex
	set       *config.Set
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
	a := &App{o: o, sources: Sources(o), Registry: &executor.Registry{}, toolDoors: map[*mcpserver.Door]bool{}}
	if err := a.start(); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

// start is one straight line: every step needs what came before it.
func (a *App) start() error {
	a.fresh.readMain(a.looks(a.sources.Workspace)) // before it is read: what changes meanwhile is read again
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

	options := permissions.Options{
		Policies: permissions.NewSet(set.Policies),
		OwnPaths: a.o.Dirs().Own(),
		Home:     a.o.Getenv("HOME"),
		Ledger:   a.Questions,
		Before:   a.refresh,
	}
	if a.state != "" {
		options.Counter = newCounts(a.state)
	}
	a.Authority = permissions.New(options)
	a.Governors = a.openGovernors()
	if a.Gate, err = gate.New(gate.Options{Rules: a.Authority, Governors: a.Governors, Record: a.Record, Now: now}); err != nil {
		return err
	}
	a.use(set)

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
		Tools: a.Registry, Gate: a.Gate, Screener: a.Governors, Host: host, Record: a.Record, Bash: bash, Vault: a.vault(), ErrorProfile: set.ErrorProfile,
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
			a.o.Say(fmt.Sprintf("a changed configuration is not used, what counted before still counts:\n%s", config.Shown(err)))
			a.note(events.Event{Type: events.ConfigRefused, Detail: err.Error()})
		},
	})
	if err != nil {
		return err
	}
	a.onClose(watcher.Close)
	return nil
}

// use takes a set over. Everything that can fail has been done.
func (a *App) use(set *config.Set) {
	a.mu.Lock()
	a.set = set
	a.mu.Unlock()
	var everywhere []config.Loaded
	for _, loaded := range set.Tools {
		if loaded.Tool.Source.Layer != tool.LayerProject {
			everywhere = append(everywhere, loaded)
		}
	}
	entries := entriesOf(everywhere)
	a.holdBack(set, entries)
	a.Registry.Replace(entries)
	a.Authority.Replace(permissions.NewSet(set.Policies))
	var governors []governor.File
	for _, file := range set.Governors {
		if !file.Project {
			governors = append(governors, file)
		}
	}
	a.Governors.Replace(governors)
	a.useOwn(a.sources.Workspace, set)
	a.inForce(set.Files)
	a.mu.Lock()
	defer a.mu.Unlock()
	for door := range a.toolDoors {
		door.Changed() // agents that are running may offer other tools from now on
	}
}

// useOwn puts the tools and governors of a workspace's own in force there, and only there. Its policies know where they are at
// home (permissions.File.Root).
func (a *App) useOwn(w tool.Workspace, set *config.Set) {
	if w.Root == "" {
		return
	}
	var governors []governor.File
	for _, file := range set.Governors {
		if file.Project {
			governors = append(governors, file)
		}
	}
	a.Governors.Tighten(w, governors)
	entries := entriesOf(a.ownTools(set))
	if len(entries) > 0 {
		a.watchScripts(w.Root, entries)
	}
	a.Registry.Own(w.Root, entries)
}

// ownTools are the tools of a set that a workspace brings and that stand in nobody's place.
func (a *App) ownTools(set *config.Set) []config.Loaded {
	var ids []string
	for _, entry := range a.Registry.List() {
		ids = append(ids, entry.Tool.ID)
	}
	var own []config.Loaded
	for _, loaded := range set.Tools {
		if loaded.Tool.Source.Layer != tool.LayerProject {
			continue
		}
		if why := config.MayNotAdd(loaded.Tool.ID, ids); why != "" {
			a.o.Say(fmt.Sprintf("%s: tool %q of the workspace is left out: %s", loaded.Tool.Source, loaded.Tool.ID, why))
			continue
		}
		own = append(own, loaded)
	}
	return own
}

// entriesOf makes tools ready to be called.
func entriesOf(tools []config.Loaded) []*executor.Entry {
	entries := make([]*executor.Entry, 0, len(tools))
	for i := range tools {
		loaded := &tools[i]
		entries = append(entries, &executor.Entry{
			Tool: &loaded.Tool, Template: loaded.Template, Confirmation: loaded.Confirmation, CacheKey: loaded.CacheKey,
			Details: loaded.Details,
		})
	}
	return entries
}

// inForce records which files count from now on, by what they say: before the first act that is decided by them.
func (a *App) inForce(files []config.File) {
	event := events.Event{Type: events.ConfigLoaded, Time: now()}
	for _, file := range files {
		event.Files = append(event.Files, events.File{Path: file.Name, Layer: file.From(), SHA256: file.SHA256()})
	}
	if a.recorder == nil || !a.recorder.before(event) {
		a.note(event)
	}
}

// Set gives the configuration that counts now.
func (a *App) Set() *config.Set {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.set
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
