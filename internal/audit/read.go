package audit

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// Damage is a line that is no record of ours, or one that does not follow the line before.
type Damage struct {
	File   string // base name
	Line   int    // from 1
	Offset int64  // of its first byte
	Broken bool   // the line is a record, but the chain is broken before it
	Why    string
}

func (d *Damage) Error() string {
	what := "no record"
	if d.Broken {
		what = "the chain is broken"
	}
	return fmt.Sprintf("%s:%d: %s (at byte %d): %s", d.File, d.Line, what, d.Offset, d.Why)
}

// mostDamages bounds how many damaged lines one error lists.
const mostDamages = 10

// Read calls each for every entry of the record in dir, in order, and may be used while others write: it
// reads what was there when it began, and a last line that is still being written is not there yet. An
// error that each returns ends it and is returned as it is. Damaged lines are passed over; they are
// returned at the end, as *Damage joined together, and so is each place where the chain is broken: the
// entries on both sides of it are marked. Where nothing was ever recorded the error is fs.ErrNotExist.
func Read(dir string, each func(Entry) error) error { return Scan(dir, nil, each) }

// Scan is Read for the lines that want reports as wanted, by their bytes; nil wants all. Of the others no more is
// read than their place in the chain, which takes a tenth of the time.
func Scan(dir string, want func(line []byte) bool, each func(Entry) error) error {
	var given int64 // the greatest number so far
	var ended error
	err := againIfRetired(dir, func() error {
		done := given
		err := scanAll(dir, want, func(e Entry) error {
			if e.Seq <= done {
				return nil
			}
			given, ended = max(given, e.Seq), each(e)
			return ended
		})
		if ended != nil {
			return nil //nolint:nilerr // what each returned is returned as it is
		}
		return err
	})
	return cmp.Or(ended, err)
}

func scanAll(dir string, want func(line []byte) bool, each func(Entry) error) error {
	head := headOf(dir) // before the size: what is on disk by then stands in front of it
	whole, err := openStream(dir)
	if err != nil {
		return fmt.Errorf("read the record: %w", err)
	}
	defer whole.Close()
	return scan(whole, head, start{lines: whole.lines(0, 0), before: Cursor{Seq: whole.first() - 1}, begins: true}, want, each)
}

// againIfRetired reads the record in dir, and once more where lines that were to be read were removed meanwhile since
// they are older than they are kept: now the record begins later.
func againIfRetired(dir string, read func() error) error {
	for {
		before, _ := listSegments(dir) //nolint:errcheck // reading says so
		err := read()
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		after, _ := listSegments(dir) //nolint:errcheck // likewise
		if len(before) == 0 || len(after) == 0 || after[0].first <= before[0].first {
			return err
		}
	}
}

// Recent returns the last n entries of the record in dir, and reports whether these are all. It takes no longer where
// there are many more. Of damage it tells as Read does, as far as it reads.
func Recent(dir string, n int64) (entries []Entry, all bool, err error) {
	err = againIfRetired(dir, func() (err error) {
		entries, all, err = recent(dir, n)
		return err
	})
	return entries, all, err
}

func recent(dir string, n int64) (entries []Entry, all bool, err error) {
	head := headOf(dir)
	whole, err := openStream(dir)
	if err != nil {
		return nil, false, fmt.Errorf("read the record: %w", err)
	}
	defer whole.Close()
	from := start{lines: whole.lines(0, 0), before: Cursor{Seq: whole.first() - 1}, begins: true}
	if last, err := readEnd(whole, whole.size()); err == nil && last.seq-n >= whole.first() {
		if behind, err := startBehind(whole, last.seq-n); err == nil { // else all is read, which tells why
			from = behind
		}
	}
	err = scan(whole, head, from, nil, func(e Entry) error {
		entries = append(entries, e)
		return nil
	})
	return entries, from.begins, err
}

// start is where a scan begins.
type start struct {
	lines  lineReader
	before Cursor // what stands before
	begins bool   // at the first line that is there
}

// startBehind returns the start behind the line with a number.
func startBehind(whole *stream, seq int64) (start, error) {
	offset, err := findSeq(whole, seq)
	if err != nil {
		return start{}, err
	}
	lines := whole.lines(offset, seq-1)
	line, err := lines.raw()
	if err != nil {
		return start{}, err
	}
	return start{lines: lines, before: Cursor{Seq: seq, Hash: lineHash(line)}}, nil
}

func scan(whole *stream, head Cursor, from start, want func(line []byte) bool, each func(Entry) error) error {
	damages := damageList{}
	lines := from.lines
	var last *Entry // whose successor decides whether it is what it was
	give := func(next *Entry) error {
		entry := last
		last = next
		if entry == nil {
			return nil
		}
		return each(*entry)
	}
	retired := int64(0) // up to which number segments were removed on purpose, as the record says
	for before := from.before; ; {
		entry, wanted, err := lines.nextWanted(want)
		var damage *Damage
		switch {
		case errors.Is(err, io.EOF):
			if before.Seq != unknown && before.Seq < head.Seq {
				gone := &Damage{File: lines.file(), Line: lines.line, Offset: lines.within(), Broken: true,
					Why: fmt.Sprintf("it ends at number %d, though it was on disk up to number %d: lines are gone", before.Seq, head.Seq)}
				damages.add(gone)
				if last != nil {
					last.Broken = gone.Why
				}
			}
			if err := give(nil); err != nil {
				return err
			}
			if first := whole.first(); from.begins && first > 1 && retired < first-1 {
				damages.add(&Damage{File: segmentName(first), Line: 1, Broken: true,
					Why: fmt.Sprintf("the record begins with it: the %d lines before are gone", first-1)})
			}
			return damages.join()
		case errors.As(err, &damage):
			damages.add(damage)
			if last != nil {
				last.Broken = "the line behind it is no record"
			}
			before = Cursor{Seq: unknown}
			continue
		case err != nil:
			return fmt.Errorf("read the record: %w", err)
		}
		if broken := entry.breaks(before); before.Seq == unknown {
			entry.Broken = "the line before it is no record"
		} else if broken != nil {
			damages.add(broken)
			entry.Broken = broken.Why
			if last != nil {
				last.Broken = "the entry behind it does not follow: " + broken.Why
			}
		}
		if entry.Type == events.RecordRetired {
			retired = max(retired, entry.Retired)
		}
		before = cursorOf(entry)
		if before.Seq == head.Seq && before.Hash != head.Hash {
			other := &Damage{File: entry.File, Line: entry.Line, Offset: entry.Offset, Broken: true,
				Why: "another line was put on disk with this number"}
			damages.add(other)
			entry.Broken = other.Why
		}
		next := &entry
		if !wanted {
			next = nil
		}
		if err := give(next); err != nil {
			return err
		}
	}
}

// nextWanted is next; of a line that is not wanted the entry has its place only, and its bytes until the next
// call.
func (l *lineReader) nextWanted(want func([]byte) bool) (entry Entry, wanted bool, err error) {
	line, err := l.raw()
	if err != nil {
		return Entry{}, false, err
	}
	if want != nil && !want(line) {
		if at, err := parseEnvelope(line); err == nil {
			return Entry{Seq: at.seq, Prev: string(at.prev), File: l.file(), Line: l.line, Offset: l.begun, Raw: line}, false, nil
		}
	}
	entry, err = l.parse(line)
	return entry, want == nil || want(line), err
}

// unknown stands for the number of a line that is no record.
const unknown = -1

// damageList are the damages of a record, of many the first.
type damageList struct {
	first []error
	more  int
}

func (l *damageList) add(d *Damage) {
	if len(l.first) < mostDamages {
		l.first = append(l.first, d)
		return
	}
	l.more++
}

func (l *damageList) join() error {
	if l.more > 0 {
		l.first = append(l.first, fmt.Errorf("%d more lines that are damaged", l.more))
	}
	return errors.Join(l.first...)
}

// breaks gives, as a *Damage, why the entry does not follow the one before.
func (e Entry) breaks(before Cursor) *Damage {
	why := ""
	switch {
	case e.Seq != before.Seq+1:
		why = fmt.Sprintf("it has number %d, and the one before %d", e.Seq, before.Seq)
	case e.Prev != before.Hash && (before.Hash != "" || before.Seq == 0):
		why = "its prev is not the hash of the line before: one of both is not what was recorded"
	default:
		return nil
	}
	return &Damage{File: e.File, Line: e.Line, Offset: e.Offset, Broken: true, Why: why}
}

// lineReader reads entries one by one and holds no more than one line.
type lineReader struct {
	from   *stream
	r      *bufio.Reader
	at     segment // that the last line stands in
	line   int     // its number in that segment, from 1
	begun  int64   // where it begins in that segment
	offset int64   // behind it, in the whole record
	buffer []byte
}

// lines reads from an offset on, behind the line with a number. A record that is whole has no other there.
func (s *stream) lines(offset, seq int64) lineReader {
	at := s.at(offset)
	return lineReader{from: s, offset: offset, at: at, line: int(max(0, seq-at.first+1)),
		r: bufio.NewReaderSize(io.NewSectionReader(s, offset, s.size()-offset), 64<<10)}
}

// file is the base name of the segment of the last line.
func (l *lineReader) file() string { return segmentName(l.at.first) }

// within is the offset behind the last line, in its segment.
func (l *lineReader) within() int64 { return l.offset - l.at.start }

// raw returns the bytes of the next line without the newline, which hold until the next call, a *Damage in its
// place, or io.EOF. Bytes behind the last newline are not there yet.
func (l *lineReader) raw() ([]byte, error) {
	l.buffer = l.buffer[:0]
	length := int64(0)
	for {
		part, err := l.r.ReadSlice('\n')
		length += int64(len(part))
		if length <= longestLine {
			l.buffer = append(l.buffer, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return nil, err
		}
		break
	}
	if at := l.from.at(l.offset); at.first != l.at.first {
		l.at, l.line = at, 0
	}
	l.begun = l.within()
	l.line++
	l.offset += length
	if length > longestLine {
		return nil, l.damaged(fmt.Sprintf("it is %d bytes long", length))
	}
	return l.buffer[:len(l.buffer)-1], nil
}

// damaged says why the last line is no record.
func (l *lineReader) damaged(why string) *Damage {
	return &Damage{File: l.file(), Line: l.line, Offset: l.begun, Why: why}
}

// next is raw, and parses the line.
func (l *lineReader) next() (Entry, error) {
	line, err := l.raw()
	if err != nil {
		return Entry{}, err
	}
	return l.parse(line)
}

// parse makes an entry of the last line.
func (l *lineReader) parse(line []byte) (Entry, error) {
	entry, err := parseEntry(line)
	if err != nil {
		return Entry{}, l.damaged(err.Error())
	}
	entry.File, entry.Line, entry.Offset = l.file(), l.line, l.begun
	return entry, nil
}

// parseEntry reads one line. Numbers in arguments keep their digits (json.Number).
func parseEntry(line []byte) (Entry, error) {
	var entry Entry
	if !json.Valid(line) {
		return entry, errors.New("it is not JSON")
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.UseNumber()
	if err := dec.Decode(&entry); err != nil {
		return entry, err
	}
	if entry.Seq < 1 || entry.V < 1 || entry.Type == "" {
		return entry, errors.New("it has no number, version or type")
	}
	entry.Raw, entry.Broken = bytes.Clone(line), ""
	return entry, nil
}
