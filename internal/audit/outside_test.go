package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestOutside hands checkpoints to a file and to lines, from which verify takes them: those of the file as they are.
func TestOutside(t *testing.T) {
	t.Parallel()
	dir, kept := recordOfADay(t)
	var lines bytes.Buffer
	file := filepath.Join(t.TempDir(), "checkpoints")
	o := &Outside{File: file, Lines: func() io.Writer { return &lines }}
	for _, n := range notesOf(t, kept) {
		if err := o.Hand(Checkpoint{Note: n.text}); err != nil {
			t.Fatal(err)
		}
	}
	report, err := Verify(dir, VerifyOptions{Checkpoints: []string{file}})
	if err != nil || !report.OK || !report.Outside || report.Checkpoint.Size != 40 || report.Checkpoint.Source != file {
		t.Errorf("%+v, %v", report, err)
	}
	// As whoever collects the lines gets them back: jq -r .checkpoint
	var text []byte
	for line := range bytes.Lines(lines.Bytes()) {
		var said struct{ Checkpoint string }
		if err := json.Unmarshal(line, &said); err != nil {
			t.Fatal(err)
		}
		text = append(text, said.Checkpoint+"\n"...)
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	report, err = Verify(dir, VerifyOptions{Checkpoints: []string{file}})
	if err != nil || !report.OK || !report.Outside || report.Checkpoint.Size != 40 {
		t.Errorf("from lines: %+v, %v", report, err)
	}
	none := &Outside{Lines: func() io.Writer { return nil }}
	if err := none.Hand(Checkpoint{}); err != nil {
		t.Errorf("where there is nobody: %v", err)
	}
}

// TestSystemLog hands checkpoints to a log as the system has one, which takes some, and then no more: nobody waits for
// it.
func TestSystemLog(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "log")
	log, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	o := &Outside{Syslog: true, logs: []string{filepath.Join(t.TempDir(), "none"), path}, wait: time.Minute}
	if err := o.Hand(Checkpoint{Size: 1, Note: "a note\n1\n"}); err != nil {
		t.Fatal(err)
	}
	told := make([]byte, 4096)
	n, err := log.Read(told)
	if err != nil {
		t.Fatal(err)
	}
	head, text, _ := strings.Cut(string(told[:n]), "]: ")
	var said struct{ Checkpoint string }
	// authpriv is 10, notice 5 (RFC 5424).
	if err := json.Unmarshal([]byte(text), &said); err != nil || !strings.HasPrefix(head, "<85>") || said.Checkpoint != "a note\n1\n" {
		t.Errorf("it is told %q", told[:n])
	}
	o.wait = 50 * time.Millisecond
	for range 100_000 { // until its queue is full
		if err = o.Hand(Checkpoint{}); err != nil {
			break
		}
	}
	var waited net.Error // for it to be reached, or to take a line
	if !errors.As(err, &waited) || !waited.Timeout() {
		t.Errorf("a log that does not read: %v", err)
	}
	// No time to reach one that listens is not that there is none.
	o.wait = 1
	if err := o.Hand(Checkpoint{}); !errors.As(err, &waited) || !waited.Timeout() {
		t.Errorf("no time: %v", err)
	}
	o.logs, o.wait = o.logs[:1], time.Minute
	if err := o.Hand(Checkpoint{}); err == nil || !strings.Contains(err.Error(), "listens at none of") {
		t.Errorf("no log: %v", err)
	}
}

// TestReaderThatDoesNotRead has nobody wait for whoever should collect the lines, and only so many wait for him.
func TestReaderThatDoesNotRead(t *testing.T) {
	t.Parallel()
	reader, writer := io.Pipe()
	defer reader.Close()
	o := &Outside{Lines: func() io.Writer { return writer }, wait: time.Millisecond}
	for n := range int64(100) {
		if err := o.Hand(Checkpoint{Size: n}); !errors.Is(err, errNotTaken) {
			t.Fatal(err)
		}
	}
	if waiting := o.pending.Load(); waiting != mostPending {
		t.Errorf("%d lines wait", waiting)
	}
	o.wait = time.Minute
	handed := make(chan error, 1)
	lines := json.NewDecoder(reader)
	for range mostPending {
		var line struct{ Checkpoint string }
		if err := lines.Decode(&line); err != nil {
			t.Fatal(err)
		}
	}
	go func() { handed <- o.Hand(Checkpoint{Note: "again"}) }() // ends when it is read
	var line struct{ Checkpoint string }
	if err := lines.Decode(&line); err != nil || line.Checkpoint != "again" {
		t.Errorf("%+v, %v", line, err)
	}
	reader.Close() // the line's end, which the decoder has left
	if err := <-handed; err != nil && !errors.Is(err, io.ErrClosedPipe) {
		t.Error(err)
	}
}
