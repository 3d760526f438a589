package shellscan

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
	"github.com/a2a-acp/a2a-acp/internal/shellwords"
)

// A variable that a text gives a value before anything else, and once, holds that value wherever the text uses it: f=src/a.go;
// wc -l $f is wc -l src/a.go, and of N=$(wc -l < a.md); echo "$N" nothing is unknown but what a command of the text prints. A
// shell does not hand it on to programs, unless one of that name was handed to it.

// assigned has the words that use such variables hold their values, until what it gives is called.
func (t *text) assigned(file *syntax.File) (end func()) {
	var replaced []variableUse
	for i, stmt := range file.Stmts {
		if !t.alone || len(t.functions) > 0 || !bare(stmt) {
			continue
		}
		parts, surely := inOrder(stmt)
		for j, part := range parts[:min(surely, len(parts))] {
			behind := parts[j+1 : surely] // what is not run unless the part was
			if j == 0 {
				behind = slices.Concat(parts[1:], file.Stmts[i+1:])
			}
			replaced = append(replaced, t.assignedIn(file, part, behind)...)
		}
	}
	return func() {
		for _, use := range replaced {
			use.parts[use.at] = use.variable
			t.regions.add(use.variable, regionStrict)
		}
	}
}

// inOrder returns the parts of a list of && and ||, in their order, and how many of them run only if all in front of them
// have: those up to the first ||.
func inOrder(stmt *syntax.Stmt) (parts []*syntax.Stmt, surely int) {
	either := 0 // how many parts stand behind the first ||, it included
	for {
		list, ok := stmt.Cmd.(*syntax.BinaryCmd)
		if !ok || list.Op != syntax.AndStmt && list.Op != syntax.OrStmt || !bare(stmt) {
			break
		}
		parts = append(parts, list.Y)
		if list.Op == syntax.OrStmt {
			either = len(parts)
		}
		stmt = list.X
	}
	parts = append(parts, stmt)
	slices.Reverse(parts)
	return parts, len(parts) - either
}

// assignedIn puts the value of a variable that a statement sets in the place of its uses behind it, and returns these: none
// where anything else could set it, or use it.
func (t *text) assignedIn(file *syntax.File, stmt *syntax.Stmt, behind []*syntax.Stmt) []variableUse {
	a, exported := onlyAssigns(stmt)
	if a == nil || t.rounds >= maxRounds || a.Name == nil || a.Naked || a.Append || a.Index != nil || a.Array != nil ||
		a.Value == nil || !t.commands.IsScripts(a.Name.Value) {
		return nil
	}
	t.rounds++ // each takes a look at the whole text
	body := loopBody{name: a.Name.Value, plain: true}
	for _, stmt := range behind {
		syntax.Walk(stmt, body.node)
	}
	whole := loopBody{name: a.Name.Value, plain: true}
	syntax.Walk(file, func(n syntax.Node) bool { return n == a || n == exported || whole.node(n) })
	if !body.plain || !whole.plain || len(whole.uses) != len(body.uses) {
		return nil
	}
	value, printed := wordOf(a.Value), map[*syntax.Word]loopedWord{}
	if !value.Fixed {
		words, inWords := body.loopedWords(behind)
		if !inWords || !value.Printed && !onlyPrinted(a.Value) {
			return nil
		}
		printed, value.Text = words, unknownValue
	} else if !standsFor(value.Text, body.uses) {
		return nil
	}
	numbers := printsNumbers(a.Value)
	for _, looped := range printed {
		if !looped.quoted && !numbers {
			return nil
		}
	}
	for word, looped := range printed {
		if t.printed == nil {
			t.printed = map[*syntax.Word]shellwords.Word{}
		}
		t.printed[word] = shellwords.Word{Printed: looped.quoted, PrintedMany: true, Splits: !looped.quoted}
	}
	if exported == nil { // else programs see it
		t.own = append(t.own, a)
	}
	if len(body.uses) > 0 {
		t.unrolled = max(t.unrolled, t.line(stmt))
	}
	for _, use := range body.uses {
		use.parts[use.at] = &syntax.Lit{ValuePos: use.variable.Pos(), ValueEnd: use.variable.End(), Value: value.Text}
	}
	return body.uses
}

// onlyAssigns returns what a statement sets that does nothing else, and the export that it is, nil where it is none: f=a, export
// f=a.
func onlyAssigns(stmt *syntax.Stmt) (a *syntax.Assign, exported syntax.Node) {
	if !bare(stmt) {
		return nil, nil
	}
	switch cmd := stmt.Cmd.(type) {
	case *syntax.CallExpr:
		if len(cmd.Args) == 0 && len(cmd.Assigns) == 1 {
			return cmd.Assigns[0], nil
		}
	case *syntax.DeclClause:
		if cmd.Variant.Value == "export" && len(cmd.Args) == 1 {
			return cmd.Args[0], cmd
		}
	}
	return nil, nil
}

// standsFor reports whether a text is the same word, or part of a word, wherever the variable is used that holds it.
func standsFor(text string, uses []variableUse) bool {
	if text != "" && strings.Trim(text, plainItem) == "" {
		return true
	}
	return text != "" && strings.Trim(text, plainItem+" ,:=+%@") == "" &&
		!slices.ContainsFunc(uses, func(use variableUse) bool { return !use.quoted })
}

// onlyPrinted reports whether a value is what commands of the text print, and nothing else.
func onlyPrinted(w *syntax.Word) bool {
	if len(w.Parts) != 1 {
		return false
	}
	sub, ok := w.Parts[0].(*syntax.CmdSubst)
	return ok && !sub.TempFile && !sub.ReplyVar
}

// printsNumbers reports whether a word is what a command prints that only counts, so that none of its parts is a pattern.
func printsNumbers(w *syntax.Word) bool {
	if !onlyPrinted(w) {
		return false
	}
	sub := w.Parts[0].(*syntax.CmdSubst)
	if len(sub.Stmts) != 1 {
		return false
	}
	stmt := sub.Stmts[0]
	if pipe, ok := stmt.Cmd.(*syntax.BinaryCmd); ok && pipe.Op == syntax.Pipe && bare(stmt) {
		stmt = pipe.Y
	}
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 || len(call.Assigns) > 0 || !command.In(command.Counters, call.Args[0].Lit()) ||
		slices.ContainsFunc(stmt.Redirs, func(r *syntax.Redirect) bool { return r.Op != syntax.RdrIn || r.N != nil }) {
		return false
	}
	for _, word := range call.Args {
		if text := word.Lit(); text == "" || strings.Trim(text, plainItem) != "" {
			return false
		}
	}
	return true
}

// plainFormat are formats of printf with which it only prints.
var plainFormat = lazyregexp.New(`\A([^%-][^%]*)?(%[sd%][^%]*)*\z`)

// onlyPrints reports whether a command is a printf that sets no variable.
func onlyPrints(call *syntax.CallExpr) bool {
	if len(call.Args) < 2 || call.Args[0].Lit() != "printf" {
		return false
	}
	format := wordOf(call.Args[1])
	return format.Fixed && plainFormat.MatchString(format.Text)
}

// shows reports whether an expansion is the value of a variable that everybody may see: $HOME, ${PWD}.
func shows(p *syntax.ParamExp) bool {
	return p.Param != nil && simple(p) && command.Shown(p.Param.Value)
}

// printedMany reports whether a word is, with no quotes, such a value or what a command prints that only counts: one word, or
// several, that are no secret and no pattern.
func printedMany(w *syntax.Word) bool {
	if len(w.Parts) != 1 {
		return false
	}
	p, ok := w.Parts[0].(*syntax.ParamExp)
	return ok && shows(p) || printsNumbers(w)
}
