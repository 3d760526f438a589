package app

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/internal/person"
	"github.com/a2a-acp/a2a-acp/internal/secret"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Secrets gives the store of secrets, in the state directory, which is made where it is missing.
func Secrets(o Options) (*secret.Store, error) {
	dir, err := openState(o)
	if err != nil {
		return nil, err
	}
	return secret.NewStore(dir.Path()), nil
}

// SecretKeeper changes secrets for a person. What it does is on record before it is done, by the secret's name and never its
// value: who wonders why a tool fails since Tuesday finds out. Close it.
type SecretKeeper struct {
	store *secret.Store
	log   *audit.Log
	who   string
}

// NewSecretKeeper makes a SecretKeeper for somebody, who is named in the record.
func NewSecretKeeper(o Options, who string) (*SecretKeeper, error) {
	dir, log, err := openLog(o)
	if err != nil {
		return nil, err
	}
	return &SecretKeeper{secret.NewStore(dir.Path()), log, who}, nil
}

// Set keeps a secret, in the place of one that has its name. It tells whether there was one.
func (k *SecretKeeper) Set(ctx context.Context, name string, e secret.Entry) (replaced bool, err error) {
	if err := secret.CheckName(name); err != nil {
		return false, err
	}
	if err := k.record(ctx, events.SecretSet, name, ""); err != nil {
		return false, err
	}
	replaced, err = k.store.Set(name, e)
	return replaced, k.settled(ctx, events.SecretSet, name, err)
}

// Remove forgets a secret. It tells whether there was one.
func (k *SecretKeeper) Remove(ctx context.Context, name string) (was bool, err error) {
	if _, known, err := k.store.Lookup(name); err != nil || !known {
		return false, err
	}
	if err := k.record(ctx, events.SecretRemoved, name, ""); err != nil {
		return false, err
	}
	was, err = k.store.Remove(name)
	return was, k.settled(ctx, events.SecretRemoved, name, err)
}

// settled puts on record that what stands there already has not happened. Its reason, which may quote anything, is not.
func (k *SecretKeeper) settled(ctx context.Context, kind events.Type, name string, err error) error {
	if err == nil {
		return nil
	}
	return errors.Join(err, k.record(ctx, kind, name, ", which failed: it is as it was"))
}

func (k *SecretKeeper) record(ctx context.Context, kind events.Type, name, more string) error {
	event := events.Event{Type: kind, Time: now(), Detail: events.Text(name + ", by " + k.who + more)}
	if err := k.log.Record(context.WithoutCancel(ctx), event); err != nil {
		return fmt.Errorf("not done, because it could not be recorded: %w", err)
	}
	return nil
}

// Close ends the use of it.
func (k *SecretKeeper) Close() error { return k.log.Close() }

// vault gives values to the tools of this process, unless an agent has started it: that agent could have chosen the files
// that say what a tool is and does. What it may call it calls through its bridge.
type vault struct {
	of     *secret.Vault
	agent  func() bool
	handed *issuedSecrets
}

func (a *App) vault() *vault {
	v := &secret.Vault{Environ: a.o.Getenv, Own: a.o.Dirs().Own()}
	if a.state != "" {
		v.Store = secret.NewStore(a.state)
	}
	return &vault{of: v, agent: sync.OnceValue(func() bool { return person.Look().AgentsAct() }), handed: &a.handed}
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
	value, err := v.of.Value(ctx, r)
	if err == nil {
		v.handed.add(value)
	}
	return value, err
}
