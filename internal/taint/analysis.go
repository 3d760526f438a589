package taint

import (
	"errors"
	"fmt"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/bashsyntax"
	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/shellwords"
	"mvdan.cc/sh/v3/syntax"
)

// Options say what a script may do.
type Options struct {
	DynamicCommand bool // values may choose what runs
	TrustProgram   bool // the author knows what his programs do with their words
	// Commands is what is known of programs; nil for what comes with this program.
	Commands *command.Catalogue
	// Lenient makes a warning of a place that needs a number or SQL where the declaration of the value does
	// not say that it is one. The values are checked at each call.
	Lenient bool
	// Steps are those that the analysis may take, and it takes its own from them, so that several can share
	// them; nil for MaxSteps.
	Steps *int
}

// Analysis is what a script means. What was found about a place alone is kept by the Slot.
type Analysis struct {
	File     *syntax.File // the text of the script
	Findings []Finding
	Commands []Command // that values choose, in the order in which they were found
}

// analysis is what is known of a script while values are followed through it.
type analysis struct {
	*Script
	options   Options
	scripts   []*script // the script first, then the code of nested shells
	functions map[string][]*syntax.FuncDecl
	// The scripts that declare a function: an exported one runs in another shell.
	declarers map[string][]*script
	settings  map[string]*setting        // what the author's own text puts into each variable
	callers   map[string][][]syntax.Node // the stacks of the calls of each function
	calls     map[*syntax.CallExpr]*call
	files     bool                    // the script writes files, so what they hold is followed
	keys      map[*syntax.Word]string // of fileKey
	runs      map[string]bool         // words that name a file or command that runs, see fileKey
	obeyed    map[string]string       // words that name a file which a program obeys, and what is to be said of it
	allexport bool                    // set -a
	exports   []string                // the variables that programs get
	graph     *graph
	commands  []Command
	findings  []Finding
	reported  map[Finding]bool
	steps     *int // that are left
}

// MaxSteps bounds one analysis. A tool takes a few thousand steps; the bound keeps a hostile file from taking
// more than about a second.
const MaxSteps = 2_000_000

// spend takes steps from what is left, and says no when nothing is.
func (a *analysis) spend(steps int) bool {
	*a.steps -= steps
	return *a.steps > 0
}

// script is one shell text: that of the Script, or code that it hands to a shell.
type script struct {
	file *syntax.File
	at   int // the offset in the text of the Script of the word that holds it
	// frame tells the positional parameters of one shell from those of another.
	frame string
	zero  bool // $0 is a parameter, as after bash -c
}

// call is one simple command.
type call struct {
	words    []shellwords.Word
	reading  shellwords.Reading
	function string    // the function of the script that it calls
	command  *Command  // that values choose
	looked   bool      // command has been looked for
	nested   []*script // the shell code in its words, which reads its standard input
}

// ErrPlaceholder is the error for a script whose texts meet in such a way that they read as a placeholder.
var ErrPlaceholder = errors.New("the text reads as a placeholder")

// Analyse follows the values of a script. The error is ErrPlaceholder, or says why the text is no script at
// all; see bashsyntax.Parse.
func Analyse(s *Script, options Options) (*Analysis, error) {
	if strings.Count(s.Text(), s.stem) != len(s.Slots) {
		return nil, ErrPlaceholder
	}
	file, err := bashsyntax.Parse(s.Text())
	if err != nil {
		return nil, err
	}
	if len(s.Slots) == 0 {
		return &Analysis{File: file}, nil // nothing can go wrong with values that are not there
	}
	a := &analysis{
		Script: s, options: options, scripts: []*script{{file: file}},
		functions: map[string][]*syntax.FuncDecl{}, declarers: map[string][]*script{},
		settings: map[string]*setting{}, callers: map[string][][]syntax.Node{},
		calls: map[*syntax.CallExpr]*call{}, runs: map[string]bool{}, obeyed: map[string]string{}, keys: map[*syntax.Word]string{},
		steps: options.Steps,
	}
	if a.steps == nil {
		steps := MaxSteps
		a.steps = &steps
	}
	a.collectFunctions(a.scripts[0])
	a.collectSettings(a.scripts[0])
	for i := 0; i < len(a.scripts); i++ { // grows
		a.collectCalls(a.scripts[i])
	}
	a.files = a.writesFiles()
	a.forbid()
	a.graph = newGraph(a)
	a.followValues(file)
	a.graph.followVariables()
	if *a.steps <= 0 {
		a.report(Finding{Offset: -1, Message: "the script is too involved to be checked",
			Fix: "split the tool, or put the fixed part into a file and run that"})
	}
	return &Analysis{File: file, Findings: a.findings, Commands: a.commands}, nil
}

// visit walks a tree and hands out each node with its ancestors, the node itself last, for as long as f
// says that it wants to see what is below. The stack is only valid during the call.
func visit(root syntax.Node, f func(stack []syntax.Node) bool) {
	var stack []syntax.Node
	syntax.Walk(root, func(n syntax.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		stack = append(stack, n)
		if !f(stack) {
			stack = stack[:len(stack)-1]
			return false
		}
		return true
	})
}

// followValues finds out how every place is quoted, and where its value goes.
func (a *analysis) followValues(file *syntax.File) {
	visit(file, func(stack []syntax.Node) bool {
		for value := leafText(stack[len(stack)-1]); ; {
			_, p, rest, ok := a.Cut(value)
			if !ok {
				return true
			}
			value = rest
			if p.seen {
				continue
			}
			p.seen = true
			a.quotingOf(p, stack)
			p.arms = a.armsOf(stack)
			if p.Quoting != InComment {
				(&valueFlow{a: a, script: a.scripts[0], stack: stack, slot: p, class: p.Value.Class,
					inner: true}).follow()
			}
		}
	})
	for _, p := range a.Slots {
		if !p.seen {
			p.refuse("the tag stands at a place in the script that cannot be understood",
				"give it a word of its own")
		}
	}
}

func leafText(n syntax.Node) string {
	switch n := n.(type) {
	case *syntax.Lit:
		return n.Value
	case *syntax.SglQuoted:
		return n.Value
	case *syntax.Comment:
		return n.Text
	}
	return ""
}

func (a *analysis) collectFunctions(s *script) {
	syntax.Walk(s.file, func(n syntax.Node) bool {
		if f, ok := n.(*syntax.FuncDecl); ok && f.Name != nil {
			a.functions[f.Name.Value] = append(a.functions[f.Name.Value], f)
			a.declarers[f.Name.Value] = append(a.declarers[f.Name.Value], s)
		}
		return true
	})
}

// collectCalls reads the commands of a script and adds the shell code among their words to the scripts.
func (a *analysis) collectCalls(s *script) {
	visit(s.file, func(stack []syntax.Node) bool {
		switch n := stack[len(stack)-1].(type) {
		case *syntax.CallExpr:
			c := a.call(n)
			if c.function != "" {
				a.callers[c.function] = append(a.callers[c.function], append([]syntax.Node(nil), stack...))
			}
			a.collectRuns(n, c)
			a.collectNested(s, n, c)
			a.warnOfEvaluators(s, n, c)
		case *syntax.Stmt:
			a.collectFed(s, n)
		}
		return true
	})
}

// call reads a simple command.
func (a *analysis) call(n *syntax.CallExpr) *call {
	if c := a.calls[n]; c != nil {
		return c
	}
	c := &call{words: shellwords.StaticAll(n.Args)}
	a.resolveWords(n, c.words)
	for i, w := range c.words {
		if before, _, _, ok := a.Cut(w.Text); ok {
			c.words[i] = shellwords.Word{Text: before, Splits: w.Splits}
		}
	}
	if len(c.words) > 0 && c.words[0].Fixed && a.functions[c.words[0].Text] != nil {
		c.function = c.words[0].Text
	}
	c.reading = shellwords.Read(c.words, a.options.Commands)
	a.calls[n] = c
	return c
}

// parts splits a word into fixed texts and the values of places. It says no when the word depends on more
// than those.
func (a *analysis) parts(w *syntax.Word) ([]part, bool) {
	static := shellwords.Static(w)
	var parts []part
	text := static.Text
	for {
		before, p, after, ok := a.Cut(text)
		if before != "" {
			parts = append(parts, part{text: before})
		}
		if !ok {
			return parts, static.Fixed
		}
		parts = append(parts, part{slot: p})
		text = after
	}
}

// forbid refuses what changes how bash reads the script itself, so that reading it here proves nothing.
func (a *analysis) forbid() {
	for _, s := range a.scripts {
		syntax.Walk(s.file, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Stmt:
				a.forbidUnseen(s, n)
			case *syntax.CallExpr:
				a.forbidCall(s, n)
			case *syntax.CoprocClause:
				if lang, who := a.stdinOf(n.Stmt); lang != shellwords.Data {
					a.refuse(s, n, "", "", fmt.Sprintf("the coprocess %s runs what it reads", who),
						"pass values as arguments")
				}
			}
			if how, cure := bashsyntax.Differs(n); how != "" {
				a.refuse(s, n, "", "", how, cure)
			}
			return true
		})
	}
}

func (a *analysis) forbidCall(s *script, n *syntax.CallExpr) {
	c := a.call(n)
	if len(c.words) == 0 || !c.words[0].Fixed {
		return
	}
	name := c.words[0].Text
	if name == "builtin" || name == "command" {
		if len(c.words) == 1 {
			return
		}
		name = c.words[1].Text
	}
	bad := func(what string) {
		a.refuse(s, n, "", "",
			what+" changes how bash reads the rest of the script, so the tags cannot be checked", "do without it")
	}
	switch name {
	case "mapfile", "readarray":
		for _, text := range c.reading.Code {
			switch w, _, _ := strings.Cut(text.Text, " "); {
			case !text.Fixed, w == "echo", w == "printf", w == ":":
			default:
				a.refuse(s, n, "", "", name+" -C gives what it reads to "+w+", which is not followed",
					"read it into an array and loop over that")
			}
		}
	case "alias", "enable", "hash":
		if len(c.words) > 1 {
			bad(name)
		}
	case "shopt":
		for _, w := range c.words[1:] {
			switch {
			case !w.Fixed, w.Text == "expand_aliases", w.Text == "extglob", strings.HasPrefix(w.Text, "compat"):
				bad("shopt " + w.Text)
			}
		}
	case "set":
		for i, w := range c.words[1:] {
			if w.Text == "--" || w.Text == "-" {
				return
			}
			cluster := len(w.Text) > 1 && (w.Text[0] == '-' || w.Text[0] == '+') &&
				strings.ContainsAny(w.Text[1:], "kH")
			named := i > 0 && (w.Text == "keyword" || w.Text == "histexpand" || w.Text == "posix")
			if cluster || named {
				bad("set " + w.Text)
			}
		}
	}
}
