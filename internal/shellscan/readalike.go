package shellscan

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
)

// An agent that runs a text itself runs it with a shell of its own, and othershells.go cannot list all that
// one of them reads otherwise: of these nobody had thought before somebody ran the shells.
//
//	cat 10<a          dash and zsh know descriptors of one digit, and read the file 10
//	cat {fd}<a        dash and fish know no {fd}, and read the file {fd}
//	cat $'a'          dash reads the file $a
//	cat <1-9>/b       zsh reads the file b of every directory whose name is such a number
//
// So what all of them read alike is listed here, and everything else is Unlike. The list was held against
// bash 5.2, dash 0.5.12, zsh 5.9, fish 3.6, ksh 93u+m, mksh 59, yash 2.52 and busybox 1.35; what one of them
// takes for a mistake of the whole text is alike, since then it runs nothing.

// alike looks for the first part of the text that some shell may read as another command.
func (t *text) alike(file *syntax.File) {
	if t.named {
		return
	}
	var program syntax.Node // the quotes around a program's name: no file, and nowhere is a program called $ls
	syntax.Walk(file, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 && !strings.Contains(wordOf(call.Args[0]).Text, "/") {
			program = call.Args[0].Parts[0]
		}
		if n != nil && n != program && t.Unlike == "" && !t.readAlike(n) {
			t.Unlike = t.excerpt(n)
		}
		return t.Unlike == ""
	})
}

// excerpt returns the beginning of what stands at a node.
func (t *text) excerpt(n syntax.Node) string {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	line, _, _ := strings.Cut(t.source[min(from, len(t.source)):min(max(from, to), len(t.source))], "\n")
	if characters := []rune(line); len(characters) > 40 {
		return string(characters[:40]) + "…"
	}
	return line
}

// readAlike reports whether every shell reads a node, apart from those in it, as bash does.
func (t *text) readAlike(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.File, *syntax.Stmt, *syntax.Word, *syntax.Lit, *syntax.CallExpr, *syntax.Comment, *syntax.Block, *syntax.Subshell,
		*syntax.IfClause, *syntax.WhileClause, *syntax.CaseClause, *syntax.WordIter, *syntax.TimeClause,
		*syntax.TestClause, *syntax.UnaryTest, *syntax.BinaryTest, *syntax.ParenTest: // of these, see othershells.go, too
		return true
	case *syntax.BinaryCmd:
		return n.Op == syntax.AndStmt || n.Op == syntax.OrStmt || n.Op == syntax.Pipe
	case *syntax.ForClause:
		return !n.Select && !n.Braces
	case *syntax.CaseItem:
		return n.Op == syntax.Break
	case *syntax.Redirect:
		return t.redirectsAlike(n)
	case *syntax.SglQuoted:
		return !n.Dollar
	case *syntax.DblQuoted:
		return !n.Dollar
	case *syntax.ParamExp:
		return n.Exp == nil && n.Repl == nil && n.Slice == nil && n.Index == nil && !n.Length && !n.Excl && n.Names == 0
	case *syntax.CmdSubst:
		return strings.HasPrefix(t.source[n.Left.Offset():], "$(")
	case *syntax.ProcSubst:
		return n.Op == syntax.CmdIn
	case *syntax.Assign:
		return n.Array == nil && n.Index == nil && !n.Append
	case *syntax.DeclClause:
		return n.Variant.Value == "export"
	}
	return false
}

// numbers is what zsh takes for the pattern of a number in a name, where others see two redirections
// (zshexpn(1), Glob Operators).
var numbers = lazyregexp.New(`\A<[0-9]*-[0-9]*>`)

// redirectsAlike is readAlike for a redirection: one of descriptors that are one digit.
func (t *text) redirectsAlike(r *syntax.Redirect) bool {
	if r.N != nil && (len(r.N.Value) != 1 || r.N.Value[0] < '0' || r.N.Value[0] > '9') {
		return false
	}
	switch r.Op {
	case syntax.RdrOut, syntax.AppOut, syntax.RdrAll, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		return true
	case syntax.RdrIn:
		return !numbers.MatchString(t.source[r.OpPos.Offset():])
	case syntax.DplIn, syntax.DplOut:
		target := r.Word.Lit()
		return target == "-" || len(target) == 1 && target[0] >= '0' && target[0] <= '9'
	}
	return false
}

// plainText is a text of words and operators that shells read alike which are no kin of bash's: csh takes a
// 2> for a word, and a ! for what was typed before, in quotes, too; nu runs what stands in \(…\) and $'…',
// and takes ... for two directories up; rc knows no double quotes.
var plainText = lazyregexp.New(`\A[ \t]*` + plainWord + `(([ \t]*(\||&&|\|\||;)[ \t]*|[ \t]+)` + plainWord + `)*[ \t]*\z`)

const plainWord = `([A-Za-z0-9_./+-][A-Za-z0-9_./+:=@%-]*|'[^'!\\\x00-\x1f]*')`

// isPlain reports whether a text is such.
func isPlain(source string) bool {
	return plainText.MatchString(source) && !strings.Contains(source, "...")
}
