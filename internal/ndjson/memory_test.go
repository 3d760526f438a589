package ndjson

import (
	"bytes"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestReaderLetsLargeBufferGo(t *testing.T) {
	t.Parallel()
	huge, ordinary := strings.Repeat("x", 8<<20)+"\n", strings.Repeat("x", 1<<20)+"\n"
	rows := []struct {
		name, line string
		limit      int
		after      int // most that may be held when the next line is waited for
	}{
		{"a frame of a mebibyte is ordinary", ordinary, 0, keptBuffer},
		{"a huge line", huge, 0, smallBuffer},
		{"a line above the limit", huge, 4 << 20, smallBuffer},
		{"the rest of a line above the limit", huge[:len(huge)-1], 4 << 20, smallBuffer},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			r := NewReader(nil, row.limit)
			r.r = io.MultiReader(strings.NewReader(row.line), reads(func() {
				if len(r.buf) > row.after {
					t.Errorf("waits for a line with a buffer of %d bytes, want at most %d", len(r.buf), row.after)
				}
			}))
			_, _ = r.Next()
			_, _ = r.Next()
		})
	}
}

func TestReaderStaysSmallForSmallLines(t *testing.T) {
	t.Parallel()
	r := NewReader(strings.NewReader(strings.Repeat(strings.Repeat("x", 30_000)+"\n", 1000)), 0)
	for {
		if _, err := r.Next(); err != nil {
			break
		}
		if len(r.buf) != smallBuffer {
			t.Fatalf("the buffer has grown to %d bytes for lines of 30 kB", len(r.buf))
		}
	}
}

func TestWriterLetsLargeBufferGo(t *testing.T) {
	t.Parallel()
	w := NewWriter(io.Discard)
	for _, size := range []int{100, 2 << 20} {
		if err := w.Send(bytes.Repeat([]byte("x"), size)); err != nil {
			t.Fatal(err)
		}
		if held := cap(w.buf); held > keptBuffer || held == 0 && size == 100 {
			t.Errorf("holds %d bytes after a message of %d", held, size)
		}
	}
}

// reads calls a function on Read and ends.
type reads func()

func (f reads) Read([]byte) (int, error) {
	f()
	return 0, io.EOF
}

func TestReaderReturnsMemoryWhenQuiet(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		in, out := io.Pipe()
		r := NewReader(in, 0)
		var freed atomic.Int32
		r.freeMemory = func() { freed.Add(1) }
		go func() { // ends when the pipe is closed
			for {
				if _, err := r.Next(); err != nil {
					return
				}
			}
		}()
		huge := append(bytes.Repeat([]byte("x"), 4<<20), '\n')
		for range 3 {
			out.Write(huge)
			time.Sleep(quietTime / 2)
			out.Write(huge[:2<<20]) // a line that takes its time
			time.Sleep(2 * quietTime)
			out.Write(huge[2<<20:])
			time.Sleep(quietTime / 2)
		}
		if n := freed.Load(); n != 0 {
			t.Errorf("freed memory %d times between large lines, want never", n)
		}
		time.Sleep(time.Hour)
		out.Write([]byte("{}\n"))
		time.Sleep(time.Hour)
		if n := freed.Load(); n != 1 {
			t.Errorf("freed memory %d times in the quiet after them, want once", n)
		}
		out.Close()
	})
}
