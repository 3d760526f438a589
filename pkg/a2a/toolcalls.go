package a2a

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	wire "github.com/a2aproject/a2a-go/v2/a2a"
)

// mostCalls bounds the calls of one message.
const mostCalls = 64

// callsOf returns the calls that a message asks for; none if it asks for none. There are three ways to ask: a data
// part with toolCalls, a data part of which the message or the part says whose parameters it holds (skillId in the
// metadata), or a text with the id of a skill and, behind it, its parameters.
func callsOf(m *wire.Message) ([]ToolCall, error) {
	var calls []ToolCall
	for i, part := range m.Parts {
		field := fmt.Sprintf("message.parts[%d]", i)
		data, ok := part.Data().(map[string]any)
		if !ok {
			if call, ok := callOfText(part.Text()); ok && len(m.Parts) == 1 {
				calls = append(calls, call)
			}
			continue
		}
		list, said := member(data, "toolCalls", "tool_calls").([]any)
		if !said {
			call, err := callOfSkill(field, data, part.Metadata, m.Metadata)
			if err != nil {
				return nil, err
			}
			if call != nil {
				calls = append(calls, *call)
			}
			continue
		}
		for j, item := range list {
			call, err := callOfItem(fmt.Sprintf("%s.data.toolCalls[%d]", field, j), item)
			if err != nil {
				return nil, err
			}
			calls = append(calls, call)
		}
	}
	if len(calls) > mostCalls {
		return nil, invalid("message.parts", "want at most %d calls, found %d", mostCalls, len(calls))
	}
	seen := map[string]bool{}
	for i := range calls {
		if calls[i].ID == "" {
			calls[i].ID = unnamedCall(m, i)
		}
		if id := calls[i].ID; seen[id] || len(id) > longestID || strings.ContainsFunc(id, isControl) {
			return nil, invalid("message.parts", "the id %.60q of a call stands there twice, is longer than %d bytes, or holds control "+
				"characters", id, longestID)
		}
		seen[calls[i].ID] = true
	}
	return calls, nil
}

// unnamedCall is the id of a message's call that its client has not named. No other task has one of that id: a client
// may confirm a call by that alone, also when it is over.
func unnamedCall(m *wire.Message, i int) string {
	id := "call-" + strconv.Itoa(i+1)
	if task := string(m.TaskID); task != "" {
		id += "-" + task[max(0, len(task)-12):] // it begins with the time
	}
	return id
}

// isNamed reports whether the client has itself chosen the id of one of a message's calls.
func isNamed(m *wire.Message, id string) bool {
	calls, err := callsOf(m)
	for i, call := range calls {
		if err == nil && call.ID == id && id != unnamedCall(m, i) {
			return true
		}
	}
	return false
}

// member returns a member of an object by the first of its names that is there.
func member(object map[string]any, names ...string) any {
	for _, name := range names {
		if value, ok := object[name]; ok {
			return value
		}
	}
	return nil
}

func text(object map[string]any, names ...string) string {
	text, _ := member(object, names...).(string)
	return text
}

// callOfItem reads one of toolCalls: {"id": …, "toolId": …, "parameters": {…}}.
func callOfItem(field string, item any) (ToolCall, error) {
	object, ok := item.(map[string]any)
	if !ok {
		return ToolCall{}, invalid(field, "want an object")
	}
	call := ToolCall{ID: text(object, "id"), Tool: text(object, "toolId", "tool_id", "skillId", "tool", "name")}
	if call.Tool == "" {
		return call, invalid(field+".toolId", "say which tool")
	}
	return call, call.take(field, member(object, "parameters", "arguments", "input"))
}

// callOfSkill reads a data part that is a call by itself; nil for one that is not. Where the metadata names the
// skill, the data are its parameters.
func callOfSkill(field string, data map[string]any, metadata ...map[string]any) (*ToolCall, error) {
	if id := text(data, "skillId", "toolId"); id != "" {
		call, err := callOfItem(field+".data", data)
		return &call, err
	}
	for _, m := range metadata {
		if id := text(m, "skillId", "skill_id", "skill"); id != "" {
			call := &ToolCall{Tool: id}
			return call, call.take(field+".data", data)
		}
	}
	return nil, nil
}

// take takes parameters.
func (c *ToolCall) take(field string, parameters any) error {
	if parameters == nil {
		parameters = map[string]any{}
	}
	if _, ok := parameters.(map[string]any); !ok {
		return invalid(field+".parameters", "want an object")
	}
	encoded, err := json.Marshal(parameters)
	if err != nil {
		return invalid(field+".parameters", "%v", err)
	}
	c.Arguments = encoded
	return nil
}

// callOfText reads a text: the id of a skill, perhaps with a slash before it, and its parameters as JSON. It is
// false for any other text.
func callOfText(said string) (ToolCall, bool) {
	id, rest, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(said), "/"), " ")
	rest = strings.TrimSpace(rest)
	if id == "" || len(id) > longestID || strings.ContainsAny(id, "{}\"'\n\t") {
		return ToolCall{}, false
	}
	call := ToolCall{Tool: id, Arguments: json.RawMessage("{}")}
	if rest == "" {
		return call, strings.HasPrefix(strings.TrimSpace(said), "/")
	}
	if rest[0] != '{' || checked([]byte(rest)) != nil {
		return ToolCall{}, false
	}
	call.Arguments = json.RawMessage(rest)
	return call, true
}
