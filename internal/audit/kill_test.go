package audit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// restless are options with which a Log does all it ever does every few lines.
var restless = Options{SegmentBytes: 1500, CheckpointLines: 3, CheckpointEvery: time.Millisecond, Keep: 36 * time.Hour}

// appendRestless appends from two goroutines until it is killed, on the day with a number, with a clock that jumps
// over midnight and back.
func appendRestless(dir string, day int) error {
	o, failed := restless, make(chan error)
	o.Say = func(line string) { failed <- fmt.Errorf("said: %s", line) }
	log := newLog(dir, o)
	log.now = func() time.Time { return testTime.AddDate(0, 0, day+rand.IntN(2)) }
	if err := log.open(); err != nil {
		return err
	}
	for range 2 {
		go func() { // ends with the process
			for n := 0; ; n++ {
				event := events.Event{Type: events.ToolDecided, Detail: fmt.Sprint(day, n)}
				if n%3 == 2 {
					event.Type = events.ToolEnded
				}
				if err := log.Record(context.Background(), event); err != nil {
					failed <- err
					return
				}
			}
		}()
	}
	return <-failed
}

// TestKilledAnywhere kills processes that share a record, anywhere in what they do: lines, new segments, the first
// key, checkpoints, and the removal of what is old. None of it is damage.
func TestKilledAnywhere(t *testing.T) {
	t.Parallel()
	kills := 100
	if testing.Short() {
		kills = 20
	}
	if n, err := strconv.Atoi(os.Getenv("A2A_SOAK_KILLS")); err == nil {
		kills = n
	}
	var dir string
	for kill := range kills {
		if kill%20 == 0 { // so that the beginnings are hit as well
			dir = filepath.Join(t.TempDir(), "audit")
		}
		killRestless(t, dir, kill)
		report, err := Verify(dir, VerifyOptions{})
		if errors.Is(err, fs.ErrNotExist) {
			continue // nothing was recorded
		}
		if err != nil {
			t.Fatalf("kill %d: %v", kill, err)
		}
		if slices.ContainsFunc(report.Problems, func(p Problem) bool { return p.Kind != Torn }) {
			t.Fatalf("kill %d: %+v", kill, report)
		}
	}
}

// killRestless runs two processes for a random while and kills both.
func killRestless(t *testing.T, dir string, day int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out [2]strings.Builder
	var cmds [2]*exec.Cmd
	for i := range cmds {
		cmd := exec.CommandContext(t.Context(), self, dir, fmt.Sprint(3*day+2*i))
		cmd.Env = append(os.Environ(), childRole+"=restless")
		cmd.Stderr = &out[i]
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		cmds[i] = cmd
	}
	time.Sleep(time.Duration(rand.IntN(120)) * time.Millisecond)
	for i, cmd := range cmds {
		cmd.Process.Kill() //nolint:errcheck // it ended by itself, which Wait tells
		if err := cmd.Wait(); err == nil || out[i].Len() > 0 {
			t.Fatalf("kill %d: it ended by itself: %v %s", day, err, out[i].String())
		}
	}
}
