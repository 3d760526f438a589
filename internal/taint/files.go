package taint

import (
	"github.com/a2a-acp/a2a-acp/internal/shellwords"
	"mvdan.cc/sh/v3/syntax"
)

// What a script writes to a file it may read again, and run. Files are followed like variables, by the word
// that names them: a file that a value was written to holds it everywhere.

// writesFiles reports whether a script writes any file that it could read again. Most do not.
func (a *analysis) writesFiles() (found bool) {
	for _, s := range a.scripts {
		syntax.Walk(s.file, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Redirect:
				found = found || writes(n.Op) && a.fileKey(n.Word) != ""
			case *syntax.CallExpr:
				c := a.call(n)
				found = found || copies(c) || isDD(c) || splits(c)
				for _, role := range c.reading.Roles {
					found = found || role.Writes
				}
			}
			return !found
		})
	}
	return found
}

// collectFiles finds what is written to files, and which names are one file.
func (g *graph) collectFiles(s *script, stack []syntax.Node) {
	if !g.a.files {
		return
	}
	switch n := stack[len(stack)-1].(type) {
	case *syntax.Stmt:
		for _, r := range n.Redirs {
			if key := g.a.fileKey(r.Word); key != "" && writes(r.Op) && n.Cmd != nil {
				from := g.sourcesOf(s, n.Cmd)
				if isBareExec(n) { // exec > f: everything that is printed from here on
					from = g.sourcesOf(s, s.file)
				}
				g.addFeeds(&from, s, append(stack[:len(stack):len(stack)], n.Cmd), map[string]bool{})
				g.write(s, key, from, n)
			}
		}
	case *syntax.Assign:
		// After T=t.sh, "$T" is t.sh.
		if n.Name == nil || n.Value == nil {
			return
		}
		if w := shellwords.Static(n.Value); w.Fixed && w.Text != "" && !g.a.holds(w.Text) {
			g.sameFile(s, n, "$"+n.Name.Value, w.Text)
		}
	case *syntax.CallExpr:
		g.collectFileCall(s, stack, n)
	}
}

func writes(op syntax.RedirOperator) bool {
	switch op {
	case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll, syntax.RdrInOut:
		return true
	}
	return false
}

func (g *graph) sameFile(s *script, n syntax.Node, one, other string) {
	g.assign(s, fileVariable(one), sources{variables: []string{fileVariable(other)}}, n, false)
	g.assign(s, fileVariable(other), sources{variables: []string{fileVariable(one)}}, n, false)
}

// writer is a node that writes a file.
type writer struct {
	key    string // of fileKey
	from   sources
	script *script
	node   syntax.Node
}

// write notes that a command writes a file.
func (g *graph) write(s *script, key string, from sources, n syntax.Node) {
	g.written[fileVariable(key)] = true
	g.writers = append(g.writers, writer{key, from, s, n})
	g.assign(s, fileVariable(key), from, n, false)
}

// filesRead lists the files that a command's own words name.
func (a *analysis) filesRead(n *syntax.CallExpr) []string {
	if !a.files {
		return nil
	}
	var files []string
	for i, role := range a.call(n).reading.Roles {
		if role.Kind == shellwords.Operand || role.Kind == shellwords.Argument {
			if key := a.fileKey(n.Args[i]); key != "" {
				files = append(files, fileVariable(key))
			}
		}
	}
	return files
}
