package config

import (
	"fmt"

	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// policyFile is a policy file that is being read.
type policyFile struct {
	file    File
	doc     *yamldoc.Document
	version permissions.Version
	rules   []*ruleEntry

	conditions int // expressions that were read
	unmatched  *permissions.Verdict
}

// ReadPolicies reads one policy file. Its rules come in the order of the file; a workspace's own file
// tightens only. The error is an Errors that holds all mistakes of the file.
func ReadPolicies(file File) (permissions.File, error) {
	f := &policyFile{file: file, doc: yamldoc.Parse(file.Name, file.Data,
		yamldoc.Options{EmptyIsWrong: true}), version: permissions.VersionOriginal}
	if root, ok := f.doc.Root("a mapping with auto_approval_policies"); ok {
		f.readRoot(root)
	}
	out := permissions.File{Version: f.version, Layer: file.Layer, Name: file.Name,
		TightenOnly: file.Workspace && file.Trusted == "", Root: file.Trusted, Unmatched: f.unmatched}
	for _, r := range f.rules {
		r.check()
		out.Rules = append(out.Rules, r.rule)
	}
	f.doc.Finish()
	if err := f.doc.Found.Err(); err != nil {
		return permissions.File{}, err
	}
	return out, nil
}

// policyFileMapping is what a policy file may say.
func policyFileMapping() yamldoc.Mapping[*policyFile] {
	return yamldoc.Mapping[*policyFile]{
		Name: "a policy file",
		Keys: []yamldoc.Key[*policyFile]{
			yamldoc.NewKey("auto_approval_policies", "a list of rules", (*policyFile).readRules),
			// read first: it says how to read the rest
			yamldoc.NewKey("version", "1 or 2", func(*policyFile, yamldoc.Value) {}),
			yamldoc.NewKey("defaults", "a mapping: {decision, headless}",
				func(f *policyFile, v yamldoc.Value) {
					yamldoc.ReadKeys(v, defaultsMapping(), f)
				}),
		},
		Elsewhere: []yamldoc.Misplaced{
			{Names: []string{"tools"}, Hint: "%s belongs in a tools file, such as tools.yaml"},
			{Names: []string{
				"permission_governors", "output_governors", "permission_settings", "output_settings",
			}, Hint: "%s belongs in governors.yaml"},
			{Names: settingsMapping().Names(), Hint: "%s belongs in a2a-acp.yaml"},
		},
	}
}

func (f *policyFile) readRoot(root yamldoc.Value) {
	if version, given := root.Get("version"); given {
		n, _ := readVersion(version)
		f.version = permissions.Version(n)
	}
	if yamldoc.ReadKeys(root, policyFileMapping(), f) {
		root.Require("auto_approval_policies", "a file without rules says `auto_approval_policies: []`")
	}
}

func (f *policyFile) readRules(v yamldoc.Value) {
	entries, _ := v.List("a rule: {id, applies_to, decision, …}")
	seen := map[string]int{}
	for _, at := range entries {
		if id, ok := at.Get("id"); ok {
			at.Name = fmt.Sprintf("rule %s", yamldoc.Quote(id.Node.Value))
		}
		r := newRuleEntry(f, at)
		yamldoc.ReadKeys(at, ruleMapping(), r)
		if line, twice := seen[r.rule.ID]; twice && r.rule.ID != "" {
			at.Fail(yamldoc.RuleDuplicate, "give one of them another id",
				"the id is used twice, first in line %d", line)
		}
		seen[r.rule.ID] = at.Node.Line
		f.rules = append(f.rules, r)
	}
}

// defaultsMapping is what a file may say about acts that no rule is about.
func defaultsMapping() yamldoc.Mapping[*policyFile] {
	return yamldoc.Mapping[*policyFile]{
		Name: "defaults",
		Keys: []yamldoc.Key[*policyFile]{
			yamldoc.NewKey("decision", "ask or reject", (*policyFile).readUnmatched),
			yamldoc.NewKey("headless", "deny", func(_ *policyFile, v yamldoc.Value) {
				if text, ok := v.Text(); ok && text != "deny" && text != "reject" {
					v.Fail(yamldoc.RuleValue, "",
						"want deny: what must be asked and cannot be is never let through; found %s",
						yamldoc.Quote(text))
				}
			}),
		},
	}
}

// readUnmatched reads what becomes of an act that no rule is about. What nobody has thought of is never
// approved.
func (f *policyFile) readUnmatched(v yamldoc.Value) {
	text, ok := v.Text()
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
		v.Fail(yamldoc.RuleValue, "write a rule for what may be approved", "want ask or reject, found %s",
			yamldoc.Quote(text))
		return
	}
	f.unmatched = &verdict
}
