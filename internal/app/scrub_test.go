package app

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/audit"
	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// TestScrubbedRecordIsDamaged: what is changed in the record while a daemon runs is found by it; then it is not ready,
// records nothing, and says so.
func TestScrubbedRecordIsDamaged(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "audit")
	log, err := audit.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := log.Record(t.Context(), events.Event{Type: events.ToolDecided, Detail: "no"}); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := audit.MakeCheckpoint(dir); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "00000001.jsonl")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, bytes.Replace(text, []byte(`"no"`), []byte(`"ok"`), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		said := make(chan string, 1)
		a := &App{o: Options{Say: func(line string) { said <- line }}, log: log, recorder: &recorder{Recorder: log}}
		a.Record = a.recorder
		d := &daemon{app: a}
		a.startScrub()
		if err := d.ready(); err != nil {
			t.Errorf("it is not ready: %v", err)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if line := <-said; !strings.Contains(line, "number 1 was found changed") || !strings.Contains(line, "--accept-damage") {
			t.Errorf("it says %q", line)
		}
		if err := d.ready(); !errors.Is(err, audit.ErrDamaged) {
			t.Errorf("ready: %v", err)
		}
		if err := a.Record.Record(context.Background(), events.Event{Type: events.ToolDecided}); !errors.Is(err, audit.ErrDamaged) {
			t.Errorf("it records on: %v", err)
		}
		if err := a.unwind(); err != nil {
			t.Error(err)
		}
	})
	if err := log.Close(); err != nil {
		t.Error(err)
	}
}
