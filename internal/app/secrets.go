package app

import (
	"context"
	"errors"
	"os"
	"sync"

	"github.com/a2a-acp/a2a-acp/internal/secret"
	"github.com/a2a-acp/a2a-acp/internal/state"
	"github.com/a2a-acp/a2a-acp/internal/supervisor"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Secrets gives the store of secrets, in the state directory, which is made where it is missing.
func Secrets(o Options) (*secret.Store, error) {
	path, err := state.Locate(o.Getenv)
	if err != nil {
		return nil, err
	}
	dir, err := state.Open(path)
	if err != nil {
		return nil, err
	}
	return secret.NewStore(dir.Path()), nil
}

// ErrBelowBridge refuses what only a person may do.
var ErrBelowBridge = errors.New("this was started by an agent, and only a person may do that; run it in a terminal of your own")

// BelowBridge tells whether this process was started by an agent, or by a tool of an agent's.
func BelowBridge() bool { return supervisor.DescendsFromBridge(os.Getpid()) }

// vault gives values to the tools of this process, unless an agent has started it: that agent could have chosen the files
// that say what a tool is and does. What it may call it calls through its bridge.
type vault struct {
	of    *secret.Vault
	agent func() bool
}

func (a *App) vault() *vault {
	v := &secret.Vault{Environ: a.o.Getenv, Own: a.ownPaths()}
	if a.state != "" {
		v.Store = secret.NewStore(a.state)
	}
	return &vault{of: v, agent: sync.OnceValue(BelowBridge)}
}

var errNotForAgents = errors.New("an agent has started this program, and gets no secrets from it; the tools of its session have them")

// Missing implements executor.Vault.
func (v *vault) Missing(r tool.Reference) error {
	if v.agent() {
		return errNotForAgents
	}
	return v.of.Missing(r)
}

// Value implements executor.Vault.
func (v *vault) Value(ctx context.Context, r tool.Reference) (string, error) {
	if v.agent() {
		return "", errNotForAgents
	}
	return v.of.Value(ctx, r)
}
