package blob

import (
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// ErrNone says that there is no such blob, or none any more.
var ErrNone = errors.New("there is no such output, or none any more")

// Read returns part of the blob with a hash, at most length bytes from offset on, and how long all of it is.
func (s *Store) Read(sha256 string, offset, length int64) (part []byte, total int64, err error) {
	if sum, err := hex.DecodeString(sha256); err != nil || len(sum) != 32 {
		return nil, 0, ErrNone
	}
	f, err := os.OpenFile(filepath.Join(s.Dir, sha256), os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, ErrNone
	}
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, 0, errors.Join(err, ErrNone)
	}
	total = info.Size()
	if offset < 0 || offset > total {
		return nil, total, nil
	}
	part = make([]byte, min(length, total-offset))
	n, err := f.ReadAt(part, offset)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return part[:n], total, err
}
