package audit

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// TestOutside hands checkpoints to a file and to lines, from which verify takes them: those of the file as they are.
func TestOutside(t *testing.T) {
	t.Parallel()
	dir, kept := recordOfADay(t)
	var lines bytes.Buffer
	file := filepath.Join(t.TempDir(), "checkpoints")
	o := Outside{File: file, Lines: func() io.Writer { return &lines }}
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
	none := Outside{Lines: func() io.Writer { return nil }}
	if err := none.Hand(Checkpoint{}); err != nil {
		t.Errorf("where there is nobody: %v", err)
	}
}
