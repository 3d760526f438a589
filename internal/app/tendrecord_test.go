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
	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// TestScrubbedRecordIsDamaged: what is changed in the record while a daemon runs is found by it; then it is not ready,
// records nothing, and says so. Once somebody has accepted that, it goes on by itself in the record that begins then.
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
		said := make(chan string, 2)
		a := &App{o: Options{Say: func(line string) { said <- line }}, log: log, recorder: &recorder{Recorder: log}}
		a.configuration.Store(&Configuration{Set: &config.Set{}})
		a.Record = a.recorder
		d := &daemon{app: a}
		a.tendRecord()
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
		if got := a.recordStopped(); got[0].Value != 1 || got[1].Value != 0 {
			t.Errorf("metrics say %v", got)
		}
		if aside, err := audit.Accept(dir, "alice"); err != nil || aside == "" {
			t.Fatalf("%q, %v", aside, err)
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if line := <-said; !strings.Contains(line, "is written again") {
			t.Errorf("it says %q", line)
		}
		if err := d.ready(); err != nil {
			t.Errorf("it is not ready again: %v", err)
		}
		if got := a.recordStopped(); got[0].Value != 0 || got[1].Value != 0 {
			t.Errorf("metrics say %v", got)
		}
		if err := a.Record.Record(context.Background(), events.Event{Type: events.ToolDecided}); err != nil {
			t.Error(err)
		}
		list, err := audit.List(dir, audit.Filter{})
		if err != nil || len(list) != 3 || list[0].Type != events.RecordRepaired || list[1].Type != events.ConfigLoaded {
			t.Errorf("on record: %v, %v", list, err)
		}
		if err := a.unwind(); err != nil {
			t.Error(err)
		}
	})
	if err := log.Close(); err != nil {
		t.Error(err)
	}
}
