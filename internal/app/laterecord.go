package app

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// mostLate bounds how many events are kept while the record cannot be written.
const mostLate = 1000

// lateRecorder keeps what could not be recorded (audit.on_audit_failure: degrade), and records it when the record can
// be written again, in front of what comes then. What has its place in the record late says so.
type lateRecorder struct {
	record events.Recorder
	say    func(string)

	mu      sync.Mutex // held while something is recorded, so that nothing overtakes what waits
	failing error      // why nothing could be recorded last; nil where it could
	since   time.Time
	waiting []events.Event // the oldest first
	lost    int            // beyond mostLate
}

// Record implements events.Recorder.
func (l *lateRecorder) Record(ctx context.Context, event events.Event) error {
	l.mu.Lock()
	if l.failing == nil {
		l.mu.Unlock()
		err := l.record.Record(ctx, event) // several at once, which share a sync
		if err != nil {
			l.fails(err)
		}
		return err
	}
	defer l.mu.Unlock()
	err := l.catchUp(ctx)
	if err == nil {
		err = l.record.Record(ctx, event)
	}
	if err != nil {
		l.failed(err)
	}
	return err
}

func (l *lateRecorder) fails(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failed(err)
}

// failed notes that the record cannot be written, and says so once. Called with mu held.
func (l *lateRecorder) failed(err error) {
	if l.failing == nil {
		l.since = now()
		l.say(fmt.Sprintf("the record cannot be written, so nothing goes on but what only reads, until it can: %v", err))
	}
	l.failing = err
}

// Later implements events.Later.
func (l *lateRecorder) Later(event events.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) >= mostLate {
		l.lost++
		return
	}
	event.Late = true
	l.waiting = append(l.waiting, event)
}

// catchUp records what waits, behind a line that says how long nothing could be recorded. Called with mu held.
func (l *lateRecorder) catchUp(ctx context.Context) error {
	resumed := events.Event{Type: events.RecordResumed, Time: now(), Detail: fmt.Sprintf("nothing could be recorded since %s: %v; "+
		"events of that time that follow: %d", l.since.UTC().Format(time.RFC3339), l.failing, len(l.waiting))}
	if l.lost > 0 {
		resumed.Detail += fmt.Sprintf(", and lost: %d", l.lost)
	}
	if err := l.record.Record(ctx, resumed); err != nil {
		return err
	}
	kept := len(l.waiting)
	for len(l.waiting) > 0 {
		if err := l.record.Record(ctx, l.waiting[0]); err != nil {
			return err
		}
		l.waiting = slices.Delete(l.waiting, 0, 1)
	}
	l.say(fmt.Sprintf("the record can be written again; of the time between %s in it, %s lost",
		display.Count(kept, "event is", "events are"), display.Count(l.lost, "is", "are")))
	l.failing, l.waiting, l.lost = nil, nil, 0
	return nil
}

// Close says what is lost with this process.
func (l *lateRecorder) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failing != nil && l.catchUp(context.Background()) != nil && len(l.waiting)+l.lost > 0 {
		l.say("the record could not be written to the end: " + display.Count(len(l.waiting)+l.lost, "event is lost", "events are lost"))
	}
	return nil
}
