package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

const ruleFile = "file"

// openFlags never wait: a FIFO that nobody writes to would hold the program for ever.
const openFlags = os.O_RDONLY | syscall.O_NONBLOCK | syscall.O_NOCTTY

// ReadFile reads a configuration file that a person named; a relative name means a file of the current
// directory. The error is an Errors.
func ReadFile(name string, layer tool.Layer) (File, error) {
	path, err := filepath.Abs(name)
	if err != nil {
		return File{}, yamldoc.Errors{fileError(name, err).Escaped()}
	}
	data, err := readRegular(func() (*os.File, error) { return os.OpenFile(path, openFlags, 0) }, nil)
	if err != nil {
		return File{}, yamldoc.Errors{fileError(name, err).Escaped()}
	}
	return File{Name: name, Path: path, Layer: layer, Data: data}, nil
}

// readRegular opens a file once and reads it from that descriptor, so that what was looked at is what is
// read. check, when there is one, looks at the open file first.
func readRegular(open func() (*os.File, error), check func(fs.FileInfo) error) ([]byte, error) {
	file, err := open()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("is %s, not a regular file", kindOf(info.Mode()))
	}
	if check != nil {
		if err := check(info); err != nil {
			return nil, err
		}
	}
	data, err := io.ReadAll(io.LimitReader(file, yamldoc.MaxFileSize+1))
	if err != nil {
		return nil, err
	}
	if len(data) > yamldoc.MaxFileSize {
		return nil, fmt.Errorf("has more than %d bytes; a configuration file has no more",
			yamldoc.MaxFileSize)
	}
	return data, nil
}

func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a directory"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "something else"
}

// ownedBy refuses a file or directory that another user owns or may write: who can change it can change what
// is allowed.
func ownedBy(owner int, info fs.FileInfo) error {
	stat, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !ok:
		return errors.New("its owner is not known")
	case int64(stat.Uid) != int64(owner):
		return fmt.Errorf("is owned by user %d and must be owned by user %d", stat.Uid, owner)
	case info.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("may be written by others (mode %#o)", info.Mode().Perm())
	}
	return nil
}

// fileError says of a file as a whole why it cannot be used.
func fileError(name string, err error) yamldoc.Error {
	return yamldoc.Error{File: name, Severity: yamldoc.SeverityError, Rule: ruleFile,
		Message: fileMessage(err)}
}

// fileMessage is an error about a file without the name of it.
func fileMessage(err error) string {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return pathError.Err.Error()
	}
	return err.Error()
}
