package a2a

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	wire "github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/a2a-acp/a2a-acp/internal/tasklog"
)

// snapshot is a task as its events up to a number make it. It does not change.
type snapshot struct {
	seq  int64
	task *wire.Task

	encode  sync.Once
	encoded []byte
	err     error
}

// json returns the task as JSON, with all of its history.
func (s *snapshot) json() ([]byte, error) {
	s.encode.Do(func() { s.encoded, s.err = json.Marshal(told(s.task)) })
	return s.encoded, s.err
}

// mostKept bounds the tasks that are kept in memory, each: in bytes, as sizeOf counts them. Clients choose most of them.
const mostKept = 256 << 10

// snapshot returns a task as it is now, or a little later.
func (s *Server) snapshot(ctx context.Context, t tasklog.Task) (*snapshot, error) {
	if kept, ok := s.snapshots.Get(t.ID); ok && kept.seq >= t.Seq {
		return kept, nil
	}
	if r := s.of(t.ID); r != nil {
		r.mu.Lock()
		head, task := r.head, r.task
		r.mu.Unlock()
		if head.Seq >= t.Seq {
			return s.keep(head, task), nil
		}
	} else if kept, ok := s.snapshots.Get(t.ID); ok && kept.seq >= t.Seq { // its work has just ended
		return kept, nil
	}
	task, err := s.read(ctx, t)
	if err != nil {
		return nil, err
	}
	return s.keep(t, task), nil
}

// keep keeps a task for those who ask next.
func (s *Server) keep(t tasklog.Task, task *wire.Task) *snapshot {
	if kept, ok := s.snapshots.Get(t.ID); ok && kept.seq >= t.Seq {
		return kept
	}
	snap := &snapshot{seq: t.Seq, task: task}
	if sizeOfTask(task) <= mostKept {
		s.snapshots.Add(t.ID, snap)
	} else {
		s.snapshots.Remove(t.ID)
	}
	return snap
}

// readAtOnce is how many events are read from the log at once.
const readAtOnce = 256

// read makes a task of all its events up to t.Seq.
func (s *Server) read(ctx context.Context, t tasklog.Task) (*wire.Task, error) {
	var task *wire.Task
	for after := int64(0); after < t.Seq; {
		events, err := s.o.Log.Events(ctx, t, after, int(min(readAtOnce, t.Seq-after)))
		if err != nil {
			return nil, err
		}
		if len(events) == 0 {
			return nil, fmt.Errorf("task %s: the log ends after event %d of %d", t.ID, after, t.Seq)
		}
		if task, err = foldAll(task, events); err != nil {
			return nil, fmt.Errorf("task %s: %w", t.ID, err)
		}
		after = events[len(events)-1].Seq
	}
	return task, nil
}

// foldAll folds events of the log into a task.
func foldAll(task *wire.Task, events []tasklog.Event) (*wire.Task, error) {
	for _, e := range events {
		event, err := eventOf(e.Body)
		if err != nil {
			return nil, fmt.Errorf("event %d: %w", e.Seq, err)
		}
		var input *wire.Message
		if e.Input != nil && e.Kind != tasklog.Created { // see origin
			if err := json.Unmarshal(e.Input, &input); err != nil {
				return nil, fmt.Errorf("event %d: %w", e.Seq, err)
			}
		}
		task = fold(task, event, input)
	}
	return task, nil
}

func eventOf(body []byte) (wire.Event, error) {
	var response wire.StreamResponse
	if err := json.Unmarshal(body, &response); err != nil {
		return nil, err
	}
	return response.Event, nil
}

// fold returns the task after an event. input is the client's message that led to it; nil for none. task is not
// changed.
func fold(task *wire.Task, event wire.Event, input *wire.Message) *wire.Task {
	if first, ok := event.(*wire.Task); ok {
		return first
	}
	next := *task
	switch event := event.(type) {
	case *wire.TaskStatusUpdateEvent:
		if said := task.Status.Message; said != nil && (event.Status.Message == nil || said.ID != event.Status.Message.ID) {
			next.History = append(next.History, said)
		}
		if input != nil {
			next.History = append(next.History, input)
		}
		next.Status = event.Status
		next.Metadata = merged(task.Metadata, event.Metadata)
	case *wire.TaskArtifactUpdateEvent:
		next.Artifacts = slices.Clone(task.Artifacts)
		i := slices.IndexFunc(next.Artifacts, func(a *wire.Artifact) bool { return a.ID == event.Artifact.ID })
		switch {
		case i < 0:
			next.Artifacts = append(next.Artifacts, event.Artifact)
		case event.Append:
			next.Artifacts[i] = appended(next.Artifacts[i], event.Artifact)
		default:
			next.Artifacts[i] = event.Artifact
		}
		next.Metadata = merged(task.Metadata, event.Metadata)
	}
	return &next
}

// appended returns an artifact with the parts of another one behind its own. The parts may lie in the same array
// as those of to, since nothing else is ever appended to it.
func appended(to, more *wire.Artifact) *wire.Artifact {
	next := *to
	next.Parts = append(to.Parts, more.Parts...)
	next.Metadata = merged(to.Metadata, more.Metadata)
	return &next
}

// told returns a task as clients are told it: texts of an artifact that came one after the other are one, and nothing is
// left of the empty one that ended it.
func told(task *wire.Task) *wire.Task {
	next := *task
	next.Artifacts = slices.Clone(task.Artifacts)
	for i, artifact := range next.Artifacts {
		if len(artifact.Parts) > 1 {
			whole := *artifact
			whole.Parts = joined(artifact.Parts)
			next.Artifacts[i] = &whole
		}
	}
	return &next
}

func joined(parts wire.ContentParts) wire.ContentParts {
	var whole wire.ContentParts
	for i := 0; i < len(parts); {
		end := i + 1
		for end < len(parts) && goesOn(parts[i], parts[end]) {
			end++
		}
		part := *parts[i]
		if end > i+1 {
			var text strings.Builder
			for _, p := range parts[i:end] {
				text.WriteString(p.Text())
			}
			part.Content = wire.Text(text.String())
		}
		i = end
		if said, ok := part.Content.(wire.Text); ok && said == "" && part.Metadata == nil && len(whole) > 0 {
			continue
		}
		whole = append(whole, &part)
	}
	return whole
}

func goesOn(before, after *wire.Part) bool {
	_, text := before.Content.(wire.Text)
	_, more := after.Content.(wire.Text)
	return text && more && before.Metadata == nil && after.Metadata == nil && before.Filename == after.Filename &&
		before.MediaType == after.MediaType
}

func merged(a, b map[string]any) map[string]any {
	if len(b) == 0 {
		return a
	}
	both := maps.Clone(a)
	if both == nil {
		both = map[string]any{}
	}
	maps.Copy(both, b)
	return both
}

// recent returns a task with at most the last messages of its history; nil is all of them.
func recent(task *wire.Task, length *int) *wire.Task {
	if length == nil || len(task.History) <= *length {
		return task
	}
	short := *task
	short.History = task.History[len(task.History)-*length:]
	return &short
}

// states are the protocol's names of the states.
var states = map[tasklog.State]wire.TaskState{
	tasklog.Submitted: wire.TaskStateSubmitted, tasklog.Working: wire.TaskStateWorking,
	tasklog.InputRequired: wire.TaskStateInputRequired, tasklog.AuthRequired: wire.TaskStateAuthRequired,
	tasklog.Completed: wire.TaskStateCompleted, tasklog.Failed: wire.TaskStateFailed,
	tasklog.Canceled: wire.TaskStateCanceled, tasklog.Rejected: wire.TaskStateRejected,
}

// logState returns the log's name of a state; "" for one that does not exist.
func logState(state wire.TaskState) tasklog.State {
	for name, wires := range states {
		if wires == state {
			return name
		}
	}
	return tasklog.None
}

func statusEvent(t tasklog.Task, state wire.TaskState, message *wire.Message) *wire.TaskStatusUpdateEvent {
	return &wire.TaskStatusUpdateEvent{TaskID: wire.TaskID(t.ID), ContextID: t.Context,
		Status: wire.TaskStatus{State: state, Message: message}}
}

func agentText(t tasklog.Task, text string) *wire.Message {
	return wire.NewMessageForTask(wire.MessageRoleAgent, wire.TaskInfo{TaskID: wire.TaskID(t.ID), ContextID: t.Context},
		wire.NewTextPart(text))
}
