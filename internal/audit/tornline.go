package audit

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// setAside moves the torn bytes at the end of the file into a file of their own and gives the record that
// says so. They are on disk there before they are gone here. Called with the lock held.
func (l *Log) setAside(torn int64) (*record, error) {
	name, sum, err := l.copyTorn(torn)
	if err != nil {
		return nil, fmt.Errorf("record %s: set a torn last line aside: %w%s", l.path(segmentName(l.first)), err, cureOf(err))
	}
	if err := l.segment.Truncate(l.end.size); err != nil {
		return nil, l.die(fmt.Errorf("record %s: take a torn last line off: %w; look at that disk, then start again",
			l.path(segmentName(l.first)), cause(err)))
	}
	now := l.now()
	return l.repaired(now, events.Event{
		Type: events.RecordRepaired, Time: now,
		Detail: fmt.Sprintf("%d bytes of a last line without an end were moved to %s", torn, name),
		Files:  []events.File{{Path: name, SHA256: sum}},
	})
}

// copyTorn copies the torn bytes and gives the name of the new file and the hash of what is in it.
func (l *Log) copyTorn(torn int64) (name, sum string, err error) {
	f, name, err := l.createTorn()
	if err != nil {
		return "", "", err
	}
	defer f.Close()
	hash := sha256.New()
	if _, err := io.Copy(io.MultiWriter(f, hash), io.NewSectionReader(l.segment, l.end.size, torn)); err != nil {
		os.Remove(f.Name())
		return "", "", err
	}
	if err := l.sync(f); err != nil {
		return "", "", err
	}
	if err := syncDir(l.dir); err != nil {
		return "", "", err
	}
	return name, fmt.Sprintf("%x", hash.Sum(nil)), nil
}

// createTorn makes 00000001.torn-N with the first N that is free.
func (l *Log) createTorn() (*os.File, string, error) {
	for n := 1; ; n++ {
		name := fmt.Sprintf("%s.torn-%d", strings.TrimSuffix(segmentName(l.first), segmentSuffix), n)
		f, err := os.OpenFile(l.path(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if !errors.Is(err, fs.ErrExist) {
			return f, name, err
		}
	}
}
