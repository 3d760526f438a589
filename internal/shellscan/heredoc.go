package shellscan

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/a2a-acp/a2a-acp/internal/command"
)

// printedText returns the text that a word is which holds a command that prints a fixed text, and nothing else, as agents
// give a message of several lines: "$(cat <<'EOF' … EOF)". A delimiter in quotes has nothing expanded in the text.
func printedText(w *syntax.Word) (text string, ok bool) {
	if len(w.Parts) != 1 {
		return "", false
	}
	quoted, ok := w.Parts[0].(*syntax.DblQuoted)
	if !ok || quoted.Dollar || len(quoted.Parts) != 1 {
		return "", false
	}
	subst, ok := quoted.Parts[0].(*syntax.CmdSubst)
	if !ok || subst.Backquotes || subst.TempFile || subst.ReplyVar || len(subst.Stmts) != 1 {
		return "", false
	}
	stmt := subst.Stmts[0]
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok || stmt.Negated || stmt.Background || stmt.Coprocess || stmt.Disown || len(stmt.Redirs) != 1 ||
		len(call.Assigns) > 0 || len(call.Args) != 1 || !command.In(command.PassingOn, call.Args[0].Lit()) {
		return "", false
	}
	read := stmt.Redirs[0]
	if read.Op != syntax.Hdoc || read.N != nil || read.Word == nil || len(read.Word.Parts) != 1 || read.Hdoc == nil ||
		len(read.Hdoc.Parts) > 1 {
		return "", false
	}
	if delimiter, ok := read.Word.Parts[0].(*syntax.SglQuoted); !ok || delimiter.Dollar {
		return "", false
	}
	for _, part := range read.Hdoc.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			return "", false
		}
		text = lit.Value
	}
	text = strings.TrimRight(text, "\n")
	return text, plain(text)
}
