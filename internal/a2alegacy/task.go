package a2alegacy

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	wire "github.com/a2aproject/a2a-go/v2/a2a"
)

// Status is what a task is at.
type Status struct {
	State     string     `json:"state"`
	Message   *Message   `json:"message,omitempty"`
	Timestamp *time.Time `json:"timestamp,omitempty"`
}

// Artifact is what a task has put out.
type Artifact struct {
	ArtifactID  string         `json:"artifactId"`
	Name        string         `json:"name,omitempty"`
	Description string         `json:"description,omitempty"`
	Parts       []Part         `json:"parts"`
	Extensions  []string       `json:"extensions,omitempty"`
	Metadata    map[string]any `json:"metadata,omitempty"`
}

// Task is a task.
type Task struct {
	Kind      string         `json:"kind"`
	ID        string         `json:"id"`
	ContextID string         `json:"contextId"`
	Status    Status         `json:"status"`
	Artifacts []Artifact     `json:"artifacts,omitempty"`
	History   []*Message     `json:"history,omitempty"`
	Metadata  map[string]any `json:"metadata,omitempty"`
}

// Update is news of a task: of its status, or of an artifact.
type Update struct {
	Kind      string         `json:"kind"`
	TaskID    string         `json:"taskId"`
	ContextID string         `json:"contextId"`
	Status    *Status        `json:"status,omitempty"`
	Final     *bool          `json:"final,omitempty"`
	Artifact  *Artifact      `json:"artifact,omitempty"`
	Append    bool           `json:"append,omitempty"`
	LastChunk bool           `json:"lastChunk,omitempty"`
	Metadata  map[string]any `json:"metadata,omitempty"`
}

const statePrefix = "TASK_STATE_"

// StateOf returns a state as 0.3 names it: input-required for TASK_STATE_INPUT_REQUIRED.
func StateOf(state wire.TaskState) string {
	return strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(string(state), statePrefix), "_", "-"))
}

func stateNamed(name string) wire.TaskState {
	if name == "" || name == "unknown" {
		return wire.TaskStateUnspecified
	}
	return wire.TaskState(statePrefix + strings.ToUpper(strings.ReplaceAll(name, "-", "_")))
}

func statusOf(s wire.TaskStatus) Status {
	return Status{State: StateOf(s.State), Message: OfMessage(s.Message), Timestamp: s.Timestamp}
}

func (s Status) wire() (wire.TaskStatus, error) {
	message, err := s.Message.Wire()
	return wire.TaskStatus{State: stateNamed(s.State), Message: message, Timestamp: s.Timestamp}, err
}

func artifactOf(a *wire.Artifact) Artifact {
	return Artifact{ArtifactID: string(a.ID), Name: a.Name, Description: a.Description, Parts: OfParts(a.Parts),
		Extensions: a.Extensions, Metadata: a.Metadata}
}

func (a Artifact) wire() (*wire.Artifact, error) {
	parts, err := partsOf(a.Parts)
	return &wire.Artifact{ID: wire.ArtifactID(a.ArtifactID), Name: a.Name, Description: a.Description, Parts: parts,
		Extensions: a.Extensions, Metadata: a.Metadata}, err
}

// OfTask returns a task as 0.3 has it.
func OfTask(task *wire.Task) Task {
	old := Task{Kind: "task", ID: string(task.ID), ContextID: task.ContextID, Status: statusOf(task.Status),
		Metadata: task.Metadata}
	for _, artifact := range task.Artifacts {
		old.Artifacts = append(old.Artifacts, artifactOf(artifact))
	}
	for _, message := range task.History {
		old.History = append(old.History, OfMessage(message))
	}
	return old
}

// Wire returns a task in the words of 1.0.
func (t *Task) Wire() (*wire.Task, error) {
	status, err := t.Status.wire()
	if err != nil {
		return nil, err
	}
	task := &wire.Task{ID: wire.TaskID(t.ID), ContextID: t.ContextID, Status: status, Metadata: t.Metadata}
	for _, old := range t.Artifacts {
		artifact, err := old.wire()
		if err != nil {
			return nil, err
		}
		task.Artifacts = append(task.Artifacts, artifact)
	}
	for _, old := range t.History {
		message, err := old.Wire()
		if err != nil {
			return nil, err
		}
		task.History = append(task.History, message)
	}
	return task, nil
}

// OfEvent returns an event as 0.3 has it; nil for one that it has no word for. A status is final that ends the task,
// or waits for input: clients of 0.3 end the stream with it.
func OfEvent(event wire.Event) any {
	switch event := event.(type) {
	case *wire.Message:
		return OfMessage(event)
	case *wire.Task:
		return OfTask(event)
	case *wire.TaskStatusUpdateEvent:
		status, final := statusOf(event.Status), event.Status.State.Terminal() ||
			event.Status.State == wire.TaskStateInputRequired
		return Update{Kind: "status-update", TaskID: string(event.TaskID), ContextID: event.ContextID, Status: &status,
			Final: &final, Metadata: event.Metadata}
	case *wire.TaskArtifactUpdateEvent:
		artifact := artifactOf(event.Artifact)
		return Update{Kind: "artifact-update", TaskID: string(event.TaskID), ContextID: event.ContextID,
			Artifact: &artifact, Append: event.Append, LastChunk: event.LastChunk, Metadata: event.Metadata}
	}
	return nil
}

// ReadEvent returns an event of 0.3 in the words of 1.0.
func ReadEvent(body []byte) (wire.Event, error) {
	var said struct {
		Kind string `json:"kind"`
	}
	if err := json.Unmarshal(body, &said); err != nil {
		return nil, err
	}
	switch said.Kind {
	case "message":
		var old Message
		if err := json.Unmarshal(body, &old); err != nil {
			return nil, err
		}
		return old.Wire()
	case "task":
		return ReadTask(body)
	case "status-update", "artifact-update":
		var old Update
		if err := json.Unmarshal(body, &old); err != nil {
			return nil, err
		}
		return old.wire()
	}
	return nil, fmt.Errorf("want the kind message, task, status-update or artifact-update, found %.30q", said.Kind)
}

// ReadTask returns a task of 0.3 in the words of 1.0.
func ReadTask(body []byte) (*wire.Task, error) {
	var old Task
	if err := json.Unmarshal(body, &old); err != nil {
		return nil, err
	}
	return old.Wire()
}

func (u Update) wire() (wire.Event, error) {
	switch {
	case u.Kind == "status-update" && u.Status != nil:
		status, err := u.Status.wire()
		return &wire.TaskStatusUpdateEvent{TaskID: wire.TaskID(u.TaskID), ContextID: u.ContextID, Status: status,
			Metadata: u.Metadata}, err
	case u.Kind == "artifact-update" && u.Artifact != nil:
		artifact, err := u.Artifact.wire()
		return &wire.TaskArtifactUpdateEvent{TaskID: wire.TaskID(u.TaskID), ContextID: u.ContextID, Artifact: artifact,
			Append: u.Append, LastChunk: u.LastChunk, Metadata: u.Metadata}, err
	}
	return nil, fmt.Errorf("a %s without what is new", u.Kind)
}
