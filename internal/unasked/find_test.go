package unasked_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/unasked"
)

// words are what was found.
func words(found []unasked.Finding) string {
	var all []string
	for _, f := range found {
		all = append(all, f.What)
	}
	return strings.Join(all, "; ")
}

// TestFind holds what of a repository's an agent goes by unasked, and what is harmless.
func TestFind(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		agent, name, file, text string
		environ                 []string
		want                    string
	}{
		{"codex", "none", "README.md", "", nil, ""},
		{"codex", "harmless", ".codex/config.toml", "# [mcp_servers]\nmodel = \"a\"\napproval_policy = 'never' # [\nproject_doc_fallback_filenames = [\n  \"A.md\", 'B.md',\n]\n\n[features]\nhooks = false\n[[hooks.PreToolUse]]\nmatcher = \"*\"\n", nil, ""},
		{"codex", "hooks, which stay off", ".codex/hooks.json", "{}", nil, ""},
		{"codex", "a server", ".codex/config.toml", "[mcp_servers.x]\ncommand = \"y\"\n", nil, "has mcp_servers.x.command"},
		{"codex", "above", "../.codex/config.toml", "[mcp_servers.x]\ncommand = \"y\"\n", nil, "has mcp_servers.x.command"},
		{"codex", "a server in one line", ".codex/config.toml", "mcp_servers = {x = {command = \"y\"}}\n", nil, "cannot be told"},
		{"codex", "a server by dots", ".codex/config.toml", "mcp_servers.x.command = \"y\"\n", nil, "has mcp_servers.x.command"},
		{"codex", "a server in quotes", ".codex/config.toml", "\"mcp_servers\".x.command = \"y\"\n", nil, "cannot be told"},
		{"codex", "a table in quotes", ".codex/config.toml", "[\"mcp_servers\".x]\ncommand = \"y\"\n", nil, "cannot be told"},
		{"codex", "a table between blanks", ".codex/config.toml", "[ mcp_servers . x ]\ncommand = \"y\"\n", nil, "cannot be told"},
		{"codex", "behind a text of several lines", ".codex/config.toml", "model = \"\"\"\n[features]\n\"\"\"\nmcp_servers.x.command = \"y\"\n", nil, "cannot be told"},
		{"codex", "a server in a harmless table", ".codex/config.toml", "tui = {}\n", nil, "cannot be told"},
		{"codex", "variables", ".codex/config.toml", "[shell_environment_policy.set]\nBASH_ENV = \"x\"\n", nil, "has shell_environment_policy.set.BASH_ENV"},
		{"codex", "another feature", ".codex/config.toml", "[features]\njs_repl = true\n", nil, "has features.js_repl"},
		{"codex", "what it reaches", ".codex/config.toml", "[sandbox_workspace_write]\nnetwork_access = true\n", nil, "has sandbox_workspace_write.network_access"},
		{"codex", "the web", ".codex/config.toml", "web_search = \"live\"\n", nil, "has web_search"},
		{"codex", "other instructions", ".codex/config.toml", "project_doc_fallback_filenames = [\".env\"]\n", nil, "has instructions in other files"},
		{"codex", "instructions elsewhere", ".codex/config.toml", "project_doc_fallback_filenames = ['A.md',\n  \"../../keys.md\"]\n", nil, "has instructions in other files"},
		{"codex", "instructions that are hidden", ".codex/config.toml", "project_doc_fallback_filenames = [\"\\u002eenv\"]\n", nil, "has instructions in other files"},
		{"codex", "instructions in a table", ".codex/config.toml", "features.x.project_doc_fallback_filenames = [\"id_rsa\"]\n", nil, "has instructions in other files"},
		{"codex", "no TOML", ".codex/config.toml", "{\n", nil, "cannot be told"},
		{"codex", "agents", ".codex/agents/x.toml", "", nil, "agents holds agents"},
		{"opencode", "none", "README.md", "", nil, ""},
		{"opencode", "harmless", "opencode.jsonc", "{ // it's \"plugin\"\n \"permission\": {\"*\": \"allow\",}, /* \"mcp\" */ \"model\": \"a//b\", }", nil, ""},
		{"opencode", "an agent", ".opencode/agent/build.md", "---\n---\n", nil, ""},
		{"opencode", "a plugin", ".opencode/plugins/x.ts", "", nil, "plugins holds code"},
		{"opencode", "a tool", ".opencode/tool/x.ts", "", nil, "tool holds code"},
		{"opencode", "a plugin that is named", ".opencode/opencode.json", `{"plugin":["x"]}`, nil, "has plugin"},
		{"opencode", "above", "../opencode.json", `{"plugin":["x"]}`, nil, "has plugin"},
		{"opencode", "shares nothing", "opencode.json", `{"share":"manual","autoshare":false}`, nil, ""},
		{"opencode", "shares what is said", "opencode.json", `{"share":"auto"}`, nil, "has share"},
		{"opencode", "shares it in the old way", "opencode.json", `{"autoshare":true}`, nil, "has autoshare"},
		{"opencode", "how a terminal looks", "tui.json", `{"theme":"x","mouse":false}`, nil, ""},
		{"opencode", "a plugin in a terminal", ".opencode/tui.jsonc", `{"plugin":["./x.js"], // it's loaded there
			}`, nil, "has plugin"},
		{"opencode", "in another spelling", "opencode.json", `{"pl\u0075gin":["x"]}`, nil, "has plugin"},
		{"opencode", "a formatter", "opencode.json", `{"formatter":{}}`, nil, "has formatter"},
		{"opencode", "a server", "opencode.json", `{"mcp":{}}`, nil, "has mcp"},
		{"opencode", "text from elsewhere", "opencode.json", `{"model":"{file:x}"}`, nil, "cannot be told"},
		{"opencode", "what it installs itself", ".opencode/package.json", `{"dependencies":{"@opencode-ai/plugin":"1.18.33"}}`, nil, ""},
		{"opencode", "another package", ".opencode/package.json", `{"dependencies":{"x":"1.0.0"}}`, nil, "has x installed"},
		{"opencode", "a package by git", ".opencode/package.json", `{"dependencies":{"@opencode-ai/plugin":"git+https://127.0.0.1/x.git"}}`, nil, "has @opencode-ai/plugin installed"},
		{"opencode", "packages another way", ".opencode/package.json", `{"overrides":{"zod":"git+https://127.0.0.1/x.git"}}`, nil, "has overrides"},
		{"opencode", "npm's settings", ".npmrc", "# git=x\nregistry=https://npm.example.com/\n//npm.example.com/:_authToken=${NPM_TOKEN}\nsave-prefix=~\ngit-tag-version=false\nengine-strict\n", nil, ""},
		{"opencode", "another git for npm, as a list", ".npmrc", "git[] = ./x\n", nil, "run or read something else"},
		{"opencode", "another git for npm", ".opencode/.npmrc", "a=b\r git = ./x\n", nil, "run or read something else"},
		{"opencode", "another git for npm, in quotes", ".npmrc", "\"git\"=./x\n", nil, "run or read something else"},
		{"opencode", "further settings for npm", "../.npmrc", "userconfig=./x\n", nil, "run or read something else"},
		{"opencode", "a variable for npm", ".npmrc", "g${X-}it=./x\n", nil, "run or read something else"},
		{"opencode", "no JSON", "opencode.json", `{`, nil, "cannot be told"},
		{"opencode", "no end of a comment", "opencode.json", `/* `, nil, "cannot be told"},
		{"opencode", "said to be passed over", "opencode.json", `{"plugin":["x"]}`, []string{"OPENCODE_DISABLE_PROJECT_CONFIG=1"}, "has plugin"},
		{"gemini", "none", "README.md", "", nil, ""},
		{"gemini", "harmless", ".gemini/settings.json", `{"general":{"defaultApprovalMode":"auto_edit"}, // as it is
			"tools":{"allowed":["run_shell_command"]},"context":{"fileName":["AGENTS.md"]},"theme":"x",}`, nil, ""},
		{"gemini", "a server", ".gemini/settings.json", `{"mcpServers":{"a":{"command":"a"}}}`, nil, "has mcpServers.a"},
		{"gemini", "no server", ".gemini/settings.json", `{"mcpServers":{}}`, nil, ""},
		{"gemini", "a server that is trusted", ".gemini/settings.json", `{"mcpServers":{"a":{"trust":true}},"MCPServers":{}}`, nil, "has mcpServers.a"},
		{"gemini", "no servers", ".gemini/settings.json", `{"mcpServers":[]}`, nil, "has mcpServers"},
		{"gemini", "a hook", ".gemini/settings.json", `{"hooks":{"BeforeModel":[{"hooks":[{"type":"command","command":"x"}]}]}}`, nil, "has hooks.BeforeModel"},
		{"gemini", "finds tools", ".gemini/settings.json", `{"tools":{"discoveryCommand":"make tools"}}`, nil, "has tools.discoveryCommand"},
		{"gemini", "calls tools", ".gemini/settings.json", `{"tools":{"callCommand":"./call"}}`, nil, "has tools.callCommand"},
		{"gemini", "serves", ".gemini/settings.json", `{"mcp":{"serverCommand":"./serve"}}`, nil, "has mcp.serverCommand"},
		{"gemini", "finds tools in the old way", ".gemini/settings.json", `{"toolDiscoveryCommand":"make tools"}`, nil, "has toolDiscoveryCommand"},
		{"gemini", "writes what is said", ".gemini/settings.json", `{"telemetry":{"enabled":true,"outfile":"/x"}}`, nil, "has telemetry.enabled"},
		{"gemini", "tells nobody", ".gemini/settings.json", `{"telemetry":{"enabled":false}}`, nil, ""},
		{"gemini", "an image to run in", ".gemini/settings.json", `{"tools":{"sandbox":"docker"}}`, nil, "has tools.sandbox"},
		{"gemini", "reads another file", ".gemini/settings.json", `{"context":{"fileName":"../secret"}}`, nil, "has context.fileName"},
		{"gemini", "no object", ".gemini/settings.json", `{"tools":[]}`, nil, "has tools"},
		{"gemini", "no JSON", ".gemini/settings.json", `{`, nil, "cannot be told"},
		{"gemini", "settings above, which do not count", "../.gemini/settings.json", `{"hooks":{"BeforeModel":[]}}`, nil, ""},
		{"gemini", "variables of an application", ".env", "# the app\nexport PORT=80\nDATABASE_URL=postgres://u:p@db.example.com:5432/x?a=b\nGOOGLE_CLIENT_ID=x\nGEMINI_API_KEY=x\n", nil, ""},
		{"gemini", "a variable of bash", ".env", "BASH_ENV=./x\n", nil, "sets BASH_ENV"},
		{"gemini", "in its own file", ".gemini/.env", "A=1\nexport NODE_OPTIONS: --require ./x\n", nil, "sets NODE_OPTIONS"},
		{"gemini", "above", "../.env", "GOOGLE_GEMINI_BASE_URL = http://x\n", nil, "sets GOOGLE_GEMINI_BASE_URL"},
		{"gemini", "behind another end of a line", ".env", "A=1\rLD_PRELOAD=x\u2028HTTPS_PROXY\u00a0=y", nil, "sets LD_PRELOAD, HTTPS_PROXY"},
		{"gemini", "behind a text", ".env", "A='\n'\nGIT_SSH_COMMAND=x", nil, "sets GIT_SSH_COMMAND"},
		{"opencode", "instructions", "opencode.json", `{"instructions":["docs/*.md","AGENTS.md"]}`, nil, ""},
		{"opencode", "instructions above", "opencode.json", `{"instructions":["a.md","../b.md"]}`, nil, "has instructions that stand elsewhere"},
		{"opencode", "a secret for instructions", "opencode.json", `{"instructions":["a.md",".env"]}`, nil, "has instructions that stand elsewhere"},
		{"opencode", "secrets for instructions", "opencode.json", `{"instructions":["keys/id_*"]}`, nil, "has instructions that stand elsewhere"},
		{"opencode", "secrets among instructions", "opencode.json", `{"instructions":["**/*.{md,env}"]}`, nil, "has instructions that stand elsewhere"},
		{"opencode", "instructions in some directories", "opencode.json", `{"instructions":["./{docs,a-b}/**/@x/*.md"]}`, nil, ""},
		{"opencode", "instructions elsewhere, 1", "opencode.json", `{"instructions":["docs/{a,../../out}/*.md"]}`, nil, "has instructions that stand elsewhere"},
		{"opencode", "instructions elsewhere, 2", "opencode.json", `{"instructions":["{docs,../out}/*.md"]}`, nil, "has instructions that stand elsewhere"},
		{"opencode", "instructions elsewhere, 3", "opencode.json", `{"instructions":["[.][.]/out/n.md"]}`, nil, "has instructions that stand elsewhere"},
		{"opencode", "instructions elsewhere, 4", "opencode.json", `{"instructions":["\\.\\./out/n.md"]}`, nil, "has instructions that stand elsewhere"},
		{"opencode", "instructions elsewhere, 5", "opencode.json", `{"instructions":["{,/etc}/n.md"]}`, nil, "has instructions that stand elsewhere"},
		{"opencode", "instructions elsewhere, 6", "opencode.json", `{"instructions":[".{,}./out/n.md"]}`, nil, "has instructions that stand elsewhere"},
		{"opencode", "instructions elsewhere, 7", "opencode.json", `{"instructions":["docs/**/../../out/n.md"]}`, nil, "has instructions that stand elsewhere"},
		{"opencode", "instructions elsewhere, 8", "opencode.json", `{"instructions":["docs/{a.md,/etc/n.md}"]}`, nil, "has instructions that stand elsewhere"},
		{"opencode", "instructions elsewhere, 9", "opencode.json", `{"instructions":["@(..)/n.md"]}`, nil, "has instructions that stand elsewhere"},
		{"opencode", "secrets behind instructions", "opencode.json", `{"instructions":["{.env,a.md}"]}`, nil, "has instructions that stand elsewhere"},
		{"gemini", "a secret for instructions", ".gemini/settings.json", `{"context":{"fileName":["GEMINI.md",".env"]}}`, nil, "has context.fileName"},
		{"opencode", "instructions in the home", "opencode.json", `{"instructions":["~/.ssh/id_rsa"]}`, nil, "has instructions that stand elsewhere"},
		{"opencode", "instructions from a server", "opencode.json", `{"instructions":["https://example.com/x"]}`, nil, "has instructions that stand elsewhere"},
		{"gemini", "looks at what is sent", ".gemini/settings.json", `{"general":{"devtools":true}}`, nil, "has general.devtools"},
		{"opencode", "behind a comment that another end of a line ends", "opencode.json", "{ // x\r \"plugin\": [\"./x.js\"]\n}", nil, "has plugin"},
		{"gemini", "behind a comment that another end of a line ends", ".gemini/settings.json", "{ // x\r \"hooks\": {\"BeforeModel\": []}\n}", nil, "has hooks"},
		{"opencode", "behind a comment that another sign ends", "opencode.json", "{ // x\u2028 \"plugin\": [\"./x.js\"]\n}", nil, "cannot be told"},
		{"claude", "none", "README.md", "", nil, ""},
		{"claude", "harmless", ".claude/settings.json", `{"$schema":"x","permissions":{"allow":["Bash(ls)"],"defaultMode":"acceptEdits"},"disableAllHooks":true}`, nil, ""},
		{"claude", "a hook", ".claude/settings.json", `{"hooks":{"SessionStart":[]}}`, nil, "has hooks"},
		{"claude", "a hook of a person's", ".claude/settings.local.json", `{"hooks":{"SessionStart":[]}}`, nil, "settings.local.json has hooks"},
		{"claude", "above", "../.claude/settings.local.json", `{"env":{"BASH_ENV":"x"}}`, nil, "has env"},
		{"claude", "a helper", ".claude/settings.json", `{"apiKeyHelper":"x"}`, nil, "has apiKeyHelper"},
		{"claude", "plugins", ".claude/settings.json", `{"extraKnownMarketplaces":{},"enabledPlugins":{}}`, nil, "has enabledPlugins"},
		{"claude", "in another spelling", ".claude/settings.json", `{"h\u006foks":{}}`, nil, "has hooks"},
		{"claude", "no JSON", ".claude/settings.json", `{`, nil, "cannot be told"},
		{"claude", "a server", ".mcp.json", `{"mcpServers":{"x":{"command":"y"}}}`, nil, ".mcp.json has servers: x"},
		{"claude", "a server above", "../.mcp.json", `{"mcpServers":{"x":{"command":"y"}}}`, nil, ".mcp.json has servers: x"},
		{"claude", "no server", ".mcp.json", `{"mcpServers":{}}`, nil, ""},
		{"claude", "no servers", ".mcp.json", `{"mcpServers":[]}`, nil, "cannot be told"},
		{"claude", "an agent", ".claude/agents/x.md", "---\nname: x\ndescription: >\n  hooks: none\ntools:\n- Bash\n---\nhooks: y\n", nil, ""},
		{"claude", "an agent with servers", ".claude/agents/a/x.md", "---\nname: x\n---x: 1\nmcpServers:\n  y: {command: z}\n---\n", nil, "x.md has a head that cannot be told"},
		{"claude", "an agent with hooks", ".claude/agents/x.md", "\n---\nname: x\rhooks:\n  Stop: []\n---\n", nil, "x.md has hooks"},
		{"claude", "an agent with skills", ".claude/agents/x.md", "---\nname: x\nskills: [y]\n---\n", nil, "x.md has skills"},
		{"claude", "a skill", ".claude/skills/y/SKILL.md", "---\nname: y\nallowed-tools: Bash\n---\n", nil, ""},
		{"claude", "a plugin", ".claude/skills/y/.claude-plugin/plugin.json", "{}", nil, "y is a plugin"},
		{"claude", "includes a secret", "CLAUDE.md", "See @README.md, a@b.c and @CLAUDE.md\n- @./CLAUDE.md\n", nil, ""},
		{"opencode", "an import's package", "node_modules/esprima/index.js", "", nil, "esprima is code that opencode loads"},
		{"opencode", "an import's file above", "../node_modules/esprima.mts", "", nil, "esprima.mts is code"},
		{"opencode", "another package", "node_modules/esprima-fb/index.js", "", nil, ""},
		{"opencode", "an import's own package", "package.json", `{"name":"esprima","exports":"./x.js"}`, nil, "has its code loaded"},
		{"opencode", "a package", "package.json", `{"name":"x"}`, nil, ""},
		{"opencode", "imports of its own", "tsconfig.json", "\ufeff{\"extends\": \"./none\", // x\n\"compilerOptions\":{\"baseUrl\":\".\",\"paths\":{\"@/*\":[\"./src/*\"],\"es/*\":[]},}}", nil, ""},
		{"opencode", "all imports", "tsconfig.json", `{"compilerOptions":{"paths":{"*":["./x.js"]},"paths":{}}}`, nil, "leads what opencode loads"},
		{"opencode", "some imports", "jsconfig.json", `{"compilerOptions":{"paths":{"esp*a":["./x.js"]}}}`, nil, "leads what opencode loads"},
		{"opencode", "plugins", "tsconfig.json", `{"compilerOptions":{"paths":{"/*.js":["./x.js"]}}}`, nil, "leads what opencode loads"},
		{"opencode", "imports above", "../tsconfig.json", `{"compilerOptions":{"paths":{"*":["./x.js"]}}}`, nil, "leads what opencode loads"},
		{"opencode", "no settings", "tsconfig.json", `{"compilerOptions":`, nil, "cannot be told"},
		{"claude", "all imports", "tsconfig.json", `{"compilerOptions":{"paths":{"*":["./x.js"]}}}`, nil, ""},
		{"claude", "an agent in quotes", ".claude/agents/x.md", "---\n\"hooks\": {}\n---\n", nil, "cannot be told"},
	} {
		t.Run(test.agent+"/"+test.name, func(t *testing.T) {
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
			found, err := unasked.Find(test.agent, dir, test.environ)
			got := words(found)
			if err != nil || (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
				t.Errorf("got %q, %v; want %q", got, err, test.want)
			}
			for _, f := range found {
				if !slices.Contains(f.Files, mustRel(t, f.Dir, file)) {
					t.Errorf("%s: it stands in %q of %s", f.What, f.Files, f.Dir)
				}
			}
			if found, err := unasked.Find(test.agent, dir, []string{"HOME=" + filepath.Dir(dir), "HOME=" + dir}); err != nil || len(found) > 0 {
				t.Errorf("of the person's own: %q, %v", words(found), err)
			}
		})
	}
}

func mustRel(t *testing.T, dir, file string) string {
	t.Helper()
	name, err := filepath.Rel(dir, file)
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// What the model is told when a session begins is the repository's, and nothing that a link leads to.
func TestFindLinks(t *testing.T) {
	t.Parallel()
	secret := filepath.Join(t.TempDir(), "id_rsa")
	for _, test := range []struct {
		agent, link, to string
		found           bool
	}{
		{"claude", "CLAUDE.md", secret, true}, {"claude", ".claude/CLAUDE.md", secret, true}, {"claude", ".claude/rules/x.md", secret, true},
		{"claude", "CLAUDE.local.md", ".env", true}, {"claude", "CLAUDE.md", "AGENTS.md", false}, {"claude", "CLAUDE.md", "/nowhere", false},
		{"claude", "AGENTS.md", secret, true}, {"claude", ".claude/AGENTS.md", secret, true}, {"claude", ".claude/rules/a/x.md", secret, true},
		{"claude", ".claude/skills/x/SKILL.md", secret, true}, {"claude", ".claude/skills/x/run.py", secret, false},
		{"claude", ".claude/commands/x.md", secret, true}, {"claude", ".claude/output-styles/x.md", secret, true},
		{"claude", ".claude/commands/x.md", "../../OTHER.md", false}, {"opencode", "docs/a/x.md", secret, true},
		{"opencode", ".opencode/command/x.md", secret, true}, {"opencode", ".opencode/skills/x/SKILL.md", secret, true}, {"opencode", ".opencode/skills/a/b/SKILL.md", secret, true},
		{"codex", ".agents/skills/x/SKILL.md", secret, true}, {"gemini", "a/b/GEMINI.md", secret, true},
		{"claude", "CLAUDE.md", ".cursorrules", false}, {"claude", "../CLAUDE.md", secret, true},
		{"codex", "AGENTS.md", secret, true}, {"codex", "AGENTS.override.md", "/proc/self/environ", true},
		{"codex", "NOTES.md", secret, true},
		{"opencode", "AGENTS.md", secret, true}, {"opencode", "docs/x.md", secret, true}, {"opencode", "docs/node_modules/a/x.md", secret, true},
		{"opencode", "docs/a/b", "../../elsewhere", true}, {"opencode", "docs/x.png", secret, false}, {"gemini", "GEMINI.md", secret, true},
		{"codex", "../NOTES.md", secret, true}, {"opencode", "../docs/x.md", secret, true}, {"opencode", "../docs/x.png", secret, false},
		{"gemini", "NOTES.md", secret, true}, {"gemini", "../NOTES.md", secret, true}, {"gemini", "a/NOTES.md", secret, true},
		{"claude", "CLAUDE.md", "/proc/self/cwd/none/x.md", true}, {"claude", ".claude/rules", "/proc/self/cwd/none", true},
		{"claude", ".claude/rules/x", "/proc/self/cwd/none", true}, {"claude", ".claude/skills/x", "/proc/self/cwd/none", true},
		{"claude", ".claude/settings.json", "/proc/self/cwd/none", true}, {"claude", ".mcp.json", "/proc/self/root/none", true},
		{"codex", ".codex/config.toml", "/proc/self/cwd/none", true}, {"gemini", ".env", "/proc/self/cwd/none", true},
		{"opencode", "opencode.jsonc", "../x/../proc/self/cwd/none", false}, {"opencode", "docs/a", "/proc/self/cwd/none", true},
	} {
		t.Run(test.agent+"/"+test.link+"/"+filepath.Base(test.to), func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "repository", "dir")
			link := filepath.Join(dir, test.link)
			for path, text := range map[string]string{secret: "x", dir + "/.env": "x", dir + "/elsewhere/x.md": "x", dir + "/.cursorrules": "x", dir + "/OTHER.md": "x", dir + "/AGENTS.md": "x",
				dir + "/opencode.json": `{"instructions":["docs/**/*.{md,txt}"]}`, dir + "/.codex/config.toml": `project_doc_fallback_filenames = ["NOTES.md"]`, dir + "/.gemini/settings.json": `{"context":{"fileName":["NOTES.md"]}}`} {
				if path == link {
					continue
				}
				for _, made := range []string{filepath.Dir(path), filepath.Dir(link)} {
					if err := os.MkdirAll(made, 0o700); err != nil {
						t.Fatal(err)
					}
				}
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Symlink(test.to, link); err != nil {
				t.Fatal(err)
			}
			found, err := unasked.Find(test.agent, dir, nil)
			if got := words(found); err != nil || (got != "") != test.found || test.found && !strings.Contains(got, " is a link to ") {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

// What a variable has an agent take for the person's own settings does not lie in the repository.
func TestFindOwn(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	dir := filepath.Join(top, "repository", "dir")
	for _, made := range []string{dir, filepath.Join(top, "repository", ".git"), filepath.Join(top, "home")} {
		if err := os.MkdirAll(made, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		agent, home, set string
		want             bool
	}{
		{"codex", "/home", "CODEX_HOME=" + top + "/repository/own", true}, {"codex", "/home", "CODEX_HOME=own", true},
		{"codex", "/home", "CODEX_HOME=" + top + "/home/.codex", false}, {"claude", "/home", "CLAUDE_CONFIG_DIR=" + dir, true},
		{"claude", "/home", "CODEX_HOME=" + dir, false}, {"claude", "/repository/..", "CLAUDE_CONFIG_DIR=" + top + "/.claude", false}, {"opencode", "/home", "OPENCODE_CONFIG=./x.json", true},
		{"gemini", "/repository", "GEMINI_CLI_HOME=" + top + "/repository/own", false},
	} {
		found, err := unasked.Find(test.agent, dir, []string{"HOME=" + top + test.home, test.set})
		if got := words(found); err != nil || (got != "") != test.want {
			t.Errorf("%s with %s: got %q, %v", test.agent, test.set, got, err)
		}
	}
}

// A pattern that begins in a directory begins in those above, too, up to the top of the work tree.
func TestFindAbove(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	dir := filepath.Join(top, "repository", "dir")
	for _, made := range []string{dir, filepath.Join(top, "repository", ".git")} {
		if err := os.MkdirAll(made, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "opencode.json"), []byte(`{"instructions":["**/*.md"]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		in    string
		found bool
	}{{top, false}, {filepath.Join(top, "repository"), true}} {
		if err := os.Symlink("/etc/hostname", filepath.Join(test.in, "x.md")); err != nil {
			t.Fatal(err)
		}
		found, err := unasked.Find("opencode", dir, nil)
		if got := words(found); err != nil || (got != "") != test.found {
			t.Errorf("%s: got %q, %v", test.in, got, err)
		}
	}
}

// What tsconfig.json leads opencode's imports to may stand in other files, or lie there by its name alone.
func TestFindImports(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"extends/tsconfig.json": `{"extends":["./a"]}`, "extends/a.json": `{"extends":"../b.json"}`, "b.json": `{"compilerOptions":{"paths":{"*":["x"]}}}`,
		"base/tsconfig.json": `{"compilerOptions":{"baseUrl":"lib"}}`, "base/lib/esprima.ts": "",
		"around/tsconfig.json":                         `{"extends":"./tsconfig.json"}`,
		"plain/package.json":                           `{"name":"x","author":{"name":"y"}}`,
		"changed/node_modules/esprima/package.json":    `{"name":"esprima","version":"4.0.1","main":"dist/esprima.js"}`,
		"changed/node_modules/esprima/dist/esprima.js": "",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for in, want := range map[string]bool{"extends": true, "base": true, "around": false, "changed": true, "plain": false} {
		found, err := unasked.Find("opencode", filepath.Join(dir, in), nil)
		if got := words(found); err != nil || (got != "") != want {
			t.Errorf("%s: got %q, %v", in, got, err)
		}
	}
}

// A directory that is no absolute one was walked up from without an end.
func TestFindRelative(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"", ".", "x/y"} {
		for _, agent := range []string{"claude", "codex", "gemini", "opencode"} {
			if _, err := unasked.Find(agent, dir, nil); err == nil {
				t.Errorf("%s in %q is no error", agent, dir)
			}
		}
	}
}

// What cannot be read is told, and not waited for; what stands elsewhere is not Here.
func TestHere(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a")
	for _, file := range []string{".mcp.json", "below/.mcp.json", ".opencode/plugin/x/y.js", ".opencode/plugin/z.js"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, file)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, file), []byte(`{"mcpServers":{"x":{}}}`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	found, err := unasked.Here(filepath.Join(dir, "below"), nil)
	if err != nil || len(found) != 1 || found[0].Dir != filepath.Join(dir, "below") {
		t.Errorf("below: %+v, %v", found, err)
	}
	found, err = unasked.Here(dir, nil)
	if err != nil || len(found) != 2 || !slices.Equal(found[1].Files, []string{".opencode/plugin/x/y.js", ".opencode/plugin/z.js"}) {
		t.Errorf("here: %+v, %v", found, err)
	}
}

// A file of instructions that includes another has the model told that one, too: no secret of the directory's, by whatever way.
func TestFindIncluded(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		agent, file, text string
		found             bool
	}{
		{"claude", "CLAUDE.md", "keys: @.env", true}, {"claude", "CLAUDE.md", "@./sub/../.env#part", true}, {"claude", "CLAUDE.md", "@more.md", true},
		{"claude", "CLAUDE.md", "@key.txt", true}, {"claude", "CLAUDE.md", `see @a\ key.txt`, true}, {"claude", "CLAUDE.md", "@book", true}, {"claude", "CLAUDE.md", "@README.md x@.env @none/.env", false}, {"claude", "AGENTS.md", "@.env", true},
		{"claude", ".claude/rules/x.md", "@../../.env", true}, {"claude", ".claude/rules/a/x.md", "@../../../.env", true}, {"gemini", "GEMINI.md", "@.env", true}, {"codex", "AGENTS.md", "@.env", false},
		{"claude", "../CLAUDE.md", "@dir/.env", true},
		{"gemini", "a/b/GEMINI.md", "@../../.env", true}, {"gemini", "NOTES.md", "@.env", true}, {"gemini", "a/NOTES.md", "@../more.md", true},
		{"gemini", "../NOTES.md", "@dir/.env", true}, {"gemini", "NOTES.md", "@../above.md", true}, {"gemini", "GEMINI.md", "@x#y", true},
		{"gemini", "GEMINI.md", `@key\ x`, true}, {"gemini", "GEMINI.md", "@a\fb", true}, {"gemini", "GEMINI.md", "@TOP/.env", true},
		{"claude", "CLAUDE.md", "@TOP/.env", true}, {"claude", "CLAUDE.md", "@~/repository/dir/.env", true}, {"claude", "CLAUDE.md", "a\u00a0@.env", true},
		{"gemini", "GEMINI.md", "@/proc/self/cwd/.env", true}, {"gemini", "GEMINI.md", "@TOP/README.md", false},
	} {
		dir := filepath.Join(t.TempDir(), "repository", "dir")
		for name, text := range map[string]string{".env": "x", "README.md": "x", "more.md": "@sub/more.md", "sub/more.md": "@../.env", "../above.md": "@dir/.env",
			".gemini/settings.json": `{"context":{"fileName":["GEMINI.md","NOTES.md"]}}`, test.file: strings.ReplaceAll(test.text, "TOP", dir)} {
			file := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		// a link to what is no secret by its name is none of the repository's own all the same
		for name, to := range map[string]string{"key.txt": ".env", "a key.txt": ".env", "x#y": ".env", `key\`: ".env", "a\fb": ".env", "book": "/etc/hostname"} {
			if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
		found, err := unasked.Find(test.agent, dir, nil)
		if got := words(found); err != nil || (got != "") != test.found {
			t.Errorf("%s: %s: %q: got %q, %v", test.agent, test.file, test.text, got, err)
		}
	}
}

// What an agent tells its model with a file that it reads is looked at in the directories between that and its own.
func TestTold(t *testing.T) {
	t.Parallel()
	top, secret := t.TempDir(), filepath.Join(t.TempDir(), "id_rsa")
	sub := filepath.Join(top, "a", "b")
	if err := os.MkdirAll(sub, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(secret, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"c/.claude/skills/s", "d/.claude/rules", "e"} {
		if err := os.MkdirAll(filepath.Join(top, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, link := range []string{filepath.Join(top, "a", "AGENTS.md"), filepath.Join(top, "CLAUDE.md"),
		filepath.Join(top, "c/.claude/skills/s/SKILL.md"), filepath.Join(top, "d/.claude/rules/x.md")} {
		if err := os.Symlink(secret, link); err != nil {
			t.Fatal(err)
		}
	}
	linked := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(top, linked); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		agent, file string
		want        bool
	}{
		{"claude", sub + "/x", true}, {"opencode", sub + "/x", true}, {"codex", sub + "/x", false}, {"claude", top + "/x", false},
		{"claude", linked + "/a/x", true}, {"claude", top + "/c/x", true}, {"claude", top + "/d/x", true}, {"claude", top + "/e/x", false},
		{"claude", secret, false},
	} {
		if got := words(unasked.Told(test.agent, test.file, top)); (got != "") != test.want {
			t.Errorf("%s: %s: got %q", test.agent, test.file, got)
		}
	}
}

// A home that lies in a repository, or below the directory to work in, ends no search but its own.
func TestHomeInRepository(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	work, home := filepath.Join(top, "work"), filepath.Join(top, "home")
	for _, dir := range []string{work, filepath.Join(home, "project"), filepath.Join(top, ".claude"), filepath.Join(home, ".claude")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(home, link); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{top, home} {
		if err := os.WriteFile(filepath.Join(dir, ".claude", "settings.json"), []byte(`{"hooks":{}}`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		dir, home string
		want      bool
	}{
		{work, home, true}, {top, home, true}, {top, home + "/", true}, {work, "", true},
		{home, home, false}, {home, home + "/", false}, {filepath.Join(home, "project"), home, false},
		{filepath.Join(home, "project"), link, false}, {filepath.Join(link, "project"), home, false}, {filepath.Join(link, "project"), link, false},
	} {
		found, err := unasked.Find("claude", test.dir, []string{"HOME=" + test.home})
		if got := words(found); err != nil || (got != "") != test.want {
			t.Errorf("in %s with the home %s: got %q, %v", test.dir, test.home, got, err)
		}
	}
}

// In a further work tree of git's Claude goes by what the main one has, wherever that lies.
func TestMainWorkTree(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	for name, text := range map[string]string{
		"main/.claude/settings.local.json": `{"hooks":{}}`, "main/.git/worktrees/wt/commondir": "../..\n", "main/.git/HEAD": "",
		"further/.git": "gitdir: ../main/.git/worktrees/wt\n", "further/sub/x": "",
		"absolute/.git": "gitdir: " + top + "/main/.git/worktrees/wt\n", "module/.git": "gitdir: ../main/.git/modules/m\n",
		"plain/.git/HEAD": "", "nowhere/.git": "gitdir: /nowhere\n",
	} {
		file := filepath.Join(top, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for dir, want := range map[string]bool{"main": true, "further": true, "further/sub": true, "absolute": true, "module": false,
		"plain": false, "nowhere": false} {
		found, err := unasked.Find("claude", filepath.Join(top, dir), nil)
		if got := words(found); err != nil || len(found) > 1 || (got != "") != want {
			t.Errorf("%s: got %q, %v", dir, got, err)
		}
		found, err = unasked.Find("claude", filepath.Join(top, dir), []string{"HOME=" + top + "/main"})
		if got := words(found); err != nil || got != "" {
			t.Errorf("%s, of the person's own: got %q, %v", dir, got, err)
		}
	}
}

// Nothing hides behind more than is looked at.
func TestTooMuch(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ agent, names, text, want string }{
		{"claude", ".claude/rules/%d.md", "x", "rules holds more than"}, {"claude", ".claude/skills/%d", "x", "skills holds more than"},
		{"opencode", ".opencode/command/%d.md", "x", "command holds more than"}, {"claude", "CLAUDE.md", "", "include more files"},
		{"claude", "CLAUDE.md", "large", "include more files"},
	} {
		dir := t.TempDir()
		includes := ""
		count := 2001
		if test.text == "large" {
			count = 5
		}
		for i := range count {
			name, text := strings.ReplaceAll(test.names, "%d", strconv.Itoa(i)), test.text
			if name == test.names {
				name, text = strconv.Itoa(i), "x"
				if test.text == "large" {
					text = strings.Repeat("x", 1<<20)
				}
				includes += "@" + name + "\n"
			}
			file := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if includes != "" {
			if err := os.WriteFile(filepath.Join(dir, test.names), []byte(includes), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		found, err := unasked.Find(test.agent, dir, nil)
		if got := words(found); err != nil || !strings.Contains(got, test.want) {
			t.Errorf("%s: got %q, %v", test.names, got, err)
		}
	}
}
