package replay

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// What each scope of a kept answer approves, and what none does. Where an answer is not kept, why says it.
func TestKeep(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	w := tool.Workspace{Root: root, Additional: []string{t.TempDir()}}
	if err := os.Mkdir(filepath.Join(root, "src"), 0o700); err != nil {
		t.Fatal(err)
	}
	run := func(text string) permissions.Example { return permissions.Example{Command: text, Agent: "a"} }
	write := func(name string) permissions.Example {
		return permissions.Example{Tool: permissions.ToolWrite, Paths: []string{name}, Agent: "a"}
	}
	call := func(value string) permissions.Example {
		return permissions.Example{Tool: "deploy", Arguments: map[string]any{"to": value, "n": json.Number("2")}}
	}
	outside := write("../x")
	guarded := []permissions.Example{write("src/.envrc"), write("../x"), write(".git/hooks/pre-commit")}
	for _, test := range []struct {
		name     string
		act      permissions.Example
		rejected []permissions.Example
		want     map[Scope][]permissions.Example // what each approves beside the act
		not      []permissions.Example           // what none approves
		why      string
	}{
		{"a command", run("npm test"), nil, map[Scope][]permissions.Example{ScopeExact: nil, ScopeWords: {run("npm test -- x")}},
			[]permissions.Example{run("npm test; rm x"), run("npm publish"), {Command: "npm test", Agent: "b"}}, ""},
		{"one with quotes", run(`npm test -- "a" '\n'`), nil,
			map[Scope][]permissions.Example{ScopeExact: nil, ScopeWords: {run(`npm test -- "a" n`)}}, []permissions.Example{run("npm run test")}, ""},
		{"one file of tests", run("pytest tests/a.py -k 'a or b'"), nil, map[Scope][]permissions.Example{ScopeExact: nil, ScopeWords: {run("pytest -x tests/b.py")}},
			[]permissions.Example{run("pytest -p evil"), run("pytest -c ../x.ini"), run("py.test"), run("pytest > x")}, ""},
		{"one that removes", run("rm -rf build"), nil, map[Scope][]permissions.Example{ScopeExact: nil},
			[]permissions.Example{run("rm -rf build x"), run("rm -rf ./build"), {Command: "rm -rf build", Dir: "src", Agent: "a"}}, ""},
		{"one in a directory below", run("cd src && npm test 2>&1 | tail -15"), nil,
			map[Scope][]permissions.Example{ScopeExact: nil, ScopeWords: {run("cd src && npm test -- x 2>&1 | tail -15")}},
			[]permissions.Example{run("cd src && npm publish"), run("cd .. && npm test 2>&1 | tail -15"), run("cd new && npm test 2>&1 | tail -15")}, ""},
		{"one of git's in a directory below", run("git -C src tag v1"), nil, map[Scope][]permissions.Example{ScopeExact: nil},
			[]permissions.Example{run("git -C src tag v2"), run("git tag v1")}, ""},
		{"one of git's that makes something", run("git tag v1"), nil, map[Scope][]permissions.Example{ScopeExact: nil},
			[]permissions.Example{run("git tag v2"), run("git tag v1 v2"), run("git tag -d v1")}, ""},
		{"one of git's that removes", run("git branch -d x"), nil, map[Scope][]permissions.Example{ScopeExact: nil},
			[]permissions.Example{run("git branch -d x y"), run("git branch -D x"), run("git branch x")}, ""},
		{"code among its words", run(`python3 -c "print(1)"`), nil, nil, nil, "no rule can spell a word with blanks, quotes or other signs of the shell: print(1)"},
		{"a pattern behind quotes", run(`npm test -- "a b" ./*.go`), nil, map[Scope][]permissions.Example{ScopeWords: {run("npm test")}},
			[]permissions.Example{run("npm run test")}, ""},
		{"a pattern", run("tar tf *.tar"), nil, nil, nil, "not fixed"},
		{"a rejected wider one", run("npm test"), []permissions.Example{run("npm test -- -u")}, map[Scope][]permissions.Example{ScopeExact: nil},
			[]permissions.Example{run("npm test -- -u")}, ""},
		{"a file", write("src/a.go"), nil, map[Scope][]permissions.Example{ScopeExact: nil, ScopeKind: {write("src/b.go")},
			ScopeFolder: {write("src/b.go"), write("src/deep/c.md")}, ScopeAll: {write("src/b.go"), write("src/deep/c.md"), write("d.md")}}, guarded, ""},
		{"a file with signs", write("src/a[1].go"), nil, map[Scope][]permissions.Example{ScopeExact: nil, ScopeKind: {write("src/b.go")},
			ScopeFolder: {write("src/b.go")}, ScopeAll: {write("d.md")}}, guarded, ""},
		{"a rejected file", write("src/a"), []permissions.Example{write("d.md")}, map[Scope][]permissions.Example{ScopeExact: nil, ScopeFolder: {write("src/b")}}, guarded, ""},
		{"a call", call("web"), nil, map[Scope][]permissions.Example{ScopeExact: nil, ScopeAll: {call("db")}},
			[]permissions.Example{{Tool: "remove", Arguments: map[string]any{"to": "web", "n": json.Number("2")}}}, ""},

		{"a confined one", permissions.Example{Command: "npm test", Agent: "a", Confined: true}, nil,
			map[Scope][]permissions.Example{ScopeExact: nil, ScopeWords: nil}, []permissions.Example{run("npm test")}, ""},
		{"a file with a character that nobody sees", write("src/a\u202e.go"), nil, nil, nil, "that nobody sees"},
		{"a value with one", call("a\u202eb"), nil, map[Scope][]permissions.Example{}, nil, "that nobody sees"},
		{"a file that runs", write("src/.envrc"), nil, nil, nil, "so you are asked every time"},
		{"one outside", outside, nil, nil, nil, "outside the workspace"},
		{"what cannot be told", run(`eval "$X"`), nil, nil, nil, "cannot be told what it runs"},
		{"what writes by redirection", run("npm test > x"), nil, nil, nil, "writes files by redirection"},
		{"what is approved anyway", run("git status"), nil, nil, nil, "approved without a question already"},
		{"what another rule asks about", run("npm run asked"), nil, nil, nil, "it would be asked about all the same"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			j := testJudge(t, replayRules+"  - {id: manual, applies_to: [functions.shell], commands: {allow: [npm run asked]}, decision: {type: manual}}\n")
			list := []events.Event{written(test.act.Request(w, nil), permissions.SourcePerson, "approve")}
			for _, e := range test.rejected {
				list = append(list, written(e.Request(w, nil), permissions.SourcePerson, "reject"))
			}
			acts := readAll(t, list)
			all, why := j.Keep(acts[0], acts, false)
			rules := offered(all)
			if !strings.Contains(why, test.why) || (why == "") != (test.why == "") || len(rules) != len(test.want) {
				t.Fatalf("%d rules, %q; want %d, %q", len(rules), why, len(test.want), test.why)
			}
			for _, k := range rules {
				more, wanted := test.want[k.Scope]
				if !wanted || k.Covers == "" {
					t.Errorf("there is a rule for %s: %q", k.Scope, k.Covers)
				}
				data, err := PolicyFile([]SuggestedRule{k.Rule})
				if err != nil {
					t.Fatal(err)
				}
				authority := authorityOf(t, data, "")
				verdict := func(e permissions.Example, in tool.Workspace) permissions.Verdict {
					return authority.Decide(e.Request(in, nil)).Verdict
				}
				for _, e := range append(slices.Clone(more), test.act) {
					if verdict(e, w) != permissions.Approve || verdict(e, tool.Workspace{Root: root}) != permissions.Approve {
						t.Errorf("%s does not approve %+v:\n%s", k.Scope, e, data)
					}
					for _, other := range []tool.Workspace{{Root: t.TempDir()}, {Root: root, Additional: []string{t.TempDir()}}} {
						if verdict(e, other) == permissions.Approve {
							t.Errorf("%s approves %+v in %v:\n%s", k.Scope, e, other, data)
						}
					}
				}
				for _, e := range append(test.not, test.rejected...) {
					if verdict(e, w) == permissions.Approve {
						t.Errorf("%s approves %+v:\n%s", k.Scope, e, data)
					}
				}
			}
			all, _ = j.Keep(acts[0], acts, true)
			if everywhere := offered(all); len(everywhere) != len(rules) || len(rules) > 0 && len(everywhere[0].Rule.Workspaces) > 0 {
				t.Errorf("everywhere: %+v", everywhere)
			}
		})
	}
}

func offered(all []Keepable) []Keepable {
	return slices.DeleteFunc(all, func(k Keepable) bool { return k.Why != "" })
}

// A rule for an act of no workspace would hold in all of them, so that has to be said.
func TestKeepWithoutWorkspace(t *testing.T) {
	t.Parallel()
	j := testJudge(t, replayRules)
	act := written(permissions.Example{Tool: "deploy", Arguments: map[string]any{"to": "web"}}.Request(tool.Workspace{}, nil), permissions.SourcePerson, "approve")
	act.Act.Dir = "/"
	acts := readAll(t, []events.Event{act, act})
	if rules, why := j.Keep(acts[0], acts, false); rules != nil || why != inNoWorkspace {
		t.Errorf("%+v, %q", rules, why)
	}
	if rules, why := j.Keep(acts[0], acts, true); len(offered(rules)) != 2 || why != "" {
		t.Errorf("everywhere: %+v, %q", rules, why)
	}
	if rules, left := j.Suggest(acts, 2); rules != nil || len(left) != 1 || left[0].Why != inNoWorkspace {
		t.Errorf("suggested: %+v, %+v", rules, left)
	}
}

// A pack of rules is named where it would approve the act, and nowhere else.
func TestPack(t *testing.T) {
	t.Parallel()
	w := tool.Workspace{Root: t.TempDir()}
	j := testJudge(t, replayRules)
	for text, want := range map[string]string{
		"npm test": "node", "go test ./...": "go", "pytest -q": "python", "cargo build": "rust", "rm -rf build": "", `python3 -c "print(1)"`: "",
		"npm test > x": "", "git push": "",
	} {
		acts := readAll(t, []events.Event{written(permissions.Example{Command: text}.Request(w, nil), permissions.SourcePerson, "approve")})
		if got := j.Pack(acts[0]); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// A command that names its workspace by the whole path is kept in a workspace of that path: the home directory of an example is
// another one.
func TestKeepWholePath(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	w := tool.Workspace{Root: filepath.Join(home, "shop")}
	if err := os.MkdirAll(filepath.Join(w.Root, "web"), 0o700); err != nil {
		t.Fatal(err)
	}
	j := testJudge(t, replayRules)
	j.home = home
	text := "cd " + filepath.Join(w.Root, "web") + " && npm test"
	acts := readAll(t, []events.Event{written(permissions.Example{Command: text}.Request(w, nil), permissions.SourcePerson, "approve")})
	all, why := j.Keep(acts[0], acts, false)
	if rules := offered(all); len(rules) != 2 || rules[0].Rule.Workspaces[0] != w.Root {
		t.Fatalf("%+v, %q", rules, why)
	}
}
