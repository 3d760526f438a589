// Package outputschema holds what a tool prints against the JSON Schema that its author has written for it
// (draft 2020-12, or draft 7 where the schema says so).
package outputschema

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// Schema is a schema that can be used. It is safe for concurrent use.
type Schema struct{ resolved *jsonschema.Resolved }

// Compile reads a schema. Nothing that it refers to is fetched from elsewhere.
func Compile(text string) (*Schema, error) {
	var schema jsonschema.Schema
	if err := json.Unmarshal([]byte(text), &schema); err != nil {
		return nil, err
	}
	resolved, err := schema.Resolve(&jsonschema.ResolveOptions{})
	if err != nil {
		return nil, err
	}
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		return nil, err
	}
	if name := unknownType(value); name != "" {
		return nil, fmt.Errorf("there is no type %q", name)
	}
	return &Schema{resolved}, nil
}

var types = []string{"null", "boolean", "object", "array", "number", "string", "integer"}

// unknownType returns a type in a schema that JSON does not have: the library takes it for one that no value
// is of. It returns "" if there is none.
func unknownType(schema any) string {
	switch s := schema.(type) {
	case []any:
		for _, item := range s {
			if name := unknownType(item); name != "" {
				return name
			}
		}
	case map[string]any:
		for key, value := range s {
			name := ""
			switch key {
			case "type":
				name, _ = value.(string)
				if slices.Contains(types, name) {
					name = ""
				}
			case "enum", "const", "default", "examples": // values, and no schemas
			default:
				name = unknownType(value)
			}
			if name != "" {
				return name
			}
		}
	}
	return ""
}

// ErrNoJSON is what Check returns of a text that is not JSON.
var ErrNoJSON = errors.New("it is not one JSON value")

// Check reads a text as JSON and holds it against the schema; the nil Schema takes every value. It tells
// what the text begins with, if it is JSON.
func (s *Schema) Check(text []byte) (isObject bool, err error) {
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return false, fmt.Errorf("%w: %w", ErrNoJSON, err)
	}
	_, isObject = value.(map[string]any)
	if s == nil {
		return isObject, nil
	}
	return isObject, s.resolved.Validate(value)
}
