package cli

import (
	"slices"
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

// TestForAgent has an agent get none of our own variables, nor those of a service manager.
func TestForAgent(t *testing.T) {
	t.Parallel()
	e := &Environment{environ: []string{"A2A_AUTH_TOKEN=x", "NOTIFY_SOCKET=/run/x", "LISTEN_FDS=1", "PATH=/bin", "MY_A2A_=y"}}
	if got, want := e.ForAgent(), []string{"PATH=/bin", "MY_A2A_=y"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
