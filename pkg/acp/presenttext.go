package acp

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"unicode/utf8"
)

// shownFile is the size, in bytes, of the largest file whose present text is read to show a change.
const shownFile = 1 << 20

// currentText reads a file as it is on disk, so that a person can be shown what would change. It gives nil
// for what is no regular file, is large, or cannot be read; it never waits for one.
func currentText(path string) *string {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a FIFO must not hold us
	if err != nil {
		return nil
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() > shownFile {
		return nil
	}
	data, err := io.ReadAll(io.LimitReader(f, shownFile))
	if err != nil || !utf8.Valid(data) {
		return nil
	}
	s := string(data)
	return &s
}

// presentText returns the text of a file, "" for one that is not there; false for what cannot be shown.
func presentText(path string) (text string, ok bool) {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return "", true
	}
	present := currentText(path)
	if present == nil {
		return "", false
	}
	return *present, true
}

// isPresent reports whether a file holds a text, and nothing else.
func isPresent(path, text string) bool {
	present, ok := presentText(path)
	return ok && sameLines(present, text)
}

// sameLines compares texts but for their line ends, which agents change before they show a text.
func sameLines(a, b string) bool { return unixLines(a) == unixLines(b) }

func unixLines(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// holdsText reports whether a file holds a text, or has it for a part.
func holdsText(path, text string) bool {
	present, ok := presentText(path)
	return ok && strings.Contains(unixLines(present), unixLines(text))
}
