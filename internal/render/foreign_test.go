package render

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
	"github.com/google/go-cmp/cmp"
)

func foreignParameters() []tool.Parameter {
	return append(standard(), tool.Parameter{Name: "secret", Type: tool.TypeString, Secret: true}, tool.Parameter{Name: "some-name", Type: tool.TypeNumber, Default: number("1e3")})
}

func TestForeign(t *testing.T) {
	t.Parallel()
	const script = "#!/usr/bin/env -S python3 -u\n# {{=<% %>=}}\nprint('{{x}}')\n"
	r, err := compile(t, script, foreignParameters(), Options{}).Render(map[string]any{
		"x": "it's $(id) \u2028<", "n": number("4.0"), "b": true, "list": []any{"a", number("1e2")}, "map": map[string]any{"k": nil}, "secret": "hunter2", "undeclared": "no",
		"y": strings.Repeat("y", maxVariable+1),
	})
	if err != nil {
		t.Fatal(err)
	}
	var parameters map[string]any
	if err := json.Unmarshal([]byte(r.Parameters), &parameters); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"x": "it's $(id) \u2028<", "n": 4., "b": true, "list": []any{"a", 100.}, "map": map[string]any{"k": nil}, "secret": "hunter2", "some-name": 1000.,
		"y": strings.Repeat("y", maxVariable+1),
	}
	if diff := cmp.Diff(want, parameters); diff != "" {
		t.Errorf("the file (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{
		"A2A_PARAMS_FILE": "/dev/fd/3", "A2A_PARAM_X": "it's $(id) \u2028<", "A2A_PARAM_N": "4", "A2A_PARAM_B": "true", "A2A_PARAM_LIST": `["a",100]`,
		"A2A_PARAM_MAP": `{"k":null}`, "A2A_PARAM_SOME_NAME": "1000",
	}, r.Environment); diff != "" {
		t.Errorf("the variables (-want +got):\n%s", diff)
	}
	plain := "#!/usr/bin/env -S python3 -u\n# \nprint('{{x}}')\n"
	if diff := cmp.Diff(Rendered{Script: plain, Shown: plain, Hash: hashOf(plain), Program: []string{"/usr/bin/env", "python3", "-u", "/dev/fd/4"}, Parameters: r.Parameters, Environment: r.Environment}, r); diff != "" {
		t.Errorf("the rest (-want +got):\n%s", diff)
	}
}

// The variables never grow beyond what a process can start with; the file holds all.
func TestForeignManyParameters(t *testing.T) {
	t.Parallel()
	arguments := map[string]any{}
	var names []string
	for i := range 50 {
		names = append(names, fmt.Sprintf("p%02d", i))
		arguments[names[i]] = strings.Repeat("x", maxVariable)
	}
	r, err := compile(t, "#!/bin/dash\n", stringsNamed(names...), Options{}).Render(arguments)
	if err != nil || len(r.Environment) != 1+maxVariables/maxVariable || len(r.Parameters) < 50*maxVariable {
		t.Errorf("%d variables, %d bytes of parameters, %v", len(r.Environment), len(r.Parameters), err)
	}
}

func TestForeignPrograms(t *testing.T) {
	t.Parallel()
	for first, want := range map[string]string{
		"#!/usr/bin/python3":                          "/usr/bin/python3 /dev/fd/4",
		"#! /usr/bin/perl -w":                         "/usr/bin/perl -w /dev/fd/4",
		"#!/usr/bin/env node":                         "/usr/bin/env node --preserve-symlinks-main /dev/fd/4",
		"#!/usr/bin/env -S nodejs --no-warnings":      "/usr/bin/env nodejs --no-warnings --preserve-symlinks-main /dev/fd/4",
		"#!/usr/bin/sqlite3":                          "/usr/bin/sqlite3 -bail -init /dev/fd/4",
		"#!/usr/bin/env -S sqlite3 -csv app.db -init": "/usr/bin/env sqlite3 -csv app.db -init /dev/fd/4",
		"#!/usr/bin/awk -f":                           "/usr/bin/awk -f /dev/fd/4",
	} {
		r, err := compile(t, first+"\ntext\n", nil, Options{}).Render(nil)
		if got := strings.Join(r.Program, " "); err != nil || got != want || r.Parameters != "{}" {
			t.Errorf("%s: %q with %q, %v", first, got, r.Parameters, err)
		}
	}
}

func TestForeignRefused(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, script string
		severity     Severity
		want         string // a part of the only finding, "" for none
	}{
		{"python", "#!/usr/bin/env python3\nprint('{{x}}')", Error, `line 2: {{x}}: tags are only possible in bash scripts, and this one is for python3. Fix: read it in the script: json.load(open(os.environ["A2A_PARAMS_FILE"]))["x"]`},
		{"python, another version", "#!/usr/bin/python3.12\nprint('{{ x }}')", Error, `json.load(`},
		{"node", "#!/usr/bin/node\nf('{{x|tojson}}')", Error, `JSON.parse(require("fs").readFileSync(process.env.A2A_PARAMS_FILE))["x"]`},
		{"sqlite3", "#!/usr/bin/sqlite3\nselect '{{x}}'", Error, `json_extract(CAST(readfile('/dev/fd/3') AS TEXT), '$.x')`},
		{"ruby", "#!/usr/bin/ruby\nputs '{{x}}'", Error, `JSON.parse(File.read(ENV["A2A_PARAMS_FILE"]))["x"]`},
		{"php", "#!/usr/bin/php\n{{x}}", Error, `json_decode(file_get_contents(getenv("A2A_PARAMS_FILE")), true)["x"]`},
		{"perl", "#!/usr/bin/perl\n{{some-name}}", Error, `$ENV{A2A_PARAM_SOME_NAME}`},
		{"awk", "#!/usr/bin/awk -f\n{{x}}", Error, `ENVIRON["A2A_PARAM_X"]`},
		{"lua", "#!/usr/bin/lua\n{{x}}", Error, `os.getenv("A2A_PARAM_X")`},
		{"another shell", "#!/bin/zsh\necho {{x}}", Error, `read it in the script: "$A2A_PARAM_X"`},
		{"a secret is only in the file", "#!/bin/zsh\necho {{secret}}", Error, `the member "secret" of the JSON object in the file $A2A_PARAMS_FILE`},
		{"unknown", "#!/opt/it/run\n{{x}}", Error, `the variable A2A_PARAM_X, or the JSON object in the file A2A_PARAMS_FILE`},
		{"a section", "#!/usr/bin/python3\n{{#b}}print(1){{/b}}", Error, `{{#b}}: tags are only possible in bash scripts, and this one is for python3. Fix: test it in the script: json`},
		{"a raw tag", "#!/usr/bin/python3\nprint('{{{x}}}')", Error, `tags are only possible`},
		{"a field", "#!/usr/bin/python3\nprint('{{map.a}}')", Error, `["map"]`},
		{"what nobody declares", "#!/usr/bin/python3\nprint('{{z}}')", Warning, `{{z}}: no parameter is declared so, and a script for python3 has no tags, so this is text`},
		{"Python's own braces", "#!/usr/bin/python3\nprint(f'{{{z}}}', {{'a': 1}}, '{{.Names}} {{.}} {{ }} {{'\n, '}}')", Error, ""},
		{"other delimiters", "#!/usr/bin/python3\n# {{=<% %>=}}\nprint('{{x}} <%x%>')", Error, `line 3: <%x%>: tags`},
		{"Jinja", "#!/usr/bin/python3\nx = 1\n{% if x %}\nprint(x)\n{% endif %}", Error, `line 3: {% if x %}: this is Jinja's, and would stand in the script as it is. Fix: test the parameter in the script: json`},
		{"Jinja that is meant", "#!/usr/bin/python3\n# {{=<% %>=}}\nt = '{% if x %}{{x}}{% endif %}'", Error, ""},
		{"no Jinja", "#!/usr/bin/python3\nprint('{%s}' % 1, '{% d}' % 2, {1: 2}, '{#}')", Error, ""},
		{"no interpreter", "#!\nx", Error, "names no interpreter"},
		{"only env", "#!/usr/bin/env\nx", Error, "names no interpreter"},
		{"no directory", "#!python3\nx", Error, "without its directory"},
		{"env that does more", "#!/usr/bin/env -i python3\nx", Error, "so -i is not done"},
		{"env that sets", "#!/usr/bin/env PYTHONPATH=. python3\nx", Error, "so PYTHONPATH=. is not done"},
		{"quotes", "#!/usr/bin/env -S python3 -c 'a b'\nx", Error, "quotes, backslashes and variables in the first line are not read"},
		{"NUL", "#!/usr/bin/python3\n\x00", Error, "NUL"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			template, findings := Compile(row.script, foreignParameters(), Options{})
			if row.want == "" {
				if len(findings) > 0 {
					t.Error(report(findings))
				}
				return
			}
			if len(findings) != 1 || findings[0].Severity != row.severity || !strings.Contains(findings[0].String(), row.want) || (template == nil) != (row.severity == Error) {
				t.Errorf("want %q, got\n%s", row.want, report(findings))
			}
		})
	}
	if _, findings := Compile("#!/usr/bin/python3\nprint('{{z}}')", nil, Options{Undeclared: ImplyUndeclared}); len(errorsOf(findings)) != 1 {
		t.Errorf("where nothing has to be declared, every tag is one: %s", report(findings))
	}
	if template, findings := Compile("#!/usr/bin/python3\n", nil, Options{DynamicCommand: true}); template == nil || len(findings) != 1 || !strings.Contains(findings[0].Message, "allow_dynamic_command changes nothing") {
		t.Errorf("commands that nobody reads: %s", report(findings))
	}
	if _, findings := Compile("#!/usr/bin/python3\n", stringsNamed("a-b", "A_b"), Options{}); len(errorsOf(findings)) != 1 || !strings.Contains(findings[0].Message, "the same variable, A2A_PARAM_A_B") {
		t.Errorf("one variable for two parameters: %s", report(findings))
	}
}

// Whatever a value holds, other interpreters read exactly it, too, from the file and from the variable.
func TestForeignHostileValues(t *testing.T) {
	t.Parallel()
	for interpreter, text := range map[string]string{
		"python3": "import json, os, sys\np = json.load(open(os.environ['A2A_PARAMS_FILE'], encoding='utf-8'))\nsys.stdout.buffer.write((p['x'] + '\\0').encode() + os.environb[b'A2A_PARAM_X'])\n",
		"node":    "const p = JSON.parse(require('fs').readFileSync(process.env.A2A_PARAMS_FILE))\nprocess.stdout.write(p.x + '\\0' + process.env.A2A_PARAM_X)\n",
		"perl":    "$/ = undef; open(F, '<', $ENV{A2A_PARAMS_FILE}); use JSON::PP; my $x = decode_json(<F>)->{x}; utf8::encode($x); print $x, \"\\0\", $ENV{A2A_PARAM_X};\n",
		"sqlite3": "select json_extract(CAST(readfile('/dev/fd/3') AS TEXT), '$.x');\n",
	} {
		t.Run(interpreter, func(t *testing.T) {
			t.Parallel()
			program, err := exec.LookPath("/usr/bin/" + interpreter)
			if err != nil {
				t.Skip("there is no /usr/bin/" + interpreter)
			}
			template := compile(t, "#!"+program+"\n"+text, stringsNamed("x"), Options{})
			dir := t.TempDir()
			for i := range fuzzRuns(500) / 20 {
				value := strings.ToValidUTF8(hostile(rand.New(rand.NewPCG(fuzzSeed(), uint64(i)))), "\ufffd")
				r, err := template.Render(map[string]any{"x": value})
				if err != nil {
					t.Fatal(err)
				}
				want := value + "\x00" + value
				if interpreter == "sqlite3" {
					want = value + "\n"
				}
				if o := runForeign(t, dir, r); o.pwned || o.err != nil || o.stdout != want {
					t.Fatalf("got %q, %v, want %q; stderr %.300s", o.stdout, o.err, want, o.stderr)
				}
			}
		})
	}
}

// runForeign starts a script's program as the product does.
func runForeign(t testing.TB, dir string, r Rendered) outcome {
	t.Helper()
	files := []*os.File{unlinked(t, r.Parameters), unlinked(t, r.Script)}
	defer func() {
		for _, f := range files {
			f.Close()
		}
	}()
	var environment []string
	for name, value := range r.Environment {
		environment = append(environment, fmt.Sprintf("%s=%s", name, value))
	}
	return start(dir, files, environment, r.Program...)
}
