package app

import (
	"sync"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/governor"
	"github.com/a2a-acp/a2a-acp/internal/state"
	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
)

// governorGrace is how long a governor's program that has run out of time may take to end. Somebody waits
// for it.
const governorGrace = 100 * time.Millisecond

// openGovernors makes the governors. Their programs run in a sandbox of their own: they are a person's, not
// an agent's, so they may lie beside the configuration, which the sandbox of tools hides.
func (a *App) openGovernors() *governor.Governors {
	return governor.New(governor.Options{
		Host:     a.governorHost(),
		StateDir: a.state,
		Vault:    a.vault(),
		Redactor: &a.issued,
	})
}

// governorHost opens the sandbox when the first governor needs it, and never more than once.
func (a *App) governorHost() func() (governor.Host, error) {
	return sync.OnceValues(func() (governor.Host, error) {
		hidden := []string{}
		if dir, err := state.Locate(a.o.Getenv); err == nil {
			hidden = append(hidden, dir)
		}
		host, err := sandbox.Open(sandbox.Options{
			AllowWeak: a.Set().Settings.Sandbox.AllowWeak, Hidden: hidden, Grace: governorGrace,
		})
		if err != nil {
			return nil, err
		}
		a.onStop(host.Close)
		return host, nil
	})
}
