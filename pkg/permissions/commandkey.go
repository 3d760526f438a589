package permissions

import "github.com/a2a-acp/a2a-acp/internal/digest"

// CommandKey names a command with its variables. A text and words that read the same are told apart.
func CommandKey(text string, argv []string, env []Variable) string {
	parts := []string{"text", text}
	if len(argv) > 0 {
		parts = append([]string{"words"}, argv...)
	}
	key := digest.Of(parts...)
	parts = nil
	for _, v := range env {
		parts = append(parts, v.Name, v.Value)
	}
	return key + digest.Of(parts...)
}
