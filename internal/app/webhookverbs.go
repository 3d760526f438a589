package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/store"
	"github.com/a2a-acp/a2a-acp/internal/webhook"
	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// Webhooks are the webhooks of the configuration, with what is known of them, for a person. Close them.
type Webhooks struct {
	app    *App // that is not started
	specs  []webhook.Spec
	store  *store.Store
	log    *audit.Log
	record *webhook.Record
}

// OpenWebhooks opens what there is. Where none are configured, nor ever were, that is fs.ErrNotExist, and
// nothing is made. A mistake in a file is a yamldoc.Errors.
func OpenWebhooks(ctx context.Context, o Options) (_ *Webhooks, err error) {
	settings, err := config.ReadSettingsOf(Sources(o))
	if err != nil {
		return nil, err
	}
	if len(settings.Webhooks) == 0 {
		path, err := StateDir(o)
		if err != nil {
			return nil, err
		}
		if _, err := os.Lstat(filepath.Join(path, store.Name)); err != nil {
			return nil, err
		}
	}
	w := &Webhooks{app: newApp(o), specs: settings.Webhooks}
	dir, log, err := openLog(o)
	if err != nil {
		return nil, err
	}
	w.log, w.app.state, w.record = log, dir.Path(), webhook.NewRecord(dir.Child("audit"))
	if w.store, err = w.app.openWebhookStore(ctx); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	record, checkpoints := webhook.Subscriptions(w.specs, w.record)
	if w.app.mayDeliver() {
		err = webhook.Enlist(ctx, w.store, append(record, checkpoints...))
	}
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// Close ends the use of it.
func (w *Webhooks) Close() error {
	return errors.Join(w.record.Close(), w.store.Close(), w.log.Close())
}

// KnownWebhook is a subscription with what is known of it.
type KnownWebhook struct {
	store.Webhook
	Spec *webhook.Spec // nil where it stands in no configuration any more
	End  int64         // the number of the last item of its source
}

// Behind is how many items of the source are not settled, wanted or not.
func (k KnownWebhook) Behind() int64 { return max(0, k.End-k.Position) }

// List returns all that are configured or known, in the order of the files.
func (w *Webhooks) List(ctx context.Context) ([]KnownWebhook, error) {
	rows, err := w.store.Webhooks(ctx)
	if err != nil {
		return nil, err
	}
	ends := map[string]int64{}
	for source, stream := range map[string]webhook.Stream{
		webhook.RecordSource:     w.record.Stream(webhook.Filter{}, webhook.FormatRecord),
		webhook.CheckpointSource: w.record.Checkpoints(webhook.FormatRecord),
	} {
		end, err := stream.End(ctx)
		if err != nil {
			return nil, err
		}
		ends[source] = end.Number
	}
	var list []KnownWebhook
	for _, row := range rows {
		if _, ours := ends[row.Source]; !ours {
			continue
		}
		known := KnownWebhook{Webhook: row, End: ends[row.Source]}
		if i := w.index(row.WebhookKey); i >= 0 {
			known.Spec = &w.specs[i]
		}
		list = append(list, known)
	}
	slices.SortStableFunc(list, func(a, b KnownWebhook) int {
		return cmp.Compare(uint(w.index(a.WebhookKey)), uint(w.index(b.WebhookKey))) // those of no file last
	})
	return list, nil
}

// index returns which of the configuration a subscription is; -1 for none.
func (w *Webhooks) index(key store.WebhookKey) int {
	return slices.IndexFunc(w.specs, func(s webhook.Spec) bool {
		return s.ID == key.ID && (key.Source == webhook.RecordSource && !s.OnlyCheckpoints ||
			key.Source == webhook.CheckpointSource && s.Checkpoints)
	})
}

// Letters returns the deliveries of a subscription that were given up, or are wanted once more.
func (w *Webhooks) Letters(ctx context.Context, key store.WebhookKey) ([]store.Letter, error) {
	return w.store.Letters(ctx, key)
}

// PublicKeys returns the public keys that webhooks are signed with, where that is configured.
func (w *Webhooks) PublicKeys() ([]string, error) { return w.app.webhookKeys().Public() }

// Try sends an event to a receiver that is about nothing, now and once.
func (w *Webhooks) Try(ctx context.Context, id, version string) (webhook.Trial, error) {
	i := slices.IndexFunc(w.specs, func(s webhook.Spec) bool { return s.ID == id })
	if i < 0 {
		return webhook.Trial{}, store.ErrNoWebhook
	}
	return webhook.Try(ctx, webhook.Options{Vault: w.app.webhookVault(), Keys: w.app.webhookKeys(), Version: version}, &w.specs[i])
}

// Pause stops deliveries to a subscription. What happens is owed to it all the same.
func (w *Webhooks) Pause(ctx context.Context, key store.WebhookKey, by, why string) error {
	return w.store.ChangeWebhook(ctx, key, func(row *store.Webhook) error {
		row.State, row.Reason, row.Since = store.WebhookPaused, why, time.Now()
		return w.note(events.WebhookPaused, fmt.Sprintf("%s was paused by %s", key.ID, by))
	})
}

// Resume has deliveries go on at once: from a number on, or where the subscription is (-1).
func (w *Webhooks) Resume(ctx context.Context, key store.WebhookKey, from int64, by string) error {
	return w.store.ChangeWebhook(ctx, key, func(row *store.Webhook) error {
		detail := fmt.Sprintf("%s was resumed by %s", key.ID, by)
		if from >= 0 {
			detail += fmt.Sprintf(", from number %d on; it was behind %d", from, row.Position)
			row.Position, row.Token = max(0, from-1), ""
		}
		row.State, row.Reason, row.Since, row.WebhookAttempts = store.WebhookOn, "", time.Now(), store.WebhookAttempts{}
		return w.note(events.WebhookResumed, detail)
	})
}

// Redeliver has items sent once more; without numbers all that were given up.
func (w *Webhooks) Redeliver(ctx context.Context, key store.WebhookKey, numbers []int64) (int64, error) {
	return w.store.SendAgain(ctx, key, numbers)
}

func (w *Webhooks) note(what events.Type, detail string) error {
	return w.log.Record(context.Background(), events.Event{Type: what, Detail: detail})
}
