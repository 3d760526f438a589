package secret

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// HashPrefix is what a value begins with that stands on record as its hash.
const HashPrefix = "hmac-sha256:"

// hashKeyName is the file of the key, in the state directory and not among the files of the record: a copy of the
// record goes without it.
const hashKeyName = "record-hash.key"

const hashKeyBytes = 32

// Hashes writes a value as what stands in the record in its place: HMAC-SHA256 with a key of this installation.
// The same value is always written alike, so that who has it finds where it was used; who has the record alone can
// neither read it nor try values out. Who has the key as well can: a value that can be guessed is found so. It is
// safe for concurrent use.
type Hashes struct{ key func() ([]byte, error) }

// NewHashes returns the hashes of a state directory, which must be there and ours (internal/state). The key is
// made where there is none, with the first value.
func NewHashes(dir string) *Hashes {
	path := filepath.Join(dir, hashKeyName)
	return &Hashes{key: sync.OnceValues(func() ([]byte, error) {
		key, err := readHashKey(path)
		if errors.Is(err, fs.ErrNotExist) {
			if err = makeHashKey(path); err == nil {
				key, err = readHashKey(path)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("the key for hashes of secret values: %w", err)
		}
		return key, nil
	})}
}

// Of returns what stands in a value's place.
func (h *Hashes) Of(value string) (string, error) {
	key, err := h.key()
	if err != nil {
		return "", err
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(value)) // never fails
	return HashPrefix + hex.EncodeToString(mac.Sum(nil)), nil
}

func readHashKey(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, 1<<10))
	if err != nil {
		return nil, err
	}
	key, err := hex.DecodeString(strings.TrimSuffix(string(text), "\n"))
	if err != nil || len(key) != hashKeyBytes {
		return nil, fmt.Errorf("%s is none; move it away, and another is made, with which earlier hashes are not found", path)
	}
	return key, nil
}

// makeHashKey makes the key, unless another process has just done so: whoever gives it its name first.
func makeHashKey(path string) error {
	key := make([]byte, hashKeyBytes)
	rand.Read(key)                                                    // never fails
	f, err := os.CreateTemp(filepath.Dir(path), "."+hashKeyName+".*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = fmt.Fprintf(f, "%x\n", key)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Link(f.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
