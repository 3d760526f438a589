package audit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/a2a-acp/a2a-acp/internal/filelock"
	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// Accept puts a record that is damaged aside, whole as it is, and begins a new one beside it, whose first line
// says what was found, who accepted it, and where the old one lies now; it returns that place. Processes that
// wrote the old one go on in the new one. A record that is not damaged is not put aside; where it has a mark that
// says it is, that is taken off, on record, and the place is "".
func Accept(dir, by string) (aside string, err error) {
	report, err := Verify(dir, VerifyOptions{})
	if err != nil {
		return "", err
	}
	switch {
	case slices.ContainsFunc(report.Problems, func(p Problem) bool { return p.Kind != Torn }):
	case Marked(dir) != nil:
		return "", unmark(dir, by)
	case report.OK:
		return "", errors.New("the record is not damaged, so there is nothing to accept")
	default:
		return "", errors.New("only the last line has no end, as a crash leaves it: it is set aside with the next line that " +
			"is recorded")
	}
	lock, err := openFile(filepath.Join(dir, lockName), 0)
	if err != nil {
		return "", err
	}
	defer lock.Close()
	if err := lockFile(lock, filelock.Alone, filelock.Longest); err != nil {
		return "", err
	}
	if aside, err = moveAside(dir); err != nil {
		return "", err
	}
	log, err := Open(dir)
	if err != nil {
		return aside, err
	}
	event := events.Event{Type: events.RecordRepaired, Detail: fmt.Sprintf("the record before was damaged; "+
		"%s accepted that; it was put aside as %s", by, filepath.Base(aside))}
	for _, p := range report.Problems[:min(len(report.Problems), mostDamages)] {
		event.Damage = append(event.Damage, events.Damage{Kind: string(p.Kind), Seq: p.Seq, File: p.File, Message: p.Message})
	}
	err = log.Record(context.Background(), event)
	return aside, errors.Join(err, log.Close())
}

// unmark takes the mark off a record that is whole: a copy may have taken the place of a damaged one, or somebody
// has made the mark who wanted it to be refused.
func unmark(dir, by string) error {
	log := newLog(dir, Options{})
	log.unmarking = true
	if err := log.open(); err != nil {
		log.closeFiles()
		return err
	}
	err := log.Record(context.Background(), events.Event{Type: events.RecordRepaired,
		Detail: fmt.Sprintf("it was marked as damaged, and is whole; %s took the mark off", by)})
	if err == nil {
		err = errors.Join(os.Remove(filepath.Join(dir, markName)), syncDir(dir))
	}
	return errors.Join(err, log.Close())
}

// asideName is where a record is put aside: a format of its directory and a number.
const asideName = "%s.damaged-%d"

// moveAside renames the directory of a record to the first name that is free.
func moveAside(dir string) (string, error) {
	for n := 1; ; n++ {
		aside := fmt.Sprintf(asideName, dir, n)
		_, err := os.Lstat(aside)
		switch {
		case err == nil:
			continue
		case !errors.Is(err, fs.ErrNotExist):
			return "", err
		}
		if err := os.Rename(dir, aside); err != nil {
			return "", err
		}
		return aside, syncDir(filepath.Dir(dir))
	}
}
