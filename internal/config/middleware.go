package config

import (
	"fmt"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/governor"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/permissions"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// middlewareRow is a row of `middleware:` of a tools file that is being read.
type middlewareRow struct {
	file *toolsFile
	at   yamldoc.Value
	tool.Middleware
	tools permissions.ToolPatterns // nil for all

	validate yamldoc.Value
	matched  bool
}

// readMiddleware reads what is added to the tools of the file. Of the rows that match a tool the first counts.
func (f *toolsFile) readMiddleware(v yamldoc.Value) {
	list, _ := v.List("a row: {match: {tools: […]}, timeout: 30, …}")
	for _, at := range list {
		row := &middlewareRow{file: f, at: at, Middleware: tool.Middleware{Source: f.file.source(at)}}
		if yamldoc.ReadKeys(at, middlewareMapping(), row) && row.addsNothing() {
			at.Fail(yamldoc.RuleEmpty, "timeout, limit, validate, redact or log", "it says nothing about the tools that it matches")
		}
		f.middleware = append(f.middleware, row)
	}
}

func (r *middlewareRow) addsNothing() bool {
	return !slices.ContainsFunc(middlewareMapping().Names(), func(key string) bool { return key != "match" && r.at.Has(key) })
}

const (
	// mostArguments bounds what a row may say of the number of arguments, and mostArgumentsKB of their bytes.
	mostArguments   = 100_000
	mostArgumentsKB = 64 << 10
	mostLimitCalls  = 1_000_000_000
	longestLimit    = 366 * 24 * time.Hour
)

// middlewareMapping is what a row of middleware may say.
var middlewareMapping = sync.OnceValue(func() yamldoc.Mapping[*middlewareRow] {
	return yamldoc.Mapping[*middlewareRow]{
		Name: "a row of middleware",
		Keys: []yamldoc.Key[*middlewareRow]{
			yamldoc.NewKey("match", "a mapping with tools", func(r *middlewareRow, v yamldoc.Value) {
				yamldoc.ReadKeys(v, middlewareMatchMapping(), r)
			}),
			yamldoc.NewKey("timeout", "seconds, or a duration such as 2m30s", func(r *middlewareRow, v yamldoc.Value) {
				v.SetDuration(&r.Timeout, longestTimeout)
			}),
			yamldoc.NewKey("limit", "a mapping: {count, per, key}", (*middlewareRow).readLimit),
			yamldoc.NewKey("validate", "a mapping: {max_args, max_kb}", func(r *middlewareRow, v yamldoc.Value) {
				r.validate = v
				yamldoc.ReadKeys(v, middlewareValidateMapping(), r)
			}),
			yamldoc.NewKey("redact", "a list of regular expressions (RE2)", func(r *middlewareRow, v yamldoc.Value) {
				r.Redact = readPatterns(v)
			}),
			yamldoc.NewKey("log", "metadata, params or full", func(r *middlewareRow, v yamldoc.Value) {
				readAuditLevel(v, r.file.file.Layer, &r.Audit)
			}),
		},
		Synonyms: map[string]string{"audit": "log", "logging": "log", "rate": "limit", "ratelimit": "limit",
			"filter": "redact", "mask": "redact", "selectors": "match", "selector": "match", "tools": "match"},
		Elsewhere: []yamldoc.Misplaced{
			{Names: middlewareValidateMapping().Names(), Hint: "%s belongs under validate"},
			{Names: middlewareLimitMapping().Names(), Hint: "%s belongs under limit"},
		},
	}
})

// middlewareMatchMapping is what a row may say about which tools it is for.
func middlewareMatchMapping() yamldoc.Mapping[*middlewareRow] {
	return yamldoc.Mapping[*middlewareRow]{
		Name: "match",
		Keys: []yamldoc.Key[*middlewareRow]{
			yamldoc.NewKey("tools", "a list of tool ids, which may have * in them", func(r *middlewareRow, v yamldoc.Value) {
				r.tools = permissions.CompileTools(readToolPatterns(v))
			}),
		},
	}
}

// readToolPatterns reads patterns over ids of tools.
func readToolPatterns(v yamldoc.Value) []string {
	texts, ok := v.Texts()
	if ok && len(texts) == 0 {
		v.Fail(yamldoc.RuleEmpty, "name what it is about, or take the key out", "the list is empty")
	}
	for i, err := range permissions.CheckTools(texts) {
		v.Doc.At(v.Node.Content[i], v.Name, "").Fail(yamldoc.RuleValue, "", "%v", err)
	}
	return texts
}

// middlewareLimitMapping is what a row may say about how often tools are called.
func middlewareLimitMapping() yamldoc.Mapping[*middlewareRow] {
	keys := []string{string(tool.LimitAll), string(tool.LimitClient), string(tool.LimitTool), string(tool.LimitSession)}
	return yamldoc.Mapping[*middlewareRow]{
		Name: "limit",
		Keys: []yamldoc.Key[*middlewareRow]{
			yamldoc.NewKey("count", "a whole number of calls", func(r *middlewareRow, v yamldoc.Value) {
				if n, ok := v.Int(1, mostLimitCalls); ok {
					r.Limit.Count = n
				}
			}),
			yamldoc.NewKey("per", "seconds, or a duration such as 1m", func(r *middlewareRow, v yamldoc.Value) {
				v.SetDuration(&r.Limit.Per, longestLimit)
			}),
			yamldoc.NewKey("key", "all, client, tool or session", func(r *middlewareRow, v yamldoc.Value) {
				v.OneOf(keys, func(text string) { r.Limit.Key = tool.LimitKey(text) })
			}),
		},
	}
}

func (r *middlewareRow) readLimit(v yamldoc.Value) {
	r.Limit.Key = tool.LimitAll
	if yamldoc.ReadKeys(v, middlewareLimitMapping(), r) {
		v.Require("count", "count: 60")
		v.Require("per", "per: 1m")
	}
}

// middlewareValidateMapping is what a row may say about the arguments of a call.
func middlewareValidateMapping() yamldoc.Mapping[*middlewareRow] {
	return yamldoc.Mapping[*middlewareRow]{
		Name: "validate",
		Keys: []yamldoc.Key[*middlewareRow]{
			yamldoc.NewKey("max_args", "a whole number", func(r *middlewareRow, v yamldoc.Value) {
				if n, ok := v.Int(1, mostArguments); ok {
					r.MostArguments = int(n)
				}
			}),
			yamldoc.NewKey("max_kb", "a whole number of kilobytes", func(r *middlewareRow, v yamldoc.Value) {
				if n, ok := v.Int(1, mostArgumentsKB); ok {
					r.MostBytes = int(n) << 10
				}
			}),
		},
	}
}

// readPatterns reads expressions for what must not be seen. One that matches an empty text would match
// everywhere.
func readPatterns(v yamldoc.Value) []string {
	texts, ok := v.Texts()
	if ok && len(texts) == 0 {
		v.Fail(yamldoc.RuleEmpty, "write an expression, or take the key out", "the list is empty")
	}
	for i, text := range texts {
		expression, err := regexp.Compile(text)
		at := v.Doc.At(v.Node.Content[i], v.Name, "")
		switch {
		case err != nil:
			at.Fail("pattern", "the expressions are RE2's, which have no lookahead, lookbehind or backreferences",
				"%s is no regular expression: %s", yamldoc.Quote(text), regexpFault(err))
		case expression.MatchString(""):
			at.Fail("pattern", "have it match at least one character", "%s matches nothing at all, too", yamldoc.Quote(text))
		}
	}
	return texts
}

// addMiddleware adds to each tool what the first row says that matches it.
func (f *toolsFile) addMiddleware() {
	for _, e := range f.entries {
		for _, row := range f.middleware {
			if row.tools.Match([]string{e.tool.ID}) {
				row.matched = true
				e.addMiddleware(row)
				break
			}
		}
	}
	broken := f.doc.Found.Broken() // then it is not known what the others are for
	for _, row := range f.middleware {
		if !row.matched && !broken {
			row.at.Fail("no-match", "a row is for the tools of its own file, and of the rows that match one the first counts",
				"there is no tool that it is for")
		}
	}
}

// addMiddleware adds what a row says. Of two times the shorter counts, and what the entry says itself about
// the record.
func (e *toolEntry) addMiddleware(row *middlewareRow) {
	t, m := &e.tool, row.Middleware
	t.Middleware = m
	if m.Timeout > 0 && (e.timeout.Node == nil || m.Timeout < t.Sandbox.Limits.Timeout) {
		t.Sandbox.Limits.Timeout = m.Timeout
	}
	if m.Audit != "" && t.Audit == "" {
		t.Audit = m.Audit
	}
	required := 0
	for _, p := range t.Parameters {
		if p.Required {
			required++
		}
	}
	if m.MostArguments > 0 && required > m.MostArguments {
		row.validate.Fail(yamldoc.RuleValue, "", "tool %q needs %d arguments, and a call may have %d", t.ID, required, m.MostArguments)
	}
}

// addMiddleware adds the governors that the rows of the tools in force stand for: a file of them for each
// tools file.
func (l *loading) addMiddleware() {
	files := map[string]int{}
	for i := range l.set.Tools {
		m := l.set.Tools[i].Tool.Middleware
		if m.Limit.Count == 0 && len(m.Redact) == 0 {
			continue
		}
		source := m.Source
		at, known := files[source.File]
		if !known {
			at = len(l.set.Governors)
			files[source.File] = at
			l.set.Governors = append(l.set.Governors, governor.File{
				Layer: source.Layer, Name: source.File, Project: source.Layer == tool.LayerProject,
				PermissionSettings: governor.DefaultSettings(), OutputSettings: governor.DefaultSettings(),
			})
		}
		file := &l.set.Governors[at]
		if m.Limit.Count > 0 {
			file.Permission = withTool(file.Permission, l.set.Tools[i].Tool.ID, limitOf(m))
		}
		if len(m.Redact) > 0 {
			file.Output = withTool(file.Output, l.set.Tools[i].Tool.ID, redactionOf(m))
		}
	}
}

// withTool returns governors with one that is about a tool, too.
func withTool(specs []governor.Spec, id string, spec governor.Spec) []governor.Spec {
	i := slices.IndexFunc(specs, func(s governor.Spec) bool { return s.ID == spec.ID })
	if i < 0 {
		i, specs = len(specs), append(specs, spec)
	}
	specs[i].AppliesTo = append(specs[i].AppliesTo, id)
	return specs
}

// middlewareGovernor is what the governors have in common that a row stands for. No rule passes them by: they
// are a part of the tool.
func middlewareGovernor(m tool.Middleware, what string) governor.Spec {
	return governor.Spec{
		ID: fmt.Sprintf("%s of %s", what, m.Source), Source: m.Source, Timeout: governor.DefaultTimeout, Required: true,
		OnError: governor.FallbackReject, OnTimeout: governor.FallbackReject,
	}
}

func limitOf(m tool.Middleware) governor.Spec {
	spec := middlewareGovernor(m, "limit")
	spec.Kind = governor.KindRate
	spec.Limit = governor.Limit{Calls: m.Limit.Count, Per: m.Limit.Per, Beyond: governor.VerbReject}
	spec.Limit.Key = map[tool.LimitKey]governor.Key{
		tool.LimitAll: governor.KeyAll, tool.LimitClient: governor.KeyAgent, tool.LimitTool: governor.KeyTool,
		tool.LimitSession: governor.KeySession,
	}[m.Limit.Key]
	return spec
}

func redactionOf(m tool.Middleware) governor.Spec {
	spec := middlewareGovernor(m, "redact")
	spec.Kind, spec.Patterns, spec.Found = governor.KindPatterns, m.Redact, governor.VerbRedact
	return spec
}
