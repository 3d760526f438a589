package taint

import (
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/shellwords"
	"mvdan.cc/sh/v3/syntax"
)

// collect finds the assignments that one node makes.
func (g *graph) collect(s *script, stack []syntax.Node) {
	g.collectFiles(s, stack)
	switch n := stack[len(stack)-1].(type) {
	case *syntax.Assign:
		g.collectAssign(s, n, stack)
	case *syntax.DeclClause:
		g.collectDeclare(s, n)
	case *syntax.ForClause:
		if n.Select {
			g.assign(s, "REPLY", sources{input: "select"}, n, false)
		}
	case *syntax.WordIter:
		if !n.InPos.IsValid() {
			g.assign(s, n.Name.Value, sources{variables: []string{s.name("@")}}, n, false)
		}
		for _, w := range n.Items {
			g.assign(s, n.Name.Value, g.sourcesOf(s, w), n, false)
		}
	case *syntax.ParamExp:
		if n.Exp != nil && n.Exp.Word != nil && n.Param != nil &&
			(n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull) {
			g.assign(s, n.Param.Value, g.sourcesOf(s, n.Exp.Word), n, false)
		}
	case *syntax.BinaryTest:
		if n.Op == syntax.TsReMatch {
			g.assign(s, "BASH_REMATCH", g.sourcesOf(s, n.X), n, false)
		}
	case *syntax.CallExpr:
		g.collectCall(s, n, stack)
		g.collectItems(s, n, stack)
	}
}

// collectItems gives what xargs and find hand out to the parameters of the shell code that they start:
// xargs -0 bash -c '… "$1"' _.
func (g *graph) collectItems(s *script, n *syntax.CallExpr, stack []syntax.Node) {
	c := g.a.call(n)
	items := false
	for _, p := range c.reading.Programs {
		name := shellwords.Base(c.words[p.At].Text)
		items = items || command.In(command.ItemGivers, name)
	}
	if !items || len(c.nested) == 0 {
		return
	}
	from := g.sourcesOf(s, n) // the names that find prints begin with its own words
	g.addFeeds(&from, s, append(stack[:len(stack):len(stack)], n), map[string]bool{})
	for _, nested := range c.nested {
		g.assign(s, nested.name("@"), from, n, false)
	}
}

func (g *graph) collectAssign(s *script, n *syntax.Assign, stack []syntax.Node) {
	if n.Name == nil {
		return
	}
	name := n.Name.Value
	if n.Index != nil || n.Array != nil {
		g.arrays[name] = true
	}
	var from sources
	switch {
	case n.Value != nil:
		from = g.sourcesOf(s, n.Value)
		if prints(n.Value) {
			g.addFeeds(&from, s, stack, map[string]bool{})
		}
	case n.Array != nil:
		for _, element := range n.Array.Elems {
			if element.Value != nil {
				from = merge(from, g.sourcesOf(s, element.Value))
			}
		}
	case n.Naked:
		return
	}
	g.assign(s, name, from, n, true)
}

// collectDeclare notes the attributes that make later assignments more than assignments.
func (g *graph) collectDeclare(s *script, n *syntax.DeclClause) {
	options, fixed := declareOptions(n)
	for _, arg := range n.Args {
		if arg.Name == nil {
			continue
		}
		name := arg.Name.Value
		g.arrays[name] = g.arrays[name] || strings.ContainsAny(options, "aA")
		g.integers[name] = g.integers[name] || strings.Contains(options, "i") || !fixed
		if strings.Contains(options, "n") && n.Variant.Value != "export" || n.Variant.Value == "nameref" {
			g.references[name] = true
			for _, target := range g.sourcesOf(s, arg).names { // the two are one variable
				g.assign(s, name, sources{variables: []string{target}}, n, true)
				g.assign(s, target, sources{variables: []string{name}}, n, true)
			}
		}
	}
}

// collectCall finds the assignments that builtins and functions make.
func (g *graph) collectCall(s *script, n *syntax.CallExpr, stack []syntax.Node) {
	c := g.a.call(n)
	if len(n.Args) == 0 {
		return
	}
	var words sources
	for _, w := range n.Args[1:] {
		words = merge(words, g.sourcesOf(s, w))
	}
	g.assign(s, anyVariable, words, n, false)
	if c.function != "" || !c.words[0].Fixed {
		g.assign(s, s.name("@"), words, n, false)
		for _, declarer := range g.a.declarers[c.function] {
			g.assign(s, declarer.name("@"), words, n, false)
		}
		return
	}
	for i, role := range c.reading.Roles {
		if variable, _, ok := strings.Cut(c.words[i].Text, "="); ok && role.Kind == shellwords.Assignment &&
			syntax.ValidName(variable) {
			g.assign(s, variable, g.sourcesOf(s, n.Args[i]), n, true) // env X={{x}} bash -c 'eval "$X"'
		}
	}
	for i := range c.reading.Programs {
		g.collectBuiltin(s, n, c, c.reading.Programs[i], words, stack)
	}
	if c.reading.Stdin == shellwords.Shell {
		g.assign(s, s.name("@"), words, n, false) // bash -s a b <<EOF
	}
	for _, text := range c.reading.Code {
		for _, nested := range g.a.scripts {
			if !nested.zero || nested.at != g.a.offset(s, n) {
				continue
			}
			for _, i := range text.Parameters {
				g.assign(s, nested.name("@"), g.sourcesOf(s, n.Args[i]), n, false)
			}
		}
	}
}

func (g *graph) collectBuiltin(
	s *script, n *syntax.CallExpr, c *call, p shellwords.Span, words sources, stack []syntax.Node,
) {
	name := c.words[p.At].Text
	variables := func(from sources) (any bool) {
		for i := p.At + 1; i < p.End; i++ {
			target, _, _ := strings.Cut(c.words[i].Text, "[")
			if c.reading.Roles[i].Kind == shellwords.Variable && c.words[i].Fixed && syntax.ValidName(target) {
				g.assign(s, target, from, n, false)
				g.arrays[target] = g.arrays[target] || name != "read" && name != "printf" && name != "getopts" ||
					strings.Contains(c.words[i].Text, "[") || i > 0 && c.words[i-1].Text == "-a"
				any = true
			}
		}
		return any
	}
	switch name {
	case "read":
		if text := g.textRead(s, name, stack); !variables(text) {
			g.assign(s, "REPLY", text, n, false)
		}
	case "mapfile", "readarray":
		if text := g.textRead(s, name, stack); !variables(text) {
			g.assign(s, "MAPFILE", text, n, false)
			g.arrays["MAPFILE"] = true
		}
	case "printf", "unset", "wait":
		variables(words)
	case "getopts":
		words.variables = append(words.variables, s.name("@"))
		variables(words)
		g.assign(s, "OPTARG", words, n, false)
	case "set":
		g.assign(s, s.name("@"), words, n, false)
	case "cd", "pushd", "popd":
		for _, target := range []string{"PWD", "OLDPWD", "DIRSTACK"} {
			g.assign(s, target, words, n, false)
		}
	}
}

// textRead is what a builtin reads: lines or words of the values that are printed to it, any of which can
// begin with a '-' where the value does not. What else it reads, such as the names that find prints, is not a
// value's own text.
func (g *graph) textRead(s *script, builtin string, stack []syntax.Node) sources {
	var text sources
	g.feeders(stack, map[string]bool{}, func(from syntax.Node) {
		syntax.Walk(from, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.CallExpr:
				if c := g.a.call(n); len(c.words) > 0 && (c.words[0].Text == "echo" || c.words[0].Text == "printf") {
					text = merge(text, g.sourcesOf(s, n))
				}
			case *syntax.Redirect:
				if n.Hdoc != nil {
					text = merge(text, g.sourcesOf(s, n.Hdoc))
				} else if n.Op == syntax.WordHdoc {
					text = merge(text, g.sourcesOf(s, n.Word))
				}
			}
			return g.a.spend(1)
		})
	})
	return sources{input: builtin, values: text.values, variables: text.variables, printed: true}
}

// offset returns where a node stands in the text of the Script; of one in nested code, the word that holds
// it.
func (a *analysis) offset(s *script, n syntax.Node) int {
	if s == a.scripts[0] {
		return int(n.Pos().Offset())
	}
	return s.at
}

// prints reports whether a word holds what a command prints.
func prints(w *syntax.Word) (found bool) {
	syntax.Walk(w, func(n syntax.Node) bool {
		_, ok := n.(*syntax.CmdSubst)
		found = found || ok
		return !found
	})
	return found
}

// addFeeds adds what an assignment's surroundings give it to read: x=$(cat) at the end of a pipe, below a
// here-document, or in a function that is called there.
func (g *graph) addFeeds(from *sources, s *script, stack []syntax.Node, seen map[string]bool) {
	g.feeders(stack, seen, func(n syntax.Node) {
		r, redirected := n.(*syntax.Redirect)
		switch {
		case !redirected:
			*from = merge(*from, g.sourcesOf(s, n))
		case r.Hdoc != nil:
			*from = merge(*from, g.sourcesOf(s, r.Hdoc))
		case r.Op == syntax.WordHdoc || r.Op == syntax.RdrIn:
			*from = merge(*from, g.sourcesOf(s, r.Word))
		}
		if redirected && r.Op == syntax.RdrIn && g.a.files {
			if key := g.a.fileKey(r.Word); key != "" {
				from.variables = append(from.variables, fileVariable(key))
			}
		}
	})
}

// feeders hands out what stands around a node and gives it to read: the commands in front of a pipe, and
// redirections, also those of the calls of its function.
func (g *graph) feeders(stack []syntax.Node, seen map[string]bool, feed func(syntax.Node)) {
	for i := len(stack) - 2; i >= 0; i-- {
		switch n := stack[i].(type) {
		case *syntax.BinaryCmd:
			if (n.Op == syntax.Pipe || n.Op == syntax.PipeAll) && stack[i+1] == syntax.Node(n.Y) {
				feed(n.X)
			}
		case *syntax.Stmt:
			for _, r := range n.Redirs {
				feed(r)
			}
		case *syntax.FuncDecl:
			if n.Name != nil && !seen[n.Name.Value] {
				seen[n.Name.Value] = true
				for _, caller := range g.a.callers[n.Name.Value] {
					g.feeders(caller, seen, feed)
				}
			}
			return
		}
	}
}

func merge(a, b sources) sources {
	a.values = append(a.values, b.values...)
	a.variables = append(a.variables, b.variables...)
	a.leadValues = append(a.leadValues, b.leadValues...)
	a.leadNames = append(a.leadNames, b.leadNames...)
	a.printed = a.printed || b.printed
	a.names = append(a.names, b.names...)
	if a.input == "" {
		a.input = b.input
	}
	return a
}
