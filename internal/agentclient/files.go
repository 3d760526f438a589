package agentclient

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"golang.org/x/sys/unix"
)

// What an editor does with files for an agent: on disk. The bridge has decided about the very name, which has no
// link in it. So none is followed here: one that has been put there since would lead to another file than was
// decided about.

// largestFile is how many bytes of a file an agent is given at the most: it goes in one frame.
const largestFile = 32 << 20

// readFile answers fs/read_text_file.
func (r *running) readFile(params json.RawMessage) (any, error) {
	var p struct {
		Path  string `json:"path"`
		Line  *int   `json:"line"` // from 1 on
		Limit *int   `json:"limit"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, &wireError{Code: codeParams, Message: err.Error()}
	}
	text, err := readText(p.Path)
	if errors.Is(err, fs.ErrNotExist) {
		if r.agent.EmptyWhereMissing {
			return map[string]string{"content": ""}, nil
		}
		return nil, &wireError{Code: codeNotFound, Message: "Resource not found", Data: map[string]string{"uri": p.Path}}
	}
	if err != nil {
		return nil, err
	}
	first, most := 1, -1
	if p.Line != nil {
		first = max(*p.Line, 1)
	}
	if p.Limit != nil {
		most = *p.Limit
	}
	return map[string]string{"content": linesOf(text, first, most)}, nil
}

// linesOf returns lines of a text from one on, most of them at the most; all for -1.
func linesOf(text string, first, most int) string {
	if first == 1 && most < 0 {
		return text
	}
	var out strings.Builder
	number := 0
	for line := range strings.Lines(text) {
		if number++; number < first {
			continue
		}
		if most >= 0 && number >= first+most {
			break
		}
		out.WriteString(line)
	}
	return out.String()
}

func readText(path string) (string, error) {
	dir, err := openParent(path, false)
	if err != nil {
		return "", err
	}
	defer dir.Close()
	fd, err := unix.Openat(int(dir.Fd()), filepath.Base(path),
		unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, 0) // a FIFO must not hold us
	if err != nil {
		return "", &fs.PathError{Op: "read", Path: path, Err: err}
	}
	f := os.NewFile(uintptr(fd), path)
	defer f.Close()
	if info, err := f.Stat(); err != nil {
		return "", err
	} else if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is no regular file", path)
	}
	data, err := io.ReadAll(io.LimitReader(f, largestFile+1))
	switch {
	case err != nil:
		return "", err
	case len(data) > largestFile:
		return "", fmt.Errorf("%s has more than %d bytes", path, largestFile)
	case !utf8.Valid(data):
		return "", fmt.Errorf("%s is no text: it is not valid UTF-8", path)
	}
	return string(data), nil
}

// writeFile answers fs/write_text_file.
func (r *running) writeFile(params json.RawMessage) (any, error) {
	var p struct {
		Path    string `json:"path"`
		Content string `json:"content"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, &wireError{Code: codeParams, Message: err.Error()}
	}
	return nil, writeText(p.Path, p.Content)
}

// writeText puts a text in the place of a file, or of none: whoever reads it meanwhile, and whoever reads it
// after a crash, finds the old one or the new one, whole. Directories are made where they are missing.
func writeText(path, text string) (err error) {
	dir, err := openParent(path, true)
	if err != nil {
		return err
	}
	defer dir.Close()
	at, name := int(dir.Fd()), filepath.Base(path)
	mode, err := modeAt(at, name, path)
	if err != nil {
		return err
	}
	temporary := "." + name + "." + randomName()
	if len(temporary) > 255 { // NAME_MAX
		temporary = "." + randomName()
	}
	fd, err := unix.Openat(at, temporary, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o666)
	if err != nil {
		return &fs.PathError{Op: "write", Path: path, Err: err}
	}
	f := os.NewFile(uintptr(fd), path)
	out := bufio.NewWriter(f)
	_, err = out.WriteString(text)
	err = errors.Join(err, out.Flush())
	if mode != 0 {
		err = errors.Join(err, f.Chmod(mode))
	}
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = unix.Renameat(at, temporary, at, name)
	}
	if err != nil {
		_ = unix.Unlinkat(at, temporary, 0)
		return &fs.PathError{Op: "write", Path: path, Err: err}
	}
	return nil
}

// modeAt returns the permissions of the file that is to be replaced; 0 for none.
func modeAt(dir int, name, path string) (fs.FileMode, error) {
	var is unix.Stat_t
	err := unix.Fstatat(dir, name, &is, unix.AT_SYMLINK_NOFOLLOW)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0, nil
	case err != nil:
		return 0, &fs.PathError{Op: "write", Path: path, Err: err}
	case is.Mode&unix.S_IFMT != unix.S_IFREG:
		return 0, fmt.Errorf("%s is no regular file", path)
	}
	if err := unix.Faccessat(dir, name, unix.W_OK, 0); err != nil { // it may not be changed, though its directory may
		return 0, &fs.PathError{Op: "write", Path: path, Err: err}
	}
	return fs.FileMode(is.Mode & 0o777), nil
}

// openParent opens the directory that a file is in, name by name, and follows no link.
func openParent(path string, create bool) (*os.File, error) {
	if !filepath.IsAbs(path) || filepath.Clean(path) != path || path == "/" {
		return nil, &wireError{Code: codeParams, Message: path + " is not the absolute name of a file"}
	}
	const how = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC
	fd, err := unix.Open("/", how, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: "/", Err: err}
	}
	at := "/"
	for name := range strings.SplitSeq(strings.Trim(filepath.Dir(path), "/"), "/") {
		if name == "" {
			continue
		}
		at = filepath.Join(at, name)
		next, err := unix.Openat(fd, name, how, 0)
		if create && errors.Is(err, fs.ErrNotExist) {
			if err = unix.Mkdirat(fd, name, 0o777); err == nil || errors.Is(err, fs.ErrExist) {
				next, err = unix.Openat(fd, name, how, 0)
			}
		}
		_ = unix.Close(fd)
		if err != nil {
			return nil, &fs.PathError{Op: "open", Path: at, Err: err}
		}
		fd = next
	}
	return os.NewFile(uintptr(fd), filepath.Dir(path)), nil
}
