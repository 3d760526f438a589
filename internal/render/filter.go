package render

import (
	"encoding/json"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/argument"
)

// filter takes one filter of a tag in, or says what is wrong with it.
func (t *tag) filter(source string) (message, fix string) {
	name, inner, called := strings.Cut(source, "(")
	name = strings.TrimSpace(name)
	switch {
	case name == "default" && called && strings.HasSuffix(inner, ")"):
		literal, ok := readLiteral(strings.TrimSpace(strings.TrimSuffix(inner, ")")))
		if !ok {
			return "default() takes a number, true, false or a quoted text", "write default('…') or default(30)"
		}
		literal.source = source
		t.literal = literal
	case name == "default":
		return "default has no value", "write default('…') or default(30)"
	case name == "tojson" && !called:
		t.toJSON = true
	case name == "raw" || name == "safe":
		return "raw tags are not possible: a value never becomes part of the text around it",
			"leave |" + name + " out"
	default:
		return "there is no filter |" + firstLine(source), "the filters are default(…) and tojson"
	}
	return "", ""
}

// readLiteral reads the argument of default(…).
func readLiteral(source string) (*literal, bool) {
	if n := len(source); n >= 2 && (source[0] == '\'' || source[0] == '"') && source[n-1] == source[0] {
		inner := source[1 : n-1]
		return &literal{value: inner}, strings.IndexByte(inner, source[0]) < 0 && strings.IndexByte(inner, 0) < 0
	}
	switch source {
	case "true", "false":
		return &literal{value: source == "true"}, true
	}
	number := json.Number(source)
	if _, err := argument.Number(number); err != nil {
		return nil, false
	}
	return &literal{value: number}, true
}
