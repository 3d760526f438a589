package audit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"

	"github.com/a2a-acp/a2a-acp/internal/filelock"
)

// append puts records at the end of the file, under the lock of all processes: look at the end, write,
// fsync. On an error none of them is kept, and l.dead is set when there is no going on. Called with
// committing held, or while opening.
func (l *Log) append(batch []*record) (err error) {
	if err := l.takeLock(); err != nil {
		return err
	}
	defer func() {
		if unlockErr := unlockFile(l.lock); unlockErr != nil && err == nil {
			err = l.die(fmt.Errorf("record: unlock %s: %w", l.path(lockName), unlockErr))
		}
	}()

	head, begun := readHead(l.lock)
	if len(batch) == 0 { // who has the time looks for himself
		begun = 0
	}
	torn, err := l.look(begun)
	if err != nil {
		return err
	}
	if torn > 0 {
		repaired, err := l.setAside(torn)
		if err != nil {
			return err
		}
		batch = append([]*record{repaired}, batch...)
	}
	if err := l.missing(head); err != nil {
		return err
	}
	if len(batch) == 0 {
		return nil
	}
	return l.write(batch)
}

// takeLock waits for the lock of all processes. Where another file has its name by now, as after Accept, that
// one is the lock.
func (l *Log) takeLock() error {
	for {
		if err := lockFile(l.lock, filelock.Alone, l.patience); err != nil {
			return fmt.Errorf("record: %w", err)
		}
		named, _, err := identify(unix.AT_FDCWD, l.path(lockName))
		if err == nil && named == l.lockIs {
			return nil
		}
		unlockFile(l.lock) //nolint:errcheck // nobody else waits for it
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("record: lock %s: %w", l.path(lockName), err)
		}
		if err := l.openLock(); err != nil {
			return err
		}
	}
}

// identity is which file a name stands for; of those that are there at a time, each has its own.
type identity struct{ dev, inode uint64 }

// openLock opens the lock of all processes, in place of the one that is open.
func (l *Log) openLock() error {
	f, err := openFile(l.path(lockName), 0)
	if err != nil {
		return err
	}
	is, _, err := identify(int(f.Fd()), "")
	if err != nil {
		f.Close()
		return fmt.Errorf("record: lock %s: %w", l.path(lockName), err)
	}
	leaveAccessTime(f)
	within, err := os.Open(l.dir) // where it is another by now, so is the lock that has its name
	if err != nil {
		f.Close()
		return fmt.Errorf("record: %w", err)
	}
	if l.lock != nil {
		l.lock.Close()
		l.within.Close()
	}
	l.lock, l.lockIs, l.within = f, is, within
	return nil
}

// untouched reports whether the record ends as we left it: the segment has its name and its size still, and is the
// one that was begun last. It is asked before each line, so it is one system call.
func (l *Log) untouched(begun int64) bool {
	if begun != l.first {
		return false
	}
	named, size, err := identify(int(l.within.Fd()), segmentName(l.first))
	return err == nil && size == l.end.size && named == l.segmentIs
}

// look sees to it that l.end is how the file ends now, and counts the bytes of a torn last line behind it. begun is
// the segment that was begun last, as the lock file says.
func (l *Log) look(begun int64) (torn int64, err error) {
	if l.untouched(begun) {
		return 0, nil
	}
	if err := l.afterRetirement(); err != nil {
		return 0, err
	}
	for {
		if torn, err = l.lookAtSegment(); err != nil || torn > 0 {
			return torn, err
		}
		next := l.end.seq + 1
		if _, err := os.Lstat(l.path(segmentName(next))); next == l.first || errors.Is(err, fs.ErrNotExist) {
			return 0, nil
		}
		if err := l.openSegment(next); err != nil { // another process has begun it
			return 0, err
		}
	}
}

// afterRetirement goes on in the last segment where the one that is open was removed since, with all before
// it, as another process does with what is older than it is kept. Whether that is on record, Verify says.
func (l *Log) afterRetirement() error {
	if _, err := os.Lstat(l.path(segmentName(l.first))); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	list, err := listSegments(l.dir)
	if err != nil || len(list) == 0 || list[0].first <= l.end.seq {
		return nil //nolint:nilerr // what became of the segment is found out next
	}
	first, at, err := lastEnd(l.dir)
	if err != nil {
		return l.die(fmt.Errorf("record %s: %w%s", l.dir, err, l.evidence()))
	}
	if err := l.openSegment(first); err != nil {
		return err
	}
	l.end = at
	return nil
}

// lookAtSegment is look for the one segment that is open.
func (l *Log) lookAtSegment() (torn int64, err error) {
	path := l.path(segmentName(l.first))
	info, err := l.segment.Stat()
	if err != nil {
		return 0, l.die(fmt.Errorf("record %s: %w", path, err))
	}
	if named, err := os.Stat(path); err != nil || !os.SameFile(info, named) {
		return 0, l.die(fmt.Errorf("record %s: another program moved or removed the file; do not rotate it, "+
			"and start again", path))
	}
	size := info.Size()
	if size == l.end.size {
		return 0, nil
	}
	if size < l.end.size {
		return 0, l.mark(Truncated, fmt.Errorf("record %s: another program cut it from %d to %d bytes%s",
			path, l.end.size, size, l.evidence()))
	}
	now, err := readEnd(l.segment, size)
	if err == nil && now.seq == 0 && l.end.size == 0 { // nothing but a torn line
		now = end{seq: l.end.seq, hash: l.end.hash, size: now.size}
	}
	if err == nil && now.seq < l.end.seq {
		return 0, l.mark(RolledBack, fmt.Errorf("record %s: another program wrote into it: the last line has number %d, "+
			"though %d was written before%s", path, now.seq, l.end.seq, l.evidence()))
	}
	if err != nil {
		return 0, l.die(fmt.Errorf("record %s: another program wrote into it: %w%s", path, err, l.evidence()))
	}
	l.end = now
	return size - now.size, nil
}

// write appends the lines of a batch in one write and puts them on disk if one of them must be.
func (l *Log) write(batch []*record) error {
	if err := l.rotate(); err != nil {
		return err
	}
	next, durable, size := l.end, false, 0
	for _, r := range batch {
		size += envelopeSize + len(r.body)
	}
	lines := make([]byte, 0, size)
	for _, r := range batch {
		lines = next.follow(lines, r)
		durable = durable || r.durable
	}
	if _, err := l.segment.Write(lines); err != nil {
		return l.undo(err)
	}
	l.unsynced = true
	if durable {
		if err := l.sync(l.segment); err != nil {
			return l.die(fmt.Errorf("record %s: fsync: %w; look at that disk, then start again",
				l.path(segmentName(l.first)), cause(err)))
		}
		l.unsynced = false
	}
	l.end = next
	if l.begun.IsZero() {
		l.begun = l.now()
	}
	l.unsigned += len(batch)
	l.plan()
	if durable {
		l.noteHead()
	}
	return nil
}

// undo takes back what a failed write left. For lack of room that is enough: the next Record may find some.
// After any other error the disk cannot be trusted.
func (l *Log) undo(failed error) error {
	err := fmt.Errorf("record %s: write: %w", l.path(segmentName(l.first)), cause(failed))
	if !noRoom(failed) {
		return l.die(fmt.Errorf("%w; look at that disk, then start again", err))
	}
	if truncateErr := l.segment.Truncate(l.end.size); truncateErr != nil {
		return l.die(fmt.Errorf("%w, and half a line stays: %w; make room on that disk, then start again",
			err, cause(truncateErr)))
	}
	return fmt.Errorf("%w%s", err, cureOf(failed))
}

// die ends the Log: every later Record fails with the same reason, until what is wrong is accepted.
func (l *Log) die(why error) error {
	l.marked = Marked(l.dir) != nil
	l.dead = fmt.Errorf("%w: %w", ErrDead, why)
	return l.dead
}

// mark ends the Log, and marks the record: before the next checkpoint it is this process that knows what stood at its
// end, and whoever opens it next would write it on.
func (l *Log) mark(kind Kind, why error) error {
	m := mark{Kind: kind, Seq: l.end.seq, Found: l.now().UTC()}
	return l.die(errors.Join(why, m.write(l.dir)))
}

// refusal says why a record that is damaged is not written on.
func (l *Log) refusal(err error) error {
	return fmt.Errorf("record %s: %w%s", l.dir, err, l.evidence())
}

// evidence is what to do about a record that somebody has changed.
func (l *Log) evidence() string {
	return "; keep it as evidence: a2a-acp audit verify says what was changed, and with --accept-damage " +
		"puts it aside and begins a new one"
}

// cause takes the operation and the path off an error, which ours name already.
func cause(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
