package shellscan

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// entered gives the directory of a text that is one list of && with cd in front, "" for every other: should the cd fail, then
// nothing of the text runs.
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

// bare tells whether a statement is its command and nothing else.
func bare(s *syntax.Stmt) bool {
	return !s.Negated && !s.Background && !s.Coprocess && !s.Disown && len(s.Redirs) == 0
}
