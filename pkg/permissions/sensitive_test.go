package permissions

import (
	"strings"
	"testing"
)

func TestSensitiveFiles(t *testing.T) {
	t.Parallel()
	s := newSensitive([]string{"/home/u/state/a2a", "relative is not ours"})
	tests := []struct {
		path              string
		written, readable string // what is said of it; "" for plain data
	}{
		{"/w/.git", "runs as code later", ""},
		{"/w/.git/hooks/post-checkout", "runs as code later", ""},
		{"/w/a/b/.git/config", "runs as code later", ""},
		{"/w/.GIT/config", "runs as code later", ""},
		{"/w/.gitignore", "", ""},
		{"/w/x.git/config", "", ""},
		{"/w/git/hooks", "", ""},
		{"/w/.gitmodules", "runs as code later", ""},
		{"/w/.envrc", "runs as code when you enter the directory", "may hold a secret"},
		{"/w/.env", "runs as code when you enter the directory", "may hold a secret"},
		{"/w/.env.local", "runs as code when you enter the directory", "may hold a secret"},
		{"/w/env", "", ""},
		{"/home/u/.bashrc", "runs as code in your next shell", ""},
		{"/home/u/.config/fish/config.fish", "runs as code in your next shell", ""},
		{"/w/.config/other", "", ""},
		{"/home/u/Library/LaunchAgents/x.plist", "runs as code when you log in", ""},
		{"/w/.vscode/tasks.json", "is settings of your editor, which can run code", ""},
		{"/w/.zed/settings.json", "is settings of your editor, which can run code", ""},
		{"/w/.idea/x/y", "is settings of your editor, which can run code", ""},
		{"/w/.mcp.json", "is settings of an agent, which can run code or lift its limits", ""},
		{"/w/sub/.claude/settings.local.json", "is settings of an agent, which can run code or lift its limits", ""},
		{"/w/opencode.json", "is settings of an agent, which can run code or lift its limits", ""},
		{"/w/AGENTS.md", "tells agents what to do", ""},
		{"/w/docs/Claude.md", "tells agents what to do", ""},
		{"/w/CLAUDE.local.md", "tells agents what to do", ""},
		{"/w/README.md", "", ""},
		{"/w/.husky/pre-commit", "runs as code at your next commit", ""},
		{"/w/lefthook.yml", "runs as code at your next commit", ""},
		{"/w/.pre-commit-config.yaml", "runs as code at your next commit", ""},
		{"/w/.github/workflows/ci.yml", "runs as code in your CI", ""},
		{"/w/.github/ISSUE_TEMPLATE.md", "", ""},
		{"/w/.gitlab-ci.yml", "runs as code in your CI", ""},
		{"/w/.circleci/config.yml", "runs as code in your CI", ""},
		{"/w/Jenkinsfile.release", "runs as code in your CI", ""},
		{"/w/.a2a-acp/tools.yaml", "decides what a2a-acp allows or runs", ""},
		{"/w/auto_approval_policies.yaml", "decides what a2a-acp allows or runs", ""},
		{"/home/u/state/a2a/audit.log", "belongs to a2a-acp itself", "belongs to a2a-acp itself"},
		{"/home/u/state/A2A", "belongs to a2a-acp itself", "belongs to a2a-acp itself"},
		{"/home/u/state/a2ax", "", ""},
		{"/w/Makefile", "runs at your next build", ""},
		{"/w/a/package.json", "runs at your next build", ""},
		{"/w/.pylintrc", "runs when your code is next checked, which an editor does by itself", ""},
		{"/w/.rubocop.yml", "runs when your code is next checked, which an editor does by itself", ""},
		{"/w/.luarc.jsonc", "runs when your code is next checked, which an editor does by itself", ""},
		{"/w/docs/conf.py", "runs when your program is next started or released", ""},
		{"/w/.storybook/main.ts", "runs when your program is next started or released", ""},
		{"/w/.huskyrc.json", "runs as code at your next commit", ""},
		{"/w/ruff.toml", "", ""},
		{"/w/tsconfig.json", "", ""},
		{"/w/build.rs", "runs at your next build", ""},
		{"/w/setup.py", "runs at your next build", ""},
		{"/w/Cargo.toml", "runs at your next build", ""},
		{"/w/CMakeLists.txt", "runs at your next build", ""},
		{"/w/app/build.gradle.kts", "runs at your next build", ""},
		{"/w/x.gradle", "runs at your next build", ""},
		{"/w/justfile", "runs at your next build", ""},
		{"/w/tox.ini", "runs at your next build", ""},
		{"/w/pyproject.toml", "runs at your next build", ""},
		{"/w/conftest.py", "runs at your next test", ""},
		{"/w/main.go", "", ""},
		{"/w/id_rsa", "is a key", "is a key"},
		{"/w/id_ed25519.bak", "is a key", "is a key"},
		{"/w/server.pem", "is a key", "is a key"},
		{"/w/tls/server.KEY", "is a key", "is a key"},
		{"/home/u/.ssh/config", "runs code, or decides where packages come from, whenever they are installed", "is a key"},
		{"/home/u/.aws/credentials", "runs code, or decides where packages come from, whenever they are installed", "holds accounts and keys of other services"},
		{"/home/u/.gnupg/x", "runs code, or decides where packages come from, whenever they are installed", "is a key"},
		{"/w/.npmrc", "runs code, or decides where packages come from, whenever they are installed", "may hold a secret"},
		{"/w/.netrc", "runs code, or decides where packages come from, whenever they are installed", "may hold a secret"},
		{"/w/credentials", "may hold a secret", "may hold a secret"},
		{"/w/credentials.go", "", ""},
		{"/home/u/.bash_history", "holds what you typed before", "holds what you typed before"},
		{"/", "", ""},
	}
	for _, test := range tests {
		t.Run(test.path, func(t *testing.T) {
			t.Parallel()
			if got := s.find(test.path, control, build, secret); got != test.written {
				t.Errorf("written: %q, want %q", got, test.written)
			}
			if got := s.find(test.path, secret); got != test.readable {
				t.Errorf("read: %q, want %q", got, test.readable)
			}
		})
	}
}

// The table is written by hand: each pattern must be one that can match.
func TestSensitiveTable(t *testing.T) {
	t.Parallel()
	seen := map[string]kind{}
	for _, row := range sensitiveFiles {
		for _, pattern := range strings.Fields(row.patterns) {
			name := strings.TrimSuffix(pattern, "/**")
			switch {
			case pattern != strings.ToLower(pattern):
				t.Errorf("%s: letter case does not count, so write it in small letters", pattern)
			case strings.ContainsAny(pattern, `?[]{}\`), strings.Contains(name, "**"), strings.HasPrefix(pattern, "/"), strings.HasSuffix(pattern, "/"):
				t.Errorf("%s: only * and a final /** are understood", pattern)
			case strings.Trim(name, "*./") == "":
				t.Errorf("%s matches nearly everything", pattern)
			case seen[pattern] == row.kind:
				t.Errorf("%s stands there twice", pattern)
			}
			seen[pattern] = row.kind
		}
		example := "/w/x/" + strings.ReplaceAll(strings.Replace(strings.Fields(row.patterns)[0], "/**", "/below", 1), "*", "x")
		if got := newSensitive(nil).find(example, row.kind); got != row.what {
			t.Errorf("%s: %q, want %q", example, got, row.what)
		}
	}
}
