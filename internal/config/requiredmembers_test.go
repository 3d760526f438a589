package config

import (
	"strings"
	"testing"
)

// TestRequiredMembers checks that an object's required names its members, at every depth, and that a name that none of
// them has is a mistake.
func TestRequiredMembers(t *testing.T) {
	t.Parallel()
	read := func(schema string) ([]Loaded, error) {
		return ReadTools(File{Name: "tools.yaml", Data: []byte("version: 2\ntools:\n  t:\n    description: d\n    script: 'true'\n    input_schema: " + schema + "\n")})
	}
	tools, err := read(`{type: object, required: [o], properties: {o: {type: object, required: [b], properties: {a: {type: string}, ` +
		`b: {type: array, items: {type: object, properties: {c: {type: string}}, required: [c]}}}}}}`)
	if err != nil {
		t.Fatal(err)
	}
	tool := tools[0].Tool
	for arguments, want := range map[string]string{
		`{}`:                      "o",
		`{"o":{}}`:                "o.b",
		`{"o":{"b":[{}]}}`:        "o.b[0].c",
		`{"o":{"b":[{"c":"x"}]}}`: "",
		`{"o":{"a":"x","b":[]}}`:  "",
	} {
		_, failure := tool.CheckArguments([]byte(arguments))
		if got := failure == nil; got != (want == "") || failure != nil && !strings.Contains(failure.Message, want) {
			t.Errorf("%s: %v, want %q", arguments, failure, want)
		}
	}
	if _, err := read(`{type: object, properties: {o: {type: object, properties: {a: {type: string}}, required: [b]}}}`); err == nil ||
		!strings.Contains(err.Error(), `"b" is required, and no property`) {
		t.Errorf("a member that is none: %v", err)
	}
}
