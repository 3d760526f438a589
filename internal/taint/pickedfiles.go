package taint

import (
	"path"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/argument"
	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
	"github.com/a2a-acp/a2a-acp/internal/sensitive"
	"github.com/a2a-acp/a2a-acp/internal/shellwords"
	"mvdan.cc/sh/v3/syntax"
)

// A value can pick what runs without being run itself: as the directory that a program obeys, as the name of
// a file that a later command of the script runs, or as what brings such a file.

const pickedCure = "say what the value looks like, with pattern: or enum:, or that you know what runs, with " +
	"`trust_program: true` on the tool"

// picks reports whether the value is one that its author says nothing of.
func (t *valueFlow) picks() bool {
	return t.class == argument.Free && !t.input && !t.a.options.TrustProgram && !t.hasPattern()
}

// entered warns of a value that picks the directory which a program obeys: cd VALUE && make.
func (t *valueFlow) entered(n *syntax.CallExpr) {
	if !t.picks() {
		return
	}
	who := ""
	obeys := func(n *syntax.CallExpr, c *call, p shellwords.Span) bool {
		who = t.a.obeys(n, c, p)
		return who != ""
	}
	first := t.a.call(n).words[0].Text
	if t.a.anyProgram(n, obeys) || command.Builtin(first) && t.a.later(t.script, shellOf(t.script, t.stack), t.stack, n, obeys) {
		t.warn(who+" obeys or runs files of the directory that it starts in, and the value picks that", pickedCure)
	}
}

// obeys returns the program of a span that runs or obeys files of the directory that it starts in; "" where
// it does not.
func (a *analysis) obeys(n *syntax.CallExpr, c *call, p shellwords.Span) string {
	if file := c.runs(p); file != "" {
		return file
	}
	name := shellwords.Base(c.words[p.At].Text)
	switch {
	case !c.words[p.At].Fixed || a.functions[name] != nil:
	case shellwords.ObeysDirectory(name, a.options.Commands), command.In(command.RepositoryTools, name), !command.Builtin(name) &&
		(a.settings["PATH"] != nil || command.WordsOf(name) == nil && command.Named(name) == nil):
		return name // of a program that no row knows it cannot be told
	}
	for i := p.At; i < p.End; i++ {
		switch c.reading.Roles[i].Kind {
		case shellwords.CodeFile, shellwords.Program, shellwords.Unclear:
			if !c.words[i].Fixed && a.found(n.Args[i]) {
				return name
			}
		}
	}
	for _, text := range c.reading.Code {
		if text.At >= p.At && text.At < p.End &&
			(text.Language == shellwords.Python && imported.MatchString(text.Text) ||
				text.Language == shellwords.JavaScript && required.MatchString(text.Text)) {
			return name
		}
	}
	return ""
}

// required finds the modules of the directory itself that JavaScript reads.
var required = lazyregexp.New(`(require|import)\s*\(?\s*["'` + "`" + `]\.|from\s*["']\.`)

// found reports whether a word names a file that is there by a pattern, or holds one that for makes of a pattern.
func (a *analysis) found(w *syntax.Word) bool {
	if name, ok := quotedVariable(w); ok {
		return a.settings[name] != nil && len(a.settings[name].globs) > 0
	}
	return strings.ContainsAny(w.Lit(), "*?")
}

// runs returns the file that the program of a span is, or runs, by a name that is not absolute; "" for none.
func (c *call) runs(p shellwords.Span) string {
	for i := p.At; i < p.End; i++ {
		w, kind := c.words[i], c.reading.Roles[i].Kind
		if w.Fixed && !strings.HasPrefix(w.Text, "/") && w.Text != "" && w.Text != "-" &&
			(kind == shellwords.CodeFile || i == p.At && strings.Contains(w.Text, "/")) {
			return w.Text
		}
	}
	return ""
}

// names warns of a value that picks the name of a file which a command writes, where one runs behind it that
// could be that file.
func (t *valueFlow) names(n syntax.Node, w *syntax.Word) {
	if !t.picks() {
		return
	}
	before, after := t.a.around(w)
	who, file := "", ""
	fits := func(name string) bool {
		name = path.Clean(name)
		return len(name) >= len(before)+len(after) && strings.HasPrefix(name, before) && strings.HasSuffix(name, after)
	}
	if t.a.later(t.script, t.script.file, t.stack, n, func(_ *syntax.CallExpr, c *call, p shellwords.Span) bool {
		who, file = shellwords.Base(c.words[p.At].Text), c.runs(p)
		if file != "" {
			return fits(file)
		}
		if !c.words[p.At].Fixed || !shellwords.ObeysDirectory(who, t.a.options.Commands) {
			return false
		}
		for _, name := range sensitive.Fixed(sensitive.Built) {
			if !strings.Contains(name, "/") && fits(name) {
				file = name
				return true
			}
		}
		return false
	}) {
		t.warn("the value picks the name of a file that is written, and it could be "+file+", which "+who+
			" runs or obeys behind it", pickedCure)
	}
}

// brought warns of a value that picks files which come into the directory, where some run behind it.
func (t *valueFlow) brought(n syntax.Node, who string) {
	if !t.picks() {
		return
	}
	runs := ""
	if t.a.later(t.script, t.script.file, t.stack, n, func(_ *syntax.CallExpr, c *call, p shellwords.Span) bool {
		if runs = c.runs(p); runs == "" && c.words[p.At].Fixed &&
			shellwords.ObeysDirectory(c.words[p.At].Text, t.a.options.Commands) {
			runs = shellwords.Base(c.words[p.At].Text)
		}
		return runs != ""
	}) {
		t.warn("the value picks which files "+who+" brings, and "+runs+" behind it could be or obey one of them",
			pickedCure)
	}
}

// around returns the fixed texts that a word begins and ends with.
func (a *analysis) around(w *syntax.Word) (before, after string) {
	open := false
	a.atoms(w.Parts, func(text string, p *Slot, n syntax.Node) bool {
		switch {
		case p != nil || n != nil:
			open, after = true, ""
		case open:
			after += text
		default:
			before += text
		}
		return true
	})
	return strings.TrimPrefix(strings.TrimPrefix(before, "of="), "./"), after // of= is dd's
}

// shellOf returns what the innermost shell runs that the end of a stack stands in: a subshell, a side of a
// pipe, or all of the script.
func shellOf(s *script, stack []syntax.Node) syntax.Node {
	for i := len(stack) - 2; i >= 0; i-- {
		switch node := stack[i].(type) {
		case *syntax.Subshell, *syntax.CmdSubst, *syntax.ProcSubst:
			return node
		case *syntax.BinaryCmd:
			if node.Op == syntax.Pipe || node.Op == syntax.PipeAll {
				return stack[i+1]
			}
		}
	}
	return s.file
}

// later calls f with the programs of the commands below root that stand behind a node, until it says yes, and
// reports whether it did. What stands in the same loop, or anywhere where the node stands in a function,
// counts as behind it.
func (a *analysis) later(
	s *script, root syntax.Node, stack []syntax.Node, n syntax.Node,
	f func(*syntax.CallExpr, *call, shellwords.Span) bool,
) (found bool) {
	from := n.End()
	for i := len(stack) - 2; i >= 0; i-- {
		switch node := stack[i].(type) {
		case *syntax.WhileClause, *syntax.ForClause:
			from = node.Pos()
		case *syntax.FuncDecl:
			from = s.file.Pos()
		}
	}
	syntax.Walk(root, func(node syntax.Node) bool {
		c, ok := node.(*syntax.CallExpr)
		if ok && node != n && !from.After(node.Pos()) {
			found = found || a.anyProgram(c, f)
		}
		return !found && a.spend(1)
	})
	return found
}

// anyProgram calls f with the programs that a command runs: its own, those of the shell code in its words, and
// of the functions that it calls, until f says yes, and reports whether it did.
func (a *analysis) anyProgram(n *syntax.CallExpr, f func(*syntax.CallExpr, *call, shellwords.Span) bool) bool {
	return a.anyProgramBut(n, map[string]bool{}, f)
}

// anyProgramBut is anyProgram, but for functions that were looked into.
func (a *analysis) anyProgramBut(
	n *syntax.CallExpr, seen map[string]bool, f func(*syntax.CallExpr, *call, shellwords.Span) bool,
) (found bool) {
	c := a.call(n)
	within := func(root syntax.Node) {
		syntax.Walk(root, func(n syntax.Node) bool {
			inner, ok := n.(*syntax.CallExpr)
			found = found || ok && a.spend(1) && a.anyProgramBut(inner, seen, f)
			return !found
		})
	}
	if c.function != "" && !seen[c.function] {
		seen[c.function] = true
		for _, function := range a.functions[c.function] {
			within(function.Body)
		}
	}
	for _, p := range c.reading.Programs {
		found = found || f(n, c, p)
	}
	for _, nested := range c.nested {
		within(nested.file)
	}
	return found
}

// files looks at a value in a word that names a file which is written, or picks files that come.
func (t *valueFlow) files(n *syntax.CallExpr, k int, role shellwords.Role) {
	c := t.a.call(n)
	switch {
	case role.Writes, isDD(c) && strings.HasPrefix(c.words[k].Text, "of="):
		t.names(n, n.Args[k])
	case role.Kind != shellwords.Operand && role.Kind != shellwords.Argument:
	case copies(c):
		last := len(c.words) - 1
		if k == last {
			t.names(n, n.Args[k])
		} else if w := c.words[last]; !w.Fixed || w.Text == "." || strings.HasSuffix(w.Text, "/") {
			t.brought(n, role.Reader)
		}
	case c.reading.Brings != "":
		t.brought(n, c.reading.Brings)
	}
}

// below asks for a value that stays in the directory which stands in front of it: rm -rf "cache/VALUE".
func (t *valueFlow) below(w *syntax.Word) {
	if t.class != argument.Free {
		return
	}
	text := ""
	t.a.atoms(w.Parts, func(fixed string, p *Slot, n syntax.Node) bool {
		text += fixed
		return !(p != nil && p == t.slot || n != nil && t.passed(n))
	})
	behind := isDirectory(text)
	word, fixed := t.a.parts(w)
	values := []*Slot{t.slot}
	if t.slot == nil {
		values, _ = t.a.graph.reaching(t.key)
	}
	for _, p := range values {
		if !t.inner || p.hasPattern() || !behind && (p == t.slot || !p.behindDirectory(t.a.Text())) {
			continue
		}
		if p != t.slot || !fixed {
			word = []part{{slot: p}}
		}
		p.need(guard{check: noParent, word: word})
	}
}

// behindDirectory reports whether a directory stands in the script right in front of the place.
func (p *Slot) behindDirectory(text string) bool {
	before := text[:p.From]
	before = before[strings.LastIndexAny(before, " \t\n;&|()<>=")+1:]
	return isDirectory(strings.TrimLeft(before, "\"'"))
}

// isDirectory reports whether a text in front of a value names a directory, and not just the one that the
// script runs in.
func isDirectory(text string) bool {
	return strings.Contains(strings.TrimPrefix(text, "./"), "/") && !strings.Contains(text, "://")
}
