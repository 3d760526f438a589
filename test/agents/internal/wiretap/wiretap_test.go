package wiretap

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRun(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "tap.jsonl")
	in := "one\n\n\xff\xfe {\"a\":1}\r\nlast, not ended"
	var out bytes.Buffer
	code, err := Run(file, []string{"sh", "-c", "cat; exit 3"}, strings.NewReader(in), &out)
	if err != nil || code != 3 {
		t.Errorf("Run gives %d, %v; want the program's exit code 3", code, err)
	}
	if out.String() != in {
		t.Errorf("passed on %q, want %q", out.String(), in)
	}
	lines, err := Read(file)
	if err != nil {
		t.Fatal(err)
	}
	got := map[Direction]string{}
	for _, line := range lines {
		got[line.Direction] += string(line.Raw) + "\n"
	}
	if diff := cmp.Diff(map[Direction]string{In: in + "\n", Out: in + "\n"}, got); diff != "" {
		t.Errorf("written down (-want +got):\n%s", diff)
	}
}

func TestRunNothing(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "tap.jsonl")
	if code, err := Run(file, []string{"/no/such/program"}, strings.NewReader(""), new(bytes.Buffer)); err == nil || code == 0 {
		t.Errorf("Run gives %d, %v; want an error", code, err)
	}
}
