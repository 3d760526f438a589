package replay

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Judge decides recorded acts again, by the rules of files. It has no effect on anything: no record is
// opened, and nothing that it counts outlives it.
type Judge struct {
	Authority *permissions.Authority
	Set       *config.Set

	home    string
	agent   func(name string) string
	sources func(tool.Workspace) config.Sources
	own     map[string]error // the workspaces whose own rules are in force, with what is wrong with them
}

// Options say whose rules a Judge decides by.
type Options struct {
	Sources  config.Sources // without a workspace: every act has its own
	OwnPaths []string       // see permissions.Options
	Home     string         // likewise
	// AgentPattern returns the pattern of rules that stands for an agent, by what it calls itself; "" for that name alone, as nil
	// does for all.
	AgentPattern func(name string) string
	// Own says where a workspace's own files are found. Required.
	Own func(tool.Workspace) config.Sources
}

// New makes a Judge. An error is a list of mistakes in files (see config.List).
func New(o Options) (*Judge, error) {
	o.Sources.Workspace = tool.Workspace{}
	set, err := config.Load(o.Sources)
	if err != nil {
		return nil, err
	}
	return &Judge{
		Set: set, home: o.Home, agent: o.AgentPattern, sources: o.Own, own: map[string]error{},
		Authority: permissions.New(permissions.Options{Policies: permissions.NewSet(set.Policies),
			Commands: set.Commands,
			OwnPaths: o.OwnPaths, Home: o.Home}),
	}, nil
}

// Decide decides a recorded act again. untold says why nobody can tell; "" when the Decision holds.
func (j *Judge) Decide(r Recorded) (d permissions.Decision, untold string) {
	_ = j.tighten(r.Request.Workspace) // an error is told with the decision
	return j.decide(r)
}

func (j *Judge) decide(r Recorded) (d permissions.Decision, untold string) {
	if r.Untold != "" {
		return d, r.Untold
	}
	if err := j.own[workspaceKey(r.Request.Workspace)]; err != nil {
		return d, "the workspace's own rules cannot be read: " + err.Error()
	}
	d, reasons := j.Authority.Redecide(r.Request, r.Time)
	for _, reason := range reasons {
		return d, reason.Rule + ": " + reason.Why
	}
	return d, ""
}

// Redecided is a recorded act with what would be decided about it now.
type Redecided struct {
	Recorded
	Decision permissions.Decision
	Untold   string // why nobody can tell; then the Decision does not hold
}

// batch is how many acts are decided at a time.
const batch = 512

// Replay decides acts again, several at a time, and gives them to each in their order. read gives the acts
// one by one, and what it returns is returned. Where a rule counts, one act is decided after the other.
func (j *Judge) Replay(read func(each func(Recorded)) error, each func(Redecided)) error {
	workers := runtime.GOMAXPROCS(0)
	if j.counts() {
		workers = 1
	}
	batches := make(chan []Redecided, 2)
	var decided sync.WaitGroup
	decided.Go(func() { // ends with the last batch
		for acts := range batches {
			j.decideAll(acts, workers)
			for _, act := range acts {
				each(act)
			}
		}
	})
	acts := make([]Redecided, 0, batch)
	err := read(func(act Recorded) {
		if acts = append(acts, Redecided{Recorded: act}); len(acts) == batch {
			batches <- acts
			acts = make([]Redecided, 0, batch)
		}
	})
	batches <- acts
	close(batches)
	decided.Wait()
	return err
}

func (j *Judge) decideAll(acts []Redecided, workers int) {
	for _, act := range acts {
		_ = j.tighten(act.Request.Workspace) // an error is told with the decision
	}
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() { // ends with the acts
			for i := w; i < len(acts); i += workers {
				acts[i].Decision, acts[i].Untold = j.decide(acts[i].Recorded)
			}
		})
	}
	all.Wait()
}

// counts reports whether a rule of the files counts what it approves.
func (j *Judge) counts() bool {
	return slices.ContainsFunc(j.Set.Policies, func(f permissions.File) bool {
		return slices.ContainsFunc(f.Rules, func(r permissions.Rule) bool { return r.Limit != nil })
	})
}

// tighten puts the rules of a workspace in force, as they are now.
func (j *Judge) tighten(w tool.Workspace) error {
	key := workspaceKey(w)
	if err, known := j.own[key]; known {
		return err
	}
	own, err := j.readOwn(w)
	if err == nil && len(own.Policies) > 0 {
		j.Authority = j.Authority.WithOwn(w, own.Policies)
	}
	if list := yamldoc.List(err); len(list) > 0 {
		err = errors.New(list[0].Message)
	}
	j.own[key] = err
	return err
}

// readOwn reads a workspace's own files.
func (j *Judge) readOwn(w tool.Workspace) (*config.Set, error) {
	sources := j.sources(w)
	sources.Commands = j.Set.Commands
	return config.Load(sources)
}

func workspaceKey(w tool.Workspace) string { return strings.Join(w.Dirs(), "\x00") }
