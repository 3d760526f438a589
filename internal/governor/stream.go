package governor

import (
	"bytes"
	"io"
)

// Stream takes secrets out of a text that comes in parts, wherever its parts end. It holds back what a secret could still
// begin in: the last line, a private key that has not ended, and of a very long line its end. Close writes the rest.
type Stream struct {
	w     io.Writer
	exact Redactor
	held  []byte
	inKey bool // what comes is part of a private key whose beginning was taken out
	count int
}

// The bounds of what is held back.
const (
	longestLine = 64 << 10 // bytes of a line before a part of it is given out
	lineTail    = 8 << 10  // bytes of it that stay
	longestKey  = 1 << 20  // bytes of a private key before it is taken for one, whether it ends or not
)

// NewStream makes a Stream that writes to w. exact, which may be nil, sees the same pieces: a value that it knows must not be
// longer than a line.
func NewStream(w io.Writer, exact Redactor) *Stream { return &Stream{w: w, exact: exact} }

// Write takes a part. What it writes may lag behind.
func (s *Stream) Write(part []byte) (int, error) {
	s.held = append(s.held, part...)
	for {
		if s.inKey && !s.leaveKey(false) {
			return len(part), nil
		}
		cut := s.safe()
		if cut == 0 {
			return len(part), nil
		}
		if err := s.give(cut); err != nil {
			return 0, err
		}
	}
}

// Close writes what was held back. It does not close the writer.
func (s *Stream) Close() error {
	if s.inKey && !s.leaveKey(true) {
		return nil
	}
	return s.give(len(s.held))
}

// Count tells how many secrets were taken out so far.
func (s *Stream) Count() int { return s.count }

var (
	keyBegin = []byte("-----BEGIN ")
	keyEnd   = []byte("-----END ")
)

// safe gives how much can be given out: no secret that it holds a part of can go on behind it.
func (s *Stream) safe() int {
	cut := bytes.LastIndexByte(s.held, '\n') + 1
	if open := openKey(s.held); open >= 0 {
		if len(s.held)-open > longestKey {
			s.inKey = true
			return s.startKey(open)
		}
		return min(cut, open)
	}
	if cut == 0 && len(s.held) > longestLine {
		if cut = bytes.LastIndexAny(s.held, " \t"); cut <= 0 {
			cut = len(s.held) - lineTail
		}
		for _, f := range secretsIn(string(s.held)) {
			if f.begin < cut && cut < f.end {
				cut = f.begin
			}
		}
	}
	return max(cut, 0)
}

// startKey puts the end of what was looked at behind the beginning of an endless key.
func (s *Stream) startKey(open int) int {
	s.count++
	rest := s.held[open:]
	s.held = append(append([]byte{}, s.held[:open]...), "[redacted: private key]"...)
	cut := len(s.held)
	s.held = append(s.held, rest...)
	return cut
}

// leaveKey drops what belongs to a key that is being taken out, and tells whether it has ended.
func (s *Stream) leaveKey(last bool) bool {
	end := bytes.Index(s.held, keyEnd)
	if end < 0 {
		if keep := len(keyEnd) - 1; !last && len(s.held) > keep {
			s.held = append(s.held[:0], s.held[len(s.held)-keep:]...)
		}
		return false
	}
	line := bytes.IndexByte(s.held[end:], '\n')
	if line < 0 && !last {
		return false
	}
	if line < 0 {
		line = len(s.held) - end
	}
	s.held, s.inKey = append(s.held[:0], s.held[end+line:]...), false
	return true
}

// openKey finds a private key that has begun and not ended; -1 when there is none.
func openKey(text []byte) int {
	for at := 0; ; {
		begin := bytes.Index(text[at:], keyBegin)
		if begin < 0 {
			return -1
		}
		begin += at
		line := text[begin:]
		if end := bytes.IndexByte(line, '\n'); end >= 0 {
			line = line[:end]
		} else {
			return begin // what begins here is not known yet
		}
		if !bytes.Contains(line, []byte("PRIVATE KEY")) {
			at = begin + len(keyBegin)
			continue
		}
		end := bytes.Index(text[begin:], keyEnd)
		if end < 0 || bytes.IndexByte(text[begin+end:], '\n') < 0 {
			return begin
		}
		at = begin + end
	}
}

func (s *Stream) give(n int) error {
	text := string(s.held[:n])
	s.held = append(s.held[:0], s.held[n:]...)
	if s.exact != nil {
		if clean := s.exact.Redact(text); clean != text {
			text = clean
			s.count++
		}
	}
	clean, count := redact(text)
	s.count += count
	_, err := io.WriteString(s.w, clean)
	return err
}
