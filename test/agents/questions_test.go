//go:build agents

package agents

import (
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/test/agents/internal/editor"
	"github.com/a2a-acp/a2a-acp/test/agents/internal/model"
)

// work is a person's afternoon: what an agent does one after the other to change a program.
func work(r *rig) []model.Call {
	shell := func(text string) model.Call { return model.Call{Act: model.Shell, Command: text} }
	return []model.Call{
		shell("ls -la"),
		{Act: model.Read, Path: r.path("main.js")},
		shell("grep -rn total main.js"),
		shell("git status"),
		{Act: model.Edit, Path: r.path("main.js"), Old: "a + b", Text: "a + b + 0"},
		{Act: model.Write, Path: r.path("sum.js"), Text: "exports.sum = 1\n"},
		shell("npm test"),
		{Act: model.Edit, Path: r.path("main.js"), Old: "a + b + 0", Text: "a + b"},
		shell("npm test"),
		shell("git add -A && git commit -m 'Add a sum'"),
	}
}

// TestQuestions counts what a person is asked in the course of that work, who says "always" where it is
// offered. The most that each set of rules may ask stands here; docs/confinement.md quotes the table.
func TestQuestions(t *testing.T) {
	t.Parallel()
	columns := []struct {
		name string
		most int
		rig  func(preset func(string) string, agent string) *bridge
	}{
		{"no bridge", 10, func(func(string) string, string) *bridge { return nil }},
		{"careful", 6, func(preset func(string) string, _ string) *bridge {
			return &bridge{policies: preset("careful"), hooks: true}
		}},
		{"balanced", 2, func(preset func(string) string, _ string) *bridge {
			return &bridge{policies: preset("balanced"), hooks: true}
		}},
		{"balanced, --hooks=off", 2, func(preset func(string) string, _ string) *bridge {
			return &bridge{policies: preset("balanced")}
		}},
		{"confined", 1, func(preset func(string) string, agent string) *bridge {
			return &bridge{policies: preset("confined"), confine: agent, hooks: true}
		}},
	}
	preset := func(name string) string {
		data, ok := permissions.Preset(name)
		if !ok {
			t.Fatalf("there is no preset %q", name)
		}
		return string(data)
	}
	var mu sync.Mutex
	asked := map[string]map[string]int{}
	t.Cleanup(func() {
		mu.Lock()
		defer mu.Unlock()
		for _, agent := range slices.Sorted(maps.Keys(asked)) {
			row := agent
			for _, column := range columns {
				if count, played := asked[agent][column.name]; played {
					row += fmt.Sprintf("  %s: %d", column.name, count)
				}
			}
			t.Log(row)
		}
	})
	for _, a := range often(append(agents(), codex(), opencode())) {
		for _, column := range columns {
			t.Run(a.name+"/"+column.name, func(t *testing.T) {
				t.Parallel()
				name, _, _ := strings.Cut(a.name, "-")
				o := options{missing: editor.MissingIsEmpty, bridge: column.rig(preset, name)}
				r := assemble(t, a, o)
				r.makeProject()
				r.open(o)
				var titles []string
				for i, call := range work(r) {
					delay := time.Duration(i%3) * 300 * time.Millisecond // people take their time
					turn := r.prompt(after(delay, editor.AllowAlways), []model.Step{{Calls: []model.Call{call}}, {Say: "All done, really."}}...)
					r.wantStop(turn, "end_turn")
					for _, p := range turn.Permissions {
						titles = append(titles, p.Title)
					}
				}
				r.stop()
				r.wantFile("sum.js", "exports.sum = 1\n")
				if out, err := r.git("log", "--oneline"); err != nil || strings.Count(out, "\n") != 2 {
					t.Errorf("the work was not committed: %v: %s; the model was told %q", err, out, r.model.Told())
				}
				if len(titles) > column.most {
					t.Errorf("%d questions; want at most %d: %q", len(titles), column.most, titles)
				}
				mu.Lock()
				defer mu.Unlock()
				if asked[a.name] == nil {
					asked[a.name] = map[string]int{}
				}
				asked[a.name][column.name] = len(titles)
			})
		}
	}
}

// makeProject puts a small program under git into the workspace. What an agent keeps in its own folder is
// not the project's: Claude writes there what is always allowed at the very moment at which it begins to carry
// it out, and "git add -A" fails when a file is renamed between its being listed and read.
func (r *rig) makeProject() {
	r.t.Helper()
	write(r.t, r.path("main.js"), "exports.total = (a, b) => a + b\n")
	write(r.t, r.path(".gitignore"), ".claude/\n")
	write(r.t, r.path("package.json"), `{"name":"p","version":"1.0.0","scripts":{"test":"node --check main.js"}}`+"\n")
	for _, words := range [][]string{{"init", "-q"}, {"config", "user.name", "A"}, {"config", "user.email", "a@example.com"},
		{"add", "-A"}, {"commit", "-q", "-m", "Begin"}} {
		if out, err := r.git(words...); err != nil {
			r.t.Fatalf("git %q: %v: %s", words, err, out)
		}
	}
}

// git runs git in the workspace.
func (r *rig) git(words ...string) (string, error) {
	c := exec.Command("git", words...)
	c.Dir, c.Env = r.work, r.program.Environment
	out, err := c.CombinedOutput()
	return string(out), err
}
