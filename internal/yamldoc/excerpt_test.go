package yamldoc

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestExcerpt(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name        string
		line        string
		column, end int
		hidden      []span
		want        Excerpt
	}{
		{"a word", "  key: value", 8, 13, nil, Excerpt{"  key: value", 8, 5}},
		{"no end", "  key: value", 8, 0, nil, Excerpt{"  key: value", 8, 1}},
		{"behind the end of the line", "key:", 5, 6, nil, Excerpt{"key:", 5, 1}},
		{"far behind the end", "key:", 50, 60, nil, Excerpt{"key:", 5, 1}},
		{"an empty line", "", 1, 2, nil, Excerpt{"", 1, 1}},
		{"tabs", "\tkey:\tx", 7, 8, nil, Excerpt{"    key:    x", 13, 1}},
		{"wide letters", "日本: x", 5, 6, nil, Excerpt{"日本: x", 7, 1}},
		{"wide letters that are meant", "a: 日本", 4, 6, nil, Excerpt{"a: 日本", 4, 4}},
		{"a combining letter", "e\u0301: x", 5, 6, nil, Excerpt{"e\u0301: x", 4, 1}},
		{"an escape of the terminal", "a: \x1b[31mx", 9, 10, nil, Excerpt{`a: \u{1b}[31mx`, 14, 1}},
		{"a mark of direction", "a: \u202ex", 4, 5, nil, Excerpt{`a: \u{202e}x`, 4, 8}},
		{"a secret", "a: hunter2, b", 4, 11, []span{{3, 10}}, Excerpt{"a: ********, b", 4, 8}},
		{"two spans that meet", "a: hunter2, b", 13, 14, []span{{3, 6}, {5, 10}},
			Excerpt{"a: ********, b", 14, 1}},
		{"a secret to the end of the line", "a: hunter2", 1, 2, []span{wholeLine(3)},
			Excerpt{"a: ********", 1, 1}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, *newExcerpt(test.line, test.column, test.end,
				test.hidden)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestLongExcerpt: of a line without end there is what surrounds the place, and the place is where it says.
func TestLongExcerpt(t *testing.T) {
	t.Parallel()
	line := strings.Repeat("x", 5000) + "HERE" + strings.Repeat("y", 5000)
	for _, column := range []int{1, 40, 99, 5001, 9990, 10004} {
		x := newExcerpt(line, column, column+4, nil)
		if width := len([]rune(x.Text)); width > widestExcerpt+1 {
			t.Errorf("column %d: %d columns", column, width)
		}
		text := []rune(x.Text)
		if got := text[x.Column-1]; got != []rune(line)[column-1] {
			t.Errorf("column %d: the place shows %q", column, got)
		}
		if column == 5001 && !strings.HasPrefix(string(text[x.Column-1:]), "HERE") {
			t.Errorf("%+v", x)
		}
	}
}

// TestHiddenSecrets: what looks like a secret is hidden wherever it stands, in files that are broken, too;
// and what is none is shown.
func TestHiddenSecrets(t *testing.T) {
	t.Parallel()
	const secret = "hunter2hunter2"
	hidden := []string{
		"environment_variables:\n  A: " + secret,
		"environment_variables:\n  A: \"" + secret,
		"environment_variables:\n  \"A\": '" + secret + "'",
		"environment_variables:\n  A: |\n    one\n    " + secret,
		"environment_variables:\n  A: >-\n    " + secret + "\n  B: x",
		"environment_variables:\n  - A=" + secret,
		"environment_variables:\n  - name: A\n    value: " + secret,
		"environment_variables: {A: " + secret + ", B: {secret: NAME}}",
		"environment_variables: {B: x, 'A': \"" + secret + "\"}",
		"environment_variables:\n  {A: " + secret + "}",
		"environment_variables:\n  A: " + secret + " # why",
		"  environment_variables:\n\n    # a comment\n    A: " + secret,
		"sandbox:\n  environment_variables:\n    A:  " + secret + "\n  timeout: 5",
		"headers:\n  Authorization: Bearer " + secret,
		"api_key: " + secret,
		"{name: x, password: " + secret + ", type: string}",
		"MY_TOKEN=" + secret,
		"environment_variables:\n  A: &anchor " + secret,
		"environment_variables:\n  A: !tag " + secret,
	}
	for _, text := range hidden {
		if got := shownLines(text); strings.Contains(got, "hunter") {
			t.Errorf("%q is shown as %q", text, got)
		}
	}
	for _, shape := range []string{"sk-0123456789abcdef", "ghp_0123456789abcdefghij", "AKIA0123456789ABCDEF",
		"eyJhbGciOiJIUzI1NiJ9.e30"} {
		text := "script: curl -H 'x: " + shape + "'"
		if got := shownLines(text); strings.Contains(got, shape[4:]) {
			t.Errorf("%q is shown as %q", text, got)
		}
		if got := (Error{Message: "found " + shape,
			Hint: "write " + shape}).Escaped(); strings.Contains(got.Error(), shape[4:]) {
			t.Errorf("said: %v", got)
		}
	}
	for _, text := range []string{
		"environment_variables:\n  A: {secret: NAME}\n  B:\n    env: OTHER_NAME_OF_IT\n  C: true\n  D: 42\nscript: echo something long",
		"environment_variables: {A: {secret: NAME}, B: {env: OTHER_NAME_OF_IT}}",
		"script: echo {{api_key}} and something more",
		"key_template: \"{{url}} and more text\"",
		"- {name: x, secret: true, description: a long description}",
	} {
		if got := shownLines(text); strings.Contains(got, mask) {
			t.Errorf("%q is shown as %q", text, got)
		}
	}
}

// shownLines returns a text as excerpts of it show it.
func shownLines(text string) string {
	lines := splitLines([]byte(text))
	hidden := secrets(lines)
	shown := make([]string, len(lines))
	for i, line := range lines {
		shown[i] = newExcerpt(line, 1, 2, hidden[i+1]).Text
	}
	return strings.Join(shown, "\n")
}
