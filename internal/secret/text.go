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

func (t *text) read(c char) {
	kind := kinds[c.c]
	switch {
	case kind == isQuote:
		return
	case kind == isBlank:
		if !t.blank {
			c.c, t.blank = ' ', true
			t.plain = append(t.plain, c)
		}
		return
	}
	t.blank = false
	t.plain = append(t.plain, c)
	switch {
	case kind == isLayout:
		return
	case c.c == '_': // base64 for URLs writes - for +, and _ for /
		c.c = '/'
	case c.c >= 'A' && c.c <= 'Z':
		c.c += 'a' - 'A'
	}
	t.dense = append(t.dense, c)
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
