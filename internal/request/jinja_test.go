package request

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// theBody is the body_template of seed 002.
const theBody = `{
  "pizza_type": "{{ pizza_type }}",
  "size": "{{ size }}",
  {% if toppings is defined %}
  "toppings": {{ toppings | tojson }},
  {% endif %}
  "quantity": {{ quantity | default(1) }}
}`

func ofPizza() []tool.Parameter {
	return []tool.Parameter{
		{Name: "pizza_type", Type: tool.TypeString, Required: true}, {Name: "size", Type: tool.TypeString}, {Name: "quantity", Type: tool.TypeInteger},
		{Name: "toppings", Type: tool.TypeArray, Items: &tool.Parameter{Type: tool.TypeString}}, {Name: "extra", Type: tool.TypeBoolean},
		{Name: "lines", Type: tool.TypeArray, Items: &tool.Parameter{Type: tool.TypeObject}}, {Name: "note", Type: tool.TypeObject},
	}
}

// rendered renders a body_template with arguments, as JSON.
func rendered(t *testing.T, source, arguments string) (string, []Finding) {
	t.Helper()
	body, wrong := ParseJinja(source)
	if wrong != nil {
		t.Fatalf("line %d: %v", wrong.Line, wrong)
	}
	template, findings := Compile(Spec{Method: "POST", Base: "https://a.example", Path: "/x", Body: body, Absent: true}, ofPizza())
	if template == nil {
		return "", findings
	}
	decoder := json.NewDecoder(strings.NewReader(arguments))
	decoder.UseNumber()
	var values map[string]any
	if err := decoder.Decode(&values); err != nil {
		t.Fatal(err)
	}
	r, failure := template.Render(values, "call")
	if failure != nil {
		t.Fatalf("%s with %s: %v", source, arguments, failure)
	}
	return string(r.Body), nil
}

// TestJinja is a table of body_templates, the seed's among them, and what is sent of them. A value is a value: none of
// them changes which members there are.
func TestJinja(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ source, arguments, want string }{
		{theBody, `{"pizza_type":"m","size":"l","toppings":["a","b"],"quantity":2}`, `{"pizza_type":"m","size":"l","toppings":["a","b"],"quantity":2}`},
		{theBody, `{"pizza_type":"m","size":"l"}`, `{"pizza_type":"m","size":"l","quantity":1}`},
		{theBody, `{"pizza_type":"m"}`, `{"pizza_type":"m","quantity":1}`},
		{theBody, `{"pizza_type":"\",\"price\":0,\"x\":\"","toppings":["{{ size }}","{% endif %}"]}`,
			`{"pizza_type":"\",\"price\":0,\"x\":\"","toppings":["{{ size }}","{% endif %}"],"quantity":1}`},
		{`{"a": "x {{ size }} y", "b": [1, {{ quantity }}, null, 2.50]}`, `{"size":"\"","quantity":7}`, `{"a":"x \" y","b":[1,7,null,2.50]}`},
		{`{"n": "{{ quantity }}"}`, `{"quantity":7}`, `{"n":"7"}`},
		{`{"n": {{ quantity }}}`, `{"quantity":7}`, `{"n":7}`},
		{`{"s": {{ size | tojson }}}`, `{"size":"a\"b"}`, `{"s":"a\"b"}`},
		{`{{ note | tojson }}`, `{"note":{"a":[1]}}`, `{"a":[1]}`},
		{`[{% for t in toppings %}"{{ t }}"{% if not loop.last %},{% endif %}{% endfor %}]`, `{"toppings":["a","\"]"]}`, `["a","\"]"]`},
		{`{"l": [{% for l in lines %}{"n": {{ l.n }}, "t": "{{l.t}}"}{% if not loop.last %}, {% endif %}{% endfor %}]}`,
			`{"lines":[{"n":1,"t":"x"},{"n":2}]}`, `{"l":[{"n":1,"t":"x"},{"n":2}]}`},
		// What stands for an item may depend on the item; Jinja 3.1.6 has the same JSON for each of these.
		{`[{% for l in lines %}{"n": {{ l.n }}{% if l.t is defined %}, "t": "{{ l.t }}"{% endif %}}{% if not loop.last %},{% endif %}{% endfor %}]`,
			`{"lines":[{"n":1},{"n":2,"t":"x"}]}`, `[{"n":1},{"n":2,"t":"x"}]`},
		{`[{% for l in lines %}{% if l.t %}"{{ l.t }}"{% else %}null{% endif %}{% if not loop.last %},{% endif %}{% endfor %}]`,
			`{"lines":[{"t":"a"},{"t":""},{"n":1}]}`, `["a",null,null]`},
		{`[{% for l in lines %}[{% for c in l.cells %}{{ c }}{% if not loop.last %},{% endif %}{% endfor %}]{% if not loop.last %},{% endif %}{% endfor %}]`,
			`{"lines":[{"cells":[1,2]},{"cells":[]},{}]}`, `[[1,2],[],[]]`},
		{`[{% for l in lines %}{% if not loop.first %},{% endif %}{ {%- if extra %}"e": true,{% endif %} "n": {{ l.n }} }{% endfor %}]`,
			`{"lines":[{"n":1},{"n":2}],"extra":true}`, `[{"e":true,"n":1},{"e":true,"n":2}]`},
		{`{"a": {% if size is defined %}[{% for l in lines %}{"s": "{{ size }}"{% if not l.n %}, "none": true{% endif %}}{% if not loop.last %},{% endif %}{% endfor %}]{% else %}[]{% endif %}}`,
			`{"size":"s","lines":[{"n":0},{"n":3}]}`, `{"a":[{"s":"s","none":true},{"s":"s"}]}`},
		{`[{% for l in lines %}[{% for l in l.cells %}{% if l.x is defined %}"{{ l.x }}"{% else %}0{% endif %}{% if not loop.last %},{% endif %}{% endfor %}, {{ l.n }}]{% if not loop.last %},{% endif %}{% endfor %}]`,
			`{"lines":[{"n":1,"cells":[{"x":"y"},{}]}]}`, `[["y",0,1]]`},
		{`[{% for l in lines %}"{% if l.n is defined %}n{{ l.n }}{% else %}none{% endif %}"{% if not loop.last %},{% endif %}{% endfor %}]`,
			`{"lines":[{"n":1},{}]}`, `["n1","none"]`},
		{`[{% for t in toppings %}"{{ t }}"{% if not loop.last %},{% endif %}{% endfor %}, {% for l in lines %}{{ l.n }}{% if not loop.last %},{% endif %}{% endfor %}]`,
			`{"toppings":["a"],"lines":[{"n":1},{"n":2}]}`, `["a",1,2]`},
		{`[{% for l in lines %}{"a": "{{ l.t }}"{% if l.n %}, "b": 1{% endif %}}{% if not loop.last %},{% endif %}{% endfor %}]`,
			`{"lines":[{"t":"\"}, {\"c\": \"","n":1},{"t":"{% endif %}"}]}`, `[{"a":"\"}, {\"c\": \"","b":1},{"a":"{% endif %}"}]`},
		{`{"a": {% if extra %}1{% else %}2{% endif %}}`, `{"extra":true}`, `{"a":1}`},
		{`{"a": {% if extra %}1{% else %}2{% endif %}}`, `{"extra":false}`, `{"a":2}`},
		{`{"a": {% if extra %}1{% else %}2{% endif %}}`, `{}`, `{"a":2}`},
		{`{"a": {% if not extra %}1{% else %}2{% endif %}}`, `{}`, `{"a":1}`},
		{`{"a": {% if size is not defined %}1{% else %}"{{ size }}"{% endif %}}`, `{}`, `{"a":1}`},
		{`{"a": {% if size %}"{{ size }}"{% else %}null{% endif %}}`, `{"size":""}`, `{"a":null}`},
		{`{ {%- if size is defined -%} "a": 1 {%- if extra -%} , "b": 2 {%- endif -%} {%- endif -%} }`, `{"size":"s","extra":true}`, `{"a":1,"b":2}`},
		{`{ {%- if size is defined -%} "a": 1 {%- if extra -%} , "b": 2 {%- endif -%} {%- endif -%} }`, `{"extra":true}`, `{}`},
		{`{# a comment, {{ of }} no matter #}{"a": "{ {"}`, `{}`, `{"a":"{ {"}`},
		{`{"id": "{{ request_id | default('none') }}"}`, `{}`, `{"id":"none"}`},
	} {
		got, findings := rendered(t, test.source, test.arguments)
		if got != test.want {
			t.Errorf("%s with %s: %s %v; want %s", test.source, test.arguments, got, findings, test.want)
		}
	}
	first, _ := rendered(t, `{"id": "{{ request_id | default(uuid()) }}"}`, `{}`)
	if again, _ := rendered(t, `{"id": "{{ request_id | default(uuid()) }}"}`, `{}`); len(first) != len(`{"id":""}`)+36 || first != again {
		t.Errorf("ids of one call: %s, %s", first, again)
	}
}

// TestJinjaNoList sends nothing where a list is gone through that the arguments have as something else: only the lists of
// parameters have their type checked before.
func TestJinjaNoList(t *testing.T) {
	t.Parallel()
	body, wrong := ParseJinja(`[{% for l in lines %}[{% for c in l.cells %}{{ c }}{% if not loop.last %},{% endif %}{% endfor %}]{% if not loop.last %},{% endif %}{% endfor %}]`)
	if wrong != nil {
		t.Fatal(wrong)
	}
	template, findings := Compile(Spec{Method: "POST", Base: "https://a.example", Path: "/x", Body: body, Absent: true}, ofPizza())
	if template == nil {
		t.Fatal(findings)
	}
	for _, cells := range []any{"text", json.Number("1"), true, map[string]any{"0": 1}} {
		values := map[string]any{"lines": []any{map[string]any{"cells": cells}}}
		if r, failure := template.Render(values, "call"); failure == nil || !strings.Contains(failure.Error(), "{{l.cells}}: the value is no list") {
			t.Errorf("cells: %#v: %+v, %v", cells, r, failure)
		}
	}
}

// TestJinjaRefused is a table of what is refused, with its line and a cure.
func TestJinjaRefused(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		source string
		line   int
		says   string
	}{
		{"{\n\"a\": 1,\n{% if size is defined %}\n\"b\": 2\n{% endif %}\n}", 1, "no JSON, where size is not given"},
		{`{"a": 1 {% if size %}, "a": 2{% endif %}}`, 1, `the member "a" stands there twice`},
		{"{\n{% include 'x' %}}", 2, "statements are if and for"},
		{"{% set x = 1 %}{}", 1, "statements are if and for"},
		{"{\n\n{% if size == 'l' %}{% endif %}}", 3, "a condition is"},
		{"{% if a and b %}{% endif %}{}", 1, "a condition is"},
		{"{% if loop.index %}{% endif %}{}", 1, "a condition is"},
		{"{% if size %}{}", 1, "it is not ended"},
		{"{}{% endif %}", 1, "nothing is open"},
		{"{% if size %}{}{% endfor %}", 1, "it ends something else"},
		{"{% if size %}{}{% else %}[]{% else %}1{% endif %}", 1, "it ends something else"},
		{`[{% for a in b.c() %}1{% endfor %}]`, 1, "a list is gone through by"},
		{`[{% for t in toppings %}"{{ t }}",{% endfor %}]`, 1, "no JSON"},
		{`[{% for t in toppings %}{% for u in t %}1{% endfor %}{% endfor %}]`, 1, "a {% for %} stands outside of [ and ]"},
		{`{"a": {% for t in toppings %}1{% endfor %}}`, 1, "a {% for %} stands outside of [ and ]"},
		{`{ {% for t in toppings %}1{% endfor %}: 1}`, 1, "where the name of a member does"},
		{`{% for t in toppings %}1{% endfor %}`, 1, "a {% for %} stands outside of [ and ]"},
		{"[{% for t in toppings %}\n{% if t %}{{ t }}{% endif %}\n{% if not loop.last %},{% endif %}{% endfor %}]", 1, "no JSON value, where t is not true"},
		{"[\n{% for t in toppings %}{% if t %}{{ t }}{% if not loop.last %},{% endif %}{% else %}1{% endif %}{% endfor %}]", 2, "in no other {% if %}"},
		{"[{% for t in toppings %}{{ t }}{% if extra %}, 2{% endif %}{% endfor %}]", 1, "no JSON value, where extra is true"},
		{"[{% for t in toppings %}\n {{ loop.index }}{% endfor %}]", 2, "loop is known for the comma"},
		{`[{%for l in lines%}{%if a%}1{%else%}2{%endif%}{%endfor%},{%for l in lines%}{%if a%}1{%else%}2{%endif%}{%if b%}{%endif%}{%if c%}{%endif%}` +
			`{%if d%}{%endif%}{%if e%}{%endif%}{%if f%}{%endif%}{%endfor%}]`, 1, "7 conditions"},
		{`{"a": "{% for t in toppings %}x{% endfor %}"}`, 1, "no place in a text"},
		{`[{% for t in toppings %}{% endfor %}]`, 1, "it has no item"},
		{`{"a": {{ size.upper() }}}`, 1, "more than a name"},
		{`{"a": {{ size | upper }}}`, 1, "no filter |upper"},
		{`{"a": {{ 1 + 1 }}}`, 1, "more than a name"},
		{`{"a": {{ config.__class__ }}`, 1, "no JSON"},
		{`{"a": {{ size }`, 1, "not closed"},
		{`{"a": {% if size`, 1, "not closed"},
		{`{# {"a": 1}`, 1, "not closed"},
		{`{"a": 1} {"b": 2}`, 1, "something follows"},
		{`{"a": "\u007b\u007b size }}"}`, 1, "escape"},
		{"{\"a\": \"\x01\"}", 1, "control character"},
		{`{"a": {{ size }}{{ size }}}`, 1, "no JSON"},
		{``, 1, "no JSON"}, {`{{ a }}{{ b }}`, 1, "no JSON"}, {`"a`, 1, "no JSON"},
		{`[{%if a%}1{%endif%}{%if b%}1{%endif%}{%if c%}1{%endif%}{%if d%}1{%endif%}{%if e%}1{%endif%}{%if f%}1{%endif%}{%if g%}1{%endif%}]`, 1, "7 conditions"},
	} {
		_, wrong := ParseJinja(test.source)
		if wrong == nil || wrong.Line != test.line || !strings.Contains(wrong.Error(), test.says) {
			t.Errorf("%q: %+v; want line %d, %q", test.source, wrong, test.line, test.says)
		}
	}
	for source, says := range map[string]string{
		`{"{{ size }}": 1}`: "the name of a member is fixed", `{"a": {{ nothing }}}`: "no parameter", `{% if nothing %}1{% else %}2{% endif %}`: "no parameter",
		`{"a": "{{ toppings }}"}`: "no place in a text", `[{% for t in size %}1{% endfor %}]`: "no list", `[{% for t in toppings %}1{% endfor %}, {{ t }}]`: "no parameter",
	} {
		_, findings := rendered(t, source, `{}`)
		if len(findings) == 0 || !strings.Contains(findings[0].Message, says) {
			t.Errorf("%s: %+v; want %q", source, findings, says)
		}
	}
}

// FuzzJinja checks that whatever is taken renders as JSON, whatever the values are.
func FuzzJinja(f *testing.F) {
	f.Add(theBody, "a")
	f.Add(`[{% for t in toppings %}"{{ t }}"{% if not loop.last %},{% endif %}{% endfor %}]`, `"]`)
	f.Add(`{"a": {% if size %}"{{ size }}"{% else %}null{% endif %}}`, "\\")
	f.Add("{%}", "x")
	f.Add(`[{% for t in toppings %}[{% for u in t %}{{ u }}{% endfor %}]{% endfor %}]`, "x")
	f.Add(`[{% for t in toppings %}{% if t %}"{{ t }}"{% else %}0{% endif %}{% if not loop.last %},{% endif %}{% endfor %}]`, "")
	f.Fuzz(func(t *testing.T, source, value string) {
		body, wrong := ParseJinja(source)
		if wrong != nil {
			return
		}
		template, _ := Compile(Spec{Method: "POST", Base: "https://a.example", Path: "/x", Body: body, Absent: true}, ofPizza())
		if template == nil {
			return
		}
		r, failure := template.Render(map[string]any{"pizza_type": value, "size": value, "toppings": []any{value, "b"}}, "call")
		if failure == nil && r.Body != nil && !json.Valid(r.Body) {
			t.Errorf("%q with %q: %s", source, value, r.Body)
		}
	})
}
