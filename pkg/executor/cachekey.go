package executor

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// callKey names the calls that have the same result: those of the same tool as it is written, under the
// same plan (which names directory, environment and limits), in the same workspace, with the same
// arguments or whatever the author's key makes of them.
type callKey [sha256.Size]byte

// cacheKey returns the key of a call; false for one whose result is not kept: of a tool that does not want
// it, or with the value of a secret parameter, which would stay in memory with it.
func cacheKey(a *act) (callKey, bool) {
	if !a.tool.Caching.Enabled {
		return callKey{}, false
	}
	for name := range a.tool.SecretParameters() {
		if _, given := a.arguments[name]; given {
			return callKey{}, false
		}
	}
	text, err := argumentKey(a)
	if err != nil {
		return callKey{}, false
	}
	h := sha256.New()
	for _, part := range []string{
		"a2a-acp call key v1", a.tool.ID, a.invocation.Work.Definition(), a.plan.Digest(),
		strings.Join(a.call.Workspace.Dirs(), "\x00"),
		a.tool.Caching.Key, text, a.invocation.Fingerprints[tool.Subject],
	} {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(part)))
		h.Write(n[:])
		h.Write([]byte(part))
	}
	return callKey(h.Sum(nil)), true
}

// argumentKey tells arguments apart: all of them, or as the author's key says.
func argumentKey(a *act) (string, error) {
	if a.entry.CacheKey == nil {
		text, err := json.Marshal(a.arguments) // sorts by name
		return string(text), err
	}
	key := ""
	// Written as nothing, an empty text hides its section, as the author means it. Written out, it shows
	// where it stands.
	for _, empty := range []string{"", `""`} {
		bounded := make(map[string]any, len(a.arguments))
		for name, value := range a.arguments {
			bounded[name] = bound(value, empty)
		}
		text, err := a.entry.CacheKey.Render(bounded)
		if err != nil {
			return "", err
		}
		key += text + "\x00" // no text holds NUL
	}
	return key, nil
}

// bound writes a value so that it shows where it ends. "{{url}}:{{method}}" would else be the same for a
// url that holds the colon and a method that does, and who chooses both could plant a result for others.
func bound(value any, empty string) any {
	switch v := value.(type) {
	case nil, bool:
		return v
	case string:
		if v == "" {
			return empty
		}
	case []any:
		items := make([]any, len(v))
		for i, item := range v {
			items[i] = bound(item, empty)
		}
		return items
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprintf("%q", fmt.Sprint(value))
	}
	quoted, _ := json.Marshal(string(text)) // a string always can be
	return string(quoted)
}
