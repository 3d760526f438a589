package permissions

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// git runs git in a directory, with nobody's settings.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	path, err := exec.LookPath("git")
	if err != nil {
		t.Skip("found no git, wanted one to ask")
	}
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v: %s", args, err, out)
	}
	return string(out)
}

// What a repository's settings name is asked about, and what everybody's settings hold is not. With -short
// each row has one command.
func TestRepositorySettings(t *testing.T) {
	t.Parallel()
	for i, row := range []struct{ settings, want string }{
		{"[core]\n\tbare = false\n\tfilemode = true\n\tfsmonitor = true\n\tpager = less -FRX\n\tsshCommand = ssh -i ~/.ssh/work", ""},
		{"[remote \"origin\"]\n\turl = git@github.com:a/b.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch \"main\"]\n\tremote = origin", ""},
		{"[filter \"lfs\"]\n\tclean = git-lfs clean -- %f\n\tprocess = git-lfs filter-process\n\trequired = true", ""},
		{"[filter \"git-crypt\"]\n\tsmudge = \\\"git-crypt\\\" smudge\n\tclean = \\\"git-crypt\\\" clean", ""},
		{"[merge \"ours\"]\n\tdriver = true\n[alias]\n\tst = !./evil\n[pager]\n\tlog = false", ""},
		{"[core]\n\thooksPath = .husky/_", ""},

		{"[core]\n\tfsmonitor = ./evil", "core.fsmonitor"},
		{"[CORE]\n\tFSMonitor = \"./ev\" il", "core.fsmonitor"},
		{"[core] fsmonitor = ./evil", "core.fsmonitor"},
		{"[core]\n\tfsmonitor = \\\n./evil", "core.fsmonitor"},
		{"[core]\n\tfsmonitor = false ; x\n\tfsmonitor = ./evil", "core.fsmonitor"},
		{"[core]\n\tpager = ./evil", "core.pager"},
		{"[core]\n\tpager = \"less; ./evil\"", "core.pager"},
		{"[pager]\n\tlog = ./evil", "pager.log"},
		{"[diff]\n\texternal = ./evil", "diff.external"},
		{"[diff \"a.b\"]\n\ttextconv = ./evil", "diff.a.b.textconv"},
		{"[diff.a]\n\tcommand = ./evil", "diff.a.command"},
		{"[filter \"x\"]\n\tclean = ./evil", "filter.x.clean"},
		{"[filter \"lfs\"]\n\tclean = \"git-lfs clean; ./evil\"", "filter.lfs.clean"},
		{"[filter \"lfs\"]\n\tclean = git-lfs `./evil`", "filter.lfs.clean"},
		{"[filter \"lfs\"]\n\tprocess = ./git-lfs filter-process", "filter.lfs.process"},
		{"[gpg]\n\tprogram = ./evil\n[log]\n\tshowSignature = true", "gpg.program"},
		{"[gpg \"ssh\"]\n\tdefaultKeyCommand = ./evil", "gpg.ssh.defaultkeycommand"},
		{"[merge \"x\"]\n\tdriver = ./evil %O", "merge.x.driver"},
		{"[extensions]\n\tpartialClone = origin\n[remote \"origin\"]\n\turl = ext::./evil", "remote.origin.url"},
		{"[remote \"origin\"]\n\tpromisor = true\n\tuploadpack = ./evil", "remote.origin.uploadpack"},
		{"[remote \"origin\"]\n\tpromisor = true\n[core]\n\tsshCommand = ./evil", "core.sshcommand"},
		{"[extensions]\n\tpartialClone = ./evil", "remote../evil.url"},
		{"[remote \"foo::evil\"]\n\tpromisor = true", "remote.foo::evil.url"},
		{"[extensions]\n\tpartialClone = legacy\n[remote \"legacy\"]\n\turl =", "remote.legacy.url"},
		{"[core]\n\trepositoryformatversion = 0\n\tworktree = ../../elsewhere", "work tree elsewhere"},
		{"[core]\n\thooksPath = hooks", "post-index-change"},
		{"[include]\n\tpath = ../more", "core.fsmonitor"},
		{"[includeIf \"gitdir:/\"]\n\tpath = ../more", "includeif.gitdir:/.path"},
		{"[include]\n\tpath = config", "include depth"},
		{"core.fsmonitor = ./evil", "cannot be told"},
		{"[core]\n\tfsmonitor = \"./evil", "cannot be told"},
		{"[core\n]fsmonitor = ./evil", "cannot be told"},
	} {
		t.Run(row.want, func(t *testing.T) {
			t.Parallel()
			dir := tree(t, map[string]string{
				"ws/.git/HEAD": "ref: refs/heads/main", "ws/.git/objects/": "", "ws/.git/refs/": "", "ws/.git/config": row.settings, "ws/more": "[core]\nfsmonitor = ./evil\n",
				"ws/hooks/post-index-change": "", "ws/.husky/_/pre-commit": "", "elsewhere/": "", "ws/a/b/": "",
			})
			bed := testbed{dir, dir + "/ws"}
			for j, text := range []string{"git status", "cd a/b && git diff", "git --no-pager log -p"} {
				if testing.Short() && i%3 != j {
					continue
				}
				d := bed.authority(presetFile(t, "careful")).Decide(bed.run(text))
				why := because1(d)
				if approved := d.Verdict == Approve; approved != (row.want == "") || !strings.Contains(why, row.want) {
					t.Errorf("%s: with the settings\n%s\nit is %s (%s), want %q", text, row.settings, d.Verdict, why, row.want)
				}
			}
		})
	}
}

// Where git knows of no files, git diff reads all of two directories, secrets too.
func TestDiffOfDirectories(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{
		"ws/docs/a.md": "", "ws/docs/c.md": "", "ws/private/.env": "KEY=1", "ws/repo/.git/HEAD": "ref: refs/heads/main", "ws/repo/.git/objects/": "", "ws/repo/.git/refs/": "", "ws/repo/a.md": "", "ws/repo/sub/.env": "",
		"elsewhere/": "", "home/": "",
	})
	bed := testbed{dir, dir + "/ws"}
	for text, want := range map[string]Verdict{
		"git diff docs private": Ask, "git diff --stat private docs": Ask, "git diff docs/a.md docs/c.md": Approve, "cd repo && git diff sub a.md": Approve,
		"cd repo && git diff ../private ../docs": Ask, "cd repo && git diff ../docs sub": Ask, "git diff docs docs": Approve,
	} {
		if d := bed.authority(presetFile(t, "careful")).Decide(bed.run(text)); d.Verdict != want {
			t.Errorf("%s: it is %s, want %s: %s", text, d.Verdict, want, because1(d))
		}
	}
}

// What reads all below a directory reads what lies in a .git, too, and diff what the links there lead to.
func TestTreesWithARepository(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{
		"ws/plain/.git/HEAD": "ref: refs/heads/main", "ws/plain/.git/objects/ab/cd": "", "ws/plain/.git/refs/": "", "ws/plain/.git/config": "", "ws/plain/a.md": "",
		"ws/secret/.git/.env": "KEY=1", "ws/deep/a/.git/info/id_rsa": "", "ws/linked/.git/x": "-> ../../../elsewhere/secret", "ws/docs/a.md": "",
		"ws/objects/.git/objects/x": "-> ../../../../elsewhere/secret", "elsewhere/secret": "", "home/": "",
	})
	bed := testbed{dir, dir + "/ws"}
	for text, want := range map[string]Verdict{
		"grep -r KEY plain": Approve, "diff -r plain docs": Approve, "rg --hidden KEY plain": Approve, "grep -r KEY linked": Approve, "rg KEY secret": Approve,
		"grep -r KEY secret": Ask, "grep -r KEY deep": Ask, "cd deep && grep -r KEY": Ask, "rg -uu KEY secret": Ask, "diff -rN secret docs": Ask, "diff -rN deep docs": Ask,
		"diff -rN linked docs": Ask, "diff linked docs": Ask, "diff -rN objects docs": Ask, "git diff secret docs": Ask,
	} {
		if d := bed.authority(presetFile(t, "careful")).Decide(bed.run(text)); d.Verdict != want {
			t.Errorf("%s: it is %s, want %s: %s", text, d.Verdict, want, because1(d))
		}
	}
}

// Where git goes to another repository, what it runs on the way counts as well; and so it does for commands
// that only a rule knows.
func TestSettingsOfRemotes(t *testing.T) {
	t.Parallel()
	for settings, want := range map[string]Verdict{
		"[remote \"origin\"]\n\turl = git@github.com:a/b.git\n[core]\n\tsshCommand = ssh -i ~/.ssh/work -o IdentitiesOnly=yes\n[credential]\n\thelper = store": Approve,
		"[remote \"origin\"]\n\turl = ext::./evil":                 Ask,
		"[remote \"origin\"]\n\treceivepack = ./evil":              Ask,
		"[core]\n\tsshCommand = ssh -o ProxyCommand=./evil":        Ask,
		"[core]\n\tsshCommand = \"ssh; ./evil\"":                   Ask,
		"[url \"ext::./evil \"]\n\tinsteadOf = https://github.com": Ask,
		"[credential]\n\thelper = !./evil":                         Ask,
		"[core]\n\tfsmonitor = ./evil":                             Ask,
	} {
		dir := tree(t, map[string]string{"ws/.git/HEAD": "ref: refs/heads/main", "ws/.git/objects/": "", "ws/.git/refs/": "", "ws/.git/config": settings, "elsewhere/": "", "home/": ""})
		bed := testbed{dir, dir + "/ws"}
		a := bed.authority(File{Name: "x", Version: Version2, Rules: []Rule{rule("r", Approve, func(r *Rule) { r.AppliesTo = []string{toolShell} }, commands("", "git push", "git commit"))}})
		if d := a.Decide(bed.run("git push origin main")); d.Verdict != want {
			t.Errorf("with the settings\n%s\npushing is %s, want %s: %s", settings, d.Verdict, want, d.Reasons[0].Why)
		}
		if d := a.Decide(bed.run("git commit -m x")); (d.Verdict == Ask) != strings.Contains(settings, "fsmonitor") {
			t.Errorf("with the settings\n%s\ncommitting is %s", settings, d.Verdict)
		}
	}
}

// Work trees that share a repository, and submodules of every form, are looked into with the repository
// around them.
func TestRepositoriesInside(t *testing.T) {
	t.Parallel()
	evil := func(t *testing.T, dir string) { git(t, dir, "config", "core.fsmonitor", "./evil") }
	commit := []string{"-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"}
	for name, prepare := range map[string]func(t *testing.T, ws string){
		"an index of version 2": func(t *testing.T, ws string) { git(t, ws, "config", "index.version", "2") },
		"an index of version 4": func(t *testing.T, ws string) { git(t, ws, "config", "index.version", "4") },
		"a file to be added": func(t *testing.T, ws string) {
			if err := os.WriteFile(ws+"/later", nil, 0o600); err != nil {
				t.Fatal(err)
			}
			git(t, ws, "add", "-N", "later")
		},
		"longer hashes": func(t *testing.T, ws string) {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := tree(t, map[string]string{"ws/a": "a", "ws/inner/x": "x", "ws/ab/c": "", "ws/inner2/": "", "elsewhere/": "", "home/": ""})
			bed := testbed{dir, dir + "/ws"}
			format := "--object-format=sha1"
			if name == "longer hashes" {
				format = "--object-format=sha256"
			}
			for _, at := range []string{bed.ws + "/inner", bed.ws} {
				git(t, at, "init", "-q", format, "-b", "main", ".")
				if at == bed.ws && name != "a file to be added" {
					prepare(t, at)
				}
				git(t, at, "-c", "advice.addEmbeddedRepo=false", "add", ".")
				git(t, at, append(slices.Clone(commit), "commit", "-q", "-m", "one")...)
			}
			if name == "a file to be added" {
				prepare(t, bed.ws)
			}
			decide := func() Decision { return bed.authority(presetFile(t, "careful")).Decide(bed.run("git status")) }
			if d := decide(); d.Verdict != Approve {
				t.Fatalf("with a harmless submodule it is %s: %s", d.Verdict, because1(d))
			}
			evil(t, bed.ws+"/inner")
			if d := decide(); d.Verdict != Ask || !strings.Contains(because1(d), "submodule inner") {
				t.Errorf("with a submodule whose settings name a program it is %s: %s", d.Verdict, because1(d))
			}
		})
	}
	t.Run("a work tree beside it", func(t *testing.T) {
		t.Parallel()
		dir := tree(t, map[string]string{"main/a": "a", "elsewhere/": "", "home/": ""})
		git(t, dir+"/main", "init", "-q", "-b", "main", ".")
		git(t, dir+"/main", "add", "a")
		git(t, dir+"/main", append(slices.Clone(commit), "commit", "-q", "-m", "one")...)
		git(t, dir+"/main", "worktree", "add", "-q", dir+"/ws")
		bed := testbed{dir, dir + "/ws"}
		if d := bed.authority(presetFile(t, "careful")).Decide(bed.run("git status")); d.Verdict != Approve {
			t.Fatalf("it is %s: %s", d.Verdict, because1(d))
		}
		evil(t, dir+"/main")
		if d := bed.authority(presetFile(t, "careful")).Decide(bed.run("git status")); d.Verdict != Ask {
			t.Errorf("with settings that name a program it is %s", d.Verdict)
		}
	})
	t.Run("an index in two files", func(t *testing.T) {
		t.Parallel()
		dir := tree(t, map[string]string{"ws/a": "a", "elsewhere/": "", "home/": ""})
		git(t, dir+"/ws", "init", "-q", "-b", "main", ".")
		git(t, dir+"/ws", "add", "a")
		git(t, dir+"/ws", "update-index", "--split-index")
		bed := testbed{dir, dir + "/ws"}
		if d := bed.authority(presetFile(t, "careful")).Decide(bed.run("git status")); d.Verdict != Approve { // git reads both
			t.Errorf("it is %s: %s", d.Verdict, because1(d))
		}
	})
}
