package render

import (
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// quoting is how the text around a tag is quoted. It decides what the tag is rewritten to.
type quoting int

const (
	unquoted quoting = iota
	doubleQuoted
	singleQuoted
	dollarQuoted // $'…'
	inHeredoc
	inQuotedHeredoc
	inArithmetic
	inComment
)

var quotingNames = [...]string{
	"unquoted word", "double quotes", "single quotes", "$'…'", "here-document", "quoted here-document",
	"arithmetic", "comment",
}

func (q quoting) String() string { return quotingNames[q] }

// tagPlace is one appearance of a tag in a skeleton: where it stands, and what that asks of the value.
type tagPlace struct {
	number  int
	tag     *tag
	at      int // offset of the placeholder in the skeleton
	index   int // of its value among the values of the call; -1 when it needs none
	quote   quoting
	heredoc *syntax.Redirect // the here-document that it stands in
	role    string           // what the shell or a program does with the value, in words
	guards  []guard
	// The value is a path at the start of its word: one that would be an option gets ./ in front of it.
	dotted  bool
	arms    []arm   // the branches of a case that it stands in
	refusal *remark // why the tag cannot stand here
	remarks []remark
	seen    bool
}

// remark is what a finding says, before it is known where it stands.
type remark struct{ message, fix string }

// refuse says that the tag cannot stand where it does. The first reason counts: it is the innermost.
func (p *tagPlace) refuse(message, fix string) {
	if p.refusal == nil {
		p.refusal = &remark{message, fix}
	}
}

func (p *tagPlace) remark(message, fix string) {
	for _, r := range p.remarks {
		if r.message == message {
			return
		}
	}
	p.remarks = append(p.remarks, remark{message, fix})
}

func (p *tagPlace) need(g guard) {
	for _, other := range p.guards {
		if other.check == g.check && g.check != noDevice {
			return
		}
	}
	p.guards = append(p.guards, g)
}

func (p *tagPlace) context() string {
	switch {
	case p.quote == inComment, p.role == p.quote.String():
		return p.quote.String()
	case p.role == "":
		return p.quote.String() + ", word"
	}
	return p.quote.String() + ", " + p.role
}

// finding makes a finding about the place.
func (p *tagPlace) finding(severity Severity, source string, r remark) Finding {
	line, column := position(source, p.tag.from)
	return Finding{Severity: severity, Line: line, Column: column, Tag: p.tag.source, Context: p.context(),
		Message: r.message, Fix: r.fix}
}

// quotingOf tells how the leaf of a stack is quoted, and refuses the leaves that are no text at all: names
// and patterns of the shell's own syntax.
func (a *analysis) quotingOf(p *tagPlace, stack []syntax.Node) {
	leaf := stack[len(stack)-1]
	switch leaf := leaf.(type) {
	case *syntax.Comment:
		p.quote = inComment
		return
	case *syntax.SglQuoted:
		p.quote = singleQuoted
		if leaf.Dollar {
			p.quote = dollarQuoted
		}
	case *syntax.Lit:
		a.quotingOfLiteral(p, stack)
	}
	a.neighbours(p)
}

func (a *analysis) quotingOfLiteral(p *tagPlace, stack []syntax.Node) {
	switch parent := stack[len(stack)-2].(type) {
	case *syntax.DblQuoted:
		p.quote = doubleQuoted
		if parent.Dollar {
			p.refuse(`$"…" is translated by the locale`, `write "…"`)
		}
	case *syntax.Word:
		if len(stack) < 3 {
			return
		}
		if r, ok := stack[len(stack)-3].(*syntax.Redirect); ok && r.Hdoc == parent {
			p.quote, p.heredoc = inHeredoc, r
			if isQuotedMarker(r.Word) {
				p.quote = inQuotedHeredoc
			}
		}
	case *syntax.ParamExp:
		p.refuse("the value would be part of a variable's name",
			"write ${NAME} for a variable in front of the tag; to let a value choose a variable, use case")
	case *syntax.Assign:
		p.refuse("the value would be the name of a variable", "write the name in the script")
	case *syntax.ExtGlob:
		p.refuse("the value would be part of an extended glob pattern",
			"compare with [[ ]] and the value in quotes")
	default:
		p.refuse("the value would be a name in the shell's own syntax", "write the name in the script")
	}
}

// openEscape finds an escape of $'…' that further digits would be part of.
var openEscape = regexp.MustCompile(`(^|[^\\])(\\\\)*\\(x[0-9A-Fa-f]?|u[0-9A-Fa-f]{0,3}|U[0-9A-Fa-f]{0,7}|[0-7]{1,2})$`)

// neighbours looks at the bytes in front of the tag that would take the first byte of what the tag is
// rewritten to for themselves.
func (a *analysis) neighbours(p *tagPlace) {
	before := a.text[:p.at]
	backslashes := len(before) - len(strings.TrimRight(before, `\`))
	switch {
	case p.quote == singleQuoted || p.quote == inQuotedHeredoc:
	case backslashes%2 == 1:
		p.refuse("there is a backslash right in front of the tag", "take the backslash away")
	case p.quote == dollarQuoted && strings.HasSuffix(before, `\c`):
		p.refuse(`\c right in front of the tag takes the first character of the value`, `take \c away`)
	case p.quote == dollarQuoted && openEscape.MatchString(before):
		p.refuse("the escape right in front of the tag could go on in the value",
			"write the escape with all its digits")
	case p.quote == unquoted && strings.HasSuffix(before, "$"):
		p.refuse("there is a $ right in front of the tag", `write '$' in quotes, or take it away`)
	}
}
