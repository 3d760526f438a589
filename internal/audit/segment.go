package audit

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/filelock"
)

// The record is written to one file at a time, a segment. Its name is the number of its first line, so that
// the names alone say which lines a directory should hold, and in what order.
const (
	segmentDigits = 8 // at least; numbers that need more have more
	segmentSuffix = ".jsonl"
)

// segmentName returns the base name of the segment whose first line has a number.
func segmentName(first int64) string {
	return string(append(appendNumber(make([]byte, 0, 32), first, segmentDigits), segmentSuffix...))
}

// appendNumber appends a number that is not negative, with zeros in front where it has fewer digits.
func appendNumber(text []byte, n int64, digits int) []byte {
	written := strconv.AppendInt(make([]byte, 0, 20), n, 10)
	for range digits - len(written) {
		text = append(text, '0')
	}
	return append(text, written...)
}

// segmentFirst returns the number of the first line of a segment by its base name; ok is false for the name
// of another file.
func segmentFirst(name string) (first int64, ok bool) {
	digits, ok := strings.CutSuffix(name, segmentSuffix)
	if !ok {
		return 0, false
	}
	first, err := strconv.ParseInt(digits, 10, 64)
	return first, err == nil && first > 0 && segmentName(first) == name
}

// segment is a file of the record as it was at one moment.
type segment struct {
	first int64 // the number of its first line
	start int64 // where it begins in the record, in bytes; see stream
	size  int64 // in bytes
}

// listSegments returns the segments in dir in their order, without sizes. A link, or a directory, is none.
func listSegments(dir string) ([]segment, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var list []segment
	for _, entry := range entries {
		if first, ok := segmentFirst(entry.Name()); ok && entry.Type().IsRegular() {
			list = append(list, segment{first: first})
		}
	}
	slices.SortFunc(list, func(a, b segment) int { return cmp.Compare(a.first, b.first) })
	return list, nil
}

// stream is the record as one run of bytes, its segments one behind the other, as it was when it was opened
// or extended last. It is for one goroutine. Close it.
type stream struct {
	dir      string
	segments []segment // never empty
	open     map[int64]*os.File
	read     int64 // bytes so far

	pause func() error // called before each piece is read, which its error prevents; nil for nothing
}

// openStream opens the record in dir at a moment when nobody writes. The error is fs.ErrNotExist where
// nothing was ever recorded.
func openStream(dir string) (*stream, error) {
	s := &stream{dir: dir, open: map[int64]*os.File{}}
	return s, s.extend()
}

// extend takes in what was recorded since, up to the end that is settled now. What was read before stays
// where it is, also where it was removed since.
func (s *stream) extend() error {
	unlock, err := readLock(s.dir, filelock.Longest)
	if err != nil {
		return err
	}
	defer unlock()
	list, err := listSegments(s.dir)
	if err != nil {
		return err
	}
	if n := len(s.segments); n > 0 {
		// Of those that were there, only the last one grows.
		list = slices.DeleteFunc(list, func(g segment) bool { return g.first <= s.segments[n-1].first })
		list = append(s.segments[n-1:n:n], list...)
		s.segments = s.segments[:n-1]
	}
	if len(list) == 0 {
		return &fs.PathError{Op: "open", Path: filepath.Join(s.dir, segmentName(1)), Err: fs.ErrNotExist}
	}
	for _, g := range list {
		g.start = s.size()
		if g.size, err = s.sizeOf(g); err != nil {
			return err
		}
		s.segments = append(s.segments, g)
	}
	return nil
}

// sizeOf returns how long a segment is now, which must be the file that was opened. One that was removed
// since, as what is older than it is kept, grows no more.
func (s *stream) sizeOf(g segment) (int64, error) {
	named, err := os.Lstat(filepath.Join(s.dir, segmentName(g.first)))
	f := s.open[g.first]
	if gone := errors.Is(err, fs.ErrNotExist); err != nil && (!gone || f == nil) {
		return 0, err
	}
	if f == nil {
		return named.Size(), nil
	}
	opened, err := f.Stat()
	if err != nil {
		return 0, err
	}
	if named != nil && !os.SameFile(named, opened) {
		return 0, fmt.Errorf("%w: %s was replaced", ErrCursor, segmentName(g.first))
	}
	return opened.Size(), nil
}

// size is the length of all of it.
func (s *stream) size() int64 {
	if len(s.segments) == 0 {
		return 0
	}
	last := s.segments[len(s.segments)-1]
	return last.start + last.size
}

// first is the number of the first line that is there.
func (s *stream) first() int64 { return s.segments[0].first }

// last is the base name of the last segment.
func (s *stream) last() string { return segmentName(s.segments[len(s.segments)-1].first) }

// at returns the segment that holds a byte; the last one for what lies behind the end.
func (s *stream) at(offset int64) segment {
	i, found := slices.BinarySearchFunc(s.segments, offset, func(g segment, at int64) int { return cmp.Compare(g.start, at) })
	if !found {
		i--
	}
	for i+1 < len(s.segments) && s.segments[i].size == 0 && s.segments[i+1].start == offset {
		i++ // an empty one holds nothing
	}
	return s.segments[i]
}

// segmentOf returns where the segment begins and ends that has the line with a number, by its name.
func (s *stream) segmentOf(seq int64) (begin, end int64) {
	i, found := slices.BinarySearchFunc(s.segments, seq, func(g segment, seq int64) int { return cmp.Compare(g.first, seq) })
	if !found {
		i--
	}
	g := s.segments[max(0, i)]
	return g.start, g.start + g.size
}

// ReadAt reads across the borders of segments.
func (s *stream) ReadAt(p []byte, offset int64) (n int, err error) {
	if s.pause != nil {
		if err := s.pause(); err != nil {
			return 0, err
		}
	}
	for n < len(p) {
		if offset >= s.size() {
			return n, io.EOF
		}
		g := s.at(offset)
		f, err := s.file(g)
		if err != nil {
			return n, err
		}
		within := offset - g.start
		m, err := f.ReadAt(p[n:n+int(min(int64(len(p)-n), g.size-within))], within)
		n, offset, s.read = n+m, offset+int64(m), s.read+int64(m)
		if err != nil && !errors.Is(err, io.EOF) {
			return n, err
		}
		if m == 0 {
			return n, io.EOF // it was cut since
		}
	}
	return n, nil
}

// file opens a segment. A few stay open: the one that is read, its neighbour, and the last one, which grows.
func (s *stream) file(g segment) (*os.File, error) {
	if f := s.open[g.first]; f != nil {
		return f, nil
	}
	const most = 4
	last := s.segments[len(s.segments)-1].first
	for first, f := range s.open {
		if len(s.open) >= most && first != last {
			f.Close()
			delete(s.open, first)
		}
	}
	f, err := openRead(filepath.Join(s.dir, segmentName(g.first)))
	if err != nil {
		return nil, err
	}
	s.open[g.first] = f
	return f, nil
}

// Close gives the files back.
func (s *stream) Close() {
	for _, f := range s.open {
		f.Close()
	}
}

// lastEnd finds the end of the record in dir, in the last segment that there is, and the number of its first
// line. One that was begun, and holds no line yet, ends as the one before it does.
func lastEnd(dir string) (first int64, at end, err error) {
	list, err := listSegments(dir)
	if err != nil || len(list) == 0 {
		return 1, end{}, err
	}
	first = list[len(list)-1].first
	at, err = endOf(dir, first)
	if err != nil || at.seq > 0 {
		return first, at, err
	}
	at.seq = first - 1
	if len(list) > 1 {
		before, err := endOf(dir, list[len(list)-2].first)
		if err != nil {
			return first, end{}, err
		}
		at.seq, at.hash = before.seq, before.hash
	}
	if at.seq+1 != first {
		return first, end{}, fmt.Errorf("%s: it follows number %d", segmentName(first), at.seq)
	}
	return first, at, nil
}

// endOf finds the end of one segment.
func endOf(dir string, first int64) (end, error) {
	f, err := openRead(filepath.Join(dir, segmentName(first)))
	if err != nil {
		return end{}, fmt.Errorf("%w%s", err, cureOf(err))
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return end{}, err
	}
	found, err := readEnd(f, info.Size())
	if err != nil {
		return end{}, fmt.Errorf("%s: %w", segmentName(first), err)
	}
	return found, nil
}

// sync puts the last segment on disk, as those before were when it was begun.
func (s *stream) sync() error {
	f, err := s.file(s.segments[len(s.segments)-1])
	if err != nil {
		return err
	}
	return f.Sync()
}
