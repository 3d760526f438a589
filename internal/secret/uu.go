package secret

import "math"

// uu reads a stream as lines of uuencode and of perl's pack "u" (uuencode(5)): the first character of a line
// says how many bytes it stands for, and four characters stand for three of them.
type uu struct {
	*reading
	begun bool // the line has begun
	left  int  // how many bytes are still to come in it
	group []char
}

// add reads a character.
func (u *uu) add(c char) {
	switch {
	case c.c == '\n':
		u.end()
	case !u.begun:
		u.begun, u.left = true, int(c.c-' ')&63
		if c.c < ' ' || c.c > '`' {
			u.left = 0
		}
		if u.left == 0 {
			u.reset()
		}
	case u.left == 0:
	case c.c < ' ' || c.c > '`':
		u.left, u.group = 0, u.group[:0]
		u.reset()
	default:
		if u.group = append(u.group, c); len(u.group) == 4 {
			u.decode()
		}
	}
}

// end ends a line. Blanks at its end may have been taken away.
func (u *uu) end() {
	if n := len(u.group); n > 0 {
		for last := u.group[n-1]; len(u.group) < 4; {
			u.group = append(u.group, char{' ', last.to, last.to})
		}
		u.decode()
	}
	u.begun, u.left = false, 0
}

// decode reads four characters.
func (u *uu) decode() {
	bits := 0
	for _, c := range u.group {
		bits = bits<<6 | int(c.c-' ')&63
	}
	for shift := 16; shift >= 0 && u.left > 0; shift -= 8 {
		u.reading.add(char{byte(bits >> shift), u.group[0].from, u.group[3].to})
		u.left--
	}
	u.group = u.group[:0]
}

// safe returns the end of what is decided.
func (u *uu) safe() int64 {
	if len(u.group) > 0 {
		return u.group[0].from
	}
	return math.MaxInt64
}
