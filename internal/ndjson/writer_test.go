package ndjson_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/internal/ndjson"
)

// calls notes what each Write was given.
type calls struct {
	got    []string
	inside atomic.Int32 // Write calls under way
	fail   error
	short  bool
}

func (c *calls) Write(p []byte) (int, error) {
	if c.inside.Add(1) != 1 {
		panic("two Write calls at once")
	}
	defer c.inside.Add(-1)
	c.got = append(c.got, string(p))
	if c.short {
		return len(p) - 1, nil
	}
	return len(p), c.fail
}

func TestWriterWritesEachLineInOneCall(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name string
		do   func(*ndjson.Writer) error
		want []string
	}{
		{"relayed lines are as they were", func(w *ndjson.Writer) error {
			return errors.Join(w.Relay([]byte("{}\r\n")), w.Relay([]byte("\n")), w.Relay([]byte("\xff\n")))
		}, []string{"{}\r\n", "\n", "\xff\n"}},
		{"a message of ours gets its newline", func(w *ndjson.Writer) error {
			return errors.Join(w.Send([]byte("{}")), w.Send([]byte("[]\n")))
		}, []string{"{}\n", "[]\n"}},
		{"a last line without newline stays without", func(w *ndjson.Writer) error {
			return w.Relay([]byte("{}"))
		}, []string{"{}"}},
		{"what follows it begins a line of its own", func(w *ndjson.Writer) error {
			return errors.Join(w.Relay([]byte("{}")), w.Send([]byte("[]")), w.Relay([]byte("1\n")))
		}, []string{"{}", "\n[]\n", "1\n"}},
		{"so does a relayed line", func(w *ndjson.Writer) error {
			return errors.Join(w.Relay([]byte("{}")), w.Relay([]byte("[]")), w.Send([]byte("1\n")))
		}, []string{"{}", "\n[]", "\n1\n"}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			var out calls
			if err := row.do(ndjson.NewWriter(&out)); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(row.want, out.got); diff != "" {
				t.Errorf("Write calls (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWriterRefusesWhatIsNotOneLine(t *testing.T) {
	t.Parallel()
	var out calls
	w := ndjson.NewWriter(&out)
	for _, message := range []string{"", "\n", " \r\n", "{\n}", "{}\n\n", "{}\n{}"} {
		if err := w.Send([]byte(message)); err == nil {
			t.Errorf("Send(%q): got no error", message)
		}
	}
	if err := w.Relay(nil); err == nil {
		t.Error("Relay of nothing: got no error")
	}
	if err := w.Send([]byte("{}")); err != nil {
		t.Errorf("a refused message broke the writer: %v", err)
	}
	if diff := cmp.Diff([]string{"{}\n"}, out.got); diff != "" {
		t.Errorf("Write calls (-want +got):\n%s", diff)
	}
}

func TestWriterLeavesTheCallersMemoryAlone(t *testing.T) {
	t.Parallel()
	memory := []byte("{}, and something else")
	if err := ndjson.NewWriter(io.Discard).Send(memory[:2]); err != nil {
		t.Fatal(err)
	}
	if got := string(memory); got != "{}, and something else" {
		t.Errorf("got %q: the newline was written behind the message", got)
	}
}

func TestWriterStaysBroken(t *testing.T) {
	t.Parallel()
	broken := errors.New("the editor has gone")
	rows := []struct {
		name string
		out  calls
		want error
	}{
		{"an error", calls{fail: broken}, broken},
		{"a short write", calls{short: true}, io.ErrShortWrite},
	}
	for i := range rows {
		row := &rows[i]
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			w := ndjson.NewWriter(&row.out)
			first := w.Relay([]byte("{}\n"))
			row.out.fail, row.out.short = nil, false
			for _, err := range []error{first, w.Relay([]byte("{}\n")), w.Send([]byte("{}"))} {
				if !errors.Is(err, row.want) {
					t.Errorf("got %v, want %v", err, row.want)
				}
			}
			if len(row.out.got) != 1 {
				t.Errorf("wrote again after the error: %q", row.out.got)
			}
		})
	}
}

func TestWriterConcurrently(t *testing.T) {
	t.Parallel()
	const writers, each = 8, 200
	var out calls
	w := ndjson.NewWriter(&out)
	var group sync.WaitGroup
	var want []string
	for i := range writers {
		for n := range each {
			want = append(want, fmt.Sprintf("%d %d\n", i, n))
		}
		group.Go(func() { // ends when all its lines are written
			for n := range each {
				write := w.Send
				if n%2 == 0 {
					write = w.Relay
				}
				if err := write(fmt.Appendf(nil, "%d %d\n", i, n)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	inOrder := slices.Clone(out.got)
	slices.SortStableFunc(inOrder, func(a, b string) int { return strings.Compare(a[:1], b[:1]) })
	if diff := cmp.Diff(want, inOrder); diff != "" {
		t.Errorf("lines of each writer (-want +got):\n%s", diff)
	}
}

// A reader that does not read holds everybody up, and nothing is lost or out of order when it goes on.
func TestWriterBlocks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		in, out := io.Pipe()
		w := ndjson.NewWriter(out)
		var done atomic.Int32
		go func() { // ends when in has been read
			for _, line := range []string{"1\n", "2\n", "3\n"} {
				if err := w.Relay([]byte(line)); err != nil {
					t.Error(err)
				}
				done.Add(1)
			}
			out.Close()
		}()
		synctest.Wait()
		if n := done.Load(); n != 0 {
			t.Errorf("%d lines were taken by nobody", n)
		}
		got, err := io.ReadAll(in)
		if err != nil || string(got) != "1\n2\n3\n" {
			t.Errorf("got %q, %v", got, err)
		}
	})
}

func FuzzRelay(f *testing.F) {
	f.Add([]byte("{}\r\n\n[1,2]\n{\"id\":0}"), []byte{1, 2, 3})
	f.Add([]byte("\xff\x00\n\n\nlog\r\r\n"), []byte{0})
	f.Add(bytes.Repeat([]byte("0123456789\n"), 10_000), []byte{255, 255, 7})
	// Whatever comes, in whatever pieces: each line is given once, ends at the first newline, and all of
	// them together are the stream.
	f.Fuzz(func(t *testing.T, stream, sizes []byte) {
		r := ndjson.NewReader(&pieces{stream, slices.Clone(sizes)}, 0)
		var out bytes.Buffer
		w := ndjson.NewWriter(&out)
		for {
			line, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if n := bytes.IndexByte(line, '\n'); n >= 0 && n != len(line)-1 {
				t.Fatalf("%q is more than a line", line)
			}
			ndjson.Scan(line)
			if err := w.Relay(line); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(out.Bytes(), stream) {
			t.Errorf("got %q, want %q", out.Bytes(), stream)
		}
	})
}

// pieces gives a stream in pieces of the given sizes, over and over.
type pieces struct {
	stream, sizes []byte
}

func (p *pieces) Read(into []byte) (int, error) {
	if len(p.stream) == 0 {
		return 0, io.EOF
	}
	size := len(p.stream)
	if len(p.sizes) > 0 {
		size = int(p.sizes[0]) + 1
		p.sizes = append(p.sizes[1:], p.sizes[0])
	}
	n := copy(into, p.stream[:min(size, len(p.stream))])
	p.stream = p.stream[n:]
	return n, nil
}
