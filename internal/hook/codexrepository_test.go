package hook

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCheckCodex holds which settings of a repository's let a session begin.
func TestCheckCodex(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, file, text, want string }{
		{"none", "README.md", "", ""},
		{"harmless", ".codex/config.toml", "# [mcp_servers]\nmodel = \"a\"\napproval_policy = 'never' # [\nproject_doc_fallback_filenames = [\n  \"A.md\", 'B.md',\n]\n\n[features]\nhooks = false\n[[hooks.PreToolUse]]\nmatcher = \"*\"\n", ""},
		{"hooks, which stay off", ".codex/hooks.json", "{}", ""},
		{"a server", ".codex/config.toml", "[mcp_servers.x]\ncommand = \"y\"\n", "has mcp_servers.x.command"},
		{"above", "../.codex/config.toml", "[mcp_servers.x]\ncommand = \"y\"\n", "has mcp_servers.x.command"},
		{"a server in one line", ".codex/config.toml", "mcp_servers = {x = {command = \"y\"}}\n", "cannot be told"},
		{"a server by dots", ".codex/config.toml", "mcp_servers.x.command = \"y\"\n", "has mcp_servers.x.command"},
		{"a server in quotes", ".codex/config.toml", "\"mcp_servers\".x.command = \"y\"\n", "cannot be told"},
		{"a table in quotes", ".codex/config.toml", "[\"mcp_servers\".x]\ncommand = \"y\"\n", "cannot be told"},
		{"a table between blanks", ".codex/config.toml", "[ mcp_servers . x ]\ncommand = \"y\"\n", "cannot be told"},
		{"behind a text of several lines", ".codex/config.toml", "model = \"\"\"\n[features]\n\"\"\"\nmcp_servers.x.command = \"y\"\n", "cannot be told"},
		{"a server in a harmless table", ".codex/config.toml", "tui = {}\n", "cannot be told"},
		{"variables", ".codex/config.toml", "[shell_environment_policy.set]\nBASH_ENV = \"x\"\n", "has shell_environment_policy.set.BASH_ENV"},
		{"another feature", ".codex/config.toml", "[features]\njs_repl = true\n", "has features.js_repl"},
		{"what it reaches", ".codex/config.toml", "[sandbox_workspace_write]\nnetwork_access = true\n", "has sandbox_workspace_write.network_access"},
		{"the web", ".codex/config.toml", "web_search = \"live\"\n", "has web_search"},
		{"no TOML", ".codex/config.toml", "{\n", "cannot be told"},
		{"agents", ".codex/agents/x.toml", "", "agents holds agents"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "repository", "dir")
			file := filepath.Join(dir, test.file)
			for _, made := range []string{dir, filepath.Dir(file)} {
				if err := os.MkdirAll(made, 0o700); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(file, []byte(test.text), 0o600); err != nil {
				t.Fatal(err)
			}
			err := checkCodex(dir, nil)
			if got := err != nil; got != (test.want != "") || got && !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}
