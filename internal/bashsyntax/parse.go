// Package bashsyntax parses bash scripts, and refuses those that mvdan.cc/sh is known to read otherwise than
// bash does.
package bashsyntax

import (
	"errors"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// The bounds of nesting. The parser and every walk of its trees recurse, and a stack that overflows ends
// the process.
const (
	maxBrackets = 500  // opened and not closed again
	maxDepth    = 1000 // nodes of the tree; one substitution in another takes five
)

// ErrTooDeep is the error for a script that is nested deeper than the bounds.
var ErrTooDeep = errors.New("nested too deep")

// Parse reads a script. The error says why it cannot be read, or where bash would read it in another way
// than the parser does.
func Parse(text string) (*syntax.File, error) {
	if brackets(text) > maxBrackets {
		return nil, ErrTooDeep
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash),
		syntax.KeepComments(true)).Parse(strings.NewReader(text), "")
	if err != nil {
		return nil, err
	}
	if depth(file) > maxDepth {
		return nil, ErrTooDeep
	}
	if err := misread(text, file); err != nil {
		return nil, err
	}
	return file, nil
}

// brackets tells how many brackets are open at most at a time, quoted ones too.
func brackets(text string) (most int) {
	open := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '(', '{', '[':
			open++
			most = max(most, open)
		case ')', '}', ']':
			open = max(0, open-1)
		}
	}
	return most
}

// depth tells how many nodes of a tree stand within each other at most.
func depth(file *syntax.File) (most int) {
	depth := 0
	syntax.Walk(file, func(n syntax.Node) bool {
		if n == nil {
			depth--
			return true
		}
		depth++
		most = max(most, depth)
		return true
	})
	return most
}

// Message returns what an error of Parse says, without the position.
func Message(err error) string {
	var grammar syntax.ParseError
	var language syntax.LangError
	switch {
	case errors.As(err, &grammar):
		return grammar.Text
	case errors.As(err, &language):
		return language.Feature + " is not bash"
	}
	return err.Error()
}

// Offset returns where in the text an error of Parse is, if it says so.
func Offset(err error) (offset int, ok bool) {
	var grammar syntax.ParseError
	var language syntax.LangError
	switch {
	case errors.As(err, &grammar):
		return int(grammar.Pos.Offset()), grammar.Pos.IsValid()
	case errors.As(err, &language):
		return int(language.Pos.Offset()), language.Pos.IsValid()
	}
	return 0, false
}
