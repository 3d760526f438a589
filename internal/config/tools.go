package config

import (
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/a2a-acp/a2a-acp/internal/answer"
	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
	"github.com/a2a-acp/a2a-acp/internal/outputschema"
	"github.com/a2a-acp/a2a-acp/internal/render"
	"github.com/a2a-acp/a2a-acp/internal/request"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Loaded is one tool, checked and compiled.
type Loaded struct {
	Tool     tool.Tool
	Template *render.Template  // nil when the tool is unavailable, or sends a request
	Request  *request.Template // nil for a script
	Answer   *answer.Reading   // nil where an answer is taken as it is
	// Look asks about the job that the request begins, and Cancel ends it; nil for none.
	Look, Cancel *request.Template
	// Confirmation is the author's own question; nil for the standard one.
	Confirmation *render.Text
	// CacheKey tells the tool's calls apart; nil when their arguments do, or nothing is kept.
	CacheKey *render.Text
	// Details are the error details of error_mapping, by exit code.
	Details map[int]*render.Tree
	// Output is what stdout fits; nil where the entry says nothing of it.
	Output *outputschema.Schema
	// Warnings are what its author should know, in the order of reading.
	Warnings yamldoc.Errors

	sentAt  tool.Source  // what says where its references go; the zero Source for a script
	allowed []placedPath // its allowed_paths
}

// toolsFile is a tools file that is being read.
type toolsFile struct {
	file    File
	doc     *yamldoc.Document
	version int
	lenient bool // template_safety: warn
	sources map[string]*httpSource
	entries []*toolEntry

	middleware []*middlewareRow
	groups     []*toolGroup
	groupsAt   yamldoc.Value // where they stand; without a node there are none
	access     []*accessRule
	accessAt   yamldoc.Value // likewise
	resources  []Resource
	prompts    []Prompt
	imports    []Import
}

// ReadTools reads one tools file: a mapping of tools, below `tools:` or by itself. The tools come in the
// order of the file. The error is an Errors that holds all mistakes and warnings of the file.
func ReadTools(file File) ([]Loaded, error) {
	read, err := readToolsFile(file)
	return read.tools, err
}

func readToolsFile(file File) (toolsRead, error) {
	f := &toolsFile{file: file, version: formatOriginal}
	if file.Made != nil {
		f.doc = yamldoc.Of(file.Name, file.Made, yamldoc.Options{})
	} else {
		f.doc = yamldoc.Parse(file.Name, file.Data, yamldoc.Options{})
	}
	if root, ok := f.doc.Root("a mapping of tools"); ok {
		f.readRoot(root)
	}
	f.addMiddleware()
	warnings := make([]yamldoc.Errors, len(f.entries))
	tools := make([]Loaded, len(f.entries))
	for i, entry := range f.entries {
		if f.doc.Full() {
			break
		}
		before := len(f.doc.Found)
		tools[i] = entry.finish()
		warnings[i] = append(entry.found, f.doc.Found[before:]...)
	}
	f.grantAccess(tools, warnings)
	f.doc.Finish()
	if f.doc.Found.Broken() {
		return toolsRead{}, f.doc.Found
	}
	for i := range tools {
		f.doc.AddExcerpts(warnings[i])
		warnings[i].Sort()
		tools[i].Warnings = warnings[i]
	}
	return toolsRead{file, tools, f.resources, f.prompts}, nil
}

// rootMapping is what may stand beside the tools.
func rootMapping() yamldoc.Mapping[*toolsFile] {
	return yamldoc.Mapping[*toolsFile]{
		Name: "a tools file",
		Keys: []yamldoc.Key[*toolsFile]{
			yamldoc.NewKey("tools", "a mapping of tools", (*toolsFile).readTools),
			// read first: tools name them
			yamldoc.NewKey("sources", "a mapping of services that tools send requests to", func(*toolsFile, yamldoc.Value) {}),
			yamldoc.NewKey("middleware", "a list of rows: {match, timeout, …}", (*toolsFile).readMiddleware),
			yamldoc.NewKey("groups", "a mapping of groups of tools: {selectors, …}", (*toolsFile).readGroups),
			yamldoc.NewKey("access", "a list of rules: {claim_matchers, allowed_group_ids}", (*toolsFile).readAccess),
			yamldoc.NewKey("resources", "a mapping of resources", (*toolsFile).readResources),
			yamldoc.NewKey("prompts", "a mapping of prompts", (*toolsFile).readPrompts),
			// read first: it says how to read the rest
			yamldoc.NewKey("version", "1 or 2", func(*toolsFile, yamldoc.Value) {}),
			// read first, too
			yamldoc.NewKey("template_safety", "strict or warn", func(*toolsFile, yamldoc.Value) {}),
			yamldoc.NewKey("imports", "a mapping of programs, which a2a-acp import cli writes", (*toolsFile).readImports),
		},
		UnknownHint: "; a tool's id stands below tools, two spaces deeper",
		Synonyms: map[string]string{"functions": "tools", "toolbox": "tools", "commands": "tools",
			"tool_groups": "groups", "access_policies": "access", "policies": "access",
			"formatversion": "version"},
		Elsewhere: []yamldoc.Misplaced{
			{Names: toolMapping().Names(), Hint: "%s belongs to a tool, below its id"},
			{Names: policyFileMapping().Names(),
				Hint: "%s belongs in a policy file, such as auto_approval_policies.yaml"},
			{Names: settingsMapping().Names(), Hint: "%s belongs in a2a-acp.yaml"},
		},
	}
}

func (f *toolsFile) readRoot(root yamldoc.Value) {
	if version, given := root.Get("version"); given && !isTool(version) {
		f.version, _ = readVersion(version)
	}
	if safety, given := root.Get("template_safety"); given && !isTool(safety) {
		f.readTemplateSafety(safety)
	}
	if sources, given := root.Get("sources"); given && root.Has("tools") {
		f.readHTTPSources(sources)
	}
	if root.Has("tools") {
		yamldoc.ReadKeys(root, rootMapping(), f)
		return
	}
	f.readBare(root)
}

// isTool reports whether a value looks like the entry of a tool.
func isTool(v yamldoc.Value) bool {
	return v.Has("script") || v.Has("exec") || v.Has("http") || v.Has("execution_profile") || v.Has("a2a")
}

// readBare reads a file that is a mapping of tools itself. What has no script and a name like a key of the
// other form is taken for that key, mistyped.
func (f *toolsFile) readBare(v yamldoc.Value) {
	root := rootMapping()
	entries, _ := v.Entries()
	for _, e := range entries {
		if f.doc.Full() {
			return
		}
		isTool := isTool(e.Value)
		hint, _ := root.Suggest(e.Name)
		switch {
		case (e.Name == "version" || e.Name == "template_safety") && !isTool: // read already
		case e.Name == "middleware" && !isTool:
			f.readMiddleware(e.Value)
		case e.Name == "groups" && !isTool:
			f.readGroups(e.Value)
		case e.Name == "access" && !isTool:
			f.readAccess(e.Value)
		case e.Name == "resources" && !isTool:
			f.readResources(e.Value)
		case e.Name == "prompts" && !isTool:
			f.readPrompts(e.Value)
		case hint != "" && !isTool:
			e.Key.Fail(yamldoc.RuleUnknown, hint, "unknown key %s in %s", yamldoc.Quote(e.Name), root.Name)
		default:
			f.readTool(e)
		}
	}
}

// readTemplateSafety reads how a file takes places that need a number or SQL where the parameter's
// declaration does not say so: strict, the default, refuses them, warn has the values checked at each call.
// Values are references in both.
func (f *toolsFile) readTemplateSafety(v yamldoc.Value) {
	v.Want = "strict or warn"
	name, ok := v.Text()
	if !ok {
		return
	}
	switch name {
	case "strict", "warn":
		f.lenient = name == "warn"
	case "raw", "off", "none", "unsafe":
		v.Fail("template-safety",
			"warn makes missing declarations warnings and checks the values at each call",
			"there is no %s: values never become part of a script, in any file", name)
	default:
		v.Fail("template-safety", "", "want strict or warn, found %s", yamldoc.Quote(name))
	}
}

func (f *toolsFile) readTools(v yamldoc.Value) {
	if v.IsList() {
		f.readListed(v)
		return
	}
	entries, _ := v.AllEntries()
	for _, e := range entries {
		if f.doc.Full() {
			return
		}
		f.readTool(e)
	}
}

// readListed reads a list of tools, which is no tools file, for the other mistakes in it.
func (f *toolsFile) readListed(v yamldoc.Value) {
	v.Mismatch("", "each tool stands below its id, without a dash:\ntools:\n  my_tool:\n    description: …\n    script: …")
	items, _ := v.List("")
	for _, item := range items {
		for _, name := range []string{"id", "name"} {
			if id, ok := item.Get(name); ok && id.Node.Kind == yaml.ScalarNode && isTool(item) {
				item.IgnoreKey("id")
				f.readTool(yamldoc.Entry{Name: id.Node.Value, Key: id, Value: item})
				break
			}
		}
	}
}

// toolID is what MCP lets a tool be called (2025-11-25, server/tools: 1 to 128 of A-Z a-z 0-9 _ - .), but for
// a sign at the start, which command lines would take for an option.
var toolID = lazyregexp.New(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$`)

const idRule = "an id has 1 to 128 letters (a to z, A to Z), digits, _, - and ., and begins with no - or ."

// CheckToolID says why a name cannot be a tool's id; nil when it can.
func CheckToolID(name string) error {
	if toolID.MatchString(name) {
		return nil
	}
	if hint := idHint(name); hint != "" {
		return fmt.Errorf("%s cannot be a tool's id: %s; %s", yamldoc.Quote(name), idRule, hint)
	}
	return fmt.Errorf("%s cannot be a tool's id: %s", yamldoc.Quote(name), idRule)
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

func (f *toolsFile) readTool(e yamldoc.Entry) {
	e.Key.Name = ""
	if !toolID.MatchString(e.Name) {
		e.Key.Fail(yamldoc.RuleValue, idHint(e.Name), "%s cannot be a tool's id: %s", yamldoc.Quote(e.Name),
			idRule)
	} else if e.Key.Node.Tag != "!!str" && e.Key.Node.Tag != "!!timestamp" {
		e.Key.Fail(yamldoc.RuleKey, fmt.Sprintf("put quotes around it: %q", e.Name),
			"a tool's id is a text, found %s", yamldoc.Describe(e.Key.Node))
	}
	at := f.doc.At(e.Value.Node, fmt.Sprintf("tool %q", e.Name), "a mapping")
	before := len(f.doc.Found)
	entry := newToolEntry(f, e, at)
	yamldoc.ReadKeys(at, toolMapping(), entry)
	entry.found = append(entry.found, f.doc.Found[before:]...)
	f.entries = append(f.entries, entry)
}
