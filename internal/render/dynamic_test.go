package render

import (
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
	"github.com/google/go-cmp/cmp"
)

func TestDynamic(t *testing.T) {
	t.Parallel()
	text := func(s string) tool.DynamicCommand { return tool.DynamicCommand{Text: s} }
	argv := func(words ...string) tool.DynamicCommand { return tool.DynamicCommand{Argv: words} }
	arguments := map[string]any{"x": "echo a b", "y": "-y 'z'", "e": "fast", "list": []any{"printf", "<%s>", "a b", "$(touch PWNED)"}}
	for _, row := range []struct {
		name, script string
		want         []tool.DynamicCommand
		stdout       string
	}{
		{"nothing dynamic", `echo {{x}}`, nil, "echo a b\n"},
		{"shell text", `bash -c {{x}}`, []tool.DynamicCommand{text("echo a b")}, "a b\n"},
		{"shell text in quotes", `/bin/sh -c "{{x}}" _ {{y}}`, []tool.DynamicCommand{text("echo a b")}, "a b\n"},
		{"shell text after other options", `bash --norc -euo pipefail -c '{{x}}'`, []tool.DynamicCommand{text("echo a b")}, "a b\n"},
		{"shell text behind a wrapper", `timeout 5 bash -c {{x}}`, []tool.DynamicCommand{text("echo a b")}, "a b\n"},
		{"shell text in a substitution", `echo "$(bash -c {{x}})"`, []tool.DynamicCommand{text("echo a b")}, "a b\n"},
		{"command word", `{{e}} -- {{y}} "a{{x}}b" || echo no`, []tool.DynamicCommand{argv("fast", "--", "-y 'z'", "aecho a bb")}, "no\n"},
		{"list", `{{#list}} "{{.}}" {{/list}}`, []tool.DynamicCommand{argv("printf", "<%s>", "a b", "$(touch PWNED)")}, "<a b><$(touch PWNED)>"},
		{"list behind a wrapper", `env A=b timeout 5 {{#list}} {{.}} {{/list}}`, []tool.DynamicCommand{argv("printf", "<%s>", "a b", "$(touch PWNED)")}, "<a b><$(touch PWNED)>"},
		{"list and fixed words", `{{#list}} {{.}} {{/list}} $'\t' 'c'"d"\e`, []tool.DynamicCommand{argv("printf", "<%s>", "a b", "$(touch PWNED)", "\t", "cde")}, "<a b><$(touch PWNED)><\t><cde>"},
		{"find -exec", `find . -maxdepth 0 -exec {{#list}} {{.}} {{/list}} {} \;`, []tool.DynamicCommand{argv("printf", "<%s>", "a b", "$(touch PWNED)", "{}")}, "<a b><$(touch PWNED)><.>"},
		{"array", "A=()\n{{#list}}\nA+=(\"{{.}}\")\n{{/list}}\nif true; then \"${A[@]}\" c; fi", []tool.DynamicCommand{argv("printf", "<%s>", "a b", "$(touch PWNED)", "c")}, "<a b><$(touch PWNED)><c>"},
		{"array at once, twice used", "A=({{#list}}{{.}} {{/list}})\n\"${A[@]}\"; timeout 5 \"${A[@]}\"", []tool.DynamicCommand{argv("printf", "<%s>", "a b", "$(touch PWNED)"), argv("printf", "<%s>", "a b", "$(touch PWNED)")}, "<a b><$(touch PWNED)><a b><$(touch PWNED)>"},
		{"array made anew", "A=({{x}})\nA=({{#list}}{{.}} {{/list}})\n\"${A[@]}\"", []tool.DynamicCommand{argv("printf", "<%s>", "a b", "$(touch PWNED)")}, "<a b><$(touch PWNED)>"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			template := compile(t, row.script, standard(), Options{DynamicCommand: true})
			r, err := template.Render(arguments)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(row.want, r.Dynamic); diff != "" {
				t.Errorf("Dynamic (-want +got):\n%s", diff)
			}
			if o := run(t, t.TempDir(), r); o.stdout != row.stdout || o.pwned {
				t.Errorf("got %q, stderr %q, payload ran: %v, want %q", o.stdout, o.stderr, o.pwned, row.stdout)
			}
			if len(row.want) == 0 {
				return
			}
			if template, _ := Compile(row.script, standard(), Options{}); template != nil {
				t.Error("accepted without allow_dynamic_command")
			}
		})
	}
}

// Only the command itself may be dynamic. Everything else stays refused.
func TestDynamicRefused(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, script, reason string }{
		{"part of the shell text", `bash -c "ls {{x}}"`, "shell code that bash -c runs"},
		{"shell text of another shell", `zsh -c {{x}}`, "shell code that zsh -c runs"},
		{"eval", `eval {{x}}`, "shell code that eval runs"},
		{"ssh", `ssh host {{x}}`, "shell code that ssh runs"},
		{"find -exec sh -c in part", `find . -exec sh -c "ls {{x}}" \;`, "shell code that sh -c runs"},
		{"awk", `awk {{x}} f`, "awk code"},
		{"python file", `python3 {{x}}`, "file of code"},
		{"python -c", `python3 -c {{x}}`, "python code"},
		{"part of the command's name", `./{{x}} a`, "chooses which command"},
		{"a word that is not fixed", `{{x}} $Y`, "chooses which command"},
		{"a pattern", `{{x}} *.go`, "chooses which command"},
		{"pipe into the command", `echo {{y}} | {{x}}`, "cannot be told from the script"},
		{"pipe of the command into a shell", `{{x}} | bash`, "standard input of bash"},
		{"variable", `X={{x}}; "$X"`, "through $X"},
		{"variable as shell text", `X={{x}}; bash -c "$X"`, "through $X"},
		{"array with more than words", `A=({{x}} $Y); "${A[@]}"`, "through $A"},
		{"array in a loop", `A=(); for i in 1 2; do A+=({{x}}); done; "${A[@]}"`, "through $A"},
		{"array that is used first", "f() { \"${A[@]}\"; }\nA=({{x}})\nf", "through $A"},
		{"array that read changes", `A=({{x}}); read -r -a A; "${A[@]}"`, "through $A"},
		{"array with an element of its own", `A=({{x}}); A[0]={{y}}; "${A[@]}"`, "through $A"},
		{"array that is copied", `A=({{x}}); B=("${A[@]}"); "${B[@]}"`, "through $B"},
		{"array without its quotes", `A=({{x}}); ${A[@]}`, "through $A"},
		{"array in one word", `A=({{x}}); "${A[*]}"`, "through $A"},
		{"standard input", "bash <<EOF\n{{x}}\nEOF", "standard input of bash"},
		{"arithmetic", `echo $(({{x}}))`, "only a number"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			template, findings := Compile(row.script, standard(), Options{DynamicCommand: true})
			if template != nil || !strings.Contains(report(errorsOf(findings)), row.reason) {
				t.Errorf("accepted: %v, findings:\n%s", template != nil, report(findings))
			}
		})
	}
}
