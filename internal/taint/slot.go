package taint

import (
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/bashsyntax"
	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
	"mvdan.cc/sh/v3/syntax"
)

// Quoting is how the text around a value is quoted.
type Quoting int

// The ways to quote. A value in a comment goes nowhere.
const (
	Unquoted Quoting = iota
	DoubleQuoted
	SingleQuoted
	DollarQuoted // $'…'
	InHeredoc
	InQuotedHeredoc
	InArithmetic
	InComment
)

var quotingNames = [...]string{
	"unquoted word", "double quotes", "single quotes", "$'…'", "here-document", "quoted here-document",
	"arithmetic", "comment",
}

func (q Quoting) String() string { return quotingNames[q] }

// Slot is where a value stands in a script, and what that asks of the value.
type Slot struct {
	Number   int // of the place among those of the script, from 0
	Value    Value
	From, To int // the offsets of the placeholder in the text of the script
	Quoting  Quoting
	Heredoc  *syntax.Redirect // the here-document that it stands in

	role   string // what the shell or a program does with the value, in words
	guards []guard
	// The value is a path at the start of its word: one that would be an option gets ./ in front of it.
	dotted  bool
	arms    []arm   // the branches of a case that it stands in
	refusal *remark // why no value can stand here
	remarks []remark
	seen    bool
}

// remark is what a finding says, before it is known where it stands.
type remark struct{ message, fix string }

// refuse says that no value can stand here. The first reason counts: it is the innermost.
func (p *Slot) refuse(message, fix string) {
	if p.refusal == nil {
		p.refusal = &remark{message, fix}
	}
}

func (p *Slot) remark(message, fix string) {
	for _, r := range p.remarks {
		if r.message == message {
			return
		}
	}
	p.remarks = append(p.remarks, remark{message, fix})
}

func (p *Slot) need(g guard) {
	for _, other := range p.guards {
		if other.check == g.check && g.check != noDevice && g.check != noParent {
			return
		}
	}
	p.guards = append(p.guards, g)
}

// sql reports whether the author says that the agent writes SQL here.
func (p *Slot) sql() bool { return p.Value.Parameter != nil && p.Value.Parameter.Code == tool.CodeSQL }

// dashAllowed reports whether the author lets the value begin with '-'.
func (p *Slot) dashAllowed() bool {
	return p.Value.Parameter != nil && p.Value.Parameter.AllowLeadingDash
}

// Context says where the value stands, in words.
func (p *Slot) Context() string {
	switch {
	case p.Quoting == InComment, p.role == p.Quoting.String():
		return p.Quoting.String()
	case p.role == "":
		return p.Quoting.String() + ", word"
	}
	return p.Quoting.String() + ", " + p.role
}

// quotingOf tells how the leaf of a stack is quoted, and refuses the leaves that are no text at all: names
// and patterns of the shell's own syntax.
func (a *analysis) quotingOf(p *Slot, stack []syntax.Node) {
	leaf := stack[len(stack)-1]
	switch leaf := leaf.(type) {
	case *syntax.Comment:
		p.Quoting = InComment
		return
	case *syntax.SglQuoted:
		p.Quoting = SingleQuoted
		if leaf.Dollar {
			p.Quoting = DollarQuoted
		}
	case *syntax.Lit:
		a.quotingOfLiteral(p, stack)
	}
	a.neighbours(p)
}

func (a *analysis) quotingOfLiteral(p *Slot, stack []syntax.Node) {
	switch parent := stack[len(stack)-2].(type) {
	case *syntax.DblQuoted:
		p.Quoting = DoubleQuoted
		if parent.Dollar {
			p.refuse(`$"…" is translated by the locale`, `write "…"`)
		}
	case *syntax.Word:
		if len(stack) < 3 {
			return
		}
		if r, ok := stack[len(stack)-3].(*syntax.Redirect); ok && r.Hdoc == parent {
			p.Quoting, p.Heredoc = InHeredoc, r
			if bashsyntax.IsQuotedMarker(r.Word) {
				p.Quoting = InQuotedHeredoc
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
var openEscape = lazyregexp.New(`(^|[^\\])(\\\\)*\\(x[0-9A-Fa-f]?|u[0-9A-Fa-f]{0,3}|U[0-9A-Fa-f]{0,7}|[0-7]{1,2})$`)

// neighbours looks at the bytes in front of a place that would take the first byte of what comes to stand
// there for themselves.
func (a *analysis) neighbours(p *Slot) {
	before := a.Text()[:p.From]
	backslashes := len(before) - len(strings.TrimRight(before, `\`))
	switch {
	case p.Quoting == SingleQuoted || p.Quoting == InQuotedHeredoc:
	case backslashes%2 == 1:
		p.refuse("there is a backslash right in front of the tag", "take the backslash away")
	case p.Quoting == DollarQuoted && strings.HasSuffix(before, `\c`):
		p.refuse(`\c right in front of the tag takes the first character of the value`, `take \c away`)
	case p.Quoting == DollarQuoted && openEscape.MatchString(before):
		p.refuse("the escape right in front of the tag could go on in the value",
			"write the escape with all its digits")
	case p.Quoting == Unquoted && strings.HasSuffix(before, "$"):
		p.refuse("there is a $ right in front of the tag", `write '$' in quotes, or take it away`)
	}
}
