//go:build agents

package agents

import (
	"bytes"
	"context"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/test/agents/internal/model"
	"github.com/a2a-acp/a2a-acp/test/agents/internal/witness"
)

// sdkSummary is what sdkclient.mjs says.
type sdkSummary struct {
	Version    int            `json:"protocolVersion"`
	Stops      []string       `json:"stops"`
	Text       string         `json:"text"`
	Requests   map[string]int `json:"requests"`
	Updates    []string       `json:"updates"` // kinds, each once
	Complaints []string       `json:"complaints"`
	Ended      string         `json:"ended"`
}

func TestBareSDK(t *testing.T) {
	t.Parallel()
	checkSDK(t, nil)
}

func TestBridgeSDK(t *testing.T) {
	t.Parallel()
	checkSDK(t, &bridge{policies: noRules})
}

// checkSDK lets the official SDK look at a session.
func checkSDK(t *testing.T, b *bridge) {
	t.Helper()
	wants := map[string]sdkSummary{
		"gemini": {
			Version: 1, Stops: []string{"end_turn", "end_turn", "end_turn"}, Text: "Written. Run. Called.",
			Requests: map[string]int{"fs/read_text_file": 2, "fs/write_text_file": 1, "session/request_permission": 3},
			// A call that is asked about is announced by the question.
			Updates:    []string{"tool_call_update"},
			Complaints: []string{},
		},
		"claude": {
			Version: 1, Stops: []string{"end_turn", "end_turn", "end_turn"}, Text: "Written. Run. Called.",
			Requests:   map[string]int{"session/request_permission": 3},
			Updates:    []string{"tool_call", "tool_call_update"},
			Complaints: []string{},
		},
	}
	for _, a := range []agent{gemini(), claude(1)} {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			r := assemble(t, a, options{bridge: b})
			got := r.sdk(
				model.Prompt(model.Step{Calls: []model.Call{{Act: model.Write, Path: r.path("sdk.txt"), Text: "text\n"}}},
					model.Step{Say: "Written. "}),
				model.Prompt(model.Step{Calls: []model.Call{{Act: model.Shell, Command: "touch sdk-shell.txt"}}},
					model.Step{Say: "Run. "}),
				model.Prompt(model.Step{Calls: []model.Call{
					{Act: model.MCP, Server: witnessName, Tool: witness.Magic, Arguments: json.RawMessage(`{"x":6}`)},
				}}, model.Step{Say: "Called."}),
			)
			// Agents are free to say how they are as they like.
			got.Updates = slices.DeleteFunc(got.Updates, func(kind string) bool { return !strings.HasPrefix(kind, "tool_call") })
			if want := "exit 0"; r.bridged && got.Ended != want {
				t.Errorf("the bridge ended with %q after its editor was closed, want %q", got.Ended, want)
			}
			got.Ended = ""
			if diff := cmp.Diff(wants[a.name], got); diff != "" {
				t.Errorf("what the SDK saw (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(map[string]string{"sdk.txt": "text\n", "sdk-shell.txt": ""}, r.files()); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]string{`magic_number {"x":6}`}, r.witnessed()); diff != "" {
				t.Errorf("calls of the editor's MCP server (-want +got):\n%s", diff)
			}
		})
	}
}

// sdk plays prompts through sdkclient.mjs.
func (r *rig) sdk(prompts ...string) sdkSummary {
	r.t.Helper()
	environment := make(map[string]string)
	for _, pair := range r.program.Environment {
		name, value, _ := strings.Cut(pair, "=")
		environment[name] = value
	}
	input, err := json.Marshal(map[string]any{
		"command": r.program.Arguments[0], "args": r.program.Arguments[1:], "env": environment, "cwd": r.work,
		"mcpServers": []any{map[string]any{
			"name": witnessName, "command": testBinary(r.t), "args": []string{},
			"env": []any{map[string]string{"name": witness.Environment, "value": r.seen}},
		}},
		"prompts": prompts,
		"grace":   r.grace().Milliseconds(),
	})
	if err != nil {
		r.t.Fatal(err)
	}
	script, err := filepath.Abs("sdkclient.mjs")
	if err != nil {
		r.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(r.t.Context(), patience)
	defer cancel()
	command := exec.CommandContext(ctx, node(r.t), script)
	command.Stdin = bytes.NewReader(input)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	command.WaitDelay = time.Second // what the client started may hold on to its standard error
	out, err := command.Output()
	left := endStrays(r.t, r.home)
	if r.bridged && len(left) > 0 {
		r.t.Errorf("processes of the agent outlived the bridge: %q", left)
	}
	var summary sdkSummary
	if err == nil {
		err = json.Unmarshal(out, &summary)
	}
	if err != nil {
		r.t.Fatalf("the SDK client: %v\n%s\n%s", err, out, stderr.Bytes())
	}
	return summary
}
