package toolsocket

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
)

// Whatever comes in, a line is read whole or not at all, and never beyond the bound.
func FuzzReadLine(f *testing.F) {
	f.Add([]byte("{}\n{}\n"), 10)
	f.Add([]byte(strings.Repeat("x", 5000)+"\nshort\n"), 5001)
	f.Add([]byte(strings.Repeat("x", 5000)+"\n"), 5000)
	f.Add([]byte("no end"), 100)
	f.Fuzz(func(t *testing.T, in []byte, limit int) {
		if limit < 1 || limit > 1<<20 {
			t.Skip()
		}
		s := &lineStream{r: bufio.NewReader(bytes.NewReader(in)), limit: limit, ended: make(chan struct{})}
		rest := in
		for {
			line, err := s.readLine()
			end := bytes.IndexByte(rest, '\n') + 1
			switch {
			case end == 0 && len(rest) <= limit:
				if !errors.Is(err, io.EOF) {
					t.Fatalf("%d bytes without an end: %v", len(rest), err)
				}
				return
			case end == 0, end > limit:
				if !errors.Is(err, errFrame) && !(end == 0 && errors.Is(err, io.EOF)) {
					t.Fatalf("a line of %d bytes beyond %d: %v", end, limit, err)
				}
				return
			case err != nil || !bytes.Equal(line, rest[:end]):
				t.Fatalf("got %q, %v; want %q", line, err, rest[:end])
			}
			rest = rest[end:]
		}
	})
}

// The bound is of a line, not of the stream.
func TestManyLines(t *testing.T) {
	t.Parallel()
	s := newLineStream(nil, 8)
	s.r = bufio.NewReader(strings.NewReader(strings.Repeat("{\"a\":1}\n", 1000)))
	for range 1000 {
		var v json.RawMessage
		if err := s.ReadObject(&v); err != nil {
			t.Fatal(err)
		}
	}
}
