package permissions

import (
	"strings"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/shellscan"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Rules of version 2 approve a command line together where each of its commands is covered by one of them, all else that
// they say holds of the whole line, and no command can have the names lead elsewhere that one of another rule goes by.
func TestRulesTogether(t *testing.T) {
	t.Parallel()
	b := testbed{}
	b.dir = tree(t, map[string]string{
		"ws/src/a.go": "", "ws/docs/a.md": "", "ws/README.md": "", "ws/sub/up": "-> ../README.md", "ws/main_test.py": "", "ws/package.json": "{}", "ws/.git/HEAD": "ref: refs/heads/x", "ws/.git/objects/": "", "ws/.git/refs/": "",
		"ws/part/HEAD": "ref: refs/heads/main\n", "ws/part/config": hostileSettings,
		"ws/headless/config": hostileSettings, "ws/headless/objects/": "", "ws/headless/refs/": "", "ws/other/HEAD": "ref: refs/heads/main\n",
		"elsewhere/secret": "s", "home/": "",
	})
	b.ws = b.dir + "/ws"
	careful := presetFile(t, "careful")
	own := func(allow string, more ...func(*Rule)) Rule {
		r := rule("own", Approve, append([]func(*Rule){about(toolShell), commands(RedirectsNone, strings.Split(allow, ", ")...)}, more...)...)
		r.Source.Layer = tool.LayerUser
		return r
	}
	other := func(allow string, more ...func(*Rule)) Rule {
		r := own(allow, more...)
		r.ID, r.Source.Line = "other", 9
		return r
	}
	project := careful
	project.Root, project.Layer = b.ws, tool.LayerProject
	project.Rules = []Rule{other("make test")}
	project.Rules[0].Source.Layer = tool.LayerProject
	elsewhere := project
	elsewhere.Root = b.dir + "/elsewhere"
	untrusted := project
	untrusted.TightenOnly = true
	for _, c := range []struct {
		name, text string
		files      []File
		want       string // the verdict, and what the reason ends with
	}{
		{"a pipe", `npm test 2>&1 | tail -20`, []File{v2(own("npm test"))}, "approve own covers `npm test`, careful-commands covers `tail`"},
		{"a list", `ls -la && npm test; echo "$?"`, []File{v2(own("npm test"))}, "approve own covers `npm test`, careful-commands covers `echo`, `ls`"},
		{"a builtin that no rule names", `cd src && npm test | head`, []File{v2(own("npm test"))}, "approve own covers `npm test`, careful-commands covers `head`"},
		{"behind a launcher", `timeout 60 python3 -m unittest | tail`, []File{v2(own("python3 -m unittest"))}, "approve own covers `python3 -m unittest`, careful-commands covers `tail`"},
		{"two rules of a person's", `git add -A && git commit -m x && git push`, []File{v2(own("git add, git push"), other("git commit"))}, "approve own covers `git add`, `git push`, other covers `git commit`"},
		{"three rules", `mkdir -p out && npm test | tail`, []File{v2(own("npm test"), other("mkdir"))}, "approve other covers `mkdir`, own covers `npm test`, careful-commands covers `tail`"},
		{"a workspace's own", `make test | tail`, []File{project}, "approve careful-commands covers `tail`, other covers `make test`"},
		{"that of another workspace", `make test | tail`, []File{elsewhere}, "ask "},
		{"one that nobody trusts", `make test | tail`, []File{untrusted}, "ask "},

		{"one command too many", `npm test | tail && npm publish`, []File{v2(own("npm test"))}, "ask none covers `npm publish`"},
		{"two too many", `npm publish && npm test && git push && npm publish`, []File{v2(own("npm test"))}, "ask none covers `git push`, `npm publish`"},
		{"a file outside", `npm test | tail ../elsewhere/secret`, []File{v2(own("npm test"))}, "ask none covers `tail`: `" + b.dir + "/elsewhere/secret` lies outside the workspace"},
		{"an option that writes", `npm test | sort -o README.md`, []File{v2(own("npm test"))}, "ask "},
		{"an option that runs", `npm test | rg --pre ./x y`, []File{v2(own("npm test"))}, "ask none covers `./x`"},
		{"a redirection that none allows", `npm test > src/out | tail`, []File{v2(own("npm test"))}, "ask rule own does not, because it writes `src/out`, and the rule lets no file be written (commands: {redirects: workspace})"},
		{"a redirection that one does not allow", `npm test > src/out && cat README.md`, []File{v2(own("npm test", commands(RedirectsWorkspace, "npm test")))}, "ask "},
		{"a variable that the line sets, LD_PRELOAD", `LD_PRELOAD=./x npm test | tail`, []File{v2(own("npm test"))}, "ask "},
		{"one that changes nothing for what only reads", `CI=1 npm test | tail`, []File{v2(own("npm test"))}, "approve own covers `npm test`, careful-commands covers `tail`"},
		{"a file that is excluded", `npm test | tail README.md`, []File{v2(own("npm test", exclude("README.md")))}, "ask none covers `npm test`: rule own does not, because `README.md` is in exclude_paths (README.md)"},
		{"no network", `curl https://a.example | npm test`, []File{v2(own("npm test", network(false, "npm test")), other("curl"))}, "ask none covers `npm test`: rule own does not, because `curl` reaches other machines, and the rule says network: false"},
		{"a condition about all commands", `npm test | tail`, []File{v2(own("npm test", when("call.commands == ['npm']")))}, "ask none covers `npm test`: rule own does not, because when: call.commands == ['npm'] is false"},
		{"the risk of all", `npm test | tail`, []File{v2(own("npm test", atMost(RiskLow)))}, "ask none covers `npm test`: rule own does not, because the risk is medium (it runs known commands in the workspace), and the rule goes up to low"},
		{"expired", `npm test | tail`, []File{v2(own("npm test", func(r *Rule) { r.Expires = time.Unix(1, 0) }))}, "ask "},
		{"another agent's", `npm test | tail`, []File{v2(own("npm test", agents("other")))}, "ask "},
		{"only watched", `npm test | tail`, []File{v2(own("npm test", func(r *Rule) { r.Observe = true }))}, "ask "},
		{"of the original format", `npm test | tail`, []File{v1(own("npm test"))}, "ask "},
		{"a rule that asks", `npm test | tail`, []File{v2(own("npm test"), rule("look", Ask, commands("", "npm")))}, "ask the tool and the commands match"},
		{"a rule that rejects", `npm test | tail`, []File{v2(own("npm test"), rule("no", Reject, commands("", "tail")))}, "reject the tool and the commands match"},
		{"input that is run", `cat README.md | bash`, []File{v2(own("bash"))}, "ask it cannot be told what it runs: line 1: bash runs what it reads on its standard input"},

		{"input that says what is packed", `find . -name x | zip -@ x.zip`, []File{v2(own("zip"))}, "ask `zip` may do what `find` prints, so one rule has to cover both"},
		{"input that is applied", `cat README.md | kubectl apply -f -`, []File{v2(own("kubectl apply"))}, "ask `kubectl apply` may do what `cat` prints, so one rule has to cover both"},
		{"input that is taken for a file", `cat README.md | docker compose -f - up`, []File{v2(own("docker compose"))}, "ask `docker compose` may do what `cat` prints, so one rule has to cover both"},
		{"input that is run, of a console", `cat README.md | rails console`, []File{v2(own("rails console"))}, "ask it cannot be told what it runs: line 1: rails runs what it reads on its standard input"},
		{"and of another", `cat README.md | dotnet fsi`, []File{v2(own("dotnet fsi"))}, "ask it cannot be told what it runs: line 1: dotnet runs what it reads on its standard input"},
		{"a link that moves", `mv src/a.go up && cat up`, []File{v2(own("mv"))}, "ask `mv` may have the names that `cat` goes by lead elsewhere, so one rule has to cover both"},
		{"and back", `cat up || mv src/a.go up`, []File{v2(own("mv"))}, "ask `mv` may have the names that `cat` goes by lead elsewhere, so one rule has to cover both"},
		{"in a loop", `while true; do cat up; mv src/a.go up; done`, []File{v2(own("mv"))}, "ask `mv` may have the names that `cat` goes by lead elsewhere, so one rule has to cover both"},
		{"a directory that becomes a link", `mv docs src && cd src && ls`, []File{v2(own("mv"))}, "ask `mv` may have the names that `cd` goes by lead elsewhere, so one rule has to cover both"},
		{"another tree", `git checkout other && grep -r x .`, []File{v2(own("git checkout"))}, "ask `git checkout` may have the names that `grep` goes by lead elsewhere, so one rule has to cover both"},
		{"what it unpacks", `tar xf a.tar && cat README.md`, []File{v2(own("tar xf a.tar"))}, "ask rule careful-commands does not, because `tar`: its option -x does more than read and print"},
		{"what it unpacks to a place", `unzip a.zip && cat README.md`, []File{v2(own("unzip a.zip"))}, "ask `unzip` may have the names that `cat` goes by lead elsewhere, so one rule has to cover both"},
		{"a program that nobody knows", `./tool && cat README.md`, []File{v2(own("./tool"))}, "ask `./tool` may have the names that `cat` goes by lead elsewhere, so one rule has to cover both"},
		{"two that move", `mv src/a.go up && cp up README.md`, []File{v2(own("mv"), other("cp"))}, "ask `mv` may have the names that `cp` goes by lead elsewhere, so one rule has to cover both"},
		{"a redirection", `mv src/a.go up && cat < up`, []File{v2(own("mv"))}, "ask `mv` may have the name of a redirection lead elsewhere"},
		{"one in a substitution", `mv src/a.go up; cat <<< "$(< up)"`, []File{v2(own("mv"))}, "ask `mv` may have the name of a redirection lead elsewhere"},
		{"one to a file", `mv src/a.go up && npm test > up`, []File{v2(own("mv", commands(RedirectsWorkspace, "mv")), other("npm test", commands(RedirectsWorkspace, "npm test")))}, "ask `mv` may have the name of a redirection lead elsewhere"},
		{"one of what bash prints", `git checkout other && echo "$(< up)"`, []File{v2(own("git checkout"))}, "ask rule own does not, because `git checkout` may have the name of a redirection lead elsewhere"},
		{"one of what bash writes", `mv src/a.go up; echo x > up`, []File{v2(own("mv", commands(RedirectsWorkspace, "mv")))}, "ask rule own does not, because `mv` may have the name of a redirection lead elsewhere"},
		{"one that leads to nothing", `git checkout other > /dev/null 2>&1; echo "$?"`, []File{v2(own("git checkout"))}, "approve the tool and the commands match"},
		{"what a build is told to write", `mv src/a.go up && go build -o up .`, []File{v2(own("mv"), other("go build"))}, "ask `mv` may have the names that `go build` goes by lead elsewhere, so one rule has to cover both"},
		{"what a rule spells", `mv src/a.go up && go build -v -o up ./...`, []File{v2(own("mv"), other("go build -v -o up"))}, "approve own covers `mv`, other covers `go build -v -o up`"},
		{"a file that says which version is meant", `git checkout other && npm --version`, []File{v2(own("git checkout"))}, "ask `git checkout` may have the names that `npm` goes by lead elsewhere, so one rule has to cover both"},
		{"a repository", `mkdir part/refs part/objects && git -C part status`, []File{v2(own("mkdir"))}, "ask `mkdir` may make a repository of `part`, in which git runs"},
		{"of one rule, too", `mkdir part/refs part/objects && git -C part status`, []File{v2(own("mkdir, git status"))}, "ask rule own does not, because `mkdir` may make a repository of `part`, in which git runs"},
		{"one that a redirection makes", `echo 'ref: refs/heads/x' > headless/HEAD && git -C headless log`, []File{v2(own("git log", commands(RedirectsWorkspace, "git log")))}, "ask rule own does not, because it writes a HEAD, which may make a repository of `headless`, in which git runs"},
		{"one that a command makes by its name", `mv other/HEAD headless/HEAD && git -C headless log`, []File{v2(own("mv, git log"))}, "ask rule own does not, because `mv` may make a repository of `headless`, in which git runs"},
		{"one that is copied together", `cp -r other/. headless && git -C headless log`, []File{v2(own("cp, git log"))}, "ask rule own does not, because `cp` may make a repository of `headless`, in which git runs"},
		{"a HEAD where a repository is", `touch HEAD && git status`, []File{v2(own("touch"))}, "approve own covers `touch`, careful-commands covers `git status`"},
		{"a copy where a repository is", `cp README.md x && git status`, []File{v2(own("cp, git status"))}, "approve the tool and the commands match"},
		{"a repository that is entered", `cd part && mkdir refs objects; git log`, []File{v2(own("mkdir"))}, "ask `mkdir` may make a repository of `part`, in which git runs"},
		{"one that a build makes", `cd part && go build -o refs/ . && git status`, []File{v2(own("go build"))}, "ask `go build` may make a repository of `part`, in which git runs"},
		{"no repository", `mkdir -p docs/refs && git -C docs log && chmod +x src/a.go`, []File{v2(own("mkdir"), other("chmod"))}, "approve own covers `mkdir`, other covers `chmod`, careful-commands covers `git`"},
		{"a tool that a runner runs", `npx tsc --noEmit && git status && cat README.md`, []File{v2(own("npx tsc"))}, "approve own covers `npx tsc`, careful-commands covers `cat`, `git status`"},
		{"a module that is run", `python3 -m pytest -q && git status && cat README.md`, []File{v2(own("python3 -m pytest"))}, "approve own covers `python3 -m pytest`, careful-commands covers `cat`, `git status`"},
		{"a formatter", `gofmt -w src/a.go && git status && cat src/a.go`, []File{v2(own("gofmt -w"))}, "approve own covers `gofmt -w`, careful-commands covers `cat`, `git status`"},
		{"what another machine does", `git push -u origin x && gh pr create --title a`, []File{v2(own("git push"), other("gh pr create"))}, "approve own covers `git push`, other covers `gh pr create`"},
		{"another one's work tree", `gh pr checkout 3 && git status`, []File{v2(own("gh pr checkout"))}, "ask `gh pr` may have the names that `git status` goes by lead elsewhere, so one rule has to cover both"},
		{"what rg is told to ignore", `pytest --junitxml=.ignore; rg x`, []File{v2(own("pytest"))}, "ask `pytest` may have the names that `rg` goes by lead elsewhere, so one rule has to cover both"},
		{"the same by a linter", `ruff check --output-file=.ignore; rg x`, []File{v2(own("ruff check"))}, "ask `ruff` may have the names that `rg` goes by lead elsewhere, so one rule has to cover both"},
		{"what git is told to ignore", `chmod 000 docs && git status`, []File{v2(own("chmod"))}, "ask `chmod` may have the names that `git status` goes by lead elsewhere, so one rule has to cover both"},
		{"one rule for both", `mv src/a.go up && touch x && ls`, []File{v2(own("mv, touch"))}, "approve own covers `mv`, `touch`, careful-commands covers `ls`"},
		{"no name", `mv src/a.go up && ls && pwd`, []File{v2(own("mv"))}, "approve own covers `mv`, careful-commands covers `ls`, `pwd`"},
		{"the project's own code", `npm test && cat README.md`, []File{v2(own("npm test"))}, "approve own covers `npm test`, careful-commands covers `cat`"},
		{"what it reads first", `cd src && mv a.go x && ls`, []File{v2(own("mv"))}, "approve own covers `mv`, careful-commands covers `ls`"},
	} {
		a := b.authority(append([]File{careful}, c.files...)...)
		d := a.Decide(b.run(c.text))
		got := d.Verdict.String() + " "
		_, covers, together := strings.Cut(d.Reason, "cover its commands: ")
		_, why, none := strings.Cut(d.Reason, "no rule covers the command: ")
		switch {
		case strings.HasSuffix(c.want, " "): // whatever the reason is
		case together:
			got += covers
		case none:
			got += why
		default:
			got += d.Reason
		}
		if got != c.want {
			t.Errorf("%s: %s: %q, want %q (%s)", c.name, c.text, got, c.want, d.Reason)
		}
		if d.Verdict != Approve {
			continue
		}
		for _, command := range shellscan.Scan(c.text, nil).Commands { // and each alone
			alone := shellscan.ScanArgv(append([]string{command.Name}, fixedTexts(command)...), nil)
			r := b.run(c.text)
			if r.Shell = &alone; command.Builtin || command.Name == "timeout" {
				continue
			}
			if d := a.Decide(r); d.Verdict != Approve {
				t.Errorf("%s: %s alone: %s", c.name, command.Name, d.Reason)
			}
		}
	}
}

// What several rules approve together counts towards the limits of all of them, runs under the profile that one wants, has
// the optionId that all want, and leaves governors out where all do. The record names them all.
func TestWhatRulesTogetherSay(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	limited := func(r *Rule) { r.Limit = &Limit{Count: 1, Per: time.Hour} }
	own := func(id, allow string, more ...func(*Rule)) Rule {
		r := rule(id, Approve, append([]func(*Rule){about(toolShell), commands(RedirectsNone, allow)}, more...)...)
		r.Source.Column = len(id)
		return r
	}
	text := b.run("npm test | tail")
	text.TakesProfile = true
	option := func(r *Rule) { r.Option = "once" }
	skips := func(r *Rule) { r.SkipGovernors = true }
	other := func(r *Rule) { r.Sandbox = "other" }
	reads := rule("reads", Approve, about(toolShell), commands(RedirectsNone, "tail"))
	a := b.authority(v2(own("tests", "npm test", limited, because("it tests")), own("ends", "tail", limited)))
	first, second := a.Take(text), a.Take(text)
	if first.Verdict != Approve || first.Rule != "tests" || first.Reason != "rules together cover its commands: tests covers `npm test`, ends covers `tail`" {
		t.Errorf("the first: %+v", first)
	}
	for i, want := range []string{"tests", "ends"} {
		if r := first.Reasons[i]; r.Rule != want || !r.Matched || r.Why != first.Reason || r.Condition != "" {
			t.Errorf("reason %d: %+v", i, r)
		}
	}
	if want := "the rule has approved 1 time within 1h0m0s, which is its limit"; second.Verdict != Ask || second.Reason != want {
		t.Errorf("the second: %s %s, want ask %s", second.Verdict, second.Reason, want)
	}
	if d := a.Decide(b.run("tail README.md")); d.Verdict != Ask {
		t.Errorf("the limit of the second rule: %s %s", d.Verdict, d.Reason)
	}
	for _, c := range []struct {
		name    string
		rules   []Rule
		want    Verdict
		profile string
		option  string
		skips   bool
	}{
		{"plain", []Rule{own("tests", "npm test"), reads}, Approve, "", "", false},
		{"one profile", []Rule{own("tests", "npm test", inProfile), reads}, Approve, "dev", "", false},
		{"one profile, the other rule first", []Rule{reads, own("tests", "npm test", inProfile)}, Approve, "dev", "", false},
		{"two profiles", []Rule{own("tests", "npm test", inProfile), own("ends", "tail", other)}, Ask, "", "", false},
		{"two, and a rule without", []Rule{own("tests", "npm test", inProfile), own("ends", "tail", other), reads}, Approve, "dev", "", false},
		{"a further one in front", []Rule{own("ends", "tail", other), reads, own("tests", "npm test", inProfile)}, Approve, "dev", "", false},
		{"an option of one", []Rule{own("tests", "npm test", option), reads}, Approve, "", "", false},
		{"of both", []Rule{own("tests", "npm test", option), own("ends", "tail", option)}, Approve, "", "once", false},
		{"one skips", []Rule{own("tests", "npm test", skips), reads}, Approve, "", "", false},
		{"both skip", []Rule{own("tests", "npm test", skips), own("ends", "tail", skips)}, Approve, "", "", true},
	} {
		d := b.authority(v2(c.rules...)).Decide(text)
		if d.Verdict != c.want || d.Obligation.Profile != c.profile || d.Option != c.option || d.SkipGovernors != c.skips {
			t.Errorf("%s: %s, profile %q, option %q, skips %t; want %s, %q, %q, %t (%s)", c.name, d.Verdict, d.Obligation.Profile, d.Option,
				d.SkipGovernors, c.want, c.profile, c.option, c.skips, d.Reason)
		}
	}
	text.TakesProfile = false
	if d := b.authority(v2(own("tests", "npm test", inProfile), reads)).Decide(text); d.Verdict != Ask {
		t.Errorf("where nobody can have it run in the sandbox: %s", d.Reason)
	}
}
