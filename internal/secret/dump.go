package secret

import (
	"math"
)

// dump reads a stream as bytes that are written as numbers: what xxd, od, hexdump and debuggers print, and
// lists in programs. Offsets at the beginning of a line, and the column of characters at its end, are left
// out.
type dump struct {
	numbers [bases]*reading
	chars   *reading // what od -c and hexdump -c write for bytes

	word   []byte
	minus  bool // stands before it
	from   int64
	before int  // blanks before it
	width  int  // of the word before it
	words  int  // in this line, without its offset
	idle   bool // no number has come since the last that is no part of a dump

	wait    byte   // what stands behind the first word of a line; what that is depends on the next byte
	offset  bool   // the line has begun with an offset
	colon   bool   // a colon stands behind it
	blanks  int    // right before
	aside   bool   // what follows in this line is no number
	inName  bool   // nor is what follows in this word
	last    byte   // the byte before
	sign    bool   // it is a minus sign
	unicode bool   // it is the first of U+
	leading bool   // nothing but lead stands in this line
	lead    []char // what stands since the last blank, of more bytes the first

	cover int64 // where a column of characters begins that belongs to a value; -1 for none
	found *[]span
}

// The ways to write bytes as numbers.
const (
	hexadecimal = iota // the first byte first
	hexReversed        // words as a machine with the small end first reads them
	octal
	decimal
	bits
	decimal2 // words of two bytes, as hexReversed
	decimal4
	decimal8
	octalReversed // likewise with the big end first
	decimal2Big
	decimal4Big
	decimal8Big
	bases
)

const (
	longestNumber = 22 // digits of a number: eight bytes, in octal
	longestWord   = 64 // of a row of bytes in hexadecimal, as xxd -g 0 writes one
	offsetDigits  = 7  // of an offset as od and hexdump write it
)

func newDump(values, chars *sought, found *[]span) *dump {
	d := &dump{chars: newReading(chars, found), cover: -1, leading: true, found: found}
	for i := range d.numbers {
		d.numbers[i] = newReading(values, found)
	}
	return d
}

// What add makes of a byte.
const (
	isDigit = iota + 1
	isSpace
	isBetween
	isLetter // of a word that is no number, with the digits in it
)

var dumpKinds = func() (kinds [256]byte) {
	for c := range kinds {
		if isHex(byte(c)) {
			kinds[c] = isDigit
		}
	}
	for c := 'g'; c <= 'z'; c++ {
		kinds[c], kinds[c-'a'+'A'] = isLetter, isLetter
	}
	kinds['_'] = isLetter
	for _, c := range " \t\r\n" {
		kinds[c] = isSpace
	}
	for _, c := range ",.:;-[](){}'\"\\" {
		kinds[c] = isBetween
	}
	return kinds
}()

func (d *dump) add(b char) {
	c, at := b.c, b.from
	d.spell(b)
	if c == '\n' {
		d.endLine(at)
		return
	}
	if d.cover >= 0 && at-d.cover >= mostBetween {
		d.endCover(at)
	}
	kind := dumpKinds[c]
	if d.wait != 0 {
		d.first(kind == isSpace)
	}
	if d.colon && d.words > 0 && d.blanks > 1 && kind != isSpace && kind != isDigit {
		d.aside = true
	}
	last := d.last
	d.last = c
	if d.unicode && !d.aside {
		d.unicode = false
		if c == '+' { // U+
			d.inName = false
			return
		}
		d.other()
	}
	if d.aside || d.inName && (kind == isDigit || kind == isLetter) {
		return
	}
	d.inName = kind == isLetter
	switch {
	case kind == isDigit && len(d.word) < longestWord:
		if len(d.word) == 0 {
			d.from, d.before, d.minus = at, d.blanks, d.sign
		}
		d.word = append(d.word, c)
	case (c == 'x' || c == 'X') && string(d.word) == "0":
		d.word, d.inName = d.word[:0], false // 0x
	case c == 'U' && len(d.word) == 0:
		d.unicode = true
	case kind == isSpace || kind == isBetween:
		d.end(c)
	default:
		d.other()
	}
	d.sign = c == '-' && dumpKinds[last] != isDigit // and no hyphen
	if d.blanks++; kind != isSpace {
		d.blanks = 0
	}
}

// spell reads the stream as od -c and hexdump -c write characters: at most three bytes for each, with
// blanks between.
func (d *dump) spell(c char) {
	space := dumpKinds[c.c] == isSpace
	switch n := len(d.lead); {
	case !space && n <= offsetDigits:
		if d.lead = append(d.lead, c); n == offsetDigits {
			d.chars.reset() // it is neither
		}
		return
	case !space, n == 0 && c.c != '\n':
		return
	case n <= 3:
		d.chars.add(d.lead...)
	case n < offsetDigits || n == offsetDigits && !d.leading:
		d.chars.reset()
	}
	d.leading, d.lead = c.c == '\n', d.lead[:0]
}

// end ends a word.
func (d *dump) end(c byte) {
	switch {
	case len(d.word) == 0:
	case d.words == 0 && !d.offset && (c == ':' || c == ' ' || c == '\t'):
		d.wait = c
	case d.colon && d.words > 0 && d.before > 1 && (d.before-1+len(d.word) != d.width || len(d.word)%2 != 0):
		d.aside, d.word = true, d.word[:0] // but xxd -e, which moves the last word to the right
	default:
		d.number()
	}
}

// first decides whether the first word of a line is an offset.
func (d *dump) first(space bool) {
	n := len(d.word)
	switch {
	case d.wait == ':' && space && n >= 4: // xxd, gdb, tcpdump
		d.offset, d.colon = true, true
	case d.wait != ':' && (n == offsetDigits || n == 8 && space): // od, hexdump; hexdump -C
		d.offset = true
	default:
		d.number()
	}
	d.wait, d.word = 0, d.word[:0]
}

// other is for what is no part of a dump: in a row of one, it is the column of characters.
func (d *dump) other() {
	d.word, d.words = d.word[:0], d.words+1
	if d.offset {
		d.aside = true
		return
	}
	if !d.idle {
		d.idle = true
		for _, r := range d.numbers {
			r.reset()
		}
	}
}

// number takes a word as one number, in each base.
func (d *dump) number() {
	to := d.from + int64(len(d.word))
	for base, r := range d.numbers {
		if n := len(d.word); base == hexadecimal && n > 8 && n%2 == 0 {
			d.row(r)
			continue
		}
		if len(d.word) < wide[base].least && r.shown == 0 {
			continue
		}
		bytes, n := value(base, d.word, d.minus)
		if len(d.word) == 6 && d.words == 0 && d.before == 0 && !d.offset {
			n = 0 // od -A x
		}
		if n == 0 && d.words > 0 {
			r.reset() // what stands first in a line may be an offset
		}
		for _, c := range bytes[:n] {
			if c != 0 && r.add(char{c, d.from, to}) && d.offset && d.cover < 0 {
				d.cover = to
			}
		}
	}
	d.width, d.word, d.words, d.idle = len(d.word), d.word[:0], d.words+1, false
}

// row takes a word as a row of bytes in hexadecimal.
func (d *dump) row(r *reading) {
	for i := 0; i < len(d.word); i += 2 {
		at := d.from + int64(i)
		if c := byte(digitValue(d.word[i])<<4 | digitValue(d.word[i+1])); c != 0 && r.add(char{c, at, at + 2}) &&
			d.offset && d.cover < 0 {
			d.cover = d.from + int64(len(d.word))
		}
	}
}

// sizes are how many bytes a word of so many digits stands for.
var sizes = [bases][longestNumber + 1]int{
	hexadecimal:   {1: 1, 2: 1, 3: 2, 4: 2, 5: 3, 6: 3, 8: 4, 16: 8},
	hexReversed:   {1: 1, 2: 1, 4: 2, 6: 3, 8: 4, 16: 8},
	octal:         {3: 1, 4: 1, 6: 2, 11: 4, 22: 8},
	decimal:       {1: 1, 2: 1, 3: 1},
	bits:          {3: 1, 4: 1, 5: 1, 6: 1, 7: 1, 8: 1, 9: 1, 10: 1},
	octalReversed: {6: 2, 11: 4, 22: 8},
}

// wide are the decimal numbers of several bytes: how many, and how many digits one has at most,
// and at least where its last byte is not zero. Nothing that is looked for begins with a shorter one.
var wide = [bases]struct{ size, least, most int }{
	decimal2: {2, 3, 5}, decimal4: {4, 8, 10}, decimal8: {8, 17, 20},
	decimal2Big: {2, 3, 5}, decimal4Big: {4, 8, 10}, decimal8Big: {8, 17, 20},
}

// radix is what the digits of a base count in.
var radix = [bases]uint64{hexadecimal: 16, hexReversed: 16, octal: 8, decimal: 10, bits: 2,
	decimal2: 10, decimal4: 10, decimal8: 10,
	octalReversed: 8, decimal2Big: 10, decimal4Big: 10, decimal8Big: 10}

// value returns the bytes that a word stands for. Only decimal numbers have a sign.
func value(base int, word []byte, minus bool) (bytes [8]byte, n int) {
	if len(word) > longestNumber {
		return bytes, 0
	}
	n = sizes[base][len(word)]
	if len(word) <= wide[base].most {
		n = wide[base].size
	}
	if n == 0 {
		return bytes, 0
	}
	if base == bits {
		switch prefixed := word[0] == '0' && word[1]|0x20 == 'b'; {
		case prefixed:
			word = word[2:]
		case len(word) != 8:
			return bytes, 0
		}
	}
	number := uint64(0)
	for _, c := range word {
		digit := digitValue(c)
		if digit >= radix[base] {
			return bytes, 0
		}
		number = number*radix[base] + digit // eight bytes at most, and in octal two bits more
	}
	if n < 8 && number>>(8*n) != 0 {
		return bytes, 0
	}
	if minus && radix[base] == 10 {
		number = -number
	}
	for i := range n {
		at := i
		if base == hexadecimal || base >= octalReversed {
			at = n - 1 - i
		}
		bytes[at] = byte(number >> (8 * i))
	}
	return bytes, n
}

func digitValue(c byte) uint64 {
	if c <= '9' {
		return uint64(c - '0')
	}
	return uint64(c|0x20-'a') + 10
}

func (d *dump) endLine(at int64) {
	if d.wait != 0 {
		d.number()
	}
	d.end('\n')
	d.endCover(at)
	d.words, d.wait, d.blanks = 0, 0, 0
	d.offset, d.colon, d.aside, d.inName = false, false, false, false
}

// close ends the stream.
func (d *dump) close(at int64) {
	d.spell(char{'\n', at, at})
	d.endLine(at)
}

func (d *dump) endCover(at int64) {
	if d.cover >= 0 {
		*d.found = append(*d.found, span{d.cover, at})
		d.cover = -1
	}
}

// safe returns the end of what is decided.
func (d *dump) safe() int64 {
	safe := int64(math.MaxInt64)
	if len(d.word) > 0 {
		safe = d.from
	}
	if n := len(d.lead); n > 0 && n <= offsetDigits {
		safe = min(safe, d.lead[0].from)
	}
	if d.cover >= 0 {
		safe = min(safe, d.cover)
	}
	return safe
}
