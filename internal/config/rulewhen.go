package config

import (
	"fmt"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// What a rule of version 2 may say about who, how bad, when and how often.

// mostConditions bounds the expressions of one file: each costs some milliseconds to check, and a stranger's
// file counts too.
const mostConditions = 200

func (r *ruleEntry) readWhen(v yamldoc.Value) {
	r.strictOnly(v)
	if r.file.conditions++; r.file.conditions > mostConditions {
		v.Fail(yamldoc.RuleTooLarge, "put what they share into tool ids, paths or parameters",
			"the file has more than %d expressions", mostConditions)
		r.wrong = append(r.wrong, "when")
		return
	}
	if text, ok := v.Text(); !ok {
		r.wrong = append(r.wrong, "when")
	} else if r.rule.When = text; text == "" {
		v.Fail(yamldoc.RuleEmpty, "write a condition, or take the key out", "the expression is empty")
	}
}

// riskMapping is what a rule may say about the risk of an act.
func riskMapping() yamldoc.Mapping[*ruleEntry] {
	return yamldoc.Mapping[*ruleEntry]{
		Name: "risk",
		Keys: []yamldoc.Key[*ruleEntry]{
			yamldoc.NewKey("max", "low, medium or high", func(r *ruleEntry, v yamldoc.Value) {
				r.readRisk(v, &r.rule.MaxRisk)
			}),
			yamldoc.NewKey("min", "low, medium or high", func(r *ruleEntry, v yamldoc.Value) {
				r.readRisk(v, &r.rule.MinRisk)
			}),
		},
	}
}

func (r *ruleEntry) readRisks(v yamldoc.Value) {
	r.strictOnly(v)
	if yamldoc.ReadKeys(v, riskMapping(), r); v.IsMapping() && len(v.Node.Content) == 0 {
		v.Fail(yamldoc.RuleEmpty, "{max: medium}", "it bounds nothing")
	}
}

func (r *ruleEntry) readRisk(v yamldoc.Value, into *permissions.Risk) {
	text, ok := v.Text()
	if !ok {
		return
	}
	if *into, ok = permissions.ParseRisk(text); !ok {
		v.Fail(yamldoc.RuleValue, "", "want low, medium or high; found %s", yamldoc.Quote(text))
		*into = permissions.RiskUnsaid
		r.wrong = append(r.wrong, "risk")
	}
}

// limitMapping is what a rule may say about how often it approves.
func limitMapping() yamldoc.Mapping[*ruleEntry] {
	return yamldoc.Mapping[*ruleEntry]{
		Name: "a limit",
		Keys: []yamldoc.Key[*ruleEntry]{
			yamldoc.NewKey("count", "a whole number", func(r *ruleEntry, v yamldoc.Value) {
				if n, ok := v.Int(1, 10_000); ok {
					r.rule.Limit.Count = int(n)
				} else {
					r.wrong = append(r.wrong, "limit.count")
				}
			}),
			yamldoc.NewKey("per", "a time: 1h, 24h, or seconds", func(r *ruleEntry, v yamldoc.Value) {
				if d, ok := v.Duration(31 * 24 * time.Hour); ok {
					r.rule.Limit.Per = d
				} else {
					r.wrong = append(r.wrong, "limit.per")
				}
			}),
			yamldoc.NewKey("key", "all, agent, session, tool or workspace",
				func(r *ruleEntry, v yamldoc.Value) {
					if text, ok := v.Text(); ok {
						r.rule.Limit.Key = permissions.LimitKey(text)
					}
				}),
		},
	}
}

func (r *ruleEntry) readLimit(v yamldoc.Value) {
	r.strictOnly(v)
	r.rule.Limit = &permissions.Limit{}
	yamldoc.ReadKeys(v, limitMapping(), r)
	if !v.IsMapping() || !v.Require("count", "how often: {count: 100, per: 1h}") ||
		!v.Require("per", "within which time: {count: 100, per: 1h}") {
		r.wrong = append(r.wrong, "limit")
	}
}

// readExpires reads a day, through the end of which (UTC) the rule counts, or a moment.
func (r *ruleEntry) readExpires(v yamldoc.Value) {
	r.strictOnly(v)
	text, ok := v.Text()
	if !ok {
		return
	}
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		r.rule.Expires = day.AddDate(0, 0, 1)
		return
	}
	moment, err := time.Parse(time.RFC3339, text)
	if err != nil {
		v.Fail(yamldoc.RuleValue, "2027-01-31, or 2027-01-31T12:00:00Z", "want a day or a moment, found %s",
			yamldoc.Quote(text))
		return
	}
	r.rule.Expires = moment.UTC()
}

// readFinal reads a key that says what is so anyway: nothing lifts a rejection. On another decision it would
// promise what does not hold.
func (r *ruleEntry) readFinal(v yamldoc.Value) {
	r.strictOnly(v)
	if final, ok := v.Bool(); ok && final {
		r.finalAt = &v
	}
}

// actMapping is what an example of a rule may say.
func actMapping() yamldoc.Mapping[*permissions.Example] {
	return yamldoc.Mapping[*permissions.Example]{
		Name: "an example",
		Keys: []yamldoc.Key[*permissions.Example]{
			yamldoc.NewKey("tool", "a tool id", func(e *permissions.Example, v yamldoc.Value) {
				v.SetText(&e.Tool)
			}),
			yamldoc.NewKey("params", "a mapping of arguments", readExampleArguments),
			yamldoc.NewKey("parameters", "a mapping of arguments", readExampleArguments),
			yamldoc.NewKey("path", "a path", func(e *permissions.Example, v yamldoc.Value) {
				if text, ok := v.Text(); ok {
					e.Paths = append(e.Paths, text)
				}
			}),
			yamldoc.NewKey("paths", "a list of paths", func(e *permissions.Example, v yamldoc.Value) {
				texts, _ := v.Texts()
				e.Paths = append(e.Paths, texts...)
			}),
			yamldoc.NewKey("action", "the kind of act", func(e *permissions.Example, v yamldoc.Value) {
				if text, ok := v.Text(); ok {
					e.Action = permissions.Action(text)
				}
			}),
			yamldoc.NewKey("command", "a command line", func(e *permissions.Example, v yamldoc.Value) {
				v.SetText(&e.Command)
			}),
			yamldoc.NewKey("argv", "the words of one command", func(e *permissions.Example, v yamldoc.Value) {
				v.SetTexts(&e.Argv)
			}),
			yamldoc.NewKey("dir", "a directory", func(e *permissions.Example, v yamldoc.Value) {
				v.SetText(&e.Dir)
			}),
			yamldoc.NewKey("env", "a list of names of variables",
				func(e *permissions.Example, v yamldoc.Value) {
					v.SetTexts(&e.Env)
				}),
			yamldoc.NewKey("agent", "a name", func(e *permissions.Example, v yamldoc.Value) {
				v.SetText(&e.Agent)
			}),
			yamldoc.NewKey("principal", "the name of a principal of the daemon",
				func(e *permissions.Example, v yamldoc.Value) { v.SetText(&e.Principal) }),
			yamldoc.NewKey("workspace", "a directory that begins with / or ~/",
				func(e *permissions.Example, v yamldoc.Value) { v.SetText(&e.Workspace) }),
			yamldoc.NewKey("mode", "the id of a mode", func(e *permissions.Example, v yamldoc.Value) {
				v.SetText(&e.Mode)
			}),
			yamldoc.NewKey("headless", "true or false", func(e *permissions.Example, v yamldoc.Value) {
				v.SetBool(&e.Headless)
			}),
			yamldoc.NewKey("confined", "true or false", func(e *permissions.Example, v yamldoc.Value) {
				v.SetBool(&e.Confined)
			}),
			yamldoc.NewKey("read_only", "true or false", func(e *permissions.Example, v yamldoc.Value) {
				v.SetBool(&e.ReadOnly)
			}),
		},
	}
}

func readExampleArguments(e *permissions.Example, v yamldoc.Value) {
	given, ok := v.JSON()
	if !ok {
		return
	}
	if e.Arguments, ok = given.(map[string]any); !ok {
		v.Mismatch("a mapping of arguments", "")
	}
}

func readExample(v yamldoc.Value) permissions.Example {
	var e permissions.Example
	yamldoc.ReadKeys(v, actMapping(), &e)
	return e
}

func (r *ruleEntry) readExamples(v yamldoc.Value, field string, into *[]permissions.Example) {
	r.strictOnly(v)
	entries, ok := v.List("an example: {tool, path}, {command}, …")
	if ok && len(entries) == 0 {
		v.Fail(yamldoc.RuleEmpty, "give an example, or take the key out", "the list is empty")
	}
	for i, at := range entries {
		before := r.file.doc.Mistakes()
		e := readExample(at)
		e.Source = r.file.file.source(at)
		*into = append(*into, e)
		if r.file.doc.Mistakes() != before {
			r.wrong = append(r.wrong, fmt.Sprintf("%s[%d]", field, i))
		}
	}
}
