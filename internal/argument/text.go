package argument

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Text returns a string, a number or a boolean as a script gets it.
func Text(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case bool:
		return strconv.FormatBool(v), true
	case json.Number:
		s, err := Number(v)
		return s, err == nil
	}
	return "", false
}

// JSON writes a value as JSON, keys sorted, and < > & as they are: no HTML is near. Numbers keep every
// digit.
func JSON(v any) (string, bool) {
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
			if s, err := Number(n); err == nil {
				return json.Number(s)
			}
		}
		return leaf
	})
}
