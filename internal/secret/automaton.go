package secret

import (
	"encoding/binary"
	"math"
	"slices"
)

const (
	// head is how many bytes of a text are looked for first, all texts at once. No text is shorter.
	head = ShortestValue
	// mostBetween is how many bytes may stand between two characters of a value, and make up one of them.
	// What is farther apart is no longer the same text; it bounds what a Writer holds back.
	mostBetween = 256
)

// char is a byte that was read, and where in the stream it was written.
type char struct {
	c        byte
	from, to int64
}

// span is a part of the stream.
type span struct{ from, to int64 }

// sought are the texts that are looked for in one reading of a stream, as the automaton of Aho and
// Corasick: what they begin with, each beginning once, from head bytes on. It takes a time for a byte that
// depends neither on how many texts there are nor on how long they are. Beginning 0 is none.
type sought struct {
	nodes  []node
	byHead map[uint32]int32
	filter [1 << 16 / 64]uint64 // of the keys of byHead
}

// node is a beginning of texts. Those that are longer by a byte are the next one, and its siblings.
type node struct {
	length  int32
	sibling int32 // 0 for none
	fail    int32 // the longest other beginning that it ends with
	found   int32 // the length of the longest text that it ends with
	last    byte
}

// seek makes the set of some texts. What is shorter than least is left out.
func seek(texts []string, least int) *sought {
	texts = slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return len(text) < max(least, head) })
	slices.Sort(texts)
	size, before := 1, ""
	for _, text := range texts {
		size += len(text) - max(alike(before, text), head-1)
		before = text
	}
	s := &sought{nodes: make([]node, 1, size), byHead: map[uint32]int32{}}
	before = ""
	var path []int32 // by length, less head: the beginnings of the text before
	for _, text := range texts {
		same := alike(before, text)
		for length := max(same+1, head); length <= len(text); length++ {
			n := int32(len(s.nodes))
			s.nodes = append(s.nodes, node{length: int32(length), last: text[length-1]})
			at := length - head
			if at < len(path) && at > 0 && length == same+1 {
				s.nodes[path[at]].sibling = n
			}
			path = append(path[:at], n)
			if length == head {
				s.addHead(text[:head], n)
			}
		}
		path = path[:len(text)-head+1]
		s.nodes[path[len(path)-1]].found = int32(len(text))
		before = text
	}
	s.link()
	return s
}

// alike is how many bytes two texts begin with alike.
func alike(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func (s *sought) addHead(text string, n int32) {
	key := binary.BigEndian.Uint32([]byte(text))
	s.byHead[key] = n
	bit := hash(key)
	s.filter[bit/64] |= 1 << (bit % 64)
}

// link finds what each beginning ends with, the shorter ones first.
func (s *sought) link() {
	type state struct {
		n      int32
		window uint32
	}
	var turn, next []state
	for window, n := range s.byHead {
		turn = append(turn, state{n, window})
	}
	for ; len(turn) > 0; turn, next = next, turn[:0] {
		for _, from := range turn {
			for n := s.longer(from.n); n != 0; n = s.nodes[n].sibling {
				window := from.window<<8 | uint32(s.nodes[n].last)
				to := s.step(s.nodes[from.n].fail, s.nodes[n].last, window)
				s.nodes[n].fail, s.nodes[n].found = to, max(s.nodes[n].found, s.nodes[to].found)
				next = append(next, state{n, window})
			}
		}
	}
}

// longer returns the first of the beginnings that are longer by a byte.
func (s *sought) longer(n int32) int32 {
	if next := n + 1; n != 0 && int(next) < len(s.nodes) && s.nodes[next].length == s.nodes[n].length+1 {
		return next
	}
	return 0
}

// step returns the beginning that has come with a byte, behind one that had come; the last bytes are the
// window.
func (s *sought) step(n int32, c byte, window uint32) int32 {
	for ; n != 0; n = s.nodes[n].fail {
		for to := s.longer(n); to != 0; to = s.nodes[to].sibling {
			if s.nodes[to].last == c {
				return to
			}
		}
	}
	if !s.may(window) {
		return 0
	}
	return s.byHead[window]
}

// may reports whether a text may begin with the bytes of a window.
func (s *sought) may(window uint32) bool {
	bit := hash(window)
	return s.filter[bit/64]&(1<<(bit%64)) != 0
}

func hash(key uint32) uint32 { return key * 2654435769 >> 16 } // Knuth's: the golden ratio of 2³²

// reading looks for texts in what comes, byte by byte.
type reading struct {
	*sought
	window uint32
	shown  int     // how many bytes of the window have come
	begun  int32   // the longest beginning that the last bytes are
	asIs   bool    // every byte of the stream is one that comes
	starts []int64 // else: where the last bytes were written: of all that could belong to a text
	end    int64
	found  *[]span
}

func newReading(s *sought, found *[]span) *reading {
	return &reading{sought: s, found: found, starts: make([]int64, 0, 256)}
}

// add takes more bytes, and puts down where the texts stand that end with them. It tells whether there are
// any.
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
		any = r.look(c.c) || any
	}
	return any
}

// addBytes is add for a stream that is read as it is.
func (r *reading) addBytes(bytes []byte, at int64) {
	for i, c := range bytes {
		r.end = at + int64(i) + 1
		r.look(c)
	}
}

// look is what add does with a byte.
func (r *reading) look(c byte) bool {
	r.window = r.window<<8 | uint32(c)
	if r.shown < head {
		if r.shown++; r.shown < head {
			return false
		}
	}
	if r.begun == 0 && !r.may(r.window) {
		return false
	}
	r.begun = r.step(r.begun, c, r.window)
	n := r.nodes[r.begun].found
	if n == 0 {
		return false
	}
	*r.found = append(*r.found, span{r.start(int(n)), r.end})
	return true
}

// start returns where the last n bytes begin.
func (r *reading) start(n int) int64 {
	if r.asIs {
		return r.end - int64(n)
	}
	return r.starts[len(r.starts)-n]
}

// open is how many of the last bytes may be the beginning of a text.
func (r *reading) open() int { return max(min(head-1, r.shown), int(r.nodes[r.begun].length)) }

// safe returns the end of what no text that comes later can begin in; what comes next begins at next, or
// behind it.
func (r *reading) safe(next int64) int64 {
	if next-r.end > mostBetween {
		r.reset()
	}
	if n := r.open(); n > 0 {
		return r.start(n)
	}
	return math.MaxInt64
}

// cut returns where a text begins that the stream ends within, if at least its first ShortestValue bytes
// have come.
func (r *reading) cut() (from int64, ok bool) {
	if r.begun == 0 {
		return 0, false
	}
	return r.start(int(r.nodes[r.begun].length)), true
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
func (r *reading) reset() { r.window, r.shown, r.starts, r.begun = 0, 0, r.starts[:0], 0 }
