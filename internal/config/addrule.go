package config

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

const rulesKey = "auto_approval_policies"

// AddRule puts a rule behind those of a policy file, or into one that says nothing, and gives the file's new content, what is
// new in it, and the line that the rule begins in: every byte of the old one is in it, in order. The rule is one entry of
// auto_approval_policies as YAML, from its first column; its comment is written before it. The error says why it cannot be
// put there.
func AddRule(file File, comment string, rule []byte) (data, added []byte, line int, err error) {
	old := file.Data
	byHand := fmt.Errorf("%s is written so that only a person can say where the rule goes", file.Name)
	var at, from, dash int // where the rule goes, and from where on all is new
	switch version, err := policyVersion(file); {
	case err != nil:
		return nil, nil, 0, err
	case version == 0:
		from, dash = len(old), 2
		old = yamldoc.InsertLines(old, len(old), []byte("version: 2\n\n"+rulesKey+":\n"))
		at = len(old)
	case version != permissions.Version2:
		return nil, nil, 0, fmt.Errorf("%s has no version: 2, so the first rule that matches decides there, and the last seldom would",
			file.Name)
	default:
		if at, dash, err = endOfRules(old); err != nil {
			return nil, nil, 0, fmt.Errorf("%w: %w", byHand, err)
		}
		from = at
	}
	data = yamldoc.InsertLines(old, at, ruleLines(comment, rule, dash))
	if !onlyAdded(old, data, rule) {
		return nil, nil, 0, byHand
	}
	file.Data = data
	if _, err := ReadPolicies(file); err != nil {
		return nil, nil, 0, err
	}
	start := at + bytes.Index(data[at:], []byte("- "))
	return data, data[from : len(data)-(len(old)-at)], bytes.Count(data[:start], []byte("\n")) + 1, nil
}

// ruleLines are the lines of a rule in a list whose dashes stand in a column, from 0: an empty one, the comment, the entry.
func ruleLines(comment string, rule []byte, dash int) []byte {
	indent := strings.Repeat(" ", dash)
	lines := "\n" + indent + "# " + display.Line(comment) + "\n"
	for i, text := range strings.Split(strings.TrimRight(string(rule), "\n"), "\n") {
		mark := "  "
		if i == 0 {
			mark = "- "
		}
		if text != "" {
			lines += indent + mark + text
		}
		lines += "\n"
	}
	return []byte(lines)
}

// policyVersion returns the version of a policy file without mistakes; 0 for one that says nothing.
func policyVersion(file File) (permissions.Version, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(file.Data, &document); err == nil && len(document.Content) == 0 {
		return 0, nil
	}
	policies, err := ReadPolicies(file)
	return policies.Version, err
}

// endOfRules returns where in a policy file a further rule goes, and the column of the dash before each, from 0.
func endOfRules(data []byte) (at, dash int, err error) {
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		return 0, 0, err
	}
	root := document.Content[0]
	if root.Kind != yaml.MappingNode || root.Style&yaml.FlowStyle != 0 || root.Column != 1 {
		return 0, 0, errors.New("it is not written as keys with a line each")
	}
	lines := bytes.SplitAfter(data, []byte("\n"))
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value != rulesKey {
			continue
		}
		rules := root.Content[i+1]
		if rules.Kind != yaml.SequenceNode || rules.Style&yaml.FlowStyle != 0 || len(rules.Content) == 0 {
			return 0, 0, errors.New("its rules are not a list with a dash before each")
		}
		first := lines[rules.Content[0].Line-1]
		if dash = bytes.IndexByte(first, '-'); dash < 0 || len(bytes.TrimLeft(first[:dash], " ")) > 0 {
			return 0, 0, errors.New("its first rule does not begin with a dash")
		}
		next := 0
		if i+2 < len(root.Content) {
			next = root.Content[i+2].Line
		}
		return yamldoc.BeforeLine(data, next), dash, nil
	}
	return 0, 0, fmt.Errorf("it has no %s", rulesKey)
}

// onlyAdded reports whether two policy files say the same but for one rule more at the end.
func onlyAdded(before, after, rule []byte) bool {
	var old, now map[string]any
	var added any
	if yaml.Unmarshal(before, &old) != nil || yaml.Unmarshal(after, &now) != nil || yaml.Unmarshal(rule, &added) != nil {
		return false
	}
	rules, _ := old[rulesKey].([]any)
	old[rulesKey] = append(rules, added)
	return reflect.DeepEqual(old, now)
}
