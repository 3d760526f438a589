package shellscan

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A terminal's text is run by bash, since we start it. What an agent asks about it runs itself, with the
// shell that it found: zsh on a Mac, or sh, which is dash on Debian; and nobody tells us. So a text that
// one of these reads as another command is a Problem, unless the text itself names the shell (bash -c).
// Each was found by running the shell:
//
//	$'\' ; cmd #'           sh knows no $'…', so the quotes end at the \
//	'\' '; cmd #'           fish goes on at a \'
//	[[ a > file ]]          sh looks for a command [[, with a redirection
//	[[ a || cmd ]]          … and then runs cmd
//	[[ a =~ b|cmd ]]        … and here, too
//	echo x >! file          zsh writes file, and others a file whose name is !
//
// Variables that only zsh knows stand in variables.go.

// endsElsewhere looks for the quotes whose end is told in several ways.
func (t *text) endsElsewhere(q *syntax.SglQuoted) {
	backslashes := len(q.Value) - len(strings.TrimRight(q.Value, `\`))
	switch {
	case t.named:
	case q.Dollar && strings.Contains(q.Value, `\'`):
		t.problem(t.line(q), `$'…' holds a \', at which sh ends the quotes and bash does not`)
	case !q.Dollar && backslashes%2 == 1:
		t.problem(t.line(q), `single quotes end in a \, at which fish goes on with them and bash does not`)
	}
}

// overwrites looks for >! of zsh.
func (t *text) overwrites(w *syntax.Word, line int) {
	if l, ok := w.Parts[0].(*syntax.Lit); ok && strings.HasPrefix(l.Value, "!") && !t.named {
		t.problem(line, "zsh takes >! for another redirection, and writes the file whose name comes after it")
	}
}

// noBrackets looks at [[ ]] as a shell does that does not know it.
func (t *text) noBrackets(b *syntax.BinaryTest) {
	if t.named {
		return
	}
	switch b.Op {
	case syntax.TsBefore, syntax.TsAfter:
		t.problem(t.line(b), "to a plain sh [[ is a command like others, and its < or > opens a file")
	case syntax.OrTest:
		if startsWithWord(b.Y) {
			t.problem(t.line(b), "to a plain sh [[ is a command that is not there, and what stands behind || the one to run then")
		}
	case syntax.TsReMatch:
		if w, ok := b.Y.(*syntax.Word); ok && pipes(w) {
			t.problem(t.line(b), "to a plain sh [[ is a command like others, and the | of the expression a pipe to the next: put it in brackets")
		}
	}
}

// startsWithWord reports whether an expression of [[ ]] begins with a word that could be a command's name.
// -f could be one, too, but no program is called so.
func startsWithWord(x syntax.TestExpr) bool {
	switch x := x.(type) {
	case *syntax.BinaryTest:
		return startsWithWord(x.X)
	case *syntax.ParenTest:
		return startsWithWord(x.X)
	case *syntax.UnaryTest:
		return x.Op == syntax.TsNot && startsWithWord(x.X)
	}
	return true
}

// pipes reports whether a regular expression holds operators of the shell, with nothing that keeps them
// from being them. With brackets a shell without [[ takes the whole line for a mistake, and runs nothing of
// it.
func pipes(w *syntax.Word) bool {
	operators := false
	for _, part := range w.Parts {
		if l, ok := part.(*syntax.Lit); ok {
			if strings.Contains(l.Value, "(") {
				return false
			}
			operators = operators || strings.ContainsAny(l.Value, "|&;<>")
		}
	}
	return operators
}
