package model

import (
	"bytes"
	"encoding/json"
)

// instance gives some value that fits a JSON schema as agents send them with their errands: good enough for
// objects, enumerations and plain types. For anything else it gives null.
func instance(schema json.RawMessage) json.RawMessage {
	var s struct {
		Type       json.RawMessage            `json:"type"`
		Enum       []json.RawMessage          `json:"enum"`
		Properties map[string]json.RawMessage `json:"properties"`
		AnyOf      []json.RawMessage          `json:"anyOf"`
	}
	if err := json.Unmarshal(schema, &s); err != nil {
		return json.RawMessage("null")
	}
	switch {
	case len(s.Enum) > 0:
		return s.Enum[0]
	case len(s.AnyOf) > 0:
		return instance(s.AnyOf[0])
	case s.Properties != nil:
		out := make(map[string]json.RawMessage, len(s.Properties))
		for name, property := range s.Properties {
			out[name] = instance(property)
		}
		text, err := json.Marshal(out)
		if err != nil {
			return json.RawMessage("null")
		}
		return text
	case bytes.Contains(s.Type, []byte(`"string"`)):
		return json.RawMessage(`"a title"`)
	case bytes.Contains(s.Type, []byte(`"array"`)):
		return json.RawMessage("[]")
	case bytes.Contains(s.Type, []byte(`"boolean"`)):
		return json.RawMessage("true")
	case bytes.Contains(s.Type, []byte(`"integer"`)), bytes.Contains(s.Type, []byte(`"number"`)):
		return json.RawMessage("1")
	case bytes.Contains(s.Type, []byte(`"object"`)):
		return json.RawMessage("{}")
	}
	return json.RawMessage("null")
}
