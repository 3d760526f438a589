package app

import (
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/trust"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Trust returns what a look at what is trusted takes from these options.
func (o Options) Trust() trust.Options {
	return trust.Options{Getenv: o.Getenv, Home: o.Home, Dir: o.Dir, Say: o.Say}
}

// ownSources are a workspace's own files and nothing else. Of the environment they see what their tools are
// given, and no variable that names files of ours.
func ownSources(o Options, w tool.Workspace) config.Sources {
	return config.Sources{
		Workspace: w, TrustState: trust.State(o.Trust()), TrustPath: trust.StatePath(o.Trust()),
		Env: func(name string) string {
			if strings.HasPrefix(name, "A2A_") && name != config.ErrorProfileVariable {
				return ""
			}
			return o.Getenv(name)
		},
	}
}

// Trust is what people trust, open to be changed. Close it.
type Trust struct {
	trust.Register
	log *audit.Log
}

// OpenTrust opens the store, and makes the state directory where there is none. Who may change it has been
// looked at.
func OpenTrust(o Options) (*Trust, error) {
	dir, log, err := openLog(o)
	if err != nil {
		return nil, err
	}
	return &Trust{trust.Register{Store: trust.In(dir.Path()), Record: log}, log}, nil
}

// Close ends the use of it.
func (t *Trust) Close() error { return t.log.Close() }
