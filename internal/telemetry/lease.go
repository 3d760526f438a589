package telemetry

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"github.com/a2a-acp/a2a-acp/internal/atomicfile"
	"github.com/a2a-acp/a2a-acp/internal/audit"
)

// errTaken is returned where another process sends to the same place.
var errTaken = errors.New("another process sends to the same place")

// leased is the right to send to one place, and how far that has come. The kernel takes it back with the process.
// It is a file and no row of the database, which a bridge does not open for this.
type leased struct {
	lock  *os.File
	place string // the file that holds how far
	from  audit.Cursor
}

// lease takes the right to send to a place.
func lease(dir string, d *Destination) (*leased, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	sum := sha256.New()
	for _, s := range []*Signal{d.Traces, d.Metrics} {
		if s != nil {
			fmt.Fprintln(sum, s.URL)
		}
	}
	path := filepath.Join(dir, hex.EncodeToString(sum.Sum(nil)[:8]))
	lock, err := os.OpenFile(path+".lock", os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		lock.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, errTaken
		}
		return nil, err
	}
	return &leased{lock: lock, place: path + ".json"}, nil
}

// release lets the next one send. To close the file does not always: a process that is started at this moment has it
// open, too, until it runs its program.
func (l *leased) release() {
	_ = syscall.Flock(int(l.lock.Fd()), syscall.LOCK_UN) // closing lets go in the end
	l.lock.Close()
}

// read reads how far it has come, and reports whether that is written down.
func (l *leased) read() bool {
	data, err := os.ReadFile(l.place)
	return err == nil && json.Unmarshal(data, &l.from) == nil
}

// keep writes down how far it has come. Where that cannot be done, the next one tells some spans again.
func (l *leased) keep() {
	if data, err := json.Marshal(l.from); err == nil {
		_ = atomicfile.Write(l.place, data, 0o600)
	}
}
