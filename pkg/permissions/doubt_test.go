package permissions

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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

func TestShow(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{"plain", "ls\n\tä 🎉", "ls\n\tä 🎉"},
		{"escape sequence", "\x1b]0;x\x07", `\u{1b}]0;x\u{7}`},
		{"direction", "a\u202eb", `a\u{202e}b`},
		{"carriage return", "a\rb", `a\u{d}b`},
		{"no text", "a\xffb", `a\xffb`},
		{"zero width", "a\u200bb", `a\u{200b}b`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := Show(test.text); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
	if got := ShowLine("a\nb\tc"); got != `a\nb\tc` {
		t.Errorf("on one line: %q", got)
	}
}

// A long text is shown with both ends, so that what counts cannot hide behind the middle, and is cut between characters.
func TestShowLongText(t *testing.T) {
	t.Parallel()
	text := "first" + strings.Repeat("é", shownHead) + "last"
	got := Show(text)
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

// FuzzShow: nothing hidden is shown, and no text closes its fence.
func FuzzShow(f *testing.F) {
	f.Add("a\u202eb\x1b\xff")
	f.Add("```\n# title\n```")
	f.Fuzz(func(t *testing.T, text string) {
		shown := Show(text)
		if doubts := Doubtful(shown); doubts != nil {
			t.Errorf("%q is shown as %q: %v", text, shown, doubts)
		}
		if line := ShowLine(text); strings.ContainsAny(line, "\n\t") {
			t.Errorf("%q is shown on several lines", text)
		}
		fenced := Fence("", shown)
		mark, _, _ := strings.Cut(fenced, "\n")
		if inner := fenced[len(mark) : len(fenced)-len(mark)]; strings.Contains(inner, mark) {
			t.Errorf("%q closes its fence", text)
		}
	})
}
