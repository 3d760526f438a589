package audit

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// Cursor is a place in the record: behind the entry with number Seq. The zero Cursor is the beginning. It
// can be kept as JSON and used by a later process.
type Cursor struct {
	Seq  int64  `json:"seq"`
	Hash string `json:"hash,omitempty"` // SHA-256 of that line, hexadecimal; "" accepts any line with that number
}

// ErrCursor is returned where the record is not the one that a cursor was made of: the entry is missing or
// another.
var ErrCursor = errors.New("the record is not the one that was followed so far")

// Reader reads the record entry by entry, from a place on, and waits for more at its end. It checks that
// each entry follows the one before, by number and hash. It is for one goroutine; a Feed may have many.
// Close it.
type Reader struct {
	feed   *Feed
	whole  *stream
	lines  lineReader
	cursor Cursor
	failed error // what every further Next returns
}

// Read returns a reader whose first entry is the one behind from. It finds the place without reading what
// stands before. ErrCursor is in the error where the entry of from is not on record as it was.
func (f *Feed) Read(from Cursor) (*Reader, error) {
	whole, err := openStream(f.dir)
	if err != nil {
		return nil, fmt.Errorf("follow the record: %w", err)
	}
	r := &Reader{feed: f, whole: whole}
	if err := r.seek(from); err != nil {
		whole.Close()
		return nil, fmt.Errorf("follow the record: %w", err)
	}
	return r, nil
}

// Last returns the place n entries before the end of the record as it is now, for Read.
func (f *Feed) Last(n int64) (Cursor, error) {
	whole, err := openStream(f.dir)
	if err != nil {
		return Cursor{}, fmt.Errorf("follow the record: %w", err)
	}
	defer whole.Close()
	last, err := readEnd(whole, whole.size())
	if err != nil {
		return Cursor{}, fmt.Errorf("follow the record: %w", err)
	}
	if n <= 0 {
		return Cursor{Seq: last.seq, Hash: last.hash}, nil
	}
	return Cursor{Seq: max(0, last.seq-n)}, nil
}

// Cursor returns the place behind the entry that Next returned last.
func (r *Reader) Cursor() Cursor { return r.cursor }

// Close gives the file back.
func (r *Reader) Close() error {
	r.whole.Close()
	return nil
}

// Next returns the next entry, and waits for it until ctx ends. A line that is no record, or does not
// follow the entry before it, is a *Damage; so is a record that has become shorter. The reader stays at its
// place then and returns the same error again.
func (r *Reader) Next(ctx context.Context) (Entry, error) {
	for {
		news := r.feed.News()
		entry, err := r.read()
		if !errors.Is(err, io.EOF) {
			return entry, err
		}
		select {
		case <-news:
		case <-ctx.Done():
			return Entry{}, ctx.Err()
		}
	}
}

// Poll returns the next entry, or io.EOF where there is none yet. It is Next without the wait.
func (r *Reader) Poll() (Entry, error) { return r.read() }

// read returns the next entry that is there, or io.EOF.
func (r *Reader) read() (Entry, error) {
	if r.failed != nil {
		return Entry{}, r.failed
	}
	entry, err := r.lines.next()
	if errors.Is(err, io.EOF) {
		// What was settled when this reader looked last is read. Is there more by now?
		if err := r.look(); err != nil {
			r.failed = fmt.Errorf("follow the record: %w", err)
			return Entry{}, r.failed
		}
		entry, err = r.lines.next()
	}
	if err == nil {
		if broken := entry.breaks(r.cursor); broken != nil {
			err = broken
		}
	}
	if err != nil {
		if !errors.Is(err, io.EOF) {
			r.failed = err
		}
		return Entry{}, err
	}
	r.cursor = cursorOf(entry)
	return entry, nil
}

// look reads on where the reader stands, up to the end that is settled now.
func (r *Reader) look() error {
	if err := r.whole.extend(); err != nil {
		return err
	}
	size := r.whole.size()
	if size < r.lines.offset {
		return &Damage{File: r.lines.file(), Line: r.lines.line, Offset: r.lines.within(),
			Why: fmt.Sprintf("it was cut to %d bytes", size-r.lines.at.start)}
	}
	r.lines.r.Reset(io.NewSectionReader(r.whole, r.lines.offset, size-r.lines.offset))
	return nil
}

// seek puts the reader behind the entry of the cursor.
func (r *Reader) seek(from Cursor) error {
	if from.Seq == 0 {
		r.lines, r.cursor.Seq = r.whole.lines(0, 0), r.whole.first()-1
		return nil
	}
	offset, err := findSeq(r.whole, from.Seq)
	if err != nil {
		return err
	}
	r.lines = r.whole.lines(offset, from.Seq-1)
	entry, err := r.lines.next()
	if err != nil {
		return err
	}
	r.cursor = cursorOf(entry)
	if from.Hash != "" && r.cursor.Hash != from.Hash {
		return fmt.Errorf("%w: entry %d is another", ErrCursor, from.Seq)
	}
	return nil
}

// findSeq returns the offset of the line with a number. Numbers rise, so it halves its segment until little
// is left, and reads that. It reads about a line for each halving, however long the record is.
func findSeq(f *stream, seq int64) (int64, error) {
	const little = 128 << 10
	lo, hi := f.segmentOf(seq) // the line begins in [lo, hi), and a line begins at lo
	for hi-lo > little {
		mid := lo + (hi-lo)/2
		found, offset, err := firstLine(f, mid, hi)
		switch {
		case errors.Is(err, io.EOF):
			hi = mid // no line begins behind mid
		case err != nil:
			return 0, err
		case found <= seq:
			lo = offset
		default:
			hi = mid
		}
	}
	lines := f.lines(lo, 0)
	found, offset, err := nextLine(&lines, hi)
	for err == nil && found < seq {
		found, offset, err = nextLine(&lines, hi)
	}
	if errors.Is(err, io.EOF) || err == nil && found > seq {
		return 0, fmt.Errorf("%w: it has no entry %d", ErrCursor, seq)
	}
	return offset, err
}

// firstLine returns the number of the first line that begins at the offset from or later, and before the
// offset to, and where that is.
func firstLine(f *stream, from, to int64) (seq, offset int64, err error) {
	start := max(0, from-1)
	lines := lineReader{from: f, at: f.at(start), offset: start,
		r: bufio.NewReaderSize(io.NewSectionReader(f, start, f.size()-start), 4<<10)}
	if from > 0 {
		// A line begins at from only if a newline stands before it. Else this skips to the next one.
		for {
			part, err := lines.r.ReadSlice('\n')
			lines.offset += int64(len(part))
			if err == nil {
				break
			}
			if !errors.Is(err, bufio.ErrBufferFull) {
				return 0, 0, err
			}
		}
	}
	return nextLine(&lines, to)
}

// nextLine returns the number of the next line that begins before an offset, and where that is. Lines that
// are no records are passed over.
func nextLine(lines *lineReader, to int64) (seq, offset int64, err error) {
	for lines.offset < to {
		offset := lines.offset
		line, err := lines.raw()
		var damage *Damage
		if errors.As(err, &damage) {
			continue
		} else if err != nil {
			return 0, 0, err
		}
		if at, err := parseEnvelope(line); err == nil {
			return at.seq, offset, nil
		}
	}
	return 0, 0, io.EOF
}

func cursorOf(entry Entry) Cursor {
	sum := sha256.Sum256(entry.Raw)
	return Cursor{Seq: entry.Seq, Hash: hex.EncodeToString(sum[:])}
}

// End returns the place behind the last entry of the record in dir; the beginning where there is none yet.
func End(dir string) (Cursor, error) {
	end, err := (&Feed{dir: dir}).Last(0)
	if errors.Is(err, fs.ErrNotExist) {
		return Cursor{}, nil
	}
	return end, err
}

// ReadFrom gives each entry of the record in dir behind a place to a function, up to the end as it is now.
func ReadFrom(dir string, from Cursor, each func(Entry)) error {
	r, err := (&Feed{dir: dir}).Read(from)
	if err != nil {
		return err
	}
	defer r.Close() //nolint:errcheck // it only reads
	for {
		entry, err := r.Poll()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		each(entry)
	}
}
