package agents

import (
	"strings"
	"testing"
)

func TestTerminalWords(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		agent  string
		words  []string
		prints bool
		why    string // in the error; "" for none
	}{
		{"claude", nil, false, ""},
		{"claude", []string{"fix the test"}, false, ""},
		{"claude", []string{"-p", "fix the test", "--model", "opus"}, true, ""},
		{"claude", []string{"--output-format=json", "--print", "fix it"}, true, ""},
		{"claude", []string{"-r", "attach"}, false, ""},
		{"claude", []string{"--allowedTools", "Bash", "Edit", "--verbose"}, false, ""},
		{"claude", []string{"--bare"}, false, "--bare is not known"},
		{"claude", []string{"--safe-mode"}, false, "not known"},
		{"claude", []string{"--settings", "{}"}, false, "not known"},
		{"claude", []string{"--settings={}"}, false, "not known"},
		{"claude", []string{"--setting-sources", "user"}, false, "not known"},
		{"claude", []string{"--permission-prompt-tool", "x"}, false, "not known"},
		{"claude", []string{"--bg", "fix the test"}, false, "not known"},
		{"claude", []string{"--future", "fix the test"}, false, "not known"},
		{"claude", []string{"-pc"}, false, "not known"},
		{"claude", []string{"--", "--bare"}, false, "would hide"},
		{"claude", []string{"--model", "opus", "attach", "1"}, false, "could be a command"},
		{"claude", []string{"--verbose", "remote-control"}, false, "could be a command"},
		{"codex", []string{"-m", "gpt", "fix the test"}, false, ""},
		{"codex", []string{"exec", "--json", "fix"}, true, ""},
		{"codex", []string{"resume", "--last"}, false, ""},
		{"codex", []string{"exec", "-c", "model=gpt", "fix"}, true, ""},
		{"codex", []string{"-c", "features.hooks=false"}, false, "settings of hooks"},
		{"codex", []string{"exec", "--config=hooks={}", "fix"}, true, "settings of hooks"},
		{"codex", []string{"-c", ` "hooks".x=1`}, false, "settings of hooks"},
		{"codex", []string{"--disable", "hooks"}, false, "not known"},
		{"codex", []string{"--remote", "ws://x"}, false, "not known"},
		{"codex", []string{"--dangerously-bypass-hook-trust"}, false, "not known"},
		{"codex", []string{"cloud"}, false, "could be a command"},
		{"codex", []string{"-C", "/elsewhere"}, false, "not known"},
		{"opencode", nil, false, ""},
		{"opencode", []string{"-c"}, false, ""},
		{"opencode", []string{"run", "fix", "the", "test"}, true, ""},
		{"opencode", []string{"run", "--dir", "/elsewhere", "fix"}, true, "not known"},
		{"opencode", []string{"run", "--attach=http://x", "fix"}, true, "not known"},
		{"opencode", []string{"--pure"}, false, "not known"},
		{"opencode", []string{"--auto"}, false, "not known"},
		{"opencode", []string{"/elsewhere"}, false, "start a2a-acp run in the directory"},
		{"opencode", []string{"attach", "http://x"}, false, "start a2a-acp run in the directory"},
	} {
		agent, _ := ByName(test.agent)
		prints, err := agent.Terminal().Check(test.words)
		if prints != test.prints && test.why == "" || (err != nil) != (test.why != "") ||
			err != nil && !strings.Contains(err.Error(), test.why) {
			t.Errorf("%s %q: prints %t, %v; want %t, %q", test.agent, test.words, prints, err, test.prints, test.why)
		}
	}
}

func TestTerminalVersion(t *testing.T) {
	t.Parallel()
	claude, _ := ByName("claude")
	for said, old := range map[string]bool{"2.1.316 (Claude Code)\n": false, "3.0.0": false, "2.1.99 (Claude Code)": true,
		"2.1.316-beta": true, "": true, "no idea": true} {
		if err := claude.Terminal().Old(said); (err != nil) != old {
			t.Errorf("%q: %v", said, err)
		}
	}
	opencode, _ := ByName("opencode")
	if err := opencode.Terminal().Old(""); err != nil {
		t.Error(err)
	}
}
