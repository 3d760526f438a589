package replay

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
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
	IncludePaths []string           `json:"include_paths,omitempty" yaml:"include_paths,flow,omitempty"`
	Parameters   map[string]any     `json:"parameters,omitempty" yaml:"parameters,omitempty"`
	Commands     *suggestedCommands `json:"commands,omitempty" yaml:"commands,omitempty"`
	Decision     suggestedDecision  `json:"decision" yaml:"decision,flow"`
	Match        []map[string]any   `json:"match" yaml:"match"`
	NotMatch     []map[string]any   `json:"not_match,omitempty" yaml:"not_match,omitempty"`
}

type suggestedCommands struct {
	Allow     []string `json:"allow" yaml:"allow,flow"`
	Redirects string   `json:"redirects" yaml:"redirects"`
}

type suggestedDecision struct {
	Type   string `json:"type" yaml:"type"`
	Reason string `json:"reason" yaml:"reason"`
}

// by adds to an example of the rule who asks.
func (rule *SuggestedRule) by(example map[string]any, r permissions.Request) {
	if len(rule.Agents) > 0 {
		example["agent"] = r.Agent
	}
	if len(rule.Principals) > 0 {
		example["principal"] = r.Principal
	}
}

// aboutCommand allows the very words of each command, and none behind them where these could do more.
func (rule *SuggestedRule) aboutCommand(g *group, authority *permissions.Authority) (why string) {
	r := g.acts[0].Request
	rule.Commands = &suggestedCommands{Redirects: "none"}
	for _, c := range r.Shell.Commands {
		words := []string{c.Name}
		for _, arg := range c.Args {
			if !arg.Fixed {
				return "one of its words is not fixed"
			}
			if strings.ContainsAny(arg.Text, " \t\n") || arg.Text == "" {
				return "one of its words cannot be written in a rule"
			}
			words = append(words, arg.Text)
		}
		if text := strings.Join(words, " "); !slices.Contains(rule.Commands.Allow, text) && c.Via == "" {
			rule.Commands.Allow = append(rule.Commands.Allow, text)
		}
	}
	if len(r.Shell.Writes) > 0 {
		return "it writes files by redirection"
	}
	example := func(more string) map[string]any {
		e := map[string]any{"command": r.ShellText + more}
		rule.by(e, r)
		return e
	}
	rule.Match = append(rule.Match, example(""))
	rule.NotMatch = append(rule.NotMatch, example(" && rm -rf x"))
	for _, act := range g.acts {
		if open := authority.OpenEnded(act.Request); open != "" {
			rule.NotMatch = append(rule.NotMatch, example(" x"))
			return rule.spellTexts(g, open)
		}
	}
	return ""
}

// spellTexts holds a command to the texts that were approved: the first words of commands let further ones through.
func (rule *SuggestedRule) spellTexts(g *group, open string) (why string) {
	var texts []any
	for _, act := range g.acts {
		text := act.Request.ShellText
		if given, ok := act.Request.Arguments["command"].(string); !ok || given != text {
			return "a rule has to hold it to its whole text (" + open + "), and that is not on record as an argument of its own"
		}
		if !slices.Contains(texts, any(text)) {
			texts = append(texts, text)
		}
	}
	switch {
	case len(texts) == 1:
		rule.Parameters = map[string]any{"command": texts[0]}
	case len(texts) <= mostValues:
		rule.Parameters = map[string]any{"command": map[string]any{"in": texts}}
	default:
		return fmt.Sprintf("it was written in %d ways, so there is no narrow rule", len(texts))
	}
	return ""
}

// aboutFiles names the one file, or the kind of files in their one directory.
func (rule *SuggestedRule) aboutFiles(g *group) {
	r := g.acts[0].Request
	rule.IncludePaths = []string{escapeGlob(g.paths[0])}
	if g.wide {
		rule.IncludePaths = []string{escapeGlob(strings.TrimSuffix(g.name, "*"+path.Ext(g.paths[0]))) + "*" +
			escapeGlob(path.Ext(g.paths[0]))}
	}
	example := func(name string) map[string]any {
		e := map[string]any{"tool": r.Tools[0], "path": name}
		rule.by(e, r)
		return e
	}
	rule.Match = append(rule.Match, example(g.paths[0]))
	rule.NotMatch = append(rule.NotMatch, example(g.paths[0]+".other"), example("../"+path.Base(g.paths[0])))
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
	example := func(tool string) map[string]any {
		e := map[string]any{"tool": tool, "params": plain(first.Arguments)}
		if first.ReadOnly {
			e["read_only"] = true
		}
		var paths []string
		for _, p := range first.Paths {
			paths = append(paths, relativeName(first, p.Name))
		}
		if len(paths) > 0 {
			e["paths"] = paths
		}
		rule.by(e, first)
		return e
	}
	rule.Match = append(rule.Match, example(first.Tools[0]))
	rule.NotMatch = append(rule.NotMatch, example(first.Tools[0]+".other"))
	return ""
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

// escapeGlob writes a name as a pattern that stands for it alone.
func escapeGlob(name string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "{", `\{`).Replace(name)
}
