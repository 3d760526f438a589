package shellscan

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/a2a-acp/a2a-acp/internal/command"
)

// pipeline notes what an xargs at its end reads, where that is the names that a find, or another lister of files, prints:
// find … | xargs, with nothing in between but filters such as head and sort, which pass on whole lines.
func (t *text) pipeline(n *syntax.BinaryCmd) {
	if n.Op != syntax.Pipe || len(t.functions) > 0 {
		return
	}
	end, ok := n.Y.Cmd.(*syntax.CallExpr)
	if !ok || len(end.Args) == 0 || end.Args[0].Lit() != "xargs" || !bare(n.Y) || len(end.Assigns) > 0 {
		return
	}
	words := finder(n.X)
	if words == nil {
		return
	}
	if t.feeds == nil {
		t.feeds = map[*syntax.CallExpr][]Word{}
	}
	t.feeds[end] = words
}

// finder returns the words of the command whose names of files a statement prints, nil where it prints something else.
func finder(stmt *syntax.Stmt) []Word {
	for _, r := range stmt.Redirs { // only what it complains of may go elsewhere
		if r.N == nil || r.N.Value != "2" || r.Op != syntax.RdrOut || r.Word == nil || r.Word.Lit() != "/dev/null" {
			return nil
		}
	}
	if stmt.Negated || stmt.Background || stmt.Coprocess || stmt.Disown {
		return nil
	}
	switch cmd := stmt.Cmd.(type) {
	case *syntax.BinaryCmd:
		filter, ok := cmd.Y.Cmd.(*syntax.CallExpr)
		if cmd.Op != syntax.Pipe || !ok || !bare(cmd.Y) || len(filter.Assigns) > 0 ||
			!passesLines(args(wordsOf(filter.Args))) {
			return nil
		}
		return finder(cmd.X)
	case *syntax.CallExpr:
		words := args(wordsOf(cmd.Args))
		if len(cmd.Assigns) > 0 || !printsNames(words) {
			return nil
		}
		return words
	}
	return nil
}

// printsNames reports whether a command prints names of files and nothing else, and runs nothing that prints.
func printsNames(words []Word) bool {
	name, options, _, ok := readFixed(words)
	if !ok {
		return false
	}
	asks, other, same := command.Subcommands(command.Listers, name), command.Subcommands(command.OtherOutput, name),
		command.Subcommands(command.ListerOptions, name)
	lists := command.In(command.Listers, name)
	for _, o := range options {
		if !o.Kind.ReadsOnly() || other[o.Name] || same != nil && !same[o.Name] {
			return false
		}
		lists = lists || asks[o.Name]
	}
	return lists
}

// passesLines reports whether a command passes on some of the lines that it reads, as they are.
func passesLines(words []Word) bool {
	name, options, operands, ok := readFixed(words)
	if !ok || operands > 0 || !command.In(command.LineFilters, name) {
		return false
	}
	same := command.Subcommands(command.LineFilters, name)
	for _, o := range options {
		if o.Kind != command.Count && !same[o.Name] {
			return false
		}
	}
	return true
}

// readFixed reads a command by the row of its program, which a subcommand may belong to. It returns false where a word is not
// fixed, or no row says how the words are read.
func readFixed(words []Word) (name string, options []command.Option, operands int, ok bool) {
	texts := make([]string, len(words))
	for i, w := range words {
		if texts[i] = w.Text; !w.Fixed {
			return "", nil, 0, false
		}
	}
	if len(words) == 0 || strings.Contains(texts[0], "/") {
		return "", nil, 0, false
	}
	row, named := command.Lookup(texts[0], texts[1:])
	if row == nil {
		return "", nil, 0, false
	}
	read := row.Read(texts[1+named:])
	return strings.Join(texts[:1+named], " "), read.Options, len(read.Operands), true
}
