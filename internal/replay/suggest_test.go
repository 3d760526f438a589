package replay

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/pkg/events"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// A rule that is suggested approves what a person has approved, and with further words only what these cannot change.
func TestSuggestedCommands(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, name := range []string{"a", "b", "x", "build", "docs", "shop"} {
		if err := os.WriteFile(filepath.Join(root, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		text  string
		wider []string // what a shape approves, too; none where the text alone is approved
		other []string // what no rule approves that is suggested for the text
	}{
		{"git log", []string{"git log -3"}, nil}, {"npm test", []string{"npm test -- x"}, nil}, {"cat a | head", []string{"cat a b | head"}, nil},
		{"go test ./...", []string{"go test ./... -v"}, nil}, {"ls && npm test", []string{"ls -l && npm test"}, nil},
		{"npm", nil, []string{"npm publish"}}, {"npm --silent", nil, []string{"npm --silent run x"}}, {"npm run", nil, []string{"npm run x"}},
		{"npm run build", []string{"npm run build -- x"}, nil}, {"yarn run -s", nil, []string{"yarn run -s x"}}, {"poetry run", nil, nil}, {"uv run pytest", nil, nil},
		{"make a", nil, []string{"make a b"}}, {"frobnicate a", nil, []string{"frobnicate a --all"}},
		{"env | grep -i python", nil, []string{"env", "env | grep -i python x", "env | grep -i python | sort"}},
		{"printenv HOME", nil, []string{"printenv", "printenv HOME PATH"}}, {"set", nil, nil}, {"export", nil, nil},
		{"ps aux | grep python | head", nil, []string{"ps aux -E | head", "ps aux | head", "ps aux"}},
		{"git add a", nil, []string{"git add a b"}}, {"git checkout a", nil, []string{"git checkout a b"}}, {"curl http://127.0.0.1/a", nil, nil},
		{"rm -rf build docs", nil, []string{"rm -rf build docs shop", "rm -rf build docs; rm -rf build docs shop"}},
		{"rm a", nil, nil}, {"rmdir a", nil, nil}, {"mv a b", nil, nil}, {"cp a b", nil, nil}, {"dd if=a of=b", nil, nil}, {"shred a", nil, nil},
		{"truncate -s 0 a", nil, nil}, {"chmod +x a", nil, nil}, {"git rm a", nil, nil}, {"git clean -f a", nil, nil}, {"git reset --hard a", nil, nil},
		{"find a -delete", nil, nil}, {"ls && rm a", nil, nil}, {"timeout 5 rm a", nil, nil}, {"nohup mv a b", nil, nil}, {"sed -i s/a/b/ a", nil, nil},
	} {
		request := func(text string) permissions.Request {
			return permissions.Example{Command: text}.Request(tool.Workspace{Root: root}, nil)
		}
		j := testJudge(t, replayRules)
		var acts []Recorded
		for _, e := range readBack(t, slices.Repeat([]events.Event{written(request(test.text), permissions.SourcePerson, "approve")}, 2)...) {
			act, ok := ReadBack(e, nil)
			if !ok {
				t.Fatalf("%s is no act", test.text)
			}
			acts = append(acts, act)
		}
		suggestions, left := j.Suggest(acts, 2)
		if len(suggestions) == 0 {
			if len(left) != 1 || test.wider != nil || left[0].Why == "" {
				t.Errorf("%s: no rule, %v", test.text, left)
			}
			continue
		}
		data, err := PolicyFile([]SuggestedRule{suggestions[0].Rule})
		if err != nil {
			t.Fatal(err)
		}
		file, err := config.ReadPolicies(config.File{Name: "suggestion", Layer: tool.LayerFlag, Data: data})
		if err != nil {
			t.Fatalf("%s: %v\n%s", test.text, err, data)
		}
		authority := permissions.New(permissions.Options{Policies: permissions.NewSet([]permissions.File{file})})
		approves := func(text string) bool {
			d, _ := authority.Redecide(request(text), time.Now())
			return d.Verdict == permissions.Approve && d.Source == permissions.SourcePolicy
		}
		if test.wider == nil {
			test.other = append(test.other, test.text+" x", test.text+" -x")
		}
		for _, text := range append(test.wider, test.text) {
			if !approves(text) {
				t.Errorf("the rule for `%s` does not approve `%s`:\n%s", test.text, text, data)
			}
		}
		for _, text := range test.other {
			if approves(text) {
				t.Errorf("the rule for `%s` approves `%s`:\n%s", test.text, text, data)
			}
		}
	}
}

// A rule is for the workspaces in which something was approved, and a text that removes for the directories, too.
func TestSuggestedPlaces(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	at := func(workspace, dir, text string) permissions.Request {
		return permissions.Example{Command: text, Dir: dir}.Request(tool.Workspace{Root: filepath.Join(home, workspace)}, nil)
	}
	j := testJudge(t, replayRules)
	j.home = home
	var list []events.Event
	for _, r := range []permissions.Request{
		at("shop", "", "npm test"), at("shop", "sub", "npm test"), at("web", "", "npm test"),
		at("shop", "sub", "rm -rf build"), at("shop", "sub", "rm -rf build"), at("shop", "", "rm -rf build"),
	} {
		list = append(list, written(r, permissions.SourcePerson, "approve"))
	}
	var rules []SuggestedRule
	suggestions, left := j.Suggest(readAll(t, list), 2)
	for _, s := range suggestions {
		rules = append(rules, s.Rule)
	}
	data, err := PolicyFile(rules)
	if err != nil || len(rules) != 2 || len(left) > 0 {
		t.Fatalf("%v, %v:\n%s", err, left, data)
	}
	authority := authorityOf(t, data, home)
	for _, row := range []struct {
		r    permissions.Request
		want permissions.Verdict
	}{
		{at("shop", "", "npm test"), permissions.Approve}, {at("web", "sub", "npm test"), permissions.Approve},
		{at("clone", "", "npm test"), permissions.Ask}, {at("shop/sub", "", "npm test"), permissions.Ask},
		{at("shop", "sub", "rm -rf build"), permissions.Approve}, {at("shop", "", "rm -rf build"), permissions.Approve},
		{at("shop", "other", "rm -rf build"), permissions.Ask}, {at("shop", "sub/sub", "rm -rf build"), permissions.Ask},
		{at("shop", "..", "rm -rf build"), permissions.Ask}, {at("web", "", "rm -rf build"), permissions.Ask},
	} {
		if d := authority.Decide(row.r); d.Verdict != row.want {
			t.Errorf("%s in %s: %s, %s; want %s", row.r.ShellText, row.r.Dir, d.Verdict, d.Reason, row.want)
		}
	}
}

func readAll(t *testing.T, list []events.Event) (acts []Recorded) {
	t.Helper()
	for _, e := range readBack(t, list...) {
		act, ok := ReadBack(e, nil)
		if !ok {
			t.Fatalf("%v is no act", e.Act)
		}
		acts = append(acts, act)
	}
	return acts
}

func authorityOf(t *testing.T, data []byte, home string) *permissions.Authority {
	t.Helper()
	file, err := config.ReadPolicies(config.File{Name: "rules", Layer: tool.LayerFlag, Data: data})
	if err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	return permissions.New(permissions.Options{Policies: permissions.NewSet([]permissions.File{file}), Home: home})
}

// What no rule is suggested for is shown as it was asked about: its variables and what stands between its commands belong to it.
func TestLeftOutIsShownAsAsked(t *testing.T) {
	t.Parallel()
	w := tool.Workspace{Root: t.TempDir()}
	for _, test := range []struct {
		texts []string
		want  string
	}{
		{[]string{"PYTHONPATH=.. python3 -m unittest 2>&1 | tail -5"}, "PYTHONPATH=.. python3 -m unittest 2>&1 | tail -5"},
		{[]string{"X=1 make 2>&1 | tail -5", "X=2 make 2>&1 | tail -5"}, "X=1 make 2>&1 | tail -5 (and other ways to write it)"},
		{[]string{"X=1 cat <<E\nhere\nE"}, "X=1 cat <<E …"},
	} {
		var list []events.Event
		for i := range 2 {
			request := permissions.Example{Command: test.texts[i%len(test.texts)]}.Request(w, nil)
			list = append(list, written(request, permissions.SourcePerson, "approve"))
		}
		_, left := testJudge(t, replayRules).Suggest(readAll(t, list), 2)
		if len(left) != 1 || left[0].Act != test.want {
			t.Errorf("%q: %+v", test.texts, left)
		}
	}
}
