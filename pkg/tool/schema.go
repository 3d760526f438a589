package tool

import (
	"encoding/json"
	"strings"
)

// InputSchema returns the tool's parameters as JSON Schema (draft 2020-12, which is what MCP takes a schema
// for that names no dialect; 2025-11-25, Tool.inputSchema). It is the same for the same tool, and accepts
// what CheckArguments accepts, up to what JSON Schema cannot say. The map is the caller's own.
//
// A pattern is left out that is not written alike in RE2 and in JavaScript: there are clients that refuse
// all tools of a server for one expression that they cannot read. A format appears as an expression and in
// words. The default of a secret parameter is left out too.
func (t *Tool) InputSchema() map[string]any {
	if t.Exec != nil {
		return t.flagsSchema()
	}
	schema := schemaOf(t.Parameters, t.Middleware.MostArguments)
	if most := t.Middleware.MostArguments; most > 0 && most < len(t.Parameters) {
		schema["maxProperties"] = most
	}
	return schema
}

// flagsSchema is the schema of a tool that runs a program: an object of flags, and the words beside it.
func (t *Tool) flagsSchema() map[string]any {
	var flags, words []Parameter
	for _, p := range t.Parameters {
		if p.isFlag() {
			flags = append(flags, p)
		} else {
			words = append(words, p)
		}
	}
	schema := schemaOf(words, t.Middleware.MostArguments)
	inner := schemaOf(flags, t.Middleware.MostArguments)
	if len(flags) == 0 {
		return schema
	}
	schema["properties"].(map[string]any)[flagsMember] = inner
	if _, wanted := inner["required"]; wanted {
		required, _ := schema["required"].([]string)
		schema["required"] = append([]string{flagsMember}, required...)
	}
	return schema
}

// schemaOf is the schema of an object with a member for each parameter; a list has at most so many items, if
// that is not 0.
func schemaOf(parameters []Parameter, most int) map[string]any {
	properties := make(map[string]any, len(parameters))
	required := []string{}
	for i := range parameters {
		p := &parameters[i]
		property := p.schema()
		if p.Default != nil && !p.Secret {
			property["default"] = clone(p.Default)
		}
		if most > 0 && p.Type == TypeArray {
			if own, ok := property["maxItems"].(int); !ok || most < own {
				property["maxItems"] = most
			}
		}
		properties[p.Name] = property
		if p.Required {
			required = append(required, p.Name)
		}
	}
	schema := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		schema["required"] = required
	}
	return schema
}

// schema says what a value of the parameter may be.
func (p *Parameter) schema() map[string]any {
	s := map[string]any{"type": string(p.Type)}
	if p.Nullable {
		s["type"] = []any{string(p.Type), "null"}
	}
	if p.Description != "" {
		s["description"] = p.Description
	}
	if len(p.Enum) > 0 {
		s["enum"] = clone(p.Enum)
	}
	if p.Minimum != "" {
		s["minimum"] = json.Number(p.Minimum)
	}
	if p.Maximum != "" {
		s["maximum"] = json.Number(p.Maximum)
	}
	if p.Pattern != "" && portable(p.Pattern) {
		s["pattern"] = anchored(p.Pattern)
	}
	for _, bound := range []struct {
		key string
		is  *int
	}{{"minLength", p.MinLength}, {"maxLength", p.MaxLength}, {"minItems", p.MinItems}, {"maxItems", p.MaxItems}} {
		if bound.is != nil {
			s[bound.key] = *bound.is
		}
	}
	p.Format.describe(s)
	switch {
	case p.Items != nil:
		s["items"] = p.Items.schema()
	case p.Type == TypeArray:
		// Any value; some models' interfaces refuse a list that says nothing about its items.
		s["items"] = map[string]any{}
	}
	if p.Properties != nil {
		members := schemaOf(p.Properties, 0)
		s["properties"], s["additionalProperties"] = members["properties"], false
		if required, ok := members["required"]; ok {
			s["required"] = required
		}
	}
	return s
}

// anchored returns an expression that must fit the whole value, as JSON Schema's own need not.
func anchored(pattern string) string { return "^(?:" + pattern + ")$" }

// portable reports whether an expression means the same in RE2 (https://github.com/google/re2/wiki/Syntax)
// and in JavaScript with the `u` flag, as JSON Schema wants it, but for rare white space and line ends. It
// knows what is certain and takes the rest for not portable.
func portable(pattern string) bool {
	inClass := false
	// The character before, '\\' for an escape that is no character, '(' where nothing can be repeated.
	var before byte = '('
	for i := 0; i < len(pattern); i++ {
		c, rest := pattern[i], pattern[i+1:]
		switch {
		case c >= 0x80:
			return false
		case c == '\\':
			if rest == "" || !portableEscape(rest[0], inClass) {
				return false
			}
			i++
			if c = '\\'; rest[0] == 'b' || rest[0] == 'B' {
				c = '('
			}
		case inClass && c == ']':
			inClass, c = false, '\\'
		case inClass && c == '[':
			return false // a named class in RE2
		case inClass && c == '-':
			if before != '[' && !strings.HasPrefix(rest, "]") &&
				!(isWord(before) && rest != "" && isWord(rest[0])) {
				return false // next to an escape it is a range to one and itself to the other
			}
		case inClass:
		case c == '[':
			inClass = true
			if strings.HasPrefix(rest, "^") {
				i, rest = i+1, rest[1:]
			}
			if strings.HasPrefix(rest, "]") {
				return false // itself in RE2, the end of an empty class in JavaScript
			}
		case c == ']', c == '}':
			return false // itself in RE2 only
		case c == '{':
			if before == '(' || !isRepeat(rest) {
				return false
			}
			i += strings.IndexByte(rest, '}') + 1
		case c == '*', c == '+', c == '?':
			if before == '(' {
				return false
			}
		case c == '(':
			if strings.HasPrefix(rest, "?") && !strings.HasPrefix(rest, "?:") {
				return false // flags and names
			}
			if strings.HasPrefix(rest, "?:") {
				i += 2
			}
		case c == '^', c == '$', c == '|':
			c = '('
		}
		before = c
	}
	return true
}

// portableEscape reports whether a backslash and c are the same thing to both.
func portableEscape(c byte, inClass bool) bool {
	switch c {
	case '-':
		return inClass
	case 'b', 'B':
		return !inClass
	}
	return strings.IndexByte(`dDwWsStrnfv.*+?()[]{}|^$/\`, c) >= 0
}

// isRepeat reports whether text goes on as {n}, {n,} or {n,m} does behind its brace.
func isRepeat(text string) bool {
	inner, _, closed := strings.Cut(text, "}")
	low, high, _ := strings.Cut(inner, ",")
	digits := func(s string) bool { // RE2 takes a leading zero for a text
		return strings.Trim(s, "0123456789") == "" && (len(s) < 2 || s[0] != '0')
	}
	return closed && low != "" && digits(low) && digits(high)
}

func isWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}
