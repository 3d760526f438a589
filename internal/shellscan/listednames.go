package shellscan

import (
	"mvdan.cc/sh/v3/syntax"

	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/shellwords"
)

// Names that a command prints come into other words in three ways: find src | xargs wc -l (pipeline.go), wc -l $(find src), and
// find src | while read -r f; do wc -l "$f"; done.

// listedNames returns the words of the command whose names of files a word stands for, $(git ls-files), and nothing else; nil
// where it stands for something else.
func listedNames(w *syntax.Word) []Word {
	if len(w.Parts) != 1 {
		return nil
	}
	sub, ok := w.Parts[0].(*syntax.CmdSubst)
	if !ok || len(sub.Stmts) != 1 || sub.TempFile || sub.ReplyVar {
		return nil
	}
	return namesInLines(sub.Stmts[0])
}

// namesInLines is finder for what a shell reads line by line. It leaves out each NUL, so that two names behind which
// one stands would be one.
func namesInLines(stmt *syntax.Stmt) []Word {
	words := finder(stmt)
	if words == nil || givesNull(words) {
		return nil
	}
	return words
}

// givesNull reports whether a command puts a NUL behind each name that it prints.
func givesNull(words []Word) bool {
	name, options, _, _ := readFixed(words)
	null := command.Subcommands(command.NullOptions, name)
	for _, o := range options {
		if null[o.Name] {
			return true
		}
	}
	return false
}

// namesInWords puts the names that a command prints in the place of the words of another that are such a list: wc -l
// $(git ls-files). Of two lists it cannot be told which names are whose.
func (t *text) namesInWords(call []*syntax.Word, words []shellwords.Word, line int) (end func()) {
	var finder []Word
	at := 0
	for i, word := range call {
		if listed := listedNames(word); listed != nil && i > 0 {
			if finder != nil || len(t.functions) > 0 || len(t.looped) > 0 {
				return func() {}
			}
			finder, at = listed, i
		}
	}
	if finder == nil {
		return func() {}
	}
	t.unrolled = max(t.unrolled, line)
	words[at].Found = true
	return t.finds(finder)
}

// readsNames reads the body of a loop once that a pipe gives names, with such a name in the place of its variable. It is
// false, and has read nothing, for everything else.
func (t *text) readsNames(pipe *syntax.BinaryCmd) bool {
	loop, ok := pipe.Y.Cmd.(*syntax.WhileClause)
	if pipe.Op != syntax.Pipe || !ok || loop.Until || !bare(pipe.Y) || t.rounds >= maxRounds || len(t.functions) > 0 ||
		len(t.looped) > 0 {
		return false
	}
	name, lines := readsVariable(loop.Cond)
	finder := finder(pipe.X)
	if finder == nil || name == "" || lines && givesNull(finder) || t.commands.ChangesCommands(name) ||
		command.NamesEncoding(name) {
		return false
	}
	body := loopBody{name: name, plain: !command.GivenByShell(name)}
	for _, stmt := range loop.Do {
		syntax.Walk(stmt, body.node)
	}
	words, inWords := body.loopedWords(loop.Do)
	if !body.plain || len(body.uses) == 0 || !inWords {
		return false
	}
	t.rounds++
	t.unrolled = max(t.unrolled, t.line(loop))
	t.givenMore(name, shellwords.Word{})
	t.look(pipe)
	t.path = append(t.path, pipe)
	syntax.Walk(pipe.X, t.node)
	for _, around := range []syntax.Node{pipe.Y, loop} {
		t.look(around)
		t.path = append(t.path, around)
	}
	end := t.namesInLoop(finder, words, true)
	t.readBody(loop.Do, body, unknownValue)
	end()
	t.path = t.path[:len(t.path)-3]
	return true
}

// readsVariable returns the variable that the condition of a loop reads each line into, read -r f, also with an IFS= in front,
// or with -d ” what stands in front of each NUL; "" for any other condition.
func readsVariable(condition []*syntax.Stmt) (name string, lines bool) {
	if len(condition) != 1 || !bare(condition[0]) {
		return "", false
	}
	call, ok := condition[0].Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) < 2 || call.Args[0].Lit() != "read" {
		return "", false
	}
	for _, a := range call.Assigns {
		if a.Name == nil || a.Name.Value != "IFS" || a.Append || a.Index != nil || a.Array != nil ||
			a.Value != nil && !emptyQuotes(a.Value) {
			return "", false
		}
	}
	words := call.Args[1:]
	if words[0].Lit() == "-r" {
		words = words[1:]
	}
	lines = true
	if len(words) == 3 && words[0].Lit() == "-d" && emptyQuotes(words[1]) {
		words, lines = words[2:], false
	}
	if len(words) != 1 || !identifier(words[0].Lit()) {
		return "", false
	}
	return words[0].Lit(), lines
}

// emptyQuotes reports whether a word is quotes with nothing in them.
func emptyQuotes(w *syntax.Word) bool {
	word := wordOf(w)
	return word.Fixed && word.Text == ""
}
