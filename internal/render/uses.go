package render

import (
	"maps"
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/sensitive"
	"github.com/a2a-acp/a2a-acp/internal/shellwords"
	"mvdan.cc/sh/v3/syntax"
)

// followVariables looks at every use of a variable that may hold a value, in all scripts.
func (f *flow) followVariables() {
	f.checkTargets()
	f.followExports()
	for _, s := range f.a.scripts {
		visit(s.file, func(stack []syntax.Node) bool {
			leaf := stack[len(stack)-1]
			f.followArithmetic(s, leaf)
			f.followMake(s, leaf)
			f.followProject(s, leaf)
			f.followFiles(s, stack)
			if p, ok := leaf.(*syntax.ParamExp); ok && p.Param != nil && !p.Length {
				f.followUse(s, stack, p)
			}
			return f.a.spend(1)
		})
	}
}

func (f *flow) followUse(s *script, stack []syntax.Node, p *syntax.ParamExp) {
	shown := p.Param.Value
	v := f.variables[s.name(shown)]
	if p.Excl {
		if p.Names != 0 {
			return
		}
		if v.tainted() {
			f.a.report(Error, s, p, f.origin(v), "through $"+shown,
				"${!"+shown+"} takes the value for the name of a variable, and evaluates a subscript in it",
				"use case to choose a variable")
		}
		v, shown = f.variables[anyVariable], "!"+shown
	}
	if !v.tainted() || digitsOnly(p) {
		return
	}
	t := &valueFlow{
		a: f.a, script: s, stack: stack, inner: true, variable: shown, origin: f.origin(v),
		input: v.tag == nil, printed: v.printed,
	}
	for lead := range v.leads {
		t.leads = append(t.leads, lead)
	}
	sort.Slice(t.leads, func(i, j int) bool { return t.leads[i].number < t.leads[j].number })
	if p.Exp != nil && p.Exp.Op == syntax.OtherParamOps && p.Exp.Word.Lit() == "P" {
		t.refuse("${"+shown+"@P} expands the value as a prompt, which runs commands in it", "leave @P out")
	}
	t.follow()
}

// followMake refuses values in what is exported to make, which runs $(shell …) in the variables of its
// environment.
func (f *flow) followMake(s *script, n syntax.Node) {
	c, ok := n.(*syntax.CallExpr)
	if !ok || !f.a.runsMake(c) {
		return
	}
	for _, name := range f.a.exports {
		if v := f.variables[name]; v != nil && v.tag != nil && !f.plainText(name) {
			f.a.report(Error, s, n, f.origin(v), "through $"+name, makeRuns,
				makeCure+", or write export -n "+name+" in front of it")
		}
	}
}

// followProject refuses values in the files of a directory that its tools run, though no word of a command
// names them: package.json in front of npm test.
func (f *flow) followProject(s *script, n syntax.Node) {
	call, ok := n.(*syntax.CallExpr)
	if !ok || !f.a.files {
		return
	}
	c := f.a.call(call)
	for _, p := range c.reading.Programs {
		program := shellwords.Base(c.words[p.At].Text)
		if !shellwords.ObeysDirectory(program) {
			continue
		}
		for _, file := range slices.Sorted(maps.Keys(f.written)) {
			v, name := f.variables[file], strings.TrimPrefix(file, fileVariable(""))
			if v == nil || v.tag == nil {
				continue
			}
			if found, ok := sensitive.Find(path.Clean(name), "", sensitive.Built); ok {
				f.a.report(Error, s, n, f.origin(v), "through the file "+name,
					found.ReadBy+" runs what the file holds",
					"write a fixed file, and pass the value in another one that only holds data")
			}
		}
	}
}

// plainText reports whether all that a variable can hold are values that are plain text; see place.plainText.
func (f *flow) plainText(name string) bool {
	for _, e := range f.edges {
		if e.to != name {
			continue
		}
		if len(e.from.variables) > 0 || e.from.input != "" {
			return false
		}
		for _, p := range e.from.tags {
			if !p.plainText("make") {
				return false
			}
		}
	}
	return true
}

// followExports refuses values in the variables that a script exports and programs obey.
func (f *flow) followExports() {
	for _, e := range f.edges {
		if !slices.Contains(f.a.exports, e.to) || e.from.input == "" && !f.carries(e.from) {
			continue
		}
		if meaning, runs, _ := command.Exported(e.to); runs {
			f.a.report(Error, e.script, e.node, f.origin(f.variables[e.to]), "through $"+e.to, meaning,
				"use another variable, or list the values under enum")
		}
	}
}

// origin names what reaches a variable.
func (f *flow) origin(v *variable) string {
	if v.tag != nil {
		return v.tag.tag.source
	}
	return "what " + v.input + " gets"
}

// checkTargets refuses values in variables that something evaluates. Assignments in the script's own syntax
// are seen by the trails; these are the other ways: read, for, printf -v and so on.
func (f *flow) checkTargets() {
	for _, e := range f.edges {
		v := f.variables[e.to]
		if e.direct || !v.tainted() || e.from.input == "" && !f.carries(e.from) {
			continue
		}
		meaning, special := command.SpecialVariable(e.to)
		switch {
		case special:
			f.a.report(Error, e.script, e.node, f.origin(v), "through $"+e.to, meaning, "use another variable")
		case f.integers[e.to]:
			f.a.report(Error, e.script, e.node, f.origin(v), "through $"+e.to,
				"bash evaluates what is assigned to "+e.to+" as arithmetic (declare -i), which can run commands",
				"leave -i out")
		case f.references[e.to]:
			f.a.report(Error, e.script, e.node, f.origin(v), "through $"+e.to,
				e.to+" is a reference (declare -n), so the value can choose a variable",
				"assign to the variable itself")
		}
	}
}

// carries reports whether sources may hold what the agent chose.
func (f *flow) carries(from sources) bool {
	if len(from.tags) > 0 {
		return true
	}
	for _, name := range from.variables {
		if f.variables[name].tainted() {
			return true
		}
	}
	return false
}

// followArithmetic looks at everything that bash evaluates as arithmetic. There a name means its variable,
// whose text is evaluated in turn: with x=y, $((x)) evaluates y.
func (f *flow) followArithmetic(s *script, n syntax.Node) {
	check := func(roots ...syntax.Node) {
		for _, root := range roots {
			f.checkArithmetic(s, root)
		}
	}
	switch n := n.(type) {
	case *syntax.ArithmExp:
		check(n.X)
	case *syntax.ArithmCmd:
		check(n.X)
	case *syntax.LetClause:
		for _, x := range n.Exprs {
			check(x)
		}
	case *syntax.CStyleLoop:
		check(n.Init, n.Cond, n.Post)
	case *syntax.ParamExp:
		check(n.Index)
		if n.Slice != nil {
			check(n.Slice.Offset, n.Slice.Length)
		}
	case *syntax.ArrayElem:
		check(n.Index)
	case *syntax.Assign:
		check(n.Index)
		if n.Name != nil && n.Value != nil && f.integers[n.Name.Value] {
			check(n.Value)
		}
	case *syntax.CallExpr: // 'let' x=y, which is no let to the parser
		c := f.a.call(n)
		for _, text := range c.reading.Code {
			if text.Language == shellwords.Arithmetic && c.words[text.At].Fixed {
				check(n.Args[text.At])
			}
		}
	case *syntax.BinaryTest:
		switch n.Op {
		case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
			check(n.X, n.Y)
		}
	}
}

func (f *flow) checkArithmetic(s *script, root syntax.Node) {
	if root == nil {
		return
	}
	from := f.sourcesOf(s, root)
	for _, name := range append(from.variables, from.names...) {
		v := f.evaluates(name, map[string]bool{})
		if v == nil {
			continue
		}
		shown := name
		if name == s.frame+"@" {
			shown = "1"
		}
		fix := "take its digits into a variable of their own first: n=${" + shown + "//[^0-9]/}"
		if v.tag != nil {
			fix = "declare the parameter with `type: integer`, or " + fix
		}
		context := "through $" + shown
		if file, ok := strings.CutPrefix(name, fileVariable("")); ok {
			context, fix = "through the file "+file,
				"take the digits of what comes out of it into a variable first: n=$(…); n=${n//[^0-9]/}"
		}
		f.a.report(Error, s, root, f.origin(v), context,
			"evaluated as arithmetic: a value like x[$(cmd)] runs cmd", fix)
	}
}

// evaluates returns the variable with a value in it that arithmetic reaches from a name, nil when it
// reaches none.
func (f *flow) evaluates(name string, seen map[string]bool) *variable {
	v := f.variables[name]
	if v == nil || seen[name] {
		return nil
	}
	if v.tainted() {
		return v
	}
	seen[name] = true
	for next := range v.names {
		if found := f.evaluates(next, seen); found != nil {
			return found
		}
	}
	return nil
}
