package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/mcpserver"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// valuesKey is the key of what a client is asked for that the model left out.
const valuesKey = "values"

// askForValues asks the client for values that the model left out, if the tool wants that (ask) and the client
// can. It returns the arguments with the values that were given before. Those are arguments like all others:
// they are checked, decided about and recorded.
func askForValues(t *tool.Tool, call mcpserver.Call, state *mcpState) (json.RawMessage, *mcpserver.InputRequired, error) {
	if !call.Client.Capabilities.Elicitation || !slices.ContainsFunc(t.Parameters, isAsked) {
		return call.Arguments, nil, nil
	}
	missing := missingValues(t, call.Arguments)
	if len(missing) == 0 {
		return call.Arguments, nil, nil
	}
	if !state.AskedValues {
		state.AskedValues = true
		text, err := json.Marshal(state)
		if err != nil {
			return nil, nil, err
		}
		request, err := formOf(t, missing)
		return nil, &mcpserver.InputRequired{State: string(text), Requests: map[string]mcpserver.InputRequest{valuesKey: request}}, err
	}
	if answer, brought := call.Answers[valuesKey]; brought && state.Values == nil {
		var said struct {
			Action  string                     `json:"action"`
			Content map[string]json.RawMessage `json:"content"`
		}
		if json.Unmarshal(answer, &said) != nil || said.Action != "accept" {
			return nil, nil, fmt.Errorf("the person was asked for %s, and gave nothing", strings.Join(names(missing), ", "))
		}
		state.Values = map[string]json.RawMessage{}
		for _, p := range missing {
			if value, given := said.Content[p.Name]; given && string(value) != "null" {
				state.Values[p.Name] = value
			}
		}
	}
	return withValues(call.Arguments, missing, state.Values), nil, nil
}

// isAsked reports whether a person is asked for the value of a parameter.
func isAsked(p tool.Parameter) bool { return p.Ask && !p.Secret }

// missingValues are the parameters of a tool that a person is asked for and that arguments do not have. Of
// arguments that are no object the call's own check tells.
func missingValues(t *tool.Tool, arguments json.RawMessage) []*tool.Parameter {
	var given map[string]json.RawMessage
	if len(bytes.TrimSpace(arguments)) > 0 && json.Unmarshal(arguments, &given) != nil {
		return nil
	}
	var missing []*tool.Parameter
	for i := range t.Parameters {
		p := &t.Parameters[i]
		if _, has := given[p.Name]; isAsked(*p) && !has {
			missing = append(missing, p)
		}
	}
	return missing
}

func names(parameters []*tool.Parameter) []string {
	all := make([]string, len(parameters))
	for i, p := range parameters {
		all[i] = p.Name
	}
	return all
}

// formOf is what a client shows its person: a field for each value.
func formOf(t *tool.Tool, missing []*tool.Parameter) (mcpserver.InputRequest, error) {
	properties, required := map[string]any{}, []string{}
	for _, p := range missing {
		field := map[string]any{"type": string(p.Type), "title": p.Name}
		if p.Description != "" {
			field["description"] = display.Line(p.Description)
		}
		if len(p.Enum) > 0 && p.Type == tool.TypeString {
			field["enum"] = p.Enum
		}
		if p.Default != nil {
			field["default"] = p.Default
		}
		for key, bound := range map[string]string{"minimum": p.Minimum, "maximum": p.Maximum} {
			if bound != "" {
				field[key] = json.Number(bound)
			}
		}
		properties[p.Name] = field
		if p.Required {
			required = append(required, p.Name)
		}
	}
	params, err := json.Marshal(map[string]any{
		"mode": "form", "message": fmt.Sprintf("The tool %s needs %s.", t.ID, strings.Join(names(missing), ", ")),
		"requestedSchema": map[string]any{"type": "object", "properties": properties, "required": required},
	})
	return mcpserver.InputRequest{Method: "elicitation/create", Params: params}, err
}

// withValues returns arguments with values in addition. The bytes that the model wrote stay as they are, so that
// the check still sees what is wrong with them.
func withValues(arguments json.RawMessage, missing []*tool.Parameter, values map[string]json.RawMessage) json.RawMessage {
	out := slices.Clone(bytes.TrimSpace(arguments))
	if len(out) == 0 || string(out) == "null" {
		out = []byte("{}")
	}
	for _, p := range missing {
		value, given := values[p.Name]
		if !given {
			continue
		}
		name, err := json.Marshal(p.Name)
		if err != nil { // of a text there is none
			continue
		}
		out = bytes.TrimRight(out[:len(out)-1], " \t\r\n")
		if out[len(out)-1] != '{' {
			out = append(out, ',')
		}
		out = append(append(append(append(out, name...), ':'), value...), '}')
	}
	return out
}
