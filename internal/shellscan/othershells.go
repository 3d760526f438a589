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
//	true || [[ a && cmd ]]  … and here, since there || and && are one list, read from the left
//	[[⏎cmd ]]               … and at the end of the line [[ ends
//	((a/b))                 sh runs a/b in a subshell of a subshell
//	time A=b/c ls           sh starts a program time, which runs the file A=b/c
//	echo x >! file          zsh writes file, and others a file whose name is !
//	cat =ls                 zsh reads the program ls
//	echo "$?[PATH=1]"       zsh evaluates what stands in [ ], and goes on with another PATH
//	[[ -t PATH=1 ]]         … and here, too
//	echo "$?:F:PATH=1:h"    … and here: the modifier F takes a number
//	cat $'\.\./f'           zsh reads ../f, and bash a file below a directory \.\.
//	cat $=HOME/f $=/etc/f   zsh takes $= for an expansion, and reads f of the home directory, and /etc/f
//	cat \x2e\x2e/f          fish reads ../f
//
// What it does to single quotes with \\ in them is not told here: see pkg/permissions. Variables that only
// zsh knows stand in commands.yaml.

// endsElsewhere looks for the quotes whose end is told in several ways.
func (t *text) endsElsewhere(q *syntax.SglQuoted) {
	backslashes := len(q.Value) - len(strings.TrimRight(q.Value, `\`))
	switch {
	case t.named:
	case q.Dollar && strings.Contains(q.Value, `\'`):
		t.problem(t.line(q), `$'…' holds a \', at which sh ends the quotes and bash does not`)
	case q.Dollar && unknownEscape(q.Value):
		t.problem(t.line(q), `$'…' holds a backslash that bash keeps, and zsh may not`)
	case !q.Dollar && backslashes%2 == 1:
		t.problem(t.line(q), `single quotes end in a \, at which fish goes on with them and bash does not`)
	}
}

// unknownEscape reports whether a text in $'…' holds a backslash that is none of the escapes that bash and
// zsh share (bash(1), QUOTING; zshmisc(1), QUOTING).
func unknownEscape(text string) bool {
	for i := 0; i+1 < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		if i++; strings.IndexByte(`abeEfnrtvxuU01234567\'"`, text[i]) < 0 {
			return true
		}
	}
	return false
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
	case syntax.AndTest: // ! [[ a && cmd ]], too
		if startsWithWord(b.Y) {
			t.problem(t.line(b), "to a plain sh [[ is a command that is not there, and what stands behind && one to run by itself")
		}
	case syntax.OrTest:
		if startsWithWord(b.Y) {
			t.problem(t.line(b), "to a plain sh [[ is a command that is not there, and what stands behind || the one to run then")
		}
	case syntax.TsReMatch:
		if w, ok := b.Y.(*syntax.Word); ok && pipes(w) {
			t.problem(t.line(b),
				"to a plain sh [[ is a command like others, and the | of the expression a pipe to the next: put it in brackets")
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

// oneLine wants a test in [[ ]] to end in its line: a shell that does not know it takes the next line for
// another command.
func (t *text) oneLine(c *syntax.TestClause) {
	if !t.named && strings.Contains(t.source[c.Pos().Offset():c.End().Offset()], "\n") {
		t.problem(t.line(c), "to a plain sh [[ is a command like others, and the next line another one")
	}
}

// subshells looks at (( )) as a shell does that does not know it.
func (t *text) subshells(c *syntax.ArithmCmd) {
	if !t.named {
		t.problem(t.line(c), "to a plain sh (( is two subshells, and what stands in it a command: use [ ]")
	}
}

// timesAssignment looks for an assignment behind time: a shell without that word takes it for the name of the
// program to run.
func (t *text) timesAssignment(n *syntax.CallExpr) {
	if _, timed := t.parent(2).(*syntax.TimeClause); timed && len(n.Assigns) > 0 && !t.named {
		t.problem(t.line(n), "to a plain sh time is a program, and the assignment behind it the name of what to run")
	}
}

// equals looks for =NAME, which zsh replaces by the path of the program NAME (zshexpn(1), '=' EXPANSION).
func (t *text) equals(w *syntax.Word, line int) {
	l, ok := w.Parts[0].(*syntax.Lit)
	if ok && !t.named && strings.HasPrefix(l.Value, "=") && (len(w.Parts) > 1 || strings.Trim(l.Value, "=~") != "") {
		t.problem(line, "zsh replaces =NAME by the file of the program NAME: put it in quotes")
	}
}

// subscripted looks for a [ behind a variable without braces, and for a : with a letter: to zsh they begin a
// subscript, or a modifier, and it evaluates what is in them (zshparam(1), Array Subscripts; zshexpn(1),
// MODIFIERS). Behind $# it is that of the variable whose length is meant: $#a[1].
func (t *text) subscripted(parts []syntax.WordPart) {
	for i, part := range parts[:max(0, len(parts)-1)] {
		p, ok := part.(*syntax.ParamExp)
		l, text := parts[i+1].(*syntax.Lit)
		if !ok || !text || !p.Short || p.Param == nil || t.named {
			continue
		}
		value := l.Value
		if p.Param.Value == "#" {
			value = strings.TrimLeft(strings.TrimLeft(value, "?#!@*-"), letters)
		}
		if strings.HasPrefix(value, "[") ||
			len(value) > 1 && value[0] == ':' && strings.IndexByte(letters, value[1]) >= 0 {
			t.problem(t.line(p), "to zsh the "+value[:1]+
				" behind a variable begins a subscript or a modifier, which it evaluates: use ${…}")
		}
	}
}

// flagged looks for $=, $~, $^ and $+, with which zsh begins an expansion, be there a name or not
// (zshexpn(1), PARAMETER EXPANSION). At the end of a word they stand for themselves.
func (t *text) flagged(parts []syntax.WordPart) {
	var b strings.Builder // the parser makes a part of its own of a $
	for _, part := range parts {
		if l, ok := part.(*syntax.Lit); ok {
			b.WriteString(l.Value)
		} else {
			b.WriteString(`\.`) // what is no text
		}
	}
	text := b.String()
	for at := 0; at+2 < len(text) && !t.named; at++ {
		switch {
		case text[at] == '\\':
			at++
		case text[at] == '$' && strings.IndexByte("=~^+", text[at+1]) >= 0:
			t.problem(t.line(parts[0]), "to zsh "+text[at:at+2]+" begins the value of a variable: put it in single quotes")
		}
	}
}

// takenAsIs reports whether a word is a here-document in which nothing is expanded.
func (t *text) takenAsIs(w *syntax.Word) bool {
	r, ok := t.parent(1).(*syntax.Redirect)
	return ok && r.Hdoc == w && (r.Word.Lit() == "" || strings.HasPrefix(r.Word.Lit(), `\`))
}

// letters are those of a variable's name.
const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

// escapes looks for a backslash outside of quotes that fish reads as more than the character behind it
// (https://fishshell.com/docs/current/language.html#escaping-characters).
func (t *text) escapes(w *syntax.Word) {
	if r, ok := t.parent(1).(*syntax.Redirect); ok && r.Hdoc == w || t.named {
		return
	}
	for _, part := range w.Parts {
		l, ok := part.(*syntax.Lit)
		for i := 0; ok && i+1 < len(l.Value); i++ {
			if l.Value[i] != '\\' {
				continue
			}
			if i++; strings.IndexByte("abcefnrtuvxUX01234567", l.Value[i]) >= 0 {
				t.problem(t.line(w), "fish reads a \\"+l.Value[i:i+1]+" outside of quotes as another character: put it in quotes")
			}
		}
	}
}
