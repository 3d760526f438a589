package shellscan

import (
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/a2a-acp/a2a-acp/internal/shellwords"
)

// node looks at one node of the syntax tree. The walk is syntax.Walk's, so that no command can hide in a
// kind of node that nobody thought of, and a kind that is not listed here is a Problem.
func (t *text) node(n syntax.Node) bool {
	if n == nil {
		t.path = t.path[:len(t.path)-1]
		return true
	}
	if t.stopped {
		return false
	}
	if len(t.path) >= maxNodes {
		t.stop(max(t.outer, 1), "its commands stand too deep inside each other")
		return false
	}
	if loop, ok := n.(*syntax.ForClause); ok && t.unroll(loop) {
		return false
	}
	if pipe, ok := n.(*syntax.BinaryCmd); ok && t.readsNames(pipe) {
		return false
	}
	t.look(n)
	t.path = append(t.path, n)
	return true
}

func (t *text) look(n syntax.Node) {
	switch n := n.(type) {
	case *syntax.BinaryCmd:
		t.pipeline(n)
	case *syntax.File, *syntax.Subshell, *syntax.Block, *syntax.IfClause, *syntax.WhileClause, *syntax.TimeClause,
		*syntax.CaseClause, *syntax.CaseItem, *syntax.ParenTest:
	case *syntax.TestClause:
		t.oneLine(n)
	case *syntax.Word:
		if !t.takenAsIs(n) {
			t.flagged(n.Parts)
		}
		t.subscripted(n.Parts)
		t.escapes(n)
	case *syntax.BinaryArithm, *syntax.UnaryArithm, *syntax.ParenArithm: // looked at from the outermost expression
	case *syntax.Stmt:
		if n.Coprocess || n.Disown {
			t.problem(t.line(n), "it is not bash")
		}
		t.redirected(n)
	case *syntax.CallExpr:
		t.call(n)
	case *syntax.FuncDecl:
		t.function(n)
	case *syntax.Lit:
		t.literal(n)
	case *syntax.Comment:
		if at := int(n.Pos().Offset()); !beginsWord(t.source, at) {
			t.problem(t.line(n), "a # inside a word is a comment to some and not to others")
		}
	case *syntax.ForClause:
	case *syntax.WordIter:
		t.variable(n.Name.Value, t.line(n))
		for _, item := range n.Items {
			t.givenMore(n.Name.Value, wordOf(item))
		}
	case *syntax.CoprocClause:
		t.problem(t.line(n), "it starts a coprocess, and where its name ends and its command begins is told in several ways")
	case *syntax.Assign:
		t.assignment(n)
	case *syntax.DeclClause:
		t.declaration(n)
	case *syntax.ArrayExpr:
		t.regions.add(n, regionCode)
	case *syntax.ArrayElem:
		t.subscript(n.Index)
	case *syntax.LetClause:
		for _, x := range n.Exprs {
			t.arithmetic(x)
		}
	case *syntax.ArithmCmd:
		t.regions.add(n, regionStrict)
		t.arithmetic(n.X)
		t.subshells(n)
	case *syntax.ArithmExp:
		t.regions.add(n, regionStrict)
		t.arithmetic(n.X)
	case *syntax.CStyleLoop:
		for _, x := range []syntax.ArithmExpr{n.Init, n.Cond, n.Post} {
			t.arithmetic(x)
		}
	case *syntax.BinaryTest:
		t.compares(n)
	case *syntax.UnaryTest:
		t.tests(n)
	case *syntax.Redirect:
		t.redirect(n)
	case *syntax.SglQuoted:
		t.singleQuoted(n)
	case *syntax.DblQuoted:
		t.doubleQuoted(n)
		t.flagged(n.Parts)
		t.subscripted(n.Parts)
	case *syntax.ParamExp:
		t.regions.add(n, regionStrict)
		t.expansion(n)
	case *syntax.CmdSubst:
		t.substitution(n)
	case *syntax.ProcSubst:
		t.regions.add(n, regionCode)
		if strings.HasPrefix(t.source[n.OpPos.Offset():], n.Op.String()+"(") {
			t.problem(t.line(n), "bash takes "+n.Op.String()+
				"( for arithmetic at first, in which comments and quotes hide nothing: put a blank between the two")
		}
		if n.Op != syntax.CmdIn && n.Op != syntax.CmdOut {
			t.problem(t.line(n), "it is not bash")
		}
	case *syntax.ExtGlob:
		t.problem(t.line(n), "it uses an extended glob, which bash reads in two ways")
	default:
		t.problem(max(t.outer, 1), fmt.Sprintf("it has syntax that is not known here (%T)", n))
	}
}

// parent returns the node around the one that is looked at; 1 is the nearest.
func (t *text) parent(n int) syntax.Node {
	if n > len(t.path) {
		return nil
	}
	return t.path[len(t.path)-n]
}

// call reads a simple command.
func (t *text) call(n *syntax.CallExpr) {
	if len(n.Args) == 0 {
		return // assignments only
	}
	line := t.line(n)
	words := wordsOf(n.Args)
	for i, arg := range n.Args {
		if looped, ok := t.looped[arg]; ok {
			words[i] = looped
		} else if printed, ok := t.printed[arg]; ok {
			words[i] = printed
		} else if text, ok := printedText(arg); ok && len(t.functions) == 0 && !strings.Contains(t.source, "\r") {
			words[i] = shellwords.Word{Text: text, Fixed: true}
		}
	}
	first := n.Args[0]
	if lit := first.Lit(); keyword(lit) {
		t.problem(line, fmt.Sprintf("%s stands where bash may read it as its own word", lit))
	}
	if unquotedBracket(first) {
		t.problem(line, "the command's name holds a [, so that bash may take it for an assignment")
	}
	if _, timed := t.parent(2).(*syntax.TimeClause); timed && words[0].Text != "" && words[0].Text[0] == '-' {
		t.problem(line, "time is given an option, and what it runs cannot be told")
	}
	for _, arg := range n.Args {
		t.equals(arg, line)
	}
	t.timesAssignment(n)
	t.setsOwnCode(n, words)
	t.fed = t.feeds[n]
	end := t.namesInWords(n.Args, words, line)
	before := len(t.Commands)
	t.command(words, nil, line)
	end()
	t.fed = nil
	if stmt, ok := t.parent(1).(*syntax.Stmt); ok && len(t.Commands) > before {
		t.Commands[before].Redirections = t.redirections(stmt)
	}
}
