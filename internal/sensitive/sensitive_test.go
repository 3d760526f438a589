package sensitive

import (
	"bufio"
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"
)

func TestFind(t *testing.T) {
	t.Parallel()
	const (
		build   = "runs at your next build"
		checked = "runs when your code is next checked, which an editor does by itself"
		started = "runs when your program is next started or released"
		packed  = "belongs to what is installed or built, and runs without having been looked at"
		alias   = "could be another file's short name on FAT and NTFS, unless it is a revision of git"
		shaped  = "looks like a file that a tool takes its orders from"
		short   = "may be in another directory, since FAT and NTFS know each one by a short name, too"
	)
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
		{"/w/.env.production", "runs as code when you enter the directory", "may hold a secret"},
		{"/w/.env.example.local", "runs as code when you enter the directory", "may hold a secret"},
		{"/w/.env.examples", "runs as code when you enter the directory", "may hold a secret"},
		{"/w/.env.dist", "runs as code when you enter the directory", "may hold a secret"},
		{"/w/.env.local.example", "runs as code when you enter the directory", "may hold a secret"},
		{"/w/my.env.example.env", "may hold a secret", "may hold a secret"},
		{"/w/.ssh/.env.example", "runs code, or decides where packages come from, whenever they are installed", "is a key"},
		{"/w/.env.example", shaped, ""},
		{"/w/web/.Env.Sample", shaped, ""},
		{"/w/.env.template", shaped, ""},
		{"/w/env", "", ""},
		{"/w/.dev.vars", shaped, "may hold a secret"},
		{"/w/local.settings.json", "may hold a secret", "may hold a secret"},
		{"/w/config/secrets.dev.yaml", "may hold a secret", "may hold a secret"},
		{"/w/.vscode/sftp.json", "is settings of your editor, which can run code", "may hold a secret"},
		{"/tmp/krb5cc_1000", "may hold a secret", "may hold a secret"},
		{"/w/playwright/.auth/user.json", shaped, "holds accounts and keys of other services"},
		{"/w/storageState.json", "holds accounts and keys of other services", "holds accounts and keys of other services"},
		{"/home/u/.solana/id.json", "holds accounts and keys of other services", "holds accounts and keys of other services"},
		{"/w/secrets.md", "", ""},
		{"/w/bin/hermit.hcl", started, ""},
		{"/w/aqua.yaml", started, ""},
		{"/w/_templates/new/index.js", started, ""},
		{"/w/startup.m", started, ""},
		{"/w/matlab/start.m", "", ""},
		{"/w/serviceAccountKey.json", "may hold a secret", "may hold a secret"},
		{"/w/my-app-firebase-adminsdk-x1.json", "may hold a secret", "may hold a secret"},
		{"/w/android/key.properties", "may hold a secret", "may hold a secret"},
		{"/w/wp-config.php", "may hold a secret", "may hold a secret"},
		{"/w/.authinfo", shaped, "may hold a secret"},
		{"/w/krb5.keytab", "is a key", "is a key"},
		{"/w/passwords.txt", "may hold a secret", "may hold a secret"},
		{"/w/password.go", "", ""},
		{"/home/u/.bashrc", "runs as code in your next shell", ""},
		{"/home/u/.config/fish/config.fish", "runs as code in your next shell", ""},
		{"/w/.config/other", "looks like a file that a tool takes its orders from", ""},
		{"/home/u/Library/LaunchAgents/x.plist", "runs as code when you log in", ""},
		{"/w/.vscode/tasks.json", "is settings of your editor, which can run code", ""},
		{"/w/.zed/settings.json", "is settings of your editor, which can run code", ""},
		{"/w/.idea/x/y", "is settings of your editor, which can run code", ""},
		{"/h/.jetbrains/acp.json", "is settings of your editor, which can run code", ""},
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
		{"/w/Makefile", "runs at your next build", ""},
		{"/w/a/package.json", "runs at your next build", ""},
		{"/w/.pylintrc", "runs when your code is next checked, which an editor does by itself", ""},
		{"/w/.rubocop.yml", "runs when your code is next checked, which an editor does by itself", ""},
		{"/w/.luarc.jsonc", "runs when your code is next checked, which an editor does by itself", ""},
		{"/w/docs/conf.py", "runs at your next build", ""},
		{"/w/.storybook/main.ts", "runs when your program is next started or released", ""},
		{"/w/.huskyrc.json", "runs as code at your next commit", ""},
		{"/w/test/lit.cfg.py", "runs at your next build", ""},
		{"/w/lit.cfg", "runs at your next build", ""},
		{"/w/Brocfile.js", "runs at your next build", ""},
		{"/w/rescript.json", "runs at your next build", ""},
		{"/w/openapitools.json", "runs at your next build", ""},
		{"/w/ruff.toml", "", ""},
		{"/w/tsconfig.json", "runs when your code is next checked, which an editor does by itself", ""},
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

		// Configuration and code that tools read by convention, at any depth.
		{"/w/.venv/bin/activate", packed, ""},
		{"/w/env/bin/activate.fish", started, ""},
		{"/w/node_modules/.bin/tsc", packed, ""},
		{"/w/packages/a/node_modules/x/index.js", packed, ""},
		{"/w/WORKSPACE", build, ""},
		{"/w/third_party/BUILD", build, ""},
		{"/w/build", "", ""},
		{"/w/workspace", "", ""},
		{"/w/a/tsconfig.build.json", checked, ""},
		{"/w/requirements.txt", build, ""},
		{"/w/requirements-dev.txt", build, ""},
		{"/w/requirements/base.in", build, ""},
		{"/w/tasks.py", build, ""},
		{"/w/Doxyfile", build, ""},
		{"/w/doxyfile.in", build, ""},
		{"/w/binding.gyp", build, ""},
		{"/w/vendor/golang.org/x/text/a.go", packed, ""},
		{"/w/vendor/models.py", "", ""},
		{"/w/src/__pycache__/a.cpython-312.pyc", packed, ""},
		{"/w/target/debug/app", packed, ""},
		{"/w/src/target/mod.rs", "", ""},
		{"/w/lib/libx.so.1", packed, ""},
		{"/w/.terraform/providers/x", packed, ""},
		{"/w/go.sum", build, ""},
		{"/w/buf.gen.yaml", build, ""},
		{"/w/foundry.toml", build, ""},
		{"/w/cdk.json", started, ""},
		{"/w/gunicorn.conf.py", started, ""},
		{"/w/setupTests.ts", "runs at your next test", ""},
		{"/w/hello.config.ts", shaped, ""},
		{"/w/packages/a/some.setup.mjs", shaped, ""},
		{"/w/src/app/app.config.ts", "", ""},
		{"/w/src/vite.config.ts", build, ""},
		{"/w/Nobodysfile", shaped, ""},
		{"/w/profile", "", ""},
		{"/w/testdata/Nobodysfile", "", ""},
		{"/w/nobody.lock", shaped, ""},
		{"/w/.nobodyrc", shaped, ""},
		{"/w/a/.nobody/x/y", shaped, ""},
		{"/w/.nobody/.gitignore", shaped, ""},
		{"/w/.nobody/src/x.config.ts", shaped, ""},
		{"/w/src/.nobody/x.config.ts", shaped, ""},
		{"/w/.editorconfig", "", ""},
		{"/w/.github/CODEOWNERS", "", ""},
		{"/w/.github/ISSUE_TEMPLATE/bug.yml", "", ""},
		{"/w/.github/ISSUE_TEMPLATE/.nobody", shaped, ""},
		{"/home/u/.local/src/x/main.go", "", ""}, // not below the workspace
		{"/home/u/.nobody/x", "", ""},

		// One name of each row that has none above.
		{"/home/u/.hgrc", "runs as code later", ""},
		{"/w/sub/.svn/wc.db", "runs as code later", ""},
		{"/w/CVS/Root", "runs as code later", ""},
		{"/w/.ycm_extra_conf.py", "runs as code later", ""},
		{"/w/githooks/pre-push", "runs as code at your next commit", ""},
		{"/w/cz.toml", "runs as code at your next commit", ""},
		{"/home/u/.inputrc", "runs as code in your next shell", ""},
		{"/home/u/.psqlrc", "runs as code in a program that you start", ""},
		{"/home/u/.tmux.conf", "runs as code in a program that you start", ""},
		{"/w/x.sublime-project", "is settings of your editor, which can run code", ""},
		{"/w/renovate.json", "runs as code in your CI", ""},
		{"/w/readthedocs.yml", "runs as code in your CI", ""},
		{"/w/pip.conf", "runs code, or decides where packages come from, whenever they are installed", ""},
		{"/w/kubeconfig", "runs code, or decides where packages come from, whenever they are installed", "may hold a secret"},
		{"/w/Tupfile", build, ""},
		{"/w/eslint.config.js", build, ""},
		{"/w/fastlane/Fastfile", build, ""},
		{"/w/goreleaser.yml", started, ""},
		{"/h/.mozilla/x/logins.json", "holds accounts and keys of other services", "holds accounts and keys of other services"},
		{"/h/.codex/auth.json", "is settings of an agent, which can run code or lift its limits", "holds accounts and keys of other services"},
		{"/h/.config/rclone/rclone.conf", "holds accounts and keys of other services", "holds accounts and keys of other services"},
		{"/w/.github/ISSUE_TEMPLATE/BUG~1.YML", "", ""},

		// Other spellings, where file systems fold names.
		{"/w/.Git\u200c/config", "runs as code later", ""}, // what nobody sees
		{"/w/.g\u00adit/config", "runs as code later", ""},
		{"/w/.git /hooks/x", "runs as code later", ""}, // FAT and NTFS
		{"/w/.git./hooks/x", "runs as code later", ""},
		{"/w/Makefile.", build, ""},
		{"/w/Pods/x.rb", "belongs to what is installed or built, and runs without having been looked at", ""},
		{"/w/pods/Target Support Files/Pods-App/Pods-App-frameworks.sh", "belongs to what is installed or built, and runs without having been looked at", ""},
		{"/w/GIT~1/config", short, ""},
		{"/w/git~1/hooks/pre-commit", short, ""},
		{"/w/sub/GIT~1", alias, ""},
		{"/w/HEAD~1", alias, ""},
		{"/w/GITHUB~1/workfl~1/ci.yml", short, ""},
		{"/w/VSCODE~12/tasks.json", short, ""},
		{"/w/.ssh~1.d/x", short, ""},
		{"/w/MAKEFI~1", alias, ""},
		{"/w/PACKAG~1.JSO", alias, ""},
		{"/w/a~b/c~/x~y1", "", ""},
		{"/w/.con\ufb01g/git/config", "runs as code later", ""},
		{"/w/con\ufb01gure", build, ""},
		{"/w/\u017fetup.py", build, ""},
		{"/w/ta\u017f\u212as.py", build, ""},
		{"/w/AGENT\u017f.md", "tells agents what to do", ""},
		{"/w/.nobody\u0301", shaped, ""},
		{"/w/tschüß.go", "", ""},
	}
	for _, test := range tests {
		t.Run(test.path, func(t *testing.T) {
			t.Parallel()
			written := test.written
			if test.readable != "" && test.readable != written { // a person is told both
				written += ", and " + test.readable
			}
			if got, _ := Find(test.path, "/w", Written); got.Says != written {
				t.Errorf("written: %q, want %q", got.Says, written)
			}
			if got, _ := Find(test.path, "/w", Secret); got.Says != test.readable {
				t.Errorf("read: %q, want %q", got.Says, test.readable)
			}
		})
	}
}

// The names that issue and attack lists are made of: each class has them, and none is approved to be written.
func TestLists(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		file      string
		sensitive bool
	}{{"testdata/run_later", true}, {"testdata/plain", false}} {
		names := 0
		for _, name := range lines(t, test.file) {
			names++
			if got, is := Find("/w/"+name, "/w", Written); is != test.sensitive {
				t.Errorf("%s: %s: %+v", test.file, name, got)
			}
		}
		if names < 100 {
			t.Errorf("%s: %d names", test.file, names)
		}
	}
}

func lines(t *testing.T, name string) []string {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var list []string
	for s := bufio.NewScanner(f); s.Scan(); {
		if line := s.Text(); line != "" && !strings.HasPrefix(line, "#") {
			list = append(list, line)
		}
	}
	return list
}

// The table is written by hand: each name must be one that can match, and stand there once.
func TestTable(t *testing.T) {
	t.Parallel()
	parsed, err := parse(embedded)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]Class{}
	for _, p := range append(parsed.patterns, parsed.plain...) {
		name := strings.TrimSuffix(p.text, "/**")
		if rest := strings.ReplaceAll(strings.ReplaceAll(name, "[A-Z]", ""), "[0-9]", ""); strings.ContainsAny(rest, `?[]{}\`) ||
			strings.HasPrefix(name, "/") || strings.HasSuffix(name, "/") || strings.HasPrefix(name, "**") {
			t.Errorf("%s: it cannot be understood", p.text)
		}
		if strings.Trim(name, "*./") == "" && !p.row.hidden {
			t.Errorf("%s matches nearly everything", p.text)
		}
		if strings.Contains(p.text, "[") && !p.row.exact && !strings.Contains(p.text, "[0-9]") {
			t.Errorf("%s: letter case has to count", p.text)
		}
		if seen[p.text] == p.row.class && p.row.class != 0 {
			t.Errorf("%s stands there twice", p.text)
		}
		seen[p.text] = p.row.class
	}
	for _, p := range parsed.patterns {
		if got, _ := Find(example(p), "/w", p.row.class); got.Says == "" {
			t.Errorf("%s: nothing is said of %s", p.text, example(p))
		}
	}
	for _, p := range parsed.plain {
		if got, is := Find(example(p), "/w", Written); is && got.Class == Built && got.Says == "looks like a file that a tool takes its orders from" {
			t.Errorf("%s: %s is not plain", p.text, example(p))
		}
	}
}

// example is a name that a pattern stands for.
func example(p *pattern) string {
	name := strings.NewReplacer("/**", "/below", "[A-Z]", "X", "[0-9]", "1").Replace(p.text)
	return "/w/" + strings.ReplaceAll(name, "*", "x")
}

// What is read line by line is what a library for YAML reads.
func TestReadAsYAML(t *testing.T) {
	t.Parallel()
	got, err := readFile(string(embedded))
	if err != nil {
		t.Fatal(err)
	}
	var want written
	decoder := yaml.NewDecoder(bytes.NewReader(embedded))
	decoder.KnownFields(true)
	if err := decoder.Decode(&want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, bad := range []string{"x", "groups:\n  - class: runs\n    nobody: x\n", "groups:\n      - names: x\n", "groups:\n    names: x\n"} {
		if _, err := readFile(bad); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}

func TestProtected(t *testing.T) {
	t.Parallel()
	list := map[string]bool{}
	for _, name := range Protected() {
		if strings.ContainsAny(name, "*{[") {
			t.Errorf("%s is a pattern", name)
		}
		list[name] = true
	}
	for _, name := range []string{".git/hooks", ".git/config", ".git/commondir", ".git", ".envrc", "AGENTS.md", "agents.md", ".vscode", ".github/workflows", "lefthook.yml"} {
		if !list[name] {
			t.Errorf("%s is not protected", name)
		}
	}
	for _, name := range []string{"package.json", "Makefile", "node_modules"} {
		if list[name] {
			t.Errorf("%s is protected, and tools that install would fail", name)
		}
	}
}

func TestFold(t *testing.T) {
	t.Parallel()
	for _, same := range [][]string{
		{".git", ".GIT", ".G\u200bIT", ".gi\ufeffT"},
		{"caf\u00e9", "CAFE\u0301"},
		{"config", "con\ufb01g", "CONFIG"},
		{"stra\u00dfe", "STRASSE", "stra\u1e9ee"},
		{"docker", "doc\u212aer"},
	} {
		for _, name := range same {
			if Fold(name) != Fold(same[0]) {
				t.Errorf("%q: %q, want %q", name, Fold(name), Fold(same[0]))
			}
		}
	}
	for _, name := range []string{"\u2100", "\uff0f", "\u2026"} { // they hold no slash and no dots
		if strings.ContainsAny(Fold(name), "/.") {
			t.Errorf("%q: %q", name, Fold(name))
		}
	}
}

func FuzzFind(f *testing.F) {
	for _, name := range []string{"/w/a", "/w/.git/x", "/w/\u200b/.x", "//", "", "/w/[", "/w/Xfile", "/w//"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		found, is := Find(name, "/w", Written)
		if is != (found.Says != "") {
			t.Errorf("%q: %+v", name, found)
		}
		upper, isUpper := Find(strings.ToUpper(name), "/W", Control|Runs|Secret)
		lower, isLower := Find(strings.ToLower(strings.ToUpper(name)), "/w", Control|Runs|Secret)
		if isUpper != isLower || upper.Says != lower.Says {
			t.Errorf("%q: %+v in capitals, %+v in small letters", name, upper, lower)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		if _, err := parse(embedded); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFind(b *testing.B) {
	for b.Loop() {
		Find("/home/u/src/project/internal/app/main_test.go", "/home/u/src/project", Written)
	}
}
