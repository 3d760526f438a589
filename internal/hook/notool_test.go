package hook

import (
	"encoding/json"
	"testing"
)

// TestNoTool shows cards of Claude and Codex, and whether a hook was to ask.
func TestNoTool(t *testing.T) {
	t.Parallel()
	const compacted = "Compact conversation"
	tests := map[string]struct {
		agent Agent
		card  Card
		want  bool
	}{
		"claude makes its conversation shorter":    {claude, Card{Title: compacted, Kind: "think"}, true},
		"claude has an agent do what is called so": {claude, Card{Title: compacted, Kind: "think", Name: "Agent", Input: json.RawMessage(`{}`)}, false},
		"claude runs a command that is called so":  {claude, Card{Title: compacted, Kind: "execute"}, false},
		"claude recalls":                               {claude, Card{Title: "Recalled 3 memories", Kind: "read"}, true},
		"claude recalls one":                           {claude, Card{Title: "Recalled 1 memory", Kind: "read"}, true},
		"claude reads a file":                          {claude, Card{Title: "Recalled 1 memory", Kind: "read", Name: "Read"}, false},
		"claude calls a tool wrongly":                  {claude, Card{Title: "ls", Kind: "execute", Name: "Bash", Failure: "<tool_use_error>no</tool_use_error>"}, true},
		"claude's command fails":                       {claude, Card{Title: "ls", Kind: "execute", Name: "Bash", Failure: "Exit code 1"}, false},
		"codex makes its conversation shorter":         {codex, Card{Title: compacted, Kind: "think"}, true},
		"codex' model searches the web":                {codex, Card{Title: "Web search: x", Kind: "search", Input: json.RawMessage(`{"type":"webSearch","query":"x"}`)}, true},
		"codex runs a command that searches":           {codex, Card{Title: "rg x", Kind: "search", Input: json.RawMessage(`{"command":"rg x","cwd":"/w"}`)}, false},
		"codex runs a command that is called a search": {codex, Card{Title: "Web search: x", Kind: "search"}, false},
		"codex' model makes an image":                  {codex, Card{Title: "Image generation", Kind: "other", Input: json.RawMessage(`{"id":"i"}`)}, true},
		"codex runs a command":                         {codex, Card{Title: "ls", Kind: "execute"}, false},
		"opencode runs a command":                      {opencode, Card{Title: compacted, Kind: "think"}, false},
	}
	for name, test := range tests {
		if got := test.agent.NoTool(test.card); got != test.want {
			t.Errorf("%s: got %t, want %t", name, got, test.want)
		}
	}
}
