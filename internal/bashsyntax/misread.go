package bashsyntax

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Where mvdan.cc/sh and bash are known to read a text differently, an untrusted value could come to stand
// where only bash sees it. internal/shellscan compares the two with random scripts, and found these.

// misread says where the parser and bash do not agree on where a comment or a substitution begins or ends;
// nil when they do.
func misread(text string, file *syntax.File) error {
	// The parser skips these, and then sees a joined line in \␍⏎.
	if at := strings.IndexAny(text, "\r\x00"); at >= 0 {
		line, start := strings.Count(text[:at], "\n"), strings.LastIndexByte(text[:at], '\n')+1
		return syntax.ParseError{Pos: syntax.NewPos(uint(at), uint(line+1), uint(at-start+1)),
			Text: "it holds a carriage return or a NUL: take it away"}
	}
	if pos := continuedComment(text, file); pos.IsValid() {
		return syntax.ParseError{Pos: pos,
			Text: "a backslash stands at the end of a comment, " +
				"where bash goes on with a new command and this parser with the old one: take it away"}
	}
	var err error
	syntax.Walk(file, func(n syntax.Node) bool {
		var pos syntax.Pos
		switch n := n.(type) {
		case *syntax.Comment:
			pos = n.Pos()
		case *syntax.Assign:
			// --a=b[ is an assignment to the parser, and a command to bash.
			if n.Name != nil && !syntax.ValidName(n.Name.Value) {
				err = syntax.ParseError{Pos: n.Pos(),
					Text: n.Name.Value +
						" is no name of a variable, so bash takes the word for a command: put it in quotes if that is meant"}
			}
			return true
		case *syntax.Redirect:
			pos = n.Word.End() // behind <<'E'# the parser sees a comment, and bash a marker that ends in #
		case *syntax.ProcSubst:
			if opening := n.Op.String() + "("; strings.HasPrefix(text[n.OpPos.Offset():], opening) {
				err = syntax.ParseError{Pos: n.OpPos,
					Text: "bash takes " + opening +
						" for arithmetic at first, in which comments and quotes hide nothing: put a blank between the two"}
			}
			return true
		default:
			return true
		}
		if at := int(pos.Offset()); at < len(text) && text[at] == '#' && !beginsWord(text, at) {
			err = syntax.ParseError{Pos: pos,
				Text: "a # stands right behind a word, where bash sees no comment and this parser may see one: put a blank in front of it"}
		}
		return true
	})
	return err
}

// beginsWord reports whether what stands at an offset begins a word, as far as the byte in front of it tells.
func beginsWord(text string, at int) bool {
	return at == 0 || strings.IndexByte(" \t\n;&|()<>`", text[at-1]) >= 0
}

// continuedComment returns the place of a comment that ends in a backslash, the zero Pos when there is
// none. To the parser such a line goes on in the next one, so that it takes the next command for more words
// of this one.
//
// It looks at the text rather than at the tree's comments, since the tree need not hold all of them: a #
// that could begin a comment, in no quotes, on a line that ends in a backslash.
func continuedComment(text string, file *syntax.File) syntax.Pos {
	if !strings.Contains(text, "\\\n") {
		return syntax.Pos{}
	}
	var quoted []bool // by offset; nil until it is needed
	at := 0
	for number := uint(1); at < len(text); number++ {
		line, _, _ := strings.Cut(text[at:], "\n")
		for i := 0; i < len(line) && strings.HasSuffix(line, "\\"); i++ {
			if line[i] != '#' || !beginsWord(text, at+i) {
				continue
			}
			if quoted == nil {
				quoted = quotedBytes(text, file)
			}
			if !quoted[at+i] {
				return syntax.NewPos(uint(at+i), number, uint(i+1))
			}
		}
		at += len(line) + 1
	}
	return syntax.Pos{}
}

// quotedBytes tells of each byte whether it stands in quotes or in the text of a here-document, and in no
// substitution within those.
func quotedBytes(text string, file *syntax.File) []bool {
	quoted := make([]bool, len(text))
	fill := func(from, to syntax.Pos, with bool) {
		for i := int(from.Offset()); i < min(int(to.Offset()), len(text)); i++ {
			quoted[i] = with
		}
	}
	syntax.Walk(file, func(n syntax.Node) bool { // what stands inside comes later
		switch n := n.(type) {
		case *syntax.SglQuoted, *syntax.DblQuoted:
			fill(n.Pos(), n.End(), true)
		case *syntax.Redirect:
			if n.Hdoc != nil && len(n.Hdoc.Parts) > 0 {
				fill(n.Hdoc.Pos(), n.Hdoc.End(), true)
			}
		case *syntax.CmdSubst, *syntax.ProcSubst:
			fill(n.Pos(), n.End(), false)
		}
		return true
	})
	return quoted
}

// Differs returns how bash may read a node of a tree in another way than the parser, "" where both read it
// alike, and what to write instead. Parse takes these: they only matter where a value could come to stand in
// them.
func Differs(n syntax.Node) (how, cure string) {
	switch n := n.(type) {
	case *syntax.CoprocClause:
		// In coproc x >f bash takes x for a command, the parser for a name.
		if _, simple := n.Stmt.Cmd.(*syntax.CallExpr); n.Name != nil && (simple || n.Stmt.Cmd == nil) {
			return "bash takes the name of this coprocess for a command", "write coproc NAME { …; }"
		}
	case *syntax.ParamExp:
		if hidesSubstitution(n) {
			return "bash takes <( or >( in ${…} for a substitution, which is not read here",
				"assign it to a variable first"
		}
	case *syntax.ExtGlob:
		// Outside [[ ]] bash takes !(…) for a negated subshell, and the parser does not look into it.
		if n.Op == syntax.GlobExcept || strings.ContainsAny(n.Pattern.Value, "$`<>") {
			return "this extended glob is not read by bash as it is here", "use a plain pattern, or several"
		}
	}
	return "", ""
}

// hidesSubstitution reports whether the words of ${x:-…} and its like hold what bash takes for a process
// substitution and the parser for text.
func hidesSubstitution(p *syntax.ParamExp) bool {
	hides := false
	syntax.Walk(p, func(n syntax.Node) bool {
		if l, ok := n.(*syntax.Lit); ok && (strings.Contains(l.Value, "<(") || strings.Contains(l.Value, ">(")) {
			hides = true
		}
		return !hides
	})
	return hides
}
