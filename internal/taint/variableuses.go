package taint

import (
	"maps"
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
	"github.com/a2a-acp/a2a-acp/internal/sensitive"
	"github.com/a2a-acp/a2a-acp/internal/shellwords"
	"mvdan.cc/sh/v3/syntax"
)

// followVariables looks at every use of a variable that may hold a value, in all scripts.
func (g *graph) followVariables() {
	g.checkTargets()
	g.followExports()
	g.followWritten()
	for _, s := range g.a.scripts {
		visit(s.file, func(stack []syntax.Node) bool {
			leaf := stack[len(stack)-1]
			g.followArithmetic(s, leaf)
			g.followMake(s, leaf)
			g.followProject(s, leaf)
			g.followPrinted(s, leaf)
			g.followFiles(s, stack)
			if p, ok := leaf.(*syntax.ParamExp); ok && p.Param != nil && !p.Length {
				g.followUse(s, stack, p)
			}
			return g.a.spend(1)
		})
	}
}

func (g *graph) followUse(s *script, stack []syntax.Node, p *syntax.ParamExp) {
	shown := p.Param.Value
	key := s.name(shown)
	v := g.variables[key]
	if p.Excl {
		if p.Names != 0 {
			return
		}
		if v.tainted() {
			g.a.refuse(s, p, g.origin(v), "through $"+shown,
				"${!"+shown+"} takes the value for the name of a variable, and evaluates a subscript in it",
				"use case to choose a variable")
		}
		v, shown, key = g.variables[anyVariable], "!"+shown, anyVariable
	}
	if !v.tainted() || digitsOnly(p) {
		return
	}
	t := &valueFlow{
		a: g.a, script: s, stack: stack, inner: true, variable: shown, key: key, origin: g.origin(v),
		input: v.value == nil, read: v.input != "", printed: v.printed,
	}
	for lead := range v.leads {
		t.leads = append(t.leads, lead)
	}
	sort.Slice(t.leads, func(i, j int) bool { return t.leads[i].Number < t.leads[j].Number })
	if p.Exp != nil && p.Exp.Op == syntax.OtherParamOps && p.Exp.Word.Lit() == "P" {
		t.refuse("${"+shown+"@P} expands the value as a prompt, which runs commands in it", "leave @P out")
	}
	t.follow()
}

// followMake refuses values in what is exported to make, which runs $(shell …) in the variables of its
// environment.
func (g *graph) followMake(s *script, n syntax.Node) {
	c, ok := n.(*syntax.CallExpr)
	if !ok || !g.a.runsMake(c) {
		return
	}
	for _, name := range g.a.exports {
		if v := g.variables[name]; v != nil && v.value != nil && !g.plainText(name) {
			g.a.refuse(s, n, g.origin(v), "through $"+name, makeRuns,
				makeCure+", or write export -n "+name+" in front of it")
		}
	}
}

// followProject refuses values in the files of a directory that its tools run, though no word of a command
// names them: package.json in front of npm test, x_test.go in front of go test.
func (g *graph) followProject(s *script, n syntax.Node) {
	call, ok := n.(*syntax.CallExpr)
	if !ok || !g.a.files {
		return
	}
	c := g.a.call(call)
	for _, p := range c.reading.Programs {
		program := shellwords.Base(c.words[p.At].Text)
		obeys := shellwords.ObeysDirectory(program, g.a.options.Commands)
		words := make([]string, 0, p.End-p.At)
		for _, w := range c.words[p.At+1 : p.End] {
			words = append(words, w.Text)
		}
		for _, key := range slices.Sorted(maps.Keys(g.variables)) { // "$f" is known as what the author put into it, too
			v := g.variables[key]
			name, isFile := strings.CutPrefix(key, fileVariable(""))
			if !isFile || v == nil || v.value == nil {
				continue
			}
			by := ""
			if found, ok := sensitive.Find(path.Clean(name), "", sensitive.Built); ok && obeys {
				by = found.ReadBy
			} else if command.Takes(program, words, name) {
				by = program
			}
			if by != "" {
				g.a.refuse(s, n, g.origin(v), "through the file "+name, by+" runs what the file holds",
					"write a fixed file, and pass the value in another one that only holds data")
			}
		}
	}
}

// followPrinted refuses values in exported variables that a program prints into one which runs what it reads:
// env | sh.
func (g *graph) followPrinted(s *script, n syntax.Node) {
	pipe, ok := n.(*syntax.BinaryCmd)
	if !ok || pipe.Op != syntax.Pipe && pipe.Op != syntax.PipeAll || len(g.a.exports) == 0 {
		return
	}
	language, who := g.a.stdinOf(pipe.Y)
	if language == shellwords.Data {
		return
	}
	prints := false
	syntax.Walk(pipe.X, func(n syntax.Node) bool {
		c, ok := n.(*syntax.CallExpr)
		prints = prints || ok && g.a.anyProgram(c, func(_ *syntax.CallExpr, c *call, p shellwords.Span) bool {
			return command.In(command.VariablePrinters, shellwords.Base(c.words[p.At].Text))
		})
		return !prints && g.a.spend(1)
	})
	for _, name := range g.a.exports {
		if v := g.variables[name]; prints && v.tainted() {
			g.a.refuse(s, n, g.origin(v), "through $"+name,
				"it is printed to the standard input of "+who+", which runs it as "+string(language),
				"pass the value as an argument, or write export -n "+name+" in front of it")
		}
	}
}

// followWritten tells of values in files that run later, or decide what is allowed: ~/.bashrc.
func (g *graph) followWritten() {
	if g.a.options.TrustProgram {
		return
	}
	for _, w := range g.writers {
		name := path.Clean(homeInName.ReplaceAllString(w.key, ""))
		found, ok := sensitive.Find(name, "", sensitive.Control|sensitive.Runs)
		if !ok || !g.carries(w.from) || g.haveParameters(w.from) {
			continue
		}
		g.a.warn(w.script, w.node, "", "", "a value goes into "+w.key+", which "+found.Says,
			"write a fixed text, or say what the value looks like, with pattern: or enum:")
	}
}

// homeInName finds the home directory in front of a name, as fileKey writes it.
var homeInName = lazyregexp.New(`^(~|\$HOME)/`)

// haveParameters reports whether the author says of all values among some sources what they look like.
func (g *graph) haveParameters(from sources) bool {
	values := from.values
	for _, name := range from.variables {
		more, read := g.reaching(name)
		if values = append(values[:len(values):len(values)], more...); read {
			return false
		}
	}
	return from.input == "" && !slices.ContainsFunc(values, func(p *Slot) bool { return !p.hasPattern() })
}

// reaching returns the places of the values that a variable may hold, and whether it may hold something that
// a command read.
func (g *graph) reaching(name string) (values []*Slot, read bool) {
	if found, known := g.reached[name]; known {
		return found.values, found.read
	}
	seen := map[string]bool{}
	var look func(name string)
	look = func(name string) {
		if seen[name] || !g.a.spend(1+len(g.into[name])) {
			return
		}
		seen[name] = true
		for _, i := range g.into[name] {
			e := g.edges[i]
			read = read || e.from.input != "" && len(e.from.values)+len(e.from.variables) == 0
			for _, p := range e.from.values {
				if !slices.Contains(values, p) {
					values = append(values, p)
				}
			}
			for _, from := range e.from.variables {
				look(from)
			}
		}
	}
	look(name)
	g.reached[name] = reached{values, read}
	return values, read
}

// reached is an answer of reaching.
type reached struct {
	values []*Slot
	read   bool
}

// plainText reports whether all that a variable can hold are values that are plain text; see place.plainText.
func (g *graph) plainText(name string) bool {
	for _, e := range g.edges {
		if e.to != name {
			continue
		}
		if len(e.from.variables) > 0 || e.from.input != "" {
			return false
		}
		for _, p := range e.from.values {
			if !p.plainText("make") {
				return false
			}
		}
	}
	return true
}

// followExports refuses values in the variables that a script exports and programs obey.
func (g *graph) followExports() {
	for _, e := range g.edges {
		if !slices.Contains(g.a.exports, e.to) || e.from.input == "" && !g.carries(e.from) {
			continue
		}
		if meaning, runs, _ := g.a.options.Commands.Exported(e.to); runs {
			g.a.refuse(e.script, e.node, g.origin(g.variables[e.to]), "through $"+e.to, meaning,
				"use another variable, or list the values under enum")
		}
	}
}

// origin names what reaches a variable.
func (g *graph) origin(v *variable) string {
	if v.value != nil {
		return v.value.Value.Source
	}
	return "what " + v.input + " gets"
}

// checkTargets refuses values in variables that something evaluates. Assignments in the script's own syntax
// are seen by the value flows; these are the other ways: read, for, printf -v and so on.
func (g *graph) checkTargets() {
	for _, e := range g.edges {
		v := g.variables[e.to]
		if e.direct || !v.tainted() || e.from.input == "" && !g.carries(e.from) {
			continue
		}
		meaning, special := command.SpecialVariable(e.to)
		switch {
		case special:
			g.a.refuse(e.script, e.node, g.origin(v), "through $"+e.to, meaning, "use another variable")
		case g.integers[e.to]:
			g.a.refuse(e.script, e.node, g.origin(v), "through $"+e.to,
				"bash evaluates what is assigned to "+e.to+" as arithmetic (declare -i), which can run commands",
				"leave -i out")
		case g.references[e.to]:
			g.a.refuse(e.script, e.node, g.origin(v), "through $"+e.to,
				e.to+" is a reference (declare -n), so the value can choose a variable",
				"assign to the variable itself")
		}
	}
}

// carries reports whether sources may hold what the agent chose.
func (g *graph) carries(from sources) bool {
	if len(from.values) > 0 {
		return true
	}
	for _, name := range from.variables {
		if g.variables[name].tainted() {
			return true
		}
	}
	return false
}

// followArithmetic looks at everything that bash evaluates as arithmetic. There a name means its variable,
// whose text is evaluated in turn: with x=y, $((x)) evaluates y.
func (g *graph) followArithmetic(s *script, n syntax.Node) {
	check := func(roots ...syntax.Node) {
		for _, root := range roots {
			g.checkArithmetic(s, root)
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
		if n.Name != nil && n.Value != nil && g.integers[n.Name.Value] {
			check(n.Value)
		}
	case *syntax.CallExpr: // 'let' x=y, which is no let to the parser
		c := g.a.call(n)
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

func (g *graph) checkArithmetic(s *script, root syntax.Node) {
	if root == nil {
		return
	}
	from := g.sourcesOf(s, root)
	for _, name := range append(from.variables, from.names...) {
		v := g.evaluates(name, map[string]bool{})
		if v == nil {
			continue
		}
		shown := name
		if name == s.frame+"@" {
			shown = "1"
		}
		fix := "take its digits into a variable of their own first: n=${" + shown + "//[^0-9]/}"
		if v.value != nil {
			fix = "declare the parameter with `type: integer`, or " + fix
		}
		context := "through $" + shown
		if file, ok := strings.CutPrefix(name, fileVariable("")); ok {
			context, fix = "through the file "+file,
				"take the digits of what comes out of it into a variable first: n=$(…); n=${n//[^0-9]/}"
		}
		g.a.refuse(s, root, g.origin(v), context,
			"evaluated as arithmetic: a value like x[$(cmd)] runs cmd", fix)
	}
}

// evaluates returns the variable with a value in it that arithmetic reaches from a name, nil when it
// reaches none.
func (g *graph) evaluates(name string, seen map[string]bool) *variable {
	v := g.variables[name]
	if v == nil || seen[name] {
		return nil
	}
	if v.tainted() {
		return v
	}
	seen[name] = true
	for next := range v.names {
		if found := g.evaluates(next, seen); found != nil {
			return found
		}
	}
	return nil
}
