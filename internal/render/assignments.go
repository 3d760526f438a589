package render

import (
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/shellwords"
	"mvdan.cc/sh/v3/syntax"
)

// collect finds the assignments that one node makes.
func (f *flow) collect(s *script, stack []syntax.Node) {
	f.collectFiles(s, stack)
	switch n := stack[len(stack)-1].(type) {
	case *syntax.Assign:
		f.collectAssign(s, n, stack)
	case *syntax.DeclClause:
		f.collectDeclare(s, n)
	case *syntax.ForClause:
		if n.Select {
			f.assign(s, "REPLY", sources{input: "select"}, n, false)
		}
	case *syntax.WordIter:
		if !n.InPos.IsValid() {
			f.assign(s, n.Name.Value, sources{variables: []string{s.name("@")}}, n, false)
		}
		for _, w := range n.Items {
			f.assign(s, n.Name.Value, f.sourcesOf(s, w), n, false)
		}
	case *syntax.ParamExp:
		if n.Exp != nil && n.Exp.Word != nil && n.Param != nil &&
			(n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull) {
			f.assign(s, n.Param.Value, f.sourcesOf(s, n.Exp.Word), n, false)
		}
	case *syntax.BinaryTest:
		if n.Op == syntax.TsReMatch {
			f.assign(s, "BASH_REMATCH", f.sourcesOf(s, n.X), n, false)
		}
	case *syntax.CallExpr:
		f.collectCall(s, n)
		f.collectItems(s, n, stack)
	}
}

// collectItems gives what xargs and find hand out to the parameters of the shell code that they start:
// xargs -0 bash -c '… "$1"' _.
func (f *flow) collectItems(s *script, n *syntax.CallExpr, stack []syntax.Node) {
	c := f.a.call(n)
	items := false
	for _, p := range c.reading.Programs {
		name := shellwords.Base(c.words[p.At].Text)
		items = items || command.In(command.ItemGivers, name)
	}
	if !items || len(c.nested) == 0 {
		return
	}
	from := f.sourcesOf(s, n) // the names that find prints begin with its own words
	f.addFeeds(&from, s, append(stack[:len(stack):len(stack)], n), map[string]bool{})
	for _, nested := range c.nested {
		f.assign(s, nested.name("@"), from, n, false)
	}
}

func (f *flow) collectAssign(s *script, n *syntax.Assign, stack []syntax.Node) {
	if n.Name == nil {
		return
	}
	name := n.Name.Value
	if n.Index != nil || n.Array != nil {
		f.arrays[name] = true
	}
	var from sources
	switch {
	case n.Value != nil:
		from = f.sourcesOf(s, n.Value)
		if prints(n.Value) {
			f.addFeeds(&from, s, stack, map[string]bool{})
		}
	case n.Array != nil:
		for _, element := range n.Array.Elems {
			if element.Value != nil {
				from = merge(from, f.sourcesOf(s, element.Value))
			}
		}
	case n.Naked:
		return
	}
	f.assign(s, name, from, n, true)
}

// collectDeclare notes the attributes that make later assignments more than assignments.
func (f *flow) collectDeclare(s *script, n *syntax.DeclClause) {
	options, fixed := declareOptions(n)
	for _, arg := range n.Args {
		if arg.Name == nil {
			continue
		}
		name := arg.Name.Value
		f.arrays[name] = f.arrays[name] || strings.ContainsAny(options, "aA")
		f.integers[name] = f.integers[name] || strings.Contains(options, "i") || !fixed
		if strings.Contains(options, "n") && n.Variant.Value != "export" || n.Variant.Value == "nameref" {
			f.references[name] = true
			for _, target := range f.sourcesOf(s, arg).names { // the two are one variable
				f.assign(s, name, sources{variables: []string{target}}, n, true)
				f.assign(s, target, sources{variables: []string{name}}, n, true)
			}
		}
	}
}

// collectCall finds the assignments that builtins and functions make.
func (f *flow) collectCall(s *script, n *syntax.CallExpr) {
	c := f.a.call(n)
	if len(n.Args) == 0 {
		return
	}
	var words sources
	for _, w := range n.Args[1:] {
		words = merge(words, f.sourcesOf(s, w))
	}
	f.assign(s, anyVariable, words, n, false)
	if c.function != "" || !c.words[0].Fixed {
		f.assign(s, s.name("@"), words, n, false)
		for _, declarer := range f.a.declarers[c.function] {
			f.assign(s, declarer.name("@"), words, n, false)
		}
		return
	}
	for i, role := range c.reading.Roles {
		if variable, _, ok := strings.Cut(c.words[i].Text, "="); ok && role.Kind == shellwords.Assignment &&
			syntax.ValidName(variable) {
			f.assign(s, variable, f.sourcesOf(s, n.Args[i]), n, true) // env X={{x}} bash -c 'eval "$X"'
		}
	}
	for i := range c.reading.Programs {
		f.collectBuiltin(s, n, c, c.reading.Programs[i], words)
	}
	if c.reading.Stdin == shellwords.Shell {
		f.assign(s, s.name("@"), words, n, false) // bash -s a b <<EOF
	}
	for _, text := range c.reading.Code {
		for _, nested := range f.a.scripts {
			if !nested.zero || nested.at != f.a.offset(s, n) {
				continue
			}
			for _, i := range text.Parameters {
				f.assign(s, nested.name("@"), f.sourcesOf(s, n.Args[i]), n, false)
			}
		}
	}
}

func (f *flow) collectBuiltin(s *script, n *syntax.CallExpr, c *call, p shellwords.Span, words sources) {
	name := c.words[p.At].Text
	variables := func(from sources) (any bool) {
		for i := p.At + 1; i < p.End; i++ {
			target, _, _ := strings.Cut(c.words[i].Text, "[")
			if c.reading.Roles[i].Kind == shellwords.Variable && c.words[i].Fixed && syntax.ValidName(target) {
				f.assign(s, target, from, n, false)
				f.arrays[target] = f.arrays[target] || name != "read" && name != "printf" && name != "getopts" ||
					strings.Contains(c.words[i].Text, "[") || i > 0 && c.words[i-1].Text == "-a"
				any = true
			}
		}
		return any
	}
	switch name {
	case "read":
		if !variables(sources{input: name}) {
			f.assign(s, "REPLY", sources{input: name}, n, false)
		}
	case "mapfile", "readarray":
		if !variables(sources{input: name}) {
			f.assign(s, "MAPFILE", sources{input: name}, n, false)
			f.arrays["MAPFILE"] = true
		}
	case "printf", "unset", "wait":
		variables(words)
	case "getopts":
		words.variables = append(words.variables, s.name("@"))
		variables(words)
		f.assign(s, "OPTARG", words, n, false)
	case "set":
		f.assign(s, s.name("@"), words, n, false)
	case "cd", "pushd", "popd":
		for _, target := range []string{"PWD", "OLDPWD", "DIRSTACK"} {
			f.assign(s, target, words, n, false)
		}
	}
}

// offset is where a node stands in the skeleton.
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
func (f *flow) addFeeds(from *sources, s *script, stack []syntax.Node, seen map[string]bool) {
	for i := len(stack) - 2; i >= 0; i-- {
		switch n := stack[i].(type) {
		case *syntax.BinaryCmd:
			if (n.Op == syntax.Pipe || n.Op == syntax.PipeAll) && stack[i+1] == syntax.Node(n.Y) {
				*from = merge(*from, f.sourcesOf(s, n.X))
			}
		case *syntax.Stmt:
			for _, r := range n.Redirs {
				if r.Hdoc != nil {
					*from = merge(*from, f.sourcesOf(s, r.Hdoc))
				} else if r.Op == syntax.WordHdoc || r.Op == syntax.RdrIn {
					*from = merge(*from, f.sourcesOf(s, r.Word))
				}
				if key := f.a.fileKey(r.Word); f.a.files && key != "" && r.Op == syntax.RdrIn {
					from.variables = append(from.variables, fileVariable(key))
				}
			}
		case *syntax.FuncDecl:
			if n.Name != nil && !seen[n.Name.Value] {
				seen[n.Name.Value] = true
				for _, caller := range f.a.callers[n.Name.Value] {
					f.addFeeds(from, s, caller, seen)
				}
			}
			return
		}
	}
}

func merge(a, b sources) sources {
	a.tags = append(a.tags, b.tags...)
	a.variables = append(a.variables, b.variables...)
	a.leadTags = append(a.leadTags, b.leadTags...)
	a.leadNames = append(a.leadNames, b.leadNames...)
	a.printed = a.printed || b.printed
	a.names = append(a.names, b.names...)
	if a.input == "" {
		a.input = b.input
	}
	return a
}
