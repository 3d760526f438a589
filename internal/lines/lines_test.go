package lines

import (
	"io"
	"strings"
	"sync"
	"testing"
)

// Our own sentences never stand in the middle of a line of the agent's, and none of the agent's bytes is
// lost.
func TestLines(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	l := New(&out)
	for _, piece := range []string{"first", " line\nsec", "ond line\n", "no end"} {
		if _, err := io.WriteString(l, piece); err != nil {
			t.Fatal(err)
		}
		l.Line("ours")
	}
	l.Flush()
	want := "ours\nfirst line\nours\nsecond line\nours\nours\nno end\n"
	if out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

func TestLinesAreWhole(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	l := New(&out)
	var writers sync.WaitGroup
	for _, word := range []string{"aaaa", "bbbb"} {
		writers.Go(func() {
			for range 200 {
				l.Line(word)
			}
		})
	}
	writers.Wait()
	for line := range strings.Lines(out.String()) {
		if line != "aaaa\n" && line != "bbbb\n" {
			t.Fatalf("torn: %q", line)
		}
	}
}
