package app

import (
	"context"
	"sync"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// reopenEvery is how often it is tried to open a record that could not be opened.
const reopenEvery = 5 * time.Second

// reopenedRecord is a record that could not be opened when the program began, and is tried again when something is to
// be recorded.
type reopenedRecord struct {
	open func() (*audit.Log, error)

	mu    sync.Mutex
	log   *audit.Log // nil until it is open
	err   error      // why it is not
	tried time.Time
}

// Record implements events.Recorder.
func (r *reopenedRecord) Record(ctx context.Context, event events.Event) error {
	log, err := r.opened()
	if err != nil {
		return err
	}
	return log.Record(ctx, event)
}

func (r *reopenedRecord) opened() (*audit.Log, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.log == nil && now().Sub(r.tried) >= reopenEvery {
		r.tried = now()
		if r.log, r.err = r.open(); r.err != nil {
			r.log = nil
		}
	}
	if r.log == nil {
		return nil, r.err
	}
	return r.log, nil
}

// Close closes the record, if it is open.
func (r *reopenedRecord) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.log == nil {
		return nil
	}
	return r.log.Close()
}
