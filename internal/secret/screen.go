package secret

import (
	"bytes"
	"math"
	"unicode/utf8"
)

// screen reads a stream as a terminal shows it: without control sequences and strings (ECMA-48), such as
// those of hyperlinks, and a character that is written over another one (ul, man) once. It works only where
// there are any: elsewhere what is shown is what is written.
type screen struct {
	*reading
	works bool
	state control
	since int64  // where the last control begins, or ended
	last  []char // the character that came last: another one may be written over it
	under []char // the character that the next one is written over
}

// control is the part of a control that the stream is in.
type control int

const (
	noControl  control = iota
	escapeSeq          // behind ESC, and behind the intermediate bytes of an escape sequence
	parameters         // of a control sequence
	content            // of a control string
	contentEnd         // behind ESC in one
)

const (
	backspace = '\b'
	bell      = '\a'
)

// nextControl returns where the first byte stands in a text that has a screen work; the text's length for
// none.
func nextControl(text []byte) int {
	for _, c := range [...]byte{escape, backspace} {
		if i := bytes.IndexByte(text, c); i >= 0 {
			text = text[:i]
		}
	}
	return len(text)
}

// begin has the screen work. What stands right before a place may be the beginning of a value.
func (s *screen) begin(before []byte, at int64) {
	s.works, s.since = true, at
	for i, c := range before {
		from := at - int64(len(before)-i)
		s.show(char{c, from, from + 1})
	}
}

// add takes one more byte.
func (s *screen) add(c char) {
	if s.state != noControl && c.from-s.since > mostBetween {
		s.state = noControl // what does not end is none
	}
	switch {
	case s.state != noControl:
		if s.state = s.state.next(c.c); s.state == noControl {
			s.since = c.to
		}
	case c.c == escape:
		s.flush()
		s.state, s.since = escapeSeq, c.from
	case c.c == backspace:
		if len(s.last) > 0 {
			s.under, s.last = append(s.under[:0], s.last...), s.last[:0]
		}
		if len(s.under) > 0 && c.from-s.under[0].from > mostBetween {
			s.flush()
		}
		s.since = c.to
	default:
		s.show(c)
		s.pause()
	}
}

// next returns what part of a control comes behind a byte.
func (s control) next(c byte) control {
	switch {
	case s == content && c == escape:
		return contentEnd
	case s == content && c != bell:
		return content
	case c == escape:
		return escapeSeq
	case s == contentEnd && c == '\\', s == content:
		return noControl
	case s == parameters && c >= ' ' && c <= '?':
		return parameters
	case s == parameters:
		return noControl
	case c == '[':
		return parameters
	case c == ']' || c == 'P' || c == 'X' || c == '^' || c == '_': // OSC, DCS, SOS, PM and APC
		return content
	case c >= ' ' && c <= '/':
		return escapeSeq
	}
	return noControl
}

// show takes a byte that is shown. Of a character and a line below it, the character counts.
func (s *screen) show(c char) {
	over := len(s.under) > 0
	switch {
	case !utf8.RuneStart(c.c) && len(s.last) < utf8.UTFMax:
	case !over:
		s.flush()
	case c.c == '_':
		s.last, s.under = append(s.last[:0], s.under...), s.under[:0]
		s.last[len(s.last)-1].to = c.to
		return
	default:
		c.from = s.under[0].from
		s.last, s.under = s.last[:0], s.under[:0]
	}
	s.last = append(s.last, c)
}

// flush takes it that nothing will be written over the last character.
func (s *screen) flush() {
	s.reading.add(s.under...)
	s.reading.add(s.last...)
	s.last, s.under = s.last[:0], s.under[:0]
}

// pause ends the work once what may be the beginning of a value has been written without a control.
func (s *screen) pause() {
	if n := s.open(); len(s.under) > 0 || s.last[0].from < s.since || n > 0 && s.start(n) < s.since {
		return
	}
	s.works, s.last = false, s.last[:0]
	s.reset()
}

// safe returns the end of what no value that comes later can begin in.
func (s *screen) safe(next int64) int64 {
	if !s.works {
		return math.MaxInt64
	}
	for _, waits := range [][]char{s.last, s.under} {
		if len(waits) > 0 {
			next = waits[0].from
		}
	}
	return min(next, s.reading.safe(next))
}
