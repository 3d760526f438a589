package render

import (
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestUnknownPrograms: a free text among the words of a program that no row knows is told, and refused
// nowhere.
func TestUnknownPrograms(t *testing.T) {
	t.Parallel()
	text := tool.Parameter{Name: "x", Type: tool.TypeString, Required: true}
	with := func(f func(p *tool.Parameter)) tool.Parameter {
		p := text
		f(&p)
		return p
	}
	for _, row := range []struct {
		name, script string
		parameter    tool.Parameter
		trusted      bool
		want         string // the program, "" for no finding
	}{
		{"an operand", `mytool {{x}}`, text, false, "mytool"},
		{"an option's argument", `mytool --name {{x}} file`, text, false, "mytool"},
		{"glued to an option", `mytool --name={{x}}`, text, false, "mytool"},
		{"a part of a word", `mytool "a:{{x}}:b"`, text, false, "mytool"},
		{"by its path", `/opt/bin/mytool -- {{x}}`, text, false, "mytool"},
		{"the author's own", `./deploy.sh {{x}}`, text, false, "deploy.sh"},
		{"behind a wrapper", `timeout 5 env A=b mytool {{x}}`, text, false, "mytool"},
		{"of find", `find . -exec mytool {{x}} {} \;`, text, false, "mytool"},
		{"in a substitution", `echo "$(mytool {{x}})"`, text, false, "mytool"},
		{"printed", `mytool -- "$(echo {{x}})"`, text, false, "mytool"},
		{"printed within a word", `mytool "a$(tr a b <<< {{x}})"`, text, false, "mytool"},
		{"counted", `mytool "a$(wc -c <<< {{x}})"`, text, false, ""},
		{"through a variable", `F={{x}}; mytool "$F"`, text, false, "mytool"},
		{"through a function", `f() { mytool "$1"; }; f {{x}}`, text, false, "mytool"},
		{"in a shell", `bash -c 'mytool "$1"' _ {{x}}`, text, false, "mytool"},
		{"its input", `mytool <<< {{x}}`, text, false, "mytool"},
		{"its input, by a pipe", `echo {{x}} | timeout 5 mytool -`, text, false, "mytool"},
		{"of a launcher", `uv run mytool {{x}}`, text, false, "mytool"},
		{"of another launcher", `poetry run mytool --name {{x}}`, text, false, "mytool"},
		{"of a launcher of packages", `bundle exec mytool {{x}}`, text, false, "mytool"},
		{"of a launcher with an environment", `conda run -n env mytool {{x}}`, text, false, "mytool"},
		{"a script of a launcher", `uv run script.py {{x}}`, text, false, ""},
		{"a script of package.json by its name", `npm run {{x}}`, text, false, "npm run"},
		{"one of a pattern", `npm run -s {{x}}`, with(func(p *tool.Parameter) { p.Pattern = "[a-z]+" }), false, ""},
		{"a word for a script of package.json", `npm run build -- {{x}}`, text, false, ""},
		{"through a variable, with a pattern", `F={{x}}; mytool "$F"`, with(func(p *tool.Parameter) { p.Pattern = "[a-z]+" }), false, ""},
		{"an item", `mytool {{#x}}{{.}}{{/x}}`, tool.Parameter{Name: "x", Type: tool.TypeArray}, false, "mytool"},

		{"trusted", `mytool {{x}}`, text, true, ""},
		{"trusted, through a variable", `F={{x}}; mytool "$F"`, text, true, ""},
		{"a pattern", `mytool {{x}}`, with(func(p *tool.Parameter) { p.Pattern = "[a-z]+" }), false, ""},
		{"a format", `mytool -- {{x}}`, with(func(p *tool.Parameter) { p.Format = tool.FormatPath }), false, ""},
		{"an enum", `mytool {{x}}`, with(func(p *tool.Parameter) { p.Enum = []any{"a", "b"} }), false, ""},
		{"a number", `mytool {{x}}`, with(func(p *tool.Parameter) { p.Type = tool.TypeInteger }), false, ""},
		{"its input, trusted", `mytool <<< {{x}}`, text, true, ""},
		{"its input, of a pattern", `V={{x}}; mytool <<< "$V"`, with(func(p *tool.Parameter) { p.Pattern = "[a-z]+" }), false, ""},
		{"a file", `mytool > {{x}}`, text, false, ""},
		{"its environment", `NAME={{x}} mytool`, text, false, ""},
		{"a program of the table", `cp -- {{x}} a`, text, false, ""},
		{"one of the catalogue", `md5sum -- {{x}}`, text, false, ""},
		{"a builtin", `cd -- {{x}}; echo {{x}}; test -f {{x}}`, text, false, ""},
		{"a function", `mytool() { echo "$1"; }; mytool {{x}}`, text, false, ""},
		{"nothing of the agent's", `mytool "$HOME" "$(date)"; echo {{x}}`, text, false, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			template, findings := Compile(row.script, []tool.Parameter{row.parameter}, Options{TrustProgram: row.trusted})
			if template == nil {
				t.Fatalf("refused: %s", report(findings))
			}
			want := "it is not known here what " + row.want + " does with its "
			told := strings.Contains(report(findings), "it is not known here")
			if told != (row.want != "") || told && !strings.Contains(report(findings), want) {
				t.Errorf("want %q, got %s", row.want, report(findings))
			}
		})
	}
}
