package config

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

const rulesKey = "auto_approval_policies"

// AddRule puts a rule behind those of a policy file, or into one that says nothing, and gives the file's new content with the
// line that the rule begins in: every byte of the old one is in it, in order. The rule is one entry of
// auto_approval_policies as YAML, from its first column; its comment is written before it. The error says why it cannot be
// put there.
func AddRule(file File, comment string, rule []byte) (data []byte, line int, err error) {
	old := file.Data
	byHand := fmt.Errorf("%s is written so that only a person can say where the rule goes", file.Name)
	var at, dash int
	switch version, err := policyVersion(file); {
	case err != nil:
		return nil, 0, err
	case version == 0:
		old = slices.Concat(old, lineEnd(old), []byte("version: 2\n\n"+rulesKey+":"))
		at, dash = len(old), 2
	case version != permissions.Version2:
		return nil, 0, fmt.Errorf("%s has no version: 2, so the first rule that matches decides there, and the last seldom would",
			file.Name)
	default:
		if at, dash, err = endOfRules(old); err != nil {
			return nil, 0, fmt.Errorf("%w: %w", byHand, err)
		}
	}
	end := "\n"
	if bytes.Contains(old, []byte("\r\n")) {
		end = "\r\n"
	}
	var added strings.Builder
	added.Write(lineEnd(old[:at]))
	indent := strings.Repeat(" ", dash)
	added.WriteString(end + indent + "# " + display.Line(comment) + end)
	for i, text := range strings.Split(strings.TrimRight(string(rule), "\n"), "\n") {
		mark := "  "
		if i == 0 {
			mark = "- "
		}
		if text != "" {
			added.WriteString(indent + mark + text)
		}
		added.WriteString(end)
	}
	data = slices.Concat(old[:at], []byte(added.String()), old[at:])
	if !onlyAdded(old, data, rule) {
		return nil, 0, byHand
	}
	file.Data = data
	if _, err := ReadPolicies(file); err != nil {
		return nil, 0, err
	}
	start := at + strings.Index(added.String(), "- ")
	return data, bytes.Count(data[:start], []byte("\n")) + 1, nil
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

// lineEnd is what has to follow a text before a new line of it can begin.
func lineEnd(text []byte) []byte {
	if len(text) == 0 || bytes.HasSuffix(text, []byte("\n")) {
		return nil
	}
	return []byte("\n")
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
		if i+2 == len(root.Content) {
			return len(data), dash, nil
		}
		next := root.Content[i+2].Line - 1
		for next > 0 && aboveKey(lines[next-1]) {
			next--
		}
		return len(bytes.Join(lines[:next], nil)), dash, nil
	}
	return 0, 0, fmt.Errorf("it has no %s", rulesKey)
}

// aboveKey reports whether a line in front of a key belongs to the key: a comment that is not indented.
func aboveKey(line []byte) bool { return bytes.HasPrefix(line, []byte("#")) }

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
