package secret

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// Keeper changes secrets for a person. What it does is on record before it is done, by the secret's name and
// never its value: who wonders why a tool fails since Tuesday finds out.
type Keeper struct {
	Store  *Store          // required
	Record events.Recorder // required
	Who    string          // is named in the record
}

// Set keeps a secret, in the place of one that has its name. It tells whether there was one.
func (k Keeper) Set(ctx context.Context, name string, e Entry) (replaced bool, err error) {
	if err := CheckName(name); err != nil {
		return false, err
	}
	if err := k.record(ctx, events.SecretSet, name, ""); err != nil {
		return false, err
	}
	replaced, err = k.Store.Set(name, e)
	return replaced, k.settled(ctx, events.SecretSet, name, err)
}

// Remove forgets a secret. It tells whether there was one.
func (k Keeper) Remove(ctx context.Context, name string) (was bool, err error) {
	if _, known, err := k.Store.Lookup(name); err != nil || !known {
		return false, err
	}
	if err := k.record(ctx, events.SecretRemoved, name, ""); err != nil {
		return false, err
	}
	was, err = k.Store.Remove(name)
	return was, k.settled(ctx, events.SecretRemoved, name, err)
}

// settled puts on record that what stands there already has not happened. Its reason, which may quote
// anything, is not.
func (k Keeper) settled(ctx context.Context, kind events.Type, name string, err error) error {
	if err == nil {
		return nil
	}
	return errors.Join(err, k.record(ctx, kind, name, ", which failed: it is as it was"))
}

func (k Keeper) record(ctx context.Context, kind events.Type, name, more string) error {
	event := events.Event{Type: kind, Time: time.Now(), Detail: events.Text(name + ", by " + k.Who + more)}
	if err := k.Record.Record(context.WithoutCancel(ctx), event); err != nil {
		return fmt.Errorf("not done, because it could not be recorded: %w", err)
	}
	return nil
}
