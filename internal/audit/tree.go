package audit

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/a2a-acp/a2a-acp/internal/filelock"
)

// treeName is the file of the hashes of the Merkle tree over the lines of the record, in the order of
// tlog.StoredHashIndex. It holds what the last checkpoint speaks of. All of it can be made anew from the lines,
// so long as they are there.
const treeName = "tree"

// mostAdded bounds the hashes that wait in memory until they are written.
const mostAdded = 64 << 10

// ErrDamaged is in the error where the record is not what was recorded.
var ErrDamaged = errors.New("the record is damaged")

// tree is that file, open, with what was added since in memory. Close it.
type tree struct {
	f     *os.File
	write bool
	size  int64 // the number of lines
	added []tlog.Hash
	saved int64 // hashes in the file that count
}

// openTree opens the tree of the record in dir, for one process at a time where it is to be written.
func openTree(dir string, write bool) (*tree, error) {
	var f *os.File
	var err error
	if path := filepath.Join(dir, treeName); write {
		if f, err = openFile(path, 0); err == nil {
			err = lockFile(f, filelock.Alone, filelock.Longest)
		}
	} else {
		f, err = openRead(path)
	}
	if err != nil {
		if f != nil {
			f.Close()
		}
		return nil, err
	}
	return &tree{f: f, write: write}, nil
}

// begin has the tree hold what a checkpoint speaks of, and no more. The error is ErrDamaged where it holds
// another.
func (t *tree) begin(last Checkpoint) error {
	t.size, t.saved, t.added = last.Size, tlog.StoredHashCount(last.Size), nil
	if last.Size == 0 {
		return nil
	}
	root, err := tlog.TreeHash(t.size, t)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || err == nil && root != last.Root {
		return fmt.Errorf("%w: %s does not hold what the last checkpoint speaks of", ErrDamaged, treeName)
	}
	return err
}

// ReadHashes implements tlog.HashReader.
func (t *tree) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	hashes := make([]tlog.Hash, len(indexes))
	for i, index := range indexes {
		if index >= t.saved {
			hashes[i] = t.added[index-t.saved]
			continue
		}
		if _, err := t.f.ReadAt(hashes[i][:], index*tlog.HashSize); err != nil {
			return nil, err
		}
	}
	return hashes, nil
}

// add adds a line.
func (t *tree) add(leaf tlog.Hash) error {
	hashes, err := tlog.StoredHashesForRecordHash(t.size, leaf, t)
	if err != nil {
		return err
	}
	t.added = append(t.added, hashes...)
	t.size++
	if len(t.added) < mostAdded || !t.write {
		return nil
	}
	return t.flush()
}

// root returns the root over all lines.
func (t *tree) root() (tlog.Hash, error) { return tlog.TreeHash(t.size, t) }

// leaf returns the hash of the line with a number.
func (t *tree) leaf(seq int64) (tlog.Hash, error) {
	hashes, err := t.ReadHashes([]int64{tlog.StoredHashIndex(0, seq-1)})
	if err != nil {
		return tlog.Hash{}, err
	}
	return hashes[0], nil
}

// flush writes what was added.
func (t *tree) flush() error {
	text := make([]byte, 0, len(t.added)*tlog.HashSize)
	for _, h := range t.added {
		text = append(text, h[:]...)
	}
	if _, err := t.f.WriteAt(text, t.saved*tlog.HashSize); err != nil {
		return err
	}
	t.saved, t.added = t.saved+int64(len(t.added)), t.added[:0]
	return nil
}

// save puts what was added on disk.
func (t *tree) save() error {
	if err := t.flush(); err != nil {
		return err
	}
	if err := t.f.Truncate(t.saved * tlog.HashSize); err != nil {
		return err
	}
	return t.f.Sync()
}

// Close gives the file back, and lets others write it.
func (t *tree) Close() {
	unlockFile(t.f) //nolint:errcheck // closing lets go as well
	t.f.Close()
}
