package render

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"
)

// No script text holds a value, and calls of the same shape have the same script.
func TestScriptHoldsNoValue(t *testing.T) {
	t.Parallel()
	for _, row := range exact {
		template := compile(t, row.script, standard(), Options{})
		scripts := map[string]bool{}
		for _, value := range []string{"marker-of-the-first", "marker'of\nthe$(second)", "{{x}}", "another \" marker"} {
			r, err := template.Render(exactArguments(value))
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(r.Script, value) && !strings.Contains(row.script, value) {
				t.Errorf("%s: the script holds the value %q:\n%s", row.name, value, r.Script)
			}
			scripts[r.Script] = true
		}
		if len(scripts) != 1 {
			t.Errorf("%s: %d scripts for one shape", row.name, len(scripts))
		}
		// Another instance, which knows no shapes yet, comes to the same.
		r, err := compile(t, row.script, standard(), Options{}).Render(exactArguments("c"))
		if err != nil || !scripts[r.Script] {
			t.Errorf("%s: compiled again, the script is another: %v", row.name, err)
		}
	}
}

func TestShapes(t *testing.T) {
	t.Parallel()
	template := compile(t, `echo {{#list}}{{.}}{{/list}} {{#b}}b{{/b}} {{x|default('d')}}`, standard(), Options{})
	script := func(arguments map[string]any) string {
		r, err := template.Render(arguments)
		if err != nil {
			t.Fatal(err)
		}
		return r.Script
	}
	one := script(map[string]any{"list": []any{"1"}})
	if two := script(map[string]any{"list": []any{"1", "2"}}); one == two {
		t.Error("one and two items came to the same script")
	}
	if with := script(map[string]any{"list": []any{"1"}, "b": true}); one == with {
		t.Error("a section more came to the same script")
	}
	if given := script(map[string]any{"list": []any{"1"}, "x": "given"}); one != given {
		t.Error("a default made another script")
	}
	for i := range 3 * maxShapes { // more shapes than are kept
		items := make([]any, i)
		for j := range items {
			items[j] = "a"
		}
		if got := strings.Count(script(map[string]any{"list": items}), valuesName+"["); got != i+1+1 { // and x, and the prologue's count
			t.Errorf("%d items: %d references", i, got)
		}
	}
	if n := template.shapes.Len(); n != maxShapes {
		t.Errorf("%d shapes are kept, want %d", n, maxShapes)
	}
}

// One template serves many calls at once.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	template := compile(t, webRequest, webParameters, Options{})
	var workers sync.WaitGroup
	for i := range 8 {
		workers.Go(func() {
			r := rand.New(rand.NewPCG(7, uint64(i)))
			for range 50 {
				arguments := webArguments()
				headers := map[string]any{}
				for j := range r.IntN(60) {
					headers[fmt.Sprint(j)] = "v"
				}
				arguments["headers"] = headers
				rendered, err := template.Render(arguments)
				if err != nil || len(rendered.Values) != 4+2*len(headers) {
					t.Errorf("%d headers: %d values, %v", len(headers), len(rendered.Values), err)
				}
			}
		})
	}
	workers.Wait()
}

// A hostile file or call costs little and is told what is wrong.
func TestBounds(t *testing.T) {
	t.Parallel()
	sections := func(n int, body string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "{{#s%d}}%s{{/s%d}}\n", i, body, i)
		}
		return b.String()
	}
	nested := func(n int) string {
		before, after := "", ""
		for i := range n {
			before += fmt.Sprintf("{{#s%d}}", i)
			after = fmt.Sprintf("{{/s%d}}", i) + after
		}
		return before + "echo" + after
	}
	calls := "X={{x}}\n"
	for i := range 3000 {
		calls += fmt.Sprintf("f%d() { f%d; f%d; Y=$(f%d); echo \"$Y\"; }\n", i, i+1, i+2, i+1)
	}
	lines := strings.Repeat("echo aaaaaaaaaaaaaaa\n", 12_000)
	pipes := "echo {{x}} | {\n" + strings.Repeat("y=$(cat \"$y\"); ", 8000) + "\n}"
	for _, row := range []struct{ name, script, reason string }{
		{"script", "echo " + strings.Repeat("a", maxTemplate), "the limit is"},
		{"script for python", "#!/usr/bin/python3\n#" + strings.Repeat("a", maxTemplate), "the limit is"},
		{"braces for python", "#!/usr/bin/python3\n#" + strings.Repeat("{", maxTemplate-100) + "}}", ""},
		{"sections", sections(maxSections+1, "echo"), "more than 64 sections"},
		{"nesting", nested(maxNesting + 1), "nested more than 16 deep"},
		{"tags", "echo " + strings.Repeat("{{x}} ", maxTags+1), "more than 1024 tags"},
		{"five lists and much text", "echo {{#a}}{{.}}{{/a}}{{#b}}{{.}}{{/b}}{{#c}}{{.}}{{/c}}{{#d}}{{.}}{{/d}}{{#e}}{{.}}{{/e}}\n" + lines, ""},
		{"sections of much text", sections(maxSections, strings.Repeat("echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n", 100)), ""},
		{"lists and much text", sections(62, "echo {{.}}") + lines, "too big"},
		{"functions that call functions", calls, "too involved"},
		{"a pipe into many assignments", pipes, ""},
		{"code within code", strings.Repeat("eval '", 40) + "{{x}}" + strings.Repeat("'", 40), ""},
		{"many evals", "echo {{x}}\n" + strings.Repeat("eval 'echo $a'\n", 5000), "too involved"},
		{"substitutions in substitutions", "echo {{x}} " + strings.Repeat("$(", 80_000) + strings.Repeat(")", 80_000), "nested too deep"},
		{"negations of negations", "[[ " + strings.Repeat("! ", 100_000) + "{{x}} ]]", "nested too deep"},
		{"conditions in conditions", strings.Repeat("if :; then ", 15_000) + "echo {{x}}" + strings.Repeat("; fi", 15_000), "nested too deep"},
		{"pipes", "echo {{x}}" + strings.Repeat("|cat", 60_000), "nested too deep"},
		{"as deep as can be", "echo {{x}} " + strings.Repeat("\"$(echo ", 150) + strings.Repeat(")\"", 150), ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if testing.Short() && (strings.Contains(row.script, lines) || row.script == calls || row.script == pipes) {
				t.Skip("takes seconds")
			}
			started := time.Now()
			_, findings := Compile(row.script, stringsNamed("x"), Options{Undeclared: ImplyUndeclared})
			t.Logf("%v for %d bytes", time.Since(started).Round(time.Millisecond), len(row.script))
			if row.reason != "" && !strings.Contains(report(errorsOf(findings)), row.reason) {
				t.Errorf("no finding says %q: %.2000s", row.reason, report(errorsOf(findings)))
			}
		})
	}

	template := compile(t, `echo {{#list}}{{.}} {{/list}}`, standard(), Options{})
	for n, fine := range map[int]bool{maxItems: true, maxItems + 1: false} {
		items := make([]any, n)
		for i := range items {
			items[i] = "a"
		}
		r, err := template.Render(map[string]any{"list": items})
		switch {
		case fine && (err != nil || len(r.Values) != n):
			t.Errorf("%d items: %d values, %v", n, len(r.Values), err)
		case !fine && (err == nil || !strings.Contains(err.Error(), "more than 10000 items")):
			t.Errorf("%d items: %v", n, err)
		}
	}
	long := compile(t, "{{#list}}echo "+strings.Repeat("a", 100_000)+" {{.}}\n{{/list}}", standard(), Options{})
	items := make([]any, 100)
	for i := range items {
		items[i] = "a"
	}
	if _, err := long.Render(map[string]any{"list": items}); err == nil || !strings.Contains(err.Error(), "longer than") {
		t.Errorf("10 MB of script: %v", err)
	}
}

// What one shape of a script has taken of the steps is not there for the next: a script of many sections,
// each with much to follow, is told so once.
func TestSectionsShareTheSteps(t *testing.T) {
	if testing.Short() {
		t.Skip("two million steps take a second")
	}
	t.Parallel()
	var script strings.Builder
	parameters := stringsNamed("x")
	for i := range 62 {
		fmt.Fprintf(&script, "{{#s%d}}", i)
		script.WriteString(strings.Repeat("x=$(f $(g {{x}})); f() { h \"$@\"; }\n", 10))
		script.WriteString(strings.Repeat("h() { f \"$@\" | g $1; }\n", 30))
		fmt.Fprintf(&script, "{{/s%d}}\n", i)
		parameters = append(parameters, stringsNamed(fmt.Sprint("s", i))...)
	}
	_, findings := Compile(script.String(), parameters, Options{})
	if n := strings.Count(report(findings), "too involved"); n != 1 {
		t.Errorf("told %d times, want once", n)
	}
}
