package command

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"
)

// The schema, which editors read, takes commands.yaml, and refuses what the reader refuses too.
func TestSchema(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("commands.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	validate := validator(t, document)
	if err := validate(source); err != nil {
		t.Errorf("commands.yaml: %v", err)
	}
	for _, c := range []struct{ name, text string }{
		{"a version", "version: 2\nprograms: []"},
		{"a section", "version: 1\nprograms: []\nwidened: []"},
		{"no names", "version: 1\nprograms: [{is: makes}]"},
		{"a key", "version: 1\nprograms: [{names: a, parser: getopt}]"},
		{"a parser", "version: 1\nprograms: [{names: a, reads: {parser: getops}}]"},
		{"a kind", "version: 1\nprograms: [{names: a, reads: {parser: getopt, flags: -a}}]"},
		{"no source", "version: 1\nprograms: [{names: a, widens: {runs: -x}}]"},
		{"a value", "version: 1\nprograms: [{names: a, words: {options: [{names: -x, value: texts}]}}]"},
		{"a flag that is false", "version: 1\nprograms: [{names: a, words: {stops: false}}]"},
		{"an effect", "version: 1\nprograms: []\nvariables: [{names: A, effect: none}]"},
	} {
		if validate(c.text) == nil {
			t.Errorf("%s: the schema takes %s", c.name, c.text)
		}
	}
}

// validator returns what holds a text of YAML against a schema.
func validator(t *testing.T, document any) func(text string) error {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("schema.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return func(text string) error {
		var file any
		if err := yaml.Unmarshal([]byte(text), &file); err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(file)
		if err != nil {
			t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(string(data)))
		if err != nil {
			t.Fatal(err)
		}
		return schema.Validate(value)
	}
}
