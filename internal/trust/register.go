package trust

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// Register is a Store whose changes are on record before they count.
type Register struct {
	Store
	Record events.Recorder // required
}

// Trust pins what somebody was shown. It is on record before it counts.
func (r Register) Trust(ctx context.Context, d Directory) error {
	return r.Store.Trust(d, func() error {
		event := events.Event{Type: events.TrustGiven, Time: time.Now(),
			Detail: events.Text(d.Dir + ", by " + d.By)}
		if d.IsFile() {
			event.Files = append(event.Files,
				events.File{Path: d.Dir, Layer: "file", SHA256: d.Files[filepath.Base(d.Dir)].SHA256})
		}
		for _, name := range slices.Sorted(maps.Keys(d.Files)) {
			if !d.IsFile() {
				event.Files = append(event.Files,
					events.File{Path: filepath.Join(d.Dir, name), Layer: "workspace", SHA256: d.Files[name].SHA256})
			}
		}
		return r.Record.Record(context.WithoutCancel(ctx), event)
	})
}

// Revoke takes it back.
func (r Register) Revoke(ctx context.Context, dir, by string) error {
	return r.Store.Revoke(dir, func() error {
		return r.Record.Record(context.WithoutCancel(ctx),
			events.Event{Type: events.TrustRevoked, Time: time.Now(), Detail: events.Text(dir + ", by " + by)})
	})
}
