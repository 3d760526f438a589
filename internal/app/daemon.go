package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/person"
	"github.com/a2a-acp/a2a-acp/internal/serve"
	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// certificatesName is the directory in the state directory with what an authority has given (serve: {tls: {acme: …}}).
const certificatesName = "certificates"

// DaemonOptions is what the daemon takes from outside.
type DaemonOptions struct {
	Listen    []string // addresses, in place of those of the configuration
	Inherited []*os.File
	Manager   serve.Manager
	NoAuth    bool          // nobody has to show a token
	Workspace string        // absolute, in place of that of the configuration; "" for that
	Grace     time.Duration // likewise
	Agents    AgentsOptions // required: for the agents that A2A clients talk to. Served is set
	Stdout    io.Writer     // required: gets the first line
	// Signals are SIGHUP, which reads the files again, and others, which end the daemon: the first when what is
	// under way has ended, the second at once. Required.
	Signals <-chan os.Signal

	doors []func() (serve.Door, error) // further ones, of tests
}

// Daemon serves the doors until a signal ends it. It reports whether a second signal did.
func (a *App) Daemon(o DaemonOptions) (atOnce bool, err error) {
	if a.Unrecorded != nil {
		return false, fmt.Errorf("a daemon does not begin without a record, which its doors follow: %w", a.Unrecorded)
	}
	d := &daemon{app: a, o: o, visits: newVisits(a.note), caller: a.caller(),
		hungUp: make(chan struct{}, 1), differ: make(chan struct{}, 1)}
	if d.lock, err = lockDaemon(a.state); err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, d.lock.release()) }()
	if err := d.open(); err != nil {
		return false, err
	}
	a.daemonStdout.Store(&o.Stdout)
	a.daemon.Store(d)
	defer a.daemon.Store(nil)
	d.changed(a.Set().Settings.Serve) // it may have since open has looked
	for _, line := range config.CommonVariables(a.o.Getenv) {
		a.o.Say(line)
	}
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

	// hungUp and differ have something to read where the files are to be read again, and where what they say of the
	// daemon has changed.
	hungUp, differ chan struct{}

	mu   sync.Mutex
	used serve.Settings // those that were put in force last, as the configuration has them
}

// open makes the server, with all doors, and opens its listeners.
func (d *daemon) open() (err error) {
	doors, err := openDoors(append(d.app.daemonDoors(d.o.Agents), d.o.doors...))
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
		CertificateDir: filepath.Join(d.app.state, certificatesName),
		Ready:          d.ready, Say: d.app.o.Say, Resolve: d.resolve, Visited: d.visits.tell,
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
		err = d.lock.tell(d.server.URLs())
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

// run serves until a signal ends it.
func (d *daemon) run() (atOnce bool, err error) {
	stop, end := context.WithCancel(context.Background())
	now, endNow := context.WithCancel(context.Background())
	defer end()
	defer endNow()
	over := make(chan struct{})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var beside sync.WaitGroup
	beside.Go(func() { d.follow(ctx) })                              // ends with the daemon
	beside.Go(func() { atOnce = d.listen(stop, over, end, endNow) }) // likewise
	beside.Go(func() { d.o.Manager.Beat(over, d.alive) })            // likewise
	err = d.server.Run(stop, now)
	close(over)
	cancel()
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
				poke(d.hungUp)
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
