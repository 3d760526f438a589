package audit

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// retire removes the segments whose every line is older than the record is kept, oldest first. That is on
// record before they are gone, with the hash of each; the tree keeps the hashes of their lines, so that what
// remains is proved as before. Segments that no checkpoint speaks of stay.
func (l *Log) retire() error {
	if l.options.Keep <= 0 {
		return nil
	}
	t, err := openTree(l.dir, true) // one process at a time
	if err != nil {
		return err
	}
	defer t.Close()
	list, err := listSegments(l.dir)
	if err != nil {
		return err
	}
	public, err := PublicKey(l.dir)
	if err != nil || public == "" {
		return err
	}
	key, err := verifierOf(public)
	if err != nil {
		return err
	}
	last, err := lastCheckpoint(l.dir, key)
	if err != nil {
		return err
	}
	event := events.Event{Type: events.RecordRetired,
		Detail: fmt.Sprintf("older than %d days", int(l.options.Keep.Hours()/24))}
	for i := 0; i+1 < len(list); i++ {
		next := list[i+1].first
		if next-1 > last.Size || !l.olderThan(next, l.now().Add(-l.options.Keep)) {
			break
		}
		name := segmentName(list[i].first)
		sum, err := fileHash(l.path(name))
		if err != nil {
			return err
		}
		event.Retired, event.Files = next-1, append(event.Files, events.File{Path: name, SHA256: sum})
	}
	if event.Retired == 0 {
		return nil
	}
	if err := l.Record(context.Background(), event); err != nil {
		return err
	}
	var errs []error
	for _, file := range event.Files {
		errs = append(errs, os.Remove(l.path(file.Path)))
	}
	return errors.Join(append(errs, syncDir(l.dir))...)
}

// olderThan reports whether a segment begins with a line of before a time, so that all lines before it are
// older.
func (l *Log) olderThan(first int64, when time.Time) bool {
	f, err := openRead(l.path(segmentName(first)))
	if err != nil {
		return false
	}
	defer f.Close()
	begun := timeOfFirst(f)
	return !begun.IsZero() && begun.Before(when)
}

// fileHash returns the SHA-256 of a file, hexadecimal.
func fileHash(path string) (string, error) {
	f, err := openRead(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, f); err != nil {
		return "", fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	return fmt.Sprintf("%x", hash.Sum(nil)), nil
}
