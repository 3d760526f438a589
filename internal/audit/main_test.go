package audit

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// childRole says what a process that a test starts is to do; see child.
const childRole = "A2A_AUDIT_TEST_CHILD"

func TestMain(m *testing.M) {
	if role := os.Getenv(childRole); role != "" {
		if err := child(role); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// startChild starts the test binary in a role, with arguments. It ends with the test.
func startChild(t *testing.T, role string, args ...string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Env = append(os.Environ(), childRole+"="+role)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewScanner(out)
}

func child(role string) error {
	dir, count := os.Args[1], 0
	if len(os.Args) > 2 {
		var err error
		if count, err = strconv.Atoi(os.Args[2]); err != nil {
			return err
		}
	}
	switch role {
	case "forever":
		return appendForever(dir)
	case "count":
		return appendCount(dir, count)
	case "calls":
		return recordCalls(dir, count)
	case "restless":
		return appendRestless(dir, count)
	}
	return childLimited(role, dir)
}

// appendForever appends from four goroutines until it is killed and reports each event on stdout once
// Record has returned.
func appendForever(dir string) error {
	log, err := Options{SegmentBytes: 8 << 10}.Open(dir) // many segments
	if err != nil {
		return err
	}
	var mu sync.Mutex
	failed := make(chan error)
	for g := range 4 {
		go func() { // ends with the process
			for n := 0; ; n++ {
				word := fmt.Sprintf("%d-%d-%d", os.Getpid(), g, n)
				event := events.Event{Type: events.ToolDecided, Time: time.Now(), Session: strconv.Itoa(g), Detail: word}
				if n%3 == 2 {
					event.Type = events.ToolEnded // kept by the kernel only, which is enough when a process dies
				}
				if err := log.Record(context.Background(), event); err != nil {
					failed <- err
					return
				}
				mu.Lock()
				fmt.Println(word)
				mu.Unlock()
			}
		}()
	}
	return <-failed
}

func appendCount(dir string, count int) error {
	log, err := Options{SegmentBytes: 8 << 10}.Open(dir) // many segments
	if err != nil {
		return err
	}
	for n := range count {
		event := events.Event{Type: events.ToolDecided, Detail: fmt.Sprintf("%d-%d", os.Getpid(), n)}
		if err := log.Record(context.Background(), event); err != nil {
			return err
		}
	}
	return log.Close()
}

// A fixed clock and fixed names, so that lines can be compared.
var testTime = time.Date(2026, 11, 21, 10, 0, 0, 123456789, time.FixedZone("CET", 3600))

func openTest(t *testing.T) (*Log, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "audit")
	return reopen(t, dir), dir
}

func reopen(t *testing.T, dir string) *Log {
	t.Helper()
	log := newTestLog(dir, Options{})
	if err := log.open(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close() })
	return log
}

// newTestLog makes a Log whose clock stands still, and does not open it.
func newTestLog(dir string, o Options) *Log {
	log := newLog(dir, o)
	log.now = func() time.Time { return testTime }
	log.newID = func(time.Time) string { return "01900000-0000-7000-8000-000000000000" }
	return log
}

func keep(t *testing.T, log *Log, event events.Event) {
	t.Helper()
	if err := log.Record(context.Background(), event); err != nil {
		t.Fatal(err)
	}
}

func decided(detail string) events.Event {
	return events.Event{Type: events.ToolDecided, Time: testTime, Detail: detail}
}

// checkChain reads the record as somebody would who does not know this package: lines, numbers, hashes.
func checkChain(t *testing.T, dir string) []map[string]any {
	t.Helper()
	list, err := listSegments(dir)
	if err != nil {
		t.Fatal(err)
	}
	var whole []byte
	for _, g := range list {
		text, err := os.ReadFile(filepath.Join(dir, segmentName(g.first)))
		if err != nil {
			t.Fatal(err)
		}
		whole = append(whole, text...)
	}
	if len(whole) > 0 && whole[len(whole)-1] != '\n' {
		t.Fatalf("the last line has no end: %q", whole[max(0, len(whole)-200):])
	}
	var lines []map[string]any
	prev := ""
	for i, raw := range bytes.Split(bytes.TrimSuffix(whole, []byte("\n")), []byte("\n")) {
		if len(whole) == 0 {
			break
		}
		if len(raw) >= longestLine {
			t.Errorf("line %d has %d bytes", i+1, len(raw))
		}
		var line map[string]any
		if err := json.Unmarshal(raw, &line); err != nil {
			t.Fatalf("line %d: %v: %q", i+1, err, raw)
		}
		if line["seq"] != float64(i+1) {
			t.Fatalf("line %d has number %v", i+1, line["seq"])
		}
		if line["prev"] != prev {
			t.Fatalf("line %d follows %v, want %s", i+1, line["prev"], prev)
		}
		sum := sha256.Sum256(raw)
		prev = hex.EncodeToString(sum[:])
		lines = append(lines, line)
	}
	return lines
}

// details lists the "detail" of every line.
func details(lines []map[string]any) []string {
	var list []string
	for _, line := range lines {
		detail, _ := line["detail"].(string)
		list = append(list, detail)
	}
	return list
}
