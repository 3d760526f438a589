package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

func TestRecordLine(t *testing.T) {
	t.Parallel()
	log, dir := openTest(t)
	keep(t, log, events.Event{
		Type: events.ToolDecided, Time: testTime, Session: "s", CallID: "c", ToolCall: "t",
		Act:      &events.Act{Kind: "call", Tool: "greet", Arguments: map[string]any{"name": "<b> & \xff"}},
		Decision: &events.Decision{DecisionSummary: tool.DecisionSummary{Result: "approve", Source: "policy", Rule: "r"}},
	})
	keep(t, log, events.Event{Type: events.ToolEnded, CallID: "c"})
	got, err := os.ReadFile(filepath.Join(dir, segmentName(1)))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"seq":1,"v":1,"id":"01900000-0000-7000-8000-000000000000","prev":"","type":"tool.decided","time":"2026-11-21T09:00:00.123456789Z","session_id":"s","call_id":"c","tool_call_id":"t","act":{"kind":"call","tool":"greet","arguments":{"name":"<b> & \ufffd"}},"decision":{"result":"approve","source":"policy","rule":"r"}}
{"seq":2,"v":1,"id":"01900000-0000-7000-8000-000000000000","prev":"HASH","type":"tool.ended","time":"2026-11-21T09:00:00.123456789Z","call_id":"c"}
`
	first, _, _ := bytes.Cut(got, []byte("\n"))
	if diff := cmp.Diff(strings.Replace(want, "HASH", sum(first), 1), string(got)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	checkChain(t, dir)
}

func TestFilesAreOursAlone(t *testing.T) {
	t.Parallel()
	log, dir := openTest(t)
	keep(t, log, decided("x"))
	for path, want := range map[string]os.FileMode{
		dir: 0o700, filepath.Join(dir, segmentName(1)): 0o600, filepath.Join(dir, lockName): 0o600,
	} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s has mode %04o, want %04o", path, info.Mode().Perm(), want)
		}
	}
}

func TestNewID(t *testing.T) {
	t.Parallel()
	first, second := newID(testTime), newID(testTime)
	if !regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(first) {
		t.Errorf("%s is no UUID of version 7", first)
	}
	if want := fmt.Sprintf("%012x", testTime.UnixMilli()); strings.ReplaceAll(first, "-", "")[:12] != want {
		t.Errorf("%s does not begin with the time %s", first, want)
	}
	if first == second {
		t.Errorf("the same twice: %s", first)
	}
}

// TestDurableIsSynced looks into the file at the moment of the fsync: the line must be there, and Record
// must not have returned.
func TestDurableIsSynced(t *testing.T) {
	t.Parallel()
	log, dir := openTest(t)
	var atSync []string
	log.sync = func(f *os.File) error {
		whole, err := os.ReadFile(filepath.Join(dir, segmentName(1)))
		if err != nil {
			return err
		}
		atSync = append(atSync, fmt.Sprintf("%d lines", bytes.Count(whole, []byte("\n"))))
		return f.Sync()
	}
	step := func(name string, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, atSync); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
		atSync = nil
	}
	keep(t, log, decided("a"))
	step("a decision", "1 lines")
	keep(t, log, events.Event{Type: events.ToolEnded})
	step("an end")
	if lines := checkChain(t, dir); len(lines) != 2 {
		t.Errorf("the end is not in the file when Record has returned: %d lines", len(lines))
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	step("closing", "2 lines")
}

// TestGroupCommit holds the first fsync until fifteen more events wait: they share the second.
func TestGroupCommit(t *testing.T) {
	t.Parallel()
	log, dir := openTest(t)
	inSync, goOn := make(chan struct{}), make(chan struct{})
	syncs := 0
	log.sync = func(f *os.File) error {
		if syncs++; syncs == 1 {
			close(inSync)
			<-goOn
		}
		return f.Sync()
	}
	var all sync.WaitGroup
	appendOne := func() {
		if err := log.Record(context.Background(), decided("x")); err != nil {
			t.Error(err)
		}
	}
	all.Go(appendOne)
	<-inSync
	for range 15 {
		all.Go(appendOne)
	}
	for waiting := 0; waiting < 15; runtime.Gosched() {
		log.mu.Lock()
		waiting = len(log.waiting)
		log.mu.Unlock()
	}
	close(goOn)
	all.Wait()
	if syncs != 2 {
		t.Errorf("%d fsyncs for 1 + 15 events, want 2", syncs)
	}
	if lines := checkChain(t, dir); len(lines) != 16 {
		t.Errorf("%d lines, want 16", len(lines))
	}
}

func TestManyGoroutinesAndLogs(t *testing.T) {
	t.Parallel()
	first, dir := openTest(t)
	second := reopen(t, dir)
	var all sync.WaitGroup
	for g := range 16 {
		log := first
		if g%2 == 1 {
			log = second
		}
		all.Go(func() {
			for n := range 25 {
				event := decided(fmt.Sprintf("%d", n))
				event.Session = fmt.Sprint(g)
				if n%2 == 1 {
					event.Type = events.ToolSeen
				}
				if err := log.Record(context.Background(), event); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	next := map[string]int{}
	lines := checkChain(t, dir)
	for _, line := range lines {
		session := line["session_id"].(string)
		if line["detail"] != fmt.Sprint(next[session]) {
			t.Errorf("session %s: %v out of order, want %d", session, line["detail"], next[session])
		}
		next[session]++
	}
	if len(lines) != 400 {
		t.Errorf("%d lines, want 400", len(lines))
	}
}

// TestFsyncIsNeverRetried guards against fsyncgate: after a failed fsync the kernel may have dropped the
// pages and report success the next time.
func TestFsyncIsNeverRetried(t *testing.T) {
	t.Parallel()
	log, dir := openTest(t)
	keep(t, log, decided("before"))
	syncs := 0
	log.sync = func(*os.File) error {
		syncs++
		return &os.PathError{Op: "sync", Path: "/somewhere", Err: unix.EIO}
	}
	for range 3 {
		err := log.Record(context.Background(), decided("after"))
		if !errors.Is(err, ErrDead) || !errors.Is(err, unix.EIO) {
			t.Errorf("error %v, want ErrDead because of EIO", err)
		}
		const want = "fsync: input/output error; look at that disk, then start again"
		if !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), dir) {
			t.Errorf("error %q, want one with %s and %q", err, dir, want)
		}
	}
	if err := log.Record(context.Background(), events.Event{Type: events.ToolEnded}); !errors.Is(err, ErrDead) {
		t.Errorf("an event that needs no fsync: error %v, want ErrDead", err)
	}
	if syncs != 1 {
		t.Errorf("%d fsyncs, want 1", syncs)
	}
	if lines := checkChain(t, dir); len(lines) > 2 {
		t.Errorf("%d lines were written after the failure", len(lines)-2)
	}
	if err := log.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

// TestWriteErrorKills makes every write fail for a reason that is not lack of room.
func TestWriteErrorKills(t *testing.T) {
	t.Parallel()
	log, dir := openTest(t)
	keep(t, log, decided("before"))
	good := log.segment
	t.Cleanup(func() { good.Close() })
	var err error
	if log.segment, err = os.Open(filepath.Join(dir, segmentName(1))); err != nil { // cannot be written
		t.Fatal(err)
	}
	if err := log.Record(context.Background(), decided("x")); !errors.Is(err, ErrDead) || !errors.Is(err, unix.EBADF) {
		t.Errorf("error %v, want ErrDead because of EBADF", err)
	}
	log.segment.Close()
	log.segment = good
	if err := log.Record(context.Background(), decided("x")); !errors.Is(err, ErrDead) {
		t.Errorf("error %v, want ErrDead for good", err)
	}
	if diff := cmp.Diff([]string{"before"}, details(checkChain(t, dir))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestHalfLineThatStaysKills: when what a full disk let through cannot be taken back, the Log is dead.
func TestHalfLineThatStaysKills(t *testing.T) {
	t.Parallel()
	log, dir := openTest(t)
	good := log.segment
	t.Cleanup(func() { good.Close() })
	var err error
	if log.segment, err = os.Open(filepath.Join(dir, segmentName(1))); err != nil { // cannot be truncated
		t.Fatal(err)
	}
	if err := log.undo(unix.ENOSPC); !errors.Is(err, ErrDead) || !strings.Contains(err.Error(), "half a line stays") {
		t.Errorf("error %v, want ErrDead", err)
	}
}

func TestClosed(t *testing.T) {
	t.Parallel()
	log, _ := openTest(t)
	for range 2 {
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Record(context.Background(), decided("x")); !errors.Is(err, errClosed) {
		t.Errorf("error %v, want %v", err, errClosed)
	}
}

// TestCancelledIsRecorded: an act that was called off is recorded like any other.
func TestCancelledIsRecorded(t *testing.T) {
	t.Parallel()
	log, dir := openTest(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := log.Record(ctx, decided("x")); err != nil {
		t.Fatal(err)
	}
	if lines := checkChain(t, dir); len(lines) != 1 {
		t.Errorf("%d lines, want 1", len(lines))
	}
}

func TestOpenRefusesLinks(t *testing.T) {
	t.Parallel()
	for _, name := range []string{segmentName(1), lockName} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.Symlink("/dev/null", filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
			if log, err := Open(dir); err == nil {
				log.Close()
				t.Error("opened through a link")
			} else if !strings.Contains(err.Error(), "remove that link") {
				t.Errorf("error %v has no cure", err)
			}
		})
	}
}
