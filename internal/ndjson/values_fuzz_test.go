package ndjson_test

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/a2a-acp/a2a-acp/internal/ndjson"
)

func FuzzValues(f *testing.F) {
	for _, seed := range []string{
		`{"a":{"b":[1,"\ud83d\ude00",{"c":null}]},"A":2}`, `"text\u0000"`, `-1.50e+2`, `["a",{}`, "\"\xff\"", `{"":`, `{"a":1,"\u0061":2}`, ` [ 1 , 2 ] `, `"`, `{`,
	} {
		f.Add([]byte(seed))
	}
	// On anything at all: nothing panics, what is read is what encoding/json reads, and what is called
	// strict is JSON in which encoding/json finds no key twice.
	f.Fuzz(func(t *testing.T, raw []byte) {
		for key, value := range ndjson.Members(raw) {
			if ndjson.Offset(raw, value) < 0 || !utf8.ValidString(key) {
				t.Errorf("member %q: %q of %q", key, value, raw)
			}
		}
		for value := range ndjson.Elements(raw) {
			if ndjson.Offset(raw, value) < 0 {
				t.Errorf("element %q of %q", value, raw)
			}
		}
		ndjson.Get(raw, "a", "b")
		ndjson.ID(raw)
		ndjson.StrictKeys(raw)
		ndjson.AppendMember(raw, raw, "a", []byte("1"))
		ndjson.AppendElement(raw, raw, []byte("1"))
		if text, err := ndjson.String(raw); err == nil {
			var want string
			if json.Unmarshal(raw, &want) != nil || text != want {
				t.Errorf("String(%q) is %q, encoding/json says %q", raw, text, want)
			}
			if back, err := ndjson.String(ndjson.AppendString(nil, text)); err != nil || back != text {
				t.Errorf("%q comes back as %q, %v", text, back, err)
			}
		}
		if ndjson.Strict(raw) == nil {
			if !json.Valid(raw) || !utf8.Valid(raw) {
				t.Fatalf("strict, and not valid: %q", raw)
			}
			if ndjson.StrictKeys(raw) == nil {
				seen := map[string]bool{}
				for _, m := range membersByEncodingJSON(raw) {
					if seen[m.key] {
						t.Errorf("strict, and has the key %q twice: %q", m.key, raw)
					}
					seen[m.key] = true
				}
			}
		}
	})
}
