package secret

import (
	"cmp"
	"io"
	"slices"
	"strings"
)

// Mark stands where a secret stood.
const Mark = "[secret]"

// Redactor takes exact values out of texts: as they are, and as a terminal shows them, through the escapes
// that programs write them with, in base64, base32, base85, uuencode, hexadecimal, UTF-7, UTF-16 and UTF-32,
// and in dumps of numbers. It never changes and is safe for concurrent use; a nil Redactor, and one of no
// values, change nothing.
//
// It finds what is printed, not what is computed: a program that was given a value can always print it
// letter by letter.
type Redactor struct{ exact, plain, dense, chars, numbers *sought }

// New makes a Redactor of values. Values that are shorter than ShortestValue are not looked for.
func New(values ...string) *Redactor {
	f := formsOf(values)
	if len(f.exact) == 0 {
		return nil
	}
	r := &Redactor{
		exact: seek(f.exact, ShortestValue),
		plain: seek(f.plain, ShortestValue),
		dense: seek(f.dense, shortestCode),
		chars: seek(f.chars, shortestPart),
	}
	r.numbers = r.exact
	if len(f.numbers) > 0 {
		r.numbers = seek(append(f.numbers, f.exact...), ShortestValue)
	}
	return r
}

// String returns a text without the values.
func (r *Redactor) String(text string) string { return r.whole(text, false) }

// Cut is String for a text that something has cut off at its end: what a value could begin there is taken
// out as well.
func (r *Redactor) Cut(text string) string { return r.whole(text, true) }

func (r *Redactor) whole(text string, cut bool) string {
	if r == nil || len(text) < ShortestValue {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	w := r.Writer(&b)
	_, _ = w.Write([]byte(text)) // a Builder takes everything
	_ = w.end(cut)
	return b.String()
}

// Writer returns a stream that passes on what is written to it, without the values, wherever the writes
// divide it. It holds back what could be the beginning of one until more comes: close it at the end. It is
// not safe for concurrent use.
func (r *Redactor) Writer(to io.Writer) *Writer {
	w := &Writer{redactor: r, to: to}
	if r == nil {
		return w
	}
	w.exact, w.plain, w.dense = newReading(r.exact, &w.found), newReading(r.plain, &w.found),
		newReading(r.dense, &w.found)
	w.exact.asIs = true
	w.screen = &screen{reading: newReading(r.exact, &w.found)}
	w.text, w.dump = newText(), newDump(r.numbers, r.chars, &w.found)
	w.uu = &uu{reading: newReading(r.numbers, &w.found)}
	w.readings = append(w.dump.numbers[:], w.dump.chars, w.uu.reading, w.exact, w.screen.reading, w.plain, w.dense)
	return w
}

// Writer is a stream without the values of its Redactor.
type Writer struct {
	redactor *Redactor
	to       io.Writer

	exact, plain, dense *reading
	screen              *screen
	text                *text
	dump                *dump
	uu                  *uu
	readings            []*reading // all of them
	found               []span     // where values stand

	at      int64 // what was read
	held    []byte
	covered int64  // the end of the last value that is marked already
	out     []byte // what is written, used again
	err     error
}

// block is how much is read before what is decided is passed on.
const block = 2 << 10

// Write passes on p, but for what it holds back. An error is that of the stream below, and stays.
func (w *Writer) Write(p []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	if w.redactor == nil {
		return w.to.Write(p)
	}
	for rest := p; len(rest) > 0 && w.err == nil; {
		part := rest[:min(block, len(rest))]
		rest = rest[len(part):]
		w.held = append(w.held, part...)
		w.read(part)
		w.pass(w.safe())
	}
	if w.err != nil {
		return 0, w.err
	}
	return len(p), nil
}

// read reads what comes next.
func (w *Writer) read(part []byte) {
	w.readExact(part)
	for i, c := range part {
		at := w.at + int64(i)
		w.text.add(char{c, at, at + 1})
		w.dump.add(char{c, at, at + 1})
		w.uu.add(char{c, at, at + 1})
	}
	w.readText()
	w.at += int64(len(part))
}

// readExact reads what comes next as it is, and as it is shown.
func (w *Writer) readExact(part []byte) {
	for rest := part; len(rest) > 0; {
		n, at := 1, w.at+int64(len(part)-len(rest))
		if !w.screen.works {
			n = nextControl(rest)
		}
		if n == 0 {
			before := w.held[:len(w.held)-len(rest)]
			w.screen.begin(before[len(before)-w.exact.open():], at)
			n = 1
		}
		w.exact.addBytes(rest[:n], at)
		if w.screen.works {
			w.screen.add(char{rest[0], at, at + 1})
		}
		rest = rest[n:]
	}
}

func (w *Writer) readText() {
	w.plain.add(w.text.plain...)
	w.dense.add(w.text.dense...)
	w.text.plain, w.text.dense = w.text.plain[:0], w.text.dense[:0]
}

// Close passes on what is held back. It does not close the stream below.
func (w *Writer) Close() error { return w.end(false) }

// Cut is Close for a stream that something has cut off: what a value could begin at its end is taken out.
func (w *Writer) Cut() error { return w.end(true) }

func (w *Writer) end(cut bool) error {
	if w.redactor == nil || w.err != nil {
		return w.err
	}
	if cut {
		w.cut() // what is read may end within an escape, or within a number
	}
	w.screen.flush()
	w.text.close()
	w.readText()
	w.dump.close(w.at)
	w.uu.end()
	if cut {
		w.cut()
	}
	w.pass(w.at)
	return w.err
}

// cut notes what a value could begin at the end.
func (w *Writer) cut() {
	for _, r := range w.readings {
		if from, ok := r.cut(); ok {
			w.found = append(w.found, span{from, w.at})
		}
	}
}

// safe returns the end of what no value that comes later can begin in.
func (w *Writer) safe() int64 {
	text, dump := min(w.at, w.text.safe()), min(w.at, w.dump.safe())
	coded := min(w.at, w.uu.safe())
	safe := min(text, dump, coded, w.uu.reading.safe(coded), w.exact.safe(w.at), w.screen.safe(w.at),
		w.plain.safe(text), w.dense.safe(text), w.dump.chars.safe(dump))
	for _, r := range w.dump.numbers {
		safe = min(safe, r.safe(dump))
	}
	return safe
}

// pass writes what is held up to a place. Where values overlap, they are one.
func (w *Writer) pass(safe int64) {
	slices.SortFunc(w.found, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	out := w.out[:0]
	base := w.at - int64(len(w.held))
	at := max(base, w.covered)
	keep := len(w.found)
	for i, s := range w.found {
		if s.from >= safe {
			keep = i
			break
		}
		if s.to > w.covered && s.from >= w.covered {
			out = append(out, w.held[at-base:s.from-base]...)
			out = append(out, Mark...)
		}
		w.covered = max(w.covered, s.to)
		at = max(at, w.covered)
	}
	w.found = w.found[:copy(w.found, w.found[keep:])]
	if at < safe {
		out = append(out, w.held[at-base:safe-base]...)
	}
	if safe > base {
		w.held = w.held[:copy(w.held, w.held[safe-base:])]
	}
	w.out = out
	if len(out) > 0 {
		_, w.err = w.to.Write(out)
	}
}
