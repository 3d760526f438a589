//go:build agents

package agents

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/test/agents/internal/editor"
	"github.com/a2a-acp/a2a-acp/test/agents/internal/model"
)

// TestEnabled: an agent calls a tool of ours by nothing but what `editor enable` has entered into its own settings.
func TestEnabled(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		agent    agent
		client   string
		settings string // below its home
	}{
		{gemini(), "gemini-cli", ".gemini/settings.json"},
		{claude(1), "claude-code", ".claude/.claude.json"}, // where CLAUDE_CONFIG_DIR has it
	} {
		t.Run(row.agent.name, func(t *testing.T) {
			t.Parallel()
			r := assemble(t, row.agent, options{})
			config, err := os.MkdirTemp("", "config") // whoever writes the workspace has nothing to do with it
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.RemoveAll(config) })
			write(t, filepath.Join(config, "a2a-acp", "tools.yaml"), ourTools)
			settings := filepath.Join(r.home, row.settings)
			before, _ := os.ReadFile(settings) // nil where there is none
			verb := func(words ...string) {
				words = append([]string{"editor"}, append(words, row.client, "--config-path", settings, "--yes")...)
				cmd := exec.CommandContext(t.Context(), bridgeCommand(t)[0], words...)
				cmd.Env = []string{"HOME=" + r.home, "PATH=" + os.Getenv("PATH")}
				asBridge.Lock()
				defer asBridge.Unlock()
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%q: %v: %s", words, err, out)
				}
			}
			verb("enable", "--env", "XDG_CONFIG_HOME="+config)
			r.open(options{})
			for began := time.Now(); !r.offers("greet") && time.Since(began) < patience; { // Gemini looks for its servers meanwhile
				r.prompt(editor.Person{}, model.Step{Say: "Good morning to you."})
			}
			person := editor.Person{Decide: func(editor.Permission) editor.Decision { return editor.AllowOnce }} // the agent's own question
			turn := r.prompt(person, callOurs("demo.greet", `{"who":"Grace"}`)...)
			r.wantStop(turn, "end_turn")
			r.wantTold(turn, "good day to Grace")
			r.stop()
			verb("disable")
			after, err := os.ReadFile(settings)
			if row.agent.name == "gemini" && string(after) != string(before) { // Claude keeps notes of its own in that file
				t.Errorf("is left as\n%s (%v), was\n%s", after, err, before)
			}
		})
	}
}
