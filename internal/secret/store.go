package secret

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/a2a-acp/a2a-acp/internal/atomicfile"
	"github.com/a2a-acp/a2a-acp/internal/filelock"
	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
)

// The bounds of what is kept.
const (
	// LongestValue is the length of the longest value, in bytes. A variable takes 128 KiB (execve(2),
	// MAX_ARG_STRLEN).
	LongestValue = 64 << 10
	longestStore = 16 << 20
	fileVersion  = 1
	fileName     = "secrets.json"
	lockName     = "secrets.lock"
)

// Store is the program's own file of secrets, in the state directory, which no sandbox shows: mode 0600,
// ours, read anew for every use and replaced as a whole. It is safe for concurrent use, by several
// processes too.
type Store struct{ dir string }

// NewStore returns the store of a state directory, which must be there and ours (internal/state). It
// touches nothing.
func NewStore(dir string) *Store { return &Store{dir: dir} }

// Dir is the directory that the store lies in.
func (s *Store) Dir() string { return s.dir }

// Entry is one secret: its value, or the command that prints it.
type Entry struct {
	Value   string    `json:"value,omitempty"`
	Command []string  `json:"command,omitempty"`
	Set     time.Time `json:"set"`
}

// String shows nothing of the value.
func (e Entry) String() string {
	if e.Command != nil {
		return "the output of " + e.Command[0]
	}
	return "a value"
}

// GoString is String, for %#v.
func (e Entry) GoString() string { return e.String() }

// file is what stands on the disk.
type file struct {
	Version int              `json:"version"`
	Secrets map[string]Entry `json:"secrets"`
}

var validName = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_.-]{0,63}$`)

// CheckName says what is wrong with a name.
func CheckName(name string) error {
	if !validName.MatchString(name) {
		return errors.New("a secret's name has 1 to 64 letters, digits, or _ . - and begins with a letter or _")
	}
	return nil
}

// CheckValue says what is wrong with a value, without repeating any of it.
func CheckValue(value string) error {
	switch {
	case value == "":
		return errors.New("the value is empty")
	case len(value) < ShortestValue:
		return fmt.Errorf("the value has fewer than %d bytes: it could not be told from other text, "+
			"and so not be kept out of what tools print", ShortestValue)
	case len(value) > LongestValue:
		return fmt.Errorf("the value has more than %d bytes; keep it in a file of its own, and write {file: PATH}",
			LongestValue)
	case strings.ContainsRune(value, 0):
		return errors.New("the value holds a NUL, which no variable can")
	case !utf8.ValidString(value):
		return errors.New("the value is no text; keep it in a file, or encode it (base64)")
	}
	return nil
}

// Lookup finds a secret.
func (s *Store) Lookup(name string) (Entry, bool, error) {
	f, err := s.read()
	if err != nil {
		return Entry{}, false, err
	}
	e, ok := f.Secrets[name]
	return e, ok, nil
}

// Listed is a secret by its name. Its value is not part of it.
type Listed struct {
	Name string
	From string // "a value", or "the output of pass"
	Set  time.Time
}

// List returns all secrets in the order of their names.
func (s *Store) List() ([]Listed, error) {
	f, err := s.read()
	if err != nil {
		return nil, err
	}
	var list []Listed
	for _, name := range slices.Sorted(maps.Keys(f.Secrets)) {
		list = append(list, Listed{Name: name, From: f.Secrets[name].String(), Set: f.Secrets[name].Set})
	}
	return list, nil
}

// Set keeps a secret, in the place of one that has its name. It tells whether there was one.
func (s *Store) Set(name string, e Entry) (replaced bool, err error) {
	if err := CheckName(name); err != nil {
		return false, err
	}
	if e.Command == nil {
		if err := CheckValue(e.Value); err != nil {
			return false, err
		}
	}
	err = s.change(func(f *file) {
		_, replaced = f.Secrets[name]
		f.Secrets[name] = e
	})
	return replaced, err
}

// Remove forgets a secret. It tells whether there was one.
func (s *Store) Remove(name string) (was bool, err error) {
	err = s.change(func(f *file) {
		_, was = f.Secrets[name]
		delete(f.Secrets, name)
	})
	return was, err
}

// read reads the file; one that is not there holds nothing.
func (s *Store) read() (*file, error) {
	path := filepath.Join(s.dir, fileName)
	data, err := readOurs(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &file{Version: fileVersion, Secrets: map[string]Entry{}}, nil
	}
	if err != nil {
		return nil, err
	}
	f := &file{}
	// The decoder's own words would quote what it read.
	if json.Unmarshal(data, f) != nil {
		return nil, fmt.Errorf("%s cannot be read: it is no JSON; set the secrets again after moving it away", path)
	}
	if f.Version != fileVersion {
		return nil, fmt.Errorf("%s has version %d, and this program knows %d", path, f.Version, fileVersion)
	}
	if f.Secrets == nil {
		f.Secrets = map[string]Entry{}
	}
	return f, nil
}

// readOurs reads a file that must be ours alone: somebody else who could write it would choose what tools
// are given.
func readOurs(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if errors.Is(err, syscall.ELOOP) {
		return nil, fmt.Errorf("%s is a link; put the file itself there", path)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	stat, known := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no file", path)
	case !known || int(stat.Uid) != os.Geteuid():
		return nil, fmt.Errorf("%s belongs to somebody else; move it away and set the secrets again", path)
	case info.Mode().Perm()&0o077 != 0:
		return nil, fmt.Errorf("%s can be used by others (mode %04o), who may have read what is in it; "+
			"run: chmod 600 %s, and think of changing the secrets", path, info.Mode().Perm(), path)
	}
	data, err := io.ReadAll(io.LimitReader(f, longestStore+1))
	if err == nil && len(data) > longestStore {
		err = fmt.Errorf("%s has more than %d bytes", path, longestStore)
	}
	return data, err
}

// change reads the file, changes it and puts it back, with no other process in between.
func (s *Store) change(do func(*file)) (err error) {
	lock, err := os.OpenFile(filepath.Join(s.dir, lockName), os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	defer lock.Close() // and lets go
	if err := filelock.Take(context.Background(), lock); err != nil {
		return fmt.Errorf("change the secrets: %w", err)
	}
	f, err := s.read()
	if err != nil {
		return err
	}
	do(f)
	data, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return errors.New("the secrets cannot be written as JSON")
	}
	return atomicfile.Write(filepath.Join(s.dir, fileName), append(data, '\n'), 0o600)
}
