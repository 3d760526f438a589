package audit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// The times of Tend: how often it is looked whether what a Log died of was accepted, and whether the end of the record
// is still what was recorded, which takes a millisecond.
const (
	reviveEvery = 5 * time.Second
	endEvery    = time.Minute
)

// Tend looks after the Log until ctx ends. It looks at the end of the record every minute, and reads all of it again,
// slowly, every day; where that is damaged, the Log records nothing more, and the record is marked where those who open
// it would not see the damage, so that nobody does until it is accepted. Whatever a Log has died of, it goes on by
// itself in the record that is accepted (Accept). news is told why nothing can be recorded any more, and nil once it can
// again; it is called by this goroutine.
func (l *Log) Tend(ctx context.Context, news func(error)) {
	l.tended.Store(true)
	var was error
	look := endEvery
	for wait := scrubDelay; ; wait -= reviveEvery {
		select {
		case <-ctx.Done():
			return
		case <-time.After(reviveEvery):
		}
		is := l.Alive()
		if look -= reviveEvery; is == nil && look <= 0 {
			is, look = l.lookAgain(), endEvery
		}
		if is == nil && wait <= reviveEvery {
			if err := l.scrubOnce(ctx, newPace(ctx)); errors.Is(err, ErrDamaged) {
				is = err
			}
			wait = scrubAgain
		}
		if (is == nil) != (was == nil) && ctx.Err() == nil {
			news(is)
		}
		was = is
	}
}

// Alive returns nil where this Log can record, as far as it knows, and otherwise why it cannot. One that has died of
// what was accepted since lives again then.
func (l *Log) Alive() error {
	l.committing.Lock()
	defer l.committing.Unlock()
	return l.revive()
}

// lookAgain looks at the end of the record, as Open does, also where nothing is recorded. It returns why this Log has
// died.
func (l *Log) lookAgain() error {
	err := Check(l.dir)
	l.committing.Lock()
	defer l.committing.Unlock()
	if l.dead == nil && !l.closing {
		if errors.Is(err, ErrDamaged) {
			return l.die(l.refusal(err))
		}
		_ = l.append(nil) // what passes is told to who records next
	}
	return l.dead
}

// revive opens the record once more where this Log has died and somebody has accepted the damage since. It returns
// why nothing can be recorded. Called with committing held.
func (l *Log) revive() error {
	if l.dead == nil {
		return nil
	}
	if l.closing || !l.accepted() {
		return l.dead
	}
	l.closeFiles()
	l.first, l.end, l.begun, l.unsynced, l.unsigned = 0, end{}, time.Time{}, false, 0
	if err := l.open(); err != nil {
		return l.die(err)
	}
	l.dead = nil
	l.told.Store(0)
	return nil
}

// accepted reports whether somebody has accepted what is wrong with the record that this Log has died of: it was put
// aside, and another one has its place that says so in its first line, or its mark was taken off. What looks better by
// itself, since lines were put back or a copy took its place, is accepted by nobody.
func (l *Log) accepted() bool {
	is, _, err := identify(unix.AT_FDCWD, l.dir)
	if err != nil {
		return false
	}
	if is == l.dirIs {
		marked := Marked(l.dir) != nil
		unmarked := l.marked && !marked
		l.marked = l.marked || marked
		return unmarked
	}
	return isAside(l.dir, l.dirIs) && beginsRepaired(l.dir)
}

// isAside reports whether a directory lies where Accept has put it aside.
func isAside(dir string, was identity) bool {
	for n := 1; ; n++ {
		is, _, err := identify(unix.AT_FDCWD, fmt.Sprintf(asideName, dir, n))
		if err != nil || is == was {
			return err == nil
		}
	}
}

// beginsRepaired reports whether the first line of a record is the one that Accept writes.
func beginsRepaired(dir string) bool {
	whole, err := openStream(dir)
	if err != nil {
		return false
	}
	defer whole.Close()
	lines := whole.lines(0, 0)
	first, err := lines.next()
	return err == nil && first.Seq == 1 && first.Type == events.RecordRepaired
}
