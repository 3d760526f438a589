// Package celmistake says what is wrong with a CEL expression in words that its author can use.
package celmistake

import (
	"fmt"
	"strings"

	"cel.dev/cel-go/cel"

	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
)

// Mistake is the first thing that is wrong with an expression. It is an error whose text says where, too.
type Mistake struct {
	Line, Column int // from 1
	Message      string
	Hint         string // how it could be right; "" where nobody knows
	Undeclared   bool   // it names what is not there
}

func (m *Mistake) Error() string {
	where := fmt.Sprintf("at character %d", m.Column)
	if m.Line > 1 {
		where = fmt.Sprintf("in its line %d, %s", m.Line, where)
	}
	return fmt.Sprintf("the expression is wrong %s: %s", where, m.Message)
}

// First returns the first mistake that the check of text has found; nil where there is none.
func First(text string, issues *cel.Issues) *Mistake {
	if issues.Err() == nil {
		return nil
	}
	all := issues.Errors()
	if len(all) == 0 {
		return &Mistake{Line: 1, Column: 1, Message: issues.Err().Error()}
	}
	first := all[0]
	m := &Mistake{Line: max(first.Location.Line(), 1), Column: max(first.Location.Column()+1, 1)}
	said, _, _ := strings.Cut(first.Message, "\n")
	said = strings.TrimPrefix(strings.TrimSuffix(said, " (in container '')"), "Syntax error: ")
	m.Message, m.Undeclared = said, strings.HasPrefix(said, "undeclared reference")
	for _, s := range sayings {
		if found := s.cel.FindStringSubmatch(said); found != nil {
			m.Message, m.Hint = s.say(found[1:])
			break
		}
	}
	if word := wordsOfOthers.FindString(text); word != "" && m.Hint == "" && strings.Contains(m.Message, "cannot stand here") {
		m.Hint = others[strings.TrimSpace(word)]
	}
	return m
}

// others are what other languages write, with what CEL has for it.
var others = map[string]string{"and": "write && for and", "or": "write || for or", "not": "write ! for not",
	"like": "a.contains(b), a.startsWith(b) and a.matches('a regular expression') compare texts",
	"=~":   "a.matches('a regular expression')", "=": "== compares", "===": "== compares", "<>": "write != for <>",
	"&": "write && for and", "|": "write || for or"}

var wordsOfOthers = lazyregexp.New(`\s(and|or|like|=~|===?|<>|&|\|)\s|^\s*not\s`)

// saying is a message of CEL's parser or checker, and what is said in its place.
type saying struct {
	cel *lazyregexp.Regexp
	say func(found []string) (message, hint string)
}

// sayings are those of ANTLR's runtime for Go (error_strategy.go, lexer.go) and of cel-go's checker (checker/errors.go,
// parser/macro.go).
var sayings = []saying{
	{lazyregexp.New(`^(?:mismatched|extraneous) input '<EOF>' expecting `), func([]string) (string, string) {
		return "it ends too early", ""
	}},
	{lazyregexp.New(`^(?:mismatched|extraneous) input '(.*)' expecting `), cannotStand},
	{lazyregexp.New(`^no viable alternative at input '(.*)'`), cannotStand},
	{lazyregexp.New(`^token recognition error at: '(["'].*)'$`), func([]string) (string, string) {
		return "a text begins here that nothing ends: its last quote is missing", ""
	}},
	{lazyregexp.New(`^token recognition error at: '(.*)'$`), cannotStand},
	{lazyregexp.New(`^missing '(.*)' at '(.*)'$`), func(found []string) (string, string) {
		if found[1] == "<EOF>" {
			return fmt.Sprintf("a %s is missing at the end", found[0]), ""
		}
		return fmt.Sprintf("a %s is missing before %s", found[0], found[1]), ""
	}},
	{lazyregexp.New(`^undeclared reference to '([^']*)' \(did you mean '([^']*)'\?\)`), func(found []string) (string, string) {
		return fmt.Sprintf("there is nothing called %s (did you mean %s?)", found[0], found[1]), ""
	}},
	{lazyregexp.New(`^undeclared reference to '([^']*)'`), func(found []string) (string, string) {
		return "there is nothing called " + found[0], ""
	}},
	{lazyregexp.New(`^found no matching overload for '(.*)' applied to '(.*)'$`), func(found []string) (string, string) {
		name := strings.Trim(strings.ReplaceAll(found[0], "_", ""), "@")
		of, values, method := strings.Cut(found[1], ".(")
		if method {
			return fmt.Sprintf("%s of %s does not take %s", name, of, strings.TrimSuffix(values, ")")), ""
		}
		return fmt.Sprintf("%s does not take %s", name, strings.Trim(strings.ReplaceAll(found[1], ", ", " and "), "()")), ""
	}},
	{lazyregexp.New(`^expected type '(.*)' but found '(.*)'$`), func(found []string) (string, string) {
		return fmt.Sprintf("want %s here; found %s", found[0], found[1]), ""
	}},
	{lazyregexp.New(`^reserved identifier: (.*)$`), func(found []string) (string, string) {
		return fmt.Sprintf("%s is a word that CEL keeps for itself", found[0]), ""
	}},
	{lazyregexp.New(`^invalid argument to has\(\) macro`), func([]string) (string, string) {
		return "has takes a field of something", "has(params.url)"
	}},
	{lazyregexp.New(`^invalid matches argument`), func([]string) (string, string) {
		return "matches takes a regular expression, in the syntax of RE2, and this is none", ""
	}},
}

func cannotStand(found []string) (message, hint string) {
	word := strings.TrimSpace(found[0])
	return fmt.Sprintf("%q cannot stand here", word), others[word]
}
