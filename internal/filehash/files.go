package filehash

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Files names files by their content. A file is read again when the kernel says that it may have changed. The
// zero Files is ready, and safe for concurrent use.
type Files struct {
	fresh func(age time.Duration) bool // of tests: whether a change of that age is too young

	mu    sync.Mutex
	known map[string]file
}

// file is a file as it was when it was read.
type file struct {
	was unix.Stat_t
	sum string
}

// settled is how old the last change of a file must be for its content to be remembered: two changes within
// one tick of the clock bear the same time (git calls such files racy).
const settled = 2 * time.Second

// mostFiles bounds what is remembered.
const mostFiles = 256

// errIrregular says that a file is none that has an end: reading it could take for ever, with the lock held.
var errIrregular = errors.New("no regular file")

// Hash returns the SHA-256 of a file, in hex digits.
func (f *Files) Hash(path string) (string, error) {
	open, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0) // a FIFO must not hold us
	if err != nil {
		return "", err
	}
	defer open.Close()
	var is unix.Stat_t
	if err := unix.Fstat(int(open.Fd()), &is); err != nil {
		return "", err
	}
	if is.Mode&unix.S_IFMT != unix.S_IFREG {
		return "", errIrregular
	}
	f.mu.Lock()
	defer f.mu.Unlock() // held while it is read: two who ask at once read it once
	if known, ok := f.known[path]; ok && same(known.was, is) {
		return known.sum, nil
	}
	h := sha256.New()
	if _, err := io.Copy(h, open); err != nil {
		return "", err
	}
	sum := hex.EncodeToString(h.Sum(nil))
	if f.known == nil || len(f.known) >= mostFiles {
		f.known = map[string]file{}
	}
	delete(f.known, path)
	if !f.young(time.Since(time.Unix(is.Ctim.Unix()))) {
		f.known[path] = file{is, sum}
	}
	return sum, nil
}

func (f *Files) young(age time.Duration) bool {
	if f.fresh != nil {
		return f.fresh(age)
	}
	return age <= settled
}

// same reports whether a file is the one it was, unchanged since. Nobody but root can set the time of a
// file's last change (ctime).
func same(a, b unix.Stat_t) bool {
	return a.Dev == b.Dev && a.Ino == b.Ino && a.Size == b.Size && a.Mtim == b.Mtim && a.Ctim == b.Ctim
}
