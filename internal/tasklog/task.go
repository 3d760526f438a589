package tasklog

import (
	"errors"
	"fmt"
	"time"
)

// Task is what the log says of a task as a whole.
type Task struct {
	ID      string
	Door    string // whose task it is; doors do not see each other's
	Owner   string // the principal that made it
	Context string // what groups an owner's tasks
	Created time.Time

	Seq     int64 // of its last event
	State   State
	Changed time.Time // when its status last changed
	Size    int64     // about how many bytes its events take on disk

	num    int64
	worker string
}

// Event is one event of a task.
type Event struct {
	N     int64 // among the events of all tasks, in the order in which they were written
	Seq   int64 // among those of its task, from 1
	Kind  Kind
	State State // the one that it leads to
	At    time.Time
	Body  []byte
	Input []byte // what somebody sent that led to it; nil for nothing
}

// Step is an event that is to happen.
type Step struct {
	Kind  Kind
	State State // ignored for an Artifact, which leaves the state as it is
	At    time.Time
	Body  []byte
	Input []byte
	// From, unless it is None, is the only state that the step is meant for: in another one it does not happen,
	// and Append returns ErrMoved.
	From State
}

// Errors of the log.
var (
	ErrNotFound      = errors.New("there is no such task")
	ErrMoved         = errors.New("something else happened to the task before")
	ErrTooMany       = errors.New("there are as many of them as there may be")
	ErrTooManyWanted = errors.New("as many of their owner's have something to tell as may have")
	ErrClosed        = errors.New("the log of tasks is closed")
)

// StepError is returned for an event that leads nowhere from where the task is.
type StepError struct {
	Task   string
	Kind   Kind
	Before State
	After  State
}

func (e *StepError) Error() string {
	return fmt.Sprintf("task %s is %s: no %s event leads from there to %q", e.Task, e.Before, e.Kind, e.After)
}
