package shellwords

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Word is one word of a command, as far as the script fixes it.
type Word struct {
	// Text is what bash hands on, quoting resolved, when the word is Fixed; else the fixed text that it
	// begins with.
	Text string
	// Fixed is false when the word depends on a variable, a substitution, a pattern or the home directory.
	Fixed bool
	// Pattern, Printed, PrintedMany, Pipe and Found are shellscan's to fill: see its Word.
	Pattern                           string
	Printed, PrintedMany, Pipe, Found bool
	// Splits tells that a word that is not fixed may become any number of words: unquoted $x, "$@", *.txt,
	// {a,b}.
	Splits bool
}

// Static resolves the quoting of a word of the syntax tree.
func Static(w *syntax.Word) Word {
	if w == nil {
		return Word{Fixed: true}
	}
	s := resolver{fixed: true}
	if s.expands(w) {
		s.cut(true)
	}
	for i, part := range w.Parts {
		s.part(part, i == 0)
	}
	return Word{Text: s.text.String(), Fixed: s.fixed, Splits: s.splits}
}

// StaticAll is Static for all words of a command.
func StaticAll(words []*syntax.Word) []Word {
	all := make([]Word, len(words))
	for i, w := range words {
		all[i] = Static(w)
	}
	return all
}

// Fixed makes words from texts, for a command that no shell has to split.
func Fixed(texts ...string) []Word {
	words := make([]Word, len(texts))
	for i, text := range texts {
		words[i] = Word{Text: text, Fixed: true}
	}
	return words
}

// Base is the name of a program without its directory.
func Base(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

// resolver collects the text of a word up to the first thing that is not fixed.
type resolver struct {
	text   strings.Builder
	fixed  bool
	splits bool
}

func (s *resolver) write(text string) {
	if s.fixed {
		s.text.WriteString(text)
	}
}

func (s *resolver) cut(splits bool) {
	s.fixed = false
	s.splits = s.splits || splits
}

func (s *resolver) part(part syntax.WordPart, first bool) {
	switch t := part.(type) {
	case *syntax.Lit:
		if tilde(t.Value, first) {
			s.cut(false)
		}
		s.write(Unescape(t.Value))
	case *syntax.SglQuoted:
		if !t.Dollar {
			s.write(t.Value)
			return
		}
		text, ok := decodeANSI(t.Value)
		if !ok {
			s.cut(false)
		}
		s.write(text)
	case *syntax.DblQuoted:
		if t.Dollar {
			s.cut(false) // $"…" is translated
		}
		for _, inner := range t.Parts {
			if l, ok := inner.(*syntax.Lit); ok {
				s.write(UnescapeQuoted(l.Value))
				continue
			}
			p, ok := inner.(*syntax.ParamExp)
			s.cut(ok && many(p))
		}
	case *syntax.ParamExp, *syntax.CmdSubst:
		s.cut(true)
	case *syntax.ProcSubst:
		s.write("/dev/fd/")
		s.cut(false)
	case *syntax.ArithmExp:
		s.cut(false)
	default: // extended globs, brace expressions
		s.cut(true)
	}
}

// expands reports whether bash takes the word for a pattern or a brace expression. The characters may be
// spread over several parts, as in {a,"b c"}, so the word is seen as a whole. Such a word has no fixed
// beginning: {-x,y} begins with what stands in the braces.
func (s *resolver) expands(w *syntax.Word) bool {
	var open, bracket bool // an unquoted { or [ came before
	var comma bool         // and a comma or .. after the {
	for _, part := range w.Parts {
		l, ok := part.(*syntax.Lit)
		if !ok {
			continue
		}
		for i := 0; i < len(l.Value); i++ {
			switch c := l.Value[i]; {
			case c == '\\':
				i++
			case c == '*' || c == '?':
				return true
			case c == '[':
				bracket = true
			case c == ']' && bracket:
				return true
			case c == '{':
				open, comma = true, false
			case open && (c == ',' || c == '.' && strings.HasPrefix(l.Value[i:], "..")):
				comma = true
			case c == '}' && comma:
				return true
			}
		}
	}
	return false
}

// tilde reports whether bash replaces a tilde of an unquoted text: at the start of a word, and after = or :
// where the word looks like an assignment.
func tilde(lit string, first bool) bool {
	for i := 0; i < len(lit); i++ {
		switch lit[i] {
		case '\\':
			i++
		case '~':
			if i == 0 && first || i > 0 && (lit[i-1] == '=' || lit[i-1] == ':') {
				return true
			}
		}
	}
	return false
}

// many reports whether an expansion in double quotes can become more than one word: "$@", "${a[@]}",
// "${!a@}".
func many(p *syntax.ParamExp) bool {
	if p.Param != nil && p.Param.Value == "@" || p.Names != 0 {
		return true
	}
	w, ok := p.Index.(*syntax.Word)
	return ok && w.Lit() == "@"
}

// Unescape resolves the backslashes of unquoted text: each stands for the character after it.
func Unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			if i++; s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// UnescapeQuoted resolves the backslashes of text in double quotes, where they mean something only before $
// ` " \ and a newline (bash(1), QUOTING).
func UnescapeQuoted(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			switch s[i+1] {
			case '\n':
				i++
				continue
			case '$', '`', '"', '\\':
				i++
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
