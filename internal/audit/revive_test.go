package audit

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// types returns what is on record, in its order.
func types(t *testing.T, dir string) []events.Type {
	t.Helper()
	entries, err := List(dir, Filter{})
	if err != nil {
		t.Fatal(err)
	}
	var list []events.Type
	for _, e := range entries {
		list = append(list, e.Type)
	}
	return list
}

// TestRevive: once somebody has accepted the damage, all that wrote the record go on in the one that is accepted, also
// those that had not noticed any, behind the line that says so.
func TestRevive(t *testing.T) {
	t.Parallel()
	log, dir := longTest(t)
	other := reopen(t, dir)
	keep(t, other, decided("before"))
	changeLine(t, dir, 7)
	if _, err := scrubNow(t, log, 0); !errors.Is(err, ErrDamaged) {
		t.Fatal(err)
	}
	for range 2 {
		if err := log.Record(t.Context(), decided("after")); !errors.Is(err, ErrDamaged) {
			t.Errorf("it records on: %v", err)
		}
	}
	if err := log.Alive(); !errors.Is(err, ErrDamaged) {
		t.Errorf("it lives: %v", err)
	}
	if aside, err := Accept(dir, "alice"); err != nil || aside == "" {
		t.Fatalf("%q, %v", aside, err)
	}
	keep(t, other, decided("one"))
	if err := log.Alive(); err != nil {
		t.Errorf("it stays dead: %v", err)
	}
	keep(t, log, decided("two"))
	want := []events.Type{events.RecordRepaired, events.ToolDecided, events.ToolDecided}
	if got := types(t, dir); !slices.Equal(got, want) {
		t.Errorf("on record: %v", got)
	}
	if report, err := Verify(dir, VerifyOptions{}); err != nil || !report.OK {
		t.Errorf("%+v, %v", report, err)
	}
}

// TestReviveUnmarked: what was wrong and is right again is accepted by nobody before the mark is taken off.
func TestReviveUnmarked(t *testing.T) {
	t.Parallel()
	log, dir := longTest(t)
	path := filepath.Join(dir, segmentName(1))
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	changeLine(t, dir, 7)
	if _, err := scrubNow(t, log, 0); !errors.Is(err, ErrDamaged) {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := log.Alive(); !errors.Is(err, ErrDamaged) {
		t.Errorf("it lives: %v", err)
	}
	if aside, err := Accept(dir, "alice"); err != nil || aside != "" {
		t.Fatalf("%q, %v", aside, err)
	}
	keep(t, log, decided("after"))
	got := types(t, dir)
	if got = got[len(got)-2:]; !slices.Equal(got, []events.Type{events.RecordRepaired, events.ToolDecided}) {
		t.Errorf("on record: %v", got)
	}
}

// TestCutIsMarked: a record that was cut behind its last checkpoint is opened as if it were whole. The process that
// knows better marks it, so that nobody writes it on before that is accepted, whatever stands there later.
func TestCutIsMarked(t *testing.T) {
	t.Parallel()
	log, dir := openTest(t)
	for _, detail := range []string{"one", "two", "three"} {
		keep(t, log, decided(detail))
	}
	lines := linesOf(t, dir)
	writeLinesInPlace(t, dir, lines[:2])
	if err := log.Record(t.Context(), decided("four")); !errors.Is(err, ErrDead) || !strings.Contains(err.Error(), "cut it from") {
		t.Fatalf("got %v", err)
	}
	if _, err := Open(dir); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "number 3 was found truncated") {
		t.Errorf("opened: %v", err)
	}
	writeLinesInPlace(t, dir, lines)
	if err := log.Alive(); !errors.Is(err, ErrDead) {
		t.Errorf("it lives: %v", err)
	}
}

// TestReviveInAStrangersPlace: a record that somebody has put in the place of another is accepted by nobody, whatever
// its first line says, and one that was put aside is not accepted before that line is there.
func TestReviveInAStrangersPlace(t *testing.T) {
	t.Parallel()
	log, dir := openTest(t)
	keep(t, log, decided("one"))
	if err := os.Rename(dir, dir+".old"); err != nil {
		t.Fatal(err)
	}
	stranger := reopen(t, dir)
	keep(t, stranger, events.Event{Type: events.RecordRepaired})
	if err := log.Record(t.Context(), decided("two")); !errors.Is(err, ErrDead) {
		t.Errorf("got %v", err)
	}
	if err := os.Rename(dir, dir+".stranger"); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(dir+".old", dir+".damaged-1"); err != nil {
		t.Fatal(err)
	}
	if err := log.Alive(); !errors.Is(err, ErrDead) {
		t.Errorf("without a record: %v", err)
	}
	begun := reopen(t, dir)
	if err := log.Alive(); !errors.Is(err, ErrDead) {
		t.Errorf("without its first line: %v", err)
	}
	keep(t, begun, events.Event{Type: events.RecordRepaired})
	if err := log.Alive(); err != nil {
		t.Error(err)
	}
}

// TestTendLooksAtTheEnd: a process that records nothing finds within a minute what was changed near the end of the
// record, says so once, and once more when it is accepted.
func TestTendLooksAtTheEnd(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(t *testing.T, dir string, lines [][]byte){
		"changed in place": func(t *testing.T, dir string, lines [][]byte) {
			lines[1] = bytes.Replace(lines[1], []byte("two"), []byte("owt"), 1)
			writeLinesInPlace(t, dir, lines)
		},
		"cut": func(t *testing.T, dir string, lines [][]byte) { writeLinesInPlace(t, dir, lines[:2]) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				log, dir := openTest(t)
				for _, detail := range []string{"one", "two", "three"} {
					keep(t, log, decided(detail))
				}
				ctx, cancel := context.WithCancel(t.Context())
				var told []error
				ended := make(chan struct{})
				go func() {
					defer close(ended)
					log.Tend(ctx, func(err error) { told = append(told, err) })
				}()
				time.Sleep(2 * time.Minute)
				synctest.Wait()
				if told != nil {
					t.Errorf("told of a record that is whole: %v", told)
				}
				change(t, dir, linesOf(t, dir))
				time.Sleep(2 * time.Minute)
				synctest.Wait()
				if len(told) != 1 || !errors.Is(told[0], ErrDead) {
					t.Errorf("told %v", told)
				}
				if aside, err := Accept(dir, "alice"); err != nil || aside == "" {
					t.Errorf("%q, %v", aside, err)
				}
				time.Sleep(2 * reviveEvery)
				synctest.Wait()
				if len(told) != 2 || told[1] != nil {
					t.Errorf("told %v", told)
				}
				cancel()
				<-ended
				log.Close()
			})
		})
	}
}
