package shellscan

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// pipeline notes what an xargs at its end reads, where that is the names that a find prints: find … |
// xargs, with nothing but head, tail and sort in between, which pass on whole lines.
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

// finder returns the words of the find whose names a statement prints, nil where it prints something else.
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
		if len(cmd.Assigns) > 0 || len(words) == 0 || words[0].Text != "find" {
			return nil
		}
		for _, w := range words {
			if !w.Fixed || printsElse[w.Text] {
				return nil
			}
		}
		return words[1:]
	}
	return nil
}

// printsElse are the actions of find by which it prints more than names, or something else runs that prints.
var printsElse = set("-printf -ls -fls -fprint -fprint0 -fprintf -exec -execdir -ok -okdir")

// passesLines reports whether a command passes on some of the lines that it reads, as they are.
func passesLines(words []Word) bool {
	for _, w := range words {
		if !w.Fixed {
			return false
		}
	}
	if len(words) == 0 {
		return false
	}
	switch rest := words[1:]; words[0].Text {
	case "sort":
		return len(rest) == 0
	case "head", "tail":
		switch {
		case len(rest) == 0:
			return true
		case len(rest) == 1:
			return decimal(strings.TrimPrefix(strings.TrimPrefix(rest[0].Text, "-"), "n")) && rest[0].Text[0] == '-'
		case len(rest) == 2:
			return rest[0].Text == "-n" && decimal(rest[1].Text)
		}
	}
	return false
}
