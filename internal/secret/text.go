package secret

import "strings"

// text reads a stream without its escapes, in two ways. One is for values: without quotes, which are
// doubled, closed and opened again where a value has one, and with one blank for any white space, and for
// the + of forms. The other, the dense one, is for values in base64, base32, hexadecimal and
// quoted-printable, and for long ones that were folded or divided: without what such a text is laid out
// with, in small letters.
type text struct {
	escapes
	plain, dense []char
	blank        bool // the last byte was one
}

func newText() *text {
	t := &text{}
	t.out = t.read
	return t
}

// What read makes of a byte, besides itself.
const (
	isBlank = iota + 1
	isQuote
	isLayout
)

var kinds = [256]byte{
	' ': isBlank, '\t': isBlank, '\n': isBlank, '\r': isBlank, '\v': isBlank, '\f': isBlank, '+': isBlank,
	'\'': isQuote, '"': isQuote, '`': isQuote,
	'-': isLayout, ':': isLayout, ',': isLayout, '=': isLayout,
}

// inDense is what a byte is in the dense reading; 0 where it is left out.
var inDense = func() (dense [256]byte) {
	for i := range dense {
		c := byte(i)
		switch {
		case kinds[c] != 0:
		case c == '_': // base64 for URLs writes - for +, and _ for /
			dense[c] = '/'
		case c >= 'A' && c <= 'Z':
			dense[c] = c + 'a' - 'A'
		default:
			dense[c] = c
		}
	}
	return dense
}()

func (t *text) read(c char) {
	switch kinds[c.c] {
	case isQuote:
		return
	case isBlank:
		if !t.blank {
			c.c, t.blank = ' ', true
			t.plain = append(t.plain, c)
		}
		return
	}
	t.blank = false
	t.plain = append(t.plain, c)
	if c.c = inDense[c.c]; c.c != 0 {
		t.dense = append(t.dense, c)
	}
}

// denseCode returns what is read of a text in an encoding, which has no escapes.
func denseCode(code string) string {
	dense := make([]byte, 0, len(code))
	for i := range len(code) {
		if c := inDense[code[i]]; c != 0 {
			dense = append(dense, c)
		}
	}
	return string(dense)
}

// of returns what is read of a text, in both ways: the bytes of it that stand wholly behind the first few,
// and, unless it ends there, those which nothing that follows can change.
func (t *text) of(value string, behind int64, ends bool) (plain, dense string) {
	t.plain, t.dense, t.blank = t.plain[:0], t.dense[:0], false
	t.stack, t.open = t.stack[:0], t.open[:0]
	for i := range len(value) {
		t.add(char{value[i], int64(i), int64(i) + 1})
	}
	if ends {
		t.close()
	}
	return since(t.plain, behind), since(t.dense, behind)
}

func since(chars []char, behind int64) string {
	var b strings.Builder
	b.Grow(len(chars))
	for _, c := range chars {
		if c.from >= behind {
			b.WriteByte(c.c)
		}
	}
	return b.String()
}
