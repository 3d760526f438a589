package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/syslog"
	"os"

	"golang.org/x/sys/unix"
)

// Outside is where copies of checkpoints go. Only a copy that whoever can write the record cannot take back
// proves that the record is the one of that day.
type Outside struct {
	File   string // absolute; each is put behind the others; "" for none
	Syslog bool   // with facility authpriv, as {"checkpoint": NOTE}
	// Lines returns what gets the same, a line each; it may return nil. nil for none.
	Lines func() io.Writer
}

// Hand gives a checkpoint to all of them.
func (o Outside) Hand(c Checkpoint) error {
	var errs []error
	if o.File != "" {
		errs = append(errs, o.appendFile(c))
	}
	if o.Syslog {
		errs = append(errs, o.logSystem(c))
	}
	if o.Lines != nil {
		errs = append(errs, o.writeLine(c))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("the checkpoint of %d lines was not kept outside: %w", c.Size, err)
	}
	return nil
}

func (o Outside) appendFile(c Checkpoint) error {
	f, err := os.OpenFile(o.File, os.O_WRONLY|os.O_APPEND|os.O_CREATE|unix.O_NOFOLLOW, 0o644) //nolint:gosec // it is no secret
	if err != nil {
		return err
	}
	defer f.Close()
	return appendNote(f, c.Note)
}

func (o Outside) logSystem(c Checkpoint) error {
	w, err := syslog.New(syslog.LOG_NOTICE|syslog.LOG_AUTHPRIV, "a2a-acp")
	if err != nil {
		return err
	}
	defer w.Close() //nolint:errcheck // the line is with the system by then
	line, err := lineOfCheckpoint(c)
	if err != nil {
		return err
	}
	return w.Notice(string(line))
}

func (o Outside) writeLine(c Checkpoint) error {
	to := o.Lines()
	if to == nil {
		return nil
	}
	line, err := lineOfCheckpoint(c)
	if err == nil {
		_, err = to.Write(append(line, '\n'))
	}
	return err
}

func lineOfCheckpoint(c Checkpoint) ([]byte, error) {
	return json.Marshal(map[string]string{"checkpoint": c.Note})
}
