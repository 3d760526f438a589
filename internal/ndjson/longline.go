package ndjson

import "slices"

// longLine follows a line that is too long to be held, a piece at a time, and keeps what its envelope says. It
// checks no more of the grammar than it needs to know where it is, since the line is not passed on.
type longLine struct {
	id     []byte // the first one, as it is written; nil when there is none
	method bool   // there is one

	over    bool // the object has ended, or there is none
	depth   int  // how many brackets are open
	inText  bool
	escaped bool // the byte before was a backslash inside a string

	// The member of the envelope that is being read, as far as it is kept. At depth 1, inKey tells its two
	// halves apart.
	inKey      bool
	key, value []byte
}

// longLineKept is how many bytes of a key or value are kept; a longer one is none that we look for.
const longLineKept = 1 << 10

// read goes over the next piece of the line.
func (s *longLine) read(piece []byte) {
	for i := 0; i < len(piece) && !s.over; {
		from := i
		i++
		if !s.inText {
			s.token(piece[from])
			continue
		}
		switch c := piece[from]; {
		case s.escaped:
			s.escaped = false
		case c == '\\':
			s.escaped = true
		case c == '"':
			s.inText = false
		default:
			i, _ = plain(piece, i)
		}
		s.keep(piece[from:i])
	}
}

// token takes a byte outside of strings.
func (s *longLine) token(c byte) {
	switch {
	case c == '"':
		s.inText = true
	case c == '{' || c == '[':
		s.depth++
		if s.depth == 1 {
			s.over, s.inKey = c == '[', true
			return
		}
	case c == '}' || c == ']':
		s.depth--
		if s.depth <= 0 {
			s.endMember()
			s.over = true
			return
		}
	case c == ',' && s.depth == 1:
		s.endMember()
		s.inKey = true
		return
	case c == ':' && s.depth == 1:
		s.inKey = false
		return
	}
	s.over = s.depth == 0 && !isSpace(c) // whatever it is, it is no object
	s.keep([]byte{c})
}

// keep adds to the key or the value that is being read.
func (s *longLine) keep(piece []byte) {
	half := &s.value
	if s.inKey {
		half = &s.key
	}
	if len(*half) <= longLineKept {
		*half = append(*half, piece[:min(len(piece), longLineKept)]...)
	}
}

// endMember looks at the member that ends here.
func (s *longLine) endMember() {
	name, err := String(trimSpace(s.key))
	value := trimSpace(s.value)
	switch {
	case err != nil:
	case name == memberNames[methodMember]:
		s.method = true
	case name == memberNames[idMember] && s.id == nil && isScalar(value):
		s.id = slices.Clone(value)
	}
	s.key, s.value = s.key[:0], s.value[:0]
}

// isScalar reports whether raw is a whole string, number or literal.
func isScalar(raw []byte) bool {
	s := scanner{b: raw}
	return len(raw) > 0 && len(raw) <= longLineKept && raw[0] != '{' && raw[0] != '[' && s.value(0, 0) == len(raw)
}
