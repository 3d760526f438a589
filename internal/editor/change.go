package editor

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/a2a-acp/a2a-acp/internal/atomicfile"
)

// backupSuffix ends the name of the copy of what the settings were before us.
const backupSuffix = ".before-a2a-acp"

// mostSettings is the size that settings may have, in bytes.
const mostSettings = 16 << 20

// Change is what an editor's settings become. Nothing is written before Apply.
type Change struct {
	Path    string  // of the file, behind the links that lead to it
	Before  []byte  // nil for a file that is not there
	After   []byte  // nil for a file that goes
	Entries []Entry // that come, or go

	backup   string // its name
	keeps    bool   // Before holds nothing of ours, and becomes the backup
	restores bool   // After is what the backup holds, or what was before there was a file
}

// Removes reports whether the file goes: Enable had made it, and nothing else has come into it.
func (c Change) Removes() bool { return c.Before != nil && c.After == nil }

// List returns the agents in the settings of the editor.
func (e Editor) List(p Dirs) ([]Entry, error) {
	path, _ := e.Settings(p)
	_, data, err := read(path)
	if err != nil {
		return nil, err
	}
	s, err := parse(data)
	if err != nil {
		return nil, unreadable(path, err)
	}
	entries, err := s.entries()
	if err != nil {
		return nil, unreadable(path, err)
	}
	return entries, nil
}

// Enable returns the change that enters agents. Entries of ours that have their names are replaced. It is
// an error for an entry of somebody else's to have one.
func (e Editor) Enable(p Dirs, entries []Entry) (Change, error) {
	path, _ := e.Settings(p)
	c, err := begin(path)
	if err != nil {
		return c, err
	}
	c.Entries = entries
	if c.After, err = e.enabled(c.Before, entries); err != nil {
		return c, unreadable(path, err)
	}
	there, err := e.List(p)
	c.keeps = c.Before != nil && !slices.ContainsFunc(there, Entry.Guarded)
	return c, err
}

// Disable returns the change that takes all agents of ours out. Where the settings are what Enable has made
// of the backup, they become the backup again, byte for byte.
func (e Editor) Disable(p Dirs) (Change, error) {
	path, _ := e.Settings(p)
	c, err := begin(path)
	if err != nil || c.Before == nil {
		return c, err
	}
	s, err := parse(c.Before)
	if err != nil {
		return c, unreadable(path, err)
	}
	if c.Entries, err = s.disable(); err != nil {
		return c, unreadable(path, err)
	}
	c.After = s.bytes()
	if len(c.Entries) == 0 {
		return c, nil
	}
	_, before, err := read(c.backup)
	if err != nil {
		return c, err
	}
	entries := make([]Entry, 0, len(c.Entries))
	for i := range c.Entries {
		entries = append(entries, c.Entries[len(c.Entries)-1-i])
	}
	if made, err := e.enabled(before, entries); err == nil && bytes.Equal(made, c.Before) {
		c.After, c.restores = before, true
	}
	return c, nil
}

// enabled returns settings with agents entered.
func (e Editor) enabled(data []byte, entries []Entry) ([]byte, error) {
	s, err := parse(data)
	if err != nil {
		return nil, err
	}
	if err := s.enable(e, entries); err != nil {
		return nil, err
	}
	return s.bytes(), nil
}

// None reports whether nothing changes.
func (c Change) None() bool { return bytes.Equal(c.Before, c.After) }

// Backup is where Apply keeps the settings as they are before it; "" where it keeps nothing.
func (c Change) Backup() string {
	if !c.keeps {
		return ""
	}
	return c.backup
}

// Left returns the copy of the settings that stays after Disable, where others have changed them since; "" where none does.
func (c Change) Left() string {
	if _, err := os.Lstat(c.backup); c.restores || c.None() || err != nil {
		return ""
	}
	return c.backup
}

// Apply writes the change. What was there before agents of ours came stays beside it, until Disable has
// brought it back. It is an error when the file has changed since the Change was made; then nothing is
// written.
func (c Change) Apply() error {
	if c.None() {
		return nil
	}
	_, now, err := read(c.Path)
	switch {
	case err != nil:
		return err
	case !bytes.Equal(now, c.Before) || (now == nil) != (c.Before == nil):
		return fmt.Errorf("%s was changed meanwhile, so it is left as it is: say it again", c.Path)
	}
	mode := fs.FileMode(0o600)
	if info, err := os.Stat(c.Path); err == nil {
		mode = info.Mode().Perm()
	}
	if c.keeps {
		if err := atomicfile.Write(c.backup, c.Before, mode); err != nil {
			return fmt.Errorf("keep a copy of the settings: %w", err)
		}
	}
	if c.After == nil {
		if err := os.Remove(c.Path); err != nil {
			return err
		}
		removeMade(filepath.Dir(c.Path))
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(c.Path), madeMode); err != nil {
		return err
	}
	if err := atomicfile.Write(c.Path, c.After, mode); err != nil {
		return err
	}
	if c.restores {
		return os.Remove(c.backup)
	}
	return nil
}

// madeMode is the mode of directories that Apply makes where there are none.
const madeMode = 0o700

// removeMade removes a directory that is as Apply makes one, and those above it: of its mode, and empty. Others stay.
func removeMade(dir string) {
	for {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() || info.Mode().Perm() != madeMode || os.Remove(dir) != nil {
			return
		}
		dir = filepath.Dir(dir)
	}
}

// begin reads what is to be changed. Links are followed: dotfiles are often links to files elsewhere.
func begin(path string) (Change, error) {
	real, data, err := read(path)
	return Change{Path: real, Before: data, After: data, backup: real + backupSuffix}, err
}

// read returns a file's name behind all links, and what it holds; nil when there is none.
func read(path string) (real string, data []byte, err error) {
	real, err = filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(path); err == nil {
			return path, nil, fmt.Errorf("%s is a link to nothing", path)
		}
		return path, nil, nil
	}
	if err != nil {
		return path, nil, err
	}
	f, err := os.Open(real)
	if err != nil {
		return real, nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return real, nil, errors.Join(err, fmt.Errorf("%s is no regular file", real))
	}
	if data, err = io.ReadAll(io.LimitReader(f, mostSettings+1)); err != nil {
		return real, nil, err
	}
	if len(data) > mostSettings {
		return real, nil, fmt.Errorf("%s is longer than %d MB", real, mostSettings>>20)
	}
	if data == nil {
		data = []byte{}
	}
	return real, data, nil
}

func unreadable(path string, err error) error {
	return fmt.Errorf("%s cannot be changed: %w", path, err)
}
