package config

import (
	"fmt"

	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// policyFile is a policy file that is being read.
type policyFile struct {
	file    File
	doc     *document
	version permissions.Version
	rules   []*ruleEntry

	conditions int // expressions that were read
	unmatched  *permissions.Verdict
}

// ReadPolicies reads one policy file. Its rules come in the order of the file; a workspace's own file tightens only. The
// error is an Errors that holds all mistakes of the file.
func ReadPolicies(file File) (permissions.File, error) {
	f := &policyFile{file: file, doc: parse(file.Name, file.Data), version: permissions.VersionOriginal}
	f.doc.emptyIsWrong = true
	if f.doc.root != nil {
		f.readRoot(f.doc.at(f.doc.root, "", "a mapping with auto_approval_policies"))
	}
	out := permissions.File{Version: f.version, Layer: file.Layer, Name: file.Name, TightenOnly: file.Workspace && file.Trusted == "", Root: file.Trusted, Unmatched: f.unmatched}
	for _, r := range f.rules {
		r.check()
		out.Rules = append(out.Rules, r.rule)
	}
	f.doc.finish()
	if err := f.doc.found.err(); err != nil {
		return permissions.File{}, err
	}
	return out, nil
}

// policyFileNoun is what a policy file may say.
func policyFileNoun() noun[*policyFile] {
	return noun[*policyFile]{
		name: "a policy file",
		keys: []key[*policyFile]{
			{"auto_approval_policies", "a list of rules", (*policyFile).readRules},
			{"version", "1 or 2", func(*policyFile, value) {}}, // read first: it says how to read the rest
			{"defaults", "a mapping: {decision, headless}", func(f *policyFile, v value) { readKeys(v, defaultsNoun(), f) }},
		},
		elsewhere: []misplaced{
			{[]string{"tools"}, "%s belongs in a tools file, such as tools.yaml"},
			{[]string{
				"permission_governors", "output_governors", "permission_settings", "output_settings",
			}, "%s belongs in governors.yaml"},
			{names(settingsNoun().keys), "%s belongs in a2a-acp.yaml"},
		},
	}
}

func (f *policyFile) readRoot(root value) {
	if version, given := root.get("version"); given {
		n, _ := readVersion(version)
		f.version = permissions.Version(n)
	}
	if readKeys(root, policyFileNoun(), f) {
		root.mustHave("auto_approval_policies", "a file without rules says `auto_approval_policies: []`")
	}
}

func (f *policyFile) readRules(v value) {
	entries, _ := v.list("a rule: {id, applies_to, decision, …}")
	seen := map[string]int{}
	for _, at := range entries {
		if id, ok := at.get("id"); ok {
			at.name = fmt.Sprintf("rule %s", quote(id.node.Value))
		}
		r := newRuleEntry(f, at)
		readKeys(at, ruleNoun(), r)
		if line, twice := seen[r.rule.ID]; twice && r.rule.ID != "" {
			at.fail(ruleDuplicate, "give one of them another id", "the id is used twice, first in line %d", line)
		}
		seen[r.rule.ID] = at.node.Line
		f.rules = append(f.rules, r)
	}
}

// defaultsNoun is what a file may say about acts that no rule is about.
func defaultsNoun() noun[*policyFile] {
	return noun[*policyFile]{
		name: "defaults",
		keys: []key[*policyFile]{
			{"decision", "ask or reject", (*policyFile).readUnmatched},
			{"headless", "deny", func(_ *policyFile, v value) {
				if text, ok := v.text(); ok && text != "deny" && text != "reject" {
					v.fail(ruleValue, "", "want deny: what must be asked and cannot be is never let through; found %s", quote(text))
				}
			}},
		},
	}
}

// readUnmatched reads what becomes of an act that no rule is about. What nobody has thought of is never approved.
func (f *policyFile) readUnmatched(v value) {
	text, ok := v.text()
	if !ok {
		return
	}
	var verdict permissions.Verdict
	switch text {
	case "ask", "manual":
		verdict = permissions.Ask
	case "reject":
		verdict = permissions.Reject
	default:
		v.fail(ruleValue, "write a rule for what may be approved", "want ask or reject, found %s", quote(text))
		return
	}
	f.unmatched = &verdict
}
