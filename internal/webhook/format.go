package webhook

import (
	"bytes"
	"encoding/json"

	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// Format says how an item is written.
type Format int

// The formats.
const (
	FormatSeed        Format = iota // as the original system tells it; see events.Notification
	FormatCloudEvents               // CloudEvents 1.0, structured
	FormatRecord                    // the line of the record, byte for byte
	formats
)

var formatNames = [formats]string{"seed", "cloudevents", "record"}

// FormatNames are the formats by name.
func FormatNames() []string { return formatNames[:] }

// FormatOf returns the format with a name.
func FormatOf(name string) Format {
	for i, known := range formatNames {
		if known == name {
			return Format(i)
		}
	}
	return FormatSeed
}

func (f Format) String() string { return formatNames[f] }

var contentTypes = [formats]string{"application/json", "application/cloudevents+json", "application/json"}

// encode writes an entry of the record.
func encode(e *recorded, format Format) ([]byte, error) {
	told := events.Recorded{Seq: e.seq, ID: e.id, Event: e.Event}
	switch format {
	case FormatRecord:
		return e.raw, nil
	case FormatCloudEvents:
		return encodeJSON(told.CloudEvent())
	default:
		return encodeJSON(told.Told())
	}
}

// encodeJSON is json.Marshal for people, too: < and > stay as they are.
func encodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
