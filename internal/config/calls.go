package config

import (
	"fmt"

	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// PolicyTest is one entry of a file of tests: an act, and what the rules are to make of it.
type PolicyTest struct {
	Source tool.Source
	Call   permissions.Example
	Expect permissions.Verdict
	Rule   string // the id of the rule that is to decide; "" for any
}

// ReadCall reads a file that tells one act, as JSON or YAML. The error is an Errors.
func ReadCall(file File) (permissions.Example, error) {
	doc := yamldoc.Parse(file.Name, file.Data, yamldoc.Options{})
	var call permissions.Example
	if root, ok := doc.Root("an act: {tool, params}, {command}, …"); ok {
		call = readCall(root)
	}
	doc.Finish()
	return call, doc.Found.Err()
}

func readCall(v yamldoc.Value) permissions.Example {
	before := v.Doc.Mistakes()
	call := readExample(v)
	call.Source = tool.Source{File: v.Doc.File, Line: v.Node.Line, Column: v.Node.Column}
	if err := call.Check(); err != nil && v.Doc.Mistakes() == before {
		v.Fail(ruleExample, "tool, params, path, paths, command, argv, dir, env, agent, workspace, mode, headless",
			"it is no act: %v", err)
	}
	return call
}

// policyTestMapping is what a test may say.
func policyTestMapping() yamldoc.Mapping[*PolicyTest] {
	return yamldoc.Mapping[*PolicyTest]{
		Name: "a test",
		Keys: []yamldoc.Key[*PolicyTest]{
			yamldoc.NewKey("call", "an act: {tool, params}, {command}, …",
				func(t *PolicyTest, v yamldoc.Value) {
					t.Call = readCall(v)
				}),
			yamldoc.NewKey("expect", "approve, reject or ask", (*PolicyTest).readExpect),
			yamldoc.NewKey("rule", "the id of the rule that decides", func(t *PolicyTest, v yamldoc.Value) {
				v.SetText(&t.Rule)
			}),
		},
	}
}

func (t *PolicyTest) readExpect(v yamldoc.Value) {
	text, ok := v.Text()
	if !ok {
		return
	}
	switch text {
	case "approve":
		t.Expect = permissions.Approve
	case "reject":
		t.Expect = permissions.Reject
	case "ask", "manual":
		t.Expect = permissions.Ask
	default:
		v.Fail(yamldoc.RuleValue, "", "want approve, reject or ask; found %s", yamldoc.Quote(text))
	}
}

// ReadPolicyTests reads a list of tests, as YAML or JSON. The error is an Errors that holds all mistakes of
// the file.
func ReadPolicyTests(file File) ([]PolicyTest, error) {
	doc := yamldoc.Parse(file.Name, file.Data, yamldoc.Options{})
	var tests []PolicyTest
	if root, ok := doc.Root(""); ok {
		entries, _ := root.List("a test: {call, expect, rule}")
		for i, at := range entries {
			at.Name = fmt.Sprintf("test %d", i+1)
			t := PolicyTest{Source: file.source(at)}
			if yamldoc.ReadKeys(at, policyTestMapping(), &t); at.IsMapping() {
				at.Require("call", "")
				at.Require("expect", "approve, reject or ask")
			}
			tests = append(tests, t)
		}
		if len(entries) == 0 && doc.Mistakes() == 0 {
			root.Fail(yamldoc.RuleEmpty, "", "the file has no tests, and would always pass")
		}
	}
	doc.Finish()
	return tests, doc.Found.Err()
}
