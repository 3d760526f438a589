package toolyaml

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
)

// longestID is how long the name of a tool may be: many clients cap there.
const longestID = 64

// Names gives tools their names, each once. Its zero value has given none.
type Names struct{ taken map[string]bool }

var notInID = lazyregexp.New(`[^A-Za-z0-9_-]+`)

// Of makes a name out of the words of a command. One that is too long, or is another command's already, ends in a
// hash of the words.
func (n *Names) Of(prefix string, path []string) string {
	words := strings.Join(append([]string{prefix}, path...), "_")
	id := notInID.Get().ReplaceAllString(words, "_")
	if n.taken == nil {
		n.taken = map[string]bool{}
	}
	if len(id) > longestID || n.taken[id] {
		sum := sha256.Sum256([]byte(strings.Join(append([]string{prefix}, path...), "\x00")))
		const digits = 8
		id = id[:min(len(id), longestID-digits-1)] + "_" + hex.EncodeToString(sum[:digits/2])
	}
	n.taken[id] = true
	return id
}
