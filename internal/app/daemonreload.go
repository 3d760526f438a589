package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"

	"github.com/a2a-acp/a2a-acp/internal/secret"
	"github.com/a2a-acp/a2a-acp/internal/serve"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// follow puts changed settings in force until ctx ends. It has a goroutine of its own: a token may be what a
// password manager prints, which takes its time, and acts do not wait for that, nor does the end.
func (d *daemon) follow(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-d.hungUp:
			d.reload(ctx)
		case <-d.differ:
			if s := d.app.Set().Settings.Serve; !d.uses(s) {
				d.use(ctx, s)
			}
		}
	}
}

// poke leaves something to read, unless it is there already.
func poke(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// reload reads everything again: the files, and what they refer to.
func (d *daemon) reload(ctx context.Context) {
	d.o.Manager.Reloading()
	defer d.o.Manager.Tell("READY=1")
	if d.app.Reload(ctx) != nil {
		return // said, and on record
	}
	if d.use(ctx, d.app.Set().Settings.Serve) {
		d.app.o.Say("the configuration was read again, and is in use")
	}
}

// changed is told which settings the files have now; most often they are those that they had before.
func (d *daemon) changed(s serve.Settings) {
	if !d.uses(s) {
		poke(d.differ)
	}
}

// uses reports whether settings are those that were put in force last.
func (d *daemon) uses(s serve.Settings) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return reflect.DeepEqual(s, d.used)
}

// use puts settings in force. With a mistake in them, or in what they refer to, those before still are.
func (d *daemon) use(ctx context.Context, s serve.Settings) bool {
	d.mu.Lock()
	elsewhere := !slices.Equal(s.Listen, d.used.Listen) && len(d.o.Listen) == 0
	d.used = s // what is wrong is told once
	d.mu.Unlock()
	if elsewhere {
		d.app.o.Say("serve.listen: the daemon listens elsewhere once it is started again")
	}
	err := d.checkWorkspaces(s)
	if err == nil {
		err = d.server.Configure(ctx, d.settings(s))
	}
	if ctx.Err() != nil {
		return false // the daemon ends
	}
	if err != nil {
		d.app.o.Say(fmt.Sprintf("the changed settings of the daemon are not used, what counted before still counts:\n%v", err))
		d.app.note(events.Event{Type: events.ConfigRefused, Detail: err.Error()})
		return false
	}
	return true
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

// resolve returns the token that a reference names. It may stand in a file of ours, and in a variable of ours:
// it is for this program.
func (d *daemon) resolve(ctx context.Context, r tool.Reference) (string, error) {
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
	value, err := vault.Value(ctx, r)
	if err == nil && r.File != "" {
		if info, statErr := os.Stat(r.File); statErr == nil && info.Mode().Perm()&0o002 != 0 {
			return "", fmt.Errorf("the file %s may be written by everybody (mode %04o): chmod o-w it", r.File, info.Mode().Perm())
		}
	}
	return value, err
}
