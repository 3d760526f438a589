package hook

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestGeminiRules(t *testing.T) {
	t.Parallel()
	dir, home := t.TempDir(), t.TempDir()
	at := Endpoint{Socket: filepath.Join(dir, "socket")}
	ours := []string{"--admin-policy", filepath.Join(dir, "ask.toml")}
	words, err := geminiRules([]string{"HOME=" + home}, at)
	if err != nil || !slices.Equal(words, ours) {
		t.Errorf("without rules of the person's: %q, %v", words, err)
	}
	if text, err := os.ReadFile(words[1]); err != nil || string(text) != geminiPolicy {
		t.Errorf("%q, %v", text, err)
	}
	theirs := filepath.Join(home, ".gemini", "policies")
	if err := os.MkdirAll(theirs, 0o700); err != nil {
		t.Fatal(err)
	}
	words, err = geminiRules([]string{"HOME=/nowhere", "GEMINI_CLI_HOME=" + home}, at)
	if err != nil || !slices.Equal(words, append(ours, "--admin-policy", theirs)) {
		t.Errorf("with rules of the person's: %q, %v", words, err)
	}
}

func TestGeminiChecks(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"mcpServers":{"a":{"command":"a"}}, // as it is
			"tools":{"allowed":["run_shell_command"]},}`: "",
		`{"mcpServers":{"a":{"trust":false}}}`:                "",
		`{"mcpServers":{"a":{"trust":true}}}`:                 `trusts the MCP server "a"`,
		`{"mcpServers":{"a":{"trust":"$T"}}}`:                 `trusts the MCP server "a"`,
		`{"mcpServers":{"a":{"trust":true,"Trust":false}}}`:   `trusts the MCP server "a"`,
		`{"mcpServers":{"a":{"trust":true}},"MCPServers":{}}`: `trusts the MCP server "a"`,
		`{"mcpServers":{"a":{"Trust":true}}}`:                 "",
		`{"tools":{"discoveryCommand":"make tools"}}`:         "has discoveryCommand",
		`{"tools":{"callCommand":"./call"}}`:                  "has callCommand",
		`{"mcp":{"serverCommand":"./serve"}}`:                 "has serverCommand",
		`{"toolDiscoveryCommand":"make tools"}`:               "has toolDiscoveryCommand",
		`{"tools":[]}`:                                        "cannot be read",
		`{"mcpServers":[]}`:                                   "cannot be read",
		`{`:                                                   "cannot be read",
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, ".gemini", "settings.json")
		if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := checkGemini(dir, []string{"HOME=/home/x"}); want == "" && err != nil ||
			want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
		if err := checkGemini(dir, []string{"HOME=" + dir}); err != nil {
			t.Errorf("the person's own settings: %v", err)
		}
	}
	if err := checkGemini(t.TempDir(), nil); err != nil {
		t.Errorf("without settings: %v", err)
	}
}
