package app

import (
	"errors"
	"sync"

	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/internal/secret"
)

// Secrets returns the store of secrets, in the state directory, which is made where it is missing.
func Secrets(o Options) (*secret.Store, error) {
	dir, err := openState(o)
	if err != nil {
		return nil, err
	}
	return secret.NewStore(dir.Path()), nil
}

// SecretKeeper changes secrets for a person. Close it.
type SecretKeeper struct {
	secret.Keeper
	log *audit.Log
}

// NewSecretKeeper makes a SecretKeeper for somebody, who is named in the record.
func NewSecretKeeper(o Options, who string) (*SecretKeeper, error) {
	dir, log, err := openLog(o)
	if err != nil {
		return nil, err
	}
	return &SecretKeeper{secret.Keeper{Store: secret.NewStore(dir.Path()), Record: log, Who: who}, log}, nil
}

// Close ends the use of it.
func (k *SecretKeeper) Close() error { return k.log.Close() }

// vault returns what gives values to the tools of this process, unless an agent has started it: that agent
// could have chosen the files that say what a tool is and does. What it may call it calls through its bridge.
func (a *App) vault() *secret.Vault {
	v := &secret.Vault{Environ: a.o.Getenv, Own: a.o.Dirs().Own(), Issued: &a.issued, Hidden: a.hidden}
	if a.state != "" {
		v.Store = secret.NewStore(a.state)
	}
	v.Withheld = sync.OnceValue(func() error {
		if a.caller().AgentsAct() {
			return errNotForAgents
		}
		return nil
	})
	return v
}

var errNotForAgents = errors.New("an agent has started this program, and gets no secrets from it; " +
	"the tools of its session have them")
