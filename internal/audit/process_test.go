package audit

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// TestKilledProcessLosesNothing kills a process that appends, some way into it, again and again on the same
// record. Every event whose Record had returned must be there, complete and in the order of its goroutine.
func TestKilledProcessLosesNothing(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "audit")
	var reported []string
	for _, after := range []int{1, 2, 3, 10, 37, 100, 250} {
		cmd, out := startChild(t, "forever", dir)
		for n := 1; out.Scan(); n++ {
			reported = append(reported, out.Text())
			if n == after {
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := cmd.Wait(); err == nil {
			t.Fatal("the child ended by itself")
		}
	}
	log := reopen(t, dir) // repairs what the last kill may have torn
	keep(t, log, decided("afterwards"))

	place := map[string]int{}
	for i, detail := range details(checkChain(t, dir)) {
		place[detail] = i + 1
	}
	last := map[string]int{}
	for _, word := range reported {
		at, ok := place[word]
		if !ok {
			t.Errorf("%s was recorded, said Record, and is not there", word)
			continue
		}
		goroutine := word[:strings.LastIndexByte(word, '-')]
		if at < last[goroutine] {
			t.Errorf("%s is out of order", word)
		}
		last[goroutine] = at
	}
}

// TestProcessesShareRecord has ten processes write one record side by side.
func TestProcessesShareRecord(t *testing.T) {
	t.Parallel()
	const processes, each = 10, 100
	dir := filepath.Join(t.TempDir(), "audit")
	var cmds []*exec.Cmd
	for range processes {
		cmd, _ := startChild(t, "count", dir, fmt.Sprint(each))
		cmds = append(cmds, cmd)
	}
	for _, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	lines := checkChain(t, dir)
	if len(lines) != processes*each {
		t.Errorf("%d lines, want %d", len(lines), processes*each)
	}
	changes, next := 0, map[string]int{}
	before := ""
	for _, detail := range details(lines) {
		pid, number, _ := strings.Cut(detail, "-")
		if pid != before {
			changes++
		}
		before = pid
		if number != fmt.Sprint(next[pid]) {
			t.Errorf("process %s wrote %s after %d others", pid, number, next[pid])
		}
		next[pid]++
	}
	if len(next) != processes || changes < processes {
		t.Errorf("%v events by process: they did not write side by side", next)
	}
	verified(t, dir)
}

func TestTornLine(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		torn []byte
	}{
		{"half a line", []byte(`{"seq":3,"v":1,"id":"0190`)},
		{"a line that lacks only its end", []byte(`{"seq":3,"v":1,"id":"x","prev":"","type":"tool.decided","time":"2026-11-21T09:00:00Z"}`)},
		{"zeros, as a file system leaves them after a power cut", make([]byte, 5000)},
		{"more than a line may hold", bytes.Repeat([]byte("x"), 3*longestLine)},
		{"one byte", []byte("{")},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			log, dir := openTest(t)
			keep(t, log, decided("one"))
			keep(t, log, decided("two"))
			log.Close()
			for n, name := range []string{"00000001.torn-1", "00000001.torn-2"} {
				appendBytes(t, dir, test.torn)
				log = reopen(t, dir)
				got, err := os.ReadFile(filepath.Join(dir, name))
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(got, test.torn) {
					t.Errorf("%s holds %d bytes, want the %d torn ones", name, len(got), len(test.torn))
				}
				lines := checkChain(t, dir)
				if len(lines) != 3+n {
					t.Fatalf("%d lines, want %d", len(lines), 3+n)
				}
				repaired := lines[2+n]
				if repaired["type"] != string(events.RecordRepaired) {
					t.Errorf("the last line is %v", repaired)
				}
				want := []any{map[string]any{"path": name, "sha256": sum(test.torn)}}
				if diff := cmp.Diff(want, repaired["files"]); diff != "" {
					t.Errorf("(-want +got)\n%s", diff)
				}
				log.Close()
			}
		})
	}
}

// TestTornByAnotherProcess: the other process was killed in mid-line while we are running.
func TestTornByAnotherProcess(t *testing.T) {
	t.Parallel()
	log, dir := openTest(t)
	keep(t, log, decided("one"))
	appendBytes(t, dir, []byte(`{"seq":2,`))
	keep(t, log, decided("two"))
	lines := checkChain(t, dir)
	if diff := cmp.Diff([]string{"one", "9 bytes of a last line without an end were moved to 00000001.torn-1", "two"}, details(lines)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestOnlyATornLine(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	appendBytes(t, dir, []byte(`{"seq":1`))
	log := reopen(t, dir)
	keep(t, log, decided("x"))
	if lines := checkChain(t, dir); len(lines) != 2 {
		t.Errorf("%d lines, want 2", len(lines))
	}
}

// TestForeignHands: what another program did to the file is never built upon.
func TestForeignHands(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(t *testing.T, path string)
		want   string
		// goneUnseen marks a change that nobody can see who opens the record afresh.
		goneUnseen bool
	}{
		{
			name:   "a line of text",
			change: func(t *testing.T, path string) { appendBytes(t, filepath.Dir(path), []byte("hello\n")) },
			want:   "the last line (at byte ",
		},
		{
			name:   "an empty line",
			change: func(t *testing.T, path string) { appendBytes(t, filepath.Dir(path), []byte("\n")) },
			want:   "is no record",
		},
		{
			name:   "JSON that is none of ours",
			change: func(t *testing.T, path string) { appendBytes(t, filepath.Dir(path), []byte(`{"level":"info"}`+"\n")) },
			want:   "it has no number, version or hash",
		},
		{
			name: "a line that is too long",
			change: func(t *testing.T, path string) {
				appendBytes(t, filepath.Dir(path), append(bytes.Repeat([]byte("x"), longestLine), '\n'))
			},
			want: "the last line is 1048576 bytes long",
		},
		{
			name: "replaced by longer text without an end",
			change: func(t *testing.T, path string) {
				text := bytes.Repeat([]byte("x"), 4000)
				if err := os.WriteFile(path, text, 0o600); err != nil {
					t.Fatal(err)
				}
			},
			want:       "the last line has number 0, though 2 was written before",
			goneUnseen: true,
		},
		{
			name: "an old line once more",
			change: func(t *testing.T, path string) {
				whole, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				first, _, _ := bytes.Cut(whole, []byte("\n"))
				appendBytes(t, filepath.Dir(path), append(first, '\n'))
			},
			want:       "the last line has number 1, though 2 was written before",
			goneUnseen: true,
		},
		{
			name: "cut at the end of a line",
			change: func(t *testing.T, path string) {
				whole, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.Truncate(path, int64(bytes.IndexByte(whole, '\n')+1)); err != nil {
					t.Fatal(err)
				}
			},
			want:       "another program cut it from ",
			goneUnseen: true,
		},
		{
			name: "moved away, as logrotate does",
			change: func(t *testing.T, path string) {
				if err := os.Rename(path, path+".1"); err != nil {
					t.Fatal(err)
				}
			},
			want:       "another program moved or removed the file; do not rotate it",
			goneUnseen: true,
		},
		{
			name: "replaced by a copy, as some editors do",
			change: func(t *testing.T, path string) {
				whole, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, whole, 0o600); err != nil {
					t.Fatal(err)
				}
			},
			want:       "another program moved or removed the file",
			goneUnseen: true,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			log, dir := openTest(t)
			keep(t, log, decided("one"))
			keep(t, log, decided("two"))
			path := filepath.Join(dir, segmentName(1))
			test.change(t, path)
			changed, _ := os.ReadFile(path)
			for range 2 {
				err := log.Record(t.Context(), decided("three"))
				if err == nil || !strings.Contains(err.Error(), test.want) {
					t.Fatalf("error %v, want one with %q", err, test.want)
				}
			}
			if afterwards, _ := os.ReadFile(path); !bytes.Equal(changed, afterwards) {
				t.Error("the changed file was written on")
			}
			if test.goneUnseen {
				return
			}
			if log, err := Open(dir); err == nil {
				log.Close()
				t.Error("the changed file was opened")
			} else if !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "keep it as evidence") {
				t.Errorf("error %v, want one with %q and the cure", err, test.want)
			}
		})
	}
}

func appendBytes(t *testing.T, dir string, data []byte) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(dir, segmentName(1)), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(data); err != nil {
		t.Fatal(err)
	}
}

// TestLockIsReplaced: a Log that has waited for a lock which is not the one of the record any more takes that one.
func TestLockIsReplaced(t *testing.T) {
	t.Parallel()
	log, dir := openTest(t)
	keep(t, log, decided("one"))
	if err := os.Remove(filepath.Join(dir, lockName)); err != nil {
		t.Fatal(err)
	}
	other := reopen(t, dir)
	keep(t, other, decided("two"))
	keep(t, log, decided("three"))
	ours, err := log.lock.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if theirs, err := other.lock.Stat(); err != nil || !os.SameFile(ours, theirs) {
		t.Errorf("the two do not keep each other out: %v", err)
	}
	checkChain(t, dir)
}
