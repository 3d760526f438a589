package scaffold

import (
	"bytes"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/toolyaml"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// read reads an entry as the program will.
func read(t *testing.T, e Entry) tool.Tool {
	t.Helper()
	loaded, err := config.ReadTools(config.File{Name: "x", Data: append([]byte("version: 2\ntools:\n"), toolyaml.Indent(e.YAML, 2)...)})
	if err != nil {
		t.Fatalf("%v\n%s", err, e.YAML)
	}
	return loaded[0].Tool
}

// TestMake: what is found out about a command.
func TestMake(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		command  string
		kinds    string // of the parameters, in order
		readOnly bool
		network  tool.Network
		untested bool // by the example
	}{
		{"wc -l {{file}}", "file:string:path!", true, tool.NetworkOff, false},
		{"git log --oneline -{{count}}", "count:integer:!", true, tool.NetworkOff, false},
		{"git push origin {{branch}}", "branch:string:!", false, tool.NetworkOn, true},
		{"rm -- {{file}}", "file:string:path!", false, tool.NetworkOff, false},
		{"cat -- {{file}} > copy", "file:string:path!", false, tool.NetworkOff, false},
		{"psql -At -c {{query}}", "query:string:sql!", false, tool.NetworkOn, true},
		{"psql -h {{host}} -c 'select 1'", "host:string:!", false, tool.NetworkOn, true},
		{"timeout 5 mysql -e {{query}}", "query:string:sql!", false, tool.NetworkOn, true},
		{"curl -sS -- {{url}}", "url:string:uri!", false, tool.NetworkOn, true},
		{"sqlite3 -safe x.db {{query}}", "query:string:sql!", false, tool.NetworkOff, false},
		{"head -n {{n|default(3)}} -- {{src}} | sort", "n:string: src:string:path!", true, tool.NetworkOff, false},
		{"echo $(( {{a}} + {{b}} ))", "a:integer:! b:integer:!", false, tool.NetworkOff, false},
		{"echo {{#words}}{{.}} {{/words}} {{#more}}{{key}}={{value}}{{/more}}", "words:array: more:object:", true, tool.NetworkOff, false},
		{"date", "", true, tool.NetworkOff, false},
		{"make build", "", false, tool.NetworkOff, true},
		{"cd src && ctest -R {{name}}", "name:string:!", false, tool.NetworkOff, true},
		{"printf '%s: \"%s\"\\n' {{a}} '# {{b}}'", "a:string:! b:string:!", true, tool.NetworkOff, false},
	} {
		t.Run(row.command, func(t *testing.T) {
			t.Parallel()
			e, err := Make(Request{ID: "new", Command: row.command, Example: Test})
			if err != nil {
				t.Fatal(err)
			}
			made := read(t, e)
			var kinds []string
			for _, p := range made.Parameters {
				kinds = append(kinds, p.Name+":"+string(p.Type)+":"+string(p.Format)+string(p.Code)+map[bool]string{true: "!"}[p.Required])
			}
			if got := strings.Join(kinds, " "); got != row.kinds {
				t.Errorf("parameters: want %q, got %q", row.kinds, got)
			}
			if made.IsReadOnly() != row.readOnly || made.Sandbox.Network != row.network {
				t.Errorf("read-only %v, network %v; want %v, %v: %q", made.IsReadOnly(), made.Sandbox.Network, row.readOnly, row.network, e.Found)
			}
			if !strings.Contains(made.Script, row.command) || len(made.Examples) != 1 {
				t.Errorf("script %q, examples %v", made.Script, made.Examples)
			}
			if e.Tested == row.untested || strings.Contains(string(e.YAML), "expect:") == row.untested {
				t.Errorf("tested: %v, want %v: %s", e.Tested, !row.untested, e.YAML)
			}
			if len(made.Sandbox.AllowedPaths) > 0 == row.readOnly {
				t.Errorf("a tool that reads must not write, and the other way round: %v", made.Sandbox.AllowedPaths)
			}
		})
	}
}

// TestMakeRefuses: a command that cannot be made safe is no tool, and the cure is told.
func TestMakeRefuses(t *testing.T) {
	t.Parallel()
	for command, cure := range map[string]string{
		"eval {{x}}":           "do not pass values to eval",
		"bash -c 'echo {{x}}'": "the command:1:",
		"{{x}} --version":      "the command:1:",
		"echo 'a":              "not valid bash",
		"  ":                   "which command",
		"echo {{x":             "the command:1:",
	} {
		e, err := Make(Request{ID: "new", Command: command})
		if err == nil || !strings.Contains(err.Error(), cure) {
			t.Errorf("%q: want an error with %q, got %v\n%s", command, cure, err, e.YAML)
		}
	}
	if _, err := Make(Request{ID: "no such id", Command: "date"}); err == nil || !strings.Contains(err.Error(), "id has 1 to 128") {
		t.Errorf("an id that is none: %v", err)
	}
}

// TestInsert: the file keeps every byte, comments too, and says of its tools what it said.
func TestInsert(t *testing.T) {
	t.Parallel()
	e, err := Make(Request{ID: "new", Command: "wc -l {{file}}"})
	if err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct{ head, tail string }{
		"a plain file":              {"# mine\nversion: 2\ntools:\n  a: {script: echo} # yes\n  # the last words\n", ""},
		"no newline at the end":     {"version: 2\ntools:\n  a:\n    script: |\n      echo", ""},
		"keys after the tools":      {"tools:\n    a:\n        script: echo\n", "\n# about the version\nversion: 2\n"},
		"a bare file":               {"# bare\na: {script: echo}\n", ""},
		"no tools yet":              {"version: 2\n\ntools:\n", ""},
		"no tools yet, others keys": {"tools: # none\n", "version: 2\n"},
		"lines that end in CR LF":   {"version: 2\r\ntools:\r\n  a:\r\n    script: |\r\n      echo\r\n", ""},
		"a document's mark":         {"---\nversion: 2\ntools:\n  a: {script: echo}\n", ""},
		"examples with lines":       {"version: 2\ntools:\n  a:\n    script: echo\n    examples: [{name: x}]\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			made, err := Insert(config.File{Name: "mine.yaml", Data: []byte(row.head + row.tail)}, e)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.HasPrefix(made, []byte(row.head)) || !bytes.HasSuffix(made, []byte(row.tail)) {
				t.Errorf("the file was\n%s%s\nand is\n%s", row.head, row.tail, made)
			}
			loaded, err := config.ReadTools(config.File{Name: "mine.yaml", Data: made})
			if err != nil || loaded[len(loaded)-1].Tool.ID != "new" {
				t.Errorf("%v\n%s", err, made)
			}
			if _, err := Insert(config.File{Name: "mine.yaml", Data: made}, e); err == nil || !strings.Contains(err.Error(), `there is a tool "new" already`) {
				t.Errorf("the second time: %v", err)
			}
		})
	}
	for name, row := range map[string]struct{ data, why string }{
		"braces":                {"tools: {a: {script: echo}}\n", "put the entry there yourself"},
		"nothing in braces":     {"tools: {}\n", "put the entry there yourself"},
		"a document's end":      {"tools:\n  a: {script: echo}\n...\n", "put the entry there yourself"},
		"a broken file":         {"tools:\n  a: {script: echo, bogus: 1}\n", "bogus"},
		"a text that keeps":     {"tools:\n  a:\n    script: |+\n      echo\n", "would be another"},
		"an anchor, used twice": {"tools: &t\n  a: {script: echo}\n", "put the entry there yourself"},
	} {
		if made, err := Insert(config.File{Name: "mine.yaml", Data: []byte(row.data)}, e); err == nil || !strings.Contains(err.Error(), row.why) {
			t.Errorf("%s: want %q, got %v\n%s", name, row.why, err, made)
		}
	}
}
