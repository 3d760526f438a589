package webhook

import (
	"context"
	"maps"

	"github.com/a2a-acp/a2a-acp/internal/store"
)

// isOver reports whether a subscription is over for good, by its id.
type isOver func(ctx context.Context, id string) (bool, error)

// Forget forgets the subscriptions of a source that are over. It is for a source whose subscriptions come and go: one
// that is not delivered to now may be later, and only the source's keeper knows. over is called later, and by another
// goroutine, with the ids of those that are not delivered to; it may block on the disk.
func (d *Deliverer) Forget(source string, over func(ctx context.Context, id string) (bool, error)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.forgetting[source] = over
	d.wake()
}

// forget does what Forget was asked for. What fails is done with the next round.
func (d *Deliverer) forget(ctx context.Context, s *store.Store) error {
	d.mu.Lock()
	asked := d.forgetting
	d.forgetting = map[string]isOver{}
	d.mu.Unlock()
	if len(asked) == 0 {
		return nil
	}
	err := d.forgetOver(ctx, s, asked)
	if err != nil {
		d.mu.Lock()
		defer d.mu.Unlock()
		maps.Copy(asked, d.forgetting) // what was asked for meanwhile is newer
		d.forgetting = asked
	}
	return err
}

func (d *Deliverer) forgetOver(ctx context.Context, s *store.Store, asked map[string]isOver) error {
	rows, err := s.Webhooks(ctx)
	if err != nil {
		return err
	}
	for _, row := range rows {
		over := asked[row.Source]
		if over == nil || d.wants(row.WebhookKey) {
			continue
		}
		gone, err := over(ctx, row.ID)
		if err == nil && gone {
			err = s.ForgetWebhook(ctx, row.WebhookKey)
			delete(d.known, row.WebhookKey) // should it come again
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (d *Deliverer) wants(key store.WebhookKey) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.wanted[key] != nil
}
