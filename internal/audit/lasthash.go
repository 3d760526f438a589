package audit

import (
	"crypto/sha256"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// The lock file says, too, how far the record has been put on disk: the number and the hash of a line, 20 digits,
// a blank and 64 more. A record that ends before it has lost lines at its end, and one that has another line
// there is not what was recorded. It is written with the lock held, behind an fsync of the record, so that it
// never runs ahead of the disk. Whoever can write the record can write this as well.
//
// Its second line is the first number of the segment that was begun last, 20 digits. It is written before that is
// made, so that nobody goes on in the one before; looking for a file that is not there takes longer.
const (
	headDigits = 20
	headSize   = headDigits + len(" ") + 2*sha256.Size + len("\n")
	lockSize   = headSize + headDigits + len("\n")
)

// readHead returns what the lock file says of the end of the record and of its segment; the zero Cursor where it says
// nothing, as before the first fsync, and likewise 0.
func readHead(lock io.ReaderAt) (head Cursor, begun int64) {
	text := make([]byte, lockSize)
	n, _ := lock.ReadAt(text, 0) //nolint:errcheck // what cannot be read says nothing
	seq, err := strconv.ParseInt(string(text[:headDigits]), 10, 64)
	if n >= headSize && err == nil && text[headDigits] == ' ' && text[headSize-1] == '\n' {
		head = Cursor{Seq: seq, Hash: string(text[headDigits+1 : headSize-1])}
	}
	first, err := strconv.ParseInt(string(text[headSize:lockSize-1]), 10, 64)
	if n == lockSize && err == nil && text[lockSize-1] == '\n' {
		begun = first
	}
	return head, begun
}

// headOf is readHead for a record that is only read.
func headOf(dir string) Cursor {
	lock, err := openRead(filepath.Join(dir, lockName))
	if err != nil {
		return Cursor{}
	}
	defer lock.Close()
	head, _ := readHead(lock)
	return head
}

// noteHead writes down how the record ends, which is on disk. What cannot be written leaves an earlier line
// in its place, which is as true. Called with the lock held.
func (l *Log) noteHead() {
	if l.end.seq > 0 {
		text := append(appendNumber(make([]byte, 0, headSize), l.end.seq, headDigits), ' ')
		_, _ = l.lock.WriteAt(append(append(text, l.end.hash...), '\n'), 0)
	}
}

// noteSegment writes down which segment is begun. Called with the lock held.
func (l *Log) noteSegment(first int64) error {
	if _, begun := readHead(l.lock); begun == first {
		return nil
	}
	text := appendNumber(make([]byte, 0, headDigits+1), first, headDigits)
	if _, err := l.lock.WriteAt(append(text, '\n'), int64(headSize)); err != nil {
		return fmt.Errorf("record %s: write: %w%s", l.path(lockName), cause(err), cureOf(err))
	}
	return nil
}

// missing returns ErrDamaged where lines are gone from the end of the record, or the last one is another.
// head is what the lock file says. Called with the lock held.
func (l *Log) missing(head Cursor) error {
	why := ""
	switch {
	case head.Seq > l.end.seq:
		why = fmt.Sprintf("it ends at number %d, though it was on disk up to number %d: lines are gone", l.end.seq, head.Seq)
	case head.Seq == l.end.seq && head.Hash != l.end.hash:
		why = fmt.Sprintf("its last line, number %d, is not the one that was put on disk", head.Seq)
	default:
		return nil
	}
	return l.die(fmt.Errorf("record %s: %w: %s%s", l.dir, ErrDamaged, why, l.evidence()))
}

// repaired makes the record of a repair, which is durable.
func (l *Log) repaired(now time.Time, event events.Event) (*record, error) {
	r, err := newRecord(event, now, l.newID(now), nil)
	if err != nil {
		return nil, err
	}
	r.durable = true
	return r, nil
}
