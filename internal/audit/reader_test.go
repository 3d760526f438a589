package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/events"
)

func openFeed(t *testing.T, dir string) *Feed {
	t.Helper()
	feed, err := OpenFeed(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { feed.Close() })
	return feed
}

func readFrom(t *testing.T, feed *Feed, from Cursor) *Reader {
	t.Helper()
	r, err := feed.Read(from)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// nextDetails returns the details of the next n entries.
func nextDetails(t *testing.T, r *Reader, n int) string {
	t.Helper()
	var list []string
	for range n {
		entry, err := r.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, entry.Detail)
	}
	return strings.Join(list, " ")
}

// TestFeedFollowsTheName moves the record away and back, and then has another one in its place: whoever waits hears of
// what is recorded in each.
func TestFeedFollowsTheName(t *testing.T) {
	t.Parallel()
	log, dir := openTest(t)
	feed := openFeed(t, dir)
	keep(t, log, decided("one"))
	r := readFrom(t, feed, Cursor{})
	if got := nextDetails(t, r, 1); got != "one" {
		t.Fatalf("read %q", got)
	}
	told := func(news <-chan struct{}) {
		t.Helper()
		select {
		case <-news:
		case <-time.After(time.Minute):
			t.Fatal("nobody is told")
		}
	}
	move := func(from, to string) {
		t.Helper()
		news := feed.News()
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
		told(news)
	}
	move(dir, dir+".away")
	move(dir+".away", dir)
	keep(t, log, decided("two"))
	if got := nextDetails(t, r, 1); got != "two" {
		t.Fatalf("read %q", got)
	}

	move(dir, dir+".away")
	news := feed.News()
	other, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { other.Close() })
	told(news)
	news = feed.News()
	keep(t, other, decided("three"))
	told(news)
	if got := nextDetails(t, readFrom(t, feed, Cursor{}), 1); got != "three" {
		t.Errorf("read %q", got)
	}
	if entry, err := r.Poll(); err == nil || errors.Is(err, io.EOF) {
		t.Errorf("a reader of the record before read %q, %v", entry.Detail, err)
	}
}

// TestReaderWaits has two readers follow one record that grows.
func TestReaderWaits(t *testing.T) {
	t.Parallel()
	log, dir := openTest(t)
	feed := openFeed(t, dir)
	keep(t, log, decided("one"))
	first := readFrom(t, feed, Cursor{})
	if got := nextDetails(t, first, 1); got != "one" {
		t.Fatalf("read %q", got)
	}
	if _, err := first.Poll(); !errors.Is(err, io.EOF) {
		t.Fatalf("at the end Poll returned %v", err)
	}
	keep(t, log, decided("two"))
	second := readFrom(t, feed, first.Cursor())

	told := make(chan string, 2)
	for _, r := range []*Reader{first, second} {
		go func() { // ends when it has read two entries or the test ends
			var details []string
			for range 2 {
				entry, err := r.Next(t.Context())
				if err != nil {
					details = append(details, err.Error())
					break
				}
				details = append(details, entry.Detail)
			}
			told <- strings.Join(details, " ")
		}()
	}
	keep(t, log, decided("three"))
	for range 2 {
		if got := <-told; got != "two three" {
			t.Errorf("a reader got %q", got)
		}
	}
	if first.Cursor() != second.Cursor() || first.Cursor().Seq != 3 {
		t.Errorf("cursors %v and %v", first.Cursor(), second.Cursor())
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := first.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a reader whose context ended returned %v", err)
	}
}

// TestReaderFollowsOtherProcesses reads what two processes write, in the order of the record.
func TestReaderFollowsOtherProcesses(t *testing.T) {
	t.Parallel()
	_, dir := openTest(t)
	feed := openFeed(t, dir)
	r := readFrom(t, feed, Cursor{})
	const each = 50
	for range 2 {
		startChild(t, "count", dir, fmt.Sprint(each))
	}
	for n := range 2 * each {
		entry, err := r.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if entry.Seq != int64(n+1) {
			t.Fatalf("entry %d has number %d", n+1, entry.Seq)
		}
	}
}

// TestReaderFindsItsPlace begins at every kind of place of a long record, and reads little of it to get
// there.
func TestReaderFindsItsPlace(t *testing.T) {
	t.Parallel()
	log, dir := openTest(t)
	const entries = 5000
	for n := range entries {
		// Lines of very different lengths, so that halving does not hit their borders.
		event := events.Event{Type: events.ToolEnded, Time: testTime, Detail: fmt.Sprint(n+1, " ", strings.Repeat("x", n*n%1500))}
		if n%1000 == 500 {
			event.Detail = fmt.Sprint(n+1, " ", strings.Repeat("y", 300_000))
		}
		keep(t, log, event)
	}
	feed := openFeed(t, dir)
	for _, seq := range []int64{0, 1, 2, 500, 501, 502, 1500, 1501, 2499, 2500, 3333, 4999, 5000} {
		r := readFrom(t, feed, Cursor{Seq: seq})
		entry, err := r.Poll()
		switch {
		case seq == entries:
			if !errors.Is(err, io.EOF) {
				t.Errorf("behind the last entry: %d, %v", entry.Seq, err)
			}
		case err != nil || entry.Seq != seq+1:
			t.Errorf("behind %d: %d, %v", seq, entry.Seq, err)
		}
	}

	whole, err := openStream(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer whole.Close()
	if _, err := findSeq(whole, 2499); err != nil {
		t.Fatal(err)
	}
	if limit := int64(1 << 20); whole.read > limit || whole.size() < 4*limit {
		t.Errorf("read %d bytes of %d to find an entry", whole.read, whole.size())
	}
	for _, n := range []int64{0, 3, entries, 2 * entries} {
		last, err := feed.Last(n)
		if err != nil {
			t.Fatal(err)
		}
		if want := max(0, entries-n); last.Seq != want {
			t.Errorf("the place %d before the end is %d, want %d", n, last.Seq, want)
		}
	}
}

// TestReaderSeesForeignHands changes the record below a reader, or while none reads.
func TestReaderSeesForeignHands(t *testing.T) {
	t.Parallel()
	edit := func(change func([]byte) []byte) func(t *testing.T, path string) {
		return func(t *testing.T, path string) {
			t.Helper()
			whole, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, change(whole), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	replace := func(old, new string) func([]byte) []byte {
		return func(b []byte) []byte { return bytes.Replace(b, []byte(old), []byte(new), 1) }
	}
	tests := []struct {
		name   string
		hands  func(t *testing.T, path string)
		opened string // what a reader says that stands behind entry 2; "" is EOF
		later  string // what a reader says that begins with the cursor of entry 2
	}{
		{"nobody", edit(func(b []byte) []byte { return b }), "", ""},
		{"an entry that was read", edit(replace("two", "tow")), "", "entry 2 is another"},
		{"an entry before it", edit(replace("one", "eno")), "", ""}, // verify finds it; no follower reads it again
		{"cut", edit(func(b []byte) []byte { return b[:len(b)/2] }), "it was cut", "it has no entry 2"},
		{"a line behind it", edit(func(b []byte) []byte { return append(b, "nonsense\n"...) }), "it is not JSON", "it is not JSON"},
		{"an entry that follows another", edit(func(b []byte) []byte {
			return append(b, `{"seq":3,"v":1,"id":"x","prev":"00","type":"tool.decided"}`+"\n"...)
		}), "prev is not the hash", "prev is not the hash"},
		{"a number left out", edit(func(b []byte) []byte {
			return append(b, `{"seq":5,"v":1,"id":"x","prev":"00","type":"tool.decided"}`+"\n"...)
		}), "it has number 5", "it has number 5"},
		{"another file", func(t *testing.T, path string) {
			t.Helper()
			whole, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(path, path+".old"); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, whole, 0o600); err != nil {
				t.Fatal(err)
			}
		}, "was replaced", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			log, dir := openTest(t)
			keep(t, log, decided("one"))
			keep(t, log, decided("two"))
			feed := openFeed(t, dir)
			opened := readFrom(t, feed, Cursor{})
			nextDetails(t, opened, 2)
			test.hands(t, filepath.Join(dir, segmentName(1)))

			for range 2 { // and it says so again
				_, err := opened.Poll()
				expect(t, "a reader that was there", err, test.opened)
			}
			later, err := feed.Read(opened.Cursor())
			if err == nil {
				defer later.Close()
				_, err = later.Poll()
			}
			expect(t, "a later reader", err, test.later)
		})
	}
}

// expect holds an error against a part of its text; "" stands for io.EOF.
func expect(t *testing.T, who string, err error, want string) {
	t.Helper()
	switch {
	case want == "" && !errors.Is(err, io.EOF):
		t.Errorf("%s got %v, want the end", who, err)
	case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
		t.Errorf("%s got %v, want %q", who, err, want)
	}
}
