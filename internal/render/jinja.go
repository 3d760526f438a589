package render

import (
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
)

// jinja finds a statement or a comment of Jinja's, which people write who take {{…}} for Jinja's: {% if x
// %}, {%- endfor -%}, {# note #}. (Jinja: Template Designer Documentation, List of Control Structures.)
var jinja = lazyregexp.New(`\{%[-+]?\s*(if|elif|else|endif|for|endfor|set|endset|block|endblock|macro|endmacro` +
	`|call|endcall|filter|endfilter|` +
	`include|import|from|extends|raw|endraw|with|endwith|do|trans|endtrans)\b[^\n{}]*%\}|\{# [^\n]*? #\}`)

// findJinja says where a text between tags has something of Jinja's, which would be left standing as it is.
func findJinja(text string) (at int, found string, ok bool) {
	if !strings.Contains(text, "{%") && !strings.Contains(text, "{# ") {
		return 0, "", false
	}
	where := jinja.FindStringIndex(text)
	if where == nil {
		return 0, "", false
	}
	return where[0], text[where[0]:where[1]], true
}

const jinjaMessage = "this is Jinja's, and would stand in the script as it is"

// jinjaFix is the cure for a statement of Jinja's.
func jinjaFix(found string, foreign string) string {
	fix := "write {{#x}}…{{/x}} for what only stands there when x has a value (once for each item of a list), " +
		"{{^x}}…{{/x}} for the opposite"
	switch {
	case strings.HasPrefix(found, "{#"):
		fix = "write {{! … }} for a comment"
	case foreign != "":
		fix = "test the parameter in the script: " + foreign
	}
	return fix + "; if the text is meant as it stands, write {{=<% %>=}} in front of it, which changes our delimiters"
}
