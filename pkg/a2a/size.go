package a2a

import wire "github.com/a2aproject/a2a-go/v2/a2a"

// How much memory something takes that others have said, about: what bounds memory counts in these.

const sizeOfPart = 1 << 10 // of each, however little it says: a part by itself takes some of that

// sizeOfTask is about how many bytes a task takes.
func sizeOfTask(task *wire.Task) int {
	n := sizeOfMap(task.Metadata) + sizeOfMessage(task.Status.Message)
	for _, m := range task.History {
		n += sizeOfMessage(m)
	}
	for _, artifact := range task.Artifacts {
		n += sizeOf(artifact.Parts) + sizeOfPart*len(artifact.Parts) + sizeOfMap(artifact.Metadata)
	}
	return n
}

// sizeOfMessage is about how many bytes a message takes; none is 0.
func sizeOfMessage(m *wire.Message) int {
	if m == nil {
		return 0
	}
	return sizeOf(m.Parts) + sizeOfPart*len(m.Parts) + sizeOfMap(m.Metadata)
}

// sizeOf is about how many bytes parts say.
func sizeOf(parts wire.ContentParts) (n int) {
	for _, part := range parts {
		n += len(part.Filename) + len(part.MediaType) + sizeOfMap(part.Metadata)
		switch said := part.Content.(type) {
		case wire.Text:
			n += len(said)
		case wire.Raw:
			n += len(said)
		case wire.URL:
			n += len(said)
		case wire.Data:
			n += sizeOfValue(said.Value)
		}
	}
	return n
}

func sizeOfMap(members map[string]any) int {
	if members == nil {
		return 0
	}
	return sizeOfValue(members)
}

// sizeOfValue is about how many bytes a value of JSON takes.
func sizeOfValue(value any) (n int) {
	switch value := value.(type) {
	case string:
		n = len(value)
	case []any:
		for _, item := range value {
			n += sizeOfValue(item)
		}
	case map[string]any:
		for name, item := range value {
			n += len(name) + sizeOfValue(item) + 16
		}
	}
	return n + 32
}
