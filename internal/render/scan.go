package render

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
)

// scan finds the tags of the source, as mustache(5) has them: a comment, a section's tag or a change of
// delimiters that has a line for itself takes the whole line with it.
func (p *parser) scan() {
	open, closing := "{{", "}}"
	at := 0
	for {
		i := strings.Index(p.source[at:], open)
		if i < 0 {
			p.refuseJinja(open, at, len(p.source))
			p.add(text{from: at, s: p.source[at:]})
			return
		}
		p.refuseJinja(open, at, at+i)
		from := at + i
		inner, end, ok := p.tagAt(from, open, closing)
		if !ok {
			return
		}
		source := p.source[from:end]
		if inner == "" {
			p.fail(from, source, "the tag is empty", delimiterHelp)
			p.add(text{from: at, s: p.source[at:from]})
			at = end
			continue
		}
		textEnd := from
		if strings.IndexByte("#^/!=", inner[0]) >= 0 {
			textEnd, end = standalone(p.source, at, from, end)
		}
		p.add(text{from: at, s: p.source[at:textEnd]})
		at = end
		switch inner[0] {
		case '!':
		case '=':
			var ok bool
			if open, closing, ok = changesDelimiters(inner); !ok {
				p.fail(from, source, "a change of delimiters names two of them", "write {{=<% %>=}}")
				return
			}
		default:
			p.accept(inner, source, from)
		}
	}
}

// refuseJinja refuses what is Jinja's in the text from at to end, as long as the delimiters are those that
// Jinja has too.
func (p *parser) refuseJinja(open string, at, end int) {
	if open != "{{" {
		return
	}
	if i, found, ok := findJinja(p.source[at:end]); ok {
		p.fail(at+i, found, jinjaMessage, jinjaFix(found, ""))
	}
}

// changesDelimiters reads =<% %>= and its like.
func changesDelimiters(inner string) (open, closing string, ok bool) {
	fields := strings.Fields(strings.Trim(inner, "="))
	if len(fields) != 2 || len(inner) < 2 || inner[0] != '=' || !strings.HasSuffix(inner, "=") ||
		strings.Contains(fields[0]+fields[1], "=") {
		return "", "", false
	}
	return fields[0], fields[1], true
}

// begunName is what a tag that is never closed was probably about.
var begunName = lazyregexp.New(`^[#^/]?[A-Za-z_][A-Za-z0-9_-]*`)

// tagAt reads the tag that begins at from. It gives what stands between the delimiters and where the tag
// ends.
func (p *parser) tagAt(from int, open, closing string) (inner string, end int, ok bool) {
	start := from + len(open)
	if open == "{{" && strings.HasPrefix(p.source[start:], "{") {
		closing = "}" + closing
	}
	n := strings.Index(p.source[start:], closing)
	if n < 0 {
		fix := delimiterHelp
		if name := begunName.FindString(p.source[start:]); name != "" {
			fix = "write " + open + name + closing + "; " + fix
		}
		p.fail(from, firstLine(p.source[from:]), "the tag is never closed", fix)
		return "", 0, false
	}
	return strings.TrimSpace(p.source[start : start+n]), start + n + len(closing), true
}

// standalone returns the end of the text before a tag and the beginning of the text after it, when the tag
// has a line for itself. The line may not begin before at, where the last tag ended.
func standalone(source string, at, from, end int) (textEnd, next int) {
	line := strings.LastIndexByte(source[:from], '\n') + 1
	if line < at || strings.Trim(source[line:from], " \t") != "" {
		return from, end
	}
	rest := end
	for rest < len(source) && (source[rest] == ' ' || source[rest] == '\t') {
		rest++
	}
	switch {
	case rest == len(source):
		return line, rest
	case source[rest] == '\n':
		return line, rest + 1
	}
	return from, end
}

// position tells line and column of an offset, both from 1; the column in characters.
func position(source string, offset int) (line, column int) {
	offset = min(max(offset, 0), len(source))
	start := strings.LastIndexByte(source[:offset], '\n') + 1
	return strings.Count(source[:start], "\n") + 1, utf8.RuneCountInString(source[start:offset]) + 1
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	if len(line) > 40 {
		line = line[:40] + "…"
	}
	return line
}

func itoa(n int) string { return strconv.Itoa(n) }
