// Package schema judges ACP frames by the JSON schemas that the official SDK ships.
package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Side says who receives a request or notification, in the schemas' own words ("x-side").
type Side string

// The sides.
const (
	Agent  Side = "agent"
	Client Side = "client"
)

// Judge knows the schema of one protocol version.
type Judge struct {
	definitions map[definition]*jsonschema.Schema
}

// definition names what a method's definition is about. Some methods, $/cancel_request above all, are
// received by both sides: their side is empty.
type definition struct {
	side   Side
	method string
	kind   string // Request, Response or Notification
}

// Load reads the schema of a protocol version (1 or 2) from the directory that the SDK is installed in.
func Load(sdk string, version int) (*Judge, error) {
	file := filepath.Join(sdk, "schema", "v"+strconv.Itoa(version), "schema.json")
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("%w (run `npm ci` in test/agents)", err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	var index struct {
		Definitions map[string]struct {
			Side   string `json:"x-side"`
			Method string `json:"x-method"`
		} `json:"$defs"`
	}
	if err := json.Unmarshal(text, &index); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("acp.json", document); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	judge := &Judge{definitions: make(map[definition]*jsonschema.Schema)}
	for name, d := range index.Definitions {
		if d.Method == "" {
			continue
		}
		compiled, err := compiler.Compile("acp.json#/$defs/" + name)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", file, name, err)
		}
		key := definition{side: Side(d.Side), method: d.Method}
		if d.Side == "protocol" {
			key.side = ""
		}
		for _, kind := range []string{"Request", "Response", "Notification"} {
			if strings.HasSuffix(name, kind) {
				key.kind = kind
			}
		}
		judge.definitions[key] = compiled
	}
	return judge, nil
}

// Frame is a message as the Judge needs it.
type Frame struct {
	To     Side            // who receives it
	Method string          // of a response, the method of its request
	ID     json.RawMessage // nil for a notification
	Params json.RawMessage // of a request or notification
	Result json.RawMessage // of a response; nil with Error set
	Error  json.RawMessage
}

// Verdict gives "" for a frame that fits, and otherwise its method and what does not fit, in words that are
// the same for every frame with the same flaw: places in it, without numbers and values. A method that the
// schema does not have is "unknown", unless it is an extension, whose name begins with "_" and which may
// hold anything.
func (j *Judge) Verdict(frame Frame) string {
	subject := frame.Method
	key := definition{side: frame.To, method: frame.Method, kind: "Notification"}
	value := frame.Params
	switch {
	case frame.Error != nil:
		return errorVerdict(frame.Method, frame.Error)
	case frame.Result != nil:
		key.kind, value = "Response", frame.Result
		key.side = opposite(frame.To) // a response belongs to the side that received the request
	case frame.ID != nil:
		key.kind = "Request"
	}
	schema, ok := j.definitions[key]
	if !ok {
		key.side = ""
		schema, ok = j.definitions[key]
	}
	if !ok && strings.HasPrefix(frame.Method, "_") {
		return ""
	}
	if !ok {
		return subject + ": unknown"
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
	if err != nil {
		return subject + ": no JSON"
	}
	err = schema.Validate(document)
	if err == nil {
		return ""
	}
	invalid := new(jsonschema.ValidationError)
	if !errors.As(err, &invalid) {
		return subject + ": " + err.Error()
	}
	return fmt.Sprintf("%s %s%s: %s", subject, strings.ToLower(key.kind), variant(value),
		strings.Join(places(invalid), " "))
}

// errorVerdict checks an error response: an integer code and a message.
func errorVerdict(method string, raw json.RawMessage) string {
	var e struct {
		Code    *int64  `json:"code"`
		Message *string `json:"message"`
	}
	if err := json.Unmarshal(raw, &e); err != nil || e.Code == nil || e.Message == nil {
		return method + " error: not an error object"
	}
	return ""
}

func opposite(side Side) Side {
	if side == Agent {
		return Client
	}
	return Agent
}

// variant names the kind of a session update, which says more than the method does.
func variant(params json.RawMessage) string {
	var p struct {
		Update struct {
			Kind string `json:"sessionUpdate"`
		} `json:"update"`
	}
	if json.Unmarshal(params, &p) != nil || p.Update.Kind == "" {
		return ""
	}
	return " " + p.Update.Kind
}

// places returns where a value does not fit, deepest places only, each once.
func places(e *jsonschema.ValidationError) []string {
	var all []string
	var walk func(e *jsonschema.ValidationError)
	walk = func(e *jsonschema.ValidationError) {
		for _, cause := range e.Causes {
			walk(cause)
		}
		if len(e.Causes) > 0 {
			return
		}
		steps := slices.Clone(e.InstanceLocation)
		for i, step := range steps {
			if _, err := strconv.Atoi(step); err == nil {
				steps[i] = "*"
			}
		}
		all = append(all, "/"+strings.Join(steps, "/"))
	}
	walk(e)
	slices.Sort(all)
	return slices.Compact(all)
}
