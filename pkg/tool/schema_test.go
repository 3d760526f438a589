package tool

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestInputSchema(t *testing.T) {
	t.Parallel()
	tool := &Tool{Parameters: []Parameter{
		{Name: "path", Type: TypeString, Description: "where to look", Required: true, Pattern: "[a-z./]+"},
		{Name: "limit", Type: TypeInteger, Default: json.Number("10"), Minimum: "1", Maximum: "1e3"},
		{Name: "mode", Type: TypeString, Enum: []any{"fast", "slow"}, Required: true},
		{Name: "words", Type: TypeArray, Items: &Parameter{Type: TypeString, Description: "one word"}},
		{Name: "rest", Type: TypeArray},
		{Name: "token", Type: TypeString, Secret: true, Default: "hunter2"},
		{Name: "odd", Type: TypeString, Pattern: `(?i)abc`},
	}}
	const want = `{
  "additionalProperties": false,
  "properties": {
    "limit": {
      "default": 10,
      "maximum": 1e3,
      "minimum": 1,
      "type": "integer"
    },
    "mode": {
      "enum": [
        "fast",
        "slow"
      ],
      "type": "string"
    },
    "odd": {
      "type": "string"
    },
    "path": {
      "description": "where to look",
      "pattern": "^(?:[a-z./]+)$",
      "type": "string"
    },
    "rest": {
      "items": {},
      "type": "array"
    },
    "token": {
      "type": "string"
    },
    "words": {
      "items": {
        "description": "one word",
        "type": "string"
      },
      "type": "array"
    }
  },
  "required": [
    "path",
    "mode"
  ],
  "type": "object"
}`
	for range 10 {
		got, err := json.MarshalIndent(tool.InputSchema(), "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Fatalf("(-want +got)\n%s", diff)
		}
	}
	oracle(t, tool)
}

func TestInputSchemaOfNoParameters(t *testing.T) {
	t.Parallel()
	got, err := json.Marshal((&Tool{}).InputSchema())
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"additionalProperties":false,"properties":{},"type":"object"}`
	if string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestPortable(t *testing.T) {
	t.Parallel()
	tests := []struct {
		pattern string
		want    bool
	}{
		{``, true},
		{`[A-Za-z0-9_.-]{1,64}`, true},
		{`(?:a|b)+?\.\d{2,}[^/\]\-]*`, true},
		{`[-a]`, true},
		{`[\w-]`, true},
		{`\bword\b`, true},
		{`^a$|^$`, true},
		{`a/b`, true},

		{`(?i)a`, false},       // a flag
		{`(?P<x>a)`, false},    // a name, written otherwise
		{`\pL`, false},         // needs braces in JavaScript
		{`\Aa\z`, false},       // no such anchors there
		{`\Qa.b\E`, false},     // no such quotes
		{`[[:alpha:]]`, false}, // no such classes
		{`a{`, false},          // a brace that stands for itself
		{`a{,2}`, false},       // the same
		{`a{00}`, false},       // the same
		{`a}`, false},          //
		{`a]`, false},          //
		{`[]a]`, false},        // the end of the class there
		{`[^]a]`, false},       //
		{`[\w-x]`, false},      // a range from a class
		{`[+-\d]`, false},      //
		{`[a[b]`, false},       // taken for a named class or not
		{`\-`, false},          // only in a class
		{`[\b]`, false},        // a backspace there
		{`\_`, false},          // no such escape there
		{`\x41`, false},        // known to both, and not worth it
		{`^*a`, false},         // an assertion cannot be repeated
		{`(?:^)|*`, false},     //
		{`ä`, false},           // not bytes there
		{`a\`, false},          // no expression at all
		{`(?=a)`, false},       //
		{`a{1000000}`, true},   // the loader refuses it
		{`x(?:y)(z)[0-9]`, true},
	}
	for _, test := range tests {
		if got := portable(test.pattern); got != test.want {
			t.Errorf("%s: %v, want %v", test.pattern, got, test.want)
		}
	}
}
