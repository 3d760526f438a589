package audit

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// TestRetire removes the segments that are older than the record is kept, says so, and proves the rest as
// before.
func TestRetire(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "audit")
	log := newTestLog(dir, Options{Keep: 10 * 24 * time.Hour})
	if err := log.open(); err != nil {
		t.Fatal(err)
	}
	var outside string
	for day := range 20 {
		now := testTime.AddDate(0, 0, day)
		log.now = func() time.Time { return now }
		for range 3 {
			keep(t, log, events.Event{Type: events.ToolDecided, Detail: fmt.Sprint("day ", day)})
		}
		if day == 5 {
			_, c, err := MakeCheckpoint(dir)
			if err != nil {
				t.Fatal(err)
			}
			outside = filepath.Join(t.TempDir(), "outside")
			if err := os.WriteFile(outside, []byte(c.Note), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	log.sign()
	if log.dead != nil {
		t.Fatal(log.dead)
	}
	log.now = func() time.Time { return testTime.AddDate(0, 0, 20) }
	entries, err := List(dir, Filter{})
	if err != nil {
		t.Fatal(err)
	}
	// Day 9 begins exactly ten days before, so that day 8 may not be old enough yet.
	if entries[0].Detail != "day 8" || entries[0].Seq != 25 {
		t.Errorf("begins with number %d, %q", entries[0].Seq, entries[0].Detail)
	}
	last := entries[len(entries)-1]
	if last.Type != events.RecordRetired || last.Retired != 24 || len(last.Files) != 8 || last.Detail != "older than 10 days" {
		t.Errorf("got %+v", last.Event)
	}
	for name, o := range map[string]VerifyOptions{"alone": {}, "outside": {Checkpoints: []string{outside}}} {
		report, err := Verify(dir, o)
		if err != nil || !report.OK || report.First != 25 || report.Removed == nil || *report.Removed != (Removed{24, last.Seq}) {
			t.Errorf("%s: %+v, %v", name, report, err)
		}
	}
	proof, err := Prove(dir, 30)
	if err != nil {
		t.Fatal(err)
	}
	public, _ := PublicKey(dir)
	if proved, err := CheckProof(proof, public); err != nil || proved.Entry.Seq != 30 {
		t.Errorf("%v, %v", proved, err)
	}
	if _, err := Prove(dir, 3); err == nil || !strings.Contains(err.Error(), "no line has number 3") {
		t.Errorf("a line that was removed: %v", err)
	}

	// What goes beyond that was not removed on purpose.
	log.Close()
	if err := os.Remove(filepath.Join(dir, segmentName(25))); err != nil {
		t.Fatal(err)
	}
	report, err := Verify(dir, VerifyOptions{})
	if err != nil || report.OK || report.Problems[0].Kind != Missing {
		t.Errorf("%+v, %v", report, err)
	}
}

// TestRetiredByAnother: the segment that an idle Log and a follower have open is removed by another process. Both go
// on behind it.
func TestRetiredByAnother(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "audit")
	idle := reopen(t, dir)
	keep(t, idle, decided("idle"))
	follower := readFrom(t, openFeed(t, dir), Cursor{})
	nextDetails(t, follower, 1)

	busy := newTestLog(dir, Options{Keep: 24 * time.Hour})
	if err := busy.open(); err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	day := 0
	busy.now = func() time.Time { return testTime.AddDate(0, 0, day) }
	for ; day < 5; day++ {
		keep(t, busy, events.Event{Type: events.ToolDecided, Detail: fmt.Sprint("day ", day)})
		if day == 3 { // the follower has not looked yet, and all that it has read is gone
			busy.sign()
			if e, err := follower.Poll(); err != nil || e.Seq != 2 {
				t.Errorf("followed number %d, %v", e.Seq, err)
			}
		}
	}
	busy.sign()
	if names(t, dir)[0] == segmentName(1) {
		t.Fatal("nothing was removed")
	}
	keep(t, idle, decided("again"))
	if report := verified(t, dir); report.First == 1 {
		t.Errorf("%+v", report)
	}
}

// TestRetireKeepsWhatIsYoung: a line that is not old enough stays where the clock was set back behind it.
func TestRetireKeepsWhatIsYoung(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		days []int // of the lines, each of which has a segment
		want int64 // the first number that is left
	}{
		{"all in order", []int{0, 1, 2, 30, 30}, 3},
		{"a clock that was wrong for a while", []int{29, -900, 30, 30}, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "audit")
			log := newTestLog(dir, Options{Keep: 10 * 24 * time.Hour, SegmentBytes: 1})
			if err := log.open(); err != nil {
				t.Fatal(err)
			}
			defer log.Close()
			for _, day := range test.days {
				now := testTime.AddDate(0, 0, day)
				log.now = func() time.Time { return now }
				keep(t, log, events.Event{Type: events.ToolDecided})
			}
			log.sign()
			if report := verified(t, dir); report.First != test.want {
				t.Errorf("begins with number %d, want %d", report.First, test.want)
			}
		})
	}
}

// TestVerifyBesideRetirement: at whichever moment of a verification lines are removed since they are old, and be it that
// all are of which it had read a checkpoint, it says that the record is whole.
func TestVerifyBesideRetirement(t *testing.T) {
	t.Parallel()
	const days = 6
	for at := 1; ; at++ {
		dir := filepath.Join(t.TempDir(), "audit")
		day := 0
		log := newTestLog(dir, Options{Keep: 24 * time.Hour})
		log.now = func() time.Time { return testTime.AddDate(0, 0, day) }
		if err := log.open(); err != nil {
			t.Fatal(err)
		}
		live := func() {
			for range days {
				day++
				keep(t, log, decided("a line"))
				log.sign()
			}
		}
		keep(t, log, decided("the first"))
		log.options.Keep = 0 // nothing is removed before it is read
		live()
		log.options.Keep = 24 * time.Hour
		pieces := 0
		report, err := Verify(dir, VerifyOptions{pause: func() error {
			if pieces++; pieces == at {
				live()
			}
			return nil
		}})
		if err != nil || !report.OK {
			t.Errorf("removed in front of piece %d: %+v, %v", at, report, err)
		}
		if log.dead != nil {
			t.Error(log.dead)
		}
		log.Close()
		if pieces < at {
			break
		}
	}
}

// TestRetireRace: while one process removes what is old as fast as it can, others read, verify, prove, open and write.
// None of them finds damage, or nothing.
func TestRetireRace(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "audit")
	days := 40
	if testing.Short() {
		days = 12
	}
	var day atomic.Int64
	busy := newTestLog(dir, Options{Keep: 24 * time.Hour, SegmentBytes: 600})
	busy.now = func() time.Time { return testTime.AddDate(0, 0, int(day.Load())) }
	if err := busy.open(); err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	keep(t, busy, decided("the first"))

	over := make(chan struct{})
	var others sync.WaitGroup
	for name, once := range map[string]func() error{
		"read":   func() error { return Read(dir, func(Entry) error { return nil }) },
		"recent": func() error { _, _, err := Recent(dir, 5); return err },
		"verify": func() error {
			report, err := Verify(dir, VerifyOptions{})
			if err == nil && !report.OK {
				err = fmt.Errorf("%+v", report)
			}
			return err
		},
		"prove": func() error {
			last, err := LastCheckpoint(dir)
			if err != nil || last.Size == 0 {
				return err
			}
			if _, err = Prove(dir, last.Size); errors.Is(err, os.ErrNotExist) { // days may have gone by
				if now, wrong := LastCheckpoint(dir); wrong == nil && now.Size > last.Size {
					return nil
				}
			}
			return err
		},
		"open and write": func() error {
			log := newTestLog(dir, Options{})
			log.now = busy.now
			if err := log.open(); err != nil {
				return err
			}
			err := log.Record(t.Context(), events.Event{Type: events.ToolEnded})
			return errors.Join(err, log.Close())
		},
	} {
		others.Go(func() { // ends when over is closed
			for {
				if err := once(); err != nil {
					t.Errorf("%s, on day %d: %v", name, day.Load(), err)
					return
				}
				select {
				case <-over:
					return
				default:
				}
			}
		})
	}
	for range days {
		day.Add(1)
		for range 4 {
			keep(t, busy, decided("a line"))
		}
		busy.sign()
		if busy.dead != nil {
			t.Error(busy.dead)
			break
		}
	}
	close(over)
	others.Wait()
	if report := verified(t, dir); report.First < int64(days) {
		t.Errorf("it begins with number %d: little was removed", report.First)
	}
}
