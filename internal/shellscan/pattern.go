package shellscan

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/a2a-acp/a2a-acp/internal/shellwords"
)

// patternOf returns a word that bash replaces by the names of files, as Word.Pattern has it. Brackets are
// left out, since what [a-z] stands for depends on the locale, and so is **, which an option of the shell
// makes stand for more.
func patternOf(w *syntax.Word) string {
	var b strings.Builder
	for _, part := range w.Parts {
		if l, ok := part.(*syntax.Lit); ok {
			if strings.ContainsAny(l.Value, "[{~") {
				return ""
			}
			b.WriteString(l.Value)
			continue
		}
		text := shellwords.Static(&syntax.Word{Parts: []syntax.WordPart{part}})
		if !text.Fixed {
			return ""
		}
		b.WriteString(strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(text.Text))
	}
	pattern := b.String()
	if !strings.ContainsAny(pattern, "*?") || strings.Contains(pattern, "**") || !plain(pattern) || locale(w) {
		return ""
	}
	return pattern
}

// printed reports whether nothing of a word is unknown but numbers like $? and, in double quotes, what
// commands of the text print, and what everybody may see: Word.Printed.
func printed(w *syntax.Word) bool {
	some := false
	for _, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.ParamExp:
			if !counts(p) {
				return false
			}
			some = true
		case *syntax.DblQuoted:
			if p.Dollar {
				return false
			}
			for _, inner := range p.Parts {
				switch x := inner.(type) {
				case *syntax.Lit:
				case *syntax.CmdSubst:
				case *syntax.ParamExp:
					if !counts(x) && !shows(x) {
						return false
					}
				default:
					return false
				}
			}
			some = some || !shellwords.Static(&syntax.Word{Parts: []syntax.WordPart{part}}).Fixed
		case *syntax.SglQuoted:
		case *syntax.Lit:
			if strings.ContainsAny(p.Value, "*?[{~") {
				return false
			}
		default:
			return false
		}
	}
	return some && !locale(w)
}

// counts reports whether an expansion is $?, $#, $$ or $!: a number that tells nothing.
func counts(p *syntax.ParamExp) bool {
	return number(&syntax.Word{Parts: []syntax.WordPart{p}}) && !p.Length && strings.Contains("?#$!", p.Param.Value)
}

// pipe reports whether a word is a process substitution that is read, and nothing else: Word.Pipe.
func pipe(w *syntax.Word) bool {
	if len(w.Parts) != 1 {
		return false
	}
	p, ok := w.Parts[0].(*syntax.ProcSubst)
	return ok && p.Op == syntax.CmdIn && len(p.Stmts) > 0 // of <() bash makes no word at all
}
