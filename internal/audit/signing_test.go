package audit

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"
)

// TestSigned makes a checkpoint of many lines, of lines that have waited, and of what is left at the end; none
// where nothing was recorded.
func TestSigned(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "audit")
	told := make(chan int64, 100)
	open := func(o Options) *Log {
		o.Checkpointed = func(c Checkpoint) { told <- c.Size }
		o.Say = func(line string) { t.Error(line) }
		log := newTestLog(dir, o)
		if err := log.open(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { log.Close() })
		return log
	}
	many := open(Options{CheckpointLines: 10})
	for i := range 10 {
		keep(t, many, decided(fmt.Sprint(i)))
	}
	if size := <-told; size != 10 {
		t.Errorf("a checkpoint of %d lines", size)
	}
	if err := many.Close(); err != nil {
		t.Error(err)
	}
	waited := open(Options{CheckpointEvery: time.Millisecond})
	keep(t, waited, decided("one more"))
	if size := <-told; size != 11 {
		t.Errorf("a checkpoint of %d lines", size)
	}
	if err := waited.Close(); err != nil {
		t.Error(err)
	}
	ended := open(Options{})
	keep(t, ended, decided("the last"))
	if err := ended.Close(); err != nil {
		t.Error(err)
	}
	if size := <-told; size != 12 {
		t.Errorf("a checkpoint of %d lines", size)
	}
	if err := open(Options{}).Close(); err != nil {
		t.Error(err)
	}
	if len(told) > 0 {
		t.Errorf("another one, of %d lines", <-told)
	}
}

// TestDamageStopsARunningLog: a Log that finds lines changed when it is to sign them records nothing more.
func TestDamageStopsARunningLog(t *testing.T) {
	t.Parallel()
	log, dir := openTest(t)
	for _, detail := range []string{"one", "two", "three"} {
		keep(t, log, decided(detail))
	}
	lines := linesOf(t, dir)
	lines[1][len(lines[1])-4] ^= 1 // the same length
	writeLinesInPlace(t, dir, lines)
	log.sign()
	if err := log.Record(t.Context(), decided("four")); err == nil {
		t.Error("recorded behind lines that were changed")
	}
}
