package secret

import (
	"html"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// mostNested is how many escapes may stand within one another before the innermost has ended. Those that
// follow from one another, such as %25252522, may be any number.
const mostNested = 16

// introducers are what escapes begin with.
var introducers = [256]bool{'\\': true, '%': true, '&': true, '$': true, escape: true}

// escape begins what a terminal is told, such as a colour.
const escape = 0x1b

// escapes reads the escapes of shells, C, JSON, Python, SQL, URLs and HTML as what they stand for, and what
// comes out of that again: \c, \n, \xNN, \u{N}, \uNNNN, \UNNNNNNNN, octal numbers, %NN, %uNNNN, &name; &#N;
// &#xN; and $'; and colours (ECMA-48, CSI … final byte) as nothing. What is none stays as it is. It looks
// at each byte a bounded number of times.
type escapes struct {
	stack []char // escapes that have not ended
	open  []int  // where in stack each begins, the innermost last
	out   func(char)
}

// add takes one more byte.
func (e *escapes) add(c char) {
	switch {
	case c.c == 0: // half of a letter in UTF-16
		for len(e.stack) > 0 && c.to-e.stack[0].from > mostBetween {
			e.release()
		}
	case len(e.open) == 0 && !introducers[c.c]:
		e.out(c)
	default:
		e.take(c, true)
	}
}

// take takes a byte that may open an escape, or one of which is known that it does not.
func (e *escapes) take(c char, opens bool) {
	opens = opens && introducers[c.c]
	if len(e.open) == 0 {
		e.begin(c, opens)
		return
	}
	first := e.open[len(e.open)-1]
	v := undecided
	var result string
	if c.to-e.stack[first].from <= mostBetween {
		result, v = decode(e.stack[first:], c.c)
	}
	switch {
	case v == goesOn:
		e.stack = append(e.stack, c)
	case v == ended:
		e.replace(result, c.to)
	case v == endedBefore:
		e.replace(result, e.stack[len(e.stack)-1].to)
		e.take(c, opens)
	case opens && c.c != '$' && len(e.open) < mostNested: // what $ begins stands for nothing
		e.begin(c, true)
	default:
		e.release()
		e.take(c, opens)
	}
}

func (e *escapes) begin(c char, opens bool) {
	if !opens {
		e.out(c)
		return
	}
	e.open = append(e.open, len(e.stack))
	e.stack = append(e.stack, c)
}

// replace puts what the innermost escape stands for in its place.
func (e *escapes) replace(result string, to int64) {
	last := len(e.open) - 1
	from := e.stack[e.open[last]].from
	e.stack, e.open = e.stack[:e.open[last]], e.open[:last]
	for i := range len(result) {
		if result[i] != 0 {
			e.take(char{result[i], from, to}, true)
		}
	}
}

// release takes the innermost escape, which is none, as the bytes that it consists of.
func (e *escapes) release() {
	last := len(e.open) - 1
	var bytes [longestEscape]char
	n := copy(bytes[:], e.stack[e.open[last]:])
	e.stack, e.open = e.stack[:e.open[last]], e.open[:last]
	for i, c := range bytes[:n] {
		e.take(c, i > 0)
	}
}

// close ends the stream.
func (e *escapes) close() {
	for len(e.open) > 0 {
		if result, v := decode(e.stack[e.open[len(e.open)-1]:], ' '); v == endedBefore {
			e.replace(result, e.stack[len(e.stack)-1].to)
			continue
		}
		e.release()
	}
}

// safe returns the end of what is decided.
func (e *escapes) safe() int64 {
	if len(e.stack) == 0 {
		return math.MaxInt64
	}
	return e.stack[0].from
}

// verdict is what a byte means to the escape before it.
type verdict int

const (
	undecided   verdict = iota // it is no part of the escape, and the escape is none
	goesOn                     // it is one of its bytes
	ended                      // it is the last of them
	endedBefore                // the escape has ended already
)

// longestEscape is how many bytes an escape has at most.
const longestEscape = 24

// letters are the escapes of C and of shells that are a letter.
var letters = map[byte]string{'a': "\a", 'b': "\b", 'e': "\x1b", 'E': "\x1b", 'f': "\f", 'n': "\n", 'r': "\r",
	't': "\t", 'v': "\v"}

// decode says what the byte c means to an escape that has begun, and what the escape stands for if it has
// ended.
func decode(begun []char, c byte) (string, verdict) {
	if len(begun) == longestEscape {
		return "", undecided
	}
	var bytes [longestEscape]byte
	for i := range begun {
		bytes[i] = begun[i].c
	}
	text := bytes[1:len(begun)]
	switch bytes[0] {
	case '\\':
		return backslash(text, c)
	case '%':
		if len(text) == 0 && c == 'u' {
			return "", goesOn
		}
		if len(text) > 0 && text[0] == 'u' {
			return digits(text[1:], c, 4, character)
		}
		return digits(text, c, 2, octet)
	case '&':
		return entity(text, c)
	case escape:
		return colour(text, c)
	}
	if c == '\'' { // $' begins a text with escapes, in a shell
		return "", ended
	}
	return "", undecided
}

func backslash(text []byte, c byte) (string, verdict) {
	if len(text) == 0 {
		switch {
		case c == 'x' || c == 'u' || c == 'U' || isOctal(c):
			return "", goesOn
		case letters[c] != "":
			return letters[c], ended
		case c == escape:
			return "", undecided // a colour may stand in between
		}
		return string([]byte{c}), ended
	}
	switch text[0] {
	case 'x':
		if len(text) > 1 && text[1] == '{' || len(text) == 1 && c == '{' {
			return braces(text[1:], c)
		}
		return digits(text[1:], c, 2, octet)
	case 'u':
		if len(text) > 1 && text[1] == '{' || len(text) == 1 && c == '{' {
			return braces(text[1:], c)
		}
		return digits(text[1:], c, 4, character)
	case 'U':
		return digits(text[1:], c, 8, character)
	}
	if isOctal(c) && len(text) < 2 {
		return "", goesOn
	}
	v := endedBefore
	if isOctal(c) {
		text, v = append(text, c), ended
	}
	number, _ := strconv.ParseUint(string(text), 8, 16) // three digits fit
	return octet(number), v
}

// digits are a number of hexadecimal digits.
func digits(text []byte, c byte, most int, result func(uint64) string) (string, verdict) {
	switch {
	case !isHex(c):
		return "", undecided
	case len(text)+1 < most:
		return "", goesOn
	}
	number, _ := strconv.ParseUint(string(append(text, c)), 16, 64) // digits that fit
	return result(number), ended
}

// braces are {N}, in hexadecimal.
func braces(text []byte, c byte) (string, verdict) {
	switch {
	case len(text) == 0 || isHex(c):
		return "", goesOn
	case c != '}' || len(text) == 1:
		return "", undecided
	}
	number, _ := strconv.ParseUint(string(text[1:]), 16, 64) // digits that fit
	return character(number), ended
}

// entity is a character of HTML. A number may have no semicolon behind it (HTML, 13.2.5.80).
func entity(text []byte, c byte) (string, verdict) {
	v := ended
	switch {
	case c == '#' && len(text) == 0, isOfEntity(text, c):
		return "", goesOn
	case c == ';':
	case c != '%' && c != '\\' && c != escape && len(text) > 0 && text[0] == '#': // of what these begin, it may be one
		v = endedBefore
	default:
		return "", undecided
	}
	whole := "&" + string(text) + ";"
	result := html.UnescapeString(whole)
	if result == whole {
		return "", undecided
	}
	return result, v
}

// isOfEntity reports whether a letter or digit goes on with the character of HTML that has begun.
func isOfEntity(text []byte, c byte) bool {
	letter, digit := c|0x20 >= 'a' && c|0x20 <= 'z', c >= '0' && c <= '9'
	switch {
	case len(text) == 0:
		return letter
	case text[0] != '#':
		return letter || digit
	case len(text) == 1:
		return digit || c|0x20 == 'x'
	case text[1]|0x20 == 'x':
		return isHex(c)
	}
	return digit
}

// colour is a control sequence of a terminal, or the choice of its character set (ECMA-35, as in what `tput
// sgr0` writes), which show nothing.
func colour(text []byte, c byte) (string, verdict) {
	switch {
	case len(text) == 0 && c == '(':
		return "", goesOn
	case len(text) == 1 && text[0] == '(' && c >= '0' && c <= '~':
		return "", ended
	case len(text) == 0 && c == '[', len(text) > 0 && c >= ' ' && c <= '?':
		return "", goesOn
	case len(text) > 0 && c >= '@' && c <= '~':
		return "", ended
	}
	return "", undecided
}

func octet(number uint64) string { return string([]byte{byte(number)}) }

// character is a character in UTF-8; half of one that UTF-16 writes as two is in it as if it were one
// (CESU-8).
func character(number uint64) string {
	if number >= 0xd800 && number < 0xe000 {
		return string([]byte{0xed, byte(0x80 | number>>6&0x3f), byte(0x80 | number&0x3f)})
	}
	return string(utf8.AppendRune(nil, rune(min(number, utf8.MaxRune+1))))
}

func isOctal(c byte) bool { return c >= '0' && c <= '7' }

func isHex(c byte) bool { return strings.IndexByte("0123456789abcdefABCDEF", c) >= 0 }
