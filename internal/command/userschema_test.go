package command

import (
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// What the schema of a person's own file takes the reader takes, and what it refuses the reader refuses.
func TestOwnSchema(t *testing.T) {
	t.Parallel()
	text, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	validate := validator(t, document)
	all := ""
	for _, key := range ownKeys {
		value := "true"
		if key.group == "" {
			value = "[-x, --long-one]"
		}
		all += "    " + key.name + ": " + value + "\n"
	}
	for text, want := range map[string]bool{
		"version: 1": true,
		"version: 1\nprograms:\n  - names: [frob, g++]\n" + all:             true,
		"version: 1\nprograms: [{names: 'frob, frobctl', code: -e --eval}]": true,
		"version: 1\nvariables: [{names: 'FROB_* *_HOOK'}, {names: [A]}]":   true,
		"version: 2":                                           false,
		"programs: []":                                         false,
		"version: 1\nrows: []":                                 false,
		"version: 1\nprograms: {names: a}":                     false,
		"version: 1\nprograms: [{asks: true}]":                 false,
		"version: 1\nprograms: [{names: a, asks: false}]":      false,
		"version: 1\nprograms: [{names: a, reads: true}]":      false,
		"version: 1\nprograms: [{names: /bin/a}]":              false,
		"version: 1\nprograms: [{names: []}]":                  false,
		"version: 1\nprograms: [{names: a, code: eval}]":       false,
		"version: 1\nprograms: [{names: a, code: [-e, eval]}]": false,
		"version: 1\nprograms: [{names: a, code: ''}]":         false,
		"version: 1\nvariables: [{names: A, effect: plain}]":   false,
		"version: 1\nvariables: [{names: A-B}]":                false,
		"version: 1\nvariables: [{names: A*B}]":                false,
	} {
		_, err := Read("commands.yaml", []byte(text))
		if (err == nil) != want {
			t.Errorf("the reader: %v of %q", err, text)
		}
		if err := validate(text); (err == nil) != want {
			t.Errorf("the schema: %v of %q", err, text)
		}
	}
}
