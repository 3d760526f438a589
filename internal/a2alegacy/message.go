package a2alegacy

import (
	"encoding/base64"
	"errors"
	"fmt"

	wire "github.com/a2aproject/a2a-go/v2/a2a"
)

// Part is a part of a message or an artifact.
type Part struct {
	Kind     string         `json:"kind"`
	Text     *string        `json:"text,omitempty"`
	File     *File          `json:"file,omitempty"`
	Data     any            `json:"data,omitempty"`
	Metadata map[string]any `json:"metadata,omitempty"`
}

// File is a file in a Part: its bytes, or where they are.
type File struct {
	Bytes    *string `json:"bytes,omitempty"` // base64
	URI      string  `json:"uri,omitempty"`
	Name     string  `json:"name,omitempty"`
	MimeType string  `json:"mimeType,omitempty"`
}

// Message is a message.
type Message struct {
	Kind             string         `json:"kind"`
	MessageID        string         `json:"messageId"`
	Role             string         `json:"role"`
	Parts            []Part         `json:"parts"`
	ContextID        string         `json:"contextId,omitempty"`
	TaskID           string         `json:"taskId,omitempty"`
	ReferenceTaskIDs []wire.TaskID  `json:"referenceTaskIds,omitempty"`
	Extensions       []string       `json:"extensions,omitempty"`
	Metadata         map[string]any `json:"metadata,omitempty"`
}

// PartError says which part of a message or an artifact cannot be read.
type PartError struct {
	Index int
	Err   error
}

func (e *PartError) Error() string { return fmt.Sprintf("parts[%d]: %v", e.Index, e.Err) }
func (e *PartError) Unwrap() error { return e.Err }

// OfParts returns parts as 0.3 has them.
func OfParts(parts wire.ContentParts) []Part {
	list := make([]Part, 0, len(parts))
	for _, part := range parts {
		old := Part{Metadata: part.Metadata}
		switch content := part.Content.(type) {
		case wire.Text:
			text := string(content)
			old.Kind, old.Text = "text", &text
		case wire.Raw:
			bytes := base64.StdEncoding.EncodeToString(content)
			old.Kind, old.File = "file", &File{Bytes: &bytes, Name: part.Filename, MimeType: part.MediaType}
		case wire.URL:
			old.Kind, old.File = "file", &File{URI: string(content), Name: part.Filename, MimeType: part.MediaType}
		case wire.Data:
			old.Kind, old.Data = "data", content.Value
			if _, object := content.Value.(map[string]any); !object { // 0.3 has objects only
				old.Data = map[string]any{"value": content.Value}
			}
		}
		list = append(list, old)
	}
	return list
}

// Wire returns a part in the words of 1.0.
func (p Part) Wire() (*wire.Part, error) {
	part := &wire.Part{Metadata: p.Metadata}
	switch {
	case p.Kind == "text" && p.Text != nil:
		part.Content = wire.Text(*p.Text)
	case p.Kind == "data" && p.Data != nil:
		part.Content = wire.Data{Value: p.Data}
	case p.Kind == "file" && p.File != nil:
		part.Filename, part.MediaType = p.File.Name, p.File.MimeType
		if p.File.Bytes == nil {
			part.Content = wire.URL(p.File.URI)
			break
		}
		raw, err := base64.StdEncoding.DecodeString(*p.File.Bytes)
		if err != nil {
			return nil, errors.New("the bytes are no base64")
		}
		part.Content = wire.Raw(raw)
	default:
		return nil, fmt.Errorf("want the kind text, file or data with its content, found the kind %.20q", p.Kind)
	}
	return part, nil
}

func partsOf(list []Part) (wire.ContentParts, error) {
	var parts wire.ContentParts
	for i, part := range list {
		content, err := part.Wire()
		if err != nil {
			return nil, &PartError{i, err}
		}
		parts = append(parts, content)
	}
	return parts, nil
}

// OfMessage returns a message as 0.3 has it; nil for nil.
func OfMessage(m *wire.Message) *Message {
	if m == nil {
		return nil
	}
	role := "user"
	if m.Role == wire.MessageRoleAgent {
		role = "agent"
	}
	return &Message{Kind: "message", MessageID: m.ID, Role: role, Parts: OfParts(m.Parts), ContextID: m.ContextID,
		TaskID: string(m.TaskID), ReferenceTaskIDs: m.ReferenceTasks, Extensions: m.Extensions, Metadata: m.Metadata}
}

// Wire returns a message in the words of 1.0; nil for nil. With an error it is a *PartError.
func (m *Message) Wire() (*wire.Message, error) {
	if m == nil {
		return nil, nil
	}
	parts, err := partsOf(m.Parts)
	if err != nil {
		return nil, err
	}
	role := map[string]wire.MessageRole{"user": wire.MessageRoleUser, "agent": wire.MessageRoleAgent}[m.Role]
	return &wire.Message{ID: m.MessageID, Role: role, Parts: parts, ContextID: m.ContextID, TaskID: wire.TaskID(m.TaskID),
		ReferenceTasks: m.ReferenceTaskIDs, Extensions: m.Extensions, Metadata: m.Metadata}, nil
}
