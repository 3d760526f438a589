package config

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/a2a-acp/a2a-acp/internal/spelling"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
)

// toolGroup is an entry of `groups:` of a tools file that is being read: tools that rules of access name together.
type toolGroup struct {
	file *toolsFile
	name string
	at   yamldoc.Value

	selectors          []*toolSelector
	explicit, excluded []yamldoc.Value // ids of tools
	used               bool            // a rule of access names it
}

// toolSelector puts the tools into a group that fit all that it says.
type toolSelector struct {
	source, name, path, method *regexp.Regexp // nil for all
	required, excluded         []string       // tags
}

// readGroups reads groups of the file's tools. Rules of access name them, and may stand in front of them.
func (f *toolsFile) readGroups(v yamldoc.Value) {
	f.groupsAt = v
	entries, _ := v.Entries()
	for _, entry := range entries {
		g := &toolGroup{file: f, name: entry.Name, at: entry.Key}
		f.groups = append(f.groups, g)
		if !toolID.MatchString(entry.Name) {
			entry.Key.Fail(yamldoc.RuleValue, idHint(entry.Name), "%s cannot be a group's name: %s", yamldoc.Quote(entry.Name), idRule)
		}
		if yamldoc.ReadKeys(entry.Value, groupMapping(), g) && !entry.Value.Has("selectors") && !entry.Value.Has("explicit_tool_ids") {
			entry.Value.Fail(yamldoc.RuleEmpty, "selectors: [{name_pattern: \"*order*\"}], or explicit_tool_ids: [order]",
				"it says not which tools are in it")
		}
	}
}

// groupMapping is what a group may say.
var groupMapping = sync.OnceValue(func() yamldoc.Mapping[*toolGroup] {
	return yamldoc.Mapping[*toolGroup]{
		Name: "a group",
		Keys: []yamldoc.Key[*toolGroup]{
			yamldoc.NewKey("description", "a text", func(_ *toolGroup, v yamldoc.Value) { v.Text() }),
			yamldoc.NewKey("selectors", "a list of {source_pattern, name_pattern, …}", (*toolGroup).readSelectors),
			yamldoc.NewKey("explicit_tool_ids", "a list of ids of tools", func(g *toolGroup, v yamldoc.Value) {
				g.explicit = textsOf(v)
			}),
			yamldoc.NewKey("excluded_tool_ids", "a list of ids of tools", func(g *toolGroup, v yamldoc.Value) {
				g.excluded = textsOf(v)
			}),
		},
		Synonyms: map[string]string{"selector": "selectors", "match": "selectors", "tools": "explicit_tool_ids",
			"include": "explicit_tool_ids", "exclude": "excluded_tool_ids", "desc": "description"},
		Elsewhere: []yamldoc.Misplaced{{Names: toolSelectorMapping().Names(), Hint: "%s belongs to an entry of selectors"}},
	}
})

// textsOf returns the texts of a list, each with its place.
func textsOf(v yamldoc.Value) (items []yamldoc.Value) {
	texts, ok := v.Texts()
	if ok && len(texts) == 0 {
		v.Fail(yamldoc.RuleEmpty, "name one, or take the key out", "the list is empty")
	}
	for i := range texts {
		items = append(items, v.Item(i))
	}
	return items
}

// toolSelectorMapping is what a selector may say. All of it has to fit.
func toolSelectorMapping() yamldoc.Mapping[*toolSelector] {
	pattern := func(name, want string, field func(*toolSelector) **regexp.Regexp) yamldoc.Key[*toolSelector] {
		return yamldoc.NewKey(name, want, func(s *toolSelector, v yamldoc.Value) {
			if text, ok := v.Text(); ok {
				*field(s) = selectorPattern(v, text)
			}
		})
	}
	return yamldoc.Mapping[*toolSelector]{
		Name: "a selector of tools",
		Keys: []yamldoc.Key[*toolSelector]{
			pattern("source_pattern", "the name of a source, which may have * and ? in it",
				func(s *toolSelector) **regexp.Regexp { return &s.source }),
			pattern("name_pattern", "the id of a tool, which may have * and ? in it",
				func(s *toolSelector) **regexp.Regexp { return &s.name }),
			pattern("path_pattern", "a path, which may have * and ? in it",
				func(s *toolSelector) **regexp.Regexp { return &s.path }),
			pattern("method_pattern", "a method, such as GET", func(s *toolSelector) **regexp.Regexp { return &s.method }),
			yamldoc.NewKey("required_tags", "a list of tags", func(s *toolSelector, v yamldoc.Value) { v.SetTexts(&s.required) }),
			yamldoc.NewKey("excluded_tags", "a list of tags", func(s *toolSelector, v yamldoc.Value) { v.SetTexts(&s.excluded) }),
		},
		Synonyms: map[string]string{"source": "source_pattern", "name": "name_pattern", "id": "name_pattern", "tool": "name_pattern",
			"path": "path_pattern", "method": "method_pattern", "tags": "required_tags", "required_label_ids": "required_tags",
			"labels": "required_tags"},
	}
}

func (g *toolGroup) readSelectors(v yamldoc.Value) {
	list, ok := v.List("{name_pattern: \"*order*\"}")
	if ok && len(list) == 0 {
		v.Fail(yamldoc.RuleEmpty, "say which tools are in it, or take the key out", "the list is empty")
	}
	for _, at := range list {
		s := &toolSelector{}
		if yamldoc.ReadKeys(at, toolSelectorMapping(), s) && len(at.Node.Content) == 0 {
			at.Fail(yamldoc.RuleEmpty, "for all tools of the file write {name_pattern: \"*\"}", "it says nothing")
		}
		g.selectors = append(g.selectors, s)
	}
}

// regexWord stands before a pattern that is a regular expression.
const regexWord = "regex:"

// selectorPattern compiles a pattern: * is any characters, ? is one, and what begins with regex: is a regular expression.
// The whole text has to fit. Capital letters are their own: what is let in too little is noticed.
func selectorPattern(v yamldoc.Value, text string) *regexp.Regexp {
	expression, is := strings.CutPrefix(text, regexWord)
	switch {
	case text == "":
		v.Fail(yamldoc.RuleEmpty, "* is for all, and so is to take the key out", "the pattern is empty")
		return nil
	case !is && strings.ContainsAny(text, "[]"):
		v.Fail(yamldoc.RuleValue, regexWord+"… takes a regular expression", "%s: a pattern has * and ? in it, and no brackets",
			yamldoc.Quote(text))
		return nil
	case !is:
		expression = strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(text))
	}
	compiled, err := regexp.Compile(`(?s)\A(?:` + expression + `)\z`)
	if err != nil {
		v.Fail("pattern", "the expressions are RE2's, which have no lookahead, lookbehind or backreferences",
			"%s is no regular expression: %s", yamldoc.Quote(expression), regexpFault(err))
		return nil
	}
	return compiled
}

// fits reports whether a tool is one that the selector means. Only one that sends a request has a source, a method and a
// path, which is the part behind that of its source.
func (s *toolSelector) fits(e *toolEntry) bool {
	t := &e.tool
	var source, path, method string
	if t.HTTP != nil {
		source, method, path = t.HTTP.API.Name, t.HTTP.Method, e.http.spec.Path
	}
	fits := func(pattern *regexp.Regexp, text string) bool { return pattern == nil || pattern.MatchString(text) }
	tagged := func(tag string) bool { return slices.Contains(t.Tags, tag) }
	return fits(s.name, t.ID) && fits(s.source, source) &&
		(s.path == nil || t.HTTP != nil && fits(s.path, path)) && (s.method == nil || t.HTTP != nil && fits(s.method, method)) &&
		!slices.ContainsFunc(s.required, func(tag string) bool { return !tagged(tag) }) && !slices.ContainsFunc(s.excluded, tagged)
}

// holds reports whether a tool is in the group.
func (g *toolGroup) holds(e *toolEntry) bool {
	names := func(ids []yamldoc.Value) bool {
		return slices.ContainsFunc(ids, func(id yamldoc.Value) bool { return id.Node.Value == e.tool.ID })
	}
	return !names(g.excluded) && (names(g.explicit) ||
		slices.ContainsFunc(g.selectors, func(s *toolSelector) bool { return s.fits(e) }))
}

// check says what is wrong with the group beside the tools of the file.
func (g *toolGroup) check() {
	var ids []string
	for _, e := range g.file.entries {
		ids = append(ids, e.tool.ID)
	}
	for _, id := range slices.Concat(g.explicit, g.excluded) {
		if name := id.Node.Value; !slices.Contains(ids, name) {
			hint := "a group is for the tools of its own file"
			if near := spelling.Nearest(name, ids); near != "" {
				hint = "did you mean " + near + "?"
			}
			id.Fail(yamldoc.RuleValue, hint, "there is no tool %s in the file", yamldoc.Quote(name))
		}
	}
	if !slices.ContainsFunc(g.file.entries, g.holds) {
		g.at.Fail("no-match", "a group is for the tools of its own file", "there is no tool in the group %s", g.name)
	}
	if !g.used && len(g.file.access) > 0 {
		g.at.Warn("unused", "name it in allowed_group_ids of a rule, or take it out", "no rule of access names the group %s", g.name)
	}
}
