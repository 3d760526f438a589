package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/a2a-acp/a2a-acp/internal/filelock"
	"github.com/a2a-acp/a2a-acp/pkg/events"
)

func TestReadGivesBackWhatWasRecorded(t *testing.T) {
	t.Parallel()
	log, dir := openTest(t)
	code := 3
	wrote := []events.Event{
		{Type: events.BridgeStarted, Time: testTime.UTC(), Command: []string{"gemini", "--acp"}, Coverage: map[string]string{"files": "asked"}},
		{
			Type: events.ToolDecided, Time: testTime.UTC(), Session: "s", CallID: "c", ToolCall: "t", Agent: "gemini", Door: "mcp",
			Act: &events.Act{Kind: "call", Tool: "greet", Arguments: map[string]any{
				"n": json.Number("12345678901234567890.10"), "list": []any{"a", true, nil},
			}},
			Decision: &events.Decision{Option: "once", Reasons: []string{"because"}},
		},
		{Type: events.ToolEnded, Time: testTime.UTC(), CallID: "c", Outcome: &events.Outcome{Status: "failed", ExitCode: &code}},
	}
	for _, event := range wrote {
		keep(t, log, event)
	}
	whole, err := os.ReadFile(filepath.Join(dir, segmentName(1)))
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(whole, []byte("\n"))

	n, offset := 0, int64(0)
	err = Read(dir, func(e Entry) error {
		if diff := cmp.Diff(wrote[n], e.Event); diff != "" {
			t.Errorf("entry %d (-want +got)\n%s", n, diff)
		}
		want := Entry{Seq: int64(n + 1), V: 1, File: segmentName(1), Line: n + 1, Offset: offset, Raw: bytes.TrimSuffix(lines[n], []byte("\n"))}
		if diff := cmp.Diff(want, e, cmpopts.IgnoreFields(Entry{}, "Event", "ID", "Prev")); diff != "" {
			t.Errorf("place of entry %d (-want +got)\n%s", n, diff)
		}
		offset += int64(len(lines[n]))
		n++
		return nil
	})
	if err != nil || n != len(wrote) {
		t.Errorf("%d entries (%v), want %d", n, err, len(wrote))
	}
}

func TestReadStopsWhereItIsTold(t *testing.T) {
	t.Parallel()
	log, dir := openTest(t)
	for range 3 {
		keep(t, log, decided("x"))
	}
	enough := errors.New("enough")
	n := 0
	err := Read(dir, func(Entry) error {
		if n++; n == 2 {
			return enough
		}
		return nil
	})
	if !errors.Is(err, enough) || n != 2 {
		t.Errorf("%d entries, error %v", n, err)
	}
}

func TestReadNothing(t *testing.T) {
	t.Parallel()
	if entries, err := List(filepath.Join(t.TempDir(), "none"), Filter{}); !errors.Is(err, fs.ErrNotExist) || len(entries) != 0 {
		t.Errorf("where nothing was recorded: %d entries, error %v", len(entries), err)
	}
	_, dir := openTest(t)
	if entries, err := List(dir, Filter{}); err != nil || len(entries) != 0 {
		t.Errorf("in an empty record: %d entries, error %v", len(entries), err)
	}
}

// TestReadBesideWriter: a line that another process is writing has no end yet, and one that it takes back
// is never seen.
func TestReadBesideWriter(t *testing.T) {
	t.Parallel()
	log, dir := openTest(t)
	keep(t, log, decided("one"))
	if err := lockFile(log.lock, filelock.Alone, filelock.Longest); err != nil {
		t.Fatal(err)
	}
	appendBytes(t, dir, []byte(`{"seq":2,"v":1,"id":"x","prev":"y","type":"tool.decided","time":"2026-11-21T09:00:00Z"}`+"\n"))
	read := make(chan []Entry)
	go func() { // ends when the lock is let go
		entries, err := List(dir, Filter{})
		if err != nil {
			t.Error(err)
		}
		read <- entries
	}()
	waitUntilBlocked(t, dir)
	if err := log.segment.Truncate(log.end.size); err != nil { // no room for it after all
		t.Fatal(err)
	}
	appendBytes(t, dir, []byte(`{"seq":2,"v":1,`))
	if err := unlockFile(log.lock); err != nil {
		t.Fatal(err)
	}
	if entries := <-read; len(entries) != 1 || entries[0].Detail != "one" {
		t.Errorf("entries %v, want the one that is settled", entries)
	}
}

// TestHeldLock: a process that keeps the lock, since it was stopped or on purpose, keeps nobody waiting without a word.
func TestHeldLock(t *testing.T) {
	t.Parallel()
	log, dir := openTest(t)
	keep(t, log, decided("one"))
	holder, err := os.Open(filepath.Join(dir, lockName))
	if err != nil {
		t.Fatal(err)
	}
	defer holder.Close()
	if err := lockFile(holder, filelock.Shared, 0); err != nil {
		t.Fatal(err)
	}
	log.patience = 0
	cure := "has held " + filepath.Join(dir, lockName) + " for 0s; `fuser "
	if err := log.Record(t.Context(), decided("two")); err == nil || !strings.Contains(err.Error(), cure) {
		t.Errorf("who writes hears %v", err)
	}
	if err := errors.Join(unlockFile(holder), lockFile(holder, filelock.Alone, 0)); err != nil {
		t.Fatal(err)
	}
	if _, err := readLock(dir, 0); err == nil || !strings.Contains(err.Error(), cure) {
		t.Errorf("who reads hears %v", err)
	}
	if err := unlockFile(holder); err != nil {
		t.Fatal(err)
	}
	keep(t, log, decided("two"))
	if entries, err := List(dir, Filter{}); err != nil || len(entries) != 2 || entries[1].Detail != "two" {
		t.Errorf("afterwards %v, %v", entries, err)
	}
}

// TestReadWithoutLock: a copy of the record, handed to somebody else.
func TestReadWithoutLock(t *testing.T) {
	t.Parallel()
	log, dir := openTest(t)
	keep(t, log, decided("one"))
	if err := os.Remove(filepath.Join(dir, lockName)); err != nil {
		t.Fatal(err)
	}
	if entries, err := List(dir, Filter{}); err != nil || len(entries) != 1 {
		t.Errorf("%d entries, error %v", len(entries), err)
	}
}

func TestReadDamaged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	good := `{"seq":1,"v":1,"id":"x","prev":"","type":"tool.decided","time":"2026-11-21T09:00:00Z"}` + "\n"
	appendBytes(t, dir, []byte(good+"text\n"+good+strings.Repeat("x", longestLine)+"\n"+`{"seq":1} {}`+"\n"+`{"seq":"1"}`+"\n"+"{}\n"+good+"torn"))
	entries, err := List(dir, Filter{})
	if len(entries) != 3 {
		t.Errorf("%d entries, want the 3 good ones", len(entries))
	}
	got := ""
	if err != nil {
		got = err.Error()
	}
	const want = `00000001.jsonl:2: no record (at byte 87): it is not JSON
00000001.jsonl:4: no record (at byte 179): it is 1048577 bytes long
00000001.jsonl:5: no record (at byte 1048756): it is not JSON
00000001.jsonl:6: no record (at byte 1048769): json: cannot unmarshal string into Go struct field Entry.seq of type int64
00000001.jsonl:7: no record (at byte 1048781): it has no number, version or type`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	var damage *Damage
	if !errors.As(err, &damage) || damage.Line != 2 {
		t.Errorf("the error holds %v, want the damage of line 2", damage)
	}
}

// TestReadBroken changes a record of five entries as somebody would who has something to hide. The last
// line has none behind it that would tell.
func TestReadBroken(t *testing.T) {
	t.Parallel()
	log, dir := openTest(t)
	for _, detail := range []string{"one", "two", "three", "four", "five"} {
		keep(t, log, decided(detail))
	}
	whole, err := os.ReadFile(filepath.Join(dir, segmentName(1)))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(strings.TrimSuffix(string(whole), "\n"), "\n")
	lines[4] += "\n"
	for _, test := range []struct {
		name   string
		record []string
		broken string // the entries that are marked
		lines  []int  // where the chain breaks
	}{
		{"nothing", lines, "", nil},
		{"a changed word", []string{lines[0], strings.Replace(lines[1], "two", "tow", 1), lines[2], lines[3], lines[4]}, "tow three", []int{3}},
		{"the first line changed", []string{strings.Replace(lines[0], "one", "eno", 1), lines[1], lines[2]}, "eno two", []int{2}},
		{"a blank more", []string{lines[0], strings.Replace(lines[1], ",", ", ", 1), lines[2]}, "two three", []int{3}},
		{"a line taken out", []string{lines[0], lines[1], lines[3], lines[4]}, "two four", []int{3}},
		{"the first line taken out", lines[1:], "two", []int{1}},
		{"a line put in", []string{lines[0], `{"seq":2,"v":1,"id":"x","prev":"","type":"tool.decided","detail":"new"}` + "\n", lines[1]}, "one new two", []int{2, 3}},
		{"a line twice", []string{lines[0], lines[1], lines[1], lines[2]}, "two two", []int{3}},
		{"two lines in each other's place", []string{lines[0], lines[2], lines[1], lines[3]}, "one three two four", []int{2, 3, 4}},
		{"what says by itself that it is broken", append(slices.Clone(lines[:4]), strings.Replace(lines[4], `"detail"`, `"broken":"no","detail"`, 1)), "", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			appendBytes(t, dir, []byte(strings.Join(test.record, "")))
			entries, err := List(dir, Filter{})
			if len(entries) != len(test.record) {
				t.Errorf("%d entries, want %d", len(entries), len(test.record))
			}
			var broken []string
			for _, entry := range entries {
				if entry.Broken != "" {
					broken = append(broken, entry.Detail)
				}
			}
			if got := strings.Join(broken, " "); got != test.broken {
				t.Errorf("marked as broken are %q, want %q", got, test.broken)
			}
			if (err == nil) != (test.lines == nil) {
				t.Errorf("error %v", err)
			}
			for _, line := range test.lines {
				if at := fmt.Sprintf("%s:%d: the chain is broken", segmentName(1), line); !strings.Contains(err.Error(), at) {
					t.Errorf("error %v, want %s", err, at)
				}
			}
		})
	}
}

func TestReadManyDamages(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	appendBytes(t, dir, []byte(strings.Repeat("text\n", 1000)))
	_, err := List(dir, Filter{})
	if err == nil || !strings.Contains(err.Error(), "990 more lines") || strings.Count(err.Error(), "\n") != 10 {
		t.Errorf("error %v, want 10 lines named and 990 counted", err)
	}
}

func TestFilter(t *testing.T) {
	t.Parallel()
	log, dir := openTest(t)
	for i, event := range []events.Event{
		{Type: events.ToolDecided, Session: "a", CallID: "c1", ToolCall: "t1"},
		{Type: events.ToolEnded, Session: "a", CallID: "c1", ToolCall: "t1"},
		{Type: events.ToolDecided, Session: "b", CallID: "c2", ToolCall: "t1"},
		{Type: events.ToolSeen, Session: "b", ToolCall: "t2"},
		{Type: events.BridgeEnded},
	} {
		event.Time = testTime.Add(time.Duration(i) * time.Second)
		keep(t, log, event)
	}
	tests := []struct {
		name   string
		filter Filter
		want   []int64
	}{
		{"all", Filter{}, []int64{1, 2, 3, 4, 5}},
		{"a session", Filter{Session: "b"}, []int64{3, 4}},
		{"a call", Filter{CallID: "c1"}, []int64{1, 2}},
		{"a call of the agent's", Filter{ToolCall: "t1", Session: "b"}, []int64{3}},
		{"types", Filter{Types: []events.Type{events.ToolSeen, events.BridgeEnded}}, []int64{4, 5}},
		{"since a moment, which counts", Filter{Since: testTime.Add(2 * time.Second)}, []int64{3, 4, 5}},
		{"the last two", Filter{Last: 2}, []int64{4, 5}},
		{"the last one of a session", Filter{Session: "a", Last: 1}, []int64{2}},
		{"more than there are", Filter{Last: 100}, []int64{1, 2, 3, 4, 5}},
		{"nothing", Filter{Session: "c"}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			entries, err := List(dir, test.filter)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, numbers(entries)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestStory(t *testing.T) {
	t.Parallel()
	entry := func(seq int64, kind events.Type, session, call, toolCall string) Entry {
		return Entry{Seq: seq, Event: events.Event{Type: kind, Session: session, CallID: call, ToolCall: toolCall}}
	}
	tests := []struct {
		name    string
		entries []Entry
		want    [][]int64
	}{
		{
			name: "acts that overlap, by our own ids",
			entries: []Entry{
				entry(1, events.ToolDecided, "s", "c1", ""), entry(2, events.ToolDecided, "s", "c2", ""),
				entry(3, events.ToolEnded, "s", "c1", ""), entry(4, events.ToolEnded, "s", "c2", ""),
			},
			want: [][]int64{{1, 3}, {2, 4}},
		},
		{
			name: "the agent's ids are its session's own",
			entries: []Entry{
				entry(1, events.ToolDecided, "a", "", "t"), entry(2, events.ToolDecided, "b", "", "t"),
				entry(3, events.ToolEnded, "a", "", "t"),
			},
			want: [][]int64{{1, 3}, {2}},
		},
		{
			name: "a prompt, and the call of ours that it was about",
			entries: []Entry{
				entry(1, events.ToolDecided, "s", "", "t"), entry(2, events.ApprovalAsked, "s", "c", "t"),
				entry(3, events.ToolDecided, "s", "c", "t"), entry(4, events.ToolEnded, "s", "c", ""),
			},
			want: [][]int64{{1, 2, 3, 4}},
		},
		{
			name: "two that turn out to be one",
			entries: []Entry{
				entry(1, events.ToolDecided, "s", "c", ""), entry(2, events.ToolDecided, "s", "", "t"),
				entry(3, events.ToolSeen, "s", "", "u"), entry(4, events.ToolEnded, "s", "c", "t"),
				entry(5, events.ToolSeen, "s", "", "t"), entry(6, events.ToolSeen, "s", "c", ""),
			},
			want: [][]int64{{1, 2, 4, 5, 6}, {3}},
		},
		{
			name:    "what belongs to no act",
			entries: []Entry{entry(1, events.BridgeStarted, "", "", ""), entry(2, events.SessionOpened, "s", "", ""), entry(3, events.BridgeEnded, "", "", "")},
			want:    [][]int64{{1}, {2}, {3}},
		},
		{name: "nothing", want: nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var got [][]int64
			for _, act := range ByAct(test.entries) {
				got = append(got, numbers(act))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestChaptersOfOneCall has an agent name several acts as one call of its own: each is told by itself, but
// for what it had asked about and does then.
func TestChaptersOfOneCall(t *testing.T) {
	t.Parallel()
	decided := func(seq int64, call, result string, act events.Act) Entry {
		e := Entry{Seq: seq}
		e.Type, e.Session, e.CallID, e.ToolCall, e.Act = events.ToolDecided, "s", call, "t", &act
		e.Decision = &events.Decision{}
		e.Decision.Result = result
		return e
	}
	ended := func(seq int64, call string) Entry {
		e := Entry{Seq: seq}
		e.Type, e.Session, e.CallID = events.ToolEnded, "s", call
		return e
	}
	seen := Entry{Seq: 9}
	seen.Type, seen.Session, seen.ToolCall = events.ToolSeen, "s", "t"
	run := func(shell string, claimed bool) events.Act {
		return events.Act{Kind: "execute", Shell: shell, Dir: "/w", Claimed: claimed}
	}
	write := func(path string, claimed bool) events.Act {
		return events.Act{Kind: "write", Paths: []string{path}, Dir: "/w", Claimed: claimed}
	}
	call := func(tool string, claimed bool) events.Act {
		return events.Act{Kind: "call", Tool: tool, Claimed: claimed}
	}
	const yes, no = "approve", "reject"
	for _, test := range []struct {
		name    string
		entries []Entry
		want    [][]int64
	}{
		{"asked, and done", []Entry{decided(1, "a", yes, run("make", true)), decided(2, "b", yes, run("make", false)), ended(3, "b"), seen}, [][]int64{{1, 2, 3, 9}}},
		{"a file by its other name", []Entry{decided(1, "a", yes, write("x", true)), decided(2, "b", yes, write("/w/x", false))}, [][]int64{{1, 2}}},
		{"a call", []Entry{decided(1, "a", yes, call("note", true)), decided(2, "b", yes, call("note", false))}, [][]int64{{1, 2}}},
		{"a no, and something else", []Entry{decided(1, "a", no, run("rm -rf build", true)), decided(2, "b", yes, run("ls", false)), ended(3, "b"), seen}, [][]int64{{1}, {2, 3, 9}}},
		{"a no, and another question", []Entry{decided(1, "a", no, run("make", true)), decided(2, "b", yes, run("make", true))}, [][]int64{{1}, {2}}},
		{"a no, and the same by rule", []Entry{decided(1, "a", no, run("make", true)), decided(2, "b", yes, run("make", false))}, [][]int64{{1}, {2}}},
		{"elsewhere", []Entry{decided(1, "a", yes, run("make", true)), decided(2, "b", yes, events.Act{Kind: "execute", Shell: "make", Dir: "/x"})}, [][]int64{{1}, {2}}},
		{"twice", []Entry{decided(1, "a", yes, write("x", false)), decided(2, "b", yes, write("x", false))}, [][]int64{{1}, {2}}},
		{"another file", []Entry{decided(1, "a", yes, write("x", true)), decided(2, "b", yes, write("y", false))}, [][]int64{{1}, {2}}},
		{"another tool", []Entry{decided(1, "a", yes, call("note", true)), decided(2, "b", yes, call("push", false))}, [][]int64{{1}, {2}}},
		{"a call, after a no", []Entry{decided(1, "a", no, call("note", true)), decided(2, "b", yes, call("note", false))}, [][]int64{{1}, {2}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var got [][]int64
			for _, act := range ByAct(test.entries) {
				got = append(got, numbers(act))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestChapter(t *testing.T) {
	t.Parallel()
	act := ActRecord{
		{Seq: 1, Event: events.Event{Type: events.ToolDecided}},
		{Seq: 2, Event: events.Event{Type: events.ToolDecided}},
		{Seq: 3, Event: events.Event{Type: events.ToolEnded}},
	}
	if got := act.Decided(); got == nil || got.Seq != 2 {
		t.Errorf("decided by %v, want the last decision", got)
	}
	if got := act.Ended(); got == nil || got.Seq != 3 {
		t.Errorf("ended by %v", got)
	}
	if got := act[:2].Ended(); got != nil {
		t.Errorf("ended by %v, want nothing", got)
	}
}

func numbers(entries []Entry) []int64 {
	var list []int64
	for _, e := range entries {
		list = append(list, e.Seq)
	}
	return list
}

// FuzzOpen puts arbitrary bytes behind a good record. Either the record is refused and not a byte of it
// changes, or what was recorded before is still there, what has no end is kept aside, and one can go on.
func FuzzOpen(f *testing.F) {
	for _, seed := range []string{"", "\n", "x", "x\n", `{"seq":3,"v":1,"prev":""}` + "\n", `{"seq":3,"v":1,"prev":""}` + "\nrest", "\x00\x00", "\n\n{"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, behind []byte) {
		log, dir := openTest(t)
		keep(t, log, decided("one"))
		keep(t, log, decided("two"))
		log.Close()
		path := filepath.Join(dir, segmentName(1))
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		appendBytes(t, dir, behind)
		log, err = Open(dir)
		after, readErr := os.ReadFile(path)
		if readErr != nil {
			t.Fatal(readErr)
		}
		if err != nil {
			if !bytes.Equal(after, append(before, behind...)) {
				t.Fatalf("refused (%v), and yet changed", err)
			}
			return
		}
		defer log.Close()
		complete := behind[:bytes.LastIndexByte(behind, '\n')+1]
		if !bytes.HasPrefix(after, append(before, complete...)) {
			t.Fatal("what was recorded before is gone")
		}
		torn, _ := os.ReadFile(filepath.Join(dir, "00000001.torn-1"))
		if !bytes.Equal(torn, behind[len(complete):]) {
			t.Fatalf("set aside %q, want %q", torn, behind[len(complete):])
		}
		keep(t, log, decided("on"))
	})
}

// TestRecent reads the end of a record, across segments, without what stands before, and tells of damage as far as it
// reads.
func TestRecent(t *testing.T) {
	t.Parallel()
	log, dir := segmented(t, 200)
	log.Close()
	whole, err := List(dir, Filter{})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int64{1, 7, 150, 199, 200, 5000} {
		got, all, err := Recent(dir, n)
		want := whole[max(0, len(whole)-int(n)):]
		if err != nil || all != (n >= int64(len(whole))) || len(got) != len(want) {
			t.Errorf("%d: %d entries, all %v, %v; want %d", n, len(got), all, err, len(want))
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d (-want +got):\n%s", n, diff)
		}
	}
	lines := linesOf(t, dir)
	lines[9] = bytes.Replace(lines[9], []byte(`"detail":"`), []byte(`"detail":"nothing `), 1)
	writeLines(t, dir, lines)
	if got, _, err := Recent(dir, 50); err != nil || len(got) != 50 {
		t.Errorf("damage further back: %d entries, %v", len(got), err)
	}
	if _, all, err := Recent(dir, 195); err == nil || all {
		t.Errorf("damage in what is read: all %v, %v", all, err)
	}
	lines[189] = []byte("nonsense\n")
	writeLines(t, dir, lines)
	if got, _, err := Recent(dir, 50); err == nil || len(got) < 48 {
		t.Errorf("a line that is none: %d entries, %v", len(got), err)
	}
	if _, _, err := Recent(t.TempDir(), 50); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no record: %v", err)
	}
}
