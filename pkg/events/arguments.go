package events

import (
	"crypto/sha256"
	"fmt"
	"unicode/utf8"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// longest is the number of bytes of a text that an event carries; of a longer one it carries the beginning,
// the length and the hash, so that the record stays readable and the text can still be recognised.
const longest = 4 << 10

// Arguments returns the arguments of a call as an event may carry them: long texts shortened, secret values
// replaced.
func Arguments(arguments map[string]any, secret map[string]bool) map[string]any {
	if arguments == nil {
		return nil
	}
	out := make(map[string]any, len(arguments))
	for name, value := range arguments {
		if secret[name] {
			out[name] = "[secret]"
			continue
		}
		out[name] = shorten(value)
	}
	return out
}

// Text returns a text as an event may carry it.
func Text(s string) string {
	if len(s) <= longest {
		return s
	}
	cut := longest
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
