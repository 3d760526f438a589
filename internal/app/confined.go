package app

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/confine"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/pkg/executor"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Confine returns what commands in the sandbox take from these options.
func (o Options) Confine() confine.Options {
	return confine.Options{Getenv: o.Getenv, Dir: o.Dir, Say: o.Say, ToolProfile: o.toolProfile,
		Kept: Sources(o).Lasting()}
}

// toolProfile returns what the entry of a tool grants a command that starts in dir.
func (o Options) toolProfile(id, dir string) (sandbox.Profile, error) {
	set, err := config.Load(Sources(o))
	if err != nil {
		return sandbox.Profile{}, err
	}
	i := slices.IndexFunc(set.Tools, func(l config.Loaded) bool { return l.Tool.ID == id })
	if i < 0 {
		return sandbox.Profile{}, fmt.Errorf("there is no tool %q; a2a-acp tools list shows them", id)
	}
	box := set.Tools[i].Tool.Sandbox
	for _, name := range slices.Sorted(maps.Keys(box.References)) {
		o.Say(fmt.Sprintf("%s is not set here: only the tool itself is given %s", name, box.References[name]))
	}
	return executor.SandboxProfile(box, dir), nil
}

// unreadable lists what the rules keep a confined agent from reading, as it is now, so that it does not even
// see that, and tells the person. A machine that cannot hide anything is left alone: there the agent starts
// only where somebody wants it all the same.
func (a *App) unreadable(w tool.Workspace, c confine.Confinement) []string {
	return unreadable(a.Configuration().Authority, w, c, a.o.Say)
}

// HideUnreadable is what a bridge does for its agent, for one that is started without: it sees nothing either
// that rules keep it from reading.
func HideUnreadable(o Options, c confine.Confinement) (confine.Confinement, error) {
	sources := Sources(o)
	set, err := config.Load(sources)
	if err != nil {
		return c, err
	}
	authority := permissions.New(permissions.Options{OwnPaths: o.Dirs().Own(), Home: o.Getenv("HOME"),
		Policies: permissions.NewSet(set.Policies), Commands: set.Commands})
	c.Hidden = unreadable(authority, sources.Workspace, c, o.Say)
	return c, nil
}

func unreadable(authority *permissions.Authority, w tool.Workspace, c confine.Confinement, say func(string)) []string {
	if c.BestEffort {
		return nil
	}
	found := authority.Unreadable(w, filepath.WalkDir)
	if len(found.Paths) > 0 {
		names := make([]string, 0, 3)
		for _, path := range found.Paths[:min(3, len(found.Paths))] {
			if name, ok := w.Rel(path); ok {
				path = name
			}
			names = append(names, display.Line(path))
		}
		more := ""
		if n := len(found.Paths) - len(names); n > 0 {
			more = fmt.Sprintf(" and %d more", n)
		}
		say(fmt.Sprintf("the agent does not see what rules keep it from reading: %s%s", strings.Join(names, ", "), more))
	}
	if !found.Whole {
		say("there is more than can be hidden that rules keep the agent from reading, so its own commands can read some of it")
	}
	return found.Paths
}

// MustConfine tells why an agent must not start as it is asked for; nil when it may.
func MustConfine(set *config.Set, confined, bestEffort bool) error {
	switch {
	case !set.Settings.ConfineRequired:
		return nil
	case !confined:
		return errors.New("the agent is not started: the settings say `confine: required` (a2a-acp.yaml), " +
			"and this would not confine it; add --confine")
	case bestEffort:
		return errors.New("the agent is not started: the settings say `confine: required` (a2a-acp.yaml), " +
			"and --best-effort would start it where this machine cannot confine it; leave --best-effort out")
	}
	return nil
}
