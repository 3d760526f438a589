package a2aclient

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// mostEvent bounds one event of a stream.
const mostEvent = 16 << 20

// sseReader reads server-sent events (the Event stream format of HTML, 9.2.6).
type sseReader struct {
	r    *bufio.Reader
	read int // bytes of the event that is being read
}

func newSSEReader(r io.Reader) *sseReader { return &sseReader{r: bufio.NewReaderSize(r, 32<<10)} }

// next returns the data of the next event and its id, "" where it has none. It returns io.EOF at the end.
func (s *sseReader) next() (data []byte, id string, err error) {
	s.read = 0
	found := false
	for {
		line, err := s.line()
		if err != nil {
			return nil, "", err // an event that is not whole is none
		}
		if len(line) == 0 {
			if found {
				return bytes.TrimSuffix(data, []byte("\n")), id, nil
			}
			s.read, id = 0, ""
			continue
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "data":
			found = true
			data = append(append(data, value...), '\n')
		case "id":
			if bytes.IndexByte(value, 0) < 0 && len(value) <= longestEventID {
				id = string(value)
			}
		}
	}
}

const longestEventID = 256

// line returns a line without its end.
func (s *sseReader) line() ([]byte, error) {
	var line []byte
	for {
		piece, err := s.r.ReadSlice('\n')
		s.read += len(piece)
		if s.read > mostEvent {
			return nil, fmt.Errorf("an event of the stream is longer than %d MB", mostEvent>>20)
		}
		line = append(line, piece...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			if errors.Is(err, io.EOF) && len(line) > 0 {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
		return bytes.TrimRight(line, "\r\n"), nil
	}
}
