package answer

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

var eventHeader = http.Header{"Content-Type": {"text/event-stream; charset=utf-8"}}

// TestStream is a table of streams and the lines that are told of them, however they are cut as they come.
func TestStream(t *testing.T) {
	t.Parallel()
	const sse, ndjson = tool.StreamEvents, tool.StreamLines
	for name, test := range map[string]struct {
		says   tool.Answer
		in     string
		want   string
		failed string
	}{
		"events":          {tool.Answer{Stream: sse}, "data: {\"a\": 1}\n\ndata: hi\n\n", "{\"a\":1}\n\"hi\"\n", ""},
		"ends of lines":   {tool.Answer{Stream: sse}, "data: 1\r\rdata: 2\r\n\r\ndata: 3\n\r\ndata: 4\r\r\n", "1\n2\n3\n4\n", ""},
		"several lines":   {tool.Answer{Stream: sse}, "data: {\"a\":\ndata:1}\n\ndata: x\ndata\ndata:  y\n\n", "{\"a\":1}\n\"x\\n\\n y\"\n", ""},
		"other fields":    {tool.Answer{Stream: sse}, "\ufeff: hello\nid: 5\nevent: end\nretry: 1\ndata: 1\n\nevent: ping\n\ndatas: 2\n\n", "1\n", ""},
		"no half event":   {tool.Answer{Stream: sse}, "data: 1\n\ndata: 2\n", "1\n", ""},
		"[DONE]":          {tool.Answer{Stream: sse}, "data: 1\n\ndata: [DONE]\n\ndata: 2\n\n", "1\n", ""},
		"an empty event":  {tool.Answer{Stream: sse}, "data:\n\ndata: 1\n\n", "\"\"\n1\n", ""},
		"lines in a text": {tool.Answer{Stream: sse}, "data: \u2028\"forged\n\n", "\"\\u2028\\\"forged\"\n", ""},
		"picked":          {tool.Answer{Stream: sse, Pick: "choices.0.text"}, "data: {\"choices\":[{\"text\":\"a\\nb\"}]}\n\ndata: {}\n\ndata: no\n\n", "\"a\\nb\"\n", ""},
		"shaped":          {tool.Answer{Stream: sse, Shape: "{'n': body.a + 1, 's': status}"}, "data: {\"a\": 1}\n\ndata: {\"b\": 1}\n\n", "{\"n\":2,\"s\":200}\n", ""},
		"lines":           {tool.Answer{Stream: ndjson}, "{\"a\": 1}\r\n\n \n[2]\n3", "{\"a\":1}\n[2]\n3\n", ""},
		"no line":         {tool.Answer{Stream: ndjson}, "1\n{\"a\"\n2\n", "1\n", "a line of the answer is no JSON"},
		"half a line":     {tool.Answer{Stream: ndjson}, "1\n{\"a\"", "1\n", "a line of the answer is no JSON"},
		"no UTF-8":        {tool.Answer{Stream: ndjson}, "1\n\"\xff\"\n", "1\n", "a line of the answer is no JSON"},
		"no UTF-8 either": {tool.Answer{Stream: sse}, "data: \"\xff\"\n\n", "\"\\\"\ufffd\\\"\"\n", ""},
		"a long event":    {tool.Answer{Stream: sse}, "data: 1\n\n" + strings.Repeat("data: "+strings.Repeat("a", 1000)+"\n", 1100), "1\n", "an event has more than"},
		"a long line":     {tool.Answer{Stream: ndjson}, "1\n" + strings.Repeat("a", 2<<20), "1\n", "an event has more than"},
		"much":            {tool.Answer{Stream: sse, Shape: "[body, body, body]"}, strings.Repeat("data: "+strings.Repeat("a", 100)+"\n\n", 12), "", ErrTooLong.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, size := range []int{1, 2, 3, 7, 1 << 30} {
				got, err := streamed(reading(t, test.says), test.in, size, 2048)
				if test.want != "" && got != test.want || fmt.Sprint(err) != "<nil>" && !strings.Contains(fmt.Sprint(err), test.failed) ||
					(err == nil) != (test.failed == "") {
					t.Fatalf("in pieces of %d: %.200q, %v; want %q, %q", size, got, err, test.want, test.failed)
				}
				if len(got) > 2048 {
					t.Errorf("%d bytes are told", len(got))
				}
			}
		})
	}
}

// streamed gives a stream its bytes in pieces, and returns the lines that it makes.
func streamed(r *Reading, in string, size int, most int64) (string, error) {
	var to bytes.Buffer
	s := r.Stream(&to, most)
	s.Begin(200, eventHeader)
	for rest := in; rest != ""; {
		piece := rest[:min(size, len(rest))]
		if _, err := s.Write([]byte(piece)); errors.Is(err, ErrEnd) {
			break
		}
		rest = rest[len(piece):]
	}
	err := s.Close()
	return to.String(), err
}

// TestStreamThatIsNone checks that an answer which is no stream is told as it is.
func TestStreamThatIsNone(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		status int
		kind   string
		failed bool
	}{{404, "text/event-stream", false}, {200, "application/json", true}, {500, "", false}} {
		var to bytes.Buffer
		s := reading(t, tool.Answer{Stream: tool.StreamEvents, Pick: "/a"}).Stream(&to, 1)
		s.Begin(test.status, http.Header{"Content-Type": {test.kind}})
		if _, err := s.Write([]byte("data: no stream")); err != nil || to.String() != "data: no stream" || (s.Close() != nil) != test.failed {
			t.Errorf("%+v: %q, %v, %v", test, to.String(), err, s.Err())
		}
	}
}

// FuzzStream: whatever comes, and however it is cut, each line that is told is JSON, and the lines are the same.
func FuzzStream(f *testing.F) {
	f.Add("data: 1\n\ndata: {\"a\":\r\ndata: 2}\r\r\n: x\ndata: [DONE]\n\n", 3, true)
	f.Add("{\"a\": 1}\n[2]\n", 1, false)
	f.Fuzz(func(t *testing.T, in string, size int, events bool) {
		kind := tool.StreamLines
		if events {
			kind = tool.StreamEvents
		}
		r := &Reading{stream: kind}
		got, err := streamed(r, in, max(1, size), 1<<20)
		whole, err2 := streamed(r, in, len(in)+1, 1<<20)
		if got != whole || fmt.Sprint(err) != fmt.Sprint(err2) {
			t.Errorf("%q and %v, or %q and %v", got, err, whole, err2)
		}
		for line := range strings.Lines(got) {
			if line[len(line)-1] != '\n' || strings.Count(line, "\n") != 1 {
				t.Errorf("a line %q", line)
			}
		}
	})
}
