package config

import (
	"errors"
	"slices"

	"github.com/a2a-acp/a2a-acp/internal/answer"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// How many pages of an answer are read.
const (
	defaultPages = 10
	mostPages    = 1000
)

// resultMapping is which part of an answer is the result.
func resultMapping() yamldoc.Mapping[*tool.Answer] {
	return yamldoc.Mapping[*tool.Answer]{
		Name: "result",
		Keys: []yamldoc.Key[*tool.Answer]{
			yamldoc.NewKey("pick", "a JSON pointer, such as /data/items", func(a *tool.Answer, v yamldoc.Value) { v.SetText(&a.Pick) }),
			yamldoc.NewKey("shape", "an expression of CEL", func(a *tool.Answer, v yamldoc.Value) { v.SetText(&a.Shape) }),
			yamldoc.NewKey("stream", "sse or ndjson", func(a *tool.Answer, v yamldoc.Value) {
				v.OneOf([]string{string(tool.StreamEvents), string(tool.StreamLines)}, func(text string) { a.Stream = tool.StreamKind(text) })
			}),
		},
		Synonyms: map[string]string{"path": "pick", "pointer": "pick", "jsonpath": "pick", "cel": "shape", "map": "shape",
			"events": "stream", "streaming": "stream"},
	}
}

// pagesMapping is how an answer goes on.
func pagesMapping() yamldoc.Mapping[*tool.Pages] {
	return yamldoc.Mapping[*tool.Pages]{
		Name: "paginate",
		Keys: []yamldoc.Key[*tool.Pages]{
			yamldoc.NewKey("next", "link, {pointer: /next} or {cursor: /next, parameter: after}", readNext),
			yamldoc.NewKey("items", "a JSON pointer to the list, or /", func(p *tool.Pages, v yamldoc.Value) { v.SetText(&p.Items) }),
			yamldoc.NewKey("max_pages", "a whole number", func(p *tool.Pages, v yamldoc.Value) {
				if n, ok := v.Int(1, mostPages); ok {
					p.Most = int(n)
				}
			}),
		},
		Synonyms: map[string]string{"max": "max_pages", "limit": "max_pages", "list": "items", "data": "items"},
	}
}

// cursorMapping is where in a page the next one is told.
func cursorMapping() yamldoc.Mapping[*tool.Pages] {
	at := func(way tool.NextPage) func(*tool.Pages, yamldoc.Value) {
		return func(p *tool.Pages, v yamldoc.Value) {
			p.Next = way
			v.SetText(&p.At)
		}
	}
	return yamldoc.Mapping[*tool.Pages]{
		Name: "next",
		Keys: []yamldoc.Key[*tool.Pages]{
			yamldoc.NewKey("pointer", "a JSON pointer to a URL", at(tool.NextPointer)),
			yamldoc.NewKey("cursor", "a JSON pointer to a cursor", at(tool.NextCursor)),
			yamldoc.NewKey("parameter", "the name of a field", func(p *tool.Pages, v yamldoc.Value) { v.SetText(&p.Parameter) }),
		},
	}
}

func readNext(p *tool.Pages, v yamldoc.Value) {
	if !v.IsMapping() {
		v.OneOf([]string{string(tool.NextLink)}, func(string) { p.Next = tool.NextLink })
		return
	}
	yamldoc.ReadKeys(v, cursorMapping(), p)
	switch {
	case v.Has("pointer") == v.Has("cursor"):
		v.Fail(yamldoc.RuleMissing, "{pointer: /next} for a URL, {cursor: /next, parameter: after} for a value",
			"want pointer or cursor")
	case v.Has("cursor"):
		v.Require("parameter", "the field of the query that takes the cursor, such as parameter: after")
	case v.Has("parameter"):
		v.Fail(yamldoc.RuleValue, "write cursor in place of pointer", "parameter is for a cursor")
	}
}

func (e *toolEntry) readPages(v yamldoc.Value) {
	p := &e.tool.HTTP.Answer.Pages
	p.Most = defaultPages
	yamldoc.ReadKeys(v, pagesMapping(), p)
	v.Require("next", "next: link, where the header Link tells it")
	v.Require("items", "items: / where each page is a list, else where the list stands, such as /data")
}

// readWhen reads what answers mean by what they hold: the first condition that holds counts, before every status.
func (e *toolEntry) readWhen(v yamldoc.Value) {
	list, ok := v.List("a list of {if, code, message, detail, retryable}")
	if !ok {
		return
	}
	for i, item := range list {
		key := -1 - i
		m := &mappedError{entry: e, exit: key}
		yamldoc.ReadKeys(item, conditionMapping(), m)
		item.Require("if", "if: status == 409 && body.reason == 'sold out'")
		item.Require("code", "a JSON-RPC code, such as -32603")
		if m.error.Message == "" {
			m.error.Message = canonical(m.error.Code)
		}
		e.mapError(key, m)
		at, _ := item.Get("if")
		if at.Node == nil {
			at = item
		}
		e.when = append(e.when, at)
	}
}

// conditionMapping is what one condition over an answer says.
func conditionMapping() yamldoc.Mapping[*mappedError] {
	m := mappedErrorMapping()
	m.Name, m.Keys = "a condition", slices.Clone(m.Keys)
	m.Keys = append(m.Keys, yamldoc.NewKey("if", "an expression of CEL", func(m *mappedError, v yamldoc.Value) {
		v.SetText(&m.error.If)
	}))
	return m
}

// compileAnswer compiles what the tool says of answers; nil where it says nothing, or something wrong.
func (e *toolEntry) compileAnswer() *answer.Reading {
	if !e.http.at.IsMapping() {
		return nil
	}
	pages, paged := e.http.at.Get("paginate")
	if paged && e.http.spec.Method != "GET" && e.http.spec.Method != "" {
		pages.Fail(ruleHTTP, "take it out", "further pages are read of a GET, and this is a %s", e.http.spec.Method)
	}
	if e.http.at.IsFaulty() {
		return nil
	}
	texts := make([]string, len(e.when))
	for i := range texts {
		texts[i] = e.tool.ErrorMapping[-1-i].If
		if texts[i] == "" {
			texts[i] = "false" // what is missing was said
		}
	}
	says := e.tool.HTTP.Answer
	if p := says.Pages; p.Next == "" || p.Items == "" || p.Next != tool.NextLink && p.At == "" {
		says.Pages = tool.Pages{} // what is missing was said
	}
	reading, mistakes := answer.Compile(says, texts)
	for _, mistake := range mistakes {
		at, cure := e.http.at, ""
		var where *answer.Mistake
		if errors.As(mistake, &where) {
			cure = where.Cure
			if at = at.Find(where.At); where.At == "when" {
				at = e.when[where.Item]
			}
		}
		at.Fail(yamldoc.RuleValue, cure, "%v", mistake)
	}
	return reading
}
