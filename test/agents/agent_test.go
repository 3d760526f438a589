//go:build agents

package agents

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// agent is a real agent, and the protocol version that it is spoken to in.
type agent struct {
	name    string // also of the subtests
	version int
	script  string // under node_modules
	native  bool   // the script is a program
	flags   []string
	// settings are files that it finds in its home directory.
	settings map[string]any
	files    func(model string) map[string]string // likewise, that name the model
	// environment is what it needs beside a home: keys that are no keys, and nothing that calls out.
	environment func(model, home string) map[string]string
}

// agents are those that every scenario is played with. The others are only there for their hooks.
func agents() []agent { return []agent{gemini(), claude(1), claude(2)} }

// often returns agents without those that a start costs seconds of a processor: opencode, and Claude a second time, in the
// draft of the protocol. They play a scenario of each kind, and all of them where A2A_ALL_AGENTS is 1.
func often[A interface{ costly() bool }](all []A) []A {
	if os.Getenv("A2A_ALL_AGENTS") == "1" {
		return all
	}
	return slices.DeleteFunc(all, A.costly)
}

func (a agent) costly() bool { return a.name == "opencode" || a.version == 2 }

func gemini() agent {
	return agent{
		name:    "gemini",
		version: 1,
		script:  "@google/gemini-cli/bundle/gemini.js",
		flags:   []string{"--acp", "-m", "gemini-2.5-pro"},
		settings: map[string]any{".gemini/settings.json": map[string]any{
			"security":  map[string]any{"auth": map[string]any{"selectedType": "gemini-api-key"}, "folderTrust": map[string]any{"enabled": false}},
			"general":   map[string]any{"enableAutoUpdate": false, "enableAutoUpdateNotification": false, "maxAttempts": 1},
			"privacy":   map[string]any{"usageStatisticsEnabled": false},
			"telemetry": map[string]any{"enabled": false},
		}},
		environment: func(model, _ string) map[string]string {
			return map[string]string{
				"GEMINI_API_KEY":         "none",
				"GOOGLE_GEMINI_BASE_URL": model,
				"GEMINI_CLI_NO_RELAUNCH": "1", // else a second process stands between us and the agent
			}
		},
	}
}

func claude(version int) agent {
	name := "claude"
	if version == 2 {
		name = "claude-protocol-2"
	}
	return agent{
		name:    name,
		version: version,
		script:  "@agentclientprotocol/claude-agent-acp/dist/index.js",
		environment: func(model, home string) map[string]string {
			return map[string]string{
				"CLAUDE_CONFIG_DIR":                        filepath.Join(home, ".claude"),
				"ANTHROPIC_BASE_URL":                       model,
				"ANTHROPIC_API_KEY":                        "none",
				"ANTHROPIC_MODEL":                          "claude-sonnet-4-5",
				"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
				"CLAUDE_CODE_MAX_RETRIES":                  "0",
				"DISABLE_AUTOUPDATER":                      "1",
				"DISABLE_ERROR_REPORTING":                  "1",
				"DISABLE_TELEMETRY":                        "1",
				"ENABLE_TOOL_SEARCH":                       "false", // else the model is not offered the tools of MCP servers
			}
		},
	}
}

func codex() agent {
	return agent{
		name:    "codex",
		version: 1,
		script:  "@agentclientprotocol/codex-acp/dist/index.js",
		files: func(model string) map[string]string {
			return map[string]string{".codex/config.toml": `model = "fake"
model_provider = "fake"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.fake]
name = "fake"
base_url = "` + model + `/v1"
wire_api = "responses"
env_key = "OPENAI_API_KEY"
request_max_retries = 0
stream_max_retries = 0
supports_websockets = false
`}
		},
		environment: func(_, home string) map[string]string {
			return map[string]string{
				"CODEX_HOME":         filepath.Join(home, ".codex"),
				"OPENAI_API_KEY":     "none",
				"MODEL_PROVIDER":     "fake",
				"NO_BROWSER":         "1",
				"INITIAL_AGENT_MODE": "agent-full-access", // its own sandbox cannot be made everywhere
			}
		},
	}
}

func opencode() agent {
	system := runtime.GOOS + "-" + map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	return agent{
		name:    "opencode",
		version: 1,
		script:  "opencode-" + system + "/bin/opencode",
		native:  true,
		flags:   []string{"acp"},
		environment: func(model, _ string) map[string]string {
			return map[string]string{
				"OPENCODE_CONFIG_CONTENT": `{"model":"fake/fake","small_model":"fake/fake","enabled_providers":["fake"],
					"share":"disabled","provider":{"fake":{"npm":"@ai-sdk/openai-compatible","name":"fake",
					"options":{"baseURL":"` + model + `/v1","apiKey":"none"},
					"models":{"fake":{"name":"fake","tool_call":true,"limit":{"context":100000,"output":8000}}}}}}`,
				"OPENCODE_DISABLE_AUTOUPDATE":      "1",
				"OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
				"OPENCODE_DISABLE_LSP_DOWNLOAD":    "1",
				"OPENCODE_DISABLE_MODELS_FETCH":    "1",
				"OPENCODE_DISABLE_SHARE":           "1",
			}
		},
	}
}

// command returns the words that start the agent.
func (a agent) command(t *testing.T) []string {
	t.Helper()
	if a.native && runtime.GOOS+"/"+runtime.GOARCH != "linux/amd64" {
		t.Skipf("found %s/%s, wanted linux/amd64: package-lock.json has %s for no other", runtime.GOOS, runtime.GOARCH, a.name)
	}
	script := installed(t, filepath.FromSlash(a.script))
	if a.native {
		return append([]string{script}, a.flags...)
	}
	return append([]string{node(t), script}, a.flags...)
}

// install writes the agent's settings into its home, and gives its environment.
func (a agent) install(t *testing.T, home, temp, model string) []string {
	t.Helper()
	for name, value := range a.settings {
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(home, name), string(text))
	}
	if a.files != nil {
		for name, text := range a.files(model) {
			write(t, filepath.Join(home, name), text)
		}
	}
	cache, err := codeCache()
	if err != nil {
		t.Fatal(err)
	}
	environment := []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + temp, "LANG=C.UTF-8", "TERM=dumb", "NO_COLOR=1", "NODE_COMPILE_CACHE=" + cache,
	}
	for name, value := range a.environment(model, home) {
		environment = append(environment, name+"="+value)
	}
	return environment
}

// node returns the Node.js that agents and SDK run on. Claude's adapter needs 22, and no agent shall depend
// on what else is on the machine: on Linux, npm installs one (package.json). Elsewhere it must be on PATH.
func node(t *testing.T) string {
	t.Helper()
	if runtime.GOOS == "linux" {
		return installed(t, filepath.Join("node-linux-"+map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH], "bin", "node"))
	}
	path, err := exec.LookPath("node")
	if err != nil {
		t.Fatalf("%v (install Node.js 22 or newer)", err)
	}
	out, err := exec.Command(path, "--print", "process.versions.node.split('.')[0]").Output()
	if err != nil {
		t.Fatal(err)
	}
	if major, err := strconv.Atoi(strings.TrimSpace(string(out))); err != nil || major < 22 {
		t.Fatalf("%s is Node.js %s; Claude's adapter needs 22 or newer", path, strings.TrimSpace(string(out)))
	}
	return path
}

// installed returns the absolute path of a file under node_modules.
func installed(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("node_modules", name))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%v (run `npm ci` in test/agents)", err)
	}
	return path
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
