package config

import (
	"fmt"

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
	doc := parse(file.Name, file.Data)
	var call permissions.Example
	if doc.root != nil {
		call = readCall(doc.at(doc.root, "", "an act: {tool, params}, {command}, …"))
	}
	doc.finish()
	return call, doc.found.err()
}

func readCall(v value) permissions.Example {
	before := v.doc.errors
	call := readExample(v)
	call.Source = tool.Source{File: v.doc.file, Line: v.node.Line, Column: v.node.Column}
	if err := call.Check(); err != nil && v.doc.errors == before {
		v.fail(ruleExample, "tool, params, path, paths, command, argv, dir, env, agent, mode, headless", "it is no act: %v", err)
	}
	return call
}

// policyTestNoun is what a test may say.
func policyTestNoun() noun[*PolicyTest] {
	return noun[*PolicyTest]{
		name: "a test",
		keys: []key[*PolicyTest]{
			{"call", "an act: {tool, params}, {command}, …", func(t *PolicyTest, v value) { t.Call = readCall(v) }},
			{"expect", "approve, reject or ask", (*PolicyTest).readExpect},
			{"rule", "the id of the rule that decides", func(t *PolicyTest, v value) { v.setText(&t.Rule) }},
		},
	}
}

func (t *PolicyTest) readExpect(v value) {
	text, ok := v.text()
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
		v.fail(ruleValue, "", "want approve, reject or ask; found %s", quote(text))
	}
}

// ReadPolicyTests reads a list of tests, as YAML or JSON. The error is an Errors that holds all mistakes of the file.
func ReadPolicyTests(file File) ([]PolicyTest, error) {
	doc := parse(file.Name, file.Data)
	var tests []PolicyTest
	if doc.root != nil {
		entries, _ := doc.at(doc.root, "", "").list("a test: {call, expect, rule}")
		for i, at := range entries {
			at.name = fmt.Sprintf("test %d", i+1)
			t := PolicyTest{Source: file.source(at)}
			if readKeys(at, policyTestNoun(), &t); isMapping(at) {
				at.mustHave("call", "")
				at.mustHave("expect", "approve, reject or ask")
			}
			tests = append(tests, t)
		}
		if len(entries) == 0 && doc.errors == 0 {
			doc.at(doc.root, "", "").fail(ruleEmpty, "", "the file has no tests, and would always pass")
		}
	}
	doc.finish()
	return tests, doc.found.err()
}
