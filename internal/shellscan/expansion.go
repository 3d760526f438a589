package shellscan

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Bash evaluates a text that stands where a number is expected: a[$(cmd)] is arithmetic that runs cmd, and
// so is a variable that holds it. Only numbers are sure to be numbers.
const evaluates = "bash evaluates this as arithmetic, and a value like a[$(cmd)] would run cmd"

// arithmetic looks at an expression. x is nil where there is none.
func (t *text) arithmetic(x syntax.ArithmExpr) {
	if x != nil && !numeric(x) {
		t.problem(t.line(x), evaluates)
	}
}

// numeric reports whether an expression holds numbers and operators only, none that assigns.
func numeric(x syntax.ArithmExpr) bool {
	switch x := x.(type) {
	case *syntax.Word:
		return decimal(x.Lit()) || number(x)
	case *syntax.ParenArithm:
		return numeric(x.X)
	case *syntax.UnaryArithm:
		return x.Op != syntax.Inc && x.Op != syntax.Dec && numeric(x.X)
	case *syntax.BinaryArithm:
		return numeric(x.X) && numeric(x.Y)
	}
	return false
}

// subscript looks at what stands in [ ] behind a name. A name there is a variable that bash evaluates,
// unless the array is associative, which cannot be told.
func (t *text) subscript(x syntax.ArithmExpr) { t.arithmetic(x) }

// compares looks at the comparisons of [[ ]] that take numbers.
func (t *text) compares(b *syntax.BinaryTest) {
	switch b.Op {
	case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
		for _, side := range []syntax.TestExpr{b.X, b.Y} {
			if w, ok := side.(*syntax.Word); !ok || !signed(w) && !number(w) {
				t.problem(t.line(b), evaluates)
			}
		}
	default:
		t.noBrackets(b)
	}
}

// signed reports whether a word is a fixed number.
func signed(w *syntax.Word) bool {
	word := wordOf(w)
	return word.Fixed && decimal(strings.TrimPrefix(word.Text, "-"))
}

// tests looks at the tests of [[ ]] that take the name of a variable, of which bash evaluates the subscript,
// and at -t, of which zsh evaluates the number.
func (t *text) tests(u *syntax.UnaryTest) {
	w, ok := u.X.(*syntax.Word)
	switch u.Op {
	case syntax.TsFdTerm:
		if !ok || !signed(w) && !number(w) {
			t.problem(t.line(u), "zsh evaluates the word behind -t as arithmetic")
		}
		return
	case syntax.TsVarSet, syntax.TsRefVar:
	default:
		return
	}
	if !ok {
		t.problem(t.line(u), evaluates)
		return
	}
	if word := wordOf(w); !word.Fixed || !readable(word.Text) {
		t.problem(t.line(u), evaluates)
	}
}

// readable reports whether a text names a variable, or an element by its number.
func readable(text string) bool {
	name, rest, element := strings.Cut(text, "[")
	return identifier(name) && (!element || strings.HasSuffix(rest, "]") && decimal(strings.TrimSuffix(rest, "]")))
}

// expansion looks at $x and ${x…}.
func (t *text) expansion(p *syntax.ParamExp) {
	line := t.line(p)
	if p.Flags != nil || p.NestedParam != nil || p.IsSet || p.Width || p.Modifiers != nil || p.Split != 0 ||
		p.GlobSubst != 0 ||
		p.RcExpand != 0 || p.Param == nil {
		t.problem(line, "it is not bash")
		return
	}
	if !counts(p) && !shows(p) {
		t.uses(p.Param.Value)
	}
	all := false // ${x[@]} and ${x[*]}
	if w, ok := p.Index.(*syntax.Word); ok && (w.Lit() == "@" || w.Lit() == "*") {
		all = true
	} else {
		t.subscript(p.Index)
	}
	if p.Excl && p.Names == 0 && !all {
		t.problem(line, "${!…} takes the name of a variable from another one, and bash evaluates it")
	}
	if p.Slice != nil {
		t.arithmetic(p.Slice.Offset)
		t.arithmetic(p.Slice.Length)
	}
	if p.Exp == nil {
		return
	}
	switch p.Exp.Op {
	case syntax.AssignUnset, syntax.AssignUnsetOrNull:
		t.variable(p.Param.Value, line)
	case syntax.OtherParamOps:
		// ${x@P} expands x as a prompt, substitutions included.
		if p.Exp.Word == nil || strings.Trim(p.Exp.Word.Lit(), "UuLQEAKak") != "" || p.Exp.Word.Lit() == "" {
			t.problem(line, "${…@…} can expand a value as a prompt, which runs the commands in it")
		}
	}
}
