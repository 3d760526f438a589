package audit

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Damage is a line that is no record of ours.
type Damage struct {
	File   string // base name
	Line   int    // from 1
	Offset int64  // of its first byte
	Why    string
}

func (d *Damage) Error() string {
	return fmt.Sprintf("%s:%d: no record (at byte %d): %s", d.File, d.Line, d.Offset, d.Why)
}

// mostDamages bounds how many damaged lines one error lists.
const mostDamages = 10

// Read calls each for every entry of the record in dir, in order, and may be used while others write: it reads what was
// there when it began, and a last line that is still being written is not there yet. An error that each returns ends it and
// is returned as it is. Damaged lines are passed over and returned at the end, as *Damage joined together. Where nothing was
// ever recorded the error is fs.ErrNotExist.
func Read(dir string, each func(Entry) error) error {
	f, err := os.Open(filepath.Join(dir, segmentName))
	if err != nil {
		return fmt.Errorf("read the record: %w", err)
	}
	defer f.Close()
	size, err := settledSize(dir, f)
	if err != nil {
		return fmt.Errorf("read the record: %w", err)
	}

	var damages []error
	more := 0
	lines := lineReader{r: bufio.NewReaderSize(io.NewSectionReader(f, 0, size), 64<<10)}
	for {
		entry, err := lines.next()
		var damage *Damage
		switch {
		case errors.Is(err, io.EOF):
			if more > 0 {
				damages = append(damages, fmt.Errorf("%s: %d more lines that are no records", segmentName, more))
			}
			return errors.Join(damages...)
		case errors.As(err, &damage):
			if len(damages) < mostDamages {
				damages = append(damages, damage)
			} else {
				more++
			}
			continue
		case err != nil:
			return fmt.Errorf("read the record: %w", err)
		}
		if err := each(entry); err != nil {
			return err
		}
	}
}

// settledSize gives the size of the file at a moment when nobody writes, so that no line is read that its writer takes
// back. A copy of a record may have no lock, or lie where nobody can take one: then nobody writes.
func settledSize(dir string, f *os.File) (int64, error) {
	if lock, err := os.Open(filepath.Join(dir, lockName)); err == nil {
		defer lock.Close()
		if err := lockFile(lock, unix.LOCK_SH); err == nil {
			defer unlockFile(lock) //nolint:errcheck // closing lets go as well
		}
	}
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// lineReader reads entries one by one and holds no more than one line.
type lineReader struct {
	r      *bufio.Reader
	line   int
	offset int64
	buffer []byte
}

// next gives the next entry, a *Damage in its place, or io.EOF. Bytes behind the last newline are not there yet.
func (l *lineReader) next() (Entry, error) {
	l.buffer = l.buffer[:0]
	length := int64(0)
	for {
		part, err := l.r.ReadSlice('\n')
		length += int64(len(part))
		if length <= longestLine {
			l.buffer = append(l.buffer, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return Entry{}, err
		}
		break
	}
	at := l.offset
	l.line++
	l.offset += length
	damaged := func(why string) (Entry, error) {
		return Entry{}, &Damage{File: segmentName, Line: l.line, Offset: at, Why: why}
	}
	if length > longestLine {
		return damaged(fmt.Sprintf("it is %d bytes long", length))
	}
	entry, err := parseEntry(l.buffer[:len(l.buffer)-1])
	if err != nil {
		return damaged(err.Error())
	}
	entry.File, entry.Line, entry.Offset = segmentName, l.line, at
	return entry, nil
}

// parseEntry reads one line. Numbers in arguments keep their digits (json.Number).
func parseEntry(line []byte) (Entry, error) {
	var entry Entry
	if !json.Valid(line) {
		return entry, errors.New("it is not JSON")
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.UseNumber()
	if err := dec.Decode(&entry); err != nil {
		return entry, err
	}
	if entry.Seq < 1 || entry.V < 1 || entry.Type == "" {
		return entry, errors.New("it has no number, version or type")
	}
	entry.Raw = bytes.Clone(line)
	return entry, nil
}
