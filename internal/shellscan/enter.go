package shellscan

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// entered returns the directory of a text that is one list of && with cd in front, "" for every other:
// should the cd fail, then nothing of the text runs.
func entered(file *syntax.File) string {
	if len(file.Stmts) != 1 {
		return ""
	}
	stmt := file.Stmts[0]
	for behind := false; bare(stmt); behind = true {
		switch cmd := stmt.Cmd.(type) {
		case *syntax.BinaryCmd:
			if cmd.Op != syntax.AndStmt {
				return ""
			}
			stmt = cmd.X
		case *syntax.CallExpr:
			if !behind || len(cmd.Assigns) > 0 || len(cmd.Args) != 2 || cmd.Args[0].Lit() != "cd" {
				return ""
			}
			if dir := wordOf(cmd.Args[1]); dir.Fixed && !strings.HasPrefix(dir.Text, "-") {
				return dir.Text
			}
			return ""
		default:
			return ""
		}
	}
	return ""
}

// steps gives Script.Steps of a text, and Script.Loose.
func steps(file *syntax.File) (all []string, loose bool) {
	for _, stmt := range file.Stmts {
		parts, surely := inOrder(stmt)
		if len(file.Stmts) > 1 && !bare(stmt) || surely < len(parts) && anyGoes(parts) {
			return nil, false
		}
		other := false // something in front of the next part could fail, and that one would not run then
		for _, part := range parts {
			call, simple := part.Cmd.(*syntax.CallExpr)
			if !simple || len(call.Args) == 0 || call.Args[0].Lit() != "cd" {
				if goes(part) {
					return nil, false
				}
				other = true
				continue
			}
			if !bare(part) || len(call.Assigns) > 0 || len(call.Args) != 2 || other && len(file.Stmts) > 1 {
				return nil, false
			}
			dir := wordOf(call.Args[1])
			if !dir.Fixed || dir.Text == "" || strings.HasPrefix(dir.Text, "-") {
				return nil, false
			}
			all = append(all, dir.Text)
		}
	}
	return all, len(all) > 0 && len(file.Stmts) > 1
}

func anyGoes(parts []*syntax.Stmt) bool { return slices.ContainsFunc(parts, goes) }

// goes reports whether a part of a list could go to another directory, or run by itself while others do.
func goes(part *syntax.Stmt) bool {
	found := part.Background || part.Coprocess || part.Disown
	syntax.Walk(part, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			switch call.Args[0].Lit() {
			case "", "cd", "pushd", "popd", "eval", "source", ".", "builtin", "command":
				found = true
			}
		}
		return !found
	})
	return found
}

// bare reports whether a statement is its command and nothing else.
func bare(s *syntax.Stmt) bool {
	return !s.Negated && !s.Background && !s.Coprocess && !s.Disown && len(s.Redirs) == 0
}
