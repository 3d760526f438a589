package display

import (
	"strings"
	"testing"
)

func TestText(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{"plain", "ls\n\tä 🎉", "ls\n\tä 🎉"},
		{"escape sequence", "\x1b]0;x\x07", `\u{1b}]0;x\u{7}`},
		{"direction", "a\u202eb", `a\u{202e}b`},
		{"carriage return", "a\rb", `a\u{d}b`},
		{"no text", "a\xffb", `a\xffb`},
		{"nothing that is shown", "a\u2065b\U000e0080c\u17b4d\u3164e\ufff0f", `a\u{2065}b\u{e0080}c\u{17b4}d\u{3164}e\u{fff0}f`},
		{"zero width", "a\u200bb", `a\u{200b}b`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := Text(test.text); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
	if got := Line("a\nb\tc"); got != `a\nb\tc` {
		t.Errorf("on one line: %q", got)
	}
}

// A long text is shown with both ends, so that what counts cannot hide behind the middle, and is cut
// between characters.
func TestLongText(t *testing.T) {
	t.Parallel()
	text := "first" + strings.Repeat("é", shownHead) + "last"
	got := Text(text)
	for _, want := range []string{"first", "last", "6009 bytes", "sha256 "} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if strings.Contains(got, `\x`) {
		t.Error("a character was cut in two")
	}
	if len(got) > 2*(shownHead+shownTail) {
		t.Errorf("%d bytes are shown", len(got))
	}
}

// Of what a person is asked about nothing is left out that could do something: not the middle of a command.
func TestFullText(t *testing.T) {
	t.Parallel()
	text := "echo " + strings.Repeat("a ", 60_000) + "; touch\x1bEVIL; echo " + strings.Repeat("b ", 4000)
	for _, got := range []string{Full(text), FullLine(text), FullSpan(text)} {
		if !strings.Contains(got, `; touch\u{1b}EVIL; `) {
			t.Errorf("the middle is not in %d bytes", len(got))
		}
	}
	if long := strings.Repeat("é", mostFull); len(Full(long)) > 2*(shownHead+shownTail) {
		t.Errorf("%d bytes are shown of %d", len(Full(long)), len(long))
	}
}

func TestFence(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{"plain", "ls\n", "```bash\nls\n```"},
		{"a fence inside", "```\nls", "````bash\n```\nls\n````"},
		{"a longer fence inside", "`````", "``````bash\n`````\n``````"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := Fence("bash", test.text); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestSpan(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"PATH=/usr/bin:/a_b": "PATH=/usr/bin:/a_b",
		"A=<!--":             "` A=<!-- `",
		"A=`x`":              "`` A=`x` ``",
		"A=``<!--":           "``` A=``<!-- ```",
		"A=a\n\u202e<":       "` A=a\\n\\u{202e}< `",
	} {
		if got := Span(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Deploy *now*, to #1!": "Deploy *now*, to #1!",
		"Deploy\n<!--":         "```\nDeploy\n<!--\n```",
		"Deploy &#x202e;":      "```\nDeploy &#x202e;\n```",
		"~~~":                  "```\n~~~\n```",
	} {
		if got := Words(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
