package agents

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func write(t *testing.T, path, text string, mode os.FileMode, when time.Time) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, when, when); err != nil {
		t.Fatal(err)
	}
}

func onPath(programs map[string]string) func(string) (string, error) {
	return func(name string) (string, error) {
		if path, ok := programs[name]; ok {
			return path, nil
		}
		return "", errors.New("no " + name)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	old, recent := time.Unix(1000, 0), time.Unix(2000, 0)
	home := t.TempDir()
	zed := filepath.Join(home, ".local/share/zed")
	gemini := func(version string) string {
		return filepath.Join(zed, "external_agents/gemini", version, "node_modules/@google/gemini-cli")
	}
	for version, when := range map[string]time.Time{"0.60.0": old, "0.61.0": recent} {
		write(t, gemini(version)+"/package.json", `{"bin":{"gemini":"bundle/gemini.js"}}`, 0o644, when)
		write(t, gemini(version)+"/bundle/gemini.js", "", 0o644, when)
	}
	codex := filepath.Join(zed, "external_agents/registry/codex-acp/v_2.6.0/codex-acp")
	write(t, codex, "", 0o755, old)
	write(t, filepath.Join(zed, "node/node-v24/bin/node"), "", 0o755, old)
	evil := filepath.Join(zed, "external_agents/claude/1/node_modules/@agentclientprotocol/claude-agent-acp")
	write(t, evil+"/package.json", `{"bin":{"claude-agent-acp":"../../../../../../../../../../bin/sh"}}`, 0o644, old)

	tests := map[string]struct {
		path  map[string]string
		agent string
		want  []string
		err   string
	}{
		"on PATH":                       {map[string]string{"gemini": "/usr/bin/gemini"}, "gemini", []string{"/usr/bin/gemini", "--acp"}, ""},
		"Zed's newest, with its node":   {nil, "gemini", []string{filepath.Join(zed, "node/node-v24/bin/node"), gemini("0.61.0") + "/bundle/gemini.js", "--acp"}, ""},
		"Zed's, with the node on PATH":  {map[string]string{"node": "/n/node"}, "gemini", []string{"/n/node", gemini("0.61.0") + "/bundle/gemini.js", "--acp"}, ""},
		"a program from Zed's registry": {nil, "codex", []string{codex}, ""},
		"a manifest that points away":   {nil, "claude", nil, "npm install -g @agentclientprotocol/claude-agent-acp"},
		"nowhere":                       {nil, "opencode", nil, "npm install -g opencode-ai"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			agent, ok := ByName(tt.agent)
			if !ok {
				t.Fatalf("no agent %q", tt.agent)
			}
			got, err := Finder{LookPath: onPath(tt.path), Home: home}.Find(agent)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if tt.err == "" && err != nil {
				t.Errorf("error %v", err)
			}
			if tt.err != "" && (!errors.Is(err, ErrNotFound) || !strings.HasSuffix(err.Error(), tt.err)) {
				t.Errorf("error %v, want the install line at its end", err)
			}
		})
	}
}

func TestByCommand(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		command []string
		want    string
	}{
		"program":       {[]string{"/usr/bin/gemini", "--acp"}, "gemini"},
		"script":        {[]string{"node", "/x/node_modules/@agentclientprotocol/codex-acp/dist/index.js"}, "codex"},
		"somebody else": {[]string{"my-agent"}, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, _ := ByCommand(tt.command); got.Name != tt.want {
				t.Errorf("%v is %q, want %q", tt.command, got.Name, tt.want)
			}
		})
	}
}

// TestHolds asks of every agent, by its own names too, what it does without asking.
func TestHolds(t *testing.T) {
	t.Parallel()
	for _, agent := range Known() {
		for _, kind := range []string{"read", "search", "write", "execute"} {
			held := Holds("@vendor/"+strings.ToUpper(agent.Name)+"-cli", kind)
			if held.But == "" || held.But != agent.UnaskedActs[kind] || !strings.Contains(held.Cure, "--confine "+agent.Name) ||
				strings.Contains(held.Cure, "--hooks=off") != (agent.Hooks != "") {
				t.Errorf("%s, %s: %+v", agent.Name, kind, held)
			}
		}
	}
	if held := Holds("another", "read"); held.But == "" || held.Cure == "" {
		t.Errorf("of one that is not known: %+v", held)
	}
}

// A rule that is written for an agent is for it in an editor and in a terminal, where it has another name.
func TestPattern(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"@agentclientprotocol/claude-agent-acp": "*claude*", "claude": "*claude*", "gemini-cli": "*gemini*", "OpenCode": "*opencode*",
		"codex-acp": "*codex*", "fake": "", "": "",
	} {
		if got := Pattern(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

// Only a name that is known gives way to a shorter one: nobody is taken for somebody else.
func TestShort(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"@agentclientprotocol/claude-agent-acp": "claude", "claude-agent-acp": "claude", "claude": "claude", "gemini-cli": "gemini",
		"@agentclientprotocol/codex-acp": "codex", "opencode": "opencode", "@evil/claude-agent-acp": "@evil/claude-agent-acp", "my claude": "my claude",
		"": "",
	} {
		if got := Short(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
