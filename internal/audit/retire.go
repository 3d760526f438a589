package audit

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/filelock"
	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// retire removes the segments whose every line is older than the record is kept, oldest first, some at a
// time. That is on record before they are gone, with the hash of each; the tree keeps the hashes of their
// lines, so that what remains is proved as before. Segments that no checkpoint speaks of stay.
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
	before := l.now().Add(-l.options.Keep)
	for i := 0; i+1 < len(list) && len(event.Files) < keptItems; i++ {
		// The last line that a checkpoint speaks of stays: the tree is held against it.
		next := list[i+1].first
		if next > last.Size || !l.olderThan(next, before) {
			break
		}
		name := segmentName(list[i].first)
		sum, err := hashOlder(l.path(name), before)
		if err != nil {
			return err
		}
		if sum == "" {
			break
		}
		event.Retired, event.Files = next-1, append(event.Files, events.File{Path: name, SHA256: sum})
	}
	if event.Retired == 0 {
		return nil
	}
	if err := l.Record(context.Background(), event); err != nil {
		return err
	}
	// Nobody else looks which segments there are, or begins to read or write one, while some of them go.
	lock, err := openFile(l.path(lockName), 0)
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := lockFile(lock, filelock.Alone, l.patience); err != nil {
		return err
	}
	defer unlockFile(lock) //nolint:errcheck // closing lets go as well
	for _, file := range event.Files {
		if err := os.Remove(l.path(file.Path)); err != nil {
			return err // what stands behind it stays, so that there is no gap
		}
	}
	return syncDir(l.dir)
}

// olderThan reports whether a segment begins with a line of before a time, so that all lines before it are
// older unless the clock was set back.
func (l *Log) olderThan(first int64, when time.Time) bool {
	f, err := openRead(l.path(segmentName(first)))
	if err != nil {
		return false
	}
	defer f.Close()
	begun := timeOfFirst(f)
	return !begun.IsZero() && begun.Before(when)
}

// hashOlder returns the SHA-256 of a segment, hexadecimal; "" where a line in it is not older than a time.
func hashOlder(path string, when time.Time) (string, error) {
	f, err := openRead(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	hash := sha256.New()
	lines := bufio.NewReaderSize(io.TeeReader(f, hash), longestLine)
	for {
		line, err := lines.ReadSlice('\n')
		switch {
		case errors.Is(err, io.EOF) && len(line) == 0:
			return fmt.Sprintf("%x", hash.Sum(nil)), nil
		case err != nil:
			return "", fmt.Errorf("%s: %w", filepath.Base(path), err)
		}
		if at := timeOf(line); at.IsZero() || !at.Before(when) {
			return "", nil
		}
	}
}
