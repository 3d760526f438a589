package shellscan

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/a2a-acp/a2a-acp/internal/shellwords"
)

// wordOf resolves the quoting of a word. It is stricter than shellwords.Static where a misread word would
// hide a command.
func wordOf(w *syntax.Word) shellwords.Word {
	word := shellwords.Static(w)
	if !word.Fixed {
		word.Pattern, word.Printed, word.Pipe, word.PrintedMany = patternOf(w), printed(w), pipe(w), printedMany(w)
	}
	switch {
	case braced(w):
		return shellwords.Word{Splits: true}
	case word.Fixed && (!plain(word.Text) || locale(w)):
		return shellwords.Word{}
	case word.Splits && number(w):
		word.Splits = false
	}
	return word
}

func wordsOf(words []*syntax.Word) []shellwords.Word {
	all := make([]shellwords.Word, len(words))
	for i, w := range words {
		all[i] = wordOf(w)
	}
	return all
}

// braced reports whether bash could take the word for a brace expression: an unquoted { and later a comma
// or .. and later a }. Which of the braces belong together does not matter here, as in {a,b{c}}.
func braced(w *syntax.Word) bool {
	open, comma := false, false
	for _, part := range w.Parts {
		l, ok := part.(*syntax.Lit)
		if !ok {
			continue
		}
		for i := 0; i < len(l.Value); i++ {
			switch c := l.Value[i]; {
			case c == '\\':
				i++
			case c == '{':
				open = true
			case open && (c == ',' || c == '.' && strings.HasPrefix(l.Value[i:], "..")):
				comma = true
			case c == '}' && comma:
				return true
			}
		}
	}
	return false
}

// literal looks at a piece of plain text. In ${x:-<(cmd)}, in patterns and elsewhere bash finds process
// substitutions where the parser sees characters.
func (t *text) literal(l *syntax.Lit) {
	if !strings.Contains(l.Value, "<(") && !strings.Contains(l.Value, ">(") {
		return
	}
	if t.inQuotes() && !t.quotedExpansion() {
		return
	}
	t.problem(t.line(l), "bash may take <( or >( here for a substitution, and run what is in it")
}

// locale reports whether the locale decides what a word means: \u in $'…' is a character in one and six
// characters in another.
func locale(w *syntax.Word) bool {
	for _, part := range w.Parts {
		if q, ok := part.(*syntax.SglQuoted); ok && q.Dollar &&
			(strings.Contains(q.Value, `\u`) || strings.Contains(q.Value, `\U`)) {
			return true
		}
	}
	return false
}

// number reports whether a word is always a number, and so never splits into anything but numbers: $#, $?,
// $$, $!, ${#x}.
func number(w *syntax.Word) bool {
	if len(w.Parts) != 1 {
		return false
	}
	part := w.Parts[0]
	if quoted, ok := part.(*syntax.DblQuoted); ok && len(quoted.Parts) == 1 {
		part = quoted.Parts[0]
	}
	p, ok := part.(*syntax.ParamExp)
	if !ok || p.Param == nil || p.Excl || p.Slice != nil || p.Repl != nil || p.Exp != nil || p.Names != 0 ||
		p.Index != nil && !p.Length {
		return false
	}
	switch p.Param.Value {
	case "#", "?", "$", "!":
		return p.Index == nil
	}
	return p.Length
}

// decimal reports whether a text is a number that bash reads as it stands.
func decimal(text string) bool {
	return text != "" && len(text) < 19 && strings.Trim(text, "0123456789") == ""
}

// identifier reports whether a text is the name of a variable.
func identifier(text string) bool { return syntax.ValidName(text) }

// unquotedBracket reports whether a [ stands unquoted in a word other than [ itself. Bash may take such a
// word in front of a command for an assignment to an element, a[1 2]=x, where the parser sees a command.
func unquotedBracket(w *syntax.Word) bool {
	for _, part := range w.Parts {
		if l, ok := part.(*syntax.Lit); ok && strings.Contains(l.Value, "[") {
			return w.Lit() != "["
		}
	}
	return false
}
