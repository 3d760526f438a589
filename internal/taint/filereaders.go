package taint

import (
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
	"github.com/a2a-acp/a2a-acp/internal/shellwords"
	"mvdan.cc/sh/v3/syntax"
)

// followFiles looks at every place where a file that may hold a value is read, and follows what comes out
// of there.
func (g *graph) followFiles(s *script, stack []syntax.Node) {
	switch n := stack[len(stack)-1].(type) {
	case *syntax.CallExpr:
		if !g.a.files {
			return
		}
		c := g.a.call(n)
		for i, role := range c.reading.Roles {
			switch role.Kind {
			case shellwords.Operand, shellwords.Argument:
				if t := g.fileFlow(s, stack, n.Args[i]); t != nil {
					if brings := c.reading.Brings; brings != "" { // the files that a patch or an archive names
						t.brought(n, brings)
					}
					t.outputs(n)
					t.climb(len(stack) - 2)
				}
			case shellwords.CodeFile, shellwords.Program, shellwords.Unclear:
				runs := role.Kind == shellwords.CodeFile || !c.words[i].Fixed ||
					strings.Contains(c.words[i].Text, "/") || g.a.settings["PATH"] != nil
				if g.options[n.Args[i]] {
					g.refuseListed(s, n, listOf(n.Args[i]))
					continue
				}
				if _, open := g.a.filePattern(g.a.fileKey(n.Args[i])); open && mayBeOptions(c, role) {
					continue // git $options: the same
				}
				if t := g.fileFlow(s, stack, n.Args[i]); t != nil && runs {
					t.refuse("the file is run here",
						"give the program a fixed text and pass the value as an argument")
				}
			}
		}
	case *syntax.Stmt:
		for _, r := range n.Redirs {
			if r.Op == syntax.DplIn && (r.N == nil || r.N.Value == "0") && !isOwnStdin(r.Word) {
				t := &valueFlow{
					a: g.a, script: s, stack: append(append([]syntax.Node(nil), stack...), r.Word),
					visited:    map[syntax.Node]bool{},
					descriptor: true, origin: "what a descriptor holds",
				}
				t.feed(n)
				t.climb(len(stack) - 1)
			}
			if r.Op != syntax.RdrIn && r.Op != syntax.RdrInOut {
				continue
			}
			if !g.a.files {
				continue
			}
			if t := g.fileFlow(s, stack, r.Word); t != nil {
				t.feed(n)
				t.climb(len(stack) - 1)
			}
		}
	}
}

// mayBeOptions reports whether a word that nobody knows stands behind a program that runs no file: it is
// its options or data.
func mayBeOptions(c *call, role shellwords.Role) bool {
	return role.Kind == shellwords.Unclear && c.reading.Stdin == shellwords.Data && role.Reader != "." &&
		role.Reader != "source"
}

// listOf returns the name of the list whose elements a word is: "${options[@]}", "${options[@]:1}".
func listOf(w *syntax.Word) string {
	if found := wholeList.FindStringSubmatch(printedKey(w)); found != nil {
		return found[1]
	}
	return ""
}

var wholeList = lazyregexp.New(`^\$([A-Za-z_][A-Za-z0-9_]*)\[[@*]\](?::|$)`)

// refuseListed refuses a list of options in which the author names a file that may hold a value: find
// "${A[@]}" after A=(-exec bash t.sh ';').
func (g *graph) refuseListed(s *script, n syntax.Node, list string) {
	v := g.a.settings[list]
	if v == nil {
		return
	}
	for _, name := range v.items {
		if file := g.variables[fileVariable(name)]; g.written[fileVariable(name)] && file != nil &&
			file.value != nil {
			g.a.refuse(s, n, g.origin(file), "through the file "+name,
				"the file may be run here, by one of the options in "+list,
				"give the program a fixed text and pass the value as an argument")
			return
		}
	}
}

// isOwnStdin recognises <&0 and <&-.
func isOwnStdin(w *syntax.Word) bool { return w.Lit() == "0" || w.Lit() == "-" }

// fileFlow begins at a word that names a file which may hold a value; nil for other words.
func (g *graph) fileFlow(s *script, stack []syntax.Node, w *syntax.Word) *valueFlow {
	key := g.a.fileKey(w)
	v := g.variables[fileVariable(key)]
	if key == "" || v == nil || v.value == nil {
		return nil
	}
	return &valueFlow{
		a: g.a, script: s, stack: append(append([]syntax.Node(nil), stack...), w),
		visited: map[syntax.Node]bool{}, file: key, key: fileVariable(key), origin: g.origin(v),
	}
}

// ownDescriptor recognises the files that are descriptors other than standard input.
var ownDescriptor = lazyregexp.New(`^/(dev|proc/(self|[0-9]+))/fd/[1-9][0-9]*$`)

// descriptorOf recognises /dev/fd/$fd.
func descriptorOf(w *syntax.Word) bool {
	key := printedKey(w)
	return strings.HasPrefix(key, "/dev/fd/") || strings.HasPrefix(key, "/proc/self/fd/")
}

// forbidUnseen refuses the ways to hand a text to something that runs it which are not followed: by a
// descriptor that stays open.
func (a *analysis) forbidUnseen(s *script, n *syntax.Stmt) {
	call, ok := n.Cmd.(*syntax.CallExpr)
	if !ok {
		return
	}
	if len(call.Args) == 1 && call.Args[0].Lit() == "exec" {
		for _, r := range n.Redirs {
			for _, part := range r.Word.Parts {
				p, ok := part.(*syntax.ProcSubst)
				if !ok || p.Op != syntax.CmdOut {
					continue
				}
				for _, reader := range p.Stmts {
					if language, who := a.stdinOf(reader); language != shellwords.Data {
						a.refuse(s, n, "", "",
							"what the script prints from here on goes to "+who+", which runs it as "+
								string(language), "pass values as arguments")
					}
				}
			}
		}
	}
	c := a.call(call)
	for i, role := range c.reading.Roles {
		if role.Kind == shellwords.CodeFile && ownDescriptor.MatchString(c.words[i].Text) ||
			(role.Kind == shellwords.CodeFile || role.Kind == shellwords.Unclear) && !c.words[i].Fixed &&
				descriptorOf(call.Args[i]) {
			a.refuse(s, n, "", "",
				"it cannot be told what "+role.Reader+" reads from "+c.words[i].Text+" and runs",
				"name a file, or write the code in the script")
		}
	}
}
