package taint

import (
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/shellwords"
	"mvdan.cc/sh/v3/syntax"
)

// collectFileCall finds the files that a command writes: those of its own words, and the copies that it
// makes.
func (g *graph) collectFileCall(s *script, stack []syntax.Node, n *syntax.CallExpr) {
	c := g.a.call(n)
	var operands []int
	for i, role := range c.reading.Roles {
		if role.Kind == shellwords.Operand || role.Kind == shellwords.Argument {
			operands = append(operands, i)
		}
		if mayBeOptions(c, role) && listOf(n.Args[i]) != "" {
			// Git "${options[@]}": words of a program that is no interpreter, and no file's name.
			g.options[n.Args[i]] = true
		}
		if key := g.a.fileKey(n.Args[i]); role.Writes && key != "" {
			from := g.sourcesOf(s, n)
			g.addFeeds(&from, s, stack, map[string]bool{})
			g.write(s, key, from, n)
		}
	}
	g.collectDD(s, stack, n, c)
	g.collectSplit(s, stack, n, c, operands)
	if !copies(c) || len(operands) < 2 {
		return
	}
	last := g.a.fileKey(n.Args[operands[len(operands)-1]])
	for _, i := range operands[:len(operands)-1] {
		if isStdinName(c.words[i].Text) && last != "" {
			var from sources
			g.addFeeds(&from, s, append(stack[:len(stack):len(stack)], n), map[string]bool{})
			g.write(s, last, from, n)
		}
		if key := g.a.fileKey(n.Args[i]); key != "" && last != "" {
			from := g.sourcesOf(s, n.Args[i]) // a value that names a file chooses what the copy holds
			from.variables = append(from.variables, fileVariable(key))
			g.write(s, last, from, n)
		}
	}
}

// collectDD follows dd of=FILE, which writes what if=FILE or standard input holds.
func (g *graph) collectDD(s *script, stack []syntax.Node, n *syntax.CallExpr, c *call) {
	if !isDD(c) {
		return
	}
	var to, from string
	for _, w := range c.words[1:] {
		if name, ok := strings.CutPrefix(w.Text, "of="); ok {
			to = name
		}
		if name, ok := strings.CutPrefix(w.Text, "if="); ok {
			from = name
		}
	}
	if to == "" {
		return
	}
	written := g.sourcesOf(s, n)
	if from != "" {
		written.variables = append(written.variables, fileVariable(from))
	}
	g.addFeeds(&written, s, append(stack[:len(stack):len(stack)], n), map[string]bool{})
	g.write(s, to, written, n)
}

// collectSplit follows split FILE PREFIX and csplit, whose files begin with the prefix.
func (g *graph) collectSplit(s *script, stack []syntax.Node, n *syntax.CallExpr, c *call, operands []int) {
	if !splits(c) {
		return
	}
	written := g.sourcesOf(s, n)
	written.variables = append(written.variables, g.a.filesRead(n)...)
	g.addFeeds(&written, s, append(stack[:len(stack):len(stack)], n), map[string]bool{})
	g.write(s, "x*", written, n) // where there is no prefix
	if len(operands) > 1 {
		g.write(s, g.a.fileKey(n.Args[operands[len(operands)-1]])+"*", written, n)
	}
}

func isDD(c *call) bool {
	return len(c.reading.Programs) > 0 && c.words[c.reading.Programs[len(c.reading.Programs)-1].At].Text == "dd"
}

// splits reports whether a command makes many files of one.
func splits(c *call) bool {
	if len(c.reading.Programs) == 0 {
		return false
	}
	return command.In(command.Splitters, c.words[c.reading.Programs[len(c.reading.Programs)-1].At].Text)
}

func isStdinName(text string) bool {
	return text == "-" || text == "/dev/stdin" || text == "/dev/fd/0" || text == "/proc/self/fd/0"
}

// copies reports whether a command makes its last operand what the others are.
func copies(c *call) bool {
	if len(c.reading.Programs) == 0 {
		return false
	}
	return command.In(command.Copiers, c.words[c.reading.Programs[len(c.reading.Programs)-1].At].Text)
}
