package permissions

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// mostNested bounds how deep arguments may be nested to be compared.
const mostNested = 100

// Canonical writes a JSON value in one way only: keys sorted, numbers by value, texts as Go quotes them.
// Two values are equal exactly when their texts are. It returns an error for what is no JSON value.
func Canonical(value any) (string, error) {
	var b strings.Builder
	err := writeCanonical(&b, value, 0)
	return b.String(), err
}

func writeCanonical(b *strings.Builder, value any, depth int) error {
	if depth > mostNested {
		return fmt.Errorf("nested deeper than %d", mostNested)
	}
	if text, ok := numberText(value); ok {
		number, ok := canonicalNumber(text)
		if !ok {
			number = "?" + text // equals itself and nothing else
		}
		b.WriteString(number)
		return nil
	}
	switch v := value.(type) {
	case nil:
		b.WriteString("null")
	case bool:
		b.WriteString(strconv.FormatBool(v))
	case string:
		b.WriteString(strconv.Quote(v)) // keeps bytes that are no text apart, which JSON does not
	case []any:
		b.WriteByte('[')
		for i, item := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := writeCanonical(b, item, depth+1); err != nil {
				return err
			}
		}
		b.WriteByte(']')
	case map[string]any:
		keys := make([]string, 0, len(v))
		for key := range v {
			keys = append(keys, key)
		}
		sort.Strings(keys)
		b.WriteByte('{')
		for i, key := range keys {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := writeCanonical(b, key, depth+1); err != nil {
				return err
			}
			b.WriteByte(':')
			if err := writeCanonical(b, v[key], depth+1); err != nil {
				return err
			}
		}
		b.WriteByte('}')
	default:
		return fmt.Errorf("%T is no JSON value", value)
	}
	return nil
}
