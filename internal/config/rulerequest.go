package config

import (
	"slices"

	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// requestMapping is what a rule may want of the HTTP request that an act sends.
func requestMapping() yamldoc.Mapping[*ruleEntry] {
	const value = "a value, or a matcher: {in, host, absent, max, min, within, regex}"
	part := func(name string) func(*ruleEntry, yamldoc.Value) {
		return func(r *ruleEntry, v yamldoc.Value) { r.readRequestPart(name, v) }
	}
	members := func(name string) func(*ruleEntry, yamldoc.Value) {
		return func(r *ruleEntry, v yamldoc.Value) {
			entries, _ := v.AllEntries()
			for _, e := range entries {
				e.Value.Want = value
				r.readRequestPart(name+"."+e.Name, e.Value)
			}
		}
	}
	return yamldoc.Mapping[*ruleEntry]{
		Name: "request",
		Keys: []yamldoc.Key[*ruleEntry]{
			yamldoc.NewKey("method", value, part("method")), yamldoc.NewKey("url", value, part("url")),
			yamldoc.NewKey("path", value, part("path")),
			yamldoc.NewKey("query", "a mapping of fields", members("query")),
			yamldoc.NewKey("body", "a mapping of members", members("body")),
		},
		Synonyms: map[string]string{"methods": "method", "host": "url", "json": "body", "form": "body", "params": "query"},
	}
}

// readRequest reads what a rule wants of a request.
func (r *ruleEntry) readRequest(v yamldoc.Value) {
	r.strictOnly(v)
	if yamldoc.ReadKeys(v, requestMapping(), r) && len(v.Node.Content) == 0 {
		v.Fail(yamldoc.RuleEmpty, "request: {method: GET}", "the mapping is empty")
	}
}

// readRequestPart reads what a rule wants of one part: a value that it equals, one of several, or a matcher.
func (r *ruleEntry) readRequestPart(name string, v yamldoc.Value) {
	var m permissions.Matcher
	before := r.file.doc.Mistakes()
	switch {
	case v.IsMapping():
		yamldoc.ReadKeys(v, matcherMapping(), &m)
	case v.IsList():
		items, _ := v.List("a text, a number, true or false")
		for _, item := range items {
			if given, ok := item.JSON(); ok && !item.IsMapping() && !item.IsList() {
				m.In = append(m.In, given)
			}
		}
	case v.IsNull():
		v.Mismatch("a text, a number, true or false", "")
	default:
		if given, ok := v.JSON(); ok {
			m.In = []any{given}
		}
	}
	if r.file.doc.Mistakes() != before {
		r.wrong = append(r.wrong, "request."+name)
	}
	if r.rule.Request == nil {
		r.rule.Request = map[string]permissions.Matcher{}
	}
	if name == "method" {
		methods := []any{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY"}
		for _, given := range m.In {
			if !slices.Contains(methods, given) {
				v.Fail(yamldoc.RuleValue, "in capital letters: GET, POST, …", "there is no method %v", given)
			}
		}
	}
	r.rule.Request[name] = m
}
