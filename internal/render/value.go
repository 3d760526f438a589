package render

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// scalarText is a string, a number or a boolean as a script gets it.
func scalarText(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case bool:
		return strconv.FormatBool(v), true
	case json.Number:
		s, err := canonicalNumber(v)
		return s, err == nil
	}
	return "", false
}

// jsonText writes a value as JSON, keys sorted, and < > & as they are: no HTML is near. Numbers keep every
// digit.
func jsonText(v any) (string, bool) {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(canonicalNumbers(v)); err != nil {
		return "", false
	}
	return strings.TrimSuffix(b.String(), "\n"), true
}

// canonicalNumbers copies a JSON value with its numbers written in decimal.
func canonicalNumbers(v any) any {
	return tool.MapLeaves(v, func(leaf any) any {
		if n, ok := leaf.(json.Number); ok {
			if s, err := canonicalNumber(n); err == nil {
				return json.Number(s)
			}
		}
		return leaf
	})
}

// truthy reports whether a section shows. A number does, 0 too: a value was given.
func truthy(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case string:
		return v != ""
	case []any:
		return len(v) > 0
	case map[string]any:
		return len(v) > 0
	}
	return true
}
