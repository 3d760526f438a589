package app

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// disk is a record that can be written or cannot.
type disk struct {
	full error
	kept []events.Event
}

func (d *disk) Record(_ context.Context, e events.Event) error {
	if d.full != nil {
		return d.full
	}
	d.kept = append(d.kept, e)
	return nil
}

// TestLateRecord keeps what could not be recorded, and records it in its order and in front of what comes then, with a
// line that says how long nothing could be recorded.
func TestLateRecord(t *testing.T) {
	t.Parallel()
	d := &disk{}
	var said []string
	l := &lateRecorder{record: d, say: func(line string) { said = append(said, line) }}
	record := func(detail string) error {
		e := events.Event{Type: events.ToolDecided, Detail: detail}
		err := l.Record(t.Context(), e)
		if err != nil {
			events.RecordLater(l, e)
		}
		return err
	}
	steps := func() string {
		var all []string
		for _, e := range d.kept {
			word := e.Detail
			if e.Type == events.RecordResumed {
				word = "resumed"
			}
			if e.Late {
				word += " late"
			}
			all = append(all, word)
		}
		return strings.Join(all, ", ")
	}
	if err := record("a"); err != nil {
		t.Fatal(err)
	}
	d.full = errors.New("no space left on device")
	for _, detail := range []string{"b", "c"} {
		if err := record(detail); !errors.Is(err, d.full) {
			t.Errorf("%s: %v", detail, err)
		}
	}
	if len(said) != 1 || !strings.Contains(said[0], "nothing goes on but what only reads") || !strings.Contains(said[0], "no space") {
		t.Errorf("said %q", said)
	}
	d.full = nil
	if err := record("d"); err != nil {
		t.Fatal(err)
	}
	if got := steps(); got != "a, resumed, b late, c late, d" {
		t.Errorf("on record: %s", got)
	}
	if detail := d.kept[1].Detail; !strings.Contains(detail, "no space left on device") || !strings.Contains(detail, "that follow: 2") {
		t.Errorf("it says %q", detail)
	}
	if len(said) != 2 || !strings.Contains(said[1], "2 events are in it, 0 are lost") {
		t.Errorf("said %q", said)
	}

	// What is kept is bounded, and what is lost is told, on record and at the end.
	d.kept, d.full = nil, errors.New("I/O error")
	for i := range mostLate + 5 {
		_ = record(fmt.Sprint(i))
	}
	if err := l.Close(); err != nil || !strings.Contains(said[len(said)-1], fmt.Sprintf("%d events are lost", mostLate+5)) {
		t.Errorf("%v, said %q", err, said[len(said)-1])
	}
	d.full = nil
	if err := record("e"); err != nil || len(d.kept) != mostLate+2 || !strings.Contains(d.kept[0].Detail, "and lost: 5") {
		t.Errorf("%v, %d events, the first %q", err, len(d.kept), d.kept[0].Detail)
	}
}

// TestReopenedRecord tries to open a record again that could not be opened, now and then, when something is to be
// recorded.
func TestReopenedRecord(t *testing.T) {
	t.Parallel()
	dir := t.TempDir() + "/audit"
	full := errors.New("read-only file system")
	tries := 0
	r := &reopenedRecord{err: full, tried: now(), open: func() (*audit.Log, error) {
		tries++
		if tries == 1 {
			return nil, full
		}
		return audit.Open(dir)
	}}
	record := func() error { return r.Record(t.Context(), events.Event{Type: events.ToolDecided}) }
	if err := record(); !errors.Is(err, full) || tries != 0 {
		t.Errorf("a moment later: %v after %d tries", err, tries)
	}
	r.tried = time.Time{}
	if err := record(); !errors.Is(err, full) || tries != 1 {
		t.Errorf("%v after %d tries", err, tries)
	}
	r.tried = time.Time{}
	for range 2 {
		if err := record(); err != nil || tries != 2 {
			t.Errorf("%v after %d tries", err, tries)
		}
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if entries, err := audit.List(dir, audit.Filter{}); err != nil || len(entries) != 2 {
		t.Errorf("%d entries, %v", len(entries), err)
	}
}
