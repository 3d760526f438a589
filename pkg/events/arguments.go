package events

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Longest is the number of bytes of a text that an event carries; of a longer one it carries the beginning,
// the length and the hash, so that the record stays readable and the text can still be recognised.
const Longest = 4 << 10

// Arguments returns the arguments of a call as an event may carry them: long texts shortened, secret values
// replaced by what mark makes of them; nil for a mark that says nothing of the value. What is no text is marked
// as JSON writes it.
func Arguments(arguments map[string]any, secret map[string]bool, mark func(value string) string) map[string]any {
	if arguments == nil {
		return nil
	}
	out := make(map[string]any, len(arguments))
	for name, value := range arguments {
		if secret[name] {
			out[name] = marked(value, mark)
			continue
		}
		out[name] = shorten(value)
	}
	return out
}

func marked(value any, mark func(string) string) string {
	text, ok := value.(string)
	if !ok {
		encoded, err := json.Marshal(value)
		if err != nil {
			mark = nil
		}
		text = string(encoded)
	}
	if mark == nil {
		return secretMark
	}
	return mark(text)
}

// secretMark stands in the place of a secret value of which nothing is to be said.
const secretMark = "[secret]"

// Text returns a text as an event may carry it.
func Text(s string) string {
	if len(s) <= Longest {
		return s
	}
	cut := Longest
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return fmt.Sprintf("%s… [%d bytes, sha256 %x]", s[:cut], len(s), sha256.Sum256([]byte(s)))
}

func shorten(value any) any {
	return tool.MapLeaves(value, func(leaf any) any {
		if text, ok := leaf.(string); ok {
			return Text(text)
		}
		return leaf
	})
}
