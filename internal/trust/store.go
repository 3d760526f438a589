package trust

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/state"
)

// Name is the file in the state directory.
const Name = "trust.json"

// mostDirectories bounds the file, together with longestText.
const mostDirectories = 2000

// ErrTooMany says that no more directories can be trusted.
var ErrTooMany = errors.New("there are too many trusted directories; " +
	"take some back: a2a-acp trust --list, a2a-acp trust --revoke DIR")

// Directory is a workspace whose own files somebody trusts, or a single file: then Dir is its path, and Files
// has nothing but its last name.
type Directory struct {
	Dir   string    `json:"dir"` // absolute, without links
	Since time.Time `json:"since"`
	By    string    `json:"by"` // who, and at which terminal
	// Files are the workspace's own files, by their names relative to Dir. One that was not there has no
	// entry.
	Files map[string]Pin `json:"files"`
	// Scripts are the hashes of the workspace's scripts that its tools name, by their names relative to
	// Dir; "" for one that was not there.
	Scripts map[string]string `json:"scripts,omitempty"`
}

// Pin is a file as it was read.
type Pin struct {
	SHA256 string `json:"sha256"`
	// Text is what was read, so that a change can be shown; "" where it was longer than is kept.
	Text string `json:"text,omitempty"`
}

// longestText is how long a text may be that is kept, in bytes.
const longestText = 32 << 10

// NewPin pins the bytes that were read.
func NewPin(data []byte) Pin {
	pin := Pin{SHA256: Hash(data)}
	if len(data) <= longestText {
		pin.Text = string(data)
	}
	return pin
}

// Hash names a content: SHA-256, in hexadecimal.
func Hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Store is what is trusted, in one file of the state directory that all programs of the user share.
type Store struct{ file state.Shared }

// In names the store of a state directory. It touches nothing.
func In(stateDir string) Store { return Store{state.SharedFile(stateDir, Name)} }

// Path is where the store of a state directory lies.
func Path(stateDir string) string { return filepath.Join(stateDir, Name) }

// content is what the file holds.
type content struct {
	Directories map[string]Directory `json:"directories"`
}

// Lookup returns what is trusted of a directory.
func (s Store) Lookup(dir string) (Directory, bool, error) {
	var c content
	if err := s.file.Read(&c); err != nil {
		return Directory{}, false, err
	}
	found, ok := c.Directories[dir]
	return found, ok, nil
}

// List returns all directories, by their names.
func (s Store) List() ([]Directory, error) {
	var c content
	if err := s.file.Read(&c); err != nil {
		return nil, err
	}
	var list []Directory
	for _, dir := range slices.Sorted(maps.Keys(c.Directories)) {
		list = append(list, c.Directories[dir])
	}
	return list, nil
}

// Trust puts a directory in place of what was trusted of it before, when record has had its say.
func (s Store) Trust(d Directory, record func() error) error {
	var c content
	return s.file.Change(&c, func() (bool, error) {
		if c.Directories == nil {
			c.Directories = map[string]Directory{}
		}
		if _, known := c.Directories[d.Dir]; !known && len(c.Directories) >= mostDirectories {
			return false, ErrTooMany
		}
		c.Directories[d.Dir] = d
		return true, record()
	})
}

// ErrNotTrusted says that there is nothing to take back.
var ErrNotTrusted = errors.New("nothing of it is trusted")

// Revoke takes back what was trusted of a directory. It is ErrNotTrusted when nothing was.
func (s Store) Revoke(dir string, record func() error) error {
	var c content
	return s.file.Change(&c, func() (bool, error) {
		if _, known := c.Directories[dir]; !known {
			return false, fmt.Errorf("%s: %w", dir, ErrNotTrusted)
		}
		delete(c.Directories, dir)
		return true, record()
	})
}
