package shellscan

import (
	"cmp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Bash finds the ends of quotes, substitutions and here-documents in several passes over the text; the
// parser does it in one. They agree on what people write. Where they are known to disagree, somebody can
// write a command that only bash sees, and each of these was found by running bash:
//
//	"$\⏎(cmd)"                bash removes the ⏎ first and sees $(cmd), also in double quotes
//	<<E … x \⏎E … E           the line that bash sees is "x E", so the here-document goes on
//	$(cat <<E)⏎cmd⏎E          the here-document ends with the substitution, and cmd runs
//	`x '` ; cmd #'`           quotes do not hide a backquote
//	"${x:-'$(cmd)'}"          a single quote in double quotes is a plain character
//	((a)||(b))                two subshells
//	<((a) #) ; cmd⏎)          the ) behind the # ends the substitution
//	# a \⏎cmd                 a comment ends with its line, whatever stands at its end
//	<<'E'# ; cmd              the marker is E#, and no comment begins
//	${x:-<(cmd)}              a process substitution, in words that the parser takes for text
//
// So a text that comes near these is a Problem.

// regionKind says what a backslash in front of a newline is in a region.
type regionKind int

const (
	regionCode regionKind = iota // words and operators: it joins two lines
	// Double quotes: it joins two lines, and what is joined can become a substitution.
	regionDouble
	regionStrict  // it must not be there
	regionLiteral // two characters like any other
)

// region is a part of the text in which the shell reads by other rules than around it.
type region struct {
	start, end int
	kind       regionKind
}

type regions struct {
	all       []region
	documents []document
}

// document is a here-document: at is its operator.
type document struct{ at, line int }

func (r *regions) add(n syntax.Node, kind regionKind) {
	r.all = append(r.all, region{int(n.Pos().Offset()), int(n.End().Offset()), kind})
}

// checkRegions looks for lines that are joined in the wrong place, and for here-documents whose beginning
// cannot be told.
func (t *text) checkRegions() {
	t.checkJoins()
	for _, d := range t.regions.documents {
		t.checkDocument(d)
	}
}

// checkJoins allows a backslash in front of a newline between words, and after a blank in double quotes. At
// the end of a comment it is none: bash goes on with a new line, the parser with the old one.
func (t *text) checkJoins() {
	if !strings.Contains(t.source, "\\\n") {
		return
	}
	begun := 0 // how many regions were entered
	slices.SortStableFunc(t.regions.all, func(a, b region) int { return cmp.Compare(a.start, b.start) })
	var around []region
	comment := false // a comment may have begun in this line
	for at := range len(t.source) - 1 {
		for begun < len(t.regions.all) && t.regions.all[begun].start <= at {
			around = append(around, t.regions.all[begun])
			begun++
		}
		for len(around) > 0 && around[len(around)-1].end <= at {
			around = around[:len(around)-1]
		}
		kind := regionCode
		if len(around) > 0 {
			kind = around[len(around)-1].kind
		}
		switch c := t.source[at]; {
		case c == '\n':
			comment = false
		case c == '#' && kind == regionCode && beginsWord(t.source, at):
			comment = true
		case c != '\\' || t.source[at+1] != '\n' || kind == regionLiteral:
		case comment:
			t.problem(t.lineOf(at), "a backslash stands at the end of a comment, where bash and others see different lines")
		case kind == regionStrict || !spaced(t.source[:at]):
			t.problem(t.lineOf(at), "two lines are joined inside a word, where bash and others see different words")
		}
	}
}

// beginsWord reports whether what stands at an offset begins a word, as far as the byte in front of it tells.
func beginsWord(source string, at int) bool {
	return at == 0 || strings.IndexByte(" \t\n;&|()<>`", source[at-1]) >= 0
}

// spaced reports whether a text is empty or ends in a blank that no backslash makes part of a word.
func spaced(before string) bool {
	n := len(before)
	return n == 0 || strings.IndexByte(" \t\n", before[n-1]) >= 0 && !strings.HasSuffix(before[:n-1], `\`)
}

// lineOf returns the line to name for an offset.
func (t *text) lineOf(at int) int {
	if t.outer > 0 {
		return t.outer
	}
	return 1 + strings.Count(t.source[:at], "\n")
}

// checkDocument wants the here-document to begin on the line after its operator, in the substitution that
// the operator stands in.
func (t *text) checkDocument(d document) {
	length := strings.IndexByte(t.source[d.at:], '\n')
	end := d.at + length
	if length < 0 || t.source[end-1] == '\\' {
		t.problem(d.line, "where a here-document begins cannot be told")
		return
	}
	for _, r := range t.regions.all {
		opens := r.start > d.at && r.start < end && r.end > end
		closes := r.start < d.at && r.end > d.at && r.end <= end
		if opens || closes || r.kind == regionStrict && r.start < d.at && r.end > d.at {
			t.problem(d.line, "where a here-document begins cannot be told")
			return
		}
	}
}

// singleQuoted looks at '…' and $'…'.
func (t *text) singleQuoted(q *syntax.SglQuoted) {
	if q.Dollar {
		t.regions.add(q, regionStrict)
	} else {
		t.regions.add(q, regionLiteral)
	}
	t.endsElsewhere(q)
	if t.quotedExpansion() && strings.Trim(q.Value, harmlessInQuotes) != "" {
		t.problem(t.line(q), "single quotes stand in ${…} in double quotes, where bash may not take them for quotes")
	}
}

// harmlessInQuotes are the characters that mean the same whether the quotes around them are quotes or not.
const harmlessInQuotes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _./,:=%+@-"

// quotedExpansion reports whether the node that is looked at stands in ${…} in double quotes or in a
// here-document, with no substitution in between.
func (t *text) quotedExpansion() bool {
	expansion := false
	for i := len(t.path) - 1; i >= 0; i-- {
		switch n := t.path[i].(type) {
		case *syntax.ParamExp:
			expansion = true
		case *syntax.DblQuoted:
			return expansion
		case *syntax.Redirect:
			return expansion && n.Hdoc != nil && i+1 < len(t.path) && t.path[i+1] == syntax.Node(n.Hdoc)
		case *syntax.CmdSubst, *syntax.ProcSubst:
			return false
		}
	}
	return false
}

// inQuotes reports whether the node that is looked at is text of double quotes or of a here-document.
func (t *text) inQuotes() bool {
	for i := len(t.path) - 1; i >= 0; i-- {
		switch n := t.path[i].(type) {
		case *syntax.DblQuoted:
			return true
		case *syntax.Redirect:
			return n.Hdoc != nil && i+1 < len(t.path) && t.path[i+1] == syntax.Node(n.Hdoc)
		case *syntax.CmdSubst, *syntax.ProcSubst:
			return false
		}
	}
	return false
}

// doubleQuoted looks at "…" and $"…".
func (t *text) doubleQuoted(q *syntax.DblQuoted) {
	t.regions.add(q, regionDouble)
	if q.Dollar {
		t.problem(t.line(q), `$"…" is replaced by a translation that a file holds`)
	}
}

// substitution looks at $(…) and `…`. What runs in it is found by the walk.
func (t *text) substitution(s *syntax.CmdSubst) {
	switch {
	case s.TempFile || s.ReplyVar:
		t.regions.add(s, regionStrict)
		t.problem(t.line(s), "${ …; } runs commands in newer shells and is a mistake in others")
	case s.Backquotes:
		t.regions.add(s, regionStrict)
		inner := t.source[s.Left.Offset()+1 : s.Right.Offset()]
		if strings.ContainsAny(inner, "\\'\"`#") || strings.Contains(inner, "<<") {
			t.problem(t.line(s),
				"backquotes hold quotes, backslashes, comments or here-documents, which bash reads in a way of its own: use $(…)")
		}
	default:
		t.regions.add(s, regionCode)
	}
}
