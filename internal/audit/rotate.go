package audit

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"
)

// openLast opens the last segment of the record, and makes the first one where there is none.
func (l *Log) openLast() error {
	if err := l.takeLock(); err != nil {
		return err
	}
	defer unlockFile(l.lock) //nolint:errcheck // append, which follows, says so
	first, at, err := lastEnd(l.dir)
	if err != nil {
		return fmt.Errorf("record %s: %w%s", l.dir, err, l.evidence())
	}
	l.end = at
	return l.openSegment(first)
}

// openSegment goes on in the segment with a first number, and makes it where there is none. Called with the
// lock held.
func (l *Log) openSegment(first int64) error {
	if err := l.noteSegment(first); err != nil {
		return err
	}
	f, err := openFile(l.path(segmentName(first)), os.O_APPEND)
	if err != nil {
		return err
	}
	if err := syncDir(l.dir); err != nil {
		f.Close()
		return fmt.Errorf("record %s: %w", l.dir, err)
	}
	is, _, err := identify(int(f.Fd()), "")
	if err != nil {
		f.Close()
		return fmt.Errorf("record %s: %w", l.dir, err)
	}
	if l.segment != nil {
		l.segment.Close()
	}
	if first != l.first && l.first != 0 {
		l.end.size = 0
	}
	l.segment, l.segmentIs, l.first, l.begun = f, is, first, timeOfFirst(f)
	return nil
}

// rotate begins a new segment where the one that is open is full, or of an earlier day (UTC). What it holds is
// on disk then. Called with the lock held.
func (l *Log) rotate() error {
	now := l.now().UTC()
	full := l.end.size >= l.options.SegmentBytes
	old := !l.begun.IsZero() && l.begun.UTC().Format(time.DateOnly) < now.Format(time.DateOnly)
	if l.end.size == 0 || !full && !old {
		return nil
	}
	if err := l.sync(l.segment); err != nil {
		return l.die(fmt.Errorf("record %s: fsync: %w; look at that disk, then start again",
			l.path(segmentName(l.first)), cause(err)))
	}
	if err := l.openSegment(l.end.seq + 1); err != nil {
		return err
	}
	l.unsynced, l.begun = false, now
	return nil
}

// timeOfFirst returns when the first line of a segment was recorded; zero where there is none, or where it
// does not say so.
func timeOfFirst(segment io.ReaderAt) time.Time {
	line, err := bufio.NewReader(io.NewSectionReader(segment, 0, longestLine)).ReadBytes('\n')
	if err != nil {
		return time.Time{}
	}
	return timeOf(line)
}

// timeOf returns when a line was recorded; zero where it does not say so.
func timeOf(line []byte) time.Time {
	var entry struct {
		Time time.Time `json:"time"`
	}
	if json.Unmarshal(line, &entry) != nil {
		return time.Time{}
	}
	return entry.Time
}
