package trust

import (
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
)

// mostBytes bounds a file that can be pinned, in bytes.
const mostBytes = 4 << 20

// openFlags never wait: a FIFO that nobody writes to would hold the program for ever.
const openFlags = os.O_RDONLY | syscall.O_NONBLOCK | syscall.O_NOCTTY

// Read reads a file of a workspace once, for its bytes to be shown and pinned. Name is relative to dir and
// leads through no link; the file is a regular one that belongs to us or to root. It is fs.ErrNotExist for
// one that is not there.
func Read(dir, name string) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }() // it was only read from
	if !filepath.IsLocal(name) {
		return nil, fmt.Errorf("%s leads out of %s", name, dir)
	}
	var way string
	var last fs.FileInfo
	for part := range strings.SplitSeq(filepath.Clean(name), string(filepath.Separator)) {
		way = filepath.Join(way, part)
		if last, err = root.Lstat(way); err != nil {
			return nil, err
		}
		if last.Mode()&fs.ModeSymlink != 0 {
			return nil, fmt.Errorf("%s is a link: whoever made it could let it point elsewhere; put the file itself there",
				filepath.Join(dir, way))
		}
	}
	file, err := root.OpenFile(name, openFlags, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // likewise
	return readOpen(file, last)
}

// readOpen reads an open file that must be the one that was looked at.
func readOpen(file *os.File, looked fs.FileInfo) ([]byte, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	stat, known := info.Sys().(*syscall.Stat_t)
	switch {
	case !os.SameFile(info, looked):
		return nil, fmt.Errorf("%s was changed while it was read; try again", file.Name())
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", file.Name())
	case !known:
		return nil, fmt.Errorf("%s: its owner is not known", file.Name())
	case int64(stat.Uid) != int64(os.Geteuid()) && stat.Uid != 0:
		return nil, fmt.Errorf("%s belongs to user %d, who can change it at any time; make it yours first",
			file.Name(), stat.Uid)
	}
	data, err := io.ReadAll(io.LimitReader(file, mostBytes+1))
	if err == nil && len(data) > mostBytes {
		err = fmt.Errorf("%s has more than %d bytes", file.Name(), mostBytes)
	}
	return data, err
}

// Changed returns the names of files and scripts of a directory that are no longer what somebody trusted. Of
// names, the files to look at, one that has come since counts as well.
func (d Directory) Changed(names []string) []string {
	if name := filepath.Base(d.Dir); d.IsFile() {
		names = []string{name}
	}
	var changed []string
	for _, name := range slices.Sorted(maps.Keys(d.Files)) {
		if !slices.Contains(names, name) {
			names = append(slices.Clip(names), name)
		}
	}
	for _, name := range names {
		if !d.hasFile(name) {
			changed = append(changed, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.Scripts)) {
		if !d.HasScript(name) {
			changed = append(changed, name)
		}
	}
	return changed
}

// IsFile reports whether it is a single file that is trusted.
func (d Directory) IsFile() bool {
	_, is := d.Files[filepath.Base(d.Dir)]
	return is
}

func (d Directory) hasFile(name string) bool {
	pin, pinned := d.Files[name]
	dir := d.Dir
	if d.IsFile() {
		dir = filepath.Dir(dir)
	}
	data, err := Read(dir, name)
	if errors.Is(err, fs.ErrNotExist) {
		return !pinned && !d.IsFile()
	}
	return err == nil && pinned && Hash(data) == pin.SHA256
}

// HasScript reports whether a script is there as it was pinned, or still missing if it was.
func (d Directory) HasScript(name string) bool {
	want, pinned := d.Scripts[name]
	data, err := Read(d.Dir, name)
	if errors.Is(err, fs.ErrNotExist) {
		return pinned && want == ""
	}
	return err == nil && pinned && Hash(data) == want
}
