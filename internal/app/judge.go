package app

import (
	"errors"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Judge decides recorded acts again, by the rules of files. It has no effect on anything: no record is opened, and nothing
// that it counts outlives it.
type Judge struct {
	Authority *permissions.Authority
	Set       *config.Set

	own map[string]error // the workspaces whose own rules are in force, with what is wrong with them
}

// NewJudge makes a Judge of the files of these options; only leaves out all but those that PolicyFiles names.
func NewJudge(o Options, only bool) (*Judge, error) {
	sources := Sources(o)
	sources.Workspace = tool.Workspace{} // every act has its own
	if only {
		sources = config.Sources{Policies: o.PolicyFiles, Dir: o.Dir}
	}
	set, err := config.Load(sources)
	if err != nil {
		return nil, err
	}
	own := []string{"/etc/a2a-acp"}
	if dir := ConfigDir(o); dir != "" {
		own = append(own, dir)
	}
	if dir, err := StateDir(o); err == nil {
		own = append(own, dir)
	}
	return &Judge{
		Set: set, own: map[string]error{},
		Authority: permissions.New(permissions.Options{Policies: permissions.NewSet(set.Policies), OwnPaths: own, Home: o.Getenv("HOME")}),
	}, nil
}

// Decide decides a recorded act again. untold says why nobody can tell; "" when the Decision holds.
func (j *Judge) Decide(r Recorded) (d permissions.Decision, untold string) {
	if r.Untold != "" {
		return d, r.Untold
	}
	if err := j.tighten(r.Request.Workspace); err != nil {
		return d, "the workspace's own rules cannot be read: " + err.Error()
	}
	d, reasons := j.Authority.Redecide(r.Request, r.Time)
	for _, reason := range reasons {
		return d, reason.Rule + ": " + reason.Why
	}
	return d, ""
}

// tighten puts the rules of a workspace in force, as they are now.
func (j *Judge) tighten(w tool.Workspace) error {
	key := strings.Join(w.Dirs(), "\x00")
	if err, known := j.own[key]; known {
		return err
	}
	own, err := config.Load(config.Sources{Workspace: w})
	if err == nil && len(own.Policies) > 0 {
		j.Authority.Tighten(w, own.Policies)
	}
	if list := config.List(err); len(list) > 0 {
		err = errors.New(list[0].Message)
	}
	j.own[key] = err
	return err
}
