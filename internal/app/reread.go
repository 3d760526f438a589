package app

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// fresh sees to it that what somebody no longer trusts counts no more at the next decision, and that a workspace's own files are read
// again once they have changed. A watcher would be too late: it lets files settle, and it watches one directory only.
type fresh struct {
	read atomic.Pointer[asRead] // what was read last; never changed, but replaced
	mu   sync.Mutex             // held while files are read again, so that what was read first is not put in force last
}

// asRead says how the files looked that are in force, when they were read.
type asRead struct {
	main string              // what the program began with
	own  map[string]admitted // by the directories of a workspace whose session has begun
}

// now returns what was read last.
func (f *fresh) now() asRead {
	if read := f.read.Load(); read != nil {
		return *read
	}
	return asRead{}
}

// readMain notes how what the program began with looked. Called with f held, or before anything is decided.
func (f *fresh) readMain(looks string) {
	next := f.now()
	next.main = looks
	f.read.Store(&next)
}

// readOwn notes how a workspace's own files looked. Called with f held.
func (f *fresh) readOwn(own admitted) {
	next := f.now()
	next.own = maps.Clone(next.own)
	if next.own == nil {
		next.own = map[string]admitted{}
	}
	next.own[strings.Join(own.w.Dirs(), "\x00")] = own
	f.read.Store(&next)
}

// admitted are a workspace's own files, as they were read.
type admitted struct {
	w        tool.Workspace
	was      string
	policies []permissions.File
}

// refresh reads again what has changed of what the workspace's own files say, and of what somebody thinks of them. It is called
// before every decision; where nothing has changed it costs a look at each file, and no lock.
func (a *App) refresh(w tool.Workspace) {
	key := strings.Join(w.Dirs(), "\x00")
	changed := func() (main string, mainChanged, ownChanged bool) {
		read := a.fresh.now()
		main = a.looks(a.sources.Workspace)
		own, known := read.own[key]
		return main, main != read.main && a.Set() != nil, known && a.looks(w) != own.was
	}
	if _, mainChanged, ownChanged := changed(); !mainChanged && !ownChanged {
		return
	}
	a.fresh.mu.Lock()
	defer a.fresh.mu.Unlock()
	main, mainChanged, ownChanged := changed() // another decision may have read it by now
	if mainChanged {
		a.reload()
		a.fresh.readMain(main) // not before: who finds nothing changed decides by what was read
	}
	if own := a.fresh.now().own[key]; ownChanged {
		if err := a.readOwn(w); err != nil {
			a.o.Say(fmt.Sprintf("the workspace's own files cannot be read, so of what they said only what they reject counts:\n%v", err))
			a.tightenOwn(own)
		}
	}
}

// changed takes over what the watcher has noticed. It is read again, since what the watcher has read may be older by now than what a
// decision has read.
func (a *App) changed() {
	a.fresh.mu.Lock()
	defer a.fresh.mu.Unlock()
	main := a.looks(a.sources.Workspace)
	a.reload()
	a.fresh.readMain(main)
}

// reload reads all files again. With a mistake in them what they said before still counts, but for what nobody trusts any more.
func (a *App) reload() {
	set, err := config.Load(a.sources)
	if err == nil {
		a.use(set)
		return
	}
	a.o.Say(fmt.Sprintf("of the workspace's own files only what they reject counts, until the configuration can be read again:\n%v", err))
	before := *a.Set()
	before.Policies = rejectsOf(before.Policies)
	before.Tools = slices.DeleteFunc(slices.Clone(before.Tools), func(l config.Loaded) bool { return l.Tool.Source.Layer == tool.LayerProject })
	a.use(&before)
}

// readOwn reads a workspace's own files, and puts them in force. Called with fresh held.
func (a *App) readOwn(w tool.Workspace) error {
	was := a.looks(w) // before they are read: what changes meanwhile is read again
	own, err := config.Load(ownSources(a.o, w))
	if err != nil {
		return err
	}
	a.Authority.Tighten(w, slices.Clone(own.Policies))
	a.useOwn(w, own)
	for _, warning := range own.Warnings {
		a.o.Say(warning.Error())
	}
	if len(own.Files) > 0 {
		a.inForce(own.Files)
	}
	a.fresh.readOwn(admitted{w, was, own.Policies})
	return nil
}

// tightenOwn leaves of a workspace's own files what they reject.
func (a *App) tightenOwn(own admitted) {
	own.policies, own.was = rejectsOf(own.policies), a.looks(own.w)
	a.Authority.Tighten(own.w, slices.Clone(own.policies))
	a.Registry.Own(own.w.Root, nil)
	a.fresh.readOwn(own)
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

// looks names what somebody trusts, and the own files of a workspace, as the file system tells of them without their being read.
func (a *App) looks(w tool.Workspace) string {
	paths := []string{standingPath(a.o)}
	for _, dir := range w.Dirs() {
		for _, name := range config.ProjectFiles() {
			paths = append(paths, filepath.Join(dir, name))
		}
	}
	var b strings.Builder
	for _, path := range paths {
		var is unix.Stat_t
		if err := unix.Stat(path, &is); err != nil {
			fmt.Fprintf(&b, "%v\n", err)
			continue
		}
		fmt.Fprintln(&b, is.Dev, is.Ino, is.Size, is.Mtim, is.Ctim)
	}
	return b.String()
}
