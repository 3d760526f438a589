package ndjson_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/ndjson"
)

// frameOf makes a session/update of about size bytes with one long text, escaped every 40 bytes as source
// code is.
func frameOf(size int, escapes bool) []byte {
	const head = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"t":"`
	const tail = `"}}}` + "\n"
	line := `	return b.toAgent.Relay(line) // as is..\n`
	if !escapes {
		line = `    return b.toAgent.Relay(line) // as is...`
	}
	n := max(0, size-len(head)-len(tail))
	return []byte(head + strings.Repeat(line, n/len(line)) + strings.Repeat("x", n%len(line)) + tail)
}

func BenchmarkScan(b *testing.B) {
	for _, size := range []int{100, 10_000, 1_000_000, 30_000_000} {
		for _, escapes := range []bool{false, true} {
			name := fmt.Sprintf("bytes=%d/escapes=%v", size, escapes)
			b.Run(name, func(b *testing.B) { benchmarkScan(b, frameOf(size, escapes)) })
		}
	}
	umlauts := bytes.ReplaceAll(frameOf(1_000_000, false), []byte("as is"), []byte("süß"))
	b.Run("bytes=1000000/umlauts", func(b *testing.B) { benchmarkScan(b, umlauts) })
	numbers := []byte(`{"params":[` + strings.Repeat(`{"line":12,"path":null},`, 40_000) + `0]}`)
	b.Run("bytes=960000/tokens", func(b *testing.B) { benchmarkScan(b, numbers) })
}

func benchmarkScan(b *testing.B, line []byte) {
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		if f := ndjson.Scan(line); f.Kind != ndjson.Object {
			b.Fatal(f.Kind)
		}
	}
}

// BenchmarkRelay sends frames through a pipe, a relay and another pipe. Each round is taken by our relay
// and by a plain loop that copies lines and looks at nothing, in turn; their ratio is reported as
// floor/ours, 1 being as fast as the floor.
func BenchmarkRelay(b *testing.B) {
	for _, size := range []int{100, 10_000, 1_000_000, 30_000_000} {
		b.Run(fmt.Sprintf("latency/bytes=%d", size), func(b *testing.B) { benchmarkRelay(b, frameOf(size, true), 1) })
	}
	for _, size := range []int{100, 10_000, 1_000_000, 30_000_000} {
		frames := max(4, 1_000_000/size)
		b.Run(fmt.Sprintf("throughput/bytes=%d", size), func(b *testing.B) { benchmarkRelay(b, frameOf(size, true), frames) })
	}
}

// benchmarkRelay sends that many frames in one go, and waits until they have come out.
func benchmarkRelay(b *testing.B, frame []byte, frames int) {
	sent := bytes.Repeat(frame, frames)
	ours, floor := newRelayed(b, relay), newRelayed(b, copyLines)
	var taken, least time.Duration
	for b.Loop() {
		least += floor.round(b, sent)
		taken += ours.round(b, sent)
	}
	b.ReportMetric(0, "ns/op") // the two together say nothing
	perFrame := float64(taken.Nanoseconds()) / float64(b.N*frames)
	b.ReportMetric(perFrame, "ns/frame")
	b.ReportMetric(float64(len(frame))/perFrame*1000, "MB/s")
	b.ReportMetric(float64(least)/float64(taken), "floor/ours")
}

// relayed is a relay between two pipes.
type relayed struct {
	in, out *os.File
	sink    []byte
}

func newRelayed(b *testing.B, relay func(io.Reader, io.Writer) error) relayed {
	b.Helper()
	from, in, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	out, to, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- relay(from, to) }() // ends when in is closed, below
	b.Cleanup(func() {
		in.Close()
		if err := <-done; err != nil {
			b.Error(err)
		}
		from.Close()
		to.Close()
		out.Close()
	})
	return relayed{in, out, make([]byte, 1<<20)}
}

// round sends lines and takes the time until all of them have come out.
func (r relayed) round(b *testing.B, lines []byte) time.Duration {
	b.Helper()
	begun := time.Now()
	done := make(chan error, 1)
	go func() { // ends when the relay has taken all
		_, err := r.in.Write(lines)
		done <- err
	}()
	for left := len(lines); left > 0; {
		n, err := r.out.Read(r.sink)
		if err != nil {
			b.Fatal(err)
		}
		left -= n
	}
	taken := time.Since(begun)
	if err := <-done; err != nil {
		b.Fatal(err)
	}
	return taken
}

// relay is what the bridge does with frames that it does not own.
func relay(from io.Reader, to io.Writer) error {
	r, w := ndjson.NewReader(from, 0), ndjson.NewWriter(to)
	for {
		line, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if f := ndjson.Scan(line); f.CouldBe(isIntercepted) {
			continue
		}
		if err := w.Relay(line); err != nil {
			return err
		}
	}
}

func isIntercepted(method string) bool { return strings.EqualFold(method, "fs/write_text_file") }

// copyLines is the floor: it copies lines as bufio has them, in pieces of at most its buffer.
func copyLines(from io.Reader, to io.Writer) error {
	r := bufio.NewReaderSize(from, 64<<10)
	for {
		line, err := r.ReadSlice('\n')
		if _, err := to.Write(line); err != nil {
			return err
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}
