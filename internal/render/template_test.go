package render

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
	"github.com/cbroglie/mustache"
	"github.com/google/go-cmp/cmp"
)

// shownOf fills a template in and shows it, without a look at the shell.
func shownOf(t *testing.T, source string, arguments map[string]any) string {
	t.Helper()
	nodes, findings := parse(source)
	if hasErrors(findings) {
		t.Fatal(report(findings))
	}
	markEntries(nodes, declare(nil))
	in, failure := fill(nodes, arguments)
	if failure != nil {
		t.Fatal(failure)
	}
	return in.shown()
}

func TestShown(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, script string
		arguments    map[string]any
		want         string
	}{
		{"tags stay", "echo {{x}} {{ y }}\n", nil, "echo {{x}} {{y}}\n"},
		{"a default that stands in", "a {{x|default(30)}} {{y|default('b')}}", map[string]any{"x": "1"}, "a {{x}} {{y|default('b')}}"},
		{"filters", "{{x|tojson}}", nil, "{{x}}"},
		{"sections", "a{{#x}} -x {{x}}{{/x}}{{^x}} none{{/x}}", map[string]any{"x": "1"}, "a -x {{x}}"},
		{"inverted", "a{{#x}} -x {{x}}{{/x}}{{^x}} none{{/x}}", nil, "a none"},
		{"lists", "{{#l}} {{.}}{{/l}}", map[string]any{"l": []any{"a", "b"}}, " {{.}} {{.}}"},
		{"entries", "{{#m}} {{key}}={{value}}{{/m}}", map[string]any{"m": map[string]any{"b": "", "a": ""}}, " {{key}}={{value}} {{key}}={{value}}"},
		{"a section with lines of its own", "a\n  {{#x}}\n  b {{x}}\n  {{/x}}\nc\n", map[string]any{"x": "1"}, "a\n  b {{x}}\nc\n"},
		{"a section at the end", "a\n{{#x}}\nb\n{{/x}}", map[string]any{"x": "1"}, "a\nb\n"},
		{"sections side by side", "{{#x}} {{/x}}\n{{^y}}\nb{{/y}}\n", map[string]any{"x": "1"}, " \nb\n"},
		{"comments", "a{{! x }}b\n  {{! y\n z }}  \nc", nil, "ab\nc"},
		{"delimiters", "{{=<% %>=}}\n'{{.Names}}' <%x%> <%={{ }}=%>{{y}}", nil, "'{{.Names}}' {{x}} {{y}}"},
		{"the first line", "#!/bin/bash -e\necho {{x}}", nil, "#!/bin/bash -e\necho {{x}}"},
		{"a text that looks like a placeholder", "zA2Aq0z {{x}}", nil, "zA2Aq0z {{x}}"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(row.want, shownOf(t, row.script, row.arguments)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	template := compile(t, "#!/bin/bash\n{{#b}}\nprintf '%s' {{x}} zA2Aq0z\n{{/b}}\n", standard(), Options{})
	r, err := template.Render(map[string]any{"x": "value", "b": true})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("#!/bin/bash\nprintf '%s' {{x}} zA2Aq0z\n", r.Shown); diff != "" {
		t.Errorf("Rendered.Shown (-want +got):\n%s", diff)
	}
}

// Sections mean what they mean to the mustache library, where it and we agree on what is true: not for 0
// and blank texts.
func TestSectionsAgreeWithMustache(t *testing.T) {
	t.Parallel()
	pieces := []string{"a", " ", "\n", "\n", "{{x}}", "{{.}}", "{{#x}}", "{{/x}}", "{{^x}}", "{{#l}}", "{{/l}}", "{{^l}}", "{{#m}}", "{{/m}}", "{{f}}", "{{! c }}", "{{#e}}", "{{/e}}", "{{^e}}", "{{m.f}}", "  "}
	arguments := map[string]any{"x": "X", "l": []any{"1", "2"}, "m": map[string]any{"f": "F"}, "e": ""}
	r := rand.New(rand.NewPCG(1, 2))
	compared := 0
	for range 40_000 {
		source := ""
		for range 1 + r.IntN(10) {
			source += pieces[r.IntN(len(pieces))]
		}
		source += "." // blanks behind a tag at the very end count as text to the library, against the specification
		nodes, findings := parse(source)
		oracle, err := mustache.ParseStringPartialsRaw(source, noPartials{}, true)
		if hasErrors(findings) != (err != nil) {
			t.Fatalf("%q: %v, but mustache says %v", source, report(findings), err)
		}
		if err != nil {
			continue
		}
		in, failure := fill(nodes, arguments)
		if failure != nil {
			t.Fatal(failure)
		}
		got := ""
		for _, p := range in.pieces {
			if p.tag == nil {
				got += p.text.s
			} else if text, ok := p.value.(string); ok {
				got += text
			} else if p.given {
				got += fmt.Sprint(p.value)
			}
		}
		want, err := oracle.Render(arguments)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(want, "map[") || strings.Contains(want, "{{.}}") {
			continue
		}
		compared++
		if got != want {
			t.Fatalf("%q: got %q, mustache says %q", source, got, want)
		}
	}
	if compared < 1000 {
		t.Errorf("only %d templates were compared", compared)
	}
}

func TestImplied(t *testing.T) {
	t.Parallel()
	implied := func(name string, kind tool.Type, required bool) tool.Parameter {
		return tool.Parameter{Name: name, Type: kind, Required: required, Implied: true}
	}
	for _, row := range []struct {
		name, script string
		parameters   []tool.Parameter
		want         []tool.Parameter
	}{
		{name: "string", script: `echo {{x}}`, want: []tool.Parameter{implied("x", tool.TypeString, true)}},
		{name: "with a default", script: `echo {{x|default(1)}}`, want: []tool.Parameter{implied("x", tool.TypeString, false)}},
		{name: "in a section of its own", script: `echo {{#x}}{{x}}{{/x}}`, want: []tool.Parameter{implied("x", tool.TypeString, false)}},
		{name: "a section and what it needs", script: `curl {{#auth}}-u {{user}}{{/auth}}`, want: []tool.Parameter{implied("auth", tool.TypeString, false), implied("user", tool.TypeString, false)}},
		{name: "inverted", script: `echo {{^x}}none{{/x}}`, want: []tool.Parameter{implied("x", tool.TypeString, false)}},
		{name: "entries", script: `curl {{#headers}}-H "{{key}}: {{value}}"{{/headers}}`, want: []tool.Parameter{implied("headers", tool.TypeObject, false)}},
		{name: "entries by name", script: `curl {{#headers}}-H "{{headers_key}}: {{headers_value}}"{{/headers}}`, want: []tool.Parameter{implied("headers", tool.TypeObject, false)}},
		{name: "entries within a section", script: `curl {{#b}}{{#headers}}-H "{{key}}"{{/headers}}{{/b}}`, want: []tool.Parameter{implied("b", tool.TypeString, false), implied("headers", tool.TypeObject, false)}},
		{name: "items", script: `ls {{#files}}"{{.}}" {{/files}}`, want: []tool.Parameter{implied("files", tool.TypeArray, false)}},
		{name: "items by name", script: `ls {{#files}}"{{files_item}}" {{/files}}`, want: []tool.Parameter{implied("files", tool.TypeArray, false)}},
		{name: "field", script: `echo {{user.name}}`, want: []tool.Parameter{implied("user", tool.TypeObject, true)}},
		{name: "key outside a section", script: `echo {{key}}`, want: []tool.Parameter{implied("key", tool.TypeString, true)}},
		{name: "declared", script: `echo {{x}} {{y}}`, parameters: stringsNamed("x"), want: []tool.Parameter{implied("y", tool.TypeString, true)}},
		{name: "a field of a declared list", script: `echo {{#items}}{{name}}{{/items}}`, parameters: []tool.Parameter{{Name: "items", Type: tool.TypeArray}}},
		{name: "no field of a list of texts", script: `echo {{#items}}{{name}}{{/items}}`, parameters: []tool.Parameter{{Name: "items", Type: tool.TypeArray, Items: &tool.Parameter{Type: tool.TypeString}}}, want: []tool.Parameter{implied("name", tool.TypeString, false)}},
		{name: "order and repetition", script: `echo {{b}} {{#a}}{{b}}{{/a}} {{a|default('')}}`, want: []tool.Parameter{implied("b", tool.TypeString, true), implied("a", tool.TypeString, false)}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			template, findings := Compile(row.script, row.parameters, Options{Undeclared: ImplyUndeclared})
			if template == nil {
				t.Fatal(report(findings))
			}
			if diff := cmp.Diff(row.want, template.Implied()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			for _, p := range row.want {
				if !strings.Contains(report(findings), fmt.Sprintf("name: %s, type: %s", p.Name, p.Type)) {
					t.Errorf("no warning prints the declaration of %s:\n%s", p.Name, report(findings))
				}
			}
			if _, findings := Compile(row.script, row.parameters, Options{Undeclared: RefuseUndeclared}); hasErrors(findings) != (len(row.want) > 0) {
				t.Errorf("version 2: %s", report(findings))
			}
		})
	}
}

func TestFindingPosition(t *testing.T) {
	t.Parallel()
	script := "#!/bin/bash\n{{#list}}\necho é {{.}}\n{{/list}}\n\techo \"é\" {{x|upper}}\n"
	_, findings := Compile(script, standard(), Options{})
	if diff := cmp.Diff([]Finding{{Severity: Error, Line: 5, Column: 11, Tag: "{{x|upper}}", Message: "there is no filter |upper", Fix: "the filters are default(…) and tojson"}}, findings); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// Behind sections that repeat lines, the line is still the author's.
	script = "{{#list}}\necho {{.}}\n{{/list}}\nX={{x|default('')}}\n  eval \"$X\"\n"
	_, findings = Compile(script, standard(), Options{})
	if len(findings) != 1 || findings[0].Line != 5 || findings[0].Column != 9 || findings[0].Context != "through $X" || findings[0].Tag != "{{x|default('')}}" {
		t.Errorf("got %+v", findings)
	}
	// The same about two values of one line is one finding, as what a section repeats is.
	script = "bash -c 'echo $(($1))' _ {{x}}; bash -c 'echo $(($1))' _ {{y}}"
	_, findings = Compile(script, standard(), Options{})
	if bad := errorsOf(findings); len(bad) != 1 || bad[0].Tag != "{{x}}" {
		t.Errorf("got %s", report(findings))
	}
	_, findings = Compile("echo {{#b}}\n  ( {{/b}}\n", standard(), Options{})
	if len(findings) != 1 || findings[0].Line == 0 || !strings.Contains(findings[0].String(), "with {{#b}} × 1") {
		t.Errorf("got %s", report(findings))
	}
}

func TestInterpreter(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]struct {
		name  string
		shell bool
	}{
		"echo": {"bash", true}, "": {"bash", true}, "#!/bin/bash\n": {"bash", true}, "#! /bin/sh -e": {"sh", true}, "#!/usr/bin/env bash": {"bash", true}, "#!/usr/bin/env -S bash -eu\n": {"bash", true},
		"#!/usr/bin/env python3\n": {"python3", false}, "#!/usr/bin/python3 -u\n": {"python3", false}, "#!/bin/zsh": {"zsh", false}, "#!/usr/bin/env A=b node": {"node", false}, "#!\n": {"", false}, "# !/bin/python": {"bash", true},
	} {
		name, shell := interpreter(script)
		if name != want.name || shell != want.shell {
			t.Errorf("%q: got %q, %v", script, name, shell)
		}
	}
	template := compile(t, "#!/usr/bin/env python3\nprint('a')\n", nil, Options{})
	if r, err := template.Render(nil); err != nil || r.Script != "#!/usr/bin/env python3\nprint('a')\n" || len(r.Values) != 0 {
		t.Errorf("a script of another interpreter came out as %q, %v", r.Script, err)
	}
	_, findings := Compile("#!/bin/bash --posix\necho", nil, Options{})
	if len(findings) != 1 || findings[0].Severity != Warning || !strings.Contains(findings[0].Message, "--posix") {
		t.Errorf("got %s", report(findings))
	}
}
