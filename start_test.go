package a2aacp

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestNoExpressionIsCompiledAtStart keeps regular expressions out of what every start pays for (see
// internal/lazyregexp): those of package variables, wherever in a table they stand.
func TestNoExpressionIsCompiledAtStart(t *testing.T) {
	t.Parallel()
	for _, root := range []string{"cmd", "internal", "pkg"} {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
				strings.HasPrefix(path, "internal/demo/") {
				return err
			}
			files := token.NewFileSet()
			file, err := parser.ParseFile(files, path, nil, 0)
			if err != nil {
				return err
			}
			for _, declared := range file.Decls {
				if variables, ok := declared.(*ast.GenDecl); !ok || variables.Tok != token.VAR {
					continue
				}
				ast.Inspect(declared, func(n ast.Node) bool {
					if _, later := n.(*ast.FuncLit); later {
						return false
					}
					if selected, ok := n.(*ast.SelectorExpr); ok && isName(selected.X, "regexp") && selected.Sel.Name == "MustCompile" {
						t.Errorf("%s: compiled at each start: write lazyregexp.New", files.Position(n.Pos()))
					}
					return true
				})
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func isName(x ast.Expr, name string) bool {
	ident, ok := x.(*ast.Ident)
	return ok && ident.Name == name
}
