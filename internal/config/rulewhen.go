package config

import (
	"fmt"
	"time"

	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// What a rule of version 2 may say about who, how bad, when and how often.

// mostConditions bounds the expressions of one file: each costs some milliseconds to check, and a stranger's file counts too.
const mostConditions = 200

func (r *ruleEntry) readWhen(v value) {
	r.strictOnly(v)
	if r.file.conditions++; r.file.conditions > mostConditions {
		v.fail(ruleTooLarge, "put what they share into tool ids, paths or parameters", "the file has more than %d expressions", mostConditions)
		r.wrong = append(r.wrong, "when")
		return
	}
	if text, ok := v.text(); !ok {
		r.wrong = append(r.wrong, "when")
	} else if r.rule.When = text; text == "" {
		v.fail(ruleEmpty, "write a condition, or take the key out", "the expression is empty")
	}
}

// riskNoun is what a rule may say about the risk of an act.
func riskNoun() noun[*ruleEntry] {
	return noun[*ruleEntry]{
		name: "risk",
		keys: []key[*ruleEntry]{
			{"max", "low, medium or high", func(r *ruleEntry, v value) { r.readRisk(v, &r.rule.MaxRisk) }},
			{"min", "low, medium or high", func(r *ruleEntry, v value) { r.readRisk(v, &r.rule.MinRisk) }},
		},
	}
}

func (r *ruleEntry) readRisks(v value) {
	r.strictOnly(v)
	if readKeys(v, riskNoun(), r); isMapping(v) && len(v.node.Content) == 0 {
		v.fail(ruleEmpty, "{max: medium}", "it bounds nothing")
	}
}

func (r *ruleEntry) readRisk(v value, into *permissions.Risk) {
	text, ok := v.text()
	if !ok {
		return
	}
	if *into, ok = permissions.ParseRisk(text); !ok {
		v.fail(ruleValue, "", "want low, medium or high; found %s", quote(text))
		*into = permissions.RiskUnsaid
		r.wrong = append(r.wrong, "risk")
	}
}

// limitNoun is what a rule may say about how often it approves.
func limitNoun() noun[*ruleEntry] {
	return noun[*ruleEntry]{
		name: "a limit",
		keys: []key[*ruleEntry]{
			{"count", "a whole number", func(r *ruleEntry, v value) {
				if n, ok := v.whole(1, 10_000); ok {
					r.rule.Limit.Count = int(n)
				} else {
					r.wrong = append(r.wrong, "limit.count")
				}
			}},
			{"per", "a time: 1h, 24h, or seconds", func(r *ruleEntry, v value) {
				if d, ok := v.duration(31 * 24 * time.Hour); ok {
					r.rule.Limit.Per = d
				} else {
					r.wrong = append(r.wrong, "limit.per")
				}
			}},
			{"key", "all, agent, session, tool or workspace", func(r *ruleEntry, v value) {
				if text, ok := v.text(); ok {
					r.rule.Limit.Key = permissions.LimitKey(text)
				}
			}},
		},
	}
}

func (r *ruleEntry) readLimit(v value) {
	r.strictOnly(v)
	r.rule.Limit = &permissions.Limit{}
	readKeys(v, limitNoun(), r)
	if !isMapping(v) || !v.mustHave("count", "how often: {count: 100, per: 1h}") || !v.mustHave("per", "within which time: {count: 100, per: 1h}") {
		r.wrong = append(r.wrong, "limit")
	}
}

// readExpires reads a day, through the end of which (UTC) the rule counts, or a moment.
func (r *ruleEntry) readExpires(v value) {
	r.strictOnly(v)
	text, ok := v.text()
	if !ok {
		return
	}
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		r.rule.Expires = day.AddDate(0, 0, 1)
		return
	}
	moment, err := time.Parse(time.RFC3339, text)
	if err != nil {
		v.fail(ruleValue, "2027-01-31, or 2027-01-31T12:00:00Z", "want a day or a moment, found %s", quote(text))
		return
	}
	r.rule.Expires = moment.UTC()
}

// readFinal reads a key that says what is so anyway: nothing lifts a rejection. On another decision it would promise what
// does not hold.
func (r *ruleEntry) readFinal(v value) {
	r.strictOnly(v)
	if final, ok := v.boolean(); ok && final {
		r.finalAt = &v
	}
}

// actNoun is what an example of a rule may say.
func actNoun() noun[*permissions.Example] {
	return noun[*permissions.Example]{
		name: "an example",
		keys: []key[*permissions.Example]{
			{"tool", "a tool id", func(e *permissions.Example, v value) { v.setText(&e.Tool) }},
			{"params", "a mapping of arguments", readExampleArguments},
			{"parameters", "a mapping of arguments", readExampleArguments},
			{"path", "a path", func(e *permissions.Example, v value) {
				if text, ok := v.text(); ok {
					e.Paths = append(e.Paths, text)
				}
			}},
			{"paths", "a list of paths", func(e *permissions.Example, v value) {
				texts, _ := v.texts()
				e.Paths = append(e.Paths, texts...)
			}},
			{"action", "the kind of act", func(e *permissions.Example, v value) {
				if text, ok := v.text(); ok {
					e.Action = permissions.Action(text)
				}
			}},
			{"command", "a command line", func(e *permissions.Example, v value) { v.setText(&e.Command) }},
			{"argv", "the words of one command", func(e *permissions.Example, v value) { v.setTexts(&e.Argv) }},
			{"dir", "a directory", func(e *permissions.Example, v value) { v.setText(&e.Dir) }},
			{"env", "a list of names of variables", func(e *permissions.Example, v value) { v.setTexts(&e.Env) }},
			{"agent", "a name", func(e *permissions.Example, v value) { v.setText(&e.Agent) }},
			{"mode", "the id of a mode", func(e *permissions.Example, v value) { v.setText(&e.Mode) }},
			{"headless", "true or false", func(e *permissions.Example, v value) { v.setBool(&e.Headless) }},
			{"read_only", "true or false", func(e *permissions.Example, v value) { v.setBool(&e.ReadOnly) }},
		},
	}
}

func readExampleArguments(e *permissions.Example, v value) {
	given, ok := v.open()
	if !ok {
		return
	}
	if e.Arguments, ok = given.(map[string]any); !ok {
		v.mismatch("a mapping of arguments", "")
	}
}

func readExample(v value) permissions.Example {
	var e permissions.Example
	readKeys(v, actNoun(), &e)
	return e
}

func (r *ruleEntry) readExamples(v value, field string, into *[]permissions.Example) {
	r.strictOnly(v)
	entries, ok := v.list("an example: {tool, path}, {command}, …")
	if ok && len(entries) == 0 {
		v.fail(ruleEmpty, "give an example, or take the key out", "the list is empty")
	}
	for i, at := range entries {
		before := r.file.doc.errors
		e := readExample(at)
		e.Source = r.file.file.source(at)
		*into = append(*into, e)
		if r.file.doc.errors != before {
			r.wrong = append(r.wrong, fmt.Sprintf("%s[%d]", field, i))
		}
	}
}
