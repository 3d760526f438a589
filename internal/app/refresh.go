package app

import (
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/trust"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Refreshed returns the configuration for an act in the workspace that begins now. A rule that was saved before counts
// in it. What somebody no longer trusts counts no more, and a workspace's own files are read again once they have
// changed. A watcher would be too late: it lets files settle, and it watches one directory only. Where nothing has
// changed it costs a look at each file, and no lock.
func (a *App) Refreshed(w tool.Workspace) *Configuration {
	c := a.saved()
	if _, main, own := a.changedSince(c, w); !main && !own {
		return c
	}
	a.reading.Lock()
	defer a.reading.Unlock()
	c = a.Configuration()
	seen, main, own := a.changedSince(c, w) // another act may have read it by now
	if main {
		c = a.reread(c, seen)
	}
	if own {
		next, err := a.readOwn(c, w)
		if err != nil {
			a.o.Say(fmt.Sprintf("the workspace's own files cannot be read, so of what they said only what they reject counts:\n%v", err))
			next = a.tightenOwn(c, w)
		}
		c = next
	}
	a.use(c)
	return c
}

// saved returns the configuration with what people have saved.
func (a *App) saved() *Configuration {
	if c := a.Configuration(); lookAt(a.lasting) == c.read {
		return c
	}
	// Where the files are not quiet, what they said before counts, and the watcher tells why.
	_ = a.whenQuiet(func(look string) (*Configuration, error) {
		c := a.Configuration()
		if look == c.read { // the watcher has read it by now, or another act
			return nil, nil
		}
		seen := a.look(a.sources.Workspace)
		next := *c
		if set, err := config.Reload(a.sources, c.Set); err == nil {
			next = *a.with(c, set, seen)
		} // else what they said before counts, and the watcher tells why
		next.read = look
		return &next, nil
	})
	return a.Configuration()
}

// mostPauses is how often it is waited for files that change all the time. Then what they said before counts.
const mostPauses = 20

var errUnsettled = errors.New("the files of the configuration change all the time, so what they said before counts")

// whenQuiet has the files that people save read, with reading held, and puts in force what comes of it, if anything does.
// look is how they look. Half of a file may hold half of its rules, and one that an editor has emptied holds none: they are
// read once they have been quiet for a pause, and what was read counts only where they are quiet still.
func (a *App) whenQuiet(read func(look string) (*Configuration, error)) error {
	pause := func() { <-time.After(config.SettleTime) }
	for range mostPauses {
		look := lookAt(a.lasting)
		if look != a.Configuration().read {
			pause()
		}
		done, err := a.readOnce(look, read)
		if done {
			return err
		}
	}
	return errUnsettled
}

// readOnce reports whether the files looked so before and after they were read. Otherwise nothing has come of it.
func (a *App) readOnce(look string, read func(look string) (*Configuration, error)) (bool, error) {
	a.reading.Lock()
	defer a.reading.Unlock()
	if lookAt(a.lasting) != look {
		return false, nil
	}
	next, err := read(look)
	if lookAt(a.lasting) != look {
		return false, nil
	}
	if next != nil {
		a.use(next)
	}
	return true, err
}

// changedSince reports which files look otherwise than when they were read: those that the program began
// with, and a workspace's own. seen is how the former look.
func (a *App) changedSince(c *Configuration, w tool.Workspace) (seen string, main, own bool) {
	seen = a.look(a.sources.Workspace)
	read, known := c.own[workspaceKey(w)]
	if !known {
		return seen, seen != c.seen, false
	}
	looks := seen
	if workspaceKey(w) != workspaceKey(a.sources.Workspace) { // most often it is the same one
		looks = a.look(w)
	}
	return seen, seen != c.seen, looks != read.seen
}

// use puts a configuration in force. Called with reading held, so that what was read first is not put in
// force last.
func (a *App) use(c *Configuration) {
	a.configuration.Store(c)
	for _, door := range a.openDoors() {
		door.changed()
	}
	if d := a.daemon.Load(); d != nil {
		d.changed(c.Set.Settings.Serve)
	}
	a.deliver(c.Set.Settings.Webhooks)
}

// reread returns the configuration with all files read again; seen is how they looked before. With a mistake
// in them what they said before still counts, but for what nobody trusts any more.
func (a *App) reread(c *Configuration, seen string) *Configuration {
	set, err := config.Reload(a.sources, c.Set)
	if err != nil {
		a.o.Say(fmt.Sprintf("of the workspace's own files only what they reject counts, "+
			"until the configuration can be read again:\n%v", err))
		before := *c.Set
		before.Policies = rejectsOf(before.Policies)
		before.Tools = slices.DeleteFunc(slices.Clone(before.Tools), func(l config.Loaded) bool {
			return l.Tool.Source.Layer == tool.LayerProject
		})
		set = &before
	}
	return a.with(c, set, seen)
}

// readOwn returns the configuration with a workspace's own files as they are now.
func (a *App) readOwn(c *Configuration, w tool.Workspace) (*Configuration, error) {
	seen := a.look(w) // before they are read: what changes meanwhile is read again
	sources := ownSources(a.o, w)
	sources.Commands = c.Set.Commands
	own, err := config.Load(sources)
	if err != nil {
		return nil, err
	}
	next := a.withOwn(c, w, own).admitting(admitted{w, seen, own.Policies})
	for _, warning := range own.Warnings {
		a.o.Say(warning.Error())
	}
	if len(own.Files) > 0 {
		a.recordFiles(own.Files)
	}
	return next, nil
}

// tightenOwn returns the configuration with nothing of a workspace's own files but what they reject.
func (a *App) tightenOwn(c *Configuration, w tool.Workspace) *Configuration {
	own := c.own[workspaceKey(w)]
	own.policies, own.seen = rejectsOf(own.policies), a.look(w)
	next := *c.admitting(own)
	next.Tools = c.Tools.WithOwn(w.Root, nil)
	return &next
}

// rejectsOf leaves of the files of workspaces what they reject.
func rejectsOf(files []permissions.File) []permissions.File {
	files = slices.Clone(files)
	for i := range files {
		if files[i].Root != "" || files[i].TightenOnly {
			files[i].Root, files[i].TightenOnly = "", true
		}
	}
	return files
}

// look names what somebody trusts, and the own files of a workspace, as the file system tells of them without
// their being read.
func (a *App) look(w tool.Workspace) string {
	paths := []string{trust.StatePath(a.o.Trust())}
	for _, dir := range w.Dirs() {
		for _, name := range config.ProjectFiles() {
			paths = append(paths, filepath.Join(dir, name))
		}
	}
	return lookAt(paths)
}

// lookAt is what the file system tells of files without their being read. Several of one directory stand behind each other,
// and it is looked at first: where there is none, as in most workspaces, there is no file in it either.
func lookAt(paths []string) string {
	b := make([]byte, 0, 64*len(paths))
	dir, missing := "", false
	for i, path := range paths {
		var is unix.Stat_t
		if in := filepath.Dir(path); in != dir {
			several := i+1 < len(paths) && filepath.Dir(paths[i+1]) == in
			dir, missing = in, several && errors.Is(unix.Stat(in, &is), unix.ENOENT)
		}
		if missing {
			b = append(b, noFile...)
			continue
		}
		switch err := unix.Stat(path, &is); {
		case errors.Is(err, unix.ENOENT):
			b = append(b, noFile...)
			continue
		case err != nil:
			b = append(append(b, err.Error()...), '\n')
			continue
		}
		for _, n := range []int64{int64(is.Dev), int64(is.Ino), is.Size, is.Mtim.Nano(), is.Ctim.Nano()} {
			b = binary.LittleEndian.AppendUint64(b, uint64(n))
		}
	}
	return string(b)
}

// noFile is what is told of a file that is not there.
const noFile = "none\n"
