package shellscan

import (
	"cmp"
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/a2a-acp/a2a-acp/internal/shellwords"
)

// In for f in *.go; do wc -l "$f"; done the variable holds the name of a file, as where find -exec gives one: one round is
// read with such a name in the place of each word that is the variable and nothing else, and in double quotes with a
// text that nobody knows. So it is in find src | while read -r f; do … and for f in $(git ls-files); do ….

// loopedWord is a word of a loop's body that holds its variable.
type loopedWord struct {
	whole  bool // nothing else stands in it
	quoted bool
}

// loopedWords returns the words of commands, but for their names, in which all uses of the variable stand. It is false where one
// stands elsewhere.
func (b *loopBody) loopedWords(body []*syntax.Stmt) (all map[*syntax.Word]loopedWord, ok bool) {
	all = map[*syntax.Word]loopedWord{}
	found := 0
	for _, stmt := range body {
		syntax.Walk(stmt, func(n syntax.Node) bool {
			call, ok := n.(*syntax.CallExpr)
			if !ok {
				return true
			}
			for i, word := range call.Args {
				looped, uses := b.looped(word)
				if found += uses; uses > 0 && i > 0 {
					all[word] = looped
				}
			}
			return true
		})
	}
	return all, found == len(b.uses)
}

// looped counts the uses of the variable that a word holds in a way that can be told.
func (b *loopBody) looped(word *syntax.Word) (looped loopedWord, uses int) {
	if len(word.Parts) == 1 && b.isUse(word.Parts[0]) {
		return loopedWord{whole: true}, 1
	}
	for _, part := range word.Parts {
		switch part := part.(type) {
		case *syntax.Lit, *syntax.SglQuoted:
		case *syntax.DblQuoted:
			for _, inner := range part.Parts {
				if _, text := inner.(*syntax.Lit); text {
					continue
				}
				if !b.isUse(inner) || part.Dollar {
					return looped, 0
				}
				uses++
			}
			looped = loopedWord{whole: len(word.Parts) == 1 && len(part.Parts) == 1, quoted: true}
		default:
			return looped, 0
		}
	}
	return looped, uses
}

// isUse reports whether a part of a word is one of the uses.
func (b *loopBody) isUse(part syntax.WordPart) bool {
	p, ok := part.(*syntax.ParamExp)
	return ok && b.counted(p)
}

// isNamePattern reports whether a word of a loop's list is a pattern of the files in one directory: src/*.go. One that
// begins with a dot stands for .. as well, and one of directories leads through links.
func isNamePattern(text string) bool {
	dir, name := path.Split(text)
	return strings.ContainsAny(name, "*?") && name[0] != '.' && !strings.ContainsAny(dir, "*?") &&
		!strings.Contains(name, "**") && strings.Trim(text, plainItem+"*?") == ""
}

// findsNames returns the words of a find that finds whatever a pattern stands for.
func findsNames(pattern string) []Word {
	dir, name := path.Split(pattern)
	return []Word{{Text: "find", Fixed: true}, {Text: cmp.Or(dir, "."), Fixed: true}, {Text: "-name", Fixed: true},
		{Text: name, Fixed: true}}
}

// namesInLoop has the words of the body hold a name that a command of the words finder prints, until what it gives is called.
// many tells that it could be several words, or an option, although it stands in quotes.
func (t *text) namesInLoop(finder []Word, words map[*syntax.Word]loopedWord, many bool) (end func()) {
	before := t.looped
	t.looped = map[*syntax.Word]shellwords.Word{}
	for word, looped := range words {
		t.looped[word] = shellwords.Word{Found: looped.whole, Splits: looped.whole && (many || !looped.quoted), Printed: looped.quoted}
	}
	endFinds := t.finds(finder)
	return func() {
		endFinds()
		t.looped = before
	}
}
