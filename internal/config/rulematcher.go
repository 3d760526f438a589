package config

import (
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// matcherMapping is what a rule of version 2 may want of an argument, beside one value that it equals.
func matcherMapping() yamldoc.Mapping[*permissions.Matcher] {
	return yamldoc.Mapping[*permissions.Matcher]{
		Name: "a matcher",
		Keys: []yamldoc.Key[*permissions.Matcher]{
			yamldoc.NewKey("in", "a list of values", func(m *permissions.Matcher, v yamldoc.Value) {
				entries, ok := v.List("a text, a number, true or false")
				if ok && len(entries) == 0 {
					v.Fail(yamldoc.RuleEmpty, "name a value, or take the key out", "the list is empty")
				}
				for _, entry := range entries {
					if entry.IsMapping() || entry.IsList() || entry.IsNull() {
						entry.Mismatch("a text, a number, true or false", "")
					} else if given, ok := entry.JSON(); ok {
						m.In = append(m.In, given)
					}
				}
			}),
			yamldoc.NewKey("host", "a list of hosts", func(m *permissions.Matcher, v yamldoc.Value) {
				texts, ok := v.Texts()
				if ok && len(texts) == 0 {
					v.Fail(yamldoc.RuleEmpty, "name a host, or take the key out", "the list is empty")
				}
				m.Host = texts
			}),
			yamldoc.NewKey("absent", "true or false", func(m *permissions.Matcher, v yamldoc.Value) {
				if is, ok := v.Bool(); ok {
					m.Absent = &is
				}
			}),
			yamldoc.NewKey("max", "a number", func(m *permissions.Matcher, v yamldoc.Value) {
				v.SetNumber(&m.Max)
			}),
			yamldoc.NewKey("min", "a number", func(m *permissions.Matcher, v yamldoc.Value) {
				v.SetNumber(&m.Min)
			}),
			yamldoc.NewKey("within", "a directory", func(m *permissions.Matcher, v yamldoc.Value) {
				v.SetText(&m.Within)
			}),
			yamldoc.NewKey("regex", "a regular expression", func(m *permissions.Matcher, v yamldoc.Value) {
				v.SetText(&m.Regex)
			}),
		},
	}
}

// readMatcher reads what a rule wants of one argument.
func (r *ruleEntry) readMatcher(name string, v yamldoc.Value) {
	r.strictOnly(v)
	before := r.file.doc.Mistakes()
	var m permissions.Matcher
	yamldoc.ReadKeys(v, matcherMapping(), &m)
	if r.file.doc.Mistakes() != before {
		r.wrong = append(r.wrong, "parameters."+name)
	}
	if r.rule.Matchers == nil {
		r.rule.Matchers = map[string]permissions.Matcher{}
	}
	r.rule.Matchers[name] = m
}
