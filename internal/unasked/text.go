package unasked

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// mostText bounds a file of settings that is read, in bytes.
const mostText = 4 << 20

// text reads a file of a repository's. It is nil where there is none; cannot says why it cannot be read.
func text(dir, name string) (data []byte, cannot string) {
	path := filepath.Join(dir, name)
	if ofAProcess(path) {
		return nil, path + " is a link to what lies in /proc"
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, ""
	}
	cannot = path + " cannot be read"
	if err != nil || !info.Mode().IsRegular() { // opening a device may do something: a watchdog ends the machine
		return nil, cannot
	}
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0) // a FIFO is not waited for
	if err != nil {
		return nil, cannot
	}
	defer func() { _ = file.Close() }() // it was only read from
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, cannot
	}
	data, err = io.ReadAll(io.LimitReader(file, mostText+1))
	if err != nil || len(data) > mostText {
		return nil, cannot
	}
	return data, ""
}

// mostFiles is how many files of a directory are listed: as many as a person may read.
const mostFiles = 50

// filesIn lists what lies in a directory of a repository's and below, relative to dir. It is false where that cannot
// be told, or is too much.
func filesIn(dir, name string) (names []string, all bool) {
	if ofAProcess(filepath.Join(dir, name)) {
		return nil, false
	}
	err := fs.WalkDir(os.DirFS(dir), name, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !entry.IsDir():
			names = append(names, path)
		}
		if len(names) > mostFiles {
			return errors.New("too many")
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, true
	}
	return names, err == nil
}

// ofAProcess reports whether a name leads through /proc, to what is another file to the agent than to us (/proc/self/cwd).
func ofAProcess(path string) bool {
	const most = 40 // links, as the kernel follows
	links := 0
	rest := strings.Split(filepath.Clean(path), "/")
	for at := "/"; len(rest) > 0; rest = rest[1:] {
		at = filepath.Join(at, rest[0])
		if at == "/proc" {
			return true
		}
		to, err := os.Readlink(at)
		if err != nil {
			continue
		}
		if links++; links > most {
			return false // nobody can follow it
		}
		if at = filepath.Dir(at); filepath.IsAbs(to) {
			at = "/"
		}
		rest = slices.Concat([]string{""}, strings.Split(to, "/"), rest[1:])
	}
	return false
}
