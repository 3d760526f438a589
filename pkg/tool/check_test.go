package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// everyKind has a parameter for everything that can be said about one.
func everyKind() *Tool {
	return &Tool{ID: "every", Parameters: []Parameter{
		{Name: "text", Type: TypeString, Description: "any text"},
		{Name: "word", Type: TypeString, Pattern: "[a-z]+", Default: "x"},
		{Name: "colour", Type: TypeString, Enum: []any{"red", "green"}},
		{Name: "count", Type: TypeInteger, Minimum: "1", Maximum: "10", Default: json.Number("3")},
		{Name: "big", Type: TypeInteger},
		{Name: "level", Type: TypeInteger, Enum: []any{json.Number("1"), json.Number("200")}},
		{Name: "ratio", Type: TypeNumber, Minimum: "-0.5", Maximum: "0.1"},
		{Name: "flag", Type: TypeBoolean},
		{Name: "object", Type: TypeObject, Default: map[string]any{"a": []any{json.Number("1")}}},
		{Name: "list", Type: TypeArray},
		{Name: "names", Type: TypeArray, Items: &Parameter{Type: TypeString, Pattern: "[A-Z].*"}},
		{Name: "matrix", Type: TypeArray, Items: &Parameter{Type: TypeArray, Items: &Parameter{Type: TypeInteger, Maximum: "9"}}},
		{Name: "nick", Type: TypeString, MinLength: number(2), MaxLength: number(4), Nullable: true},
		{Name: "size", Type: TypeString, Enum: []any{"s", nil}, Nullable: true},
		{Name: "tags", Type: TypeArray, MinItems: number(1), MaxItems: number(2), Items: &Parameter{Type: TypeString, Nullable: true}},
		{Name: "address", Type: TypeObject, Nullable: true, Properties: []Parameter{
			{Name: "street", Type: TypeString, Required: true, MinLength: number(1)}, {Name: "zip code", Type: TypeInteger, Nullable: true},
			{Name: "country", Type: TypeString, Default: "de"}, {Name: "more", Type: TypeObject, Properties: []Parameter{}},
		}},
		{Name: "password", Type: TypeString, Pattern: "[a-z]{8,}", Secret: true, Default: "changeme"},
	}}
}

func number(n int) *int { return &n }

// onlyDefaults is what everyKind makes of no arguments.
func onlyDefaults(with map[string]any) map[string]any {
	all := map[string]any{
		"word": "x", "count": json.Number("3"), "object": map[string]any{"a": []any{json.Number("1")}}, "password": "changeme",
	}
	for name, value := range with {
		all[name] = value
	}
	return all
}

func TestCheckArgumentsAccepts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		raw  string
		want map[string]any
	}{
		{"nothing", ``, nil},
		{"null where it may be", `{"nick":null,"size":null,"address":null,"tags":[null]}`,
			map[string]any{"nick": nil, "size": nil, "address": nil, "tags": []any{nil}}},
		{"lengths in characters", `{"nick":"😀äöü"}`, map[string]any{"nick": "😀äöü"}},
		{"members, with their defaults", `{"address":{"street":"x","zip code":1.0,"more":{}}}`,
			map[string]any{"address": map[string]any{"street": "x", "zip code": json.Number("1"), "country": "de", "more": map[string]any{}}}},
		{"null, as some clients write nothing", ` null `, nil},
		{"an empty object", "\n{ }\n", nil},
		{"a default that is given otherwise", `{"word":"y","count":4}`, map[string]any{"word": "y", "count": json.Number("4")}},
		{"text that is none of JSON's business", `{"text":"\u0001 ' $(x) \ud83d\ude00 \ufffd 😀 \\ud800"}`, map[string]any{"text": "\x01 ' $(x) 😀 \ufffd 😀 \\ud800"}},
		{"a whole number with a fraction of nothing", `{"count":4.0}`, map[string]any{"count": json.Number("4")}},
		{"a whole number with an exponent", `{"big":-12e3}`, map[string]any{"big": json.Number("-12000")}},
		{"a whole number that no float holds", `{"big":12345678901234567890123}`, map[string]any{"big": json.Number("12345678901234567890123")}},
		{"minus nothing", `{"big":-0.0}`, map[string]any{"big": json.Number("0")}},
		{"an allowed number, written otherwise", `{"level":2E2}`, map[string]any{"level": json.Number("200")}},
		{"a number keeps its digits", `{"ratio":0.0999999999999999999999}`, map[string]any{"ratio": json.Number("0.0999999999999999999999")}},
		{"a bound is inside", `{"ratio":0.10,"count":10}`, map[string]any{"ratio": json.Number("0.10"), "count": json.Number("10")}},
		{"what an object holds is its own business", `{"object":{"x":null,"y":[1.0,{"z":true}]}}`, map[string]any{"object": map[string]any{"x": nil, "y": []any{json.Number("1.0"), map[string]any{"z": true}}}}},
		{"a list of anything", `{"list":[1.0,null,"a",[]]}`, map[string]any{"list": []any{json.Number("1.0"), nil, "a", []any{}}}},
		{"items of a type", `{"names":["Ada","Bo"],"matrix":[[1.0],[]]}`, map[string]any{"names": []any{"Ada", "Bo"}, "matrix": []any{[]any{json.Number("1")}, []any{}}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, failure := everyKind().CheckArguments(json.RawMessage(test.raw))
			if failure != nil {
				t.Fatal(failure)
			}
			if diff := cmp.Diff(onlyDefaults(test.want), got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestCheckArgumentsRefuses(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`[`, mostArgumentDepth) + strings.Repeat(`]`, mostArgumentDepth)
	tests := []struct {
		name string
		raw  string
		want string // the message; cut after …
	}{
		{"no JSON", `{"text":"a"`, "the arguments are not JSON"},
		{"two values", `{} {}`, "the arguments are not JSON"},
		{"a list", `["a"]`, "the arguments are not one JSON object"},
		{"a text", `"a"`, "the arguments are not one JSON object"},
		{"a key twice", `{"text":"a","word":"b","text":"c"}`, "text: given twice"},
		{"a key twice, one of them escaped", `{"text":"a","\u0074ext":"c"}`, "text: given twice"},
		{"a key twice, deep inside", `{"object":{"a":[{"b":1,"b":1}]}}`, "object.a[0].b: given twice"},
		{"another letter case", `{"Text":"a"}`, "Text: there is no such parameter; did you mean text?"},
		{"a typing mistake", `{"colur":"red"}`, "colur: there is no such parameter; did you mean colour?"},
		{"too few and too many", `{"nick":"x","tags":["a","b","c"]}`, "nick: want at least 2 characters, found 1; tags: want at most 2 items, found 3"},
		{"a member that is not there", `{"address":{"city":"b"}}`,
			"address.street: required, and not given; address.city: there is no such property; there are street, zip code, country, more"},
		{"a member where there may be none", `{"address":{"street":"a","more":{"b":1}}}`, "address.more.b: there is no such property; there is none at all"},
		{"a member of another type", `{"address":{"street":"a","zip code":"x"}}`, "address.\"zip code\": want a whole number, found \"x\""},
		{"null where it may not be", `{"address":{"street":null}}`, "address.street: want a text, found null; leave the parameter out to not give it"},
		{"none of those", `{"size":"l"}`, "size: want one of \"s\", null; found \"l\""},
		{"nothing near", `{"recursive":true}`, "recursive: there is no such parameter; there are text, word, colour, count, big, level, ratio, flag, object, list, names, matrix, nick, size, tags, address, password"},
		{"a strange key", `{"a b\u202e":1}`, `"a b\u202e": there is no such parameter; there are …`},
		{"NUL", `{"text":"a\u0000b"}`, "text: the text holds a NUL character, which cannot be passed on"},
		{"NUL, deep inside", `{"names":["A",{"x":["a\u0000"]}]}`, "names[1].x[0]: the text holds a NUL character, which cannot be passed on"},
		{"NUL in a key", `{"object":{"a\u0000":1}}`, `object."a\x00": the text holds a NUL character, which cannot be passed on`},
		{"bytes that are no text", "{\"text\":\"a\xffb\"}", "text: the text is not valid Unicode"},
		{"bytes that are no text, in a key", "{\"object\":{\"\xff\":1}}", `object."�": the text is not valid Unicode`},
		{"the first half of a pair", `{"text":"\ud83d"}`, "text: the text is not valid Unicode"},
		{"the second half of a pair", `{"text":"x\udE00"}`, "text: the text is not valid Unicode"},
		{"two first halves", `{"text":"\ud83d\ud83d\ude00"}`, "text: the text is not valid Unicode"},
		{"nested too deep", `{"list":` + deep + `}`, "list[0][0]…"},
		{"a number that would fill the memory", `{"object":{"n":1e999999999}}`, "object.n: the number has more than 400 digits"},
		{"a number close to nothing", `{"ratio":1e-999999999}`, "ratio: the number has more than 400 digits"},
		{"an exponent that has no opposite", `{"ratio":1e-9223372036854775808}`, "ratio: the number has more than 400 digits"},
		{"a number of many digits", `{"big":` + strings.Repeat("9", 500) + `}`, "big: the number has more than 400 digits"},
		{"a number as text", `{"count":"5"}`, `count: want a whole number, found "5"`},
		{"text as a number", `{"text":5}`, "text: want a text, found 5"},
		{"truth is no number", `{"count":true}`, "count: want a whole number, found true"},
		{"a number is no truth", `{"flag":1}`, "flag: want true or false, found 1"},
		{"null is no value", `{"text":null}`, "text: want a text, found null; leave the parameter out to not give it"},
		{"a fraction", `{"count":1.5}`, "count: want a whole number, found 1.5"},
		{"too small", `{"count":0}`, "count: want at least 1, found 0"},
		{"too big, by a digit that no float holds", `{"ratio":0.1000000000000000000001}`, "ratio: want at most 0.1, found 0.1000000000000000000001"},
		{"not allowed", `{"colour":"blue"}`, `colour: want one of "red", "green"; found "blue"`},
		{"a number that is not allowed", `{"level":2}`, "level: want one of 1, 200; found 2"},
		{"a pattern is for the whole value", `{"word":"abc;rm"}`, `word: want a text that matches [a-z]+ as a whole, found "abc;rm"`},
		{"a pattern and a last newline", `{"word":"abc\n"}`, `word: want a text that matches [a-z]+ as a whole, found "abc\n"`},
		{"what it shows cannot be seen wrongly", `{"word":"\u202eabc\u001b[2J"}`, `word: want a text that matches [a-z]+ as a whole, found "\u202eabc\x1b[2J"`},
		{"a long value", `{"word":"` + strings.Repeat("Ä", 100) + `"}`, `word: want a text that matches [a-z]+ as a whole, found "` + strings.Repeat("Ä", 30) + `…"`},
		{"an item", `{"names":["Ada","bo"]}`, `names[1]: want a text that matches [A-Z].* as a whole, found "bo"`},
		{"an item of an item", `{"matrix":[[1],[2,10]]}`, "matrix[1][1]: want at most 9, found 10"},
		{"a list for an object", `{"object":[1]}`, "object: want an object, found [1]"},
		{"an object for a list", `{"list":{"a":1}}`, `list: want a list, found {"a":1}`},
		{"a secret that does not fit", `{"password":"hunter2"}`, "password: want a text that matches [a-z]{8,} as a whole, found another value, which is secret"},
		{"a secret of the wrong type", `{"password":{"it is":"hunter2"}}`, "password: want a text, found another value, which is secret"},
		{
			"all at once, in the order of the parameters, the first five",
			`{"zz1":1,"flag":1,"text":1,"word":"1","colour":"x","count":99,"zz0":1}`,
			`text: want a text, found 1; word: want a text that matches [a-z]+ as a whole, found "1"; colour: want one of "red", "green"; found "x"; count: want at most 10, found 99; flag: want true or false, found 1; and 2 more`,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, failure := everyKind().CheckArguments(json.RawMessage(test.raw))
			if failure == nil {
				t.Fatalf("accepted: %v", got)
			}
			if !errors.Is(failure, &Failure{Code: FailValidation}) {
				t.Errorf("code %s", failure.Code)
			}
			want, prefix := strings.CutSuffix(test.want, "…")
			if failure.Message != want && !(prefix && strings.HasPrefix(failure.Message, want)) {
				t.Errorf("message\n%s\nwant\n%s", failure.Message, test.want)
			}
			if whole := fmt.Sprint(failure.Message, failure.Details); strings.Contains(whole, "hunter2") {
				t.Errorf("the secret is told: %s", whole)
			}
			if _, err := json.Marshal(failure); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestCheckArgumentsBounds(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, raw, want string
	}{
		{"too many bytes", `{"text":"` + strings.Repeat("x", mostArgumentBytes) + `"}`, "the arguments are 16777227 bytes long"},
		{"too many values", `{"list":[` + strings.Repeat("0,", mostArgumentValues) + `0]}`, "the arguments hold more than 262144 values"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if _, failure := everyKind().CheckArguments(json.RawMessage(test.raw)); failure == nil || !strings.Contains(failure.Message, test.want) {
				t.Errorf("failure %v, want %q", failure, test.want)
			}
		})
	}
}

func TestCheckArgumentsRequired(t *testing.T) {
	t.Parallel()
	tool := &Tool{Parameters: []Parameter{{Name: "path", Type: TypeString, Required: true, Default: "never"}}}
	if _, failure := tool.CheckArguments(nil); failure == nil || failure.Message != "path: required, and not given" {
		t.Errorf("failure %v", failure)
	}
	want := []any{map[string]any{"path": "path", "message": "required, and not given"}}
	if _, failure := tool.CheckArguments(nil); !cmp.Equal(want, failure.Details["errors"]) {
		t.Errorf("details %v, want %v", failure.Details, want)
	}
	none := &Tool{}
	if _, failure := none.CheckArguments(json.RawMessage(`{"x":1}`)); failure == nil || failure.Message != "x: there is no such parameter; there is none at all" {
		t.Errorf("failure %v", failure)
	}
}

// TestDefaultsAreCopies: what a caller does to its arguments must not reach the next call.
func TestDefaultsAreCopies(t *testing.T) {
	t.Parallel()
	tool := everyKind()
	first, _ := tool.CheckArguments(nil)
	first["object"].(map[string]any)["a"].([]any)[0] = "changed"
	second, _ := tool.CheckArguments(nil)
	if diff := cmp.Diff(onlyDefaults(nil), second); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	schema := tool.InputSchema()
	schema["properties"].(map[string]any)["object"].(map[string]any)["default"].(map[string]any)["a"] = "changed"
	schema["properties"].(map[string]any)["colour"].(map[string]any)["enum"].([]any)[0] = "changed"
	if diff := cmp.Diff(everyKind().InputSchema(), tool.InputSchema()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// oracle compiles the schema that agents are shown, with a validator that is not ours.
func oracle(t testing.TB, tool *Tool) *jsonschema.Schema {
	t.Helper()
	shown, err := json.Marshal(tool.InputSchema())
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(shown))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler() // draft 2020-12, as in MCP
	if err := compiler.AddResource("tool.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("tool.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// FuzzCheckArguments: CheckArguments accepts exactly what the schema that agents are shown accepts, but for
// what no two readers agree about; what it gives fits the schema, holds every default, and passes a second
// time unchanged.
func FuzzCheckArguments(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"text":"a","word":"b","colour":"red","count":1.0,"level":2e2}`, `{"ratio":0.1,"flag":true,"object":{},"list":[]}`,
		`{"names":["A"],"matrix":[[1,2.0],[]],"password":"abcdefgh"}`, `{"count":10.5}`, `{"count":-1}`, `{"flag":"true"}`,
		`{"level":1.0000}`, `{"names":[null]}`, `{"matrix":[[10]]}`, `{"x":1}`, `{"text":"\ud800"}`, `{"big":1e390}`, `{"word":"a\n"}`,
		`{"nick":null,"size":"s","tags":["a",null],"address":{"street":"a","zip code":null,"more":{}}}`, `{"nick":"😀😀😀😀😀"}`, `{"address":{"x":1}}`,
	} {
		f.Add([]byte(seed))
	}
	tool := everyKind()
	schema := oracle(f, tool)
	f.Fuzz(func(t *testing.T, raw []byte) {
		decoded, wrong := decodeArguments(raw)
		got, failure := tool.CheckArguments(raw)
		if wrong != nil {
			if failure == nil {
				t.Fatalf("accepted, though %s", wrong)
			}
			return
		}
		verdict := schema.Validate(any(decoded))
		if (verdict == nil) != (failure == nil) {
			t.Fatalf("%s\nschema: %v\nours: %v", raw, verdict, failure)
		}
		if failure != nil {
			return
		}
		if err := schema.Validate(any(got)); err != nil {
			t.Fatalf("what came out does not fit: %v", err)
		}
		for name, value := range onlyDefaults(nil) {
			if _, given := decoded[name]; !given && !reflect.DeepEqual(got[name], value) {
				t.Fatalf("%s is %v, want the default %v", name, got[name], value)
			}
		}
		again, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		second, failure := tool.CheckArguments(again)
		if failure != nil || !reflect.DeepEqual(got, second) {
			t.Fatalf("a second time: %v, %v; the first time %v", second, failure, got)
		}
	})
}

func BenchmarkCheckArguments(b *testing.B) {
	tool := everyKind()
	raw := json.RawMessage(`{"text":"a","word":"b","colour":"red","count":1.0,"names":["Ada","Bo"],"matrix":[[1,2],[3]],"password":"abcdefgh"}`)
	for b.Loop() {
		if _, failure := tool.CheckArguments(raw); failure != nil {
			b.Fatal(failure)
		}
	}
}

// A name that fits nothing is answered with those that there are.
func TestUnknownNamesWhatThereIs(t *testing.T) {
	t.Parallel()
	for want, names := range map[string][]string{
		"there is no such parameter; there is none at all": nil,
		"there is no such parameter; there is only file":   {"file"},
		"there is no such parameter; there are file, mode": {"file", "mode"},
	} {
		got := unknown("", "parameter", map[string]any{"zzzzz": 1}, names)
		if len(got) != 1 || got[0].message != want {
			t.Errorf("got %v, want %q", got, want)
		}
	}
}
