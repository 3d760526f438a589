package audit

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// TestEndThatIsGone: what was on disk and is there no more is told by whoever reads, and by whoever opens
// it to write.
func TestEndThatIsGone(t *testing.T) {
	t.Parallel()
	log, dir := openTest(t)
	for _, detail := range []string{"one", "two", "three"} {
		keep(t, log, decided(detail))
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, segmentName(1))
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(text, []byte("\n"))

	if err := os.WriteFile(file, lines[0], 0o600); err != nil {
		t.Fatal(err)
	}
	var read []Entry
	err = Read(dir, func(e Entry) error { read = append(read, e); return nil })
	const want = "it ends at number 1, though it was on disk up to number 3"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
	if len(read) != 1 || !strings.Contains(read[0].Broken, want) {
		t.Errorf("got %v, want the one entry that is left, marked", read)
	}

	for _, gone := range []struct{ file, want string }{
		{"", "number 3 is gone, of which the last checkpoint speaks"},
		{checkpointsName, want}, // the lock says so as well
	} {
		if gone.file != "" {
			if err := os.Remove(filepath.Join(dir, gone.file)); err != nil {
				t.Fatal(err)
			}
		}
		if log, err := Open(dir); err == nil || !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), gone.want) {
			t.Errorf("opened: %v, want %q", err, gone.want)
			if err == nil {
				log.Close()
			}
		}
	}
}

// TestRecentDamage: what is no longer as it was recorded among the last lines keeps a record from being written on, also
// where a checkpoint speaks of them; what stands further back is for Verify.
func TestRecentDamage(t *testing.T) {
	t.Parallel()
	change := func(lines [][]byte) [][]byte {
		lines[2] = bytes.Replace(lines[2], []byte("number"), []byte("Number"), 1)
		return lines
	}
	for _, row := range []struct {
		about string
		lines int
		bend  func(lines [][]byte) [][]byte
		want  string // "" where it opens
	}{
		{"nothing", 12, func(lines [][]byte) [][]byte { return lines }, ""},
		{"changed", 12, change, ".jsonl:4: the chain is broken"},
		{"gone", 12, func(lines [][]byte) [][]byte { return slices.Delete(lines, 2, 3) }, ".jsonl:3: the chain is broken"},
		{"swapped", 12, func(lines [][]byte) [][]byte { lines[2], lines[3] = lines[3], lines[2]; return lines }, ".jsonl:3: the chain is broken"},
		{"twice", 12, func(lines [][]byte) [][]byte { return slices.Insert(lines, 3, lines[2]) }, ".jsonl:4: the chain is broken"},
		{"no record", 12, func(lines [][]byte) [][]byte { lines[2] = []byte("{}\n"); return lines }, ".jsonl:3: "},
		{"far back", recentLines + 4, change, ""},
	} {
		log, dir := openTest(t)
		for i := range row.lines {
			keep(t, log, decided(fmt.Sprintf("number %d", i)))
		}
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, segmentName(1))
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := slices.Collect(bytes.Lines(text))
		if err := os.WriteFile(file, bytes.Join(row.bend(lines), nil), 0o600); err != nil {
			t.Fatal(err)
		}
		log, err = Open(dir)
		switch {
		case row.want == "" && err != nil, row.want != "" && (!errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), row.want)):
			t.Errorf("%s: opened with %v, want %q", row.about, err, row.want)
		}
		if err == nil {
			log.Close()
		}
	}
}

// TestOtherLineAtTheEnd: a chain that was written anew is told where it has another line than was on disk.
func TestOtherLineAtTheEnd(t *testing.T) {
	t.Parallel()
	log, dir := openTest(t)
	keep(t, log, decided("one"))
	other, elsewhere := openTest(t)
	keep(t, other, decided("other"))
	text, err := os.ReadFile(filepath.Join(elsewhere, segmentName(1)))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, segmentName(1)), text, 0o600); err != nil {
		t.Fatal(err)
	}
	err = Read(dir, func(Entry) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "another line was put on disk") {
		t.Errorf("got %v", err)
	}
}

// TestHeadNeverRunsAhead: what no fsync has followed is not said to be on disk.
func TestHeadNeverRunsAhead(t *testing.T) {
	t.Parallel()
	log, dir := openTest(t)
	keep(t, log, decided("one"))
	keep(t, log, events.Event{Type: events.ToolEnded})
	if head := headOf(dir); head.Seq != 1 {
		t.Errorf("got %v, want the line that is on disk", head)
	}
	for _, text := range []string{"", "nonsense", "00000000000000000001 short\n"} {
		if head, _ := readHead(strings.NewReader(text)); head != (Cursor{}) {
			t.Errorf("%q: got %v", text, head)
		}
	}
}

// TestSegmentOfAnother: a segment that another process has begun is gone on in, whatever was recorded in it, also where
// that process, or nobody, has made it yet when the lock file says so.
func TestSegmentOfAnother(t *testing.T) {
	t.Parallel()
	log, dir := openTest(t)
	keep(t, log, decided("one"))
	other := newTestLog(dir, Options{SegmentBytes: 1})
	if err := other.open(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { other.Close() })
	for range 3 {
		keep(t, other, events.Event{Type: events.ToolEnded}) // no fsync follows
		keep(t, log, decided("behind it"))
	}
	if got := len(names(t, dir)); got != 4 {
		t.Errorf("%d segments, want 4", got)
	}
	if err := log.noteSegment(9); err != nil { // and it died before it made that
		t.Fatal(err)
	}
	keep(t, log, decided("where it was"))
	keep(t, other, decided("in one more"))
	checkChain(t, dir)
	if _, begun := readHead(log.lock); begun != 9 {
		t.Errorf("segment %d, want 9", begun)
	}
}
