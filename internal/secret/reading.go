package secret

import (
	"encoding/binary"
	"math"
	"slices"
)

const (
	// head is how many bytes of a text are looked for first, all texts at once.
	head = 8
	// mostBetween is how many bytes may stand between two characters of a value, and make up one of them. What is farther apart
	// is no longer the same text; it bounds what a Writer holds back.
	mostBetween = 256
)

// char is a byte that was read, and where in the stream it was written.
type char struct {
	c        byte
	from, to int64
}

// span is a part of the stream.
type span struct{ from, to int64 }

// sought are the texts that are looked for in one reading of a stream.
type sought struct {
	texts  []string
	fail   [][]int32 // for each text and length: the longest beginning of the text that is also the end of that much of it
	byHead map[uint32][]int32
	filter [1 << 16 / 64]uint64 // of the keys of byHead
}

// seek makes the set of some texts, each once. What is shorter than least is left out.
func seek(texts []string, least int) *sought {
	texts = slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return len(text) < least })
	slices.Sort(texts)
	s := &sought{texts: slices.Compact(texts), byHead: map[uint32][]int32{}}
	for i, text := range s.texts {
		key := uint32(s.head(i))
		s.byHead[key] = append(s.byHead[key], int32(i))
		bit := hash(key)
		s.filter[bit/64] |= 1 << (bit % 64)
		s.fail = append(s.fail, borders(text))
	}
	return s
}

// head gives the first bytes of a text, as a window on the stream shows them.
func (s *sought) head(i int) (window uint64) {
	for _, c := range []byte(s.texts[i][:min(head, len(s.texts[i]))]) {
		window = window<<8 | uint64(c)
	}
	return window
}

func hash(key uint32) uint32 { return key * 2654435769 >> 16 } // Knuth's: the golden ratio of 2³²

// borders is the failure function of Knuth, Morris and Pratt.
func borders(text string) []int32 {
	fail := make([]int32, len(text))
	n := int32(0)
	for i := 1; i < len(text); i++ {
		for n > 0 && text[i] != text[n] {
			n = fail[n-1]
		}
		if text[i] == text[n] {
			n++
		}
		fail[i] = n
	}
	return fail
}

// reading looks for texts in what comes, byte by byte, in a time that does not depend on how long they are.
type reading struct {
	*sought
	window uint64
	asIs   bool    // every byte of the stream is one that comes
	starts []int64 // else: where the last bytes were written: of all that could belong to a text
	end    int64
	begun  []progress
	busy   []bool // by text: it is among begun
	found  *[]span
}

// progress is how much of a text has come, if that is at least its head.
type progress struct{ text, length int32 }

func newReading(s *sought, found *[]span) *reading {
	return &reading{sought: s, found: found, busy: make([]bool, len(s.texts)), starts: make([]int64, 0, 256)}
}

// add takes more bytes, and puts down where the texts stand that end with them. It tells whether there are any.
func (r *reading) add(chars ...char) (any bool) {
	for _, c := range chars {
		if c.from-r.end > mostBetween {
			r.reset()
		}
		if len(r.starts) == cap(r.starts) {
			r.forget()
		}
		r.starts = append(r.starts, c.from)
		r.end = c.to
		r.window = r.window<<8 | uint64(c.c)
		if bit := hash(uint32(r.window)); len(r.begun) > 0 || r.filter[bit/64]&(1<<(bit%64)) != 0 {
			any = r.look(c) || any
		}
	}
	return any
}

// addBytes is add for a stream that is read as it is.
func (r *reading) addBytes(bytes []byte, at int64) {
	for i, c := range bytes {
		r.window = r.window<<8 | uint64(c)
		if bit := hash(uint32(r.window)); len(r.begun) > 0 || r.filter[bit/64]&(1<<(bit%64)) != 0 {
			r.end = at + int64(i) + 1
			r.look(char{c, r.end - 1, r.end})
		}
	}
	r.end = at + int64(len(bytes))
}

// look is what add does where a text may begin, go on or end.
func (r *reading) look(c char) bool {
	length := r.goOn(c.c)
	length = max(length, r.begin())
	if length == 0 {
		return false
	}
	*r.found = append(*r.found, span{r.start(length), c.to})
	return true
}

// goOn adds a byte to the texts that have begun, and gives the length of the longest that is whole.
func (r *reading) goOn(c byte) (length int) {
	kept := r.begun[:0]
	for _, p := range r.begun {
		text, fail := r.texts[p.text], r.fail[p.text]
		for p.length > 0 && text[p.length] != c {
			p.length = fail[p.length-1]
		}
		if text[p.length] == c {
			p.length++
		}
		if int(p.length) == len(text) {
			length = max(length, len(text))
			p.length = fail[p.length-1]
		}
		if p.length < head {
			r.busy[p.text] = false // the window shows what is left of it
			continue
		}
		kept = append(kept, p)
	}
	r.begun = kept
	return length
}

// begin notes the texts whose head has just come, and gives the length of the longest that is no longer than that.
func (r *reading) begin() (length int) {
	for _, i := range r.byHead[uint32(r.window)] {
		n := len(r.texts[i])
		first := min(head, n)
		if shift := 64 - 8*first; r.window<<shift != r.sought.head(int(i))<<shift || first > r.shown() {
			continue
		}
		switch {
		case n <= head:
			length = max(length, n)
		case !r.busy[i]:
			r.begun, r.busy[i] = append(r.begun, progress{i, head}), true
		}
	}
	return length
}

// start gives where the last n bytes begin.
func (r *reading) start(n int) int64 {
	if r.asIs {
		return r.end - int64(n)
	}
	return r.starts[len(r.starts)-n]
}

// shown is how many bytes of the window have come.
func (r *reading) shown() int {
	if r.asIs {
		return int(min(head, r.end))
	}
	return min(head, len(r.starts))
}

// open is how many of the last bytes may be the beginning of a text.
func (r *reading) open() int {
	n := min(head-1, r.shown())
	for _, p := range r.begun {
		n = max(n, int(p.length))
	}
	return n
}

// safe gives the end of what no text that comes later can begin in; what comes next begins at next, or behind it.
func (r *reading) safe(next int64) int64 {
	if next-r.end > mostBetween {
		r.reset()
	}
	if n := r.open(); n > 0 {
		return r.start(n)
	}
	return math.MaxInt64
}

// cut gives where a text begins that the stream ends within, if at least its first ShortestValue bytes have come.
func (r *reading) cut() (from int64, ok bool) {
	longest := 0
	for _, p := range r.begun {
		longest = max(longest, int(p.length))
	}
	last := binary.BigEndian.AppendUint64(nil, r.window)
	for _, text := range r.texts {
		for n := min(r.shown(), len(text)); n >= ShortestValue && n > longest; n-- {
			if text[:n] == string(last[head-n:]) {
				longest = n
			}
		}
	}
	if longest == 0 {
		return 0, false
	}
	return r.start(longest), true
}

// forget drops the starts that no text needs, when there is no room for another.
func (r *reading) forget() {
	n := r.open()
	if n > cap(r.starts)/2 {
		return // grow
	}
	r.starts = r.starts[:copy(r.starts, r.starts[len(r.starts)-n:])]
}

// reset ends all that has begun: what comes is no part of it.
func (r *reading) reset() {
	for _, p := range r.begun {
		r.busy[p.text] = false
	}
	r.window, r.starts, r.begun = 0, r.starts[:0], r.begun[:0]
}
