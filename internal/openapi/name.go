package openapi

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
)

// longestName is how long the name of a tool may be: many clients cap at 64, and agents put a prefix before it.
const longestName = 44

var notInName = lazyregexp.New(`[^A-Za-z0-9]+`)

// words is a text as a part of a name.
func words(text string) string {
	const most = 20 * longestName
	return strings.Trim(notInName.Get().ReplaceAllString(text[:min(len(text), most)], "_"), "_")
}

// nameTools gives every operation of the document a name, which depends on no selection and on no order. Those that
// would be called alike, or too long, end in a hash of their method and path.
func nameTools(all []operation) {
	alike := map[string]int{}
	for i := range all {
		o := &all[i]
		if o.name = words(o.id); o.name == "" || o.id == o.line() {
			o.name = words(strings.ToLower(o.method) + "_" + o.path)
		}
		alike[strings.ToLower(o.name)]++
	}
	taken := map[string]bool{}
	for i := range all {
		o := &all[i]
		if len(o.name) <= longestName && alike[strings.ToLower(o.name)] == 1 {
			taken[strings.ToLower(o.name)] = true
		}
	}
	for i := range all {
		o := &all[i]
		if len(o.name) <= longestName && alike[strings.ToLower(o.name)] == 1 {
			continue
		}
		sum := sha256.Sum256([]byte(o.line()))
		digest := hex.EncodeToString(sum[:])
		for digits := 8; ; digits++ {
			name := o.name[:min(len(o.name), longestName-digits-1)] + "_" + digest[:digits]
			if !taken[strings.ToLower(name)] {
				taken[strings.ToLower(name)] = true
				o.name = name
				break
			}
		}
	}
}
