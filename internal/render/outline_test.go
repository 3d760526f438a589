package render

import (
	"strings"
	"testing"
)

// TestOutlined checks that every line of an author stays on its line, and every section stands in some text.
func TestOutlined(t *testing.T) {
	t.Parallel()
	script := "a {{x|default('|')}}\n{{#one}}\n  b {{.}}\n  {{^two}}\nc\n  {{/two}}\n{{/one}}\n{{^one}}\n{{^two}}d{{/two}}\n{{! a\ncomment }}\n{{/one}}\nend"
	o := Outlined(script)
	for _, text := range o.Texts {
		if got, want := strings.Count(text, "\n"), strings.Count(script, "\n"); got != want {
			t.Errorf("%d lines, want %d:\n%s", got, want, text)
		}
		if strings.Contains(text, "{{") || !strings.HasPrefix(text, "a "+o.stem+"\n") {
			t.Errorf("tags stand in\n%s", text)
		}
	}
	all := strings.Join(o.Texts, "\n")
	for _, body := range []string{"b " + o.stem, "\nc\n", "d"} {
		if !strings.Contains(all, body) {
			t.Errorf("no text has %q:\n%s", body, all)
		}
	}
	for _, whole := range []string{"#!/usr/bin/python3\nprint('{{x}}')", "echo {{x"} {
		if o := Outlined(whole); len(o.Texts) != 1 || o.Texts[0] != whole || o.Holds("x") {
			t.Errorf("%q: %q", whole, o.Texts)
		}
	}
}
