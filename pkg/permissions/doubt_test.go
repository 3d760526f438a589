package permissions

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/internal/display"
)

func TestDoubtful(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       []string
	}{
		{"plain", "ls -la\n\techo 'ä €' 🎉", nil},
		{"empty", "", nil},
		{"escape", "ls \x1b[2K", []string{"it holds the hidden character U+001B"}},
		{"carriage return", "rm -rf /\rls     ", []string{"it holds the hidden character U+000D"}},
		{"NUL", "a\x00", []string{"it holds the hidden character U+0000"}},
		{"right to left", "a\u202eb", []string{"it holds the hidden character U+202E"}},
		{"isolate", "a\u2066b", []string{"it holds the hidden character U+2066"}},
		{"zero width", ".g\u200cit", []string{"it holds the hidden character U+200C"}},
		{"byte order mark", "\ufeffls", []string{"it holds the hidden character U+FEFF"}},
		{"tag", "a\U000e0041", []string{"it holds the hidden character U+E0041"}},
		{"no-break space", "rm\u00a0-rf", []string{"it holds the hidden character U+00A0"}},
		{"hangul filler", "a\u3164", []string{"it holds the hidden character U+3164"}},
		{"line separator", "a\u2028b", []string{"it holds the hidden character U+2028"}},
		{"each kind once", "\u202e\u202e\u202e", []string{"it holds the hidden character U+202E"}},
		{"at most three", "\x01\x02\x03\x04", []string{"it holds the hidden character U+0001", "it holds the hidden character U+0002", "it holds the hidden character U+0003"}},
		{"no text", "a\xff\xfe", []string{"it holds bytes that are no text (UTF-8)"}},
		{"the character for no text", "a\ufffd", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, Doubtful(test.text)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// FuzzShow: nothing hidden is shown, and no text closes its fence.
func FuzzShow(f *testing.F) {
	f.Add("a\u202eb\x1b\xff")
	f.Add("```\n# title\n```")
	f.Fuzz(func(t *testing.T, text string) {
		shown := display.Text(text)
		if doubts := Doubtful(shown); doubts != nil {
			t.Errorf("%q is shown as %q: %v", text, shown, doubts)
		}
		if line := display.Line(text); strings.ContainsAny(line, "\n\t") {
			t.Errorf("%q is shown on several lines", text)
		}
		fenced := display.Fence("", shown)
		mark, _, _ := strings.Cut(fenced, "\n")
		if inner := fenced[len(mark) : len(fenced)-len(mark)]; strings.Contains(inner, mark) {
			t.Errorf("%q closes its fence", text)
		}
	})
}
