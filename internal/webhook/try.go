package webhook

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// Trial is what came of an event that is about nothing.
type Trial struct {
	ID     string
	Status int           // of HTTP; 0 where there was no answer
	Why    string        // it is no success; "" for one
	Took   time.Duration //
}

// Try sends a receiver an event that is about nothing and on no record, once.
func Try(ctx context.Context, o Options, spec *Spec) (Trial, error) {
	s := &sender{vault: o.Vault, keys: o.Keys, now: time.Now, version: o.Version, resolver: o.resolver}
	defer s.forget()
	var id [16]byte
	rand.Read(id[:])
	e := &recorded{id: "test_" + hex.EncodeToString(id[:]),
		Event: events.Event{Type: events.WebhookTest, Time: time.Now().UTC(), Detail: "a test of webhook " + spec.ID}}
	raw, err := encodeJSON(struct {
		ID string `json:"id"`
		events.Event
	}{e.id, e.Event})
	if err != nil {
		return Trial{}, err
	}
	e.raw = raw
	item, err := e.item(spec.Format)
	if err != nil {
		return Trial{}, err
	}
	a := s.send(ctx, &spec.Target, item)
	return Trial{ID: e.id, Status: a.status, Why: a.why, Took: a.took}, ctx.Err()
}
