package render

import (
	"strings"
	"testing"
)

// bash runs what the author wrote, whatever the value is: the script comes out with exactly the value, or
// the call is refused, and no payload runs. The first bytes pick what is run: one of the scripts that print
// their value, or a template made of pieces. (A script of the fuzzer's own making is never run: it would be
// the author's, who may do anything.)
func FuzzRender(f *testing.F) {
	for i, value := range nasty[:len(nasty)-1] {
		if testing.Short() && i%8 > 0 {
			continue
		}
		f.Add([]byte{0, byte(i)}, value)
		f.Add([]byte{1, byte(i), byte(7 * i), byte(13 * i)}, value)
		f.Add([]byte{2, byte(i), byte(5 * i)}, value)
	}
	f.Fuzz(func(t *testing.T, picks []byte, value string) {
		if len(picks) < 2 || len(picks) > 12 {
			return
		}
		dir := t.TempDir()
		if picks[0]%3 == 0 {
			row := exact[int(picks[1])%len(exact)]
			template := compile(t, row.script, standard(), Options{})
			if strings.Contains(value, "\x00") {
				if _, err := template.Render(exactArguments(value)); err == nil {
					t.Errorf("a value with a NUL was rendered in %q", row.script)
				}
				return
			}
			if len(value) < 100_000 { // the limit of one word of a process
				checkExact(t, dir, template, row.script, value)
			}
			return
		}
		pieces, script := templatePieces, "echo "
		if picks[0]%3 == 1 {
			pieces, script = append(valueFlows[:len(valueFlows):len(valueFlows)], laterFlows...), `X="{{x}}"; `
		}
		for _, pick := range picks[1:] {
			script += pieces[int(pick)%len(pieces)]
		}
		template, _ := Compile(script, append(standard(), stringsNamed("f")...), Options{})
		if template == nil {
			return
		}
		r, err := template.Render(map[string]any{
			"x": value, "n": number("1"), "f": "/dev/null", "b": true, "e": "fast", "list": []any{value}, "map": map[string]any{value: value},
		})
		if err != nil {
			return
		}
		if o := run(t, dir, r); o.pwned {
			t.Errorf("a value ran: %q in %q\n%s", value, script, r.Script)
		}
	})
}

// No script makes Compile panic, and what it accepts renders, or says which value cannot stand.
func FuzzCompile(f *testing.F) {
	for _, row := range exact {
		f.Add(row.script, "value")
	}
	for _, row := range refused {
		f.Add(row.script, "")
	}
	for _, script := range []string{webRequest, webRequestJSON, databaseQuery, fileProcessor, readTextFile, codexShell, codexRead, codexWrite, codexPatch, fileOperations} {
		f.Add(script, "$(x)")
	}
	f.Fuzz(func(t *testing.T, script, value string) {
		for _, dynamic := range []bool{false, true} {
			template, findings := Compile(script, standard(), Options{Undeclared: ImplyUndeclared, DynamicCommand: dynamic})
			if (template == nil) != hasErrors(findings) {
				t.Fatalf("template is nil: %v, findings:\n%s", template == nil, report(findings))
			}
			for _, finding := range findings {
				if strings.Contains(finding.Message, "internal") {
					t.Errorf("%q: %s", script, finding)
				}
			}
			if template == nil {
				continue
			}
			r, err := template.Render(map[string]any{
				"x": value, "y": value, "n": number("1"), "e": "fast", "b": value != "", "q": value, "d": value, "list": []any{value, value}, "map": map[string]any{"a": value, value: "b"},
			})
			if err != nil {
				if strings.Contains(err.Error(), "internal") {
					t.Errorf("%q with %q: %v", script, value, err)
				}
				continue
			}
			if len(value) > 8 && strings.Contains(r.Script, value) && !strings.Contains(script, value) {
				t.Errorf("the script of %q holds the value %q:\n%s", script, value, r.Script)
			}
		}
	})
}
