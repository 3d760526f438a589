package ndjson_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/internal/ndjson"
)

// chunkings are ways in which a stream may arrive.
var chunkings = map[string]func(io.Reader) io.Reader{
	"at once":         func(r io.Reader) io.Reader { return r },
	"byte by byte":    iotest.OneByteReader,
	"half reads":      iotest.HalfReader,
	"end with data":   iotest.DataErrReader,
	"timely nothings": func(r io.Reader) io.Reader { return &hesitant{r: r} },
}

// hesitant gives nothing, without an error, every other time.
type hesitant struct {
	r     io.Reader
	reads int
}

func (h *hesitant) Read(p []byte) (int, error) {
	if h.reads++; h.reads%2 == 1 {
		return 0, nil
	}
	return h.r.Read(p)
}

// lines reads to the end. A line that was too long stands there as its error's ID and Request.
func lines(t *testing.T, r *ndjson.Reader) []string {
	t.Helper()
	var got []string
	for {
		line, err := r.Next()
		var long *ndjson.TooLongError
		switch {
		case errors.As(err, &long):
			what := "response"
			if long.Request {
				what = "request"
			}
			got = append(got, "too long: "+what+" "+string(long.ID))
		case errors.Is(err, io.EOF):
			return got
		case err != nil:
			t.Fatalf("Next: %v", err)
		default:
			got = append(got, string(line))
		}
	}
}

func TestReaderKeepsEveryByte(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0123456789", 1<<17) // beyond every size that the buffer has on its way
	rows := []struct {
		name, stream string
		want         []string
	}{
		{"nothing", "", nil},
		{"one line", "{}\n", []string{"{}\n"}},
		{"last line without newline", "{}\n[]", []string{"{}\n", "[]"}},
		{"crlf", "{}\r\n{\r}\r\n", []string{"{}\r\n", "{\r}\r\n"}},
		{"lone cr at the end", "{}\r", []string{"{}\r"}},
		{"blank lines", "\n\r\n \n", []string{"\n", "\r\n", " \n"}},
		{"not utf-8, nul", "\xff\x00\xfe\n", []string{"\xff\x00\xfe\n"}},
		{"long lines", long + "\n{}\n" + long, []string{long + "\n", "{}\n", long}},
	}
	for _, row := range rows {
		for name, chunked := range chunkings {
			if len(row.stream) > 1<<16 && name == "byte by byte" {
				continue // slow, and no other path
			}
			t.Run(row.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				got := lines(t, ndjson.NewReader(chunked(strings.NewReader(row.stream)), 0))
				if diff := cmp.Diff(row.want, got); diff != "" {
					t.Errorf("lines (-want +got):\n%s", diff)
				}
			})
		}
	}
}

func TestReaderLimit(t *testing.T) {
	t.Parallel()
	pad := strings.Repeat("x", 100)
	rows := []struct {
		name, line string
		want       string
	}{
		{"as long as can be", strings.Repeat("x", 64), strings.Repeat("x", 64) + "\n"},
		{"one more", strings.Repeat("x", 65), "too long: response "},
		{"id first", `{"jsonrpc":"2.0","id":7,"method":"m","params":{"id":8,"p":"` + pad + `"}}`, "too long: request 7"},
		{"id last", `{"params":["` + pad + `",{"id":8,"method":"x"}],"method":"m","id":"a}b"}`, `too long: request "a}b"`},
		{"id 0", `{"p":"` + pad + `","id":0}`, "too long: response 0"},
		{"id null", `{"p":"` + pad + `","id": null ,"method":"m"}`, "too long: request null"},
		{"spaces around", "\t {\"p\":\"" + pad + "\" , \"id\" : -1.5e3 , \"method\":\"m\" } \r", "too long: request -1.5e3"},
		{"no id", `{"method":"m","params":"` + pad + `"}`, "too long: request "},
		{"escaped key", `{"\u0069d":1,"p":"` + pad + `"}`, "too long: response 1"},
		{"escaped quotes", `{"p":"\",\"id\":1,\\` + pad + `","id":2}`, "too long: response 2"},
		{"another case is no id", `{"ID":1,"p":"` + pad + `"}`, "too long: response "},
		{"first of two", `{"id":1,"p":"` + pad + `","id":2}`, "too long: response 1"},
		{"an id that is no scalar", `{"id":{"id":1},"p":"` + pad + `"}`, "too long: response "},
		{"an id that is no JSON", `{"id":01,"p":"` + pad + `"}`, "too long: response "},
		{"an id without end", `{"id":"` + strings.Repeat(pad, 20) + `"}`, "too long: response "},
		{"a key without end", `{"` + strings.Repeat(pad, 20) + `":1,"id":2}`, "too long: response 2"},
		{"inside an array", `[{"id":1,"method":"m","p":"` + pad + `"}]`, "too long: response "},
		{"in what is no object", `["id":1,"method":"m","p":"` + pad + `"]`, "too long: response "},
		{"after text", `log: {"id":1,"method":"m","p":"` + pad + `"}`, "too long: response "},
		{"behind the object", `{"p":"` + pad + `"},"id":1}`, "too long: response "},
		{"a closing bracket first", `}{"id":1,"method":"m","p":"` + pad + `"}`, "too long: response "},
		{"longer than the buffer", `{"id":5,"method":"` + strings.Repeat(pad, 2000) + `"}`, "too long: request 5"},
	}
	for _, row := range rows {
		for name, chunked := range chunkings {
			t.Run(row.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				stream := "before\n" + row.line + "\nafter\n" + row.line
				want := []string{"before\n", row.want, "after\n", row.want}
				if row.want == row.line+"\n" {
					want[3] = row.line
				}
				got := lines(t, ndjson.NewReader(chunked(strings.NewReader(stream)), 64))
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("lines (-want +got):\n%s", diff)
				}
			})
		}
	}
}

func TestTooLongErrorSays(t *testing.T) {
	t.Parallel()
	_, err := ndjson.NewReader(strings.NewReader(strings.Repeat("x", 70_000)+"\r\n"), 10).Next()
	var long *ndjson.TooLongError
	if !errors.As(err, &long) {
		t.Fatalf("got %v, want a TooLongError", err)
	}
	want := &ndjson.TooLongError{Size: 70_001, Limit: 10}
	if diff := cmp.Diff(want, long); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
	const text = "a line of 70001 bytes is above the limit of 10 and was thrown away: raise the limit, or send less at once"
	if err.Error() != text {
		t.Errorf("got %q, want %q", err, text)
	}
}

func TestReaderDefaultLimitIs64MiB(t *testing.T) {
	t.Parallel()
	exact := bytes.Repeat([]byte("x"), ndjson.DefaultMax)
	r := ndjson.NewReader(io.MultiReader(
		bytes.NewReader(exact), strings.NewReader("\n"),
		bytes.NewReader(exact), strings.NewReader("x\n"),
		strings.NewReader("next\n"),
	), 0)
	line, err := r.Next()
	if err != nil || len(line) != len(exact)+1 {
		t.Fatalf("a line of 64 MiB: got %d bytes, %v", len(line), err)
	}
	var long *ndjson.TooLongError
	if _, err = r.Next(); !errors.As(err, &long) || long.Size != ndjson.DefaultMax+1 {
		t.Fatalf("a line of one byte more: got %v", err)
	}
	if line, err = r.Next(); string(line) != "next\n" || err != nil {
		t.Errorf("the line after: got %q, %v", line, err)
	}
}

func TestReaderTellsBrokenFromEnded(t *testing.T) {
	t.Parallel()
	broken := errors.New("the cable is gone")
	r := ndjson.NewReader(io.MultiReader(strings.NewReader("{}\nhalf a li"), iotest.ErrReader(broken)), 0)
	if line, err := r.Next(); string(line) != "{}\n" || err != nil {
		t.Fatalf("got %q, %v", line, err)
	}
	for range 2 {
		line, err := r.Next()
		if line != nil || !errors.Is(err, broken) || errors.Is(err, io.EOF) {
			t.Errorf("got %q, %v; want no line, and the stream's own error every time", line, err)
		}
	}
	r = ndjson.NewReader(stuck{}, 0)
	if _, err := r.Next(); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("a stream that gives nothing for ever: got %v, want %v", err, io.ErrNoProgress)
	}
}

func TestReaderReportsTooLongBeforeBroken(t *testing.T) {
	t.Parallel()
	broken := errors.New("the cable is gone")
	r := ndjson.NewReader(io.MultiReader(strings.NewReader(`{"id":3,"p":"xxxxxxxx`), iotest.ErrReader(broken)), 8)
	_, err := r.Next()
	var long *ndjson.TooLongError
	if !errors.As(err, &long) || string(long.ID) != "3" {
		t.Errorf("got %v, want the line that was too long, with its id", err)
	}
	if _, err := r.Next(); !errors.Is(err, broken) {
		t.Errorf("got %v, want %v", err, broken)
	}
}

type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

func FuzzTooLong(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","method":"a\"b","params":[{"id":1}],"id":"x"}`), []byte{3})
	f.Add([]byte(" {\"\\u0069d\" : -1.5e3 ,\"result\":{\"id\":[]}}\r"), []byte{0})
	f.Add([]byte(`{"id":{},"id":null}`), []byte{255, 1})
	// Of an object that every reader reads alike, the envelope is seen as Scan sees it, however the line
	// arrives.
	f.Fuzz(func(t *testing.T, line, sizes []byte) {
		frame := ndjson.Scan(line)
		if frame.Kind != ndjson.Object || frame.Ambiguous || bytes.IndexByte(line, '\n') >= 0 || len(frame.ID) > 1000 {
			return
		}
		stream := slices.Concat(line, []byte("\nnext"))
		r := ndjson.NewReader(&pieces{stream, slices.Clone(sizes)}, 1)
		_, err := r.Next()
		var long *ndjson.TooLongError
		if !errors.As(err, &long) {
			t.Fatalf("got %v, want a TooLongError", err)
		}
		want := &ndjson.TooLongError{Size: int64(len(line)), Limit: 1, ID: slices.Clone(frame.ID), Request: frame.HasMethod()}
		if diff := cmp.Diff(want, long); diff != "" {
			t.Errorf("of %q (-want +got):\n%s", line, diff)
		}
	})
}
