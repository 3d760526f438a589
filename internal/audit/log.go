package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/a2a-acp/a2a-acp/internal/filelock"
	"github.com/a2a-acp/a2a-acp/pkg/events"
)

const lockName = "lock"

// ErrDead is what every Record returns after the disk refused a write, or after another program changed the
// record. Only a new Log can write again, or this one in a record whose damage was accepted (Accept).
var ErrDead = errors.New("this process can record nothing more")

// errClosed is what Record returns after Close.
var errClosed = errors.New("the record was closed")

// Log is the record, open for appending. It implements events.Recorder and is safe for concurrent use.
// Close it.
type Log struct {
	dir     string
	options Options

	now   func() time.Time
	newID func(time.Time) string
	// patience is how long another process may hold the lock.
	patience time.Duration
	sync     func(*os.File) error

	// mu guards waiting. It is taken with committing held, or alone, and never held during a system call.
	mu      sync.Mutex
	waiting []*record

	// committing is held by the goroutine that writes, on behalf of all that wait. It guards everything
	// below.
	committing sync.Mutex
	segment    *os.File
	segmentIs  identity  // which file that is
	first      int64     // the number of the first line of segment
	begun      time.Time // when that was written; zero while there is none
	lock       *os.File
	lockIs     identity // likewise
	within     *os.File // the directory that they are in
	end        end      // how the record ended when we last let go of the lock
	unmarking  bool     // its mark is about to be taken off
	unsynced   bool     // there are lines of ours that no fsync has followed
	dead       error    // why nothing more is written; nil while all is well
	dirIs      identity // which directory the record is in
	marked     bool     // it had a mark after this Log died

	unsigned int         // lines of ours since the last checkpoint that we began to make
	timer    *time.Timer // that makes the next one; nil where none is needed
	closing  bool        // nothing more is begun
	signing  sync.WaitGroup
	tended   atomic.Bool  // somebody is told when it dies (Tend)
	told     atomic.Int64 // the size of the checkpoint that was handed on last
}

// Open opens the record in dir for appending and makes what is missing: the directory (mode 0700) and its
// files (0600). A last line that was torn by a crash is moved aside. Every error names a file and what to
// do; a record that ends in something that is none of ours is refused.
func Open(dir string) (*Log, error) { return Options{}.Open(dir) }

// Options are what a Log may be told; the zero value is what most want.
type Options struct {
	// SegmentBytes is the size of a segment from which on the next one is begun; 0 for 64 MiB.
	SegmentBytes int64
	// CheckpointEvery is how long a line waits for its checkpoint, 0 for a minute, and CheckpointLines how
	// many do, 0 for a thousand.
	CheckpointEvery time.Duration
	CheckpointLines int
	// Keep is how long a line is kept at the least; 0 for ever. Whole segments are removed then.
	Keep time.Duration
	// Checkpointed hears of each checkpoint that this Log makes or finds when it is to make one, from any
	// goroutine; nil for nobody.
	Checkpointed func(Checkpoint)
	// Hide takes out of a text what must not stand on record; nil takes out nothing. It is called with texts, and with
	// texts of JSON. Safe for concurrent use.
	Hide func(text string) string
	// Say hears what goes wrong where nobody waits for an answer; nil for nobody.
	Say func(string)
}

// Open is the function Open with these options.
func (o Options) Open(dir string) (*Log, error) {
	l := newLog(dir, o)
	if err := l.open(); err != nil {
		l.closeFiles()
		return nil, err
	}
	return l, nil
}

func newLog(dir string, o Options) *Log {
	o.SegmentBytes = cmp.Or(o.SegmentBytes, 64<<20)
	o.CheckpointEvery = cmp.Or(o.CheckpointEvery, time.Minute)
	o.CheckpointLines = cmp.Or(o.CheckpointLines, 1000)
	if o.Checkpointed == nil {
		o.Checkpointed = func(Checkpoint) {}
	}
	if o.Say == nil {
		o.Say = func(string) {}
	}
	return &Log{dir: filepath.Clean(dir), options: o, now: time.Now, newID: newID, patience: filelock.Longest, sync: (*os.File).Sync}
}

func (l *Log) open() error {
	switch err := os.Mkdir(l.dir, 0o700); {
	case err == nil:
		if err := syncDir(filepath.Dir(l.dir)); err != nil {
			return fmt.Errorf("record %s: %w", l.dir, err)
		}
	case !errors.Is(err, fs.ErrExist):
		return fmt.Errorf("record: %w%s", err, cureOf(err))
	}
	if err := l.openLock(); err != nil {
		return err
	}
	err := errors.Join(checkEnd(l.dir), checkRecent(l.dir))
	if err == nil && !l.unmarking {
		err = Marked(l.dir)
	}
	if err != nil {
		return l.refusal(err)
	}
	if err := l.openLast(); err != nil {
		return err
	}
	if err := l.append(nil); err != nil {
		return err
	}
	if l.dirIs, _, err = identify(unix.AT_FDCWD, l.dir); err != nil {
		return fmt.Errorf("record %s: %w", l.dir, err)
	}
	l.marked = false
	return nil
}

// Check looks at what Open looks at in the record in dir, and changes nothing: its end, what was recorded since the
// last checkpoint, and its mark. The error is ErrDamaged where Open would refuse it. A record that is not there yet is
// none that is damaged.
func Check(dir string) error {
	if err := errors.Join(checkEnd(dir), checkRecent(dir)); err != nil {
		return err // which its mark would say once more
	}
	return Marked(dir)
}

// openFile opens a file of the record for writing. It follows no link: nobody else can write in the
// directory, so there is none that we made.
func openFile(path string, how int) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW|how, 0o600)
	if err != nil {
		return nil, fmt.Errorf("record: %w%s", err, cureOf(err))
	}
	return f, nil
}

// openRead opens a file of a record for reading. A copy of a record may come from anybody: no link is
// followed, and nothing else than a file is opened, since reading that may never end.
func openRead(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: errors.New("it is no file")}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func (l *Log) path(name string) string { return l.dir + string(filepath.Separator) + name }

// Record keeps an event as events.Recorder promises. ctx is not looked at: an act that was called off is
// recorded like any other. It blocks while another process writes, and on the disk.
func (l *Log) Record(_ context.Context, event events.Event) error {
	now := l.now()
	r, err := newRecord(event, now, l.newID(now), l.options.Hide)
	if err != nil {
		return fmt.Errorf("record: %w", err)
	}
	l.mu.Lock()
	l.waiting = append(l.waiting, r)
	l.mu.Unlock()

	// Whoever gets here first writes for all that wait, with one write and one fsync. The others find
	// theirs done.
	l.committing.Lock()
	defer l.committing.Unlock()
	if !r.done {
		l.commit()
	}
	return r.err
}

// commit writes what waits. Called with committing held.
func (l *Log) commit() {
	l.mu.Lock()
	batch := l.waiting
	l.waiting = nil
	l.mu.Unlock()
	err := l.revive()
	if err == nil {
		if err = l.append(batch); err != nil && l.dead != nil && l.revive() == nil { // it was put aside a moment ago
			err = l.append(batch)
		}
	}
	for _, r := range batch {
		r.done, r.err = true, err
	}
}

// Close puts what was recorded on disk, signs it, and gives the files back. Record fails from then on.
func (l *Log) Close() error {
	l.committing.Lock()
	l.closing = true
	l.committing.Unlock()
	l.signing.Wait()

	l.committing.Lock()
	defer l.committing.Unlock()
	if l.segment == nil {
		return nil
	}
	var err error
	if l.unsynced && l.dead == nil {
		if err = l.sync(l.segment); err != nil {
			err = fmt.Errorf("record %s: %w", l.path(segmentName(l.first)), err)
		}
	}
	if l.timer != nil {
		l.timer.Stop()
	}
	if l.unsigned > 0 && l.dead == nil {
		err = errors.Join(err, l.checkpoint())
	}
	l.closeFiles()
	if l.dead == nil {
		l.dead = errClosed
	}
	return err
}

func (l *Log) closeFiles() {
	for _, f := range []*os.File{l.segment, l.lock, l.within} {
		if f != nil {
			f.Close()
		}
	}
	l.segment, l.lock, l.within = nil, nil, nil
}

// syncDir puts the names in a directory on disk.
func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.Sync()
}

// cureOf is what to do about a file that cannot be opened or written.
func cureOf(err error) string {
	switch {
	case noRoom(err):
		return "; make room on that disk"
	case errors.Is(err, unix.EROFS), errors.Is(err, fs.ErrPermission):
		return "; make it writable, or set A2A_STATE_DIR to a directory that is"
	case errors.Is(err, unix.ELOOP):
		return "; remove that link"
	}
	return "; set A2A_STATE_DIR to another directory"
}

// noRoom reports whether a write failed for lack of room: a full disk, a quota, or a limit on the size of a
// file.
func noRoom(err error) bool {
	return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) || errors.Is(err, unix.EFBIG)
}
