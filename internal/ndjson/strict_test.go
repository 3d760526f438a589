package ndjson_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode"

	"github.com/a2a-acp/a2a-acp/internal/ndjson"
)

func TestStrict(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name, raw string
		keys      string // StrictKeys' error
		all       string // Strict's
	}{
		{"scalar", `1`, "not a JSON object", ""},
		{"array", `["a",{"a":1},{"a":2}]`, "not a JSON object", ""},
		{"object", ` {"a":{"a":{"a":1},"b":2},"b":[{"a":1}]} `, "", ""},
		{"no JSON", `{"a":01}`, "not a JSON object", "not valid JSON"},
		{"two values", `{} {}`, "not a JSON object", "not valid JSON"},
		{"nothing", ``, "not a JSON object", "not valid JSON"},
		{"too deep", nested(ndjson.MaxDepth + 1), "not a JSON object", "not valid JSON"},

		{"twice", `{"path":1,"x":0,"path":2}`, `the key "path" stands there twice, or in another spelling`, `the key "path" stands there twice, or in another spelling`},
		{"twice, deep", `{"a":[{"b":{"c":1,"c":2}}]}`, "", `the key "c" stands there twice, or in another spelling`},
		{"twice, after inner objects", `{"a":{"x":1},"b":{"x":1},"a":0}`, `the key "a" stands there twice, or in another spelling`, `the key "a" stands there twice, or in another spelling`},
		{"twice, of many", `{` + manyKeys(1000) + `,"k500":1}`, `the key "k500" stands there twice, or in another spelling`, `the key "k500" stands there twice, or in another spelling`},
		{"many", `{` + manyKeys(1000) + `}`, "", ""},
		{"another case", `{"a":{"path":1,"PATH":2}}`, "", `the key "PATH" stands there twice, or in another spelling`},
		{"long s", `{"a":{"paths":1,"pathſ":2}}`, "", `the key "pathſ" stands there twice, or in another spelling`},
		{"Kelvin sign", `{"a":{"kind":1,"` + "\u212a" + `ind":2}}`, "", "the key \"\u212aind\" stands there twice, or in another spelling"},
		{"sigmas", `{"a":{"σ":1,"ς":2}}`, "", `the key "ς" stands there twice, or in another spelling`},
		{"escaped", `{"a":{"path":1,"\u0070ath":2}}`, "", `the key "path" stands there twice, or in another spelling`},
		{"escaped slash", `{"a":{"a/b":1,"a\/b":2}}`, "", `the key "a/b" stands there twice, or in another spelling`},
		{"dotless i is another letter", `{"id":1,"ıd":2}`, "", ""},

		{"NUL in a key", `{"path\u0000x":1}`, "a string holds a NUL", "a string holds a NUL"},
		{"NUL in a string", `{"a":"\u0000"}`, "", ""},
		{"half a pair in a key", `{"path\ud800":1}`, "a string holds half a surrogate pair", "a string holds half a surrogate pair"},
		{"half a pair in a string", `{"a":["\ud800"]}`, "", "a string holds half a surrogate pair"},
		{"not utf-8 in a key", "{\"path\xff\":1}", "a string holds a byte that is not UTF-8", "a string holds a byte that is not UTF-8"},
		{"not utf-8 in a string", "{\"a\":[\"\xff\"]}", "", "a string holds a byte that is not UTF-8"},
		{"control character in a key", "{\"path\x01\":1}", "a string holds a control character that is not escaped", "a string holds a control character that is not escaped"},
		{"control character in a string", "{\"a\":[\"\x01\"]}", "", "a string holds a control character that is not escaped"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if got := errorText(ndjson.StrictKeys([]byte(row.raw))); got != row.keys {
				t.Errorf("StrictKeys: got %q, want %q", got, row.keys)
			}
			// Which of two equal keys is named does not matter.
			got := errorText(ndjson.Strict([]byte(row.raw)))
			if row.all != "" && strings.HasPrefix(row.all, "the key") {
				if !strings.HasSuffix(got, "stands there twice, or in another spelling") {
					t.Errorf("Strict: got %q, want %q", got, row.all)
				}
			} else if got != row.all {
				t.Errorf("Strict: got %q, want %q", got, row.all)
			}
		})
	}
}

func manyKeys(n int) string {
	keys := make([]string, n)
	for i := range keys {
		keys[i] = fmt.Sprintf(`"k%d":%d`, i, i)
	}
	return strings.Join(keys, ",")
}

// An agent may not make us hold a map of all that it can put into 64 MiB.
func TestStrictRefusesTooManyKeys(t *testing.T) {
	t.Parallel()
	raw := []byte("{" + strings.Repeat(`"":0,`, 100_000) + `"":0}`)
	const want = "more than 100000 keys"
	if got := errorText(ndjson.Strict(raw)); got != want {
		t.Errorf("Strict: got %q, want %q", got, want)
	}
	if got := errorText(ndjson.StrictKeys(raw)); got != want {
		t.Errorf("StrictKeys: got %q, want %q", got, want)
	}
}

// EqualFold and Strict compare keys exactly as encoding/json does, for every rune that has another case.
func TestEqualFoldIsEncodingJSONs(t *testing.T) {
	t.Parallel()
	for _, letter := range "ikmsåσ" {
		field := "x" + string(letter)
		known := encodingJSONField(field)
		for other := range rune(unicode.MaxRune) {
			if other > '~' && unicode.SimpleFold(other) == other {
				continue
			}
			key := "X" + string(other)
			quoted := string(ndjson.AppendString(nil, key))
			want := known(`{` + quoted + `:true}`)
			if got := ndjson.EqualFold(key, field); got != want {
				t.Errorf("EqualFold(%q, %q) is %v, encoding/json says %v", key, field, got, want)
			}
			if err := ndjson.Strict([]byte(`{"` + field + `":1,` + quoted + `:2}`)); (err != nil) != (want || other == 0) {
				t.Errorf("keys %q and %q: Strict says %v, encoding/json that they are the same: %v", field, key, err, want)
			}
		}
	}
}

// encodingJSONField makes a function that tells whether encoding/json takes a key of an object for the field.
func encodingJSONField(field string) func(object string) bool {
	typ := reflect.StructOf([]reflect.StructField{{
		Name: "Field", Type: reflect.TypeFor[bool](), Tag: reflect.StructTag(fmt.Sprintf("json:%q", field)),
	}})
	return func(object string) bool {
		v := reflect.New(typ)
		return json.Unmarshal([]byte(object), v.Interface()) == nil && v.Elem().Field(0).Bool()
	}
}
