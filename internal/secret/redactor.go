package secret

import (
	"io"
	"strings"
)

// Mark stands where a secret stood.
const Mark = "[secret]"

// Redactor takes exact values out of texts, in every form that patternsOf knows. It never changes and is safe for
// concurrent use; a nil Redactor, and one of no values, change nothing.
//
// It finds what is printed, not what is computed: a program that was given a value can always print it letter by letter.
type Redactor struct {
	byFirst [256][]pattern // by the first byte
	longest int            // bytes that a match can have, line breaks included
}

// New makes a Redactor of values. Values that are shorter than ShortestValue are not looked for.
func New(values ...string) *Redactor {
	r := &Redactor{}
	var all []pattern
	for _, value := range values {
		all = append(all, patternsOf(value)...)
	}
	for _, p := range unique(all) {
		r.byFirst[p.text[0]] = append(r.byFirst[p.text[0]], p)
		length := len(p.text)
		if p.wraps {
			length *= 3
		}
		r.longest = max(r.longest, length)
	}
	return r
}

// String gives a text without the values.
func (r *Redactor) String(text string) string { return r.whole(text, false) }

// Cut is String for a text that something has cut off at its end: what a value could begin there is taken out as well.
func (r *Redactor) Cut(text string) string { return r.whole(text, true) }

func (r *Redactor) whole(text string, cut bool) string {
	if r == nil || r.longest == 0 || text == "" {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	w := r.Writer(&b)
	_, _ = w.Write([]byte(text)) // a Builder takes everything
	_ = w.end(cut)
	return b.String()
}

// Writer gives a stream that passes on what is written to it, without the values, wherever the writes divide it. It holds back
// what could be the beginning of one until more comes: close it at the end. It is not safe for concurrent use.
func (r *Redactor) Writer(to io.Writer) *Writer { return &Writer{redactor: r, to: to} }

// Writer is a stream without the values of its Redactor.
type Writer struct {
	redactor *Redactor
	to       io.Writer
	held     []byte
	covered  int    // how many bytes at the beginning of held belong to a value that is marked already
	out      []byte // what is written, used again
	err      error
}

// Write passes on p, but for what it holds back. An error is that of the stream below, and stays.
func (w *Writer) Write(p []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	if w.redactor == nil || w.redactor.longest == 0 {
		return w.to.Write(p)
	}
	w.held = append(w.held, p...)
	w.pass(false)
	if w.err != nil {
		return 0, w.err
	}
	return len(p), nil
}

// Close passes on what is held back. It does not close the stream below.
func (w *Writer) Close() error { return w.end(false) }

// Cut is Close for a stream that something has cut off: what a value could begin at its end is taken out.
func (w *Writer) Cut() error { return w.end(true) }

func (w *Writer) end(cut bool) error {
	if w.redactor == nil || w.redactor.longest == 0 || w.err != nil {
		return w.err
	}
	if cut {
		w.pass(false) // what is left now is the beginning of a value
		if len(w.held) >= ShortestValue && w.covered < len(w.held) {
			w.held, w.covered = nil, 0
			w.write([]byte(Mark))
			return w.err
		}
	}
	w.pass(true)
	return w.err
}

// pass writes what is held as far as it is decided; all of it at the end of the stream.
func (w *Writer) pass(end bool) {
	out := w.out[:0]
	at := 0
	for ; at < len(w.held); at++ {
		length, open := w.redactor.match(w.held[at:])
		if open && !end {
			break
		}
		if length > 0 && at+length > w.covered {
			if at >= w.covered { // else it overlaps the one before, which is marked
				out = append(out, Mark...)
			}
			w.covered = at + length
		}
		if at >= w.covered {
			out = append(out, w.held[at])
		}
	}
	w.held = append(w.held[:0], w.held[at:]...)
	w.covered = max(0, w.covered-at)
	w.out = out
	w.write(out)
}

func (w *Writer) write(p []byte) {
	if len(p) > 0 && w.err == nil {
		_, w.err = w.to.Write(p)
	}
}

// match gives the length of the longest value that stands at the beginning of text, 0 for none. open says that more text
// could make it one, or a longer one.
func (r *Redactor) match(text []byte) (length int, open bool) {
	for _, p := range r.byFirst[text[0]] {
		n, more := p.match(text)
		length, open = max(length, n), open || more
	}
	return length, open
}

// match tells how much of text the pattern is; open that the text ends before the pattern does.
func (p pattern) match(text []byte) (length int, open bool) {
	at := 0
	for i := range len(p.text) {
		if p.wraps && i > 0 {
			if at < len(text) && text[at] == '\r' {
				at++
			}
			if at < len(text) && text[at] == '\n' {
				at++
			}
		}
		if at >= len(text) {
			return 0, true
		}
		if text[at] != p.text[i] {
			return 0, false
		}
		at++
	}
	return at, false
}
