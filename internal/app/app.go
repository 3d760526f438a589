package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"

	a2aacp "github.com/a2a-acp/a2a-acp"
	"github.com/a2a-acp/a2a-acp/internal/approval"
	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/dirs"
	"github.com/a2a-acp/a2a-acp/internal/notify"
	"github.com/a2a-acp/a2a-acp/internal/person"
	"github.com/a2a-acp/a2a-acp/internal/secret"
	"github.com/a2a-acp/a2a-acp/internal/sensitive"
	"github.com/a2a-acp/a2a-acp/internal/steering"
	"github.com/a2a-acp/a2a-acp/internal/telemetry"
	"github.com/a2a-acp/a2a-acp/internal/trust"
	"github.com/a2a-acp/a2a-acp/internal/webhook"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/executor"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
)

// Options configure an App.
type Options struct {
	ToolFiles   []string            // --tools
	PolicyFiles []string            // --policies
	Getenv      func(string) string // required
	Dir         string              // required: the current directory, absolute
	Home        string              // the home directory of our account, which no variable says; "" for none
	Say         func(line string)   // required: one line for the person
	// Heard is told of each event that this process has recorded. Optional; nothing waits for it.
	Heard   func(events.Event)
	Version string
	// OnlyTool is the tool that is used, where it is one: what is odd about others is not told. Optional.
	OnlyTool string
	// Quick is for a bridge, whose editor waits for it: New leaves the tools unread that came with the program
	// and that a2a-acp.yaml does not expose, and returns while the sandbox is still being opened.
	Quick bool
}

// Dirs locates our own files.
func (o Options) Dirs() dirs.Dirs { return dirs.Dirs{Getenv: o.Getenv} }

// InWorkspace reports whether a file, which need not exist, lies in the workspace: whoever wrote the repository may
// have brought it, and set the variable that names it (direnv does).
func (o Options) InWorkspace(path string) bool {
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		path = filepath.Join(dir, filepath.Base(path))
	}
	return o.Dirs().Workspace(o.Dir, nil).Contains(path)
}

// App is the program. Its life is New, Start, Stop, with Reload in between. It is safe for concurrent use.
//
// It owns everything that exists once in a process: the state directory, the record, the questions, the
// sandbox, the issued secrets, the counters of rules and the Configuration. A process may have many doors
// that use it; see Door.
type App struct {
	*Door // that of whoever has made the App: the verbs of the command line

	Record events.Recorder
	// Unrecorded says why nothing can be recorded; nil when it can. Then no tool runs, no rule approves
	// anything, and writes and terminals are refused.
	Unrecorded error
	// degrades says that what only reads goes on where nothing can be recorded.
	degrades bool

	o        Options
	sources  config.Sources
	lasting  []string   // the files of sources that are no workspace's
	recorder *recorder  // of the record; nil when there is none
	log      *audit.Log // likewise
	state    string     // the state directory; "" when there is none
	board    *approval.Questions
	desktop  *notify.Desktop
	host     *openingHost
	issued   secret.Issued
	hidden   *secret.Hidden // values, from the record; nil where there is no state directory
	webhooks webhooks
	claims   shownClaims
	// caller says who has started this process. It is looked at once, before Run marks the process as an agent's.
	caller func() person.Finding

	follow         sync.Once
	recordFollowed *webhook.Record     // by webhooks; see followed
	exporter       *telemetry.Exporter // nil where nothing is sent

	configuration atomic.Pointer[Configuration]
	daemon        atomic.Pointer[daemon]    // while there is one
	daemonStdout  atomic.Pointer[io.Writer] // once it has said that it is ready
	// reading is held while files are read, until what they say is in force. Acts wait for it only where
	// files have changed.
	reading sync.Mutex

	life
}

// Sources says where the files of these options are found.
func Sources(o Options) config.Sources {
	return config.Sources{
		EmbeddedTools: a2aacp.Tools, EmbeddedPolicies: a2aacp.Policies, OfferedOnly: o.Quick, Root: os.Geteuid() == 0,
		ConfigHome: o.Dirs().ConfigHome(), Home: o.Home, Env: o.Getenv,
		Tools: o.ToolFiles, Policies: o.PolicyFiles, Dir: o.Dir,
		SystemDir: dirs.System,
		Workspace: o.Dirs().Workspace(o.Dir, nil), TrustState: trust.State(o.Trust()),
		TrustPath: trust.StatePath(o.Trust()),
	}
}

// New reads the files and opens the record and the sandbox. Calls can be made from then on; Start begins
// what runs in the background. A mistake in a file is a yamldoc.Errors. Stop closes what was opened; with
// an error nothing is left open.
func New(o Options) (*App, error) {
	a := newApp(o)
	if err := a.build(a.steps()); err != nil {
		return nil, err
	}
	return a, nil
}

func newApp(o Options) *App {
	a := &App{o: o, sources: Sources(o), caller: sync.OnceValue(person.Look)}
	a.lasting = a.sources.Lasting()
	a.doors = map[*Door]bool{}
	a.ending, a.end = context.WithCancelCause(context.Background())
	a.desktop = notify.New(notify.Options{Wanted: a.wantsNotifications, Getenv: o.Getenv, Say: o.Say})
	return a
}

func (a *App) build(steps []func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return errors.Join(err, a.unwind())
		}
	}
	return nil
}

// steps is one straight line: every step needs the ones before it.
func (a *App) steps() []func() error {
	var read, seen string
	var set *config.Set
	return []func() error{
		func() (err error) {
			read = lookAt(a.lasting)
			seen = a.look(a.sources.Workspace) // before they are read: what changes meanwhile is read again
			if set, err = config.Load(a.sources); err != nil {
				return err
			}
			for _, warning := range set.About(a.o.OnlyTool) {
				a.o.Say(warning.Error())
			}
			return nil
		},
		func() error { return a.openRecord(set.Settings.Audit) },
		func() error { // behind the record, with which the state directory is made that holds its notes
			a.host = openHost(sandbox.Options{
				AllowWeak: set.Settings.Sandbox.AllowWeak, Hidden: a.o.Dirs().Own(),
				Kept: a.lasting, Protected: sensitive.Protected(), Judge: steering.New(),
				Notes: a.o.Dirs().Notes(),
			})
			a.onStop(a.host.close)
			return nil
		},
		func() error {
			a.board = approval.New(approval.Options{Dir: a.state, Record: a.Record, Unrecorded: a.Unrecorded,
				Say: a.o.Say, Now: now, Notify: a.desktop})
			a.onStop(a.board.Close)
			a.onStop(a.desktop.Close)
			return nil
		},
		func() error {
			options := permissions.Options{OwnPaths: append(a.o.Dirs().Own(), a.lasting...), Home: a.o.Getenv("HOME")}
			if a.state != "" {
				options.Counter = newCounts(a.state)
			}
			none := &Configuration{Tools: executor.NewTools(nil), Authority: permissions.New(options),
				Governors: a.openGovernors()}
			none.read = read
			a.configuration.Store(a.with(none, set, seen))
			return nil
		},
		func() (err error) {
			bash, err := exec.LookPath("bash")
			if err != nil {
				bash = "/bin/bash" // calls will say that it is missing; the rest works without
			}
			if a.Door, err = a.newDoor(); err != nil {
				return err
			}
			a.Executor, err = executor.New(executor.Options{
				InForce: a.forCalls, Gate: a.Gate, Host: a.host, Record: a.Record, Bash: bash, Vault: a.vault(),
				Client:       a.requests(),
				Reset:        a.circuitReset,
				ErrorProfile: set.ErrorProfile, Blobs: a.blobs(), Hidden: a.hidden,
				Degrades: a.degrades,
			})
			return err
		},
		func() error {
			if a.o.Quick {
				return nil // Bridge waits
			}
			_, err := a.host.wait()
			return err
		},
	}
}

// Start begins to watch the files: a good change is put in force as by Reload, a bad one is reported once.
// It is called once. Nothing that it begins ends with ctx.
func (a *App) Start(ctx context.Context) error {
	if err := a.begin(ctx); err != nil {
		return err
	}
	a.tellHeldBack(a.Set())
	a.deliver(a.Set().Settings.Webhooks)
	a.startTelemetry()
	a.tendRecord()
	watcher, err := config.Watch(a.sources, a.Set(), config.WatchOptions{
		Changed: func(*config.Set) {
			// Read again, since what the watcher has read may be older by now than what an act
			// has read.
			if a.Reload(context.Background()) == nil {
				a.o.Say("the changed configuration is in use")
			}
		},
		Trouble: a.tellRefused,
	})
	if err != nil {
		a.o.Say(fmt.Sprintf("changes of the configuration will not be noticed: %v", err))
		return nil
	}
	a.onStop(watcher.Close)
	return nil
}

// Reload reads all files again and puts the new configuration in force, as a whole, for everything that
// begins then. What is under way keeps the configuration that it began with, but before it starts a process
// the new one is asked, too. A mistake in a file is a yamldoc.Errors: then the previous configuration stays
// in force, which is reported and recorded. After Stop it returns ErrStopped.
func (a *App) Reload(ctx context.Context) error {
	err := a.whenQuiet(func(look string) (*Configuration, error) {
		if a.isStopped() {
			return nil, ErrStopped
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		c, seen := a.Configuration(), a.look(a.sources.Workspace)
		set, err := config.Reload(a.sources, c.Set)
		if err != nil {
			return nil, err
		}
		next := a.with(c, set, seen)
		next.read = look
		return next, nil
	})
	if err != nil && !errors.Is(err, ErrStopped) && ctx.Err() == nil {
		a.tellRefused(err)
	}
	return err
}

func (a *App) tellRefused(err error) {
	a.o.Say(fmt.Sprintf("a changed configuration is not used, what counted before still counts:\n%s",
		yamldoc.Shown(err)))
	a.note(events.Event{Type: events.ConfigRefused, Detail: err.Error()})
}

// Stop ends the App. No call begins any more. Calls under way have until ctx ends, and are ended then.
// Doors that are still open are told to close, and Stop waits until they have. Then everything that New and
// Start have opened is closed, the last first. A second Stop waits for the first and returns its error.
func (a *App) Stop(ctx context.Context) error {
	a.stopping.Do(func() {
		a.reading.Lock() // what is being read is in force first
		open := a.stopped()
		a.reading.Unlock()
		var draining sync.WaitGroup
		for _, door := range append(open, a.Door) {
			draining.Go(func() { door.Executor.Drain(ctx) }) // ends with the calls
		}
		draining.Wait()
		a.closeDrivers()
		a.end(ErrStopped)
		a.open.Wait()
		a.stopErr = a.unwind()
	})
	return a.stopErr
}

// openRecord opens the record. If that is not possible, everything that depends on it is refused later, act
// by act, and the rest goes on.
func (a *App) openRecord(settings config.Audit) error {
	how := a.recordOptions(settings)
	if path, err := StateDir(a.o); err == nil {
		a.hidden = &secret.Hidden{Hashes: secret.NewHashes(path)}
		how.Hide = a.hidden.Hide
	}
	dir, log, err := openLogWith(a.o, how)
	if dir != nil {
		a.state = dir.Path()
	}
	a.degrades = settings.Degrade
	switch {
	case err != nil && settings.Degrade:
		a.Unrecorded = err
		again := &reopenedRecord{err: err, tried: now(), open: func() (*audit.Log, error) {
			_, log, err := openLogWith(a.o, how)
			return log, err
		}}
		a.onStop(again.Close)
		late := &lateRecorder{record: again, say: a.o.Say}
		late.fails(err)
		a.onStop(late.Close)
		a.Record = late
		return nil
	case err != nil:
		a.Unrecorded = err
		a.Record = unrecorded{err}
		a.o.Say(fmt.Sprintf("nothing can be recorded, so no tool runs, no rule approves anything, "+
			"and writes and terminals are refused; the rest is relayed: %v", err))
		return nil
	}
	a.onStop(a.closeTelemetry) // when the last event is on disk
	a.onStop(log.Close)
	a.log = log
	a.recorder = &recorder{Recorder: log, first: []events.Event{}, violated: a.tellViolation, begins: a.enlist}
	if a.o.Heard != nil {
		a.recorder.heard = func(e events.Event) { a.o.Heard(audit.Hidden(e, how.Hide)) }
	}
	if settings.Degrade {
		late := &lateRecorder{record: log, say: a.o.Say}
		a.onStop(late.Close)
		a.recorder.Recorder = late
	}
	a.Record = a.recorder
	return nil
}
