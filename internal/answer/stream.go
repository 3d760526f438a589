package answer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// longestEvent is how long one event of a stream may be, in bytes: it stands in memory.
const longestEvent = 1 << 20

// ErrEnd says that a stream has ended, and nothing behind it is read.
var ErrEnd = errors.New("the stream has ended")

// Stream makes lines of the events of an answer as they come, each of them JSON: of an event that is no JSON a text. What
// pick and shape say is said of each event, and one that has no such part is passed over. It is not safe for concurrent use.
type Stream struct {
	reading *Reading
	to      io.Writer
	most    int64 // bytes of lines
	answer  Answer
	raw     bool // what comes is no stream, and told as it is

	line  []byte // not ended yet
	data  []byte // of the event that is being read
	given bool   // the event has data
	begun bool
	cr    bool // the last byte was a CR, behind which a LF ends no other line
	told  int64
	err   error
}

// Streams reports whether the answer is a stream, whose events are told as they come.
func (r *Reading) Streams() bool { return r != nil && r.stream != "" }

// Stream returns what makes the lines of one answer, up to so many bytes.
func (r *Reading) Stream(to io.Writer, most int64) *Stream {
	return &Stream{reading: r, to: to, most: most}
}

// Begin is told what the answer is before anything of its body. One that failed is no stream, and told as it is.
func (s *Stream) Begin(status int, header http.Header) {
	s.answer = Answer{Status: status, Header: header}
	isEvents := strings.HasPrefix(strings.ToLower(header.Get("Content-Type")), "text/event-stream")
	switch {
	case status < 200 || status > 299:
		s.raw = true
	case s.reading.stream == tool.StreamEvents && !isEvents:
		s.raw = true
		s.err = errors.New("the answer is no stream of events (text/event-stream)")
	}
}

// Write takes in what has come. It returns ErrEnd where nothing more is wanted: see Err.
func (s *Stream) Write(p []byte) (int, error) {
	if s.raw {
		return s.to.Write(p)
	}
	for i, c := range p {
		if c != '\n' && c != '\r' {
			s.cr = false
			if s.line = append(s.line, c); len(s.line)+len(s.data) > longestEvent {
				return i, s.fail(fmt.Errorf("an event has more than %d bytes", longestEvent))
			}
			continue
		}
		if c == '\n' && s.cr {
			s.cr = false
			continue
		}
		s.cr = c == '\r'
		err := s.endLine()
		if s.line = s.line[:0]; err != nil {
			return i, err
		}
	}
	return len(p), nil
}

// Close ends the stream, whose answer has ended. Half an event is no event (WHATWG HTML, 9.2.6); a last line of JSON is one.
func (s *Stream) Close() error {
	if !s.raw && s.err == nil && s.reading.stream == tool.StreamLines {
		if err := s.endLine(); err != nil && !errors.Is(err, ErrEnd) {
			return err
		}
	}
	return s.err
}

// Err says why the stream was not read to its end, or is none; nil where it was. It holds nothing of the answer.
func (s *Stream) Err() error { return s.err }

func (s *Stream) fail(err error) error {
	s.err = err
	return ErrEnd
}

func (s *Stream) endLine() error {
	line := s.line
	if !s.begun {
		line = bytes.TrimPrefix(line, []byte("\ufeff"))
		s.begun = true
	}
	if s.reading.stream == tool.StreamLines {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			return nil
		}
		if !json.Valid(line) || !utf8.Valid(line) {
			return s.fail(errors.New("a line of the answer is no JSON"))
		}
		return s.tell(line)
	}
	if len(line) == 0 {
		return s.endEvent()
	}
	name, value, _ := bytes.Cut(line, []byte(":"))
	if string(name) == "data" {
		if s.given {
			s.data = append(s.data, '\n')
		}
		s.data, s.given = append(s.data, bytes.TrimPrefix(value, []byte(" "))...), true
	}
	return nil
}

// endEvent tells an event, if it has data. One that says [DONE] ends the stream, as servers of language models have it.
func (s *Stream) endEvent() error {
	data, given := s.data, s.given
	s.data, s.given = nil, false
	if !given {
		return nil
	}
	if string(data) == "[DONE]" {
		return ErrEnd
	}
	if !json.Valid(data) || !utf8.Valid(data) {
		text, err := json.Marshal(strings.ToValidUTF8(string(data), "\ufffd"))
		if err != nil { // of a text there is none
			return s.fail(errors.New("an event cannot be read"))
		}
		data = text
	}
	return s.tell(data)
}

// tell tells what is meant of an event, as one line.
func (s *Stream) tell(event []byte) error {
	a := s.answer
	a.Body = event
	result, err := s.reading.Result(a)
	if err != nil {
		return nil //nolint:nilerr // it has no such part
	}
	var line bytes.Buffer
	if err := json.Compact(&line, result); err != nil {
		return nil //nolint:nilerr // pick and shape give JSON
	}
	line.WriteByte('\n')
	if s.told += int64(line.Len()); s.told > s.most {
		s.told = s.most + 1
		return s.fail(ErrTooLong)
	}
	_, err = s.to.Write(line.Bytes())
	return err
}

// ErrTooLong says that the lines of a stream are more than they may be.
var ErrTooLong = errors.New("the stream has more than the call may have")
