package audit

import (
	"bytes"
	"encoding/json"

	"github.com/a2a-acp/a2a-acp/pkg/events"
)

// Hidden returns an event as it stands on record: hide is applied to its texts. Of one that cannot be written no more than
// its type is left.
func Hidden(event events.Event, hide func(string) string) events.Event {
	body, err := encode(event)
	var kept events.Event
	if err == nil {
		err = json.Unmarshal(hideIn(body, hide), &kept)
	}
	if err != nil {
		return events.Event{Type: event.Type, Time: event.Time}
	}
	return kept
}

// hideIn applies hide to the strings of an event that is encoded, but not to the names of its members. It keeps
// every other byte.
func hideIn(body []byte, hide func(string) string) []byte {
	if hide == nil || hide(string(body)) == string(body) { // as nearly always
		return body
	}
	var out bytes.Buffer
	for rest := body; len(rest) > 0; {
		begin := bytes.IndexByte(rest, '"')
		if begin < 0 {
			out.Write(rest)
			break
		}
		out.Write(rest[:begin])
		end := begin + stringEnd(rest[begin:])
		text := rest[begin:end]
		rest = rest[end:]
		if len(rest) > 0 && rest[0] == ':' { // a name: what encode writes has no blank there
			out.Write(text)
			continue
		}
		out.Write(hidden(text, hide))
	}
	return out.Bytes()
}

// stringEnd returns where a JSON string ends that a text begins with.
func stringEnd(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

// hidden applies hide to a JSON string.
func hidden(text []byte, hide func(string) string) []byte {
	var value string
	if json.Unmarshal(text, &value) != nil {
		return text
	}
	kept := hide(value)
	if kept == value {
		return text
	}
	encoded, err := encode(kept)
	if err != nil {
		return text
	}
	return encoded
}
