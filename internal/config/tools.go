package config

import (
	"fmt"
	"regexp"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/a2a-acp/a2a-acp/internal/render"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Loaded is one tool, checked and compiled.
type Loaded struct {
	Tool     tool.Tool
	Template *render.Template // nil when the tool is unavailable
	// Confirmation is the author's own question; nil for the standard one.
	Confirmation *render.Text
	// CacheKey tells the tool's calls apart; nil when their arguments do, or nothing is kept.
	CacheKey *render.Text
	// Details are the error details of error_mapping, by exit code.
	Details map[int]*render.Tree
	// Warnings are what its author should know, in the order of reading.
	Warnings Errors
}

// toolsFile is a tools file that is being read.
type toolsFile struct {
	file    File
	doc     *document
	version int
	lenient bool // template_safety: warn
	entries []*toolEntry
}

// ReadTools reads one tools file: a mapping of tools, below `tools:` or by itself. The tools come in the order of the
// file. The error is an Errors that holds all mistakes and warnings of the file.
func ReadTools(file File) ([]Loaded, error) {
	f := &toolsFile{file: file, doc: parse(file.Name, file.Data), version: formatOriginal}
	if f.doc.root != nil {
		f.readRoot(f.doc.at(f.doc.root, "", "a mapping of tools"))
	}
	warnings := make([]Errors, len(f.entries))
	tools := make([]Loaded, len(f.entries))
	for i, entry := range f.entries {
		if f.doc.full() {
			break
		}
		before := len(f.doc.found)
		tools[i] = entry.finish()
		warnings[i] = append(entry.found, f.doc.found[before:]...)
	}
	f.doc.finish()
	if f.doc.found.Broken() {
		return nil, f.doc.found
	}
	for i := range tools {
		f.doc.quote(warnings[i])
		warnings[i].sortByPosition()
		tools[i].Warnings = warnings[i]
	}
	return tools, nil
}

// rootNoun is what may stand beside the tools.
func rootNoun() noun[*toolsFile] {
	return noun[*toolsFile]{
		name: "a tools file",
		keys: []key[*toolsFile]{
			{"tools", "a mapping of tools", (*toolsFile).readTools},
			{"version", "1 or 2", func(*toolsFile, value) {}},                 // read first: it says how to read the rest
			{"template_safety", "strict or warn", func(*toolsFile, value) {}}, // read first, too
		},
		otherwise: "; a tool's id stands below tools, two spaces deeper",
		called:    map[string]string{"functions": "tools", "toolbox": "tools", "commands": "tools", "formatversion": "version"},
		elsewhere: []misplaced{
			{names(toolNoun().keys), "%s belongs to a tool, below its id"},
			{names(policyFileNoun().keys), "%s belongs in a policy file, such as auto_approval_policies.yaml"},
			{names(settingsNoun().keys), "%s belongs in a2a-acp.yaml"},
		},
	}
}

func (f *toolsFile) readRoot(root value) {
	if version, given := root.get("version"); given && !version.has("script") {
		f.version, _ = readVersion(version)
	}
	if safety, given := root.get("template_safety"); given && !safety.has("script") {
		f.readTemplateSafety(safety)
	}
	if root.has("tools") {
		readKeys(root, rootNoun(), f)
		return
	}
	f.readBare(root)
}

// readBare reads a file that is a mapping of tools itself. What has no script and a name like a key of the other form is
// taken for that key, mistyped.
func (f *toolsFile) readBare(v value) {
	root := rootNoun()
	entries, _ := v.entries()
	for _, e := range entries {
		if f.doc.full() {
			return
		}
		isTool := e.value.has("script")
		hint, _ := root.meant(e.name)
		switch {
		case (e.name == "version" || e.name == "template_safety") && !isTool: // read already
		case hint != "" && !isTool:
			e.key.fail(ruleUnknown, hint, "unknown key %s in %s", quote(e.name), root.name)
		default:
			f.readTool(e)
		}
	}
}

// readTemplateSafety reads how a file takes places that need a number or SQL where the parameter's declaration does not say
// so: strict, the default, refuses them, warn has the values checked at each call. Values are references in both.
func (f *toolsFile) readTemplateSafety(v value) {
	v.want = "strict or warn"
	name, ok := v.text()
	if !ok {
		return
	}
	switch name {
	case "strict", "warn":
		f.lenient = name == "warn"
	case "raw", "off", "none", "unsafe":
		v.fail("template-safety", "warn makes missing declarations warnings and checks the values at each call", "there is no %s: values never become part of a script, in any file", name)
	default:
		v.fail("template-safety", "", "want strict or warn, found %s", quote(name))
	}
}

func (f *toolsFile) readTools(v value) {
	if isList(v) {
		f.readListed(v)
		return
	}
	entries, _ := v.rawEntries()
	for _, e := range entries {
		if f.doc.full() {
			return
		}
		f.readTool(e)
	}
}

// readListed reads a list of tools, which is no tools file, for the other mistakes in it.
func (f *toolsFile) readListed(v value) {
	v.mismatch("", "each tool stands below its id, without a dash:\ntools:\n  my_tool:\n    description: …\n    script: …")
	items, _ := v.list("")
	for _, item := range items {
		for _, name := range []string{"id", "name"} {
			if id, ok := item.get(name); ok && id.node.Kind == yaml.ScalarNode && item.has("script") {
				item.unsaid("id")
				f.readTool(entry{name: id.node.Value, key: id, value: item})
				break
			}
		}
	}
}

// toolID is what MCP lets a tool be called (2025-11-25, server/tools: 1 to 128 of A-Z a-z 0-9 _ - .), but for a sign at
// the start, which command lines would take for an option.
var toolID = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$`)

// unsaid has no more said of a key.
func (v value) unsaid(name string) {
	for i := 0; i+1 < len(v.node.Content); i += 2 {
		if v.node.Content[i].Value == name {
			v.doc.told(v.node.Content[i])
		}
	}
}

const idRule = "an id has 1 to 128 letters (a to z, A to Z), digits, _, - and ., and begins with no - or ."

// CheckToolID says why a name cannot be a tool's id; nil when it can.
func CheckToolID(name string) error {
	if toolID.MatchString(name) {
		return nil
	}
	if hint := idHint(name); hint != "" {
		return fmt.Errorf("%s cannot be a tool's id: %s; %s", quote(name), idRule, hint)
	}
	return fmt.Errorf("%s cannot be a tool's id: %s", quote(name), idRule)
}

// idHint is an id made of what was written.
func idHint(name string) string {
	id := strings.Trim(strings.Map(func(r rune) rune {
		switch {
		case r >= 0x80:
			return '?' // the letters of others are theirs to write
		case toolID.MatchString("a" + string(r)):
			return r
		}
		return '_'
	}, strings.TrimSpace(name)), "_-.")
	if id == name || !toolID.MatchString(id) {
		return ""
	}
	return "for example " + id
}

func (f *toolsFile) readTool(e entry) {
	e.key.name = ""
	if !toolID.MatchString(e.name) {
		e.key.fail(ruleValue, idHint(e.name), "%s cannot be a tool's id: %s", quote(e.name), idRule)
	} else if e.key.node.Tag != "!!str" && e.key.node.Tag != "!!timestamp" {
		e.key.fail(ruleKey, fmt.Sprintf("put quotes around it: %q", e.name), "a tool's id is a text, found %s", describe(e.key.node))
	}
	at := f.doc.at(e.value.node, fmt.Sprintf("tool %q", e.name), "a mapping")
	before := len(f.doc.found)
	entry := newToolEntry(f, e, at)
	readKeys(at, toolNoun(), entry)
	entry.found = append(entry.found, f.doc.found[before:]...)
	f.entries = append(f.entries, entry)
}
