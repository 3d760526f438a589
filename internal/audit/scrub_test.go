package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"

	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// longTest makes a record of 1,200 lines in several segments, of which a checkpoint speaks: what Open looks at is the
// end of it.
func longTest(t *testing.T) (*Log, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "audit")
	log := newTestLog(dir, Options{SegmentBytes: 100_000, CheckpointLines: 1 << 20})
	if err := log.open(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close() })
	for i := range 1200 {
		keep(t, log, events.Event{Type: events.ToolEnded, Detail: fmt.Sprint(i+1, strings.Repeat(" x", 100))})
	}
	if _, _, err := MakeCheckpoint(dir); err != nil {
		t.Fatal(err)
	}
	return log, dir
}

// changeLine changes the line with a number where it stands, and no other byte.
func changeLine(t *testing.T, dir string, seq int) {
	t.Helper()
	for _, name := range names(t, dir) {
		path := filepath.Join(dir, name)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		old := fmt.Appendf(nil, `"detail":"%d x`, seq)
		if !bytes.Contains(text, old) {
			continue
		}
		changed := fmt.Appendf(nil, `"detail":"%d y`, seq)
		if err := os.WriteFile(path, bytes.Replace(text, old, changed, 1), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Fatalf("no line says that it is number %d", seq)
}

// scrubNow reads what is due, and counts the pieces. It is stopped in front of the one with a number; 0 for none.
func scrubNow(t *testing.T, log *Log, stop int) (pieces int, err error) {
	t.Helper()
	err = log.scrubOnce(t.Context(), func() error {
		if pieces++; pieces == stop {
			return context.Canceled
		}
		return nil
	})
	return pieces, err
}

// TestScrub finds what was changed before the end that Open looks at, and then nobody opens the record until that is
// accepted.
func TestScrub(t *testing.T) {
	t.Parallel()
	log, dir := longTest(t)
	if _, err := scrubNow(t, log, 0); err != nil {
		t.Fatalf("a whole record: %v", err)
	}
	changeLine(t, dir, 7)
	if pieces, err := scrubNow(t, log, 0); pieces != 0 || err != nil {
		t.Errorf("on the same day again: %d pieces, %v", pieces, err)
	}
	other, err := Open(dir)
	if err != nil {
		t.Fatalf("it is open at once, whatever stands before the end: %v", err)
	}
	t.Cleanup(func() { other.Close() })
	log.now = func() time.Time { return testTime.Add(25 * time.Hour) }
	const want = "number 7 was found changed on 2026-"
	if _, err = scrubNow(t, log, 0); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), want) ||
		!strings.Contains(err.Error(), "--accept-damage") {
		t.Fatalf("got %v, want %q and the cure", err, want)
	}
	if err := log.Record(t.Context(), decided("after")); !errors.Is(err, ErrDead) || !errors.Is(err, ErrDamaged) {
		t.Errorf("it records on: %v", err)
	}
	if _, err := Open(dir); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), want) {
		t.Errorf("it is opened: %v", err)
	}
	other.sign() // as it does every minute
	if err := other.Record(t.Context(), decided("after")); !errors.Is(err, ErrDamaged) {
		t.Errorf("another process records on: %v", err)
	}
	// Who takes the mark away has it until the next time.
	if err := os.Remove(filepath.Join(dir, markName)); err != nil {
		t.Fatal(err)
	}
	again, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := scrubNow(t, again, 0); !errors.Is(err, ErrDamaged) {
		t.Errorf("without its mark: %v", err)
	}
	again.Close()
	aside, err := Accept(dir, "alice")
	if err != nil || aside == "" {
		t.Fatalf("%q, %v", aside, err)
	}
	entries, err := List(dir, Filter{})
	if err != nil || len(entries) != 1 || len(entries[0].Damage) == 0 || Marked(aside) == nil {
		t.Errorf("got %v, %v", entries, err)
	}
}

// TestScrubRewritten: lines that follow each other, and are not those of the checkpoint, are found by its root alone.
func TestScrubRewritten(t *testing.T) {
	t.Parallel()
	log, dir := longTest(t)
	writeLines(t, dir, rewritten(t, linesOf(t, dir), 7))
	if _, err := scrubNow(t, log, 0); !errors.Is(err, ErrDamaged) {
		t.Errorf("got %v", err)
	}
}

// TestScrubAlone: while one process reads, the others do not.
func TestScrubAlone(t *testing.T) {
	t.Parallel()
	log, dir := longTest(t)
	other, err := openFile(filepath.Join(dir, scrubbedName), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := unix.Flock(int(other.Fd()), unix.LOCK_SH); err != nil {
		t.Fatal(err)
	}
	if pieces, err := scrubNow(t, log, 0); pieces != 0 || err == nil || errors.Is(err, ErrDamaged) {
		t.Errorf("%d pieces, %v", pieces, err)
	}
}

// TestScrubGoesOn reads a line once, though the process ends in between.
func TestScrubGoesOn(t *testing.T) {
	t.Parallel()
	log, dir := longTest(t)
	all, err := scrubNow(t, log, 0)
	if err != nil || all < 6 {
		t.Fatalf("%d pieces, %v", all, err)
	}
	log.now = func() time.Time { return testTime.Add(25 * time.Hour) }
	if _, err := scrubNow(t, log, all/2); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	changeLine(t, dir, 1100)
	if rest, err := scrubNow(t, log, 0); !errors.Is(err, ErrDamaged) || rest >= all {
		t.Errorf("%d pieces of %d, %v", rest, all, err)
	}
}

// TestScrubbedIsWrong: what says how far the record was read is no more believed than the record.
func TestScrubbedIsWrong(t *testing.T) {
	t.Parallel()
	log, dir := longTest(t)
	for i, text := range []string{
		"", "}{", "null", `{"seq":-1}`, `{"seq":9223372036854775807,"hashes":[]}`, `{"seq":600,"hash":"x"}`,
		`{"seq":600,"hashes":["` + strings.Repeat(`AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=","`, 3) +
			`AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="]}`,
		strings.Repeat("x", 100_000), `{"done":"2999-01-01T00:00:00Z"}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, scrubbedName), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		now := testTime.AddDate(0, 0, i+2)
		log.now = func() time.Time { return now }
		if pieces, err := scrubNow(t, log, 0); err != nil || pieces < 3 {
			t.Errorf("%.40q: %d pieces, %v", text, pieces, err)
		}
	}
	// Of half of a record and the right hashes, the rest is found to be another.
	if err := os.WriteFile(filepath.Join(dir, scrubbedName), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	changeLine(t, dir, 1)
	if _, err := scrubNow(t, log, 0); !errors.Is(err, ErrDamaged) {
		t.Errorf("got %v", err)
	}
}

// TestScrubRetired reads a record from which old lines were removed.
func TestScrubRetired(t *testing.T) {
	t.Parallel()
	log, dir := longTest(t)
	log.options.Keep = time.Hour
	log.now = func() time.Time { return testTime.AddDate(0, 0, 1) }
	keep(t, log, decided("a day later"))
	log.sign()
	log.sign()
	list := names(t, dir)
	if log.dead != nil || list[0] == segmentName(1) {
		t.Fatalf("%v, %v", list, log.dead)
	}
	if _, err := scrubNow(t, log, 0); err != nil {
		t.Error(err)
	}
	// Without the tree nothing can be said of what was removed.
	if err := os.Remove(filepath.Join(dir, treeName)); err != nil {
		t.Fatal(err)
	}
	log.now = func() time.Time { return testTime.AddDate(0, 0, 3) }
	if _, err := scrubNow(t, log, 0); !errors.Is(err, ErrDamaged) {
		t.Errorf("without its tree: %v", err)
	}
}

// TestMarked: a mark that somebody has made on a record that is whole is taken off as one accepts damage.
func TestMarked(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "\x1b[2J", `{"kind":"changed","seq":7,"found":"2026-01-02T03:04:05Z"}`, `{"kind":"\u001b[2J"}`} {
		log, dir := openTest(t)
		keep(t, log, decided("one"))
		log.Close()
		if err := os.WriteFile(filepath.Join(dir, markName), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir); !errors.Is(err, ErrDamaged) || strings.ContainsRune(err.Error(), '\x1b') {
			t.Errorf("%q: %v", text, err)
		}
		if aside, err := Accept(dir, "alice"); err != nil || aside != "" {
			t.Errorf("%q: %q, %v", text, aside, err)
		}
		entries, err := List(dir, Filter{})
		if err != nil || len(entries) != 2 || !strings.Contains(entries[1].Detail, "alice took the mark off") {
			t.Errorf("%q: %v, %v", text, entries, err)
		}
		again, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		again.Close()
	}
}

// TestScrubIsSlow: what reads is asked before each piece, and works a twentieth of the time; nothing is read before the
// start is over, and nothing once the process ends.
func TestScrubIsSlow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		log, dir := longTest(t)
		log.now = time.Now
		changeLine(t, dir, 7)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(scrubDelay-time.Second, cancel)
		log.Tend(ctx, func(err error) { t.Errorf("before the start is over: %v", err) })
		began := time.Now()
		ctx, cancel = context.WithCancel(t.Context())
		log.Tend(ctx, func(err error) {
			if !errors.Is(err, ErrDamaged) || time.Since(began) < scrubDelay {
				t.Errorf("after %v: %v", time.Since(began), err)
			}
			cancel()
		})
		pause := newPace(t.Context())
		began = time.Now()
		for range 10 {
			time.Sleep(scrubWork) // it works
			if err := pause(); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(began); took != 10*scrubShare*scrubWork {
			t.Errorf("it took %v", took)
		}
		log.Close()
	})
}
