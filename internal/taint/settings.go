package taint

import (
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/shellwords"
	"mvdan.cc/sh/v3/syntax"
)

// setting is what a script's own text puts into a variable. After OPT=-c, bash "$OPT" {{x}} is bash -c {{x}}.
type setting struct {
	texts []string
	other bool // something else is assigned, too
	many  bool // it is a list, or runs over one
	globs []string
	items []string // the elements of a list, as they name files; see fileKey
}

// hold notes what an assignment puts into a list.
func (v *setting) hold(n *syntax.Assign) {
	v.many = true
	if n.Value != nil {
		v.items = append(v.items, printedKey(n.Value))
	}
	if n.Array == nil {
		return
	}
	for _, element := range n.Array.Elems {
		if element.Value != nil {
			v.items = append(v.items, printedKey(element.Value))
		}
	}
}

// collectSettings reads the assignments of fixed texts, and the lists of for.
func (a *analysis) collectSettings(s *script) {
	syntax.Walk(s.file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.DeclClause:
			a.exported(n)
		case *syntax.Assign:
			if a.allexport && n.Name != nil {
				a.exports = append(a.exports, n.Name.Value)
			}
			if n.Name == nil || n.Naked && n.Value == nil {
				return true
			}
			if n.Value == nil && n.Array == nil {
				return true
			}
			if n.Array != nil || n.Append || n.Index != nil {
				a.set(n.Name.Value, nil)
				a.settings[n.Name.Value].hold(n)
				return true
			}
			a.set(n.Name.Value, n.Value)
		case *syntax.WordIter:
			for _, item := range n.Items {
				a.set(n.Name.Value, item)
				a.settings[n.Name.Value].many = true
			}
		case *syntax.CallExpr:
			if len(n.Args) > 1 {
				a.setByCall(n)
			}
		case *syntax.ParamExp:
			if n.Param != nil && n.Exp != nil &&
				(n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull) {
				a.set(n.Param.Value, nil)
			}
		}
		return true
	})
}

// setByCall reads what a call assigns: the words of set and of functions become $1, $2, …, which of them
// nobody counts, and a builtin that names a variable may put anything into it.
func (a *analysis) setByCall(n *syntax.CallExpr) {
	name := n.Args[0].Lit()
	switch {
	case name == "set" && (strings.HasPrefix(n.Args[1].Lit(), "-") && strings.Contains(n.Args[1].Lit(), "a") ||
		len(n.Args) > 2 && n.Args[2].Lit() == "allexport"):
		a.allexport = true
	case name == "set", a.functions[name] != nil:
		for _, w := range n.Args[1:] {
			a.set("@", w)
		}
	case name == "read", name == "mapfile", name == "readarray", name == "printf", name == "getopts",
		name == "wait", name == "unset":
		for _, w := range n.Args[1:] {
			if syntax.ValidName(w.Lit()) {
				a.set(w.Lit(), nil)
			}
		}
	}
}

// exported notes the variables that export, declare -x and set -a give to every program.
func (a *analysis) exported(d *syntax.DeclClause) {
	if !a.exportsBy(d) {
		return
	}
	for _, arg := range d.Args {
		if arg.Name != nil {
			a.exports = append(a.exports, arg.Name.Value)
		}
	}
}

// exportsBy reports whether a declaration exports its variables.
func (a *analysis) exportsBy(d *syntax.DeclClause) bool {
	options, _ := declareOptions(d)
	return d.Variant.Value == "export" && !strings.Contains(options, "n") || strings.Contains(options, "x")
}

func (a *analysis) set(name string, w *syntax.Word) {
	v := a.settings[name]
	if v == nil {
		v = &setting{}
		a.settings[name] = v
	}
	if w == nil {
		v.other = true
		return
	}
	static := shellwords.Static(w)
	if !static.Fixed || a.holds(static.Text) {
		v.other = true
		if key := printedKey(w); strings.ContainsAny(key, "*?") && !strings.Contains(key, "$") {
			v.globs = append(v.globs, key)
		}
		return
	}
	if !slices.Contains(v.texts, static.Text) {
		v.texts = append(v.texts, static.Text)
	}
}

// resolveWords puts the author's own text in the place of "$NAME" behind a command's name, where nothing
// else can be in the variable. Where one of several texts begins with '-', the word counts as one that may
// become options. The command itself is never resolved, and nothing without quotes, which may come to no
// word at all.
func (a *analysis) resolveWords(n *syntax.CallExpr, words []shellwords.Word) {
	for i := 1; i < len(words); i++ {
		name, ok := quotedVariable(n.Args[i])
		if !ok {
			continue
		}
		v := a.settings[name]
		if v == nil {
			continue
		}
		if len(v.texts) == 1 && !v.other && name != "@" {
			words[i] = shellwords.Word{Text: v.texts[0], Fixed: true}
			continue
		}
		for _, text := range v.texts {
			if strings.HasPrefix(text, "-") {
				words[i].Splits = true
			}
		}
	}
}

// quotedVariable recognises "$NAME" and "${NAME}"; a positional parameter is "@".
func quotedVariable(w *syntax.Word) (name string, ok bool) {
	if len(w.Parts) != 1 {
		return "", false
	}
	q, ok := w.Parts[0].(*syntax.DblQuoted)
	if !ok || q.Dollar || len(q.Parts) != 1 {
		return "", false
	}
	p, ok := q.Parts[0].(*syntax.ParamExp)
	if !ok || p.Param == nil || p.Excl || p.Length || p.Index != nil || p.Exp != nil || p.Repl != nil ||
		p.Slice != nil {
		return "", false
	}
	if name = p.Param.Value; strings.Trim(name, "0123456789") == "" {
		return "@", name != "0"
	}
	return name, true
}
