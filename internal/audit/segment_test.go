package audit

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// segmented makes a record of n entries in several segments.
func segmented(t *testing.T, n int) (*Log, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "audit")
	log := newTestLog(dir, Options{SegmentBytes: 1000})
	if err := log.open(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close() })
	for i := range n {
		keep(t, log, decided(fmt.Sprint(i+1)))
	}
	return log, dir
}

// names lists the segments of a record.
func names(t *testing.T, dir string) []string {
	t.Helper()
	list, err := listSegments(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, g := range list {
		names = append(names, segmentName(g.first))
	}
	return names
}

// TestSegments reads a record in several files as one, from its beginning and from the middle.
func TestSegments(t *testing.T) {
	t.Parallel()
	const n = 40
	log, dir := segmented(t, n)
	if len(names(t, dir)) < 5 {
		t.Fatalf("only %v", names(t, dir))
	}
	checkChain(t, dir)
	entries, err := List(dir, Filter{})
	if err != nil || len(entries) != n {
		t.Fatalf("%d entries, %v", len(entries), err)
	}
	for i, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.File))
		if err != nil {
			t.Fatal(err)
		}
		line := strings.SplitAfter(string(text), "\n")[e.Line-1]
		if e.Seq != int64(i+1) || line != string(e.Raw)+"\n" || string(text[e.Offset:][:len(line)]) != line {
			t.Errorf("entry %d: number %d, %s:%d at %d", i+1, e.Seq, e.File, e.Line, e.Offset)
		}
	}
	feed := openFeed(t, dir)
	for seq := range int64(n) {
		r := readFrom(t, feed, Cursor{Seq: seq})
		if e, err := r.Poll(); err != nil || e.Seq != seq+1 || e.Line != entries[seq].Line || e.File != entries[seq].File {
			t.Errorf("behind %d: %d in %s:%d, %v", seq, e.Seq, e.File, e.Line, err)
		}
	}
	follower := readFrom(t, feed, Cursor{Seq: n})
	for i := range 20 {
		keep(t, log, decided("later"))
		if e, err := follower.Poll(); err != nil || e.Seq != int64(n+1+i) {
			t.Fatalf("followed: %d, %v", e.Seq, err)
		}
	}
	if last, err := feed.Last(0); err != nil || last.Seq != n+20 {
		t.Errorf("the end: %v, %v", last, err)
	}
}

// TestSegmentOfTheDay begins a segment with the first entry of a day, and none before.
func TestSegmentOfTheDay(t *testing.T) {
	t.Parallel()
	log, dir := openTest(t)
	at := func(when string) {
		t.Helper()
		now, err := time.Parse(time.RFC3339, when)
		if err != nil {
			t.Fatal(err)
		}
		log.now = func() time.Time { return now }
		keep(t, log, events.Event{Type: events.ToolEnded})
	}
	at("2026-11-21T00:00:01Z")
	at("2026-11-21T23:59:59Z")
	at("2026-11-21T23:00:00-01:00") // midnight is of UTC
	at("2026-11-22T23:59:59Z")
	at("2026-11-20T09:00:00Z") // a clock that was set back
	log = reopen(t, dir)
	at("2026-11-23T00:00:00Z")
	if diff := cmp.Diff([]string{"00000001.jsonl", "00000003.jsonl", "00000006.jsonl"}, names(t, dir)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	checkChain(t, dir)
}

// TestSegmentThatIsEmpty: the process that began it was killed before it wrote a line.
func TestSegmentThatIsEmpty(t *testing.T) {
	t.Parallel()
	log, dir := openTest(t)
	keep(t, log, decided("one"))
	for _, torn := range []string{"", `{"seq":2,"v":1`} {
		if err := os.WriteFile(filepath.Join(dir, segmentName(2)), []byte(torn), 0o600); err != nil {
			t.Fatal(err)
		}
		other := reopen(t, dir)
		feed := openFeed(t, dir)
		if r := readFrom(t, feed, Cursor{}); r != nil {
			nextDetails(t, r, 1)
			if torn == "" {
				if _, err := r.Poll(); !errors.Is(err, io.EOF) {
					t.Errorf("got %v behind the last line", err)
				}
			}
		}
		other.Close()
	}
	keep(t, log, decided("two"))
	if got := details(checkChain(t, dir)); len(got) != 3 || got[2] != "two" {
		t.Errorf("got %q", got)
	}
	if diff := cmp.Diff([]string{"00000001.jsonl", "00000002.jsonl"}, names(t, dir)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestSegmentThatIsGone tells which lines are not there any more, wherever the segment stood.
func TestSegmentThatIsGone(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		gone int
		want string
	}{
		{"the first", 0, "the record begins with it"},
		{"one in the middle", 2, "and the one before"},
		{"the last", -1, "lines are gone"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			log, dir := segmented(t, 30)
			log.Close()
			all := names(t, dir)
			gone := all[(test.gone+len(all))%len(all)]
			if err := os.Remove(filepath.Join(dir, gone)); err != nil {
				t.Fatal(err)
			}
			err := Read(dir, func(Entry) error { return nil })
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}
