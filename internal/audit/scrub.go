package audit

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math/bits"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/mod/sumdb/tlog"
	"golang.org/x/sys/unix"
)

// Whoever opens a record looks at its end, so that a long one is open at once. What stands before is read again by
// processes that live long, a little at a time (Tend), once a day for all of them together.
const (
	scrubbedName = "scrubbed"       // the file that says how far that is; it is locked by the process that does it
	scrubDelay   = 30 * time.Second // after the start, which is nobody's to slow down
	scrubAgain   = time.Hour        // until it is looked whether there is something to do
	scrubEvery   = 24 * time.Hour
	scrubSave    = 64 << 20 // bytes between two notes of how far it is
	// scrubWork is how long is worked until there is a pause that makes it a twentieth of a processor.
	scrubWork  = 5 * time.Millisecond
	scrubShare = 20
)

// scrubbed says how far the record was read again. Whoever can write the record can write this as well, and so
// put off that damage is found; no longer than until the next who reads all of it (Verify).
type scrubbed struct {
	Seq    int64       `json:"seq,omitempty"`    // the last line that was read; 0 for none
	Hash   string      `json:"hash,omitempty"`   // of that
	Hashes []tlog.Hash `json:"hashes,omitempty"` // what goes on with the Merkle tree (compactRange)
	Done   time.Time   `json:"done,omitzero"`    // when all of it had been read last
}

// scrubOnce reads what is due. It returns ErrDamaged where the record is damaged, or was marked so by another, and
// other errors for what keeps it from telling, which passes.
func (l *Log) scrubOnce(ctx context.Context, pause func() error) error {
	err := Marked(l.dir)
	if err == nil {
		err = scrub(l.dir, l.now(), pause)
	}
	if errors.Is(err, errDoubt) && ctx.Err() == nil {
		err = l.judge(ctx)
	}
	if !errors.Is(err, ErrDamaged) {
		return err
	}
	l.committing.Lock()
	defer l.committing.Unlock()
	if l.dead != nil {
		return l.dead
	}
	return l.die(l.refusal(err))
}

// judge has the whole record verified, since a doubt may come from what says how far it was read.
func (l *Log) judge(ctx context.Context) error {
	report, err := Verify(l.dir, VerifyOptions{pause: ctx.Err})
	if err != nil {
		return err
	}
	for _, p := range report.Problems {
		if p.Kind == Torn {
			continue
		}
		m := mark{Kind: p.Kind, Seq: p.Seq, Found: l.now().UTC()}
		return errors.Join(m.error(), m.write(l.dir))
	}
	f, err := openFile(l.path(scrubbedName), 0)
	if err != nil {
		return err
	}
	defer f.Close()
	return scrubbed{Done: l.now().UTC()}.write(f)
}

// errDoubt says that something is not as it should be.
var errDoubt = errors.New("a line is not the one that was recorded")

// scrub reads on in the record, up to its last checkpoint, unless another process does or all of it was read
// not long ago. pause is called before each piece, and its error ends it.
func scrub(dir string, now time.Time, pause func() error) error {
	f, err := openFile(filepath.Join(dir, scrubbedName), 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return err
	}
	at := readScrubbed(f)
	if since := now.Sub(at.Done); since >= 0 && since < scrubEvery {
		return nil
	}
	key, err := ownVerifier(dir)
	if err != nil || key == nil {
		return err
	}
	last, err := lastCheckpoint(dir, key)
	if errors.Is(err, ErrDamaged) {
		return errDoubt
	} else if err != nil || last.Size == 0 {
		return err
	}
	whole, err := openStream(dir)
	if err != nil {
		return err
	}
	defer whole.Close()
	whole.pause = pause
	tree, err := openLeaves(dir, last)
	if err != nil {
		return err
	}
	defer tree.Close()
	err = at.read(whole, tree, last, f)
	switch {
	case err == nil:
		return scrubbed{Done: now.UTC()}.write(f)
	case !errors.Is(err, errDoubt):
		return errors.Join(err, at.write(f))
	}
	return err
}

// read reads on, up to the lines of which a checkpoint speaks.
func (at *scrubbed) read(whole *stream, tree *leaves, last Checkpoint, f *os.File) error {
	lines, ok, err := at.place(whole, last)
	if err != nil {
		return err
	}
	if !ok { // from the beginning, in front of which lines may have been removed
		before := whole.first() - 1
		*at = scrubbed{Seq: before, Hashes: tree.before(before).hashes}
		lines = whole.lines(0, 0)
	}
	if len(at.Hashes) != bits.OnesCount64(uint64(at.Seq)) { // the tree is gone, and lines were removed
		return errDoubt
	}
	so, begun := compactRange{size: at.Seq, hashes: at.Hashes}, lines.offset
	for at.Seq < last.Size {
		line, err := lines.raw()
		var damage *Damage
		switch {
		case errors.Is(err, io.EOF), errors.As(err, &damage):
			return errDoubt
		case err != nil:
			return err
		}
		so.add(tlog.RecordHash(line))
		at.Seq, at.Hash, at.Hashes = at.Seq+1, lineHash(line), so.hashes
		if lines.offset-begun < scrubSave {
			continue
		}
		begun = lines.offset
		if err := at.write(f); err != nil {
			return err
		}
	}
	if so.root() != last.Root { // of all bytes of all lines, in their order
		return errDoubt
	}
	return nil
}

// place finds where to go on. ok is false where the record is none that this speaks of.
func (at *scrubbed) place(whole *stream, last Checkpoint) (_ lineReader, ok bool, _ error) {
	if at.Seq < whole.first() || at.Seq >= last.Size || len(at.Hashes) != bits.OnesCount64(uint64(at.Seq)) {
		return lineReader{}, false, nil
	}
	offset, err := findSeq(whole, at.Seq)
	if errors.Is(err, ErrCursor) {
		return lineReader{}, false, nil
	} else if err != nil {
		return lineReader{}, false, err
	}
	lines := whole.lines(offset, at.Seq-1)
	line, err := lines.raw()
	return lines, err == nil && lineHash(line) == at.Hash, nil
}

// readScrubbed reads what was noted last; what cannot be read says nothing.
func readScrubbed(f io.Reader) scrubbed {
	text, err := io.ReadAll(io.LimitReader(f, 64<<10))
	var at scrubbed
	if err != nil || json.Unmarshal(text, &at) != nil {
		return scrubbed{}
	}
	return at
}

// write notes how far it is. It need not be on disk: what a power cut takes back is read once more.
func (at scrubbed) write(f *os.File) error {
	text, err := json.Marshal(at)
	if err != nil {
		return err
	}
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err = f.WriteAt(append(text, '\n'), 0)
	return err
}

// newPace returns what has a goroutine work no more than a share of its time, until ctx ends.
func newPace(ctx context.Context) func() error {
	began := time.Now()
	return func() error {
		worked := time.Since(began)
		if worked < scrubWork {
			return ctx.Err()
		}
		select {
		case <-ctx.Done():
		case <-time.After(min(worked, time.Second/10) * (scrubShare - 1)):
		}
		began = time.Now()
		return ctx.Err()
	}
}
