package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/a2a-acp/a2a-acp/internal/filelock"
)

// damaged is ErrDamaged for a record in which a line is not the one that was recorded.
func damaged(err error) error {
	var line *Damage
	if errors.As(err, &line) {
		line.Broken = true
	}
	return fmt.Errorf("%w: %w", ErrDamaged, err)
}

// advance takes the lines of the record that the tree does not hold yet into it, each of which must follow the
// one before. The error is ErrDamaged where one does not, or where the last line that the tree holds is another
// by now.
func (t *tree) advance(whole *stream) error {
	if first := whole.first(); first > t.size+1 {
		return damaged(fmt.Errorf("it begins with number %d, and the last checkpoint speaks of %d lines", first, t.size))
	}
	lines, prev := whole.lines(0, 0), ""
	if t.size > 0 {
		offset, err := findSeq(whole, t.size)
		if errors.Is(err, ErrCursor) {
			return damaged(fmt.Errorf("number %d is gone, of which the last checkpoint speaks", t.size))
		} else if err != nil {
			return damaged(err)
		}
		lines = whole.lines(offset, t.size-1)
		line, err := lines.raw()
		if err != nil {
			return damaged(err)
		}
		leaf, err := t.leaf(t.size)
		if err != nil {
			return err
		}
		if tlog.RecordHash(line) != leaf {
			return damaged(lines.damaged(fmt.Sprintf("number %d is not what was recorded", t.size)))
		}
		prev = lineHash(line)
	}
	for {
		line, err := lines.raw()
		var damage *Damage
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.As(err, &damage):
			return damaged(err)
		case err != nil:
			return err
		}
		if why := outOfLine(line, t.size+1, prev); why != "" {
			return damaged(lines.damaged(why))
		}
		prev = lineHash(line)
		if err := t.add(tlog.RecordHash(line)); err != nil {
			return err
		}
	}
}

// lineHash is what the line behind another one has as its prev.
func lineHash(line []byte) string {
	sum := sha256.Sum256(line)
	return hex.EncodeToString(sum[:])
}

// upToDate has the tree hold all lines that are there now, and returns the last checkpoint. A tree that is gone,
// or holds something else than that, is made anew where the lines agree with it.
func (t *tree) upToDate(dir string, key note.Verifier) (Checkpoint, *stream, error) {
	last, err := lastCheckpoint(dir, key)
	if err != nil {
		return Checkpoint{}, nil, err
	}
	whole, err := openStream(dir)
	if err != nil {
		return Checkpoint{}, nil, err
	}
	if err := t.begin(last); errors.Is(err, ErrDamaged) {
		err = t.begin(Checkpoint{})
		if err == nil {
			err = t.advance(whole)
		}
		if err == nil && t.size >= last.Size {
			var root tlog.Hash
			if root, err = tlog.TreeHash(last.Size, t); err == nil && root != last.Root {
				err = fmt.Errorf("%w: among its first %d lines is one that is not what was recorded", ErrDamaged, last.Size)
			}
		}
		if err == nil && t.size < last.Size {
			err = shorter(t.size, last)
		}
		return last, whole, err
	} else if err != nil {
		return last, whole, err
	}
	if err := t.advance(whole); err != nil {
		return last, whole, err
	}
	return last, whole, nil
}

func shorter(size int64, last Checkpoint) error {
	return fmt.Errorf("%w: it ends at number %d, and the last checkpoint speaks of %d lines", ErrDamaged, size, last.Size)
}

// recentLines is how many lines of a record are looked at when it is opened: about 200 KB, half a millisecond.
const recentLines = 500

// checkRecent looks whether the last lines follow each other, however many checkpoints speak of them.
func checkRecent(dir string) error {
	unlock, err := readLock(dir, filelock.Longest) // so that nothing is removed meanwhile
	if err != nil {
		return err
	}
	defer unlock()
	_, last, err := lastEnd(dir)
	if err != nil || last.seq < 2 {
		return nil //nolint:nilerr // openLast, which follows, says so
	}
	whole, err := openStream(dir)
	if err != nil {
		return err
	}
	defer whole.Close()
	from := max(whole.first(), last.seq-recentLines)
	offset, err := findSeq(whole, from)
	if errors.Is(err, ErrCursor) {
		return damaged(fmt.Errorf("number %d is gone", from))
	} else if err != nil {
		return damaged(err)
	}
	lines, prev := whole.lines(offset, from-1), ""
	for seq := from; ; seq++ {
		line, err := lines.raw()
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return damaged(err)
		}
		if seq > from { // what the first one follows is not looked at
			if why := outOfLine(line, seq, prev); why != "" {
				return damaged(lines.damaged(why))
			}
		}
		prev = lineHash(line)
	}
}

// outOfLine says why a line is not the one with a number behind the line that has the hash prev; "" where it is.
func outOfLine(line []byte, seq int64, prev string) string {
	at, err := parseEnvelope(line)
	switch {
	case err != nil:
		return err.Error()
	case at.seq != seq:
		return fmt.Sprintf("it has number %d, and the one before %d", at.seq, seq-1)
	case string(at.prev) != prev:
		return "its prev is not the hash of the line before: one of both is not what was recorded"
	}
	return ""
}

// checkEnd looks at what was recorded since the last checkpoint, and whether the record still holds the line that
// this one ends with. It takes a moment only: what stands before is for Verify.
func checkEnd(dir string) error {
	public, err := PublicKey(dir)
	if err != nil || public == "" {
		return err
	}
	key, err := verifierOf(public)
	if err != nil {
		return err
	}
	unlock, err := readLock(dir, filelock.Longest) // so that nothing that a later checkpoint speaks of is removed meanwhile
	if err != nil {
		return err
	}
	defer unlock()
	last, err := lastCheckpoint(dir, key)
	if err != nil || last.Size == 0 {
		return err
	}
	t, err := openTree(dir, false)
	if errors.Is(err, os.ErrNotExist) {
		return nil // it is made anew with the next checkpoint
	} else if err != nil {
		return err
	}
	defer t.Close()
	if err := t.begin(last); errors.Is(err, ErrDamaged) {
		return nil // likewise
	} else if err != nil {
		return err
	}
	whole, err := openStream(dir)
	if err != nil {
		return err
	}
	defer whole.Close()
	return t.advance(whole)
}

// MakeCheckpoint signs the record in dir as it is now, in front of the lines that are on disk by then, and
// returns the checkpoint, which is the last one where nothing was recorded since. made reports whether it is
// new. The error is ErrDamaged where the record is not what was recorded: then nothing is signed.
func MakeCheckpoint(dir string) (made bool, _ Checkpoint, err error) {
	t, err := openTree(dir, true)
	if err != nil {
		return false, Checkpoint{}, err
	}
	defer t.Close()
	signer, err := openKey(dir)
	if err != nil {
		return false, Checkpoint{}, err
	}
	public, err := PublicKey(dir)
	if err != nil {
		return false, Checkpoint{}, err
	}
	key, err := verifierOf(public)
	if err != nil {
		return false, Checkpoint{}, err
	}
	last, whole, err := t.upToDate(dir, key)
	if whole != nil {
		defer whole.Close()
	}
	if err == nil && t.size == last.Size && len(t.added) > 0 {
		err = t.save() // it was made anew
	}
	if err != nil || t.size == last.Size {
		return false, last, err
	}
	if err := whole.sync(); err != nil { // a checkpoint never speaks of what a power cut could take back
		return false, last, err
	}
	if err := t.save(); err != nil {
		return false, last, err
	}
	next := Checkpoint{Size: t.size}
	if next.Root, err = t.root(); err != nil {
		return false, last, err
	}
	signed, err := note.Sign(&note.Note{Text: checkpointText(signer.Name(), next.Size, next.Root)}, signer)
	if err != nil {
		return false, last, err
	}
	next.Note = string(signed)
	f, err := openFile(filepath.Join(dir, checkpointsName), os.O_APPEND)
	if err != nil {
		return false, last, err
	}
	defer f.Close()
	return true, next, appendNote(f, next.Note)
}
