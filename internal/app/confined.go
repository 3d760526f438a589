package app

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/confine"
	"github.com/a2a-acp/a2a-acp/pkg/executor"
	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
)

// Confine returns what commands in the sandbox take from these options.
func (o Options) Confine() confine.Options {
	return confine.Options{Getenv: o.Getenv, Dir: o.Dir, Say: o.Say, ToolProfile: o.toolProfile}
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

// MustConfine tells why an agent must not start as it is asked for; nil when it may.
func MustConfine(set *config.Set, confined, bestEffort bool) error {
	switch {
	case !set.Settings.ConfineRequired:
		return nil
	case !confined:
		return errors.New("the agent is not started: the settings say `confine: required` (a2a-acp.yaml), " +
			"and this bridge would not confine it; add --confine")
	case bestEffort:
		return errors.New("the agent is not started: the settings say `confine: required` (a2a-acp.yaml), " +
			"and --best-effort would start it where this machine cannot confine it; leave --best-effort out")
	}
	return nil
}
