package audit

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/syslog"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// Outside is where copies of checkpoints go. Only a copy that whoever can write the record cannot take back
// proves that the record is the one of that day.
//
// It is safe for concurrent use.
type Outside struct {
	File   string // absolute; each is put behind the others; "" for none
	Syslog bool   // with facility authpriv, as {"checkpoint": NOTE}
	// Lines returns what gets the same, a line each; it may return nil. nil for none.
	Lines func() io.Writer

	wait    time.Duration // of tests: in place of handTime
	logs    []string      // of tests: in place of systemLogs
	writing sync.Mutex    // held while a line is written
	pending atomic.Int32  // lines that wait to be taken
}

// Who takes checkpoints is waited for so long, and so many lines wait for a reader that does not read: the end of a
// process waits for them.
const (
	handTime    = 2 * time.Second
	mostPending = 8
)

// systemLogs are the sockets of the system's log, as log/syslog knows them.
var systemLogs = []string{"/dev/log", "/var/run/syslog", "/var/run/log"}

// errNotTaken says that whoever should take a checkpoint does not.
var errNotTaken = errors.New("it was not taken in time")

// Hand gives a checkpoint to all of them. It waits for none of them for longer than handTime.
func (o *Outside) Hand(c Checkpoint) error {
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

func (o *Outside) appendFile(c Checkpoint) error {
	f, err := os.OpenFile(o.File, os.O_WRONLY|os.O_APPEND|os.O_CREATE|unix.O_NOFOLLOW, 0o644) //nolint:gosec // it is no secret
	if err != nil {
		return err
	}
	defer f.Close()
	return appendNote(f, c.Note)
}

func (o *Outside) logSystem(c Checkpoint) error {
	line, err := lineOfCheckpoint(c)
	if err != nil {
		return err
	}
	conn, err := o.dialLog()
	if err != nil {
		return err
	}
	defer conn.Close()
	// A log that has stopped takes nothing once its queue is full, and a syslog.Writer waits for that without a bound.
	if err := conn.SetWriteDeadline(time.Now().Add(o.patience())); err != nil {
		return err
	}
	_, err = fmt.Fprintf(conn, "<%d>%s a2a-acp[%d]: %s\n", syslog.LOG_NOTICE|syslog.LOG_AUTHPRIV, time.Now().Format(time.Stamp),
		os.Getpid(), line)
	return err
}

// dialLog returns a connection to the system's log.
func (o *Outside) dialLog() (net.Conn, error) {
	sockets := systemLogs
	if o.logs != nil {
		sockets = o.logs
	}
	var late error // of one that may listen
	for _, network := range []string{"unixgram", "unix"} {
		for _, path := range sockets {
			conn, err := net.DialTimeout(network, path, o.patience())
			var waited net.Error
			switch {
			case err == nil:
				return conn, nil
			case errors.As(err, &waited) && waited.Timeout():
				late = err
			}
		}
	}
	if late != nil {
		return nil, late
	}
	return nil, fmt.Errorf("the system's log listens at none of %s", strings.Join(sockets, ", "))
}

func (o *Outside) patience() time.Duration { return cmp.Or(o.wait, handTime) }

func (o *Outside) writeLine(c Checkpoint) error {
	to := o.Lines()
	if to == nil {
		return nil
	}
	line, err := lineOfCheckpoint(c)
	if err != nil {
		return err
	}
	if o.pending.Add(1) > mostPending {
		o.pending.Add(-1)
		return errNotTaken
	}
	done := make(chan error, 1)
	go func() { // ends once the line is taken; with the process, where nobody does
		o.writing.Lock()
		defer o.writing.Unlock()
		defer o.pending.Add(-1)
		_, err := to.Write(append(line, '\n'))
		done <- err
	}()
	select {
	case err := <-done:
		return err
	case <-time.After(o.patience()):
		return errNotTaken
	}
}

func lineOfCheckpoint(c Checkpoint) ([]byte, error) {
	return json.Marshal(map[string]string{"checkpoint": c.Note})
}
