package taint

import (
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/argument"
	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/shellwords"
	"mvdan.cc/sh/v3/syntax"
)

// assign handles the value or the subscript of an assignment.
func (t *valueFlow) assign(n *syntax.Assign, child, parent syntax.Node) {
	if n.Index != nil && syntax.Node(n.Index) == child {
		t.arithmetic("array subscript")
		return
	}
	t.role("assignment")
	if t.class != argument.Free {
		return
	}
	if d, ok := parent.(*syntax.DeclClause); ok {
		t.declare(d, n)
	}
	if n.Name == nil {
		return
	}
	name := n.Name.Value
	if meaning, special := command.SpecialVariable(name); special {
		t.refuse(meaning, "use another variable")
	}
	switch p := parent.(type) {
	case *syntax.CallExpr:
		if len(p.Args) > 0 {
			t.exported(name, p)
		}
	case *syntax.DeclClause:
		if t.a.exportsBy(p) {
			t.exported(name, nil)
		}
	}
	switch {
	case t.a.graph.integers[name]:
		t.refuse("bash evaluates what is assigned to "+name+" as arithmetic (declare -i), which can run commands",
			"leave -i out")
	case t.a.graph.references[name]:
		t.refuse(name+" is a reference (declare -n), so the value can choose a variable",
			"assign to the variable itself")
	}
}

// exported handles a value in a variable that programs get: those that n runs, or, without n, all that
// follow.
func (t *valueFlow) exported(name string, n *syntax.CallExpr) {
	meaning, runs, family := t.a.options.Commands.Exported(name)
	switch {
	case t.class != argument.Free:
	case runs:
		t.refuse(meaning, "use another variable, or list the values under enum")
	case n != nil && t.a.runsMake(n):
		if t.slot == nil || !t.inner || !t.slot.plainText("make") {
			t.refuse(makeRuns, makeCure)
		}
	case family && !t.hasPattern():
		t.warn("some variables of that family name what programs run, and this one is not known",
			"say what the value looks like, with pattern: or format:")
	}
}

const (
	makeRuns = "make runs $(shell …) in the variables of its environment, and its recipes are shell text around them"
	makeCure = "give the parameter a pattern like [A-Za-z0-9._-]+, or write the value into a file"
)

// plainText reports whether the author says that no value has a character that means something
// to a shell, and has each value checked for that: a field of an object can hide the parameter.
func (p *Slot) plainText(who string) bool {
	if !p.Value.Excludes(shellSigns) {
		return false
	}
	p.need(guard{check: noSigns, who: who})
	return true
}

// runsMake reports whether make is among what a command runs: itself, in the shell code of its words, or in
// the function that it calls.
func (a *analysis) runsMake(n *syntax.CallExpr) bool {
	return a.anyProgram(n, func(n *syntax.CallExpr, c *call, p shellwords.Span) bool {
		return shellwords.IsMake(c.words[p.At].Text) || !c.words[p.At].Fixed && a.mayBeMake(n.Args[p.At])
	})
}

// mayBeMake reports whether a word holds a variable that the script sets to make.
func (a *analysis) mayBeMake(w *syntax.Word) (found bool) {
	syntax.Walk(w, func(n syntax.Node) bool {
		if p, ok := n.(*syntax.ParamExp); ok && p.Param != nil && a.settings[p.Param.Value] != nil {
			for _, text := range a.settings[p.Param.Value].texts {
				program, _, _ := strings.Cut(text, " ")
				found = found || shellwords.IsMake(program)
			}
		}
		return !found
	})
	return found
}

// declare handles a value in declare, local, export, readonly and typeset.
func (t *valueFlow) declare(d *syntax.DeclClause, n *syntax.Assign) {
	builtin := d.Variant.Value
	if n.Name == nil {
		t.refuse("the value would be an option of "+builtin+" or the name of a variable",
			"write the name in the script: "+builtin+" x={{…}}")
		return
	}
	options, fixed := declareOptions(d)
	dangerous := "in"
	if n.Array == nil {
		dangerous = "aAin"
	}
	switch {
	case !fixed:
		t.refuse("an option of "+builtin+" is not fixed", "write it in the script")
	case strings.ContainsAny(options, dangerous):
		t.refuse(builtin+" -"+options+" evaluates the value again",
			"declare the variable first and assign to it after that")
	case n.Array == nil && t.a.graph.arrays[n.Name.Value]:
		// declare A='($(cmd))' runs cmd when A is an array.
		t.refuse(builtin+" evaluates the value again, since "+n.Name.Value+" is an array elsewhere",
			"assign without "+builtin)
	}
}

// declareOptions returns the letters of the options of declare and its like.
func declareOptions(d *syntax.DeclClause) (letters string, fixed bool) {
	for _, arg := range d.Args {
		if arg.Name != nil {
			continue
		}
		w := shellwords.Static(arg.Value)
		if !w.Fixed {
			return letters, false
		}
		if strings.HasPrefix(w.Text, "-") {
			letters += w.Text[1:]
		}
	}
	return letters, true
}

// arithmetic handles a value that bash evaluates as arithmetic, where a[$(cmd)] runs cmd. A number is fine.
func (t *valueFlow) arithmetic(where string) {
	t.role("%s", where)
	const message = "only a number is safe in arithmetic: a value like x[$(cmd)] runs cmd"
	p := t.slot
	switch {
	case p == nil: // followArithmetic sees it
	case !p.Value.Integers() && !t.lenient(message, onlyNumbers,
		"declare the parameter with `type: integer`, or as an enum of numbers"):
	case !t.inner:
		t.refuse("what a command prints is evaluated as arithmetic, which can run commands",
			"check that it is a number first")
	case !t.alone():
		t.refuse("the tag is part of a longer word, or quoted, in arithmetic",
			"write it as a word of its own, without quotes")
	default:
		p.Quoting = InArithmetic
		p.need(guard{check: isInteger, who: "arithmetic"})
	}
}

// alone reports whether the value is a word of its own without quotes.
func (t *valueFlow) alone() bool {
	lit, ok := t.leaf().(*syntax.Lit)
	if !ok || len(t.stack) < 2 || lit.Value != t.a.placeholder(t.slot.Number) {
		return false
	}
	word, ok := t.stack[len(t.stack)-2].(*syntax.Word)
	return ok && len(word.Parts) == 1
}

// compare handles an operand of [[ a OP b ]].
func (t *valueFlow) compare(n *syntax.BinaryTest, child syntax.Node) {
	right := n.Y == child
	switch n.Op {
	case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
		switch {
		case t.slot == nil: // followArithmetic sees it
		case !t.inner && t.class == argument.Free:
			t.refuse("[[ … -eq … ]] evaluates it as arithmetic: a value like x[$(cmd)] runs cmd",
				"declare the parameter with `type: integer`, or write [ … -eq … ]")
		default:
			t.role("number of [[ ]]")
			if !t.slot.Value.Integers() &&
				!t.lenient("only a number is safe here, since [[ ]] evaluates it as arithmetic: a value like x[$(cmd)] runs cmd",
					onlyNumbers, "declare the parameter with `type: integer`, or write [ … -eq … ]") {
				return
			}
			t.slot.need(guard{check: isInteger, who: "a comparison of numbers"})
		}
	case syntax.TsReMatch:
		if right && t.slot != nil && t.inner {
			t.warn("the value is compared as plain text, not as a regular expression", "")
		}
	case syntax.TsMatch, syntax.TsNoMatch, syntax.TsMatchShort:
		if right && t.slot != nil && t.inner && t.slot.Quoting == Unquoted {
			t.warn("the value is compared as plain text, not as a pattern", "write quotes around the tag to say so")
		}
	}
}

// unaryTest handles the operand of [[ -x a ]].
func (t *valueFlow) unaryTest(n *syntax.UnaryTest) {
	switch n.Op {
	case syntax.TsVarSet, syntax.TsRefVar:
		t.refuse("[[ -v ]] takes the value for a variable name, and evaluates a subscript in it",
			"write the variable's name in the script")
	case syntax.TsFdTerm:
		if t.slot != nil {
			t.slot.need(guard{check: isDigits, who: "for a descriptor"})
		}
	}
}
