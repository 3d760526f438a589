package shellscan

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/shellwords"
)

// The bounds of one scan. What goes beyond them is a Problem, and is not read further.
const (
	maxText     = 64 << 10 // bytes of a text, and of all words of an argument vector together
	maxBrackets = 200      // brackets that stand open at the same time
	maxNodes    = 1000     // nodes of the syntax tree inside each other
	maxTexts    = 8        // texts inside each other: bash -c "bash -c …"
	maxCommands = 2000     // of all texts together
	maxProblems = 50
	maxNames    = 50 // of variables
)

// Scan reads a text as bash would, by what is known of programs. It never fails: what cannot be read is a
// Problem.
func Scan(source string, commands *command.Catalogue) Script {
	s := &scan{commands: commands}
	t := &text{scan: s, source: source, shell: syntax.LangBash, functions: functions{}, alone: true}
	if s.bounded(len(source)) {
		s.characters(source, 1)
		s.Plain = isPlain(source)
		t.read()
	}
	s.splitsElsewhere()
	return s.Script
}

// ScanArgv reads an argument vector that no shell splits. Shell code that it holds, as in bash -c CODE, is
// read through.
func ScanArgv(argv []string, commands *command.Catalogue) Script {
	s := &scan{commands: commands}
	size := 0
	for _, word := range argv {
		size += len(word) + 1
	}
	switch {
	case !s.bounded(size):
	case len(argv) == 0:
		s.problem(1, "there is no command")
	default:
		for _, word := range argv {
			s.characters(word, 1)
		}
		t := &text{scan: s, outer: 1, shell: syntax.LangBash, functions: functions{}, argv: true}
		t.command(shellwords.Fixed(argv...), nil, 1)
	}
	s.splitsElsewhere()
	return s.Script
}

// scan is what the texts of one scan share: the Script that they add to.
type scan struct {
	Script
	commands *command.Catalogue
	stopped  bool // a bound was reached: nothing is added any more
	rounds   int  // in which bodies of loops were read

	unrolled int  // the last line with a loop that was read word by word
	setsIFS  bool // so that bash may split what a variable of a loop holds
}

func (s *scan) bounded(size int) bool {
	if size > maxText {
		s.problem(1, fmt.Sprintf("it is longer than %d KiB", maxText>>10))
	}
	return size <= maxText
}

// problem adds a Problem, each once.
func (s *scan) problem(line int, what string) {
	p := Problem{Line: line, Text: what}
	if len(s.Problems) < maxProblems && !slices.Contains(s.Problems, p) {
		s.Problems = append(s.Problems, p)
	}
}

// uses notes the name of a variable, each once.
func (s *scan) uses(name string) {
	if len(s.Variables) < maxNames && !slices.Contains(s.Variables, name) {
		s.Variables = append(s.Variables, name)
	}
}

// stop gives up on the rest.
func (s *scan) stop(line int, what string) {
	s.problem(line, what)
	s.stopped = true
}

// add adds a Command.
func (s *scan) add(c Command) {
	switch {
	case s.stopped:
	case len(s.Commands) >= maxCommands:
		s.stop(c.Line, "it has too many commands")
	default:
		s.Commands = append(s.Commands, c)
	}
}

const parserPanics = "it cannot be read: the shell's parser gave up"

// text is one shell text: the whole one, or one that a word of another holds.
type text struct {
	*scan
	source string
	shell  syntax.LangVariant
	outer  int      // the line of the command that holds the text; 0 for the whole one, which counts its own lines
	via    []string // what the text stands in: bash, eval
	depth  int      // how many texts it stands in
	argv   bool     // there is no shell around the words: no builtins, no functions
	alone  bool     // nothing else runs: it is the whole text, or the code of bash -c that is
	named  bool     // the text in front of this one says which shell reads it; see elsewhere

	sh standard // what sh is, once it was decided

	fed    []Word                           // of xargs: the words of what prints the names that it reads
	feeds  map[*syntax.CallExpr][]Word      // the xargs of the text that do so
	finder []Word                           // those of what prints the names that words are which are Found
	looped map[*syntax.Word]shellwords.Word // the words that hold the variable of a loop over names of files

	printed map[*syntax.Word]shellwords.Word // the words that hold a variable in which stands what a command prints
	own     []*syntax.Assign                 // of variables that nothing but the text uses
	ownCode []*syntax.Assign                 // see setsOwnCode

	functions functions
	path      []syntax.Node // the nodes around the one that is looked at
	regions   regions
}

// line returns the line to name for a node.
func (t *text) line(n syntax.Node) int { return t.lineAt(n.Pos()) }

func (t *text) lineAt(pos syntax.Pos) int {
	if t.outer > 0 {
		return t.outer
	}
	return max(int(pos.Line()), 1)
}

// read parses the text and walks through it.
func (t *text) read() {
	if deepest(t.source) > maxBrackets {
		t.stop(max(t.outer, 1), "its brackets stand too deep inside each other")
		return
	}
	file := t.parse()
	if t.alone {
		t.Enters = entered(file)
		t.Steps, t.Loose = steps(file)
	}
	t.alike(file)
	t.collectFunctions(file)
	end := t.assigned(file)
	syntax.Walk(file, t.node)
	end()
	t.checkRegions()
}

// parse returns the syntax tree. Of a text with a mistake it gives the statements in front of it: bash
// would run them. The parser is not ours: should a text make it panic, then that text cannot be read, and
// the program goes on.
func (t *text) parse() (file *syntax.File) {
	defer func() {
		if recover() != nil {
			t.problem(max(t.outer, 1), parserPanics)
			file = &syntax.File{}
		}
	}()
	parser := syntax.NewParser(syntax.Variant(t.shell), syntax.KeepComments(true))
	file, err := parser.Parse(strings.NewReader(t.source), "")
	if err == nil {
		return file
	}
	line, what := max(t.outer, 1), err.Error()
	var grammar syntax.ParseError
	var language syntax.LangError
	switch {
	case errors.As(err, &grammar):
		line, what = t.lineAt(grammar.Pos), grammar.Text
	case errors.As(err, &language):
		line, what = t.lineAt(language.Pos), language.Error()
	}
	t.problem(line, "it cannot be read: "+what)
	file = &syntax.File{}
	// The iterator yields once more after a loop that breaks off, which is a panic: it is read to its end.
	for stmt, err := range parser.StmtsSeq(strings.NewReader(t.source)) {
		if err == nil {
			file.Stmts = append(file.Stmts, stmt)
		}
	}
	return file
}

// nested reads a text that a word of this one holds. One that the same shell runs knows the functions that
// are there.
func (t *text) nested(source string, shell syntax.LangVariant, same bool, via []string, line int) {
	if t.depth+1 > maxTexts {
		t.stop(line, "its texts stand too deep inside each other")
		return
	}
	inner := &text{scan: t.scan, source: source, shell: shell, outer: line, via: via, depth: t.depth + 1,
		sh: t.sh, functions: functions{}}
	inner.alone = t.argv && len(via) == 1 && via[0] == "bash"
	if inner.named = !same; same {
		inner.functions, inner.named = t.functions.copy(), t.named
	}
	inner.read()
}

// deepest returns the number of brackets that stand open at the same time. Quoted ones count, too: the
// bound is there so that the parser cannot be made to recurse without end, and no honest text comes near
// it.
func deepest(source string) int {
	open, most := 0, 0
	for i := range len(source) {
		switch source[i] {
		case '(', '{', '[':
			open++
			most = max(most, open)
		case ')', '}', ']':
			open = max(open-1, 0)
		}
	}
	return most
}
