package render

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
	"github.com/cbroglie/mustache"
)

func TestText(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, text string
		arguments  map[string]any
		want       string
	}{
		{"no tags", "Proceed?", nil, "Proceed?"},
		{"text as it is", "Delete {{path}}?", map[string]any{"path": `<a href="x">&amp;{{b}}</a> $(c)`}, `Delete <a href="x">&amp;{{b}}</a> $(c)?`},
		{"missing", "a{{x}}b{{y}}c", map[string]any{"y": nil}, "abc"},
		{"numbers", "{{a}} {{b}} {{c}} {{d}}", map[string]any{"a": number("1e21"), "b": number("30.0"), "c": number("0"), "d": number("9007199254740993")}, "1000000000000000000000 30 0 9007199254740993"},
		{"booleans", "{{a}} {{b}} {{#a}}yes{{/a}}{{^b}}no{{/b}}", map[string]any{"a": true, "b": false}, "true false yesno"},
		{"0 shows its section", "{{#n}}n={{n}}{{/n}}{{^n}}none{{/n}}", map[string]any{"n": number("0")}, "n=0"},
		{"a blank text shows its section", "{{#x}}[{{x}}{{.}}]{{/x}}{{^x}}none{{/x}}", map[string]any{"x": " "}, "[  ]"},
		{"the empty text does not", "{{#x}}some{{/x}}{{^x}}none{{/x}}", map[string]any{"x": ""}, "none"},
		{"list", "{{#l}}<{{.}}{{x}}>{{/l}}", map[string]any{"l": []any{"a", " ", number("1e2"), nil, true}, "x": "!"}, "<a!>< !><100!><!><true!>"},
		{"empty list", "{{#l}}x{{/l}}{{^l}}none{{/l}}", map[string]any{"l": []any{}}, "none"},
		{"list as a whole", "{{l}}", map[string]any{"l": []any{"a<", "b"}}, `["a<","b"]`},
		{"object as a whole", "{{o}}", map[string]any{"o": map[string]any{"b": number("1e1"), "a": []any{"<&>"}}}, `{"a":["<&>"],"b":10}`},
		{"list of objects", "{{#l}}{{.}};{{/l}}", map[string]any{"l": []any{map[string]any{"a": "b"}}}, `{"a":"b"};`},
		{"three braces are no rawer than two", "{{x}}", map[string]any{"x": "<"}, "<"},
		{"names of methods", "{{String}}{{Format}}{{#n}}{{String}}{{Int64}}{{Float64}}{{/n}}{{#l}}{{Format}}{{Len}}{{/l}}", map[string]any{"n": number("7"), "l": []any{"a", " "}}, ""},
		{"lines", "a\n{{#x}}\nb\n{{/x}}\nc\n", map[string]any{"x": "1"}, "a\nb\nc\n"},
		{"comment", "a{{! no }}b", nil, "ab"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			text, err := CompileText(row.text)
			if err != nil {
				t.Fatal(err)
			}
			got, err := text.Render(row.arguments)
			if err != nil || got != row.want {
				t.Errorf("got %q, %v, want %q", got, err, row.want)
			}
		})
	}
}

func TestTextRefused(t *testing.T) {
	t.Parallel()
	for text, reason := range map[string]string{
		"{{x|default('a')}}":             "line 1: {{x|default('a')}}: filters are not possible in plain text yet; write {{x}}",
		"a\n{{x|tojson}}":                "line 2: {{x|tojson}}: filters",
		"{{x|upper}}":                    "there is no filter",
		"{{> other}}":                    "partials",
		"{{{x}}}":                        "raw tags",
		"{{&x}}":                         "raw tags",
		"{{=<% %>=}}":                    "delimiters cannot be changed",
		"{{#o}}{{key}}: {{value}}{{/o}}": "sections over objects are not possible in plain text yet",
		"{{o.name}}":                     "fields of objects",
		"{{#o.name}}{{/o.name}}":         "sections over objects",
		"{{.}}":                          "no section here",
		"{{#x}}":                         "never closed",
		"{{x":                            "never closed",
		"{{.Names}}":                     "no name of a parameter",
	} {
		if _, err := CompileText(text); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%q: got %v, want %q", text, err, reason)
		}
	}
	text, err := CompileText("{{#o}}x{{/o}}")
	if err != nil {
		t.Fatal(err)
	}
	var failure *tool.Failure
	if _, err := text.Render(map[string]any{"o": map[string]any{"a": "b"}}); !errors.As(err, &failure) || failure.Code != tool.FailTemplate {
		t.Errorf("a section over an object: got %v", err)
	}
}

// The library prints panics to standard output, where a protocol's stream may be, reads files, and has a global switch.
// Nothing of that happens. (Standard output and the switch belong to the process, so this test runs alone.)
func TestTextLeavesTheProcessAlone(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("other.mustache", []byte("from a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	stdout := os.Stdout
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	os.Stdout = w
	printed := make(chan string)
	go func() { // ends when the writing end is closed
		b, _ := io.ReadAll(r)
		printed <- string(b)
	}()
	texts := []string{"{{x}}", "{{#x}}{{.}}{{x}}{{y}}{{Format}}{{String}}{{_}}{{s}}{{/x}}", "{{^x}}{{x}}{{/x}}", "{{#x}}{{#y}}{{.}}{{x}}{{/y}}{{/x}}", "{{#x}}{{^x}}{{/x}}{{/x}}"}
	values := []any{nil, "", " ", "a", true, false, number("0"), number("1e21"), []any{}, []any{nil, "", " ", []any{"a"}, map[string]any{"a": nil}}, map[string]any{"x": map[string]any{}}, "{{> other}}", "{{x}}"}
	for _, allow := range []bool{true, false} {
		before := mustache.AllowMissingVariables
		mustache.AllowMissingVariables = allow // as someone else may have set it
		for _, source := range texts {
			text, err := CompileText(source)
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range values {
				for _, y := range values {
					got, err := text.Render(map[string]any{"x": x, "y": y})
					if err != nil && !strings.Contains(err.Error(), "sections over objects") {
						t.Errorf("%q with %v, %v: %v", source, x, y, err)
					}
					if strings.Contains(got, "from a file") || strings.Contains(got, "map[") || strings.Contains(got, "e+") {
						t.Errorf("%q with %v, %v: %q", source, x, y, got)
					}
				}
			}
		}
		if mustache.AllowMissingVariables != allow {
			t.Error("the library's global switch was changed")
		}
		mustache.AllowMissingVariables = before
	}
	os.Stdout = stdout
	w.Close()
	if out := <-printed; out != "" {
		t.Errorf("standard output got %q", out)
	}
	if entries, _ := filepath.Glob("*"); len(entries) != 1 {
		t.Errorf("files: %v", entries)
	}
}
