package scaffold

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
	"github.com/a2a-acp/a2a-acp/internal/render"
	"github.com/a2a-acp/a2a-acp/internal/shellscan"
	"github.com/a2a-acp/a2a-acp/internal/toolyaml"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Entry is an entry of a tools file that has been made and checked.
type Entry struct {
	ID   string
	YAML []byte // a mapping of one key, the id, not indented
	// Found says what was found out about the command, one sentence each.
	Found []string
	// Tested reports whether its example is a test.
	Tested bool
	Call   []string // the arguments of that example, name=value, where it is no test
}

// Example says what the example of an entry is.
type Example int

// Kinds of examples. One that is a test passes or fails, as the command likes: who makes it tries it. A command that calls
// somebody, or wants the files of a project, which the directory of a test does not have, gets none.
const (
	Call     Example = iota // a call with made-up values, for the author to go on from
	Test                    // it is a test, too; a file that is named is there
	TestFile                // likewise, and there is a file to look into, though none is named
)

// Request says what an entry is to be made of.
type Request struct {
	ID          string
	Command     string             // bash, with {{name}} where a value goes
	Description string             // "" for one that asks to be written
	Commands    *command.Catalogue // what is known of programs; nil for what comes with this program
	Example     Example
}

// shebang stands above the command in its script.
const shebang = "#!/bin/bash\n"

// Make makes an entry. The error says what about the command cannot be a tool, with the cure.
func Make(r Request) (Entry, error) {
	if strings.TrimSpace(r.Command) == "" {
		return Entry{}, errors.New("which command? a2a-acp tools new NAME -- 'COMMAND {{value}}'")
	}
	if err := config.CheckToolID(r.ID); err != nil {
		return Entry{}, err
	}
	e := &maker{request: r, script: shebang + strings.TrimRight(r.Command, "\n") + "\n"}
	if err := e.parameters(); err != nil {
		return Entry{}, err
	}
	e.effects()
	text, err := e.write()
	if err != nil {
		return Entry{}, err
	}
	return e.check(text)
}

// maker is an entry that is being made.
type maker struct {
	request  Request
	script   string
	declared []tool.Parameter
	readOnly bool
	network  bool
	project  bool // it runs, or obeys, files of the directory that it starts in, as make does
	found    []string
	call     []string // see Entry.Call
}

func (e *maker) note(format string, args ...any) {
	e.found = append(e.found, fmt.Sprintf(format, args...))
}

// parameters finds out what the tags name, and what each place needs.
func (e *maker) parameters() error {
	template, err := e.compile(render.Options{Undeclared: render.ImplyUndeclared, Lenient: true,
		Commands: e.request.Commands})
	if err != nil {
		return err
	}
	e.declared = append(e.declared, template.Implied()...)
	for i := range e.declared {
		p := &e.declared[i]
		p.Implied = false
		switch {
		case p.Type != tool.TypeString || p.Code != "":
		case pathName.MatchString(p.Name):
			p.Format = tool.FormatPath
		case uriName.MatchString(p.Name):
			p.Format = tool.FormatURI
		}
		p.Description = describe(p.Name)
	}
	if _, err := e.compile(render.Options{Undeclared: render.RefuseUndeclared}); err != nil {
		return err
	}
	for _, p := range e.declared {
		kind := string(p.Type)
		switch {
		case p.Format == tool.FormatURI:
			kind = "an absolute URI, as its name says"
		case p.Format != "":
			kind = "the path of a file, as its name says"
		case p.Code != "":
			kind = "SQL that the agent writes"
		case p.Type == tool.TypeInteger:
			kind = "an integer, which its place needs"
		}
		if !p.Required {
			kind += ", which may be left out"
		}
		e.note("parameter %s: %s", p.Name, kind)
	}
	if len(e.declared) == 0 {
		e.note("no parameter: the command has no {{tag}}")
	}
	return nil
}

// uriName is what people call parameters that are addresses of the web.
var uriName = lazyregexp.New(`(?i)^(?:.*_)?(?:url|uri)$`)

// pathName is what people call parameters that are files.
var pathName = lazyregexp.New(`(?i)^(?:.*_)?(?:path|file|dir|directory|folder|filename|from|to|src|source|dest` +
	`|destination|input|output|into)$`)

// compile compiles the script. Where a place needs an integer or SQL, its parameter is declared so, and the
// script compiled again.
func (e *maker) compile(o render.Options) (*render.Template, error) {
	for {
		template, findings := render.Compile(e.script, e.declared, o)
		if template != nil {
			return template, nil
		}
		if !e.heed(findings) {
			return nil, config.ScriptErrors("the command", e.request.Command, strings.Count(shebang, "\n"),
				findings)
		}
	}
}

// heed changes the declarations as findings ask for, and tells whether it has.
func (e *maker) heed(findings []render.Finding) bool {
	changed := false
	for _, f := range findings {
		if f.Severity != render.Error || f.Tag == "" {
			continue
		}
		var kind tool.Type
		var code tool.Code
		switch {
		case strings.Contains(f.Fix, "code: sql"):
			kind, code = tool.TypeString, tool.CodeSQL
		case strings.Contains(f.Fix, "type: integer"):
			kind = tool.TypeInteger
		default:
			continue
		}
		p := e.parameter(parameterOf(f.Tag))
		if p.Type != kind || p.Code != code {
			p.Type, p.Code, p.Format, changed = kind, code, "", true
		}
	}
	return changed
}

// parameter returns the declaration of a parameter, a new one where there is none.
func (e *maker) parameter(name string) *tool.Parameter {
	for i := range e.declared {
		if e.declared[i].Name == name {
			return &e.declared[i]
		}
	}
	inSection := strings.Contains(e.script, "{{#"+name+"}}") || strings.Contains(e.script, "{{"+name+"|default")
	e.declared = append(e.declared, tool.Parameter{Name: name, Required: !inSection})
	return &e.declared[len(e.declared)-1]
}

// parameterOf returns the name that a tag is about.
func parameterOf(tag string) string {
	name, _, _ := strings.Cut(strings.TrimLeft(strings.Trim(tag, "{} "), "#^& "), "|")
	return strings.TrimSpace(name)
}

// effects finds out whether the command only reads. It is a guess on the safe side: what is not known to
// only read changes something.
func (e *maker) effects() {
	shell := tag.ReplaceAllStringFunc(e.request.Command, func(tag string) string {
		if strings.ContainsAny(tag[2:3], "#^/!=") {
			return ""
		}
		for _, p := range e.declared {
			if p.Name == parameterOf(tag) && p.Type == tool.TypeInteger {
				return "1"
			}
		}
		return "value"
	})
	for _, c := range shellscan.Scan(shell, e.request.Commands).Commands {
		if e.request.Commands.In(command.ProjectTools, c.Name) || command.In(command.Builders, c.Name) {
			e.project = true
		}
	}
	careful, _ := permissions.Preset("careful")
	policies, err := config.ReadPolicies(config.File{Name: "careful", Data: careful})
	request := permissions.Request{
		Door: tool.DoorMCP, Action: permissions.ActionExecute, Tools: []string{"functions.shell"},
		Dir: "/workspace", Workspace: tool.Workspace{Root: "/workspace"}, Commands: e.request.Commands,
	}
	request.SetShellText(shell)
	if err == nil {
		decision := permissions.New(permissions.Options{Policies: permissions.NewSet([]permissions.File{policies}),
			Commands: e.request.Commands}).Decide(request)
		e.readOnly = decision.Verdict == permissions.Approve
		if e.readOnly {
			e.note("read-only: it is known to only read and print, so it is not asked about inside the workspace")
		} else {
			e.note("not read-only, so it is asked about: %s", decision.Reason)
		}
	}
}

// tag is a tag, which bash must not see.
var tag = lazyregexp.New(`\{\{[^{}]*\}\}`)

// write writes the entry, its keys in the order in which people read them.
func (e *maker) write() ([]byte, error) {
	description := e.request.Description
	if description == "" {
		description = "Say here what it does and what it prints, since the model reads this."
		e.note("the description is yours to write")
	}
	if e.network = config.CallsNetwork(e.script, e.request.Commands); e.network {
		e.note("network: on, since the command calls a network client")
	} else {
		e.note("network: off")
	}
	entry := toolyaml.Mapping(
		"description", toolyaml.Text(description),
		"script", literal(e.script),
	)
	if len(e.declared) > 0 {
		toolyaml.Add(entry, "parameters", e.parameterList())
	}
	hints := toolyaml.Mapping("readOnlyHint", toolyaml.Plain(fmt.Sprint(e.readOnly)),
		"openWorldHint", toolyaml.Plain(fmt.Sprint(e.network)))
	hints.Style = yaml.FlowStyle
	toolyaml.Add(entry, "annotations", hints)
	sandbox := toolyaml.Mapping("working_directory", toolyaml.Text("."))
	if !e.readOnly {
		toolyaml.Add(sandbox, "allowed_paths", toolyaml.Texts([]string{"."}))
	}
	toolyaml.Add(sandbox, "network", toolyaml.Text(map[bool]string{true: "on", false: "off"}[e.network]))
	toolyaml.Add(sandbox, "timeout", toolyaml.Plain("30"))
	toolyaml.Add(entry, "sandbox", sandbox)
	toolyaml.Add(entry, "examples", e.examples())
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	err := errors.Join(encoder.Encode(toolyaml.Mapping(e.request.ID, entry)), encoder.Close())
	return out.Bytes(), err
}

func (e *maker) parameterList() *yaml.Node {
	all := &yaml.Node{Kind: yaml.SequenceNode}
	for _, p := range e.declared {
		one := toolyaml.Mapping("name", toolyaml.Text(p.Name), "type", toolyaml.Text(string(p.Type)))
		if p.Format != "" {
			toolyaml.Add(one, "format", toolyaml.Text(string(p.Format)))
		}
		if p.Code != "" {
			toolyaml.Add(one, "code", toolyaml.Text(string(p.Code)))
		}
		if p.Required {
			toolyaml.Add(one, "required", toolyaml.Plain("true"))
		}
		toolyaml.Add(one, "description", toolyaml.Text(p.Description))
		all.Content = append(all.Content, one)
	}
	return all
}

func describe(name string) string {
	return "The " + strings.ReplaceAll(strings.ReplaceAll(name, "_", " "), "-", " ")
}

// examples is the one that is wanted, if it can be.
func (e *maker) examples() *yaml.Node {
	params, files := toolyaml.Mapping(), toolyaml.Mapping()
	params.Style, files.Style = yaml.FlowStyle, yaml.FlowStyle
	for _, p := range e.declared {
		if !p.Required {
			continue
		}
		value := toolyaml.Text("example")
		switch {
		case p.Format == tool.FormatURI:
			value = toolyaml.Text("https://example.com/")
		case p.Format == tool.FormatPath:
			value = toolyaml.Text("example.txt")
			files = toolyaml.Mapping("example.txt", toolyaml.Text("example\n"))
			files.Style = yaml.FlowStyle
		case p.Code == tool.CodeSQL:
			value = toolyaml.Text("select 1")
		case p.Type == tool.TypeInteger:
			value = toolyaml.Plain("1")
		case p.Type == tool.TypeArray:
			value = toolyaml.Texts([]string{"example"})
		case p.Type == tool.TypeObject:
			value = toolyaml.Mapping("key", toolyaml.Text("example"))
			value.Style = yaml.FlowStyle
		}
		toolyaml.Add(params, p.Name, value)
	}
	if !e.tested() {
		e.call = nil
		for i := 0; i+1 < len(params.Content); i += 2 {
			e.call = append(e.call, params.Content[i].Value+"="+params.Content[i+1].Value)
		}
		return &yaml.Node{Kind: yaml.SequenceNode,
			Content: []*yaml.Node{toolyaml.Text(strings.Join(append([]string{e.request.ID}, e.call...), " "))}}
	}
	one := toolyaml.Mapping("name", toolyaml.Text("a call"))
	if usesGit.MatchString(e.script) {
		toolyaml.Add(one, "needs", toolyaml.Texts([]string{"git"}))
		toolyaml.Add(one, "setup",
			literal("git init -q .\ngit -c user.name=A -c user.email=a@example.com commit -q --allow-empty -m First\n"))
	}
	if len(params.Content) > 0 {
		toolyaml.Add(one, "params", params)
	}
	if len(files.Content) == 0 && e.request.Example == TestFile {
		toolyaml.Add(files, "example.txt", toolyaml.Text("example\n"))
	}
	if len(files.Content) > 0 {
		toolyaml.Add(one, "files", files)
	}
	expect := toolyaml.Mapping("exit", toolyaml.Plain("0"))
	expect.Style = yaml.FlowStyle
	toolyaml.Add(one, "expect", expect)
	return &yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{one}}
}

func (e *maker) tested() bool { return e.request.Example != Call && !e.network && !e.project }

// usesGit tells a command that wants a repository to be in.
var usesGit = lazyregexp.New(`(?m)(?:^|[|&;(]|\$\()\s*git\s`)

// check reads the entry as the program will.
func (e *maker) check(text []byte) (Entry, error) {
	loaded, err := config.ReadTools(config.File{Name: "the new entry", Commands: e.request.Commands,
		Data: append([]byte("version: 2\ntools:\n"), toolyaml.Indent(text, 2)...)})
	if err != nil {
		return Entry{}, err
	}
	for _, warning := range loaded[0].Warnings {
		e.note("%s", warning.Message)
	}
	return Entry{ID: e.request.ID, YAML: text, Found: slices.Clip(e.found), Tested: e.tested(), Call: e.call}, nil
}
