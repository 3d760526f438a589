package audit

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestTornCheckpoint: a crash, or a full disk, has left a part of the last checkpoint. That is no damage, here and
// in the file that was kept elsewhere, and the next one stands behind it.
func TestTornCheckpoint(t *testing.T) {
	t.Parallel()
	dir, _ := recordOfADay(t)
	own := filepath.Join(dir, checkpointsName)
	whole := read(t, own)
	last := notesOf(t, own)[1].text
	begun := len(whole) - len(last)
	split := begun + bytes.Index(whole[begun:], []byte("\n\n"))
	for _, cut := range []int{
		begun, begun + 5, begun + 1 + bytes.IndexByte(whole[begun:], '\n'), // in its origin, and behind it
		split - 3, split, split + 1, split + 2, split + 9, // its root, and the empty line
		len(whole) - 30, len(whole) - 29, len(whole) - 2, len(whole) - 1, // its signature
	} {
		for _, zeros := range []int{0, len(whole) - cut} { // as a file system leaves them after a power cut
			t.Run(fmt.Sprintf("%d of %d bytes and %d zeros", cut-begun, len(last), zeros), func(t *testing.T) {
				t.Parallel()
				copied := filepath.Join(t.TempDir(), "audit")
				if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
					t.Fatal(err)
				}
				torn := append(bytes.Clone(whole[:cut]), make([]byte, zeros)...)
				elsewhere := filepath.Join(t.TempDir(), "elsewhere")
				for _, path := range []string{filepath.Join(copied, checkpointsName), elsewhere} {
					if err := os.WriteFile(path, torn, 0o600); err != nil {
						t.Fatal(err)
					}
				}
				verified(t, copied, elsewhere)
				log, err := Options{Checkpointed: func(c Checkpoint) {
					if err := (&Outside{File: elsewhere}).Hand(c); err != nil {
						t.Error(err)
					}
				}}.Open(copied)
				if err != nil {
					t.Fatal(err)
				}
				keep(t, log, decided("afterwards"))
				if err := log.Close(); err != nil {
					t.Error(err)
				}
				if report := verified(t, copied, elsewhere); !report.Outside || report.Checkpoint.Size != 61 {
					t.Errorf("held against %+v, outside %v", report.Checkpoint, report.Outside)
				}
			})
		}
	}
}

// verified returns the report of a record that is whole, held against a file of checkpoints.
func verified(t *testing.T, dir string, outside ...string) *Report {
	t.Helper()
	report, err := Verify(dir, VerifyOptions{Checkpoints: outside})
	if err != nil || !report.OK {
		t.Fatalf("%+v, %v", report, err)
	}
	return report
}

// TestCheckpointAfter walks through the checkpoints of a record one by one, whatever stands between them.
func TestCheckpointAfter(t *testing.T) {
	t.Parallel()
	log, dir := openTest(t)
	if c, err := CheckpointAfter(dir, 0); err != nil || c.Size != 0 {
		t.Errorf("before the first: %+v, %v", c, err)
	}
	const rounds = 400 // more than the end that is read at first
	for range rounds {
		keep(t, log, decided("x"))
		if _, _, err := MakeCheckpoint(dir); err != nil {
			t.Fatal(err)
		}
	}
	appendTo(t, filepath.Join(dir, checkpointsName), "\nsomething else\n\n")
	last, err := LastCheckpoint(dir)
	if err != nil || last.Size != rounds {
		t.Fatalf("got %+v, %v", last, err)
	}
	for _, after := range []int64{0, 1, 7, rounds - 2, rounds - 1} {
		if c, err := CheckpointAfter(dir, after); err != nil || c.Size != after+1 {
			t.Errorf("after %d: %+v, %v", after, c, err)
		}
	}
	if c, err := CheckpointAfter(dir, rounds); err != nil || c.Size != 0 {
		t.Errorf("after the last: %+v, %v", c, err)
	}
}
