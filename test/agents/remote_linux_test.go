//go:build agents

package agents

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/test/agents/internal/editor"
	"github.com/a2a-acp/a2a-acp/test/agents/internal/model"
)

// TestGeminiRemoteAgent has Gemini give work to the daemon as one of its remote agents, by the URL of its card: a tool of
// ours runs, and Gemini's model is told what it has put out.
func TestGeminiRemoteAgent(t *testing.T) {
	t.Parallel()
	binary, err := built()
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	tools, work := filepath.Join(root, "tools.yaml"), filepath.Join(root, "work")
	write(t, tools, `version: 2
tools:
  shout: {description: Shouts., script: "printf '%s' {{text}} | tr a-z A-Z", parameters: [{name: text, required: true}], annotations: {readOnlyHint: true}}
`)
	if err := os.Mkdir(work, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary, "serve", "--listen", "127.0.0.1:0", "--tools", tools, "--workspace", work)
	cmd.Dir, cmd.Stderr = work, writer(t.Log)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(root, "home"), "A2A_STATE_DIR=" + filepath.Join(root, "state"),
		"A2A_AUTH_TOKEN=" + daemonToken}
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt) // one that has ended needs none
		_ = cmd.Wait()                       // how it ends is not what is tested
	})
	var line struct{ A2A string }
	said, err := bufio.NewReader(stdout).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(said, &line)
	}
	if err != nil {
		t.Fatalf("the daemon says %q: %v", said, err)
	}
	a := gemini()
	a.flags = append(a.flags, "--approval-mode=yolo") // over ACP it denies what it would ask about a remote agent
	a.files = func(string) map[string]string {
		return map[string]string{".gemini/agents/ours.md": fmt.Sprintf("---\nkind: remote\nname: ours\ndescription: Shouts.\n"+
			"agent_card_url: %s/.well-known/agent-card.json\nauth: {type: http, scheme: Bearer, token: %s}\n---\n", line.A2A, daemonToken)}
	}
	r := start(t, a, options{})
	turn := r.prompt(editor.Person{}, model.Step{Calls: []model.Call{{Act: model.Delegate, Tool: "ours", Text: `shout {"text": "hello gemini"}`}}},
		model.Step{Say: "All done, really."})
	if told := strings.Join(r.told(turn), "\n"); !strings.Contains(told, "HELLO GEMINI") || turn.Text == "" {
		t.Errorf("the model is told %q; the turn is %q", told, turn.Text)
	}
}
