package ndjson

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// MaxDepth is how deep arrays and objects may nest. It is the limit of encoding/json, so that what passes
// here can be read by it. No reader of ours recurses.
const MaxDepth = 10_000

// scanner checks that b holds JSON (RFC 8259) and steps over its values. It is more lenient than the
// grammar in one thing: raw control characters and bytes that are not UTF-8 may stand inside strings, and
// are remembered. Every step takes the index at which it begins and gives the index after what it read, or
// -1 when b is not JSON.
type scanner struct {
	b             []byte
	invalidUTF8   bool
	rawControl    bool
	loneSurrogate bool
	lineBreak     bool // a CR or LF stands between two tokens
}

// value steps over one value. The index is that of its first byte; depth is how many arrays and objects it
// stands in.
func (s *scanner) value(i, depth int) int {
	b := s.b
	open := nesting{depth: depth}
	for {
		if i < 0 || i >= len(b) {
			return -1
		}
		switch c := b[i]; c {
		case '"':
			i = s.text(i + 1)
		case '{', '[':
			if !open.push(c == '{') {
				return -1
			}
			i = s.space(i + 1)
			if i < len(b) && b[i] == c+2 { // empty: '}' is '{'+2, and ']' is '['+2
				open.pop()
				i++
				break
			}
			if c == '{' {
				_, i = s.key(i)
			}
			continue
		case 't':
			i = s.literal(i, "true")
		case 'f':
			i = s.literal(i, "false")
		case 'n':
			i = s.literal(i, "null")
		default:
			i = s.number(i)
		}
		// A value has ended. Close what ends with it, up to the comma before the next one.
		for {
			if i < 0 || open.depth == depth {
				return i
			}
			i = s.space(i)
			if i >= len(b) {
				return -1
			}
			c := b[i]
			i++
			if c == ',' {
				break
			}
			if c != open.closing() {
				return -1
			}
			open.pop()
		}
		i = s.space(i)
		if open.inObject() {
			_, i = s.key(i)
		}
	}
}

// members steps over the object whose brace stands at i, depth levels deep, and shows every member: the key
// as it is written, without its quotes, and the value. When visit returns false, it stops and gives -1.
func (s *scanner) members(i, depth int, visit func(key, value []byte) bool) int {
	b := s.b
	if depth >= MaxDepth || i >= len(b) || b[i] != '{' {
		return -1
	}
	i = s.space(i + 1)
	if i < len(b) && b[i] == '}' {
		return i + 1
	}
	for {
		quote, from := s.key(i)
		to := s.value(from, depth+1)
		if to < 0 || !visit(b[i+1:quote:quote], b[from:to:to]) {
			return -1
		}
		i = s.space(to)
		if i >= len(b) {
			return -1
		}
		switch b[i] {
		case '}':
			return i + 1
		case ',':
			i = s.space(i + 1)
		default:
			return -1
		}
	}
}

// elements does for the array whose bracket stands at i what members does for an object.
func (s *scanner) elements(i, depth int, visit func(value []byte) bool) int {
	b := s.b
	if depth >= MaxDepth || i >= len(b) || b[i] != '[' {
		return -1
	}
	i = s.space(i + 1)
	if i < len(b) && b[i] == ']' {
		return i + 1
	}
	for {
		to := s.value(i, depth+1)
		if to < 0 || !visit(b[i:to:to]) {
			return -1
		}
		i = s.space(to)
		if i >= len(b) {
			return -1
		}
		switch b[i] {
		case ']':
			return i + 1
		case ',':
			i = s.space(i + 1)
		default:
			return -1
		}
	}
}

// key steps over a key and the colon after it. It gives the index of the key's closing quote and that of
// the value.
func (s *scanner) key(i int) (quote, value int) {
	if i >= len(s.b) || s.b[i] != '"' {
		return -1, -1
	}
	end := s.text(i + 1)
	if end < 0 {
		return -1, -1
	}
	i = s.space(end)
	if i >= len(s.b) || s.b[i] != ':' {
		return -1, -1
	}
	return end - 1, s.space(i + 1)
}

// space steps over white space. It gives len(b) at the end.
func (s *scanner) space(i int) int {
	if i < len(s.b) && s.b[i] > ' ' { // the usual case, kept small so that it is inlined
		return i
	}
	return s.skipSpace(i)
}

func (s *scanner) skipSpace(i int) int {
	for i < len(s.b) && isSpace(s.b[i]) {
		s.lineBreak = s.lineBreak || s.b[i] == '\r' || s.b[i] == '\n'
		i++
	}
	return i
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// text steps over a string from the byte after its opening quote to the byte after its closing one.
func (s *scanner) text(i int) int {
	b := s.b
	start := i
	high := uint64(0)
	for {
		var h uint64
		i, h = plain(b, i)
		high |= h
		if i >= len(b) {
			return -1
		}
		switch b[i] {
		case '"':
			if high&highBits != 0 && !s.invalidUTF8 {
				s.invalidUTF8 = !utf8.Valid(b[start:i])
			}
			return i + 1
		case '\\':
			if i = s.escape(i + 1); i < 0 {
				return -1
			}
		default:
			s.rawControl = true
			i++
		}
	}
}

const (
	lowBits  = 0x0101010101010101
	highBits = 0x8080808080808080
)

// plain steps over the bytes of a string up to the next quote, backslash or control character. Bits of
// highBits are set in its second result when any of the bytes stepped over is not ASCII.
func plain(b []byte, i int) (next int, high uint64) {
	if i >= len(b) {
		return i, 0
	}
	rest := b[i:]
	for len(rest) >= 16 {
		x, y := binary.LittleEndian.Uint64(rest), binary.LittleEndian.Uint64(rest[8:])
		if stop := stops(x); stop != 0 {
			n := bits.TrailingZeros64(stop) & 63
			return len(b) - len(rest) + n/8, high | x&(1<<n-1)
		}
		if stop := stops(y); stop != 0 {
			n := bits.TrailingZeros64(stop) & 63
			return len(b) - len(rest) + 8 + n/8, high | x | y&(1<<n-1)
		}
		high |= x | y
		rest = rest[16:]
	}
	for n, c := range rest {
		if c < ' ' || c == '"' || c == '\\' {
			return len(b) - len(rest) + n, high
		}
		high |= uint64(c)
	}
	return len(b), high
}

// stops looks at eight bytes at once. The lowest bit that is set in its result is the high bit of the first
// quote, backslash or control character; the bits above that one mean nothing.
//
// For a byte c below 0x80, (c^2)-0x21 and (c^'\\')-1 borrow exactly when c is a control character or the
// quote (whose c^2 is 0x20, while the space and '#' become 0x22 and 0x21), and when it is the backslash. A
// borrow can spoil only the bytes above the one it comes from.
func stops(x uint64) uint64 {
	stop := ((x ^ 0x02*lowBits) - 0x21*lowBits) | ((x ^ '\\'*lowBits) - lowBits)
	return stop &^ x & highBits
}

// escape steps over an escape from the byte after its backslash. A surrogate is taken together with its
// other half.
func (s *scanner) escape(i int) int {
	if i >= len(s.b) {
		return -1
	}
	switch s.b[i] {
	case 'n', '"', '\\', 't', '/', 'r', 'b', 'f':
		return i + 1
	case 'u':
		_, size, doubt := escaped(s.b[i-1:])
		if doubt == malformed {
			return -1
		}
		s.loneSurrogate = s.loneSurrogate || doubt == loneSurrogate
		return i - 1 + size
	}
	return -1
}

func (s *scanner) literal(i int, want string) int {
	if len(s.b)-i < len(want) || string(s.b[i:i+len(want)]) != want {
		return -1
	}
	return i + len(want)
}

// number steps over a number: an optional minus, digits without a leading zero, a fraction, an exponent.
func (s *scanner) number(i int) int {
	b := s.b
	if i < len(b) && b[i] == '-' {
		i++
	}
	whole := i
	if i = digits(b, i); i == whole || (b[whole] == '0' && i > whole+1) {
		return -1
	}
	if i < len(b) && b[i] == '.' {
		point := i + 1
		if i = digits(b, point); i == point {
			return -1
		}
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		exponent := i
		if i = digits(b, exponent); i == exponent {
			return -1
		}
	}
	return i
}

func digits(b []byte, i int) int {
	for i < len(b) && b[i] >= '0' && b[i] <= '9' {
		i++
	}
	return i
}
