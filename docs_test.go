package a2aacp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/a2a-acp/a2a-acp/internal/yamldoc"

	a2aacp "github.com/a2a-acp/a2a-acp"
	"github.com/a2a-acp/a2a-acp/internal/agents"
	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/render"
	"github.com/a2a-acp/a2a-acp/internal/sensitive"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// block is a fenced piece of a document.
var block = regexp.MustCompile("(?ms)^```(yaml|json)\n(.*?)^```")

// TestDocuments reads every YAML of the documents as the program does, warnings included, and every JSON as
// JSON.
func TestDocuments(t *testing.T) {
	t.Parallel()
	read := 0
	for _, name := range documents(t) {
		for _, found := range block.FindAllStringSubmatch(mustRead(t, name), -1) {
			read++
			if err := check(name, found[1], []byte(found[2])); err != nil {
				t.Errorf("%s: this does not hold: %v\n%s", name, err, found[2])
			}
		}
	}
	if read < 13 {
		t.Errorf("%d blocks were read; the documents have more", read)
	}
}

// documents returns the names of all documents.
func documents(t *testing.T) []string {
	t.Helper()
	names, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	if len(names) < 5 || len(pages) < 10 {
		t.Fatalf("found %q and %q; there are more", names, pages)
	}
	return append(names, pages...)
}

var (
	heading = regexp.MustCompile(`(?m)^#{1,6} (.*)$`)
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	fence   = regexp.MustCompile("(?ms)^```.*?^```")
)

// TestLinks follows every link of the documents to a file, and to a heading where it names one.
func TestLinks(t *testing.T) {
	t.Parallel()
	followed := 0
	for _, name := range documents(t) {
		for _, found := range link.FindAllStringSubmatch(fence.ReplaceAllString(mustRead(t, name), ""), -1) {
			target, anchor, _ := strings.Cut(found[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			followed++
			path := name
			if target != "" {
				path = filepath.Join(filepath.Dir(name), target)
			}
			if _, err := os.Stat(path); err != nil {
				t.Errorf("%s links to %s: %v", name, found[1], err)
			} else if anchor != "" && !slices.Contains(anchors(mustRead(t, path)), anchor) {
				t.Errorf("%s links to %s, which has no such heading", name, found[1])
			}
		}
	}
	if followed < 40 {
		t.Errorf("%d links were followed; there are more", followed)
	}
}

// anchors returns what GitHub makes of the headings of a document.
func anchors(text string) []string {
	var all []string
	for _, found := range heading.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
		words := regexp.MustCompile(`[^a-z0-9 _-]`).ReplaceAllString(strings.ToLower(found[1]), "")
		all = append(all, strings.ReplaceAll(words, " ", "-"))
	}
	return all
}

// TestReadmeIsShort keeps the README one that is read to its end, and the reference reachable from it.
func TestReadmeIsShort(t *testing.T) {
	t.Parallel()
	readme := mustRead(t, "README.md")
	if lines := strings.Count(readme, "\n"); lines > 200 {
		t.Errorf("the README has %d lines, want at most 200; the reference is in docs", lines)
	}
	for _, name := range documents(t) {
		if strings.HasPrefix(name, "docs/") && !strings.Contains(readme, "("+name+")") {
			t.Errorf("the README does not link to %s", name)
		}
	}
}

// isSettings matches a file of settings.
var isSettings = regexp.MustCompile(`^(agents|always|audit|notifications|serve|telemetry|webhooks):`)

func check(name, language string, data []byte) error {
	file := config.File{Name: name, Layer: tool.LayerUser, Data: data}
	var err error
	switch {
	case language == "json":
		return json.Unmarshal(data, new(any))
	case strings.Contains(string(data), "auto_approval_policies:"):
		_, err = config.ReadPolicies(file)
	case strings.Contains(string(data), "\nprograms:"):
		_, err = command.Read(name, data)
	case isSettings.Match(data):
		_, err = config.ReadSettings(file, config.DefaultSettings())
	case config.IsGovernors(file):
		var told yamldoc.Errors
		if _, told, err = config.ReadGovernors(file); err == nil && len(told) > 0 {
			err = told
		}
	default:
		_, err = config.ReadTools(file)
	}
	return err
}

// code is a span of code in a line of a document.
var code = regexp.MustCompile("`([^`]+)`")

// TestNamedFiles holds the files that the documents for developers name against the tree: a path as it is,
// a bare name against every folder.
func TestNamedFiles(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	if err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && (entry.Name() == ".git" || entry.Name() == "build" || entry.Name() == "node_modules") {
			return fs.SkipDir
		}
		names[path], names[filepath.Base(path)] = true, true
		return err
	}); err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`([A-Za-z0-9_./-]+\\.(?:go|yaml))[`:]")
	for _, document := range []string{"ARCHITECTURE.md", "AGENTS.md", "CONTRIBUTING.md", "SECURITY.md"} {
		text, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range named.FindAllSubmatch(text, -1) {
			if name := string(found[1]); !names[name] {
				t.Errorf("%s names %s, which does not exist", document, name)
			}
		}
	}
}

// TestNamedIdentifiers checks that what ARCHITECTURE.md says to look for in a file, as in `match.go: because`,
// stands in a file of that name.
func TestNamedIdentifiers(t *testing.T) {
	t.Parallel()
	texts := map[string]string{}
	if err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" && filepath.Ext(path) != ".yaml" {
			return err
		}
		text, err := os.ReadFile(path)
		texts[path] = string(text)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`([A-Za-z0-9_./-]+\\.(?:go|yaml)): ([A-Za-z0-9_, ]+)`")
	for _, found := range named.FindAllStringSubmatch(mustRead(t, "ARCHITECTURE.md"), -1) {
		all := ""
		for path, text := range texts {
			if path == found[1] || strings.HasSuffix(path, "/"+found[1]) {
				all += text
			}
		}
		for _, name := range strings.FieldsFunc(found[2], func(r rune) bool { return r == ',' || r == ' ' }) {
			if !regexp.MustCompile(`\b` + name + `\b`).MatchString(all) {
				t.Errorf("ARCHITECTURE.md names %s in %s, where it does not stand", name, found[1])
			}
		}
	}
}

// TestDocumentedTemplates compiles the templates that docs/tools.md shows: those that are fine, those that
// are not, and what it says to write instead.
func TestDocumentedTemplates(t *testing.T) {
	t.Parallel()
	_, section, _ := strings.Cut(mustRead(t, "docs/tools.md"), "## Where a value may stand\n")
	section, _, _ = strings.Cut(section, "\n#")
	fine, bad := 0, 0
	wrong := false // the first column of the table is what not to write
	for _, line := range strings.Split(section, "\n") {
		cells := strings.Split(strings.ReplaceAll(line, `\|`, "\x00"), "|")
		if len(cells) != 4 || strings.HasPrefix(line, "|--") {
			continue
		}
		if strings.Contains(line, "| not |") || strings.Contains(line, "| the tag stands |") {
			wrong = strings.Contains(line, "| not |")
			continue
		}
		if wrong {
			bad++
			compiles(t, cells[1], false)
		}
		fine++
		compiles(t, cells[2], true)
	}
	if fine < 15 || bad < 10 {
		t.Errorf("%d templates were accepted and %d refused; the page has more", fine, bad)
	}
}

// compiles compiles the templates in a cell of a table. Spans that ⏎ joins are lines of one.
func compiles(t *testing.T, cell string, want bool) {
	t.Helper()
	joined := strings.ReplaceAll(strings.ReplaceAll(cell, "\x00", "|"), "`⏎`", "\n")
	parameters := []tool.Parameter{{Name: "count", Type: tool.TypeInteger, Required: true}, {Name: "query", Type: tool.TypeString, Required: true, Code: tool.CodeSQL}}
	for _, name := range []string{"text", "from", "to"} {
		parameters = append(parameters, tool.Parameter{Name: name, Type: tool.TypeString, Required: true})
	}
	for _, span := range code.FindAllStringSubmatch(joined, -1) {
		template, findings := render.Compile(span[1], parameters, render.Options{})
		if (template != nil) != want {
			t.Errorf("%s: accepted: %v, want %v: %v", span[1], template != nil, want, findings)
		}
	}
}

// TestDefaults holds what is embedded against what it says of itself.
func TestDefaults(t *testing.T) {
	t.Parallel()
	careful, ok := permissions.Preset("careful")
	if !ok || !bytes.Equal(careful, a2aacp.Policies) {
		t.Error("auto_approval_policies.yaml is not the preset careful; copy pkg/permissions/presets/careful.yaml over it")
	}
	// A start takes what came with the program for checked, because it is checked here.
	tools, err := config.ReadTools(config.File{Name: "tools.yaml", Data: a2aacp.Tools})
	if err != nil {
		t.Error(err)
	}
	for _, loaded := range tools {
		for _, warning := range loaded.Warnings {
			t.Errorf("tools.yaml, read whole: %v", warning)
		}
	}
	// Where an entry does not say it, each start reads the script to find it out.
	for id, said := range networks(t, a2aacp.Tools) {
		if said == "" {
			t.Errorf("tools.yaml: %s does not say its sandbox.network", id)
		}
	}
	set, err := config.Load(config.Sources{EmbeddedTools: a2aacp.Tools, EmbeddedPolicies: a2aacp.Policies})
	if err != nil {
		t.Fatal(err)
	}
	for _, warning := range set.Warnings {
		t.Errorf("a start with the defaults says: %v", warning)
	}
	for _, loaded := range set.Tools {
		if loaded.Tool.Unavailable != "" {
			t.Errorf("%s does not work: %s", loaded.Tool.ID, loaded.Tool.Unavailable)
		}
	}
}

// networks returns what each tool of a file says of its network.
func networks(t *testing.T, data []byte) map[string]string {
	t.Helper()
	var file struct {
		Tools map[string]struct {
			Sandbox struct {
				Network string `yaml:"network"`
			} `yaml:"sandbox"`
		} `yaml:"tools"`
	}
	if err := yaml.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	said := map[string]string{}
	for id, entry := range file.Tools {
		said[id] = entry.Sandbox.Network
	}
	return said
}

// TestSecretFilesAreLeftOut holds the names that the shipped tools leave out against those that rules ask
// about.
func TestSecretFilesAreLeftOut(t *testing.T) {
	t.Parallel()
	tools, err := config.ReadTools(config.File{Name: "tools.yaml", Data: a2aacp.Tools})
	if err != nil {
		t.Fatal(err)
	}
	list := func(script, name string) []string {
		_, rest, _ := strings.Cut(script, "\n"+name+"='\n")
		words, _, _ := strings.Cut(rest, "'")
		return strings.Fields(words)
	}
	var names, directories []string
	for _, pattern := range sensitive.Patterns(sensitive.Secret) {
		dir, isDir := strings.CutSuffix(pattern, "/**")
		switch {
		case !strings.Contains(pattern, "/"):
			names = append(names, pattern)
		case isDir && !strings.Contains(dir, "/"): // grep knows a directory by its last name only
			directories = append(directories, dir)
		}
	}
	looked := 0
	for _, loaded := range tools {
		for _, want := range []struct {
			id, variable string
			words        []string
		}{{"grep", "secrets", names}, {"grep", "directories", directories}, {"git_diff", "secrets", sensitive.Patterns(sensitive.Secret)}} {
			if loaded.Tool.ID != want.id {
				continue
			}
			looked++
			if got := list(loaded.Tool.Script, want.variable); !slices.Equal(got, want.words) {
				t.Errorf("%s: %s should be\n%s", want.id, want.variable, strings.Join(want.words, " "))
			}
		}
	}
	if looked != 3 {
		t.Errorf("%d lists were looked at, want 3", looked)
	}
}

// TestOriginalTools holds the equivalents of the original system's tools against its own lists of them:
// ids, parameters, which of those are required, and whether a person is asked. It reads the files as the
// program does, and wants no warning.
func TestOriginalTools(t *testing.T) {
	t.Parallel()
	const dir = "examples/original/"
	wants := map[string]map[string]string{ // required parameters first, then the others; an id with ! asks
		"tools.yaml": {
			"web_request": "method url | data headers timeout", "!file_operations": "operation | content directory extension file_type limit path pattern",
			"!database_query": "database operation | format query table", "system_info": "| include_network", "text_processing": "operation text |",
		},
		"tools.codex.yaml": {
			"functions.shell":      "command workdir | justification timeout_ms with_escalated_permissions",
			"functions.view_image": "path |", "functions.acp_fs__read_text_file": "path | limit line", "functions.acp_fs__write_text_file": "content path |",
			"functions.acp_fs__edit_text_file": "new_string old_string path | replace_all", "functions.acp_fs__multi_edit_text_file": "edits path |",
			"functions.apply_patch": "patch workdir |",
		},
	}
	wants["tools.gemini.yaml"] = wants["tools.codex.yaml"]
	for name, want := range wants {
		data, err := os.ReadFile(dir + name)
		if err != nil {
			t.Fatal(err)
		}
		tools, err := config.ReadTools(config.File{Name: dir + name, Layer: tool.LayerUser, Data: data})
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for _, loaded := range tools {
			if len(loaded.Warnings) > 0 {
				t.Errorf("%s: %v", name, loaded.Warnings)
			}
			var required, optional []string
			for _, p := range loaded.Tool.Parameters {
				if p.Required {
					required = append(required, p.Name)
				} else {
					optional = append(optional, p.Name)
				}
			}
			slices.Sort(required)
			slices.Sort(optional)
			id := loaded.Tool.ID
			if loaded.Tool.Sandbox.RequiresConfirmation {
				id = "!" + id
			}
			got[id] = strings.TrimSpace(strings.Join(required, " ") + " | " + strings.Join(optional, " "))
		}
		if !maps.Equal(got, want) {
			t.Errorf("%s has\n%q\nand the original\n%q", name, got, want)
		}
	}
	// What they share with the shipped tools is the same text, so that it is mended in both.
	shipped, codex := string(a2aacp.Tools), mustRead(t, dir+"tools.codex.yaml")
	for _, id := range []string{"functions.acp_fs__read_text_file", "functions.acp_fs__write_text_file"} {
		if entry(shipped, id) != entry(codex, id) {
			t.Errorf("%s is not the shipped one", id)
		}
	}
	for _, id := range []string{"functions.acp_fs__edit_text_file", "functions.acp_fs__multi_edit_text_file"} {
		same := strings.NewReplacer("old_text", "old_string", "new_text", "new_string").Replace(entry(shipped, id))
		if same != entry(codex, id) {
			t.Errorf("%s differs from the shipped one in more than the names of parameters", id)
		}
	}
}

// entry cuts a tool out of a file.
func entry(file, id string) string {
	_, rest, found := strings.Cut(file, "\n  "+id+":\n")
	if !found {
		return "there is no " + id
	}
	if end := regexp.MustCompile(`(?m)^  [a-z]`).FindStringIndex(rest); end != nil {
		rest = rest[:end[0]]
	}
	return strings.TrimSpace(rest)
}

func mustRead(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestCoverage compares what the documents say becomes of each agent's own acts with what the program knows.
func TestCoverage(t *testing.T) {
	t.Parallel()
	if !strings.Contains(mustRead(t, "docs/hooks.md"), "\n\n"+coverageTable()+"\n") {
		t.Errorf("docs/hooks.md: the table is not\n%s", coverageTable())
	}
	cells := func(row string) (list []string) {
		for line := range strings.Lines(mustRead(t, "README.md")) {
			if strings.HasPrefix(line, "| "+row) {
				for _, cell := range strings.Split(strings.Trim(line, "| \n"), "|")[1:] {
					list = append(list, strings.TrimSpace(cell))
				}
				return list
			}
		}
		return nil
	}
	header := regexp.MustCompile(`(?m)^\| \|(.*)\|\n(?:.*\n)*?\| files and terminals`).FindStringSubmatch(mustRead(t, "README.md"))
	if header == nil {
		t.Fatal("README.md has no table of agents")
	}
	hooked, alone := cells("its own acts, by"), cells("… with `--hooks=off`")
	for i, name := range strings.Split(header[1], "|") {
		agent, known := agents.ByName(strings.ToLower(strings.TrimSpace(name)))
		switch {
		case !known || i >= len(hooked) || i >= len(alone):
			t.Errorf("README.md says nothing of the own acts of %s", name)
		case hooked[i] != agent.InShort(true) || alone[i] != agent.InShort(false):
			t.Errorf("README.md says of %s %q and %q, want %q and %q", name, hooked[i], alone[i], agent.InShort(true), agent.InShort(false))
		}
	}
}

// coverageTable returns all rows of all agents as a table of Markdown. An asterisk stands where no test proves it.
func coverageTable() string {
	all := append(agents.Known(), agents.Agent{Title: "any other"})
	var out strings.Builder
	out.WriteString("| |")
	for _, agent := range all {
		out.WriteString(" " + agent.Title + " |")
	}
	out.WriteString("\n|---" + strings.Repeat("|---", len(all)) + "|\n")
	show := func(cell agents.Cell) string {
		if cell.Untested != "" && cell.Level != agents.None {
			return string(cell.Level) + "*"
		}
		return string(cell.Level)
	}
	for _, kind := range agents.Kinds {
		fmt.Fprintf(&out, "| %s |", kind)
		for _, agent := range all {
			row := agent.Act(kind)
			cell := show(row.Alone)
			if agent.Hooks != "" && row.Hooked != row.Alone {
				cell = show(row.Hooked) + " / " + cell
			}
			out.WriteString(" " + cell + " |")
		}
		out.WriteString("\n")
	}
	return out.String()
}
