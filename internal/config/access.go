package config

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"

	"github.com/a2a-acp/a2a-acp/internal/spelling"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// accessRule is a rule of `access:` of a tools file that is being read.
type accessRule struct {
	file *toolsFile
	at   yamldoc.Value
	rule tool.AccessRule

	issuer    yamldoc.Value
	everybody bool
	allowed   []yamldoc.Value // names of groups
}

// mostMatchers bounds what is looked at for each tool and request.
const mostMatchers = 20

// readAccess reads who may call the tools of the file. Each rule lets somebody in; what none of them lets in stays out.
func (f *toolsFile) readAccess(v yamldoc.Value) {
	f.accessAt = v
	list, ok := v.List("a rule: {claim_matchers: […], allowed_group_ids: […]}")
	if ok && len(list) == 0 {
		v.Fail(yamldoc.RuleEmpty, "write a rule, or take the key out", "the list is empty, and so nobody may call anything")
	}
	for _, at := range list {
		r := &accessRule{file: f, at: at, rule: tool.AccessRule{Source: f.file.source(at)}}
		f.access = append(f.access, r)
		if !yamldoc.ReadKeys(at, accessMapping(), r) {
			continue
		}
		at.Require("allowed_group_ids", "the groups of tools that it is about: allowed_group_ids: [orders]")
		matched := at.Has("claim_matchers")
		switch {
		case r.everybody && (matched || r.issuer.Node != nil):
			at.Fail(yamldoc.RuleValue, "keep the one that is meant", "everybody is everybody, whatever their claims")
		case !r.everybody && !matched:
			at.Fail(yamldoc.RuleMissing,
				"claim_matchers: [{json_path: roles, operator: contains, value: staff}]; everybody: true lets everybody call them",
				"it says not who may call them")
		}
	}
}

// accessMapping is what a rule of access may say.
var accessMapping = sync.OnceValue(func() yamldoc.Mapping[*accessRule] {
	return yamldoc.Mapping[*accessRule]{
		Name: "a rule of access",
		Keys: []yamldoc.Key[*accessRule]{
			yamldoc.NewKey("name", "a text", func(r *accessRule, v yamldoc.Value) { v.SetText(&r.rule.Name) }),
			yamldoc.NewKey("description", "a text", func(_ *accessRule, v yamldoc.Value) { v.Text() }),
			yamldoc.NewKey("issuer", "the name of an issuer under serve: oidc", func(r *accessRule, v yamldoc.Value) {
				r.issuer = v
				v.SetText(&r.rule.Issuer)
			}),
			yamldoc.NewKey("claim_matchers", "a list of {json_path, operator, value}", (*accessRule).readMatchers),
			yamldoc.NewKey("everybody", "true", func(r *accessRule, v yamldoc.Value) {
				if is, ok := v.Bool(); ok && !is {
					v.Fail(yamldoc.RuleValue, "take it out", "a rule lets in whom it names")
				} else {
					r.everybody = is
				}
			}),
			yamldoc.NewKey("allowed_group_ids", "a list of names of groups", func(r *accessRule, v yamldoc.Value) {
				r.allowed = textsOf(v)
			}),
		},
		Synonyms: map[string]string{"claims": "claim_matchers", "matchers": "claim_matchers", "groups": "allowed_group_ids",
			"allow": "allowed_group_ids", "id": "name", "everyone": "everybody", "public": "everybody", "iss": "issuer"},
		Elsewhere: []yamldoc.Misplaced{
			{Names: claimMatcherMapping().Names(), Hint: "%s belongs to an entry of claim_matchers"},
			{Names: []string{"priority"}, Hint: "take %s out: whom any rule lets in is in, whatever their order"},
			{Names: []string{"is_active", "enabled"}, Hint: "there is no %s: a rule that is not to count is taken out"},
		},
	}
})

func (r *accessRule) readMatchers(v yamldoc.Value) {
	list, ok := v.List("{json_path: roles, operator: contains, value: staff}")
	switch {
	case ok && len(list) == 0:
		v.Fail(yamldoc.RuleEmpty, "name a claim; everybody: true in its place lets everybody call them", "the list is empty")
	case len(list) > mostMatchers:
		v.Fail(yamldoc.RuleValue, "", "want at most %d", mostMatchers)
		return
	}
	for _, at := range list {
		m := &claimMatcher{}
		if !yamldoc.ReadKeys(at, claimMatcherMapping(), m) {
			continue
		}
		at.Require("json_path", "the names that lead to the claim: json_path: realm_access.roles")
		if at.Require("operator", "how it is looked at: operator: contains") {
			m.finish(at)
		}
		r.rule.Matchers = append(r.rule.Matchers, m.is)
	}
}

// claimMatcher is an entry of claim_matchers that is being read.
type claimMatcher struct {
	is    tool.ClaimMatcher
	value yamldoc.Value
}

// claimMatcherMapping is what an entry of claim_matchers may say.
func claimMatcherMapping() yamldoc.Mapping[*claimMatcher] {
	return yamldoc.Mapping[*claimMatcher]{
		Name: "a matcher",
		Keys: []yamldoc.Key[*claimMatcher]{
			yamldoc.NewKey("json_path", "names with dots, such as realm_access.roles, or a JSON pointer", (*claimMatcher).readPath),
			yamldoc.NewKey("operator", "one of "+strings.Join(claimOperators(), ", "), func(m *claimMatcher, v yamldoc.Value) {
				if text, ok := v.Text(); ok && slices.Contains(claimOperators(), strings.ToLower(text)) {
					m.is.Operator = tool.ClaimOperator(strings.ToLower(text))
				} else if ok {
					v.OneOf(claimOperators(), func(string) {})
				}
			}),
			yamldoc.NewKey("value", "a text, or true or false", func(m *claimMatcher, v yamldoc.Value) { m.value = v }),
		},
		Synonyms: map[string]string{"path": "json_path", "claim": "json_path", "is": "operator", "values": "value"},
	}
}

func claimOperators() (names []string) {
	for _, operator := range tool.ClaimOperators() {
		names = append(names, string(operator))
	}
	return names
}

// readPath reads where a claim stands. The names of some have dots in them, which only a pointer can say.
func (m *claimMatcher) readPath(v yamldoc.Value) {
	text, ok := v.Text()
	if !ok {
		return
	}
	switch pointer, is := strings.CutPrefix(text, "/"); {
	case is && pointer != "":
		for _, name := range strings.Split(pointer, "/") {
			m.is.Path = append(m.is.Path, strings.NewReplacer("~1", "/", "~0", "~").Replace(name))
		}
	case is, strings.ContainsAny(text, "[]*$?@ '\"/"), slices.Contains(strings.Split(text, "."), ""):
		v.Fail(yamldoc.RuleValue, "a claim whose name has dots or slashes is a JSON pointer: /https:~1~1example.com~1roles",
			"%s leads to no claim: want names with dots, such as realm_access.roles", yamldoc.Quote(text))
	default:
		m.is.Path = strings.Split(text, ".")
	}
}

// finish reads the value as the operator takes it.
func (m *claimMatcher) finish(at yamldoc.Value) {
	switch operator := m.is.Operator; operator {
	case "": // said already
	case tool.ClaimExists:
		if m.value.Node != nil && (m.value.Node.Kind != yaml.ScalarNode || m.value.Node.Value != "") {
			m.value.Fail(yamldoc.RuleValue, "take it out, or compare with operator: equals", "exists takes no value")
		}
	case tool.ClaimIn, tool.ClaimNotIn:
		if at.Require("value", "the texts that it may be: value: [acme, globex]") {
			m.readValues()
		}
	default:
		if at.Require("value", "what it is compared with: value: staff") {
			m.readValue()
		}
	}
}

func (m *claimMatcher) readValues() {
	texts := m.value.TextOrTexts()
	if !m.value.IsList() && len(texts) == 1 {
		texts = strings.Split(texts[0], ",")
	}
	for _, text := range texts {
		if text = strings.TrimSpace(text); text != "" {
			m.is.Values = append(m.is.Values, text)
		}
	}
	if len(m.is.Values) == 0 && !m.value.IsFaulty() {
		m.value.Fail(yamldoc.RuleEmpty, "value: [acme, globex]", "want at least one text")
	}
}

func (m *claimMatcher) readValue() {
	operator := m.is.Operator
	if operator == tool.ClaimEquals || operator == tool.ClaimNotEquals {
		if m.value.Node.Tag == "!!bool" {
			m.is.Value, _ = m.value.Bool()
			return
		}
	}
	m.value.Want = "a text"
	text, ok := m.value.Text()
	if !ok {
		return
	}
	if text == "" {
		m.value.Fail(yamldoc.RuleEmpty, "operator: exists asks whether there is anything", "the text is empty")
		return
	}
	if operator != tool.ClaimMatches {
		m.is.Value = text
		return
	}
	compiled, err := regexp.Compile(`\A(?:` + text + `)\z`)
	if err != nil {
		m.value.Fail("pattern", "the expressions are RE2's, which have no lookahead, lookbehind or backreferences",
			"%s is no regular expression: %s", yamldoc.Quote(text), regexpFault(err))
		return
	}
	m.is.Pattern, m.is.Text = compiled, text
}

// grantAccess says of each tool who may call it. Where the file has rules, one that no rule lets anybody call is for
// nobody: a tool that was forgotten is not open.
func (f *toolsFile) grantAccess(tools []Loaded, warnings []yamldoc.Errors) {
	if f.groupsAt.Node != nil && f.accessAt.Node == nil {
		f.groupsAt.Fail(yamldoc.RuleMissing,
			"access: [{claim_matchers: […], allowed_group_ids: […]}] says who may call them; without that take the groups out",
			"groups of tools are for access, and the file has none")
	}
	if f.accessAt.Node == nil || f.doc.Full() {
		return
	}
	broken := f.doc.Found.Broken() // then it is not known what is in a group
	for _, r := range f.access {
		r.check()
	}
	if broken {
		return
	}
	for _, g := range f.groups {
		g.check()
	}
	for i, e := range f.entries {
		t := &tools[i].Tool
		access := &tool.Access{Source: f.file.source(f.accessAt)}
		open := false
		for _, r := range f.access {
			if !r.names(e) {
				continue
			}
			open = open || r.everybody
			access.Rules = append(access.Rules, r.rule)
		}
		if open {
			continue
		}
		t.Access = access
		if access.Nobody() {
			before := len(f.doc.Found)
			e.at.Warn("access", "put it into a group that a rule of access names", "no rule of access lets anybody call it")
			warnings[i] = append(warnings[i], f.doc.Found[before:]...)
		}
	}
}

// check says what is wrong with the names of groups.
func (r *accessRule) check() {
	var names []string
	for _, g := range r.file.groups {
		names = append(names, g.name)
	}
	for _, id := range r.allowed {
		i := slices.Index(names, id.Node.Value)
		if i >= 0 {
			r.file.groups[i].used = true
			continue
		}
		hint := "write it under groups"
		if near := spelling.Nearest(id.Node.Value, names); near != "" {
			hint = "did you mean " + near + "?"
		}
		id.Fail(yamldoc.RuleValue, hint, "there is no group %s in the file", yamldoc.Quote(id.Node.Value))
	}
}

// names reports whether the rule is about a tool.
func (r *accessRule) names(e *toolEntry) bool {
	return slices.ContainsFunc(r.allowed, func(id yamldoc.Value) bool {
		i := slices.IndexFunc(r.file.groups, func(g *toolGroup) bool { return g.name == id.Node.Value })
		return i >= 0 && r.file.groups[i].holds(e)
	})
}

// checkAccess holds the rules of access against the issuers whose tokens count. Whoever adds a second one has to say whose
// claims are meant: what one lets its users say of themselves, the other may use to tell who is in charge.
func (l *loading) checkAccess() {
	issuers := slices.Sorted(maps.Keys(l.set.Settings.Serve.Issuers))
	seen := map[tool.Source]bool{}
	for i := range l.set.Tools {
		access := l.set.Tools[i].Tool.Access
		if access == nil || len(issuers) == 0 {
			continue
		}
		for _, r := range access.Rules {
			if seen[r.Source] || slices.Contains(issuers, r.Issuer) || r.Issuer == "" && len(issuers) == 1 {
				continue
			}
			seen[r.Source] = true
			e := yamldoc.Error{File: r.Source.File, Line: r.Source.Line, Column: r.Source.Column,
				Severity: yamldoc.SeverityWarning, Rule: "access"}
			if r.Issuer == "" {
				e.Message = "the rule lets nobody in: tokens of several issuers count (" + strings.Join(issuers, ", ") +
					"), and it says not whose claims are meant"
				e.Hint = "issuer: " + issuers[0]
			} else {
				e.Message = fmt.Sprintf("the rule lets nobody in: there is no issuer %q under serve: oidc", r.Issuer)
				if near := spelling.Nearest(r.Issuer, issuers); near != "" {
					e.Hint = "did you mean " + near + "?"
				}
			}
			l.report(e)
		}
	}
}
