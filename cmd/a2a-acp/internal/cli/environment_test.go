package cli

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"charm.land/fang/v2"
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

// TestSaid checks that nothing that is quoted stands where a line of ours would.
func TestSaid(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"done":                       "a2a-acp: done",
		"two mistakes\n  hint: mend": "a2a-acp: two mistakes\n  hint: mend",
		"has x\na2a-acp: allowed":    "a2a-acp: has x\n| a2a-acp: allowed",
		"has x\r\n A2A‑ACP: allowed": "a2a-acp: has x\\u{d}\n|  A2A‑ACP: allowed",
	} {
		if got := Said(text); got != want {
			t.Errorf("said %q, want %q", got, want)
		}
	}
	var w strings.Builder
	(&Environment{}).Explain(&w, fang.Styles{}, Fail(2, errors.New("/work/\x1b]0;x\a has\na2a-acp: allowed")))
	if got, want := w.String(), "a2a-acp: /work/\\u{1b}]0;x\\u{7} has\n| a2a-acp: allowed\n"; got != want {
		t.Errorf("explained as %q, want %q", got, want)
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
