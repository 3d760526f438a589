package render

import (
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cbroglie/mustache"
	"github.com/google/go-cmp/cmp"
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
		{"default", "{{x|default('a b')}} {{y|default(1e3)}} {{z|default(true)}}", map[string]any{"x": nil, "y": number("2")}, "a b 2 true"},
		{"a default of nothing", "[{{x|default('')}}]", nil, "[]"},
		{"tojson", "{{x|tojson}} {{n|tojson}} {{none|tojson}}.", map[string]any{"x": "a\"<", "n": number("1e1")}, `"a\"<" 10 .`},
		{"entries", "{{#h}}{{key}}: {{value}}; {{/h}}", map[string]any{"h": map[string]any{"b": number("2.0"), "a": "<1>"}}, "a: <1>; b: 2; "},
		{"entries by name", "{{#h}}{{h_key}}={{h_value}} {{/h}}{{^h}}none{{/h}}", map[string]any{"h": map[string]any{"a": "1"}}, "a=1 "},
		{"no entries", "{{#h}}{{key}}{{/h}}{{^h}}none{{/h}}", map[string]any{"h": map[string]any{}}, "none"},
		{"fields", "{{o.name}} {{#o.list}}<{{.}}>{{/o.list}}{{o.no}}", map[string]any{"o": map[string]any{"name": "n", "list": []any{"a", "b"}}}, "n <a><b>"},
		{"a section over an object", "{{#o}}{{name}}{{x}}{{/o}}", map[string]any{"o": map[string]any{"name": "n"}, "x": "!"}, "n!"},
		{"items with fields", "{{#l}}{{name}},{{/l}}", map[string]any{"l": []any{map[string]any{"name": "a"}, map[string]any{"name": "b"}}}, "a,b,"},
		{"items by name", "{{#l}}{{l_index}}{{l_item}} {{/l}}", map[string]any{"l": []any{"a", "b"}}, "0a 1b "},
		{"delimiters", "{{=<% %>=}}{{.Names}} <%x%>", map[string]any{"x": "1"}, "{{.Names}} 1"},
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
		"{{x|upper}}":      "there is no filter",
		"{{> other}}":      "partials",
		"{{{x}}}":          "raw tags",
		"{{&x}}":           "raw tags",
		"{{=}}":            "a change of delimiters names two of them",
		"a\n{{.}}":         "line 2: {{.}}: there is no section here that {{.}} could be an item of; name the parameter",
		"{{#x}}":           "never closed",
		"{{x":              "never closed",
		"{{.Names}}":       "no name of a parameter",
		"{{x|default(a)}}": "default() takes a number",
	} {
		if _, err := CompileText(text); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%q: got %v, want %q", text, err, reason)
		}
	}
}

func TestTextNames(t *testing.T) {
	t.Parallel()
	text, err := CompileText("{{b}} {{#l}}{{.}}{{l_item}}{{key}}{{a}}{{/l}}{{^n}}{{c.d}}{{/n}}{{#o}}{{key}}{{o_value}}{{/o}}{{b|default(1)}}")
	if err != nil {
		t.Fatal(err)
	}
	// What the sections over l and o may bind as fields is nobody's mistake.
	if diff := cmp.Diff([]string{"b", "l", "n", "c", "o"}, text.Names()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What both can fill in comes out the same, however it is filled in, and with every value.
func TestTextAgreesWithMustache(t *testing.T) {
	t.Parallel()
	pieces := []string{"a", " ", "\n", "{{x}}", "{{y}}", "{{.}}", "{{#x}}", "{{/x}}", "{{^x}}", "{{#y}}", "{{/y}}", "{{^y}}", "{{! c }}", "{{! c\nd }}", "  "}
	values := []any{nil, "", " ", "\n", "a", "<&>", "{{y}}", true, false, number("0"), number("1e21"), number("-0.50"), []any{}, []any{"a", " ", "", nil, number("0"), true}}
	r := rand.New(rand.NewPCG(3, 4))
	compared := 0
	for range 60_000 {
		source := ""
		for range 1 + r.IntN(9) {
			source += pieces[r.IntN(len(pieces))]
		}
		source += "." // blanks behind a tag at the very end count as text to the library, against the specification
		text, err := CompileText(source)
		if err != nil {
			continue
		}
		if text.template == nil {
			t.Fatalf("%q is not filled in by the library", source)
		}
		compared++
		arguments := map[string]any{"x": values[r.IntN(len(values))], "y": values[r.IntN(len(values))]}
		got, err := text.write(arguments)
		if err != nil {
			t.Fatal(err)
		}
		want, err := text.Render(arguments)
		if err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Fatalf("%q with %v: got %q, the library says %q", source, arguments, got, want)
		}
	}
	if compared < 5000 {
		t.Errorf("only %d texts were compared", compared)
	}
}

// The library prints panics to standard output, where a protocol's stream may be, reads files, and has a
// global switch. Nothing of that happens. (Standard output and the switch belong to the process, so this
// test runs alone.)
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
					if err != nil {
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
