package replay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// SuggestedRule is a rule as a policy file writes it.
type SuggestedRule struct {
	ID           string             `json:"id" yaml:"id"`
	AppliesTo    []string           `json:"applies_to" yaml:"applies_to,flow"`
	Agents       []string           `json:"agents,omitempty" yaml:"agents,flow,omitempty"`
	Principals   []string           `json:"principals,omitempty" yaml:"principals,flow,omitempty"`
	Workspaces   []string           `json:"workspaces,omitempty" yaml:"workspaces,flow,omitempty"`
	Requires     []string           `json:"requires,omitempty" yaml:"requires,flow,omitempty"`
	IncludePaths []string           `json:"include_paths,omitempty" yaml:"include_paths,flow,omitempty"`
	Parameters   map[string]any     `json:"parameters,omitempty" yaml:"parameters,omitempty"`
	Commands     *suggestedCommands `json:"commands,omitempty" yaml:"commands,omitempty"`
	When         string             `json:"when,omitempty" yaml:"when,omitempty"`
	Decision     suggestedDecision  `json:"decision" yaml:"decision,flow"`
	Match        []map[string]any   `json:"match" yaml:"match"`
	NotMatch     []map[string]any   `json:"not_match,omitempty" yaml:"not_match,omitempty"`

	directory func(dir string) string // writes a directory as rules do
	unwritten string                  // the first word of its commands that no rule can have; "" for none
}

type suggestedCommands struct {
	Allow     []string `json:"allow" yaml:"allow,flow"`
	Redirects string   `json:"redirects" yaml:"redirects"`
}

type suggestedDecision struct {
	Type   string `json:"type" yaml:"type"`
	Reason string `json:"reason" yaml:"reason"`
}

// by adds to an example of the rule who asks, and where.
func (rule *SuggestedRule) by(example map[string]any, r permissions.Request) {
	if len(rule.Agents) > 0 {
		example["agent"] = r.Agent
	}
	if len(rule.Principals) > 0 {
		example["principal"] = r.Principal
	}
	if len(rule.Requires) > 0 {
		example["confined"] = true
	}
	if len(rule.Workspaces) > 0 {
		example["workspace"] = rule.directory(r.Workspace.Root)
	}
}

// aboutCommand allows the first words of each command: those that it was written with. Where its text is spelled as well,
// they end before one that no rule can have as a word.
func (rule *SuggestedRule) aboutCommand(g *group, spelled bool) (why string) {
	r := g.acts[0].Request
	var allow []string
	for _, c := range r.Shell.Commands {
		words, plain := []string{c.Name}, true
		for _, arg := range c.Args {
			if !arg.Fixed { // the same text may mean something else tomorrow
				return "one of its words is not fixed"
			}
			if plain = plain && permissions.PlainWord(arg.Text); plain {
				words = append(words, arg.Text)
			} else if rule.unwritten == "" {
				rule.unwritten = arg.Text
			}
		}
		if !plain && !spelled {
			return "one of its words cannot be written in a rule"
		}
		if text := strings.Join(words, " "); !slices.Contains(allow, text) && c.Via == "" {
			allow = append(allow, text)
		}
	}
	if len(r.Shell.Writes) > 0 {
		return "it writes files by redirection"
	}
	rule.allow(r, allow...)
	return ""
}

// allow allows first words of commands. The example is the command of an act.
func (rule *SuggestedRule) allow(r permissions.Request, words ...string) {
	rule.Commands = &suggestedCommands{Redirects: "none", Allow: words}
	rule.Match = append(rule.Match, rule.running(r, ""))
	rule.NotMatch = append(rule.NotMatch, rule.running(r, " && rm -rf x"))
}

// running is an example of the rule: the command of an act, with more behind it, where it ran.
func (rule *SuggestedRule) running(r permissions.Request, more string) map[string]any {
	example := map[string]any{"command": r.ShellText + more}
	if dir, err := filepath.Rel(r.Workspace.Root, r.Dir); rule.When != "" && err == nil && dir != "." {
		example["dir"] = dir
	}
	rule.by(example, r)
	return example
}

// spellTexts holds a command to the texts that were approved, each in the directory that it ran in: the first words of
// commands let further ones through, and `rm -rf build` of another directory removes other files.
func (rule *SuggestedRule) spellTexts(g *group, open string) (why string) {
	var texts []any
	var acts []string
	for _, act := range g.acts {
		r := act.Request
		if given, ok := r.Arguments["command"].(string); r.Action == permissions.ActionCall && (!ok || given != r.ShellText) {
			return "a rule has to hold it to its whole text (" + open + "), and that is not on record as an argument of its own"
		}
		if !slices.Contains(texts, any(r.ShellText)) {
			texts = append(texts, r.ShellText)
		}
		if this := "call.shell == " + strconv.Quote(r.ShellText) + " && " + placeOf(r); !slices.Contains(acts, this) {
			acts = append(acts, this)
		}
	}
	if len(acts) > mostValues {
		return fmt.Sprintf("it was written in %d ways, or directories, so there is no narrow rule", len(acts))
	}
	rule.When = strings.Join(acts, " || ")
	first := g.acts[0].Request
	if first.Action == permissions.ActionCall { // what runs is one of its arguments
		rule.Parameters = map[string]any{"command": map[string]any{"in": texts}}
	}
	rule.Match[0] = rule.running(first, "")
	elsewhere := rule.running(first, "")
	elsewhere["dir"] = "/nonexistent/elsewhere"
	rule.NotMatch = append(rule.NotMatch, rule.running(first, " x"), elsewhere)
	return ""
}

// placeOf is an expression of a rule that holds in the directory of an act, and in no other one of its workspace.
func placeOf(r permissions.Request) string {
	below, ok := strings.CutPrefix(r.Dir, strings.TrimSuffix(r.Workspace.Root, "/")+"/")
	switch {
	case r.Dir == r.Workspace.Root:
		return "call.dir == call.workspace"
	case ok:
		return "call.dir == call.workspace + " + strconv.Quote("/"+below)
	}
	return "call.dir == " + strconv.Quote(r.Dir)
}

// kindPattern stands for the files of one kind in the directory of a file.
func kindPattern(name string) string {
	return escapeGlob(strings.TrimSuffix(name, path.Base(name))) + "*" + escapeGlob(path.Ext(name))
}

// aboutFiles names files by a pattern.
func (rule *SuggestedRule) aboutFiles(g *group, pattern string) {
	r := g.acts[0].Request
	rule.IncludePaths = []string{pattern}
	example := func(name string) map[string]any {
		e := map[string]any{"tool": r.Tools[0], "path": name}
		rule.by(e, r)
		return e
	}
	rule.Match = append(rule.Match, example(g.paths[0]))
	if !strings.HasSuffix(pattern, "**") {
		rule.NotMatch = append(rule.NotMatch, example(g.paths[0]+".other"))
	}
	rule.NotMatch = append(rule.NotMatch, example("../"+path.Base(g.paths[0])))
}

// mostValues is how many values of an argument a rule names.
const mostValues = 8

// aboutCalls holds every argument to the values that it had.
func (rule *SuggestedRule) aboutCalls(g *group, parameters []tool.Parameter) (why string) {
	rule.Parameters = map[string]any{}
	first := g.acts[0].Request
	for name := range first.Arguments {
		var values []any
		for _, act := range g.acts {
			if act.Request.Withheld[name] {
				return fmt.Sprintf("the values of %s are not on record", display.Line(name))
			}
			value := act.Request.Arguments[name]
			switch value.(type) {
			case string, bool, json.Number:
			default:
				return fmt.Sprintf("the values of %s are lists, objects or nothing", display.Line(name))
			}
			if !slices.Contains(values, value) {
				values = append(values, value)
			}
		}
		switch {
		case len(values) == 1:
			rule.Parameters[name] = plain(values[0])
		case len(values) <= mostValues:
			list := make([]any, len(values))
			for i, value := range values {
				list[i] = plain(value)
			}
			rule.Parameters[name] = map[string]any{"in": list}
		default:
			return fmt.Sprintf("%s had %d values, so there is no narrow rule", display.Line(name), len(values))
		}
	}
	for _, p := range parameters {
		if _, given := first.Arguments[p.Name]; !given {
			rule.Parameters[p.Name] = map[string]any{"absent": true}
		}
	}
	for _, act := range g.acts {
		for _, p := range act.Request.Paths {
			name := relativeName(act.Request, p.Name)
			if name == "" {
				return "it touches files outside the workspace"
			}
			if name = escapeGlob(name); !slices.Contains(rule.IncludePaths, name) {
				rule.IncludePaths = append(rule.IncludePaths, name)
			}
		}
	}
	if len(rule.Parameters) == 0 && len(rule.IncludePaths) == 0 && first.Action != permissions.ActionCall {
		return "its arguments are not told, so there is no narrow rule"
	}
	rule.exampleCalls(first)
	return ""
}

// exampleCalls adds the call to the examples of the rule, and the call of another tool to those that it is not about.
func (rule *SuggestedRule) exampleCalls(r permissions.Request) {
	example := func(tool string) map[string]any {
		e := map[string]any{"tool": tool, "params": plain(r.Arguments)}
		if r.ReadOnly {
			e["read_only"] = true
		}
		var paths []string
		for _, p := range r.Paths {
			paths = append(paths, relativeName(r, p.Name))
		}
		if len(paths) > 0 {
			e["paths"] = paths
		}
		rule.by(e, r)
		return e
	}
	rule.Match = append(rule.Match, example(r.Tools[0]))
	rule.NotMatch = append(rule.NotMatch, example(r.Tools[0]+".other"))
}

// plain returns a value as YAML writes it.
func plain(value any) any {
	switch v := value.(type) {
	case json.Number:
		var n yaml.Node
		n.Kind, n.Tag, n.Value = yaml.ScalarNode, "!!float", v.String()
		if !strings.ContainsAny(v.String(), ".eE") {
			n.Tag = "!!int"
		}
		return jsonNode{n}
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, item := range v {
			out[name] = plain(item)
		}
		return out
	}
	return value
}

// jsonNode is a number that YAML and JSON write with the digits that it has.
type jsonNode struct{ yaml.Node }

// MarshalYAML implements yaml.Marshaler.
func (n jsonNode) MarshalYAML() (any, error) { return &n.Node, nil }

// MarshalJSON implements json.Marshaler.
func (n jsonNode) MarshalJSON() ([]byte, error) { return []byte(n.Value), nil }

// PolicyFile writes rules as a policy file.
func PolicyFile(rules []SuggestedRule) ([]byte, error) {
	var b strings.Builder
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	err := enc.Encode(struct {
		Version int             `yaml:"version"`
		Rules   []SuggestedRule `yaml:"auto_approval_policies"`
	}{2, rules})
	return []byte(b.String()), err
}

// YAML writes the rule as one entry of a policy file, from its first column.
func (rule *SuggestedRule) YAML() ([]byte, error) {
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	err := enc.Encode(rule)
	return b.Bytes(), err
}

// escapeGlob writes a name as a pattern that stands for it alone.
func escapeGlob(name string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "{", `\{`).Replace(name)
}
