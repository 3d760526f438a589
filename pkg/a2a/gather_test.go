package a2a

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/tasklog"
)

// TestGather: what comes after a pause is told at once, and in a flood it waits its time, or until it must be told.
func TestGather(t *testing.T) {
	for name, test := range map[string]struct{ since, now, waits time.Duration }{
		"the first":           {time.Hour, time.Hour, 0},
		"after a pause":       {gathered, time.Hour, 0},
		"in a flood":          {0, time.Hour, gathered},
		"later in a flood":    {gathered / 4, time.Hour, gathered * 3 / 4},
		"what cannot wait":    {0, 0, 0},
		"what waits no more":  {0, gathered / 2, gathered / 2},
		"what comes too late": {gathered, gathered / 2, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := sync.NewCond(&sync.Mutex{})
				begin := time.Now()
				now := func() bool { return time.Since(begin) >= test.now }
				time.AfterFunc(test.now, c.Broadcast)
				c.L.Lock()
				gather(c, begin.Add(-test.since), now)
				c.L.Unlock()
				if waited := time.Since(begin); waited != test.waits {
					t.Errorf("it has waited %s, want %s", waited, test.waits)
				}
			})
		})
	}
}

// TestOutputIsGathered has a tool print a byte at a time: it is told as few events, and whole.
func TestOutputIsGathered(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	task := h.send("anna", "print")
	var printed, told int
	var elapsed string
	if _, err := fmt.Sscanf(fmt.Sprint(at(task, "status.message.parts.0.text")), "did %d bytes in %s", &printed, &elapsed); err != nil {
		t.Fatalf("%v: %v", err, task)
	}
	took, err := time.ParseDuration(elapsed)
	if err != nil {
		t.Fatal(err)
	}
	if text := fmt.Sprint(at(task, "artifacts.0.parts.0.text")); len(text) != printed {
		t.Errorf("%d bytes of %d were told", len(text), printed)
	}
	kept, err := h.log.Get(t.Context(), task["id"].(string))
	if err != nil {
		t.Fatal(err)
	}
	events, err := h.log.Events(t.Context(), kept, 0, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if e.Kind == tasklog.Artifact {
			told++
		}
	}
	// The first is told at once, and the end has two.
	if most := int(took/gathered) + printed/mostChunk + 4; told > most {
		t.Errorf("%d bytes in %s were told as %d events, want at most %d", printed, took, told, most)
	}
}
