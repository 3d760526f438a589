package config

import (
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// matcherNoun is what a rule of version 2 may want of an argument, beside one value that it equals.
func matcherNoun() noun[*permissions.Matcher] {
	return noun[*permissions.Matcher]{
		name: "a matcher",
		keys: []key[*permissions.Matcher]{
			{"in", "a list of values", func(m *permissions.Matcher, v value) {
				entries, ok := v.list("a text, a number, true or false")
				if ok && len(entries) == 0 {
					v.fail(ruleEmpty, "name a value, or take the key out", "the list is empty")
				}
				for _, entry := range entries {
					if isMapping(entry) || isList(entry) || entry.isNull() {
						entry.mismatch("a text, a number, true or false", "")
					} else if given, ok := entry.open(); ok {
						m.In = append(m.In, given)
					}
				}
			}},
			{"host", "a list of hosts", func(m *permissions.Matcher, v value) {
				texts, ok := v.texts()
				if ok && len(texts) == 0 {
					v.fail(ruleEmpty, "name a host, or take the key out", "the list is empty")
				}
				m.Host = texts
			}},
			{"absent", "true or false", func(m *permissions.Matcher, v value) {
				if is, ok := v.boolean(); ok {
					m.Absent = &is
				}
			}},
			{"max", "a number", func(m *permissions.Matcher, v value) { v.setNumber(&m.Max) }},
			{"min", "a number", func(m *permissions.Matcher, v value) { v.setNumber(&m.Min) }},
			{"within", "a directory", func(m *permissions.Matcher, v value) { v.setText(&m.Within) }},
			{"regex", "a regular expression", func(m *permissions.Matcher, v value) { v.setText(&m.Regex) }},
		},
	}
}

// readMatcher reads what a rule wants of one argument.
func (r *ruleEntry) readMatcher(name string, v value) {
	r.strictOnly(v)
	before := r.file.doc.errors
	var m permissions.Matcher
	readKeys(v, matcherNoun(), &m)
	if r.file.doc.errors != before {
		r.wrong = append(r.wrong, "parameters."+name)
	}
	if r.rule.Matchers == nil {
		r.rule.Matchers = map[string]permissions.Matcher{}
	}
	r.rule.Matchers[name] = m
}
