package permissions

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/gitrepo"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

const (
	toolRead  = "functions.acp_fs__read_text_file"
	toolWrite = "functions.acp_fs__write_text_file"
	toolShell = "functions.shell"
)

// place is where the tests' acts happen: a workspace with a few files and links, beside a directory that is
// none of it.
type testbed struct{ dir, ws string }

func newTestbed(t testing.TB) testbed {
	t.Helper()
	dir := tree(t, map[string]string{
		"ws/.git/HEAD": "ref: refs/heads/x", "ws/.git/objects/": "", "ws/.git/refs/": "", "ws/docs/a.md": "", "ws/src/a.go": "", "ws/src/sub/b.go": "", "ws/README.md": "",
		"ws/out": "-> ../elsewhere", "ws/out.md": "-> ../elsewhere/secret", "ws/docs/escape": "-> ../../elsewhere",
		"ws/docs/to_src": "-> ../src", "ws/docs/to_git.md": "-> ../.git/config",
		"elsewhere/secret": "s", "more/c.go": "", "home/.bashrc": "", "home/notes/n.md": "",
	})
	if err := os.Link(dir+"/ws/.git/HEAD", dir+"/ws/docs/linked.md"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("linked.md", dir+"/ws/docs/to_linked.md"); err != nil {
		t.Fatal(err)
	}
	return testbed{dir, dir + "/ws"}
}

func (b testbed) authority(files ...File) *Authority {
	a := New(Options{Policies: NewSet(files), OwnPaths: []string{b.dir + "/state"}, Home: b.dir + "/home", Environ: b.environ()})
	a.git.(*gitrepo.Asker).Within = time.Minute // on a busy machine it takes a while
	a.panics = true
	a.ungathered = func(what string) { panic("rules are matched, and nobody has gathered what they look at: " + what) }
	return a
}

// unchanging is authority for a bed that nobody changes any more: git is asked once about each directory.
func (b testbed) unchanging(git *askedOnce, files ...File) *Authority {
	a := b.authority(files...)
	git.git = a.git
	a.git = git
	return a
}

// askedOnce remembers what git has said.
type askedOnce struct {
	git   gitAsker
	mu    sync.Mutex // guards what follows
	found map[string]answeredLook
}

type answeredLook struct {
	repository *gitrepo.Repository
	err        error
}

func (o *askedOnce) Look(ctx context.Context, dir string, avoid ...string) (*gitrepo.Repository, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	key := strings.Join(append([]string{dir}, avoid...), "\x00")
	answer, known := o.found[key]
	if !known {
		answer.repository, answer.err = o.git.Look(ctx, dir, avoid...)
		if o.found == nil {
			o.found = map[string]answeredLook{}
		}
		o.found[key] = answer
	}
	return answer.repository, answer.err
}

func (o *askedOnce) Taken(ctx context.Context, top string, t gitrepo.Take, avoid ...string) ([]string, error) {
	return o.git.Taken(ctx, top, t, avoid...)
}

func (o *askedOnce) Tracked(ctx context.Context, dir string, avoid ...string) ([]string, error) {
	return o.git.Tracked(ctx, dir, avoid...)
}

// environ is that of the agent: no settings of git's are the tester's.
func (b testbed) environ() []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + b.dir + "/home", "GIT_CONFIG_NOSYSTEM=1"}
}

func (b testbed) request(action Action, id string, paths ...string) Request {
	r := Request{
		Door: tool.DoorACP, Action: action, Tools: []string{id}, Dir: b.ws, Session: "s",
		Workspace: tool.Workspace{Root: b.ws, Additional: []string{b.dir + "/more"}},
	}
	for _, path := range paths {
		r.Paths = append(r.Paths, Path{Name: path, Write: writes(action)})
	}
	return r
}

func (b testbed) write(paths ...string) Request { return b.request(ActionWrite, toolWrite, paths...) }
func (b testbed) read(paths ...string) Request  { return b.request(ActionRead, toolRead, paths...) }

// call is a call of a tool of ours by an agent.
func (b testbed) call(id string, arguments map[string]any, paths ...string) Request {
	r := b.request(ActionCall, id, paths...)
	r.Door, r.Arguments = tool.DoorMCP, arguments
	for i := range r.Paths {
		r.Paths[i].Write = true
	}
	return r
}

// rule makes a rule for the tests; more changes it.
func rule(id string, verdict Verdict, more ...func(*Rule)) Rule {
	r := Rule{ID: id, AppliesTo: []string{"*"}, Verdict: verdict, Source: tool.Source{File: "p.yaml", Line: 7}}
	for _, change := range more {
		change(&r)
	}
	return r
}

func include(globs ...string) func(*Rule) { return func(r *Rule) { r.IncludePaths = globs } }
func exclude(globs ...string) func(*Rule) { return func(r *Rule) { r.ExcludePaths = globs } }
func about(ids ...string) func(*Rule)     { return func(r *Rule) { r.AppliesTo = ids } }
func because(reason string) func(*Rule)   { return func(r *Rule) { r.Reason = reason } }
func equal(name string, value any) func(*Rule) {
	return func(r *Rule) { r.Parameters = map[string]any{name: value} }
}
func commands(redirects Redirects, allow ...string) func(*Rule) {
	return func(r *Rule) { r.Commands = &Commands{Allow: allow, Redirects: redirects} }
}

func inProfile(r *Rule) { r.Sandbox = "dev" }

func v2(rules ...Rule) File { return File{Version: Version2, Layer: tool.LayerUser, Rules: rules} }
func v1(rules ...Rule) File {
	return File{Version: VersionOriginal, Layer: tool.LayerUser, Rules: rules}
}

func said(d Decision) string { return d.Verdict.String() + " " + string(d.Source) }

// One row for each reason for which a rule does not approve.
func TestWhyARuleDoesNotApprove(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	tests := []struct {
		name    string
		rule    Rule
		request Request
		want    string // in the reason
	}{
		{"another tool", rule("r", Approve, about("web_*")), b.write("docs/a.md"), "the tool is functions.acp_fs__write_text_file, and the rule is about web_*"},
		{"no git work tree", rule("r", Approve, func(r *Rule) { r.InGitWorkTree = true }), Request{Action: ActionWrite, Workspace: tool.Workspace{Root: b.dir}}, "is no git work tree"},
		{"no sandbox", rule("r", Approve, func(r *Rule) { r.Confined = true }), b.write("docs/a.md"), "no sandbox of the agent's holds the act"},
		{"nobody who takes a profile", rule("r", Approve, commands("", "npm test"), inProfile), b.run("npm test"), "nobody here can have this one run there"},
		{"argument missing", rule("r", Approve, equal("method", "GET")), b.call("x", nil), "there is no argument method"},
		{"argument other", rule("r", Approve, equal("method", "GET")), b.call("x", map[string]any{"method": "POST"}), `the argument method is "POST", not "GET"`},
		{"argument of another type", rule("r", Approve, equal("n", json.Number("1"))), b.call("x", map[string]any{"n": "1"}), `the argument n is "1", not 1`},
		{"path not included", rule("r", Approve, include("docs/**")), b.write("src/a.go"), "`src/a.go` is not in include_paths (docs/**)"},
		{"path excluded", rule("r", Approve, include("**"), exclude("src/**")), b.write("src/a.go"), "`src/a.go` is in exclude_paths (src/**)"},
		{"no path for include_paths", rule("r", Approve, include("**")), b.call("x", nil), "it names no path"},
		{"a write that names no file", rule("r", Approve), b.write(), "names none"},
		{"outside without include_paths", rule("r", Approve), b.write("../elsewhere/x"), "lies outside the workspace, and the rule names no paths"},
		{"path that cannot be told", rule("r", Approve), b.write("http://x/y"), "the path cannot be told"},
		{"control file", rule("r", Approve, include("**")), b.write(".git/hooks/pre-commit"), "`.git/hooks/pre-commit` runs as code later, and include_paths does not name it exactly"},
		{"build file", rule("r", Approve, include("**")), b.write("Makefile"), "`Makefile` runs at your next build"},
		{"secret file", rule("r", Approve, include("**")), b.read(".env"), "`.env` may hold a secret"},
		{"paths for a command", rule("r", Approve, include("**")), b.request(ActionExecute, toolShell), "paths never approve commands"},
		{"excluded paths for a command", rule("r", Approve, exclude("x")), b.request(ActionExecute, toolShell), "nobody can tell"},
		{"commands for no command", rule("r", Approve, commands("", "ls")), b.write("docs/a.md"), "it runs no command that can be told"},
		{"commands that nobody tells", rule("r", Approve, commands("", "ls")), b.request(ActionExecute, toolShell), "it runs no command that can be told"},
		{"mistake", rule("r", Approve, include("[")), b.write("docs/a.md"), "the rule has a mistake: include_paths[0]"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := b.authority(v2(test.rule)).Decide(test.request)
			if d.Verdict == Approve && d.Source == SourcePolicy {
				t.Fatal("the rule approves")
			}
			if len(d.Reasons) != 1 || d.Reasons[0].Matched || !strings.Contains(d.Reasons[0].Why, test.want) {
				t.Errorf("reasons %+v; want one that has not matched, with %q", d.Reasons, test.want)
			}
			if d.Reason == "" {
				t.Error("the decision gives no reason")
			}
		})
	}
}

// The defects of the original system that its files must not bring back, and other ways around a path.
func TestPathTraps(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	docs := rule("docs", Approve, include("docs/**", "**/*.md"))
	tests := []struct {
		name    string
		rules   []Rule
		request Request
		want    string
	}{
		{"a plain match approves", []Rule{docs}, b.write("docs/a.md"), "approve policy"},
		{"several that all match approve", []Rule{docs}, b.write("docs/a.md", "docs/new", "README.md"), "approve policy"},
		{"original: any path was enough", []Rule{docs}, b.write("docs/a.md", "src/a.go"), "ask default"},
		{"original: and one outside", []Rule{docs}, b.write("docs/a.md", "/etc/x"), "ask default"},
		{"original: a star crossed slashes", []Rule{rule("r", Approve, include("src/*"))}, b.write("src/sub/b.go"), "ask default"},
		{"original: .. was not cleaned", []Rule{docs}, b.write("docs/../src/a.go"), "ask default"},
		{".. to the outside", []Rule{docs}, b.write("docs/../../elsewhere/a.md"), "ask default"},
		{".. that stays", []Rule{docs}, b.write("src/../docs/a.md"), "approve policy"},
		{"link to the outside", []Rule{docs}, b.write("docs/escape/x"), "ask default"},
		{"link file to the outside", []Rule{docs}, b.write("out.md"), "ask default"},
		{"new file behind a linked parent", []Rule{docs}, b.write("docs/escape/new/deep.md"), "ask default"},
		{"link to another place of the workspace", []Rule{docs}, b.write("docs/to_src/a.go"), "ask default"},
		{"link to a control file", []Rule{docs}, b.write("docs/to_git.md"), "ask control_file"},
		{".. behind a link", []Rule{docs}, b.write("docs/to_src/../docs/a.md"), "ask default"},
		{"trailing slash", []Rule{docs}, b.write("docs/a.md/"), "approve policy"},
		{"absolute", []Rule{docs}, b.write(b.ws + "/docs/a.md"), "approve policy"},
		{"file URL", []Rule{docs}, b.write("file://" + b.ws + "/docs/a.md"), "approve policy"},
		{"file URL with percent", []Rule{docs}, b.write("file://" + b.ws + "/docs/%2e%2e/src/a.go"), "ask default"},
		{"file URL to a control file", []Rule{docs}, b.write("file://" + b.ws + "/docs/%2Egit/x.md"), "ask control_file"},
		{"another scheme", []Rule{docs}, b.write("vscode-remote://x/docs/a.md"), "ask default"},
		{"letter case of .git", []Rule{docs}, b.write(".GIT/x.md"), "ask control_file"},
		{"control file by way of ..", []Rule{docs}, b.write("docs/../.git/x.md"), "ask control_file"},
		{"a letter whose capital is S", []Rule{docs}, b.write("docs/.\u017fsh/x.md"), "ask control_file"},
		{"a letter whose small one is k", []Rule{docs}, b.write(".doc\u212aer/x.md"), "ask control_file"},
		{"a composed letter is not its pieces", []Rule{rule("r", Approve, include("docs/\u00e9.md"))}, b.write("docs/e\u0301.md"), "ask default"},
		{"a wide dot is no dot", []Rule{docs}, b.write("docs/\uff0e\uff0e/\uff0e\uff0e/x.md"), "approve policy"},
		{"a letter that looks like another", []Rule{rule("r", Approve, include("docs/a.md"))}, b.write("docs/\u0430.md"), "ask default"},
		{"trailing slashes and dots", []Rule{docs}, b.write("docs/a.md//./"), "approve policy"},
		{"trailing slash behind a link", []Rule{docs}, b.write("docs/escape/"), "ask default"},
		{"a hard link, written", []Rule{docs}, b.write("docs/linked.md"), "ask control_file"},
		{"a hard link that is named", []Rule{rule("r", Approve, include("docs/linked.md"))}, b.write("docs/linked.md"), "approve policy"},
		{"a hard link by way of a link", []Rule{docs}, b.write("docs/to_linked.md"), "ask control_file"},
		{"a hard link, read", []Rule{docs}, b.read("docs/linked.md"), "approve policy"},
		{"a file URL and a path outside", []Rule{docs}, b.write("file://"+b.ws+"/docs/a.md", "file:///etc/x.md"), "ask default"},
		{"of many paths the last is outside", []Rule{rule("r", Approve, include("**"))}, b.write("docs/a.md", "src/a.go", "README.md", "out/x"), "ask default"},
		{"of many paths the first is outside", []Rule{rule("r", Approve, include("**"))}, b.write("../x", "docs/a.md"), "ask default"},
		{"home", []Rule{docs}, b.write("~/a.md"), "ask default"},
		{"hidden character in a name", []Rule{docs}, b.write(".g\u200cit/a.md"), "ask doubt"},
		{"letter case of an excluded path", []Rule{rule("r", Approve, include("**"), exclude("src/**"))}, b.write("SRC/a.go"), "ask default"},
		{"excluded by its link's name", []Rule{rule("r", Approve, include("**"), exclude("docs/to_src/**"))}, b.write("docs/to_src/a.go"), "ask default"},
		{"excluded by where the link leads", []Rule{rule("r", Approve, include("**"), exclude("src/**"))}, b.write("docs/to_src/a.go"), "ask default"},
		{"the workspace itself", []Rule{rule("r", Approve, include("**"))}, b.request(ActionDelete, "acp.delete", "."), "ask control_file"},
		{"move: where from counts", []Rule{docs}, b.request(ActionMove, "acp.move", ".git/config", "docs/a.md"), "ask control_file"},
		{"move: where to counts", []Rule{docs}, b.request(ActionMove, "acp.move", "docs/a.md", ".git/config"), "ask control_file"},
		{"additional directory", []Rule{rule("r", Approve, include("*.go"))}, b.write(b.dir + "/more/c.go"), "approve policy"},
		{"no include_paths: inside", []Rule{rule("r", Approve)}, b.write("src/a.go"), "approve policy"},
		{"no include_paths: outside", []Rule{rule("r", Approve)}, b.write("docs/escape/x"), "ask default"},
		{"absolute pattern for the outside", []Rule{rule("r", Approve, include(b.dir+"/elsewhere/**"))}, b.write("../elsewhere/x"), "approve policy"},
		{"home pattern", []Rule{rule("r", Approve, include("~/notes/**"))}, b.write(b.dir + "/home/notes/n.md"), "approve policy"},
		{"home pattern and a shell's start file", []Rule{rule("r", Approve, include("~/**"))}, b.write(b.dir + "/home/.bashrc"), "ask control_file"},
		{"our own state", []Rule{rule("r", Approve, include("/**"))}, b.write(b.dir + "/state/audit.log"), "ask control_file"},
		{"a directory with our own state", []Rule{rule("r", Approve, include("/**"))}, b.request(ActionDelete, "acp.delete", b.dir), "ask control_file"},

		{"a control file that is named", []Rule{rule("r", Approve, include(".github/workflows/ci.yml"))}, b.write(".github/workflows/ci.yml"), "approve policy"},
		{"named with ./", []Rule{rule("r", Approve, include("./.envrc"))}, b.write(".envrc"), "approve policy"},
		{"named by its absolute path", []Rule{rule("r", Approve, include(b.ws+"/Makefile"))}, b.write("Makefile"), "approve policy"},
		{"named in another letter case", []Rule{rule("r", Approve, include("makefile"))}, b.write("Makefile"), "ask control_file"},
		{"named elsewhere", []Rule{rule("r", Approve, include("Makefile"))}, b.write("src/Makefile"), "ask control_file"},
		{"a pattern is no name", []Rule{rule("r", Approve, include(".github/workflows/*.yml"))}, b.write(".github/workflows/ci.yml"), "ask control_file"},
		{"one named, one not", []Rule{rule("r", Approve, include("Makefile", "**"))}, b.write("Makefile", "justfile"), "ask control_file"},
		{"named by two rules is named by none", []Rule{rule("r", Approve, include("Makefile")), rule("q", Approve, include("justfile"))}, b.write("Makefile", "justfile"), "ask control_file"},
		{"secret that is named", []Rule{rule("r", Approve, include(".env"))}, b.read(".env"), "approve policy"},
		{"a link's name does not name what it leads to", []Rule{rule("r", Approve, include("docs/to_git.md"))}, b.write("docs/to_git.md"), "ask control_file"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := b.authority(v2(test.rules...)).Decide(test.request)
			if said(d) != test.want {
				t.Errorf("%s: %s; want %s", said(d), d.Reason, test.want)
			}
			if d := b.authority(v1(test.rules...)).Decide(test.request); said(d) != test.want {
				t.Errorf("in a file of the original format: %s: %s; want %s", said(d), d.Reason, test.want)
			}
		})
	}
}

// A rule that stops looks at every name that could be meant.
func TestRulesThatStop(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	everything := rule("all", Approve, include("**", "/**"))
	tests := []struct {
		name    string
		rule    Rule
		request Request
		want    bool
	}{
		{"a path", rule("r", Reject, include("src/**")), b.write("src/a.go"), true},
		{"one of several paths", rule("r", Reject, include("src/**")), b.write("docs/a.md", "src/a.go"), true},
		{"another path", rule("r", Reject, include("src/**")), b.write("docs/a.md"), false},
		{"by its link's name", rule("r", Reject, include("docs/escape/**")), b.write("docs/escape/x"), true},
		{"by where the link leads", rule("r", Reject, include(b.dir+"/elsewhere/**")), b.write("docs/escape/x"), true},
		{"in another letter case", rule("r", Reject, include("src/**")), b.write("SRC/a.go"), true},
		{"the directory itself", rule("r", Reject, include("src/**")), b.request(ActionDelete, "acp.delete", "src"), true},
		{"a directory above", rule("r", Reject, include("src/sub/**")), b.request(ActionDelete, "acp.delete", "src"), true},
		{"a directory above, moved", rule("r", Reject, include("src/sub/b.go")), b.request(ActionMove, "acp.move", "src", "lib"), true},
		{"the whole workspace", rule("r", Reject, include("src/**")), b.request(ActionDelete, "acp.delete", "."), true},
		{"a directory above, read", rule("r", Reject, include("src/sub/**")), b.read("src"), false},
		{"home, for those who know ~", rule("r", Reject, include("~/**")), b.write("~/x"), true},
		{"a path that cannot be told", rule("r", Reject, include("src/**")), b.write("docs/to_src/../src/a.go"), true},
		{"file URL", rule("r", Reject, include("src/**")), b.write("file://" + b.ws + "/%73rc/a.go"), true},
		{"outside of what is excluded", rule("r", Reject, exclude("docs/**")), b.write("src/a.go"), true},
		{"what is excluded", rule("r", Reject, exclude("docs/**")), b.write("docs/a.md"), false},
		{"excluded by name, but it leads elsewhere", rule("r", Reject, exclude("docs/**")), b.write("docs/escape/x"), true},
		{"one of several is not excluded", rule("r", Reject, exclude("docs/**")), b.write("docs/a.md", "src/a.go"), true},
		{"no path is not excluded", rule("r", Reject, exclude("docs/**")), b.call("x", nil), true},
		{"no path is not included", rule("r", Reject, include("docs/**")), b.call("x", nil), false},
		{"included but excluded", rule("r", Reject, include("**"), exclude("docs/**")), b.write("docs/a.md"), false},
		{"an argument", rule("r", Reject, equal("env", "prod")), b.call("x", map[string]any{"env": "prod"}), true},
		{"another argument", rule("r", Reject, equal("env", "prod")), b.call("x", map[string]any{"env": "test"}), false},
		{"every tool", rule("r", Reject), Request{Action: ActionOther}, true},
		{"a mistake stops all", rule("r", Reject, include("[")), b.write("docs/a.md"), true},
		{"a name that is never looked for stops all", rule("r", Reject, include("src/../docs/a.md")), b.write("docs/b.md"), true},
		{"a mistake in the tool stops all", rule("r", Reject, about("[")), b.write("docs/a.md"), true},
		{"a mistake for another tool", rule("r", Reject, about("x"), include("[")), b.write("docs/a.md"), false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := b.authority(v2(everything, test.rule)).Decide(test.request)
			if (d.Verdict == Reject) != test.want {
				t.Errorf("%s: %s; want rejected: %t", said(d), d.Reason, test.want)
			}
			test.rule.Verdict = Ask
			if d := b.authority(v2(everything, test.rule)).Decide(test.request); test.want && d.Verdict != Ask {
				t.Errorf("as a manual rule: %s: %s", said(d), d.Reason)
			}
		})
	}
}

// What a command touches is told by the names in it, as far as these are all.
func TestPathsOfCommands(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	all, prints := rule("all", Approve), rule("prints", Approve, commands("", "cat"), exclude("src/**"))
	inSource, unknown := rule("r", Reject, include("src/**")), b.request(ActionExecute, toolShell)
	for _, test := range []struct {
		name    string
		rules   []Rule
		request Request
		want    Verdict
	}{
		{"a command that nobody tells", []Rule{all}, unknown, Approve},
		{"one that may touch what a rule rejects", []Rule{all, inSource}, unknown, Ask},
		{"beside what is excluded", []Rule{prints}, b.run("cat docs/a.md"), Approve},
		{"what is excluded", []Rule{prints}, b.run("cat src/a.go"), Ask},
		{"beside what a rule rejects", []Rule{prints, inSource}, b.run("cat docs/a.md"), Approve},
	} {
		if d := b.authority(v2(test.rules...)).Decide(test.request); d.Verdict != test.want {
			t.Errorf("%s: %s, want %s: %s", test.name, d.Verdict, test.want, because1(d))
		}
	}
}

// Where nobody has a home, no name stands for one.
func TestNobodysHome(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	a := New(Options{Policies: NewSet([]File{v2(rule("home", Approve, include("~/**")))}), Environ: b.environ()})
	if d := a.Decide(b.write("/elsewhere.md")); d.Verdict == Approve {
		t.Errorf("%s: %s", said(d), because1(d))
	}
}

func TestRuleOrder(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	approve, ask, reject, other := rule("yes", Approve), rule("look", Ask), rule("no", Reject), rule("other", Reject, about("x"))
	of := func(layer tool.Layer, r Rule) Rule {
		r.Source.Layer = layer
		return r
	}
	own, theirs := of(tool.LayerUser, rule("own", Approve)), of(tool.LayerProject, rule("theirs", Approve))
	trusted := func(r Rule) File {
		return File{Version: Version2, Layer: tool.LayerProject, Root: b.ws, Rules: []Rule{r}}
	}
	workspace := func(rules ...Rule) File {
		return File{Version: Version2, Rules: rules, TightenOnly: true}
	}
	tests := []struct {
		name  string
		files []File
		want  string
		rule  string
	}{
		{"no rules", nil, "ask default", ""},
		{"no rule matches", []File{v2(other)}, "ask default", ""},
		{"original: the first that matches", []File{v1(other, approve, ask, reject)}, "approve policy", "yes"},
		{"original: the first that matches, ask", []File{v1(ask, approve, reject)}, "ask policy", "look"},
		{"version 2: reject is the strongest", []File{v2(approve, ask, reject)}, "reject policy", "no"},
		{"version 2: ask is stronger than approve", []File{v2(approve, ask)}, "ask policy", "look"},
		{"version 2: of equal ones the first", []File{v2(approve, rule("later", Approve))}, "approve policy", "yes"},
		{"of equal ones the person's own", []File{v2(approve), v2(own)}, "approve policy", "own"},
		{"of equal ones of a person's the first", []File{v2(own), v2(approve)}, "approve policy", "own"},
		{"the person's own is not stronger for that", []File{v2(ask), v2(own)}, "ask policy", "look"},
		{"of equal ones a repository's is the last", []File{v2(approve), trusted(theirs)}, "approve policy", "yes"},
		{"in whatever order", []File{trusted(theirs), v2(approve)}, "approve policy", "yes"},
		{"also after the person's own", []File{trusted(theirs), v2(own)}, "approve policy", "own"},
		{"a repository's decides where no other says so", []File{v2(other), trusted(theirs)}, "approve policy", "theirs"},
		{"a repository's no is told as its own where it is the only one", []File{v2(approve), trusted(of(tool.LayerProject, reject))}, "reject policy", "no"},
		{"else as that of who has said it without", []File{v2(rule("never", Reject)), trusted(of(tool.LayerProject, reject))}, "reject policy", "never"},
		{"files: reject is the strongest", []File{v1(approve, ask), v1(reject)}, "reject policy", "no"},
		{"files: ask is stronger than approve", []File{v2(ask), v1(approve)}, "ask policy", "look"},
		{"files: an earlier one is not weaker", []File{v2(reject), v2(approve)}, "reject policy", "no"},
		{"one id twice never weakens", []File{v2(rule("a", Reject)), v2(rule("a", Approve))}, "reject policy", "a"},
		{"a workspace's own file approves nothing", []File{workspace(approve)}, "ask default", ""},
		{"a workspace's own file rejects", []File{v2(approve), workspace(approve, ask, reject)}, "reject policy", "no"},
		{"a workspace's own file asks nothing", []File{v2(approve), workspace(ask)}, "approve policy", "yes"},
		{"a workspace's own file of the original format", []File{{Version: VersionOriginal, TightenOnly: true, Rules: []Rule{approve, reject}}}, "reject policy", "no"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := b.authority(test.files...).Decide(b.write("docs/a.md"))
			if said(d) != test.want || d.Rule != test.rule {
				t.Errorf("%s by %q; want %s by %q", said(d), d.Rule, test.want, test.rule)
			}
			rules := 0
			for _, file := range test.files {
				rules += len(file.Rules)
			}
			if len(d.Reasons) != rules {
				t.Errorf("%d reasons for %d rules", len(d.Reasons), rules)
			}
			if d.Policy != NewSet(test.files).Hash() {
				t.Error("the decision does not name its rules")
			}
		})
	}
}

func TestWorkspaceTightens(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	a := b.authority(v2(rule("yes", Approve)))
	here := b.write("docs/a.md")
	elsewhere := here
	elsewhere.Workspace.Additional = append([]string{t.TempDir()}, here.Workspace.Additional...)

	a = a.WithOwn(here.Workspace, []File{v2(rule("no", Reject), rule("more", Approve))})
	if d := a.Decide(here); said(d) != "reject policy" || d.Rule != "no" || !strings.Contains(d.Policy, "+") || len(d.Reasons) != 3 {
		t.Errorf("in the workspace: %s by %q under %s with %d reasons; want its own rule to reject", said(d), d.Rule, d.Policy, len(d.Reasons))
	}
	if d := a.Decide(elsewhere); said(d) != "approve policy" {
		t.Errorf("in another workspace: %s; want its rules not to reach there", said(d))
	}
	a = a.WithOwn(here.Workspace, []File{v2(rule("less", Approve))})
	a = a.With(NewSet(nil), nil)
	if d := a.Decide(here); said(d) != "ask default" {
		t.Errorf("with nothing but an approving rule of the workspace's: %s; want it not to count", said(d))
	}
}

func TestDecisionNamesItsRule(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	r := rule("docs-edits", Approve, include("docs/**"), because("Documentation edits"))
	r.Option = "proceed_once"
	got := b.authority(v1(rule("first", Reject, about("web")), r, rule("last", Reject))).Decide(b.write("docs/a.md"))
	got.Policy = ""
	want := Decision{
		Verdict: Approve, Source: SourcePolicy, Rule: "docs-edits", At: "p.yaml:7", Reason: "Documentation edits", Option: "proceed_once",
		Reasons: []Reason{
			{Rule: "first", At: "p.yaml:7", Layer: "user", Matched: false, Verdict: Reject, Condition: "applies_to", Why: "the tool is " + toolWrite + ", and the rule is about web"},
			{Rule: "docs-edits", At: "p.yaml:7", Layer: "user", Matched: true, Verdict: Approve, Why: "the tool and the paths match"},
			{Rule: "last", At: "p.yaml:7", Layer: "user", Matched: true, Verdict: Reject, Why: "the tool matches; but docs-edits stands before it, and in a file without version: 2 the first one decides"},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What is asked whatever the rules and the person said before.
func TestAlwaysAsked(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	approve, named := rule("yes", Approve, include("**", "Makefile")), rule("yes", Approve, include("**"))
	doubtful := b.write("docs/a.md")
	doubtful.Doubts = []string{"its title and its diff name different files"}
	confirm := b.call("x", nil, "docs/a.md")
	confirm.RequiresConfirmation = true
	tests := []struct {
		name    string
		rule    Rule
		request Request
		want    string
	}{
		{"a doubt", approve, doubtful, "ask doubt"},
		{"a change of mode", rule("yes", Approve), b.request(ActionSwitchMode, "acp.switch_mode"), "ask default"},
		{"the tool's author wants it", approve, confirm, "ask tool"},
		{"a control file", named, b.write(".git/config"), "ask control_file"},
		{"a secret", named, b.read("server.pem"), "ask control_file"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			a := b.authority(v2(test.rule))
			if d := a.Decide(test.request); said(d) != test.want {
				t.Errorf("%s: %s; want %s", said(d), d.Reason, test.want)
			}
			if words := remember(a, "s", test.request); !strings.HasPrefix(words, "nothing is kept: ") {
				t.Errorf("an always is kept: %s", words)
			}
			if d := a.Decide(test.request); said(d) != test.want {
				t.Errorf("after an always: %s; want %s", said(d), test.want)
			}
			if d := b.authority(v2(test.rule, rule("no", Reject))).Decide(test.request); said(d) != "reject policy" {
				t.Errorf("with a rejecting rule: %s", said(d))
			}
		})
	}
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	with := func(r Request, change func(*Request)) Request { change(&r); return r }
	reader := func(r *Request) { r.ReadOnly = true; r.Paths = append([]Path(nil), r.Paths...) }
	readerOf := func(paths ...string) Request {
		r := with(b.call("grep", nil, paths...), reader)
		for i := range r.Paths {
			r.Paths[i].Write = false
		}
		return r
	}
	cli := func(r Request) Request { r.Door = tool.DoorCLI; return r }
	program := func(r Request, words ...string) Request {
		r.SetArgv(append([]string{"kubectl", "get"}, words...))
		r.OwnProgram = true
		return r
	}
	tests := []struct {
		name    string
		request Request
		want    string
	}{
		{"fs read inside", b.read("docs/a.md"), "approve default"},
		{"fs read of a control file", b.read(".git/HEAD"), "approve default"},
		{"fs read of a secret", b.read(".env"), "ask control_file"},
		{"fs read outside", b.read("/etc/hostname"), "ask default"},
		{"fs read outside by a link", b.read("out/secret"), "ask default"},
		{"fs read of nothing", b.read(), "ask default"},
		{"fs read that cannot be told", b.read("http://x"), "ask default"},
		{"fs write inside", b.write("docs/a.md"), "ask default"},
		{"fs write outside", b.write("/etc/x"), "ask default"},
		{"fs write of a control file", b.write(".git/config"), "ask control_file"},
		{"terminal", b.request(ActionExecute, toolShell), "ask default"},
		{"prompt for a read", with(b.read("docs/a.md"), func(r *Request) { r.Prompt = true }), "ask default"},
		{"prompt for a command", with(b.request(ActionExecute, toolShell), func(r *Request) { r.Prompt = true }), "ask default"},
		{"prompt for something unknown", with(b.request(ActionOther, "acp.other"), func(r *Request) { r.Prompt = true }), "ask default"},
		{"prompt that says it is the person", with(cli(b.write("x")), func(r *Request) { r.Prompt = true }), "ask default"},
		{"call of a reader inside", readerOf("docs"), "approve default"},
		{"call of a reader without paths", readerOf(), "approve default"},
		{"call of a reader outside", readerOf("docs", "/etc"), "ask default"},
		{"call of a reader, a secret", readerOf("id_rsa"), "ask control_file"},
		{"call of a program that reads", program(readerOf(), "svc"), "approve default"},
		{"call of a program that reads, a word like a directory of what runs", program(readerOf(), "pods"), "approve default"},
		{"call of a program that reads, a secret", program(readerOf(), ".env"), "ask control_file"},
		{"call of a program that reads, a file outside", program(readerOf("/etc")), "ask default"},
		{"call of a program that may write", program(b.call("k", nil), "svc"), "ask default"},
		{"call of a program that may write, a file that decides", program(b.call("k", nil), ".git/config"), "ask control_file"},
		{"call of a reader that runs what the agent chose", with(program(readerOf(), "svc"), func(r *Request) { r.OwnProgram = false }), "ask default"},
		{"call of a tool that changes something", b.call("edit", nil, "docs/a.md"), "ask default"},
		{"call of a tool without paths", b.call("edit", nil), "ask default"},
		{"a reader through the editor's door", with(readerOf("docs"), func(r *Request) { r.Door = tool.DoorACP }), "ask default"},
		{"typed", cli(b.call("edit", nil, "docs/a.md")), "approve caller"},
		{"typed, outside", cli(b.call("edit", nil, "/etc/x")), "approve caller"},
		{"typed, a control file", cli(b.call("edit", nil, ".git/config")), "approve caller"},
		{"typed, to be confirmed", with(cli(b.call("edit", nil)), func(r *Request) { r.RequiresConfirmation = true }), "ask tool"},
		{"typed, with hidden characters", cli(b.call("edit", nil, "a\u202eb")), "ask doubt"},
		{"fetch", b.request(ActionFetch, "acp.fetch"), "ask default"},
		{"search", b.request(ActionSearch, "acp.search", "docs"), "ask default"},
		{"nothing at all", Request{}, "ask default"},
		{"a door that nobody knows", with(b.read("docs/a.md"), func(r *Request) { r.Door = "web" }), "ask default"},
		{"a workspace that nobody knows", with(b.read("docs/a.md"), func(r *Request) { r.Workspace = tool.Workspace{} }), "ask default"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := b.authority().Decide(test.request)
			if said(d) != test.want {
				t.Errorf("%s: %s; want %s", said(d), d.Reason, test.want)
			}
			if d.Reason == "" || strings.Contains(d.Reason, "\n") {
				t.Errorf("reason %q; want a sentence", d.Reason)
			}
			if d := b.authority(v2(rule("no", Reject))).Decide(test.request); d.Verdict != Reject {
				t.Errorf("a rejecting rule does not hold: %s", said(d))
			}
		})
	}
}

// To add a rule that stops never lets more happen, and in version 2 the order of rules and files means
// nothing.
func TestMonotony(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	rules := []Rule{
		rule("a", Approve, include("docs/**")), rule("b", Approve), rule("c", Ask, include("src/**")), rule("d", Reject, include("src/sub/**")),
		rule("e", Approve, include("Makefile")), rule("f", Reject, about("x")), rule("g", Ask, exclude("docs/**")),
	}
	requests := []Request{
		b.write("docs/a.md"), b.write("src/a.go"), b.write("src/sub/b.go"), b.write("Makefile"), b.write("docs/a.md", "src/a.go"),
		b.read("docs/a.md"), b.read("/etc/x"), b.call("x", nil), b.request(ActionExecute, toolShell), b.write("docs/escape/x"),
	}
	stops := []Rule{rule("s", Reject), rule("s", Reject, include("docs/**")), rule("s", Ask), rule("s", Reject, commands("", "ls")), rule("s", Reject, include("["))}
	// A set is compiled once for all requests: compiling is what takes time.
	authority := func(files ...File) *Authority { return b.authority(files...) }
	for mask := range 1 << len(rules) {
		if testing.Short() && mask%8 != 5 {
			continue
		}
		var chosen []Rule
		for i, r := range rules {
			if mask&(1<<i) != 0 {
				chosen = append(chosen, r)
			}
		}
		var backwards []File
		for i := len(chosen) - 1; i >= 0; i-- {
			backwards = append(backwards, v2(chosen[i]))
		}
		first, other := authority(v2(chosen...)), authority(backwards...)
		before := make([]Verdict, len(requests))
		for i, request := range requests {
			before[i] = first.Decide(request).Verdict
			if got := other.Decide(request).Verdict; got != before[i] {
				t.Fatalf("rules %07b, request %d: %s, and %s in the other order", mask, i, before[i], got)
			}
		}
		for _, stop := range stops {
			for _, files := range [][]File{{v2(append(chosen[:len(chosen):len(chosen)], stop)...)}, {v2(chosen...), v1(stop)}, {v2(stop), v2(chosen...)}} {
				stopped := authority(files...)
				for i, request := range requests {
					if after := stopped.Decide(request).Verdict; before[i].stronger(after) {
						t.Fatalf("rules %07b, request %d: %s, and %s with a further %s rule", mask, i, before[i], after, stop.Verdict)
					}
				}
			}
		}
	}
}

// A link that changes after one decision is another file in the next: nothing is remembered of what a name
// led to. Between the decision and the act only the sandbox can hold (see Resolve): it names directories,
// not links.
func TestALinkThatChanges(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	a := b.authority(v2(rule("r", Approve, include("docs/**"))))
	link := b.ws + "/docs/changing"
	for i, step := range []struct{ target, want string }{
		{b.ws + "/docs", "approve policy"}, {b.dir + "/elsewhere", "ask default"}, {b.ws + "/.git", "ask control_file"}, {b.ws + "/docs/new", "approve policy"}, {b.ws + "/src", "ask default"},
	} {
		if err := os.RemoveAll(link); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(step.target, link); err != nil {
			t.Fatal(err)
		}
		for _, request := range []Request{b.write("docs/changing/x.txt"), b.write("docs/a.md", "docs/changing/x.txt")} {
			if d := a.Decide(request); said(d) != step.want {
				t.Errorf("step %d, to %s: %s: %s; want %s", i, step.target, said(d), d.Reason, step.want)
			}
		}
	}
}

func TestReplace(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	a := b.authority(v2(rule("yes", Approve)))
	before := a.Policy()
	if d := a.Decide(b.write("docs/a.md")); d.Verdict != Approve || d.Policy != before {
		t.Errorf("%s under %s", said(d), d.Policy)
	}
	a = a.With(NewSet([]File{v2(rule("no", Reject))}), nil)
	if d := a.Decide(b.write("docs/a.md")); d.Verdict != Reject || d.Policy != a.Policy() || d.Policy == before {
		t.Errorf("after the change: %s under %s, before under %s", said(d), d.Policy, before)
	}
	names := map[string]string{a.Policy(): "none"}
	for _, row := range []string{"asks: true", "writes: --out"} {
		own, err := command.Read("commands.yaml", []byte("version: 1\nprograms:\n  - names: frob\n    "+row+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		told := a.With(NewSet([]File{v2(rule("no", Reject))}), own)
		if other := names[told.Policy()]; other != "" || told.Decide(b.write("docs/a.md")).Policy != told.Policy() {
			t.Errorf("with a person's own %q it is called as with %s", row, other)
		}
		names[told.Policy()] = row
	}
	a = a.With(nil, nil)
	if d := a.Decide(b.write("docs/a.md")); said(d) != "ask default" {
		t.Errorf("without rules: %s", said(d))
	}
	remember(a, "s", b.write("docs/a.md"))
	a = a.With(NewSet([]File{v2(rule("no", Reject))}), nil)
	if d := a.Decide(b.write("docs/a.md")); d.Verdict != Reject {
		t.Errorf("what a person allowed before lifts a new rule: %s", said(d))
	}
}

// The hash names what the rules say, and nothing else.
func TestHash(t *testing.T) {
	t.Parallel()
	base := func() []File {
		return []File{v2(rule("a", Approve, include("docs/**"), equal("n", json.Number("1"))), rule("b", Reject))}
	}
	hash := NewSet(base()).Hash()
	moved := base()
	moved[0].Name, moved[0].Rules[0].Source.Line = "elsewhere.yaml", 99
	if got := NewSet(moved).Hash(); got != hash {
		t.Error("the hash depends on where the rules stand")
	}
	changes := map[string]func(*File){
		"version":      func(f *File) { f.Version = VersionOriginal },
		"layer":        func(f *File) { f.Layer = tool.LayerSystem },
		"tighten only": func(f *File) { f.TightenOnly = true },
		"order":        func(f *File) { f.Rules[0], f.Rules[1] = f.Rules[1], f.Rules[0] },
		"one less":     func(f *File) { f.Rules = f.Rules[:1] },
		"id":           func(f *File) { f.Rules[0].ID = "z" },
		"tool":         func(f *File) { f.Rules[0].AppliesTo = []string{"x"} },
		"include":      func(f *File) { f.Rules[0].IncludePaths = []string{"docs", "**"} },
		"exclude":      func(f *File) { f.Rules[0].ExcludePaths = []string{"x"} },
		"argument":     func(f *File) { f.Rules[0].Parameters = map[string]any{"n": "1"} },
		"prefix":       func(f *File) { f.Rules[0].CommandPrefixes = []string{"ls"} },
		"commands":     func(f *File) { f.Rules[0].Commands = &Commands{} },
		"tree":         func(f *File) { f.Rules[0].InGitWorkTree = true },
		"confined":     func(f *File) { f.Rules[0].Confined = true },
		"verdict":      func(f *File) { f.Rules[0].Verdict = Reject },
		"option":       func(f *File) { f.Rules[0].Option = "x" },
		"reason":       func(f *File) { f.Rules[0].Reason = "x" },
		"no value":     func(f *File) { f.Rules[0].Parameters = map[string]any{"n": func() {}} },
	}
	seen := map[string]string{hash: "unchanged"}
	for name, change := range changes {
		files := base()
		change(&files[0])
		got := NewSet(files).Hash()
		if other, taken := seen[got]; taken {
			t.Errorf("%s has the hash of %s", name, other)
		}
		seen[got] = name
	}
	if NewSet(nil).Hash() != (&Set{}).Hash() {
		t.Error("the zero Set is not the empty one")
	}
}

func TestSessionGrants(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	in := func(session string, r Request) Request { r.Session = session; return r }
	prompt := func(r Request) Request { r.Prompt = true; return r }
	tests := []struct {
		name      string
		allowed   Request
		words     string
		then      Request
		forgotten bool
		want      string
	}{
		{"the same write", b.write("docs/a.md"), "kept for this session: writing `docs/a.md`", b.write("docs/a.md"), false, "approve session"},
		{"the same write by another name", b.write("docs/a.md"), "kept for this session: writing `docs/a.md`", b.write("file://" + b.ws + "/docs/../docs/a.md"), false, "approve session"},
		{"the same write after the agent's question", prompt(b.write("docs/a.md")), "kept for this session: writing `docs/a.md`", b.write("docs/a.md"), false, "approve session"},
		{"another write", b.write("docs/a.md"), "kept for this session: writing `docs/a.md`", b.write("docs/b.md"), false, "ask default"},
		{"one more file", b.write("docs/a.md"), "kept for this session: writing `docs/a.md`", b.write("docs/a.md", "docs/b.md"), false, "ask default"},
		{"one file less", b.write("docs/a.md", "docs/b.md"), "kept for this session: writing `docs/a.md`, `docs/b.md`", b.write("docs/a.md"), false, "ask default"},
		{"in another session", b.write("docs/a.md"), "kept for this session: writing `docs/a.md`", in("other", b.write("docs/a.md")), false, "ask default"},
		{"in no session", b.write("docs/a.md"), "kept for this session: writing `docs/a.md`", in("", b.write("docs/a.md")), false, "ask default"},
		{"forgotten", b.write("docs/a.md"), "kept for this session: writing `docs/a.md`", b.write("docs/a.md"), true, "ask default"},
		{"a read is no write", b.read("/etc/x"), "kept for this session: reading `/etc/x`", b.write("/etc/x"), false, "ask default"},
		{"a read outside", b.read("/etc/x"), "kept for this session: reading `/etc/x`", b.read("/etc/x"), false, "approve session"},
		{"another read outside", b.read("/etc/x"), "kept for this session: reading `/etc/x`", b.read("/etc/y"), false, "ask default"},
		{"a tool", b.call("edit", map[string]any{"n": 1}), "kept for this session: every call of edit", b.call("edit", map[string]any{"n": 2}), false, "approve session"},
		{"another tool", b.call("edit", nil), "kept for this session: every call of edit", b.call("edit2", nil), false, "ask default"},
		{"a tool inside", b.call("edit", nil, "docs/a.md"), "kept for this session: every call of edit that touches no file outside the workspace", b.call("edit", nil, "src/a.go"), false, "approve session"},
		{"a tool inside, then outside", b.call("edit", nil, "docs/a.md"), "kept for this session: every call of edit that touches no file outside the workspace", b.call("edit", nil, "/etc/x"), false, "ask default"},
		{"a tool inside, then a control file", b.call("edit", nil, "docs/a.md"), "kept for this session: every call of edit that touches no file outside the workspace", b.call("edit", nil, ".git/config"), false, "ask control_file"},
		{"a tool outside", b.call("edit", nil, "/etc/x"), "kept for this session: every call of edit that touches no other file outside the workspace than `/etc/x`", b.call("edit", nil, "/etc/x", "docs/a.md"), false, "approve session"},
		{"a tool outside, then elsewhere", b.call("edit", nil, "/etc/x"), "kept for this session: every call of edit that touches no other file outside the workspace than `/etc/x`", b.call("edit", nil, "/etc/y"), false, "ask default"},
		{"a tool of another server", prompt(b.request(ActionOther, "mcp.github.list")), "kept for this session: every call of mcp.github.list", prompt(b.request(ActionOther, "mcp.github.list")), false, "approve session"},
		{"a deletion", b.request(ActionDelete, "acp.delete", "docs/a.md"), "nothing is kept: an act of this kind (delete) is asked every time", b.request(ActionDelete, "acp.delete", "docs/a.md"), false, "ask default"},
		{"a move", b.request(ActionMove, "acp.move", "docs/a.md", "b"), "nothing is kept: an act of this kind (move) is asked every time", b.request(ActionMove, "acp.move", "docs/a.md", "b"), false, "ask default"},
		{"something unknown", prompt(b.request(ActionOther, "acp.other")), "nothing is kept: an act of this kind (other) is asked every time", prompt(b.request(ActionOther, "acp.other")), false, "ask default"},
		{"a path that cannot be told", b.write("http://x"), "nothing is kept: it cannot be told which file it touches", b.write("http://x"), false, "ask default"},
		{"a write of nothing", b.write(), "nothing is kept: it names no file", b.write(), false, "ask default"},
		{"a command that is not known", b.request(ActionExecute, toolShell), "nothing is kept: the command is not known", b.request(ActionExecute, toolShell), false, "ask default"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			a := b.authority()
			if words := remember(a, "s", test.allowed); words != test.words {
				t.Errorf("%q; want %q", words, test.words)
			}
			if test.forgotten {
				a.Forget("s")
			}
			if d := a.Decide(test.then); said(d) != test.want {
				t.Errorf("then %s: %s; want %s", said(d), d.Reason, test.want)
			}
		})
	}
}

// An always answers a rule that asks, since the person said so, and lifts none that rejects.
func TestSessionGrantsAndRules(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	for _, test := range []struct {
		verdict Verdict
		want    string
	}{{Ask, "approve session"}, {Reject, "reject policy"}, {Approve, "approve policy"}} {
		a := b.authority(v2(rule("r", test.verdict)))
		remember(a, "s", b.write("docs/a.md"))
		if d := a.Decide(b.write("docs/a.md")); said(d) != test.want {
			t.Errorf("with a rule to %s: %s; want %s", test.verdict, said(d), test.want)
		}
	}
}

// What is kept has its bounds, and is safe to use from everywhere at once.
func TestSessionsAreBounded(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	a := b.authority()
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			for j := range 300 {
				remember(a, "s", b.call(fmt.Sprint(i, " ", j), nil))
				a.Decide(b.call("x", nil))
				remember(a, fmt.Sprint(i, " ", j), b.call("x", nil))
			}
		})
	}
	wait.Wait()
	if len(a.kept.allowed) > mostSessions || len(a.kept.allowed["s"]) > mostKept {
		t.Errorf("%d sessions, %d kept in one", len(a.kept.allowed), len(a.kept.allowed["s"]))
	}
	if words := remember(a, "s", b.call("one more", nil)); !strings.HasPrefix(words, "nothing is kept: ") {
		t.Errorf("beyond the bound: %s", words)
	}
}

// What a person allows for a session is written down, and somebody else can take it back.
func TestAllowancesAreTakenBack(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	list := &fakeApprovalLog{holds: map[string]bool{}}
	a := New(Options{ApprovalLog: list})
	write, other := b.write("docs/a.md"), b.write("src/a.go")
	remember(a, "s", write)
	first := maps.Clone(list.holds)
	remember(a, "s", other)
	if d := a.Decide(write); said(d) != "approve session" {
		t.Errorf("kept: %s", said(d))
	}
	for key := range first {
		list.holds[key] = false
	}
	if d := a.Decide(write); d.Verdict != Ask {
		t.Errorf("taken back: %s", said(d))
	}
	if d := a.Decide(other); said(d) != "approve session" {
		t.Errorf("the other one was not: %s", said(d))
	}
	a.Forget("s")
	if !list.ended {
		t.Error("nobody said that the session has ended")
	}
	list.full = true
	if words := remember(a, "s", write); !strings.HasPrefix(words, "nothing is kept") || a.Decide(write).Verdict != Ask {
		t.Errorf("kept without being written down: %q", words)
	}
}

// What is written down tells nobody what was allowed who tries out what it could be: the same act is another
// name in every process.
func TestAllowancesAreNamedByAKey(t *testing.T) {
	t.Parallel()
	b := newTestbed(t)
	lists := []*fakeApprovalLog{{holds: map[string]bool{}}, {holds: map[string]bool{}}}
	for _, list := range lists {
		a := New(Options{ApprovalLog: list})
		for _, r := range []Request{b.write("docs/a.md"), b.run("curl -u user:abcd https://example.com")} {
			if words := remember(a, "s", r); !strings.HasPrefix(words, "kept") || a.Decide(r).Verdict != Approve {
				t.Errorf("%s", words)
			}
		}
		if len(list.holds) != 2 {
			t.Fatalf("%d names", len(list.holds))
		}
	}
	for name := range lists[0].holds {
		if lists[1].holds[name] {
			t.Errorf("%s is the same in two processes", name)
		}
	}
}

type fakeApprovalLog struct {
	holds       map[string]bool
	full, ended bool
}

func (f *fakeApprovalLog) Granted(_, _, key, _ string) error {
	if f.full {
		return os.ErrPermission
	}
	f.holds[key] = true
	return nil
}

func (f *fakeApprovalLog) Holds(_, key string) bool { return f.holds[key] }

func (f *fakeApprovalLog) Ended(string) { f.ended = true }
