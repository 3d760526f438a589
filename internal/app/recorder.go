package app

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// recorder writes what was in force in front of the first act. A process that only explains or shows
// something does nothing that is worth a record, and leaves none.
type recorder struct {
	events.Recorder
	// violated is told what an agent did against a rule or an answer, when that is on record.
	violated func(events.Event)
	// begins is called before anything is recorded.
	begins func()

	// heard is told of everything that is on record; nil where nobody listens. What it logs is what stands there.
	heard func(events.Event)

	trouble atomic.Pointer[error] // why the last event could not be written; nil where it was
	begun   atomic.Bool           // first was written: nobody waits for mu any more
	mu      sync.Mutex
	first   []events.Event // not yet written
}

// before keeps an event until something happens under it. It tells whether that is still to come: once
// something was recorded, an event is recorded when it happens.
func (p *recorder) before(event events.Event) (kept bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.first == nil {
		return false
	}
	p.first = append(p.first, event)
	return true
}

// Record implements events.Recorder. Nothing overtakes what stands before it: when that cannot be written,
// neither is this.
func (p *recorder) Record(ctx context.Context, event events.Event) error {
	err := p.write(ctx)
	if err == nil {
		err = p.Recorder.Record(ctx, event)
	}
	if err != nil {
		if ctx.Err() == nil { // else it may be the asker's
			p.trouble.Store(&err)
		}
		return err
	}
	if p.trouble.Load() != nil {
		p.trouble.Store(nil)
	}
	if p.heard != nil {
		p.heard(event)
	}
	if event.Type == events.ToolViolated && p.violated != nil {
		p.violated(event)
	}
	return nil
}

// Later implements events.Later.
func (p *recorder) Later(event events.Event) { events.RecordLater(p.Recorder, event) }

func (p *recorder) write(ctx context.Context) error {
	if p.begun.Load() {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.first != nil && p.begins != nil {
		p.begins()
		p.begins = nil
	}
	for len(p.first) > 0 {
		if err := p.Recorder.Record(ctx, p.first[0]); err != nil {
			return err
		}
		p.first = p.first[1:]
	}
	p.first = nil
	p.begun.Store(true)
	return nil
}
