package taint

import (
	"strconv"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/argument"
	"github.com/a2a-acp/a2a-acp/internal/bashsyntax"
	"github.com/a2a-acp/a2a-acp/internal/shellwords"
	"mvdan.cc/sh/v3/syntax"
)

// maxNested bounds the shell texts within shell texts that are read.
const maxNested = 256

// collectNested adds the shell code that a command runs to the scripts, so that values are followed there
// too: into eval '…', trap '…', bash -c '… "$1"' _ {{x}} and the like.
func (a *analysis) collectNested(s *script, n *syntax.CallExpr, c *call) {
	for _, text := range c.reading.Code {
		if text.Language != shellwords.Shell {
			continue
		}
		code, fixed := text.Text, text.Fixed
		if !fixed && text.Whole {
			code, fixed = a.numbersFilledIn(n.Args[text.At])
		}
		if !fixed {
			continue // a value in it is refused; what else it holds is the author's
		}
		frame := s.frame
		if len(text.Parameters) > 0 {
			frame = strconv.Itoa(len(a.scripts)) + ":"
		}
		before := len(a.scripts)
		if err := a.addScript(s, n, code, frame, len(text.Parameters) > 0); err != nil {
			a.refuse(s, n, "", "", "the shell code in this command cannot be read: "+bashsyntax.Message(err),
				"write valid bash")
		}
		c.nested = append(c.nested, a.scripts[before:]...)
	}
	// A command that is not fixed could be a shell: "$SHELL" -c 'eval "$X"'. What does not read as code is
	// none.
	for i, role := range c.reading.Roles {
		if w := c.words[i]; role.Kind == shellwords.Unclear && w.Fixed && strings.ContainsAny(w.Text, "$`") {
			_ = a.addScript(s, n, w.Text, s.frame, false)
		}
	}
}

// collectFed adds the fixed text that a here-document or here-string gives to a shell.
func (a *analysis) collectFed(s *script, n *syntax.Stmt) {
	for _, r := range n.Redirs {
		var code string
		var fixed bool
		switch {
		case r.Hdoc != nil:
			code, fixed = heredocText(r)
			fixed = fixed && !a.holds(code)
		case r.Op == syntax.WordHdoc:
			code, fixed = a.numbersFilledIn(r.Word)
		}
		if !fixed {
			continue
		}
		if language, _ := a.stdinOf(n); language == shellwords.Shell {
			if err := a.addScript(s, r, code, s.frame, false); err != nil {
				a.refuse(s, r, "", "",
					"the shell code of this redirection cannot be read: "+bashsyntax.Message(err), "write valid bash")
			}
		}
	}
}

// heredocText returns the text of a here-document without expansions.
func heredocText(r *syntax.Redirect) (string, bool) {
	text := ""
	for _, part := range r.Hdoc.Parts {
		l, ok := part.(*syntax.Lit)
		if !ok {
			return "", false
		}
		text += l.Value
	}
	if !bashsyntax.IsQuotedMarker(r.Word) {
		text = bashsyntax.UnescapeHeredoc(text)
	}
	return text, true
}

// addScript adds code that a node of another script runs. The error is the parser's.
func (a *analysis) addScript(s *script, n syntax.Node, code, frame string, zero bool) error {
	if len(a.scripts) >= maxNested {
		*a.steps = 0
		return nil
	}
	file, err := bashsyntax.Parse(code)
	if err != nil {
		return err
	}
	nested := &script{file: file, at: a.offset(s, n), frame: frame, zero: zero}
	a.scripts = append(a.scripts, nested)
	a.collectFunctions(nested)
	a.collectSettings(nested)
	return nil
}

// numbersFilledIn returns the text of a word with a 1 in the place of every number, and says no when it
// holds more than numbers.
func (a *analysis) numbersFilledIn(w *syntax.Word) (string, bool) {
	parts, fixed := a.parts(w)
	text := ""
	for _, p := range parts {
		switch {
		case p.slot == nil:
			text += p.text
		case p.slot.Value.Class == argument.Numeric:
			text += "1"
		default:
			return "", false
		}
	}
	return text, fixed
}
