package audit

import (
	"errors"
	"fmt"
	"time"
)

// plan sees to it that what was written is signed: in a while, or at once where it is much. Called with
// committing held.
func (l *Log) plan() {
	switch {
	case l.closing:
	case l.unsigned >= l.options.CheckpointLines:
		l.unsigned = 0
		l.signing.Go(l.sign)
	case l.timer == nil:
		l.timer = time.AfterFunc(l.options.CheckpointEvery, l.signDue)
	}
}

// signDue signs what waits when its time has come.
func (l *Log) signDue() {
	l.committing.Lock()
	defer l.committing.Unlock()
	l.timer = nil
	if !l.closing && l.unsigned > 0 {
		l.unsigned = 0
		l.signing.Go(l.sign)
	}
}

// sign makes a checkpoint where nobody waits for it. Nothing is recorded behind lines that are not what was
// recorded.
func (l *Log) sign() {
	err := Marked(l.dir) // by another process
	if err != nil {
		err = l.refusal(err)
	} else {
		err = l.checkpoint()
	}
	if err == nil {
		if err = l.retire(); err != nil {
			err = fmt.Errorf("record %s: remove what is older than it is kept: %w", l.dir, err)
		}
	}
	if err == nil {
		return
	}
	if !errors.Is(err, ErrDamaged) || !l.tended.Load() {
		l.options.Say(err.Error())
	}
	if errors.Is(err, ErrDamaged) {
		l.committing.Lock()
		defer l.committing.Unlock()
		_ = l.die(err)
	}
}

// checkpoint makes a checkpoint, and tells of it.
func (l *Log) checkpoint() error {
	_, last, err := MakeCheckpoint(l.dir)
	if err != nil {
		if errors.Is(err, ErrDamaged) {
			return l.refusal(err)
		}
		return fmt.Errorf("record %s: it is whole, and has no new checkpoint: %w%s", l.dir, err, cureOf(err))
	}
	if l.told.Swap(last.Size) < last.Size {
		l.options.Checkpointed(last)
	}
	return nil
}
