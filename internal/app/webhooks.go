package app

import (
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"sync"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/secret"
	"github.com/a2a-acp/a2a-acp/internal/serve"
	"github.com/a2a-acp/a2a-acp/internal/store"
	"github.com/a2a-acp/a2a-acp/internal/webhook"
)

// lastDeliveries is how long the end of the program waits for receivers that answer. What they are owed then,
// another process delivers.
const lastDeliveries = time.Second

// webhooks is what an App has of webhooks. Nothing is opened where there are none.
type webhooks struct {
	mu        sync.Mutex
	specs     []webhook.Spec
	deliverer *webhook.Deliverer // nil while there is nothing to deliver
	refused   bool               // this process delivers nothing, which was said
}

// deliver delivers to these webhooks from now on, and to no others. Only what has begun (Start) does, since it
// lives for a while.
func (a *App) deliver(specs []webhook.Spec) {
	h := &a.webhooks
	h.mu.Lock()
	defer h.mu.Unlock()
	if reflect.DeepEqual(specs, h.specs) || !a.isStarted() {
		return
	}
	h.specs = specs
	record, checkpoints := webhook.Subscriptions(specs, a.followed())
	a.deliverOf(webhook.RecordSource, record)
	a.deliverOf(webhook.CheckpointSource, checkpoints)
}

// deliverOf delivers to these subscriptions of a source, and to no others of it. Called with webhooks.mu held.
func (a *App) deliverOf(source string, list []webhook.Subscription) {
	h := &a.webhooks
	if h.refused || a.state == "" || h.deliverer == nil && len(list) == 0 {
		return
	}
	if h.deliverer == nil {
		if !a.mayDeliver() {
			h.refused = true
			a.o.Say("webhooks are not delivered to from here, since an agent has started this program, or may have")
			return
		}
		h.deliverer = a.newDeliverer()
	}
	h.deliverer.Set(source, list)
}

// mayDeliver reports whether what this process was told of webhooks is no agent's word: an agent could name a
// receiver of its own, and have what others should be told go there.
func (a *App) mayDeliver() bool { return !a.caller().AgentsAct() }

// newDeliverer makes what delivers until the App ends.
func (a *App) newDeliverer() *webhook.Deliverer {
	d := webhook.New(webhook.Options{
		Open: a.openWebhookStore, Vault: a.webhookVault(), Keys: a.webhookKeys(), Record: a.Record.Record, Say: a.o.Say,
		Version: a.o.Version,
	})
	a.onStop(func() error {
		ctx, cancel := context.WithTimeout(context.Background(), lastDeliveries)
		defer cancel()
		return d.Close(ctx)
	})
	return d
}

// followed returns the record as webhooks follow it.
func (a *App) followed() *webhook.Record {
	a.follow.Do(func() {
		a.recordFollowed = webhook.NewRecord(filepath.Join(a.state, "audit"))
		a.onStop(a.recordFollowed.Close)
	})
	return a.recordFollowed
}

func (a *App) openWebhookStore(ctx context.Context) (*store.Store, error) {
	return store.Open(ctx, store.Options{Path: filepath.Join(a.state, store.Name), Relaxed: true})
}

// webhookVault returns what gives receivers' secrets to whoever delivers. These are looked for in nothing that
// tools print: no tool is given one.
func (a *App) webhookVault() *secret.Vault {
	v := a.vault()
	v.Issued = nil
	return v
}

// webhookKeys returns the keys that webhooks are signed with; they are made when they are needed first.
func (a *App) webhookKeys() *webhook.Keys { return &webhook.Keys{Dir: a.state} }

// enlist makes webhooks known that are not, before the first entry of this process is recorded: what it does is
// owed to them, though another process delivers it.
func (a *App) enlist() {
	specs := a.Set().Settings.Webhooks
	if len(specs) == 0 || a.isStarted() || !a.mayDeliver() {
		return
	}
	ctx := context.Background()
	s, err := a.openWebhookStore(ctx)
	if err == nil {
		record, checkpoints := webhook.Subscriptions(specs, a.followed())
		err = errors.Join(webhook.Enlist(ctx, s, append(record, checkpoints...)), s.Close())
	}
	if err != nil {
		a.o.Say("webhooks may not be told of this: " + err.Error())
	}
}

// webhookDoor serves the public keys: who gets webhooks checks their signatures by these.
func (a *App) webhookDoor() (serve.Door, error) {
	return serve.Door{
		Name: "webhooks",
		Routes: []serve.Route{
			{Pattern: "GET " + webhook.KeysPath, Scope: serve.Anybody, Handler: a.webhookKeys()},
		},
		FirstLine: func(base string) map[string]any { return map[string]any{"webhook_keys": base + webhook.KeysPath} },
	}, nil
}
