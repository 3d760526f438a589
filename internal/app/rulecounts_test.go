package app

import (
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A limit holds for everybody who shares the state directory, outlives them, and forgets with time.
func TestCounts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	var taken atomic.Int64
	var all sync.WaitGroup
	for range 4 { // as four bridges
		c := newCounts(dir)
		all.Go(func() {
			for range 5 {
				ok, err := c.Take("rule\x00agent\x00x", 7, time.Hour, now)
				if err != nil {
					t.Error(err)
				}
				if ok {
					taken.Add(1)
				}
			}
		})
	}
	all.Wait()
	if taken.Load() != 7 {
		t.Errorf("%d were taken, want 7", taken.Load())
	}
	c := newCounts(dir)
	for _, test := range []struct {
		at   time.Time
		want int
	}{{now.Add(time.Hour - time.Second), 7}, {now.Add(time.Hour), 0}, {now.Add(-time.Hour), 7}} {
		if n, err := c.Count("rule\x00agent\x00x", time.Hour, test.at); n != test.want || err != nil {
			t.Errorf("at %s: %d, %v; want %d", test.at, n, err, test.want)
		}
	}
	if n, err := c.Count("another", time.Hour, now); n != 0 || err != nil {
		t.Errorf("another key: %d, %v", n, err)
	}
	if info, err := os.Stat(filepath.Join(dir, "limits.json")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v; want a file that is ours alone", info, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "limits.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if ok, err := c.Take("x", 7, time.Hour, now); ok || err == nil {
		t.Errorf("from a broken file: %t, %v; want an error", ok, err)
	}
	if _, err := c.Count("x", time.Hour, now); err == nil {
		t.Error("a broken file is read as empty, and the limit would begin anew")
	}
}
