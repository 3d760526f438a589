package cliimport

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// twoTools are what an import has made, as it could be.
func twoTools() *Made {
	yes := true
	args := tool.Parameter{Name: "args", Type: tool.TypeArray, Items: &tool.Parameter{Type: tool.TypeString}}
	sum := strings.Repeat("a", 64)
	of := func(id, verb string, parameters ...tool.Parameter) Tool {
		t := Tool{Command: "prog " + verb}
		t.ID, t.Description, t.Exec = id, "Does "+verb+".", &tool.Exec{Command: "prog", Argv: []string{verb}, SHA256: sum}
		t.Parameters = append(parameters, args)
		t.Annotations.Title, t.Annotations.ReadOnly = t.Command, &yes
		return t
	}
	return &Made{
		Import: config.Import{Name: "prog", Command: "prog", SHA256: sum, Tools: []string{"prog_get", "prog_list"},
			Selectors: []config.Selector{{AllowCmds: []string{"prog get", "prog list"}, InheritedFlags: config.FlagSelector{None: true}}}},
		Tools: []Tool{of("prog_get", "get", tool.Parameter{Name: "name", Flag: "--name", Type: tool.TypeString}), of("prog_list", "list")},
	}
}

// TestMerge: what an import writes into a file, and that nothing else of it changes.
func TestMerge(t *testing.T) {
	t.Parallel()
	first := twoTools()
	whole, err := first.File(nil)
	if err != nil {
		t.Fatal(err)
	}
	mine := "# mine\nversion: 2\ntools:\n    # of mine\n    hello:\n        script: echo hello # it says so\n    bye:\n        script: |\n            echo bye\n"
	merge := func(m *Made, data string) (string, []string) {
		t.Helper()
		made, drift, err := m.Merge(config.File{Name: "tools.yaml", Data: []byte(data)})
		if err != nil {
			t.Fatalf("%v\n%s", err, data)
		}
		return string(made), drift
	}

	added, drift := merge(first, mine)
	head, tools, _ := strings.Cut(mine, "tools:")
	if !strings.HasPrefix(added, head) || !strings.Contains(added, "\ntools:"+tools) || strings.Index(added, "\nimports:") > strings.Index(added, "\ntools:") ||
		!slices.Equal(drift, []string{"+ prog_get", "+ prog_list"}) {
		t.Errorf("added: %q\n%s", drift, added)
	}
	again, drift := merge(first, added)
	if diff := cmp.Diff(added, again); diff != "" || len(drift) > 0 {
		t.Errorf("the same once more: %q\n%s", drift, diff)
	}
	again, drift = merge(first, string(whole))
	if diff := cmp.Diff(string(whole), again); diff != "" || len(drift) > 0 {
		t.Errorf("the same in a file of its own: %q\n%s", drift, diff)
	}

	// A person has changed what is his, and the program another flag, and one command less and one more.
	edited := strings.Replace(added, "annotations: {title: prog get, readOnlyHint: true, openWorldHint: false}",
		"annotations: {title: Get, readOnlyHint: false} # not read-only", 1)
	second := twoTools()
	second.Tools[0].Parameters = append([]tool.Parameter{{Name: "all", Flag: "--all", Type: tool.TypeBoolean}}, second.Tools[0].Parameters...)
	second.Tools[0].Parameters[1].Type = tool.TypeInteger
	second.Tools[1].ID, second.Tools[1].Exec.Argv = "prog_show", []string{"show"}
	second.Import.Tools = []string{"prog_get", "prog_show"}
	updated, drift := merge(second, edited)
	want := []string{"+ prog_get all: boolean", "~ prog_get name: integer, was string", "- prog_list", "+ prog_show"}
	if diff := cmp.Diff(want, drift); diff != "" {
		t.Errorf("drift (-want +got)\n%s", diff)
	}
	for _, kept := range []string{head, "tools:" + tools, "annotations: {title: Get, readOnlyHint: false} # not read-only", "tools: [prog_get, prog_show]"} {
		if !strings.Contains(updated, kept) {
			t.Errorf("%q is gone:\n%s", kept, updated)
		}
	}
	if strings.Contains(updated, "prog_list") || strings.Count(updated, "\nimports:") != 1 {
		t.Errorf("what is gone stands there still:\n%s", updated)
	}
	if back, _ := merge(first, updated); strings.Contains(back, "prog_show") {
		t.Errorf("back:\n%s", back)
	}
	another := twoTools()
	another.Import.Name = "other"
	for i := range another.Tools {
		another.Tools[i].ID = "other_" + another.Tools[i].Exec.Argv[0]
	}
	another.Import.Tools = []string{"other_get", "other_list"}
	both, _ := merge(another, added)
	if imports, err := config.ReadImports(config.File{Name: "x", Data: []byte(both)}); err != nil || len(imports) != 2 {
		t.Errorf("two imports: %v, %v\n%s", imports, err, both)
	}
}

// TestNoMerge: files that an import is not written into, with the cure.
func TestNoMerge(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ data, want string }{
		{"version: 2\ntools:\n  prog_get: {script: echo}\n", "there is a tool \"prog_get\" already; --prefix"},
		{"hello: {script: echo}\n", "into a file of its own"},
		{"version: 2\ntools: {hello: {script: echo}}\n", "into a file of its own"},
		{"{tools: {hello: {script: echo}}}\n", "into a file of its own"},
		{"tools:\n  hello: {scrip: echo}\n", "unknown key"},
		{"version: 2\r\ntools:\r\n  hello:\r\n    script: echo\r\n", "into a file of its own"},
	} {
		if made, _, err := twoTools().Merge(config.File{Name: "x", Data: []byte(row.data)}); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%q: got %v, want %q\n%s", row.data, err, row.want, made)
		}
	}
}

// TestRemove: what imports have put into a file goes, and every other byte is what it was.
func TestRemove(t *testing.T) {
	t.Parallel()
	other := twoTools()
	other.Import.Name, other.Import.Tools = "other", []string{"other_get", "other_list"}
	for i := range other.Tools {
		other.Tools[i].ID = "other_" + other.Tools[i].Exec.Argv[0]
	}
	const mine = "# mine\nversion: 2\ntools:\n    # of mine\n    hello:\n        script: echo hello # it says so\n\n    bye:\n        script: |\n            echo bye\n"
	var file config.File
	for _, mine := range []string{mine, strings.Replace(mine, "tools:", "\ntools:", 1), strings.Replace(mine, "tools:", "\n# those\n# of mine\ntools:", 1),
		strings.Replace(mine, "version: 2\n", "", 1), strings.TrimPrefix(mine, "# mine\nversion: 2\n")} {
		file = config.File{Name: "tools.yaml", Data: []byte(mine)}
		stages := []string{mine}
		for _, made := range []*Made{twoTools(), other} {
			data, _, err := made.Merge(file)
			if err != nil {
				t.Fatal(err)
			}
			file.Data = data
			stages = append(stages, string(data))
		}
		for i, name := range []string{"other", "prog"} {
			data, removed, err := Remove(file, name)
			if err != nil || len(removed) != 2 {
				t.Fatalf("%s: %v, %v", name, removed, err)
			}
			if diff := cmp.Diff(stages[len(stages)-2-i], string(data)); diff != "" {
				t.Errorf("without %s (-want +got)\n%s", name, diff)
			}
			file.Data = data
		}
		if data := appended(t, twoTools(), mine); !strings.Contains(data, "\n    last:") {
			t.Errorf("a tool is not the last thing of\n%s", data)
		}
	}
	if _, _, err := Remove(file, "prog"); err == nil {
		t.Error("it is gone twice")
	}
	whole, err := twoTools().File(nil)
	if err != nil {
		t.Fatal(err)
	}
	if data, _, err := Remove(config.File{Name: "x", Data: whole}, "prog"); err != nil || data != nil {
		t.Errorf("of a file of its own is left %q, %v", data, err)
	}
	if data, _, err := Remove(config.File{Name: "x", Data: append([]byte("# mine\n"), whole...)}, "prog"); err != nil || string(data) != "# mine\nversion: 2\n\ntools:\n" {
		t.Errorf("of one with a line of a person's is left %q, %v", data, err)
	}
}

// appended merges an import into a file, and has a person add a tool at its end.
func appended(t *testing.T, made *Made, mine string) string {
	t.Helper()
	data, _, err := made.Merge(config.File{Name: "x", Data: []byte(mine)})
	if err != nil {
		t.Fatal(err)
	}
	data = append(data, "    last: {script: echo last}\n"...)
	tools, err := config.ReadTools(config.File{Name: "x", Data: data})
	if err != nil || len(tools) != 5 {
		t.Errorf("%d tools, %v", len(tools), err)
	}
	return string(data)
}
