package mcpserver

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// longestName is how long a name may be. MCP allows 128 characters (2025-11-25, tool names), but many
// clients end at 64.
const longestName = 64

// ToolName returns the name under which MCP knows the tool with this id: the id itself where it can be one,
// else what is left of it with a mark that tells it from others. It is the same for the same id.
func ToolName(id string) string {
	name := strings.Map(func(r rune) rune {
		if isNameRune(r) {
			return r
		}
		return '_'
	}, id)
	if name == id && id != "" && len(id) <= longestName {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	mark := "_" + hex.EncodeToString(sum[:5])
	return name[:min(len(name), longestName-len(mark))] + mark
}

// SameName reports whether an agent that writes told may mean the tool that MCP knows as name. Agents
// respell names for their models, which take no dots.
func SameName(name, told string) bool {
	return strings.ReplaceAll(name, ".", "_") == strings.ReplaceAll(told, ".", "_")
}

func isNameRune(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == '-' || r == '.'
}
