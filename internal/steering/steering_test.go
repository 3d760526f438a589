package steering

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/internal/sensitive"
	"github.com/a2a-acp/a2a-acp/pkg/sandbox"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// start is the name of a directory that a call starts in.
var start = regexp.MustCompile(`\.a2a-call-[^/]*`)

// TestSteering has tools change, in a workspace that they may write to, what others run or believe without
// a look, at every depth and in every way, and what is nobody's business. Payloads are texts that nobody
// runs. With -short every fourth is done on the lower level, too: who judges is the same on both.
func TestSteering(t *testing.T) {
	t.Parallel()
	for _, level := range []sandbox.Level{sandbox.LevelFull, sandbox.LevelLandlock} {
		host, err := sandbox.Open(sandbox.Options{TempDir: t.TempDir(), Level: level, Protected: sensitive.Protected(), Judge: New()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { host.Close() })
		if host.Level() != level {
			why := fmt.Sprintf("want level %s: %s", level, host.Why())
			if os.Getenv("REQUIRE_SANDBOX") != "" {
				t.Fatal(why)
			}
			t.Skip(why)
		}
		for i, test := range []struct {
			name   string
			before string // commands, as is the tool
			tool   string
			held   string // what is out of the way in the end, without what is random
			told   string // what is told
			left   string // what has to be there

			isolated bool // it starts in a directory of its own
		}{
			{name: "direnv, below", before: "mkdir sub", tool: "echo x >sub/.envrc", held: "sub/.envrc"},
			{name: "direnv, changed", before: "mkdir -p a/b; echo x >a/b/.envrc", tool: "echo y >>a/b/.envrc", held: "a/b/.envrc"},
			{name: "agents, below", before: "mkdir sub", tool: "echo x >sub/AGENTS.md", held: "sub/AGENTS.md"},
			{name: "agents, in other letters", before: "mkdir sub", tool: "echo x >sub/Agents.MD", held: "sub/Agents.MD"},
			{name: "an editor's tasks", before: "mkdir sub", tool: "mkdir sub/.vscode; echo x >sub/.vscode/tasks.json", held: "sub/.vscode"},
			{name: "an editor's tasks, where it has settings", before: "mkdir -p sub/.vscode", tool: "echo x >sub/.vscode/tasks.json", held: "sub/tasks.json", left: "sub/.vscode"},
			{name: "an agent's hooks, deep", before: "mkdir -p a/b/c", tool: "mkdir a/b/c/.claude; echo x >a/b/c/.claude/settings.json", held: "a/b/c/.claude"},
			{name: "CI, below", before: "mkdir sub", tool: "mkdir -p sub/.github/workflows; echo x >sub/.github/workflows/ci.yml", held: "sub/.github/workflows"},
			{name: "patterns, at the top", tool: "echo x >.env.local; echo x >lefthook.yml; echo x >.gitlab-ci.yml", held: ".env.local .gitlab-ci.yml lefthook.yml"},
			{name: "a shell's start file", tool: "mkdir new; echo x >new/.bashrc", held: "new/.bashrc"},
			{name: "hooks of a repository below", before: "git init -q sub", tool: "mkdir -p sub/.git/hooks; echo x >sub/.git/hooks/pre-commit", held: "sub/.git/hooks/pre-commit"},
			{name: "settings of a repository below", before: "git init -q sub", tool: "git -C sub config core.fsmonitor 'touch x'", held: "sub/.git/config"},
			{name: "settings of a repository below, in place", before: "git init -q sub", tool: `printf '[core]\n\tpager = x\n' >>sub/.git/config`, held: "sub/.git/config"},
			{name: "settings of a submodule", before: "git init -q; git init -q x; mkdir .git/modules; mv x/.git .git/modules/x", tool: "git config -f .git/modules/x/config core.sshCommand 'touch x'", held: ".git/modules/x/config"},
			{name: "another place for settings", before: "git init -q", tool: "echo /elsewhere >.git/commondir; echo x >.git/config.worktree", held: ".git/commondir .git/config.worktree"},
			{name: "another place for a repository", before: "mkdir sub", tool: "mkdir evil; echo 'gitdir: ../evil' >sub/.git", held: "sub/.git"},
			{name: "a link to another repository", before: "mkdir sub", tool: "mkdir evil; ln -s ../evil sub/.git", held: "sub/.git"},
			{name: "a repository, renamed in place", before: "mkdir sub", tool: "mkdir -p sub/x/hooks; echo x >sub/x/hooks/pre-push; mv sub/x sub/.git", held: "sub/.git/hooks/pre-push"},
			{name: "settings, renamed in place", before: "mkdir sub; echo x >sub/plain", tool: "mv sub/plain sub/.mcp.json", held: "sub/.mcp.json"},
			{name: "settings, linked in place", before: "mkdir sub; echo x >sub/plain", tool: "ln sub/plain sub/.mcp.json", held: "sub/.mcp.json"},
			{name: "times set back", before: "mkdir sub; echo x >sub/.envrc; touch -d 2020-01-01 sub/.envrc", tool: "echo y >sub/.envrc; touch -d 2020-01-01 sub/.envrc", held: "sub/.envrc"},
			{name: "replaced by a directory's new name", before: "mkdir -p a b; echo x >a/.envrc", tool: "echo y >b/plain; mv b/plain b/.envrc; mv a c; mv b a", held: "a/.envrc", told: "c/.envrc", left: "c/.envrc"},
			{name: "a directory that gets another name", before: "mkdir a; echo x >a/.envrc", tool: "mv a b", told: "b/.envrc", left: "b/.envrc"},
			{name: "among packages", before: "mkdir -p app/node_modules .venv/lib", tool: "mkdir app/node_modules/p; echo x >app/node_modules/p/.npmrc; echo x >.venv/lib/x.pth; echo x >.venv/pyvenv.cfg",
				told: ".venv/lib/x.pth .venv/pyvenv.cfg app/node_modules/p/.npmrc", left: "app/node_modules/p/.npmrc .venv/pyvenv.cfg"},
			{name: "a repository without a work tree", before: "mkdir sub", tool: "git init -q --bare sub/x; git -C sub/x config core.fsmonitor 'touch x'", held: "sub/x/HEAD"},
			{name: "made one at last", before: "mkdir -p x/objects x/refs; printf '[core]\n\tbare = true\n\tfsmonitor = touch x\n' >x/config", tool: "echo 'ref: refs/heads/main' >x/HEAD", held: "x/HEAD"},
			{name: "a plain one", before: "mkdir sub", tool: "git init -q --bare sub/x; git clone -q --bare sub/x sub/y; git -C sub/y remote set-url origin https://example.com/x", left: "sub/x/HEAD sub/x/config sub/y/config"},
			{name: "objects that stand for others", before: "git init -q sub; mkdir -p sub/.git/branches", tool: "cd sub/.git; mkdir refs/replace; echo 1 >refs/replace/0; echo x >branches/b; mkdir remotes; echo x >remotes/r; echo 1 >refs/heads/h",
				told: "sub/.git/branches/b sub/.git/refs/replace/0 sub/.git/remotes/r"},
			{name: "what shells run out of a cache", tool: "mkdir gitstatus starship; echo x >p10k-instant-prompt-u.zsh; echo x >gitstatus/gitstatusd-x; echo x >starship/init.nu", held: "gitstatus/gitstatusd-x p10k-instant-prompt-u.zsh starship/init.nu"},
			{name: "opened to others", before: "git init -q; mkdir sub; chmod 755 . .git sub", tool: "chmod 775 .git sub; mkdir -m 777 new", told: ".git sub"},
			{name: "through a link", before: "mkdir sub away", tool: "mkdir away/prompts; echo x >away/prompts/x.txt; ln -s ../away sub/.github; ln -s away mise", told: "mise sub/.github"},
			{name: "a link for all of it", before: "mkdir sub", tool: "mkdir away; ln -s ../away sub/.vscode", held: "sub/.vscode"},
			{name: "files of such names", tool: "echo x >mise; mkdir .config; echo x >.config/x", left: "mise .config/x"},
			{name: "settings behind much else", before: "git init -q sub", tool: `{ printf "[core]\n"; for i in {1..5000}; do printf "\tbare = false\n"; done; printf "\tfsmonitor = touch x\n"; } >sub/.git/config`, held: "sub/.git/config"},
			{name: "a rebase with a command behind much else", before: "git init -q sub", tool: `mkdir sub/.git/rebase-merge; { for i in {1..40000}; do echo "#"; done; echo "exec touch x"; } >sub/.git/rebase-merge/git-rebase-todo`, told: "sub/.git/rebase-merge/git-rebase-todo"},
			{name: "a link to what git does not read", before: "git init -q", tool: "mkdir -p .git/x/.vscode sub/y; echo x >.git/x/.vscode/tasks.json; ln -s .git/x docs; ln -s ../../.git/objects sub/y/z; ln -s $PWD/.GIT/nothing later", held: "docs sub/y/z", told: "later"},
			{name: "a link that gets somewhere later", before: "git init -q; echo x >.git/x; ln -s .git/x docs; ln -s .git/y later", tool: "rm .git/x; mkdir .git/x .git/y", held: "docs later"},
			{name: "a link to what calls start in", tool: "mkdir -p .a2a-call-x/.vscode; ln -s .a2a-call-x docs", held: "docs", told: ".a2a-call-x/.vscode"},
			{name: "in place of what calls start in", tool: `cd ..; name=${OLDPWD##*/}; mkdir ${name%-*}-x sub; mkdir ${name%-*}-x/.vscode sub/$name; echo x >${name%-*}-x/.vscode/tasks.json; echo x >sub/$name/.envrc; echo x >$name/.envrc`, isolated: true, held: "START/.vscode sub/START/.envrc"},
			{name: "what the call starts in, renamed", tool: "cd ..; name=${OLDPWD##*/}; echo x >$name/.envrc; mv $name plain 2>/dev/null || { mkdir plain; mv $name/.envrc plain; }; mkdir -p $name; echo x >$name/.mcp.json", isolated: true, held: "plain/.envrc"},
			{name: "where calls of other programs start", before: "mkdir .a2a-call-1-2", tool: "echo x >.a2a-call-1-2/.envrc; mkdir -p .a2a-call-3-4; echo x >.a2a-call-3-4/.envrc", told: ".a2a-call-1-2/.envrc .a2a-call-3-4/.envrc", left: ".a2a-call-1-2/.envrc"},
			{name: "a repository by a link in a repository", before: "git init -q; mkdir sub", tool: `mkdir -p .git/modules .git/objects/e; printf "[core]\n\tfsmonitor = touch x\n" >.git/objects/e/config; ln -s ../objects/e .git/modules/m; printf "gitdir: ../.git/modules/m\n" >sub/.git`, held: ".git/modules/m"},
			{name: "links to files", before: "git init -q", tool: "mkdir -p .git/annex src; echo x >.git/annex/x; ln -s .git/annex/x a.bin; ln -s src docs; ln -s /usr/share usr", left: "a.bin docs usr"},
			{name: "a link to a directory with a link to a file", before: "mkdir vsc; echo x >real.json; ln -s ../real.json vsc/tasks.json; ln -s vsc .vscode", tool: "echo y >real.json", told: ".vscode"},
			{name: "a link to a directory with a link to another", before: "mkdir gh wf; echo x >wf/ci.yml; ln -s ../wf gh/workflows; ln -s gh .github", tool: "echo y >wf/ci.yml", told: ".github"},
			{name: "a link to a directory with much in it", before: "mkdir vsc; touch vsc/{1..2001}; ln -s vsc .vscode", tool: "echo y >new", told: ".vscode"}, // which of it is looked at, nobody knows
			{name: "hooks where the repository says", before: "git init -q; git config core.hooksPath scripts/h; mkdir -p scripts/h; echo x >scripts/h/pre-commit", tool: "echo y >scripts/h/pre-commit", told: "scripts/h/pre-commit"},
			{name: "new hooks where the repository says", before: "git init -q sub; git -C sub config core.hooksPath x/h; mkdir -p sub/x", tool: "mkdir sub/x/h; echo y >sub/x/h/pre-push", told: "sub/x/h/pre-push"},
			{name: "hooks of other version control", before: "mkdir -p a/_darcs/prefs b/CVS c/.repo/repo", tool: "echo x >a/_darcs/prefs/defaults; echo x >b/CVS/Root; echo x >c/.repo/repo/main.py", held: "a/_darcs/defaults b/CVS/Root c/main.py"},
			{name: "an agent's extensions", before: "mkdir sub", tool: "mkdir -p sub/.pi/extensions; echo x >sub/.pi/extensions/x.ts; echo x >sub/.ycm_extra_conf.py; mkdir sub/.flox", held: "sub/.flox sub/.pi sub/.ycm_extra_conf.py"},
			{name: "a rebase that goes on with a program", before: "git init -q sub", tool: "mkdir sub/.git/rebase-merge; echo ../x >sub/.git/rebase-merge/strategy", told: "sub/.git/rebase-merge/strategy"},
			{name: "a rebase that goes on with a command", before: "git init -q sub", tool: "mkdir sub/.git/rebase-merge; echo 'exec touch x' >sub/.git/rebase-merge/git-rebase-todo", told: "sub/.git/rebase-merge/git-rebase-todo"},

			{name: "plain files", before: "mkdir sub", tool: "echo x >sub/main.go; mkdir -p a/b/c; echo x >a/b/c/README.md; echo x >hooks; mkdir config; echo x >config/config", left: "sub/main.go"},
			{name: "nothing", before: "mkdir sub; echo x >sub/.envrc; echo x >.envrc; git init -q sub", tool: "cat sub/.envrc; ls -R; git -C sub status -s", left: "sub/.envrc .envrc"},
			{name: "beside one that is there", before: "mkdir sub; echo x >sub/.envrc; mkdir sub/.vscode; echo x >sub/.vscode/tasks.json", tool: "echo y >sub/new; mkdir sub/dir", left: "sub/.envrc sub/.vscode/tasks.json"},
			{name: "one taken away", before: "mkdir sub; echo x >sub/.envrc", tool: "rm -r sub", told: "sub/.envrc"},
			{name: "several taken away", before: "mkdir sub; echo ignore-scripts=true >sub/.npmrc; echo x >sub/.envrc; echo x >sub/plain", tool: "rm sub/.npmrc; mv sub/.envrc sub/x; rm sub/plain", told: "sub/.envrc"},
			{name: "packages taken away", before: "mkdir -p node_modules/a; echo x >node_modules/a/.npmrc", tool: "rm -r node_modules"},
			{name: "a repository taken away", before: "git init -q sub; echo x >sub/a; git -C sub add a", tool: "rm -rf sub"},
			{name: "a repository of its own, in a directory of its own", before: "mkdir sub", tool: "git init -q sub/one && git -C sub/one commit -q --allow-empty -m one && git -C sub/one branch b && git -C sub/one remote add o https://example.com/x && git clone -q --no-local sub/one sub/two; git -C sub/two remote set-url origin https://example.com/y", left: "sub/one/.git/config sub/two/.git/config"},
			{name: "clones of a repository of this machine", before: "git init -q one; git -C one commit -q --allow-empty -m one", tool: "unset GIT_TEMPLATE_DIR; git clone -q one two; git clone -q file://$PWD/one a/three; git clone -q --bare one four; git -C two fetch -q; git -C two push -q origin HEAD:x", left: "two/.git/config a/three/.git/config four/config"},
			{name: "a clone of what nobody looks into", before: "git init -q", tool: "git init -q --bare .git/objects/e; mkdir .git/objects/e/hooks; echo x >.git/objects/e/hooks/pre-receive; git clone -q .git/objects/e two", held: "two/.git/config"},
			{name: "a clone with hooks on the other side", before: "mkdir sub", tool: "git init -q --bare one; mkdir one/hooks; echo x >one/hooks/pre-receive; git clone -q one two", held: "one/HEAD", left: "two/.git/config"},
			{name: "a commit", before: "git init -q", tool: "echo x >f; git add f; git commit -q -m one; git checkout -q -b other; git stash list", left: ".git/refs/heads/other"},
			{name: "a work tree", before: "git init -q; git commit -q --allow-empty -m one", tool: "git worktree add -q tree", left: "tree/.git"},
		} {
			if testing.Short() && level != sandbox.LevelFull && i%4 > 0 {
				continue
			}
			t.Run(string(level)+"/"+test.name, func(t *testing.T) {
				t.Parallel()
				dir, err := filepath.EvalSymlinks(t.TempDir())
				if err != nil {
					t.Fatal(err)
				}
				environment := map[string]string{
					"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.com",
					"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "GIT_TEMPLATE_DIR": "",
				}
				prepare := exec.CommandContext(t.Context(), "/bin/bash", "-ec", test.before)
				prepare.Dir, prepare.Env = dir, os.Environ()
				for name, value := range environment {
					prepare.Env = append(prepare.Env, name+"="+value)
				}
				if out, err := prepare.CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
				plan, err := host.Plan(sandbox.Profile{Dir: dir, TempIsolation: test.isolated, AllowedPaths: []tool.AllowedPath{{Path: dir}}, Environment: environment, Limits: tool.DefaultLimits(), BestEffort: true})
				if err != nil {
					t.Fatal(err)
				}
				out, err := host.Run(t.Context(), plan, sandbox.Process{Argv: []string{"/bin/bash", "-ec", test.tool}})
				if err != nil || out.ExitCode != 0 {
					t.Fatalf("%v: %d %s", err, out.ExitCode, out.Stderr)
				}
				var held, told []string
				for _, hint := range out.Changed {
					hint = strings.Replace(hint, "ran, what ", "ran, ", 1)
					rest, ours := strings.CutPrefix(hint, "protected: while the command ran, "+dir+"/")
					if !ours {
						continue // what the level does not enforce
					}
					name, _, _ := strings.Cut(rest, " ")
					_, now, aside := strings.Cut(rest, "; it is ")
					if !aside {
						told = append(told, name)
						continue
					}
					now, _, _ = strings.Cut(now, " now")
					now = strings.TrimPrefix(now, dir+"/")
					if _, err := os.Lstat(filepath.Join(dir, now)); err != nil {
						t.Error(err)
					}
					if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
						t.Errorf("%s is there still", name)
					}
					now, _, _ = strings.Cut(now, ".held-")
					held = append(held, start.ReplaceAllString(now, "START"))
				}
				if diff := cmp.Diff([]string{test.held, test.told}, []string{strings.Join(held, " "), strings.Join(told, " ")}); diff != "" {
					t.Errorf("held and told (-want +got):\n%s%s", diff, strings.Join(out.Changed, "\n"))
				}
				for name := range strings.FieldsSeq(test.left) {
					if _, err := os.Lstat(filepath.Join(dir, name)); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
}
