package taint

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/a2a-acp/a2a-acp/internal/argument"
	"github.com/a2a-acp/a2a-acp/internal/command"
)

// graph is what the variables of a script may hold, and by which assignments. It knows names, not times:
// what is ever assigned to a variable may be in it everywhere.
type graph struct {
	a         *analysis
	variables map[string]*variable
	edges     []edge
	readers   map[string][]int // the edges that read a variable
	into      map[string][]int // and those that assign to one
	reached   map[string]reached
	writers   []writer

	writes     map[string]int // how often something assigns to a variable
	arrays     map[string]bool
	integers   map[string]bool       // declare -i
	references map[string]bool       // declare -n
	written    map[string]bool       // the files that a command of the script itself names and writes
	options    map[*syntax.Word]bool // lists of options: "${options[@]}" behind a program that is no interpreter
}

// variable is one that may hold a value of the call, or something else that the author did not write.
type variable struct {
	value   *Slot  // of a value that reaches it, nil when none does
	input   string // the command that read it, "" when none did
	leads   map[*Slot]bool
	printed bool            // it may begin with what a command printed
	names   map[string]bool // the names in its fixed text, which arithmetic would evaluate
}

// tainted reports whether the variable may hold what the agent chose.
func (v *variable) tainted() bool { return v != nil && (v.value != nil || v.input != "") }

// edge is one assignment: what it reads, and to which variable that goes.
type edge struct {
	to     string
	from   sources
	script *script
	node   syntax.Node
	direct bool // an assignment in the script's syntax, which value flows see themselves
}

// sources is what a word or command may hold.
type sources struct {
	values     []*Slot // of values that the agent chooses
	variables  []string
	leadValues []*Slot // those that the text may begin with
	leadNames  []string
	printed    bool     // it may begin with what a command printed
	names      []string // the names in its fixed text
	input      string   // the command that reads it from somewhere
}

// anyVariable stands for a variable whose name is only known when the script runs: ${!name}.
const anyVariable = "!"

func newGraph(a *analysis) *graph {
	g := &graph{
		a: a, variables: map[string]*variable{}, readers: map[string][]int{}, writes: map[string]int{},
		arrays: map[string]bool{}, integers: map[string]bool{}, references: map[string]bool{},
		written: map[string]bool{}, options: map[*syntax.Word]bool{}, into: map[string][]int{},
		reached: map[string]reached{},
	}
	for _, s := range a.scripts {
		visit(s.file, func(stack []syntax.Node) bool {
			g.collect(s, stack)
			return g.a.spend(1)
		})
	}
	g.joinPatterns(a.scripts[0])
	g.propagate()
	return g
}

func (g *graph) variable(name string) *variable {
	v := g.variables[name]
	if v == nil {
		v = &variable{leads: map[*Slot]bool{}, names: map[string]bool{}}
		g.variables[name] = v
	}
	return v
}

// assign adds an edge.
func (g *graph) assign(s *script, to string, from sources, node syntax.Node, direct bool) {
	g.writes[to]++
	for _, name := range from.variables {
		g.readers[name] = append(g.readers[name], len(g.edges))
	}
	g.into[to] = append(g.into[to], len(g.edges))
	g.edges = append(g.edges, edge{to: to, from: from, script: s, node: node, direct: direct})
}

// propagate carries everything along the edges until nothing changes. Every step adds something to a
// variable, of which there is only so much, so it ends.
func (g *graph) propagate() {
	queue := make([]int, len(g.edges))
	queued := make([]bool, len(g.edges))
	for i := range g.edges {
		queue[i], queued[i] = i, true
	}
	for len(queue) > 0 {
		i := queue[0]
		queue, queued[i] = queue[1:], false
		e := g.edges[i]
		if !g.carry(e) {
			continue
		}
		targets := g.readers[e.to]
		if g.variables[e.to].tainted() && g.addAny(e.to) {
			targets = append(append([]int(nil), targets...), g.readers[anyVariable]...)
		}
		for _, j := range targets {
			if !queued[j] {
				queue, queued[j] = append(queue, j), true
			}
		}
	}
}

// carry takes one edge and tells whether its variable may hold more than before.
func (g *graph) carry(e edge) (grew bool) {
	v := g.variable(e.to)
	set := func(to **Slot, from *Slot) {
		if *to == nil && from != nil {
			*to, grew = from, true
		}
	}
	lead := func(p *Slot) {
		if !v.leads[p] {
			v.leads[p], grew = true, true
		}
	}
	for _, p := range e.from.values {
		set(&v.value, p)
	}
	for _, p := range e.from.leadValues {
		lead(p)
	}
	if v.input == "" && e.from.input != "" {
		v.input, grew = e.from.input, true
	}
	if e.from.printed && !v.printed {
		v.printed, grew = true, true
	}
	for _, name := range e.from.names {
		v.names[name] = true
	}
	for _, name := range e.from.variables {
		if from := g.variables[name]; from != nil {
			set(&v.value, from.value)
			if v.input == "" && from.input != "" {
				v.input, grew = from.input, true
			}
		}
	}
	for _, name := range e.from.leadNames {
		if from := g.variables[name]; from != nil {
			for p := range from.leads {
				lead(p)
			}
			if from.printed && !v.printed {
				v.printed, grew = true, true
			}
		}
	}
	return grew
}

// addAny makes the variable that could be any one hold what this one holds.
func (g *graph) addAny(name string) bool {
	from, all := g.variables[name], g.variable(anyVariable)
	if all.value == nil && from.value != nil {
		all.value = from.value
		return true
	}
	if all.input == "" && from.input != "" {
		all.input = from.input
		return true
	}
	return false
}

// sourcesOf collects what a word, or anything else, may hold.
func (g *graph) sourcesOf(s *script, n syntax.Node) sources {
	c := &collector{graph: g, script: s, functions: map[string]bool{}}
	c.collect(n)
	if w, ok := n.(*syntax.Word); ok {
		c.lead(w)
	}
	return c.sources
}

// collector gathers sources.
type collector struct {
	*graph
	script    *script
	functions map[string]bool // those that were looked into
	inside    bool            // in a substitution: its text is not what it prints
	sources   sources
}

func (c *collector) collect(n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		if !c.a.spend(1) {
			return false
		}
		switch n := n.(type) {
		case *syntax.Comment, *syntax.ArithmExp: // a number comes out of arithmetic, and value flows see what goes in
			return false
		case *syntax.Lit, *syntax.SglQuoted:
			c.text(leafText(n))
		case *syntax.ParamExp:
			return c.parameter(n)
		case *syntax.CmdSubst:
			if !c.a.countsOnly(n) {
				outside := c.inside
				c.inside = true
				for _, s := range n.Stmts {
					c.collect(s)
				}
				c.inside = outside
			}
			return false
		case *syntax.CallExpr:
			c.call(n)
			c.sources.variables = append(c.sources.variables, c.a.filesRead(n)...)
		case *syntax.Redirect:
			if n.Op == syntax.DplIn && (n.N == nil || n.N.Value == "0") && !isOwnStdin(n.Word) {
				c.sources.input = "a descriptor"
			}
			if key := c.a.fileKey(n.Word); c.a.files && key != "" && n.Op == syntax.RdrIn {
				c.sources.variables = append(c.sources.variables, fileVariable(key))
			}
		}
		return true
	})
}

func (c *collector) text(text string) {
	for {
		before, p, rest, ok := c.a.Cut(text)
		if !c.inside {
			c.sources.names = append(c.sources.names, identifiers(before)...)
		}
		if !ok {
			return
		}
		if p.Value.Class == argument.Free {
			c.sources.values = append(c.sources.values, p)
		}
		c.sources.names = append(c.sources.names, p.Value.names()...)
		text = rest
	}
}

func (c *collector) parameter(n *syntax.ParamExp) bool {
	switch {
	case n.Length || n.Param == nil || digitsOnly(n):
		return false
	case n.Excl && n.Names == 0:
		c.sources.variables = append(c.sources.variables, anyVariable)
	case n.Excl:
		return false // names of variables
	}
	c.sources.variables = append(c.sources.variables, c.script.name(n.Param.Value))
	return true
}

// call looks into functions, whose output a substitution holds, and at the commands that print variables.
func (c *collector) call(n *syntax.CallExpr) {
	call := c.a.call(n)
	if name := call.function; name != "" && !c.functions[name] {
		c.functions[name] = true
		for _, function := range c.a.functions[name] {
			c.collect(function.Body)
		}
	}
	if len(call.words) > 0 && call.words[0].Fixed {
		if command.In(command.VariablePrinters, call.words[0].Text) {
			c.sources.variables = append(c.sources.variables, anyVariable)
		}
	}
}

// lead finds what a word may begin with: everything up to the first text that is sure to be there.
func (c *collector) lead(w *syntax.Word) {
	c.a.atoms(w.Parts, func(text string, p *Slot, n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.ParamExp:
			if n.Param != nil && !n.Length && n.Exp == nil && n.Repl == nil && n.Slice == nil && !n.Excl {
				c.sources.leadNames = append(c.sources.leadNames, c.script.name(n.Param.Value))
			} else {
				c.sources.printed = c.sources.printed || !n.Length
			}
		case *syntax.CmdSubst:
			c.sources.printed = true
		}
		if p != nil && p.Value.Class != argument.Listed {
			c.sources.leadValues = append(c.sources.leadValues, p)
		}
		return text == ""
	})
}

// name is the name of a variable within all scripts: the positional parameters of each shell are one
// variable of its own.
func (s *script) name(name string) string {
	switch {
	case name == "@" || name == "*" || strings.Trim(name, "0123456789") == "" && name != "0":
		return s.frame + "@"
	case name == "0" && s.zero:
		return s.frame + "@"
	case name == "_" || name == "BASH_ARGV": // the last argument of whatever ran before
		return anyVariable
	}
	return name
}

// digitsOnly recognises ${x//[^0-9]/}, which leaves nothing but digits.
func digitsOnly(n *syntax.ParamExp) bool {
	if n.Repl == nil || !n.Repl.All || n.Repl.Orig == nil || n.Repl.With != nil && len(n.Repl.With.Parts) > 0 {
		return false
	}
	lit := n.Repl.Orig.Lit()
	return lit == "[^0-9]" || lit == "[!0-9]"
}

// countsOnly reports whether a substitution ends in wc, which prints numbers when it reads its standard
// input.
func (a *analysis) countsOnly(n *syntax.CmdSubst) bool {
	if len(n.Stmts) != 1 {
		return false
	}
	s := n.Stmts[0]
	for {
		b, ok := s.Cmd.(*syntax.BinaryCmd)
		if !ok || b.Op != syntax.Pipe {
			break
		}
		s = b.Y
	}
	c, ok := s.Cmd.(*syntax.CallExpr)
	if !ok {
		return false
	}
	words := a.call(c).words
	if len(words) == 0 || !command.In(command.Counters, words[0].Text) || a.functions[words[0].Text] != nil {
		return false
	}
	for _, w := range words[1:] {
		if !w.Fixed || !strings.HasPrefix(w.Text, "-") || strings.HasPrefix(w.Text, "--files") {
			return false
		}
	}
	return true
}

// identifiers lists the names in a text that arithmetic would take for variables.
func identifiers(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
}
