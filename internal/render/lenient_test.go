package render

import (
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// With template_safety: warn, a parameter that is not declared as what its place needs is a warning, and a
// value that is none is refused at the call. In every other place nothing is laxer than without.
func TestLenient(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, script, good, bad, stdout string }{
		{"an option", `printf '1\n2\n' | head -{{x}}`, "1", "1 -c2", "1\n"},
		{"an option, negative", `printf '1\n2\n' | head -{{x}}`, "2", "-1", "1\n2\n"},
		{"arithmetic", `echo $(( {{x}} + 1 ))`, "-4", "a[$(touch PWNED)]", "-3\n"},
		{"a subscript", `A[{{x}}]=a; echo "${A[3]}"`, "3", "03", "a\n"},
		{"a comparison", `[[ {{x}} -eq 2 ]] && echo yes`, "2", "x[$(touch PWNED)]", "yes\n"},
		{"a descriptor", `echo out >&{{x}}`, "1", "$(touch PWNED)", "out\n"},
		{"SQL", `sqlite3 -safe :memory: {{x}}`, "select 1+1", ".shell touch PWNED", "2\n"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if template, _ := Compile(row.script, stringsNamed("x"), Options{}); template != nil {
				t.Error("accepted as strict")
			}
			parameters := []tool.Parameter{{Name: "x", Type: tool.TypeString, Required: true}}
			template, findings := Compile(row.script, parameters, Options{Lenient: true})
			if len(findings) != 1 || findings[0].Severity != Warning || !strings.Contains(findings[0].Message, "refused when the tool is called") || findings[0].Fix == "" {
				t.Fatal(report(findings))
			}
			r, err := template.Render(map[string]any{"x": row.good})
			if err != nil {
				t.Fatal(err)
			}
			if o := run(t, t.TempDir(), r); o.stdout != row.stdout {
				t.Errorf("got %q, %q", o.stdout, o.stderr)
			}
			if r, err := template.Render(map[string]any{"x": row.bad}); err == nil {
				t.Errorf("%q was rendered: %q", row.bad, r.Values)
			}
		})
	}
	for _, script := range []string{`echo $(( $(echo {{x}}) + 1 ))`, `echo $(( {{e}} ))`, `[[ $(echo {{x}}) -eq 1 ]]`, `X={{x}}; echo $(( X ))`, `X={{x}}; head -$X`, `head -$(echo {{x}})`, `psql -c "select {{x}}"`, `X={{x}}; psql -c "$X"`} {
		if template, findings := Compile(script, standard(), Options{Lenient: true}); template != nil {
			t.Errorf("nothing checks the value in %s: %s", script, report(findings))
		}
	}
	for _, row := range refused {
		template, findings := Compile(row.script, standard(), Options{Lenient: true})
		if template != nil && !strings.Contains(report(findings), "refused when the tool is called") {
			t.Errorf("%s: accepted without a check of the values: %s", row.name, row.script)
		}
	}
}

// A relative path that would be an option names the same file with ./ in front of it. Nothing else is
// changed.
func TestPathsThatWouldBeOptions(t *testing.T) {
	t.Parallel()
	path := func(more ...tool.Parameter) []tool.Parameter {
		return append(more, tool.Parameter{Name: "p", Type: tool.TypeString, Format: tool.FormatPath, Required: true}, tool.Parameter{Name: "x", Type: tool.TypeString, Default: ""})
	}
	for _, row := range []struct{ name, script, value, want string }{
		{"an option", `cat {{p}}`, "-n", "./-n"},
		{"in quotes", `cat "{{p}}.txt"`, "-n", "./-n"},
		{"an absolute path", `cat {{p}}`, "/a", "/a"},
		{"a relative path", `cat {{p}}`, "a/-b", "a/-b"},
		{"a sign of find", `find {{p}} -name a`, "!", "./!"},
		{"a list of arguments", `cat {{p}}`, "@a", "./@a"},
		{"behind --", `cat -- {{p}}`, "-n", "-n"},
		{"where no option can be", `echo {{p}}`, "-n", "-n"},
		{"as the argument of an option", `grep -f {{p}} -- a`, "-n", "-n"},
		{"behind text", `cat a{{p}}`, "-n", "-n"},
		{"behind another value", `cat {{x}}{{p}}`, "-n", ""},
		{"through a variable", `P={{p}}; cat "$P"`, "-n", ""},
		{"as JSON", `cat {{p|tojson}}`, "-n", `"-n"`},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			r, err := compile(t, row.script, path(), Options{}).Render(map[string]any{"p": row.value})
			switch {
			case row.want == "" && (err == nil || !strings.Contains(err.Error(), "starts with '-'")):
				t.Errorf("got %q, %v", r.Values, err)
			case row.want != "" && (err != nil || r.Values[len(r.Values)-1] != row.want):
				t.Errorf("got %q, %v, want %q", r.Values, err, row.want)
			}
		})
	}
	if _, err := compile(t, `cat {{x}}`, stringsNamed("x"), Options{}).Render(map[string]any{"x": "-n"}); err == nil {
		t.Error("a text that is no path was rendered")
	}
	// With real programs: the file named -n is read, and find looks into a directory named !.
	dir := t.TempDir()
	r, err := compile(t, "mkdir -- -d '!'; echo text > ./-n; cat {{p}}; mkdir {{p}}d; find {{q}}", path(tool.Parameter{Name: "q", Type: tool.TypeString, Format: tool.FormatPath, Required: true}), Options{}).
		Render(map[string]any{"p": "-n", "q": "!"})
	if err != nil {
		t.Fatal(err)
	}
	if o := run(t, dir, r); o.stdout != "text\n./!\n" {
		t.Errorf("got %q, %q", o.stdout, o.stderr)
	}
}
