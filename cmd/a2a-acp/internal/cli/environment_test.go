package cli

import (
	"strings"
	"testing"
)

// TestSay checks that a name in what is said gives the terminal no commands.
func TestSay(t *testing.T) {
	t.Parallel()
	var stderr strings.Builder
	(&Environment{Stderr: &stderr}).Say("/work/\x1b]0;x\a\rü was\nmade")
	if got, want := stderr.String(), "a2a-acp: /work/\\u{1b}]0;x\\u{7}\\u{d}ü was\nmade\n"; got != want {
		t.Errorf("said %q, want %q", got, want)
	}
}
