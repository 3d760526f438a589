package a2aclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	wire "github.com/a2aproject/a2a-go/v2/a2a"
)

// Talk follows a task to its end: through streams that break off, and through what the task asks on its way.
type Talk struct {
	Client *Client
	// Tell is told each event, in order. After a stream has broken off, the first one is the task as it is by then.
	Tell func(wire.Event)
	// Answer returns the message that answers what a task asks that waits for its client. refused is what the server
	// said of the answer before, nil for the first one. No message leaves the task as it is; ErrGoOn has it followed,
	// since somebody may answer elsewhere, and ErrAnswered, since somebody has.
	Answer func(ctx context.Context, task End, refused error) (*wire.Message, error)
	// Late is told what the server said of an answer that came when somebody else had answered. Optional.
	Late func(refused error)

	end    End
	news   int // how many updates were told
	lastID string
	heard  bool // the stream that was read last has told something
}

// End is how far a task has got.
type End struct {
	Task, Context string
	Status        wire.TaskStatus
	Message       *wire.Message // what the server answered instead of making a task
}

// Waits reports whether the task waits for its client.
func (e End) Waits() bool {
	return e.Status.State == wire.TaskStateInputRequired || e.Status.State == wire.TaskStateAuthRequired
}

func (e End) over() bool { return e.Message != nil || e.Waits() || e.Status.State.Terminal() }

// ErrGoOn says that a task is to be followed although it waits for its client.
var ErrGoOn = errors.New("the task is followed")

// ErrAnswered says that somebody else has answered.
var ErrAnswered = errors.New("somebody else has answered")

// mostStreams is how many streams in a row may say nothing new before the task is looked at instead, and mostTries how
// many tries may fail, with longestPause between two.
const (
	mostStreams  = 3
	mostTries    = 10
	longestPause = 10 * time.Second
)

// Send sends a message, and follows what comes of it until that has ended, or nobody answers what it asks.
func (t *Talk) Send(ctx context.Context, r *wire.SendMessageRequest) (End, error) {
	err := t.send(ctx, r, End.over)
	if t.end.Task == "" || err != nil && ctx.Err() != nil {
		return t.end, err
	}
	return t.follow(ctx)
}

// Follow follows a task that there is.
func (t *Talk) Follow(ctx context.Context, id string) (End, error) {
	t.end.Task = id
	if err := t.listen(ctx); err != nil {
		return t.end, err
	}
	return t.follow(ctx)
}

// follow listens until the task is over, and has answered what it asks.
func (t *Talk) follow(ctx context.Context) (End, error) {
	for {
		if !t.end.over() {
			if err := t.listen(ctx); err != nil {
				return t.end, err
			}
		}
		if !t.end.Waits() {
			return t.end, nil
		}
		if more, err := t.answer(ctx); err != nil || !more {
			return t.end, err
		}
	}
}

// answer has somebody answer what the task asks. It reports whether the task goes on.
func (t *Talk) answer(ctx context.Context) (more bool, err error) {
	var refused error
	for t.end.Waits() {
		message, err := t.Answer(ctx, t.end, refused)
		switch {
		case errors.Is(err, ErrAnswered):
			return true, t.look(ctx)
		case errors.Is(err, ErrGoOn):
			return true, t.listenOn(ctx, t.end.Status)
		case err != nil || message == nil:
			return false, err
		}
		message.TaskID, message.ContextID = wire.TaskID(t.end.Task), t.end.Context
		asked := t.end.Status
		t.end.Status.State = wire.TaskStateWorking
		var said *Error
		refused = t.send(ctx, &wire.SendMessageRequest{Message: message}, isAnew(asked))
		if refused == nil {
			return true, nil
		}
		if !errors.As(refused, &said) || said.Denied() {
			return false, refused
		}
		// The answer is not taken, or somebody else was first.
		t.end.Status.State = asked.State
		if err := t.look(ctx); err != nil {
			return false, errors.Join(refused, err)
		}
		if same(t.end.Status, asked) {
			continue
		}
		if t.Late != nil {
			t.Late(refused)
		}
		refused = nil // what it asks by now, nobody has read
	}
	return true, nil
}

// send sends a message, and tells what comes of it as far as the server says at once, until it is over.
func (t *Talk) send(ctx context.Context, r *wire.SendMessageRequest, over func(End) bool) error {
	if t.Client.Card.Streaming {
		t.heard = false
		s, err := t.Client.SendStreaming(ctx, r)
		if err == nil {
			err = t.readUntil(s, over)
		}
		var said *Error
		if !errors.As(err, &said) || said.Reason != Unsupported {
			if t.end.Task != "" && !errors.As(err, &said) && ctx.Err() == nil {
				return nil // it broke off, and is followed from there
			}
			return err
		}
		if t.heard { // the message was taken, and is not sent twice: an answer could count for the next question
			return err
		}
	}
	event, err := t.Client.Send(ctx, r)
	if err != nil {
		return err
	}
	t.tell(event)
	return nil
}

// listen tells what happens to the task until it is over.
func (t *Talk) listen(ctx context.Context) error { return t.listenUntil(ctx, End.over) }

// listenOn is listen for a task that waits, until it waits for something else.
func (t *Talk) listenOn(ctx context.Context, asked wire.TaskStatus) error {
	return t.listenUntil(ctx, isAnew(asked))
}

// isAnew returns what reports whether a task is over, and does not just stand as it did when it asked: a stream may begin
// with that.
func isAnew(asked wire.TaskStatus) func(End) bool {
	return func(e End) bool { return e.over() && !same(e.Status, asked) }
}

// same reports whether a status asks the same as another one.
func same(a, b wire.TaskStatus) bool {
	if a.State != b.State || (a.Message == nil) != (b.Message == nil) {
		return false
	}
	return a.Message == nil || a.Message.ID == b.Message.ID
}

func (t *Talk) listenUntil(ctx context.Context, over func(End) bool) error {
	stream, tries := t.Client.Card.Streaming, 0
	for {
		before := t.news
		var err error
		if stream {
			err = t.subscribe(ctx, over)
		} else {
			err = t.look(ctx)
		}
		var said *Error
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case over(t.end):
			return nil
		case stream && errors.As(err, &said) && !said.Denied():
			stream, tries = false, 0 // it streams no such task: it is looked at
			continue
		case errors.As(err, &said) && said.Wrong():
			return err
		case t.news != before || err == nil && !stream:
			tries = 0
		}
		switch tries++; {
		case stream && tries == mostStreams:
			stream = false
		case tries == mostTries:
			return fmt.Errorf("task %.60q cannot be followed: %w", t.end.Task, err)
		}
		if err := t.Client.x.o.wait(ctx, min(time.Second<<(tries-1), longestPause)); err != nil {
			return err
		}
	}
}

// subscribe tells what a stream of the task says.
func (t *Talk) subscribe(ctx context.Context, over func(End) bool) error {
	s, err := t.Client.Subscribe(ctx, wire.TaskID(t.end.Task), t.lastID)
	if err != nil {
		return err
	}
	return t.readUntil(s, over)
}

// look tells the task as it is. The next stream begins there, and asks nothing that was answered by then.
func (t *Talk) look(ctx context.Context) error {
	task, err := t.Client.Task(ctx, wire.TaskID(t.end.Task))
	if err == nil {
		t.lastID = ""
		t.tell(task)
	}
	return err
}

func (t *Talk) readUntil(s *Stream, over func(End) bool) error {
	defer s.Close()
	for {
		event, err := s.Next()
		t.lastID = s.LastID
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		t.heard = true
		if t.tell(event); over(t.end) {
			return nil
		}
	}
}

// tell tells an event. What a stream says of another task is not told.
func (t *Talk) tell(event wire.Event) {
	info := event.TaskInfo()
	id := string(info.TaskID)
	if t.end.Task != "" && id != "" && id != t.end.Task {
		return
	}
	switch e := event.(type) {
	case *wire.Message:
		if t.end.Task == "" {
			t.end.Message = e
		}
	case *wire.Task:
		t.end.Task, t.end.Status = id, e.Status
	case *wire.TaskStatusUpdateEvent:
		t.end.Task, t.end.Status = id, e.Status
		t.news++
	case *wire.TaskArtifactUpdateEvent:
		t.end.Task = id
		t.news++
	}
	t.end.Context = first(info.ContextID, t.end.Context)
	t.Tell(event)
}
