package shellscan

import (
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

// steps gives Script.Steps of a text.
func steps(file *syntax.File) []string {
	if len(file.Stmts) != 1 {
		return nil
	}
	var parts []*syntax.Stmt
	stmt := file.Stmts[0]
	for {
		list, ok := stmt.Cmd.(*syntax.BinaryCmd)
		if !ok || list.Op != syntax.AndStmt || !bare(stmt) {
			parts = append(parts, stmt)
			break
		}
		parts = append(parts, list.Y)
		stmt = list.X
	}
	var all []string
	for i := len(parts) - 1; i >= 0; i-- {
		call, simple := parts[i].Cmd.(*syntax.CallExpr)
		if !simple || len(call.Args) == 0 || call.Args[0].Lit() != "cd" {
			if goes(parts[i]) {
				return nil
			}
			continue
		}
		if !bare(parts[i]) || len(call.Assigns) > 0 || len(call.Args) != 2 {
			return nil
		}
		dir := wordOf(call.Args[1])
		if !dir.Fixed || dir.Text == "" || strings.HasPrefix(dir.Text, "-") {
			return nil
		}
		all = append(all, dir.Text)
	}
	return all
}

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
