package shellscan

import (
	"fmt"
	"maps"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/a2a-acp/a2a-acp/internal/command"
)

// functions are the names that a text defines as functions. The value tells whether the function surely
// exists by now: its definition is a statement of the text itself, in no condition, loop, pipe or subshell,
// and was walked past.
type functions map[string]bool

func (f functions) copy() functions { return maps.Clone(f) }

// collectFunctions finds the names before the walk, because a call can stand in front of the definition.
func (t *text) collectFunctions(file *syntax.File) {
	if !strings.Contains(t.source, "(") && !strings.Contains(t.source, "function") {
		return
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		if f, ok := n.(*syntax.FuncDecl); ok && f.Name != nil && !t.functions[f.Name.Value] {
			t.functions[f.Name.Value] = false
		}
		return true
	})
}

// function looks at a definition. Its body counts as if it ran here.
func (t *text) function(f *syntax.FuncDecl) {
	line := t.line(f)
	if f.Name == nil || !plainName(f.Name.Value) {
		t.problem(line, "the name of a function is not plain")
		return
	}
	name := f.Name.Value
	if command.Builtin(name) || keyword(name) || name == "command_not_found_handle" {
		t.problem(line, fmt.Sprintf("the function %s hides what bash does itself", name))
	}
	if stmt, ok := t.parent(1).(*syntax.Stmt); ok && !stmt.Background && !stmt.Negated {
		if _, ok := t.parent(2).(*syntax.File); ok {
			t.functions[name] = true
		}
	}
}

// calls reports whether a command surely calls a function of the text, and so starts no program. A command
// that may or may not is a Problem and counts as a program.
func (t *text) calls(name string, via []string, line int) bool {
	sure, known := t.functions[name]
	switch {
	case !known:
		return false
	case sure && len(via) == 0:
		return true
	case len(via) == 0:
		t.problem(line, fmt.Sprintf("%s may be a function here, or a program", name))
	default:
		t.problem(line, fmt.Sprintf("%s is a function, and %s runs the program of that name", name,
			via[len(via)-1]))
	}
	return false
}

// plainName reports whether every shell takes a word for the name of a function.
func plainName(name string) bool {
	return name != "" && strings.Trim(name,
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.:+@") == ""
}

// keyword reports whether bash takes a word, where a command begins, for its own.
func keyword(word string) bool { return word == "elif" || syntax.IsKeyword(word) }
