package audit

import (
	"errors"
	"io/fs"
	"math/bits"
	"path/filepath"

	"golang.org/x/mod/sumdb/tlog"
)

// leaves are the hashes of lines that a checkpoint speaks of, for whoever reads the lines in order. Close it.
type leaves struct {
	t     tree
	block []byte // of the file
	begin int64  // of block, in bytes
}

// openLeaves opens the tree of the record in dir. One that is not what the checkpoint speaks of holds nothing:
// it is made anew with the next checkpoint, and nothing follows from it for the lines.
func openLeaves(dir string, last Checkpoint) (*leaves, error) {
	f, err := openRead(filepath.Join(dir, treeName))
	if errors.Is(err, fs.ErrNotExist) {
		return &leaves{}, nil
	} else if err != nil {
		return nil, err
	}
	l := &leaves{t: tree{f: f}}
	if err := l.t.begin(last); err != nil {
		l.t.size = 0
	}
	return l, nil
}

// Close gives the file back.
func (l *leaves) Close() {
	if l.t.f != nil {
		l.t.f.Close()
	}
}

// has reports whether the line with a number is known.
func (l *leaves) has(seq int64) bool { return seq >= 1 && seq <= l.t.size }

// holds reports whether the line with a number is known, and is this one.
func (l *leaves) holds(seq int64, leaf tlog.Hash) (known, same bool) {
	if !l.has(seq) {
		return false, false
	}
	at := tlog.StoredHashIndex(0, seq-1) * tlog.HashSize
	if at < l.begin || at+tlog.HashSize > l.begin+int64(len(l.block)) {
		block := make([]byte, 64<<10)
		n, _ := l.t.f.ReadAt(block, at) //nolint:errcheck // what cannot be read is not known
		l.begin, l.block = at, block[:n]
		if n < tlog.HashSize {
			return false, false
		}
	}
	return true, leaf == tlog.Hash(l.block[at-l.begin:][:tlog.HashSize])
}

// before returns the range of the first n lines, which need not be there any more; the empty range where they
// are not known.
func (l *leaves) before(n int64) compactRange {
	if n > l.t.size {
		return compactRange{}
	}
	var r compactRange
	var indexes []int64
	for left, done := n, int64(0); left > 0; {
		level := bits.Len64(uint64(left)) - 1
		indexes = append(indexes, tlog.StoredHashIndex(level, done>>level))
		left -= 1 << level
		done += 1 << level
	}
	hashes, err := l.t.ReadHashes(indexes)
	if err != nil {
		return r
	}
	return compactRange{size: n, hashes: hashes}
}

// compactRange is what must be known of some lines to go on with their Merkle tree: the roots of its complete
// subtrees, the largest first (RFC 6962, 2.1).
type compactRange struct {
	size   int64
	hashes []tlog.Hash
}

// add adds a line.
func (r *compactRange) add(leaf tlog.Hash) {
	r.hashes = append(r.hashes, leaf)
	for n := r.size; n&1 == 1; n >>= 1 {
		last := len(r.hashes) - 2
		r.hashes[last] = tlog.NodeHash(r.hashes[last], r.hashes[last+1])
		r.hashes = r.hashes[:last+1]
	}
	r.size++
}

// root returns the root over all lines, of which there is at least one.
func (r *compactRange) root() tlog.Hash {
	root := r.hashes[len(r.hashes)-1]
	for i := len(r.hashes) - 2; i >= 0; i-- {
		root = tlog.NodeHash(r.hashes[i], root)
	}
	return root
}
