package app

import (
	"github.com/a2a-acp/a2a-acp/internal/agents"
	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/replay"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// NewJudge makes a Judge of recorded acts from the files of these options; only leaves out all but those
// that PolicyFiles names.
func NewJudge(o Options, only bool) (*replay.Judge, error) {
	sources := Sources(o)
	if only {
		commands, err := config.ReadCommands(sources)
		if err != nil {
			return nil, err
		}
		sources = config.Sources{Policies: o.PolicyFiles, Dir: o.Dir, Commands: commands}
	}
	return replay.New(replay.Options{
		Sources: sources, OwnPaths: o.Dirs().Own(), Home: o.Getenv("HOME"),
		AgentPattern: agents.Pattern,
		Own:          func(w tool.Workspace) config.Sources { return ownSources(o, w) },
	})
}
