package unasked

import (
	"bytes"
	"encoding/json"
	"path/filepath"
)

// settings reads an object of a repository's, in which there may be comments. It is nil where there is no such file;
// cannot says why its members cannot be told, "" where they can.
func settings(dir, name string) (members map[string]json.RawMessage, cannot string) {
	data, cannot := text(dir, name)
	if data == nil {
		return nil, cannot
	}
	if json.Unmarshal(plainJSON(data), &members) != nil {
		return nil, filepath.Join(dir, name) + " has settings that cannot be told"
	}
	return members, ""
}

// lineEnds end a comment for one reader or another: of what one passes over, nothing may be passed over here that another
// reads.
const lineEnds = "\n\r\v\f\u0085\u2028\u2029"

// plainJSON returns JSON without the comments and the commas before an end that opencode allows.
func plainJSON(text []byte) []byte {
	var out []byte
	for i := 0; i < len(text); i++ {
		switch rest := text[i:]; {
		case rest[0] == '"':
			end := 1
			for end < len(rest) && rest[end] != '"' {
				if rest[end] == '\\' {
					end++
				}
				end++
			}
			end = min(end+1, len(rest))
			out = append(out, rest[:end]...)
			i += end - 1
		case bytes.HasPrefix(rest, []byte("//")):
			end := bytes.IndexAny(rest, lineEnds)
			if end < 0 {
				return out
			}
			i += end
		case bytes.HasPrefix(rest, []byte("/*")):
			end := bytes.Index(rest[2:], []byte("*/"))
			if end < 0 {
				return nil
			}
			i += end + 3
		case rest[0] == '}' || rest[0] == ']':
			out = append(bytes.TrimSuffix(bytes.TrimSpace(out), []byte(",")), rest[0])
		default:
			out = append(out, rest[0])
		}
	}
	return out
}
