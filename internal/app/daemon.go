package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/person"
	"github.com/a2a-acp/a2a-acp/internal/secret"
	"github.com/a2a-acp/a2a-acp/internal/serve"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// DaemonOptions is what the daemon takes from outside.
type DaemonOptions struct {
	Listen    []string // addresses, in place of those of the configuration
	Inherited []*os.File
	Manager   serve.Manager
	NoAuth    bool          // nobody has to show a token
	Workspace string        // absolute, in place of that of the configuration; "" for that
	Grace     time.Duration // likewise
	Stdout    io.Writer     // required: gets the first line
	// Signals are SIGHUP, which reads the files again, and others, which end the daemon: the first when what is
	// under way has ended, the second at once. Required.
	Signals <-chan os.Signal

	doors []func() (serve.Door, error) // further ones, of tests
}

// Daemon serves the doors until a signal ends it. It reports whether a second signal did.
func (a *App) Daemon(o DaemonOptions) (atOnce bool, err error) {
	if a.Unrecorded != nil {
		return false, fmt.Errorf("a daemon without a record could do nothing: %w", a.Unrecorded)
	}
	d := &daemon{app: a, o: o, visits: newVisits(a.note), caller: person.Look()}
	if d.lock, err = lockDaemon(a.state); err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, d.lock.release()) }()
	if err := d.open(); err != nil {
		return false, err
	}
	a.daemon.Store(d)
	defer a.daemon.Store(nil)
	d.changed(a.Set().Settings.Serve) // it may have since open has looked
	o.Manager.Tell("READY=1")
	defer func() { a.note(events.Event{Type: events.DaemonEnded}) }()
	return d.run()
}

// daemon is the daemon of an App.
type daemon struct {
	app    *App
	o      DaemonOptions
	lock   *daemonLock
	server *serve.Server
	visits *visits
	caller person.Finding // who has started it

	mu   sync.Mutex
	used serve.Settings // those that are in force, as the configuration has them
}

// open makes the server, with all doors, and opens its listeners.
func (d *daemon) open() (err error) {
	doors, err := openDoors(append(d.app.daemonDoors(), d.o.doors...))
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			closeDoors(doors)
		}
	}()
	d.used = d.app.Set().Settings.Serve
	options := serve.Options{
		Settings: d.settings(d.used), Doors: doors, Inherited: d.o.Inherited, Version: d.app.o.Version,
		Ready: d.ready, Say: d.app.o.Say, Resolve: d.resolve, Visited: d.visits.tell,
	}
	if err := d.checkWorkspaces(d.used); err != nil {
		return err
	}
	if err := d.addIdentities(&options); err != nil {
		return err
	}
	if d.server, err = serve.New(options); err != nil {
		return err
	}
	if err := d.server.Listen(); err != nil {
		return err
	}
	line, err := d.server.FirstLine()
	if err == nil {
		err = d.lock.tell(line)
	}
	if err == nil {
		d.app.note(events.Event{Type: events.DaemonStarted, Coverage: d.coverage()})
		_, err = d.o.Stdout.Write(line) // who connects now is answered in a moment
	}
	if err != nil {
		return errors.Join(err, d.server.Close())
	}
	return nil
}

// settings returns the settings of the configuration with what the flags say in its place.
func (d *daemon) settings(s serve.Settings) serve.Settings {
	if len(d.o.Listen) > 0 {
		s.Listen = d.o.Listen
	}
	here := d.app.o.Dirs().Workspace(d.app.o.Dir, nil).Root // "" where it cannot be one
	s.Workspace = cmp.Or(d.o.Workspace, s.Workspace, here)
	s.Grace = cmp.Or(d.o.Grace, s.Grace)
	if d.caller.AgentsAct() {
		s.Principals = renamed(s.Principals, func(p *serve.PrincipalSpec) { p.Scopes = agentsOwn(p.Scopes) })
		s.Issuers = renamed(s.Issuers, func(i *serve.IssuerSpec) { i.Scopes = agentsOwn(i.Scopes) })
	}
	return s
}

// checkWorkspaces refuses directories in which nobody could work: calls there would be made somewhere else.
func (d *daemon) checkWorkspaces(s serve.Settings) error {
	var errs []error
	check := func(at tool.Source, what string, paths ...string) {
		for _, path := range paths {
			if info, err := os.Stat(path); path != "" && (err != nil || !info.IsDir()) {
				errs = append(errs, &serve.SettingError{Source: at, Err: fmt.Errorf("%s: the workspace %s is no directory", what, path)})
			} else if path != "" && d.app.o.Dirs().Workspace(path, nil).Root == "" {
				errs = append(errs, &serve.SettingError{Source: at,
					Err: fmt.Errorf("%s: %s cannot be a workspace: it holds a home, or files of this program", what, path)})
			}
		}
	}
	check(tool.Source{}, "serve", s.Workspace)
	for _, name := range slices.Sorted(maps.Keys(s.Principals)) {
		p := s.Principals[name]
		check(p.Source, "the principal "+name, p.Workspace, p.MCP.Workspace)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Issuers)) {
		i := s.Issuers[name]
		check(i.Source, "the issuer "+name, i.Workspace, i.MCP.Workspace)
	}
	return errors.Join(errs...)
}

// run serves until a signal ends it.
func (d *daemon) run() (atOnce bool, err error) {
	stop, end := context.WithCancel(context.Background())
	now, endNow := context.WithCancel(context.Background())
	defer end()
	defer endNow()
	over := make(chan struct{})
	var beside sync.WaitGroup
	beside.Go(func() { atOnce = d.listen(stop, over, end, endNow) }) // ends with the daemon
	beside.Go(func() { d.o.Manager.Beat(over, d.alive) })            // likewise
	err = d.server.Run(stop, now)
	close(over)
	beside.Wait()
	return atOnce, err
}

// listen does what signals say, until over is closed. It reports whether it was told twice to end the daemon.
func (d *daemon) listen(stop context.Context, over <-chan struct{}, end, endNow func()) (atOnce bool) {
	for {
		select {
		case <-over:
			return atOnce
		case signal := <-d.o.Signals:
			switch {
			case signal == syscall.SIGHUP:
				d.reload()
			case stop.Err() == nil:
				d.o.Manager.Tell("STOPPING=1")
				d.app.o.Say("no call begins any more; those under way go on, until they end or the grace does")
				end()
			default:
				atOnce = true
				endNow()
			}
		}
	}
}

// reload reads everything again: the files, and what they refer to.
func (d *daemon) reload() {
	d.o.Manager.Reloading()
	defer d.o.Manager.Tell("READY=1")
	if d.app.Reload(context.Background()) != nil {
		return // said, and on record
	}
	if d.use(d.app.Set().Settings.Serve) {
		d.app.o.Say("the configuration was read again, and is in use")
	}
}

// changed is told which settings are in force now; most often they are those that were before.
func (d *daemon) changed(s serve.Settings) {
	d.mu.Lock()
	same := reflect.DeepEqual(s, d.used)
	d.mu.Unlock()
	if !same {
		d.use(s)
	}
}

// use puts settings in force. With a mistake in them, or in what they refer to, those before still are.
func (d *daemon) use(s serve.Settings) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !reflect.DeepEqual(s.Listen, d.used.Listen) && len(d.o.Listen) == 0 {
		d.app.o.Say("serve.listen: the daemon listens elsewhere once it is started again")
	}
	d.used = s // what is wrong is told once
	err := d.checkWorkspaces(s)
	if err == nil {
		err = d.server.Configure(d.settings(s))
	}
	if err != nil {
		d.app.o.Say(fmt.Sprintf("the changed settings of the daemon are not used, what counted before still counts:\n%v", err))
		d.app.note(events.Event{Type: events.ConfigRefused, Detail: err.Error()})
		return false
	}
	return true
}

// resolve returns the token that a reference names. It may stand in a file of ours, and in a variable of ours:
// it is for this program.
func (d *daemon) resolve(r tool.Reference) (string, error) {
	if r.Env != "" {
		value := d.app.o.Getenv(r.Env)
		if value == "" {
			return "", fmt.Errorf("the variable %s is not set where a2a-acp was started", r.Env)
		}
		return value, nil
	}
	vault := d.app.vault()
	vault.Own = nil
	if r.Secret != "" {
		vault.Store = secret.NewStore(d.app.state)
	}
	value, err := vault.Value(context.Background(), r)
	if err == nil && r.File != "" {
		if info, statErr := os.Stat(r.File); statErr == nil && info.Mode().Perm()&0o002 != 0 {
			return "", fmt.Errorf("the file %s may be written by everybody (mode %04o): chmod o-w it", r.File, info.Mode().Perm())
		}
	}
	return value, err
}

// ready says why no call can be taken.
func (d *daemon) ready() error {
	if d.app.isStopped() {
		return ErrStopped
	}
	if err := d.app.recorder.trouble.Load(); err != nil {
		return *err
	}
	return nil
}

// alive reports whether the daemon gets on: nobody holds what every reload needs. That somebody does once in a
// while is no harm: the service manager waits for the second time.
func (d *daemon) alive() bool {
	free := d.app.reading.TryLock()
	if free {
		d.app.reading.Unlock()
	}
	return free
}

// coverage says on record who may call, and where.
func (d *daemon) coverage() map[string]string {
	c := map[string]string{"listen": strings.Join(d.server.URLs(), " "), "authentication": "tokens"}
	if d.o.NoAuth {
		c["authentication"] = "none"
	}
	if d.caller.AgentsAct() {
		c["started by"] = "maybe an agent: " + d.caller.Reason
	}
	return c
}
