package render

import (
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/shellwords"
	"mvdan.cc/sh/v3/syntax"
)

// analysis is what one filled-in script means: where each tag stands, where its value goes from there, and
// everything that is wrong with that.
type analysis struct {
	*skeleton
	options   Options
	scripts   []*script // the skeleton first, then the code of nested shells
	functions map[string][]*syntax.FuncDecl
	// The scripts that declare a function: an exported one runs in another shell.
	declarers map[string][]*script
	settings  map[string]*setting        // what the author's own text puts into each variable
	callers   map[string][][]syntax.Node // the stacks of the calls of each function
	calls     map[*syntax.CallExpr]*call
	files     bool                    // the script writes files, so what they hold is followed
	keys      map[*syntax.Word]string // of fileKey
	runs      map[string]bool         // words that name a file or command that runs, see fileKey
	allexport bool                    // set -a
	exports   []string                // the variables that programs get
	flow      *flow
	dynamic   []dynamic
	findings  []Finding
	work      int // what is left of maxWork
}

// maxWork bounds the steps of one analysis. A tool takes a few thousand; the bound keeps a hostile file
// from taking minutes.
const maxWork = 2_000_000

// spend takes steps from what is left, and says no when nothing is.
func (a *analysis) spend(steps int) bool {
	a.work -= steps
	return a.work > 0
}

// script is one shell text: the skeleton, or code that it hands to a shell.
type script struct {
	file *syntax.File
	at   int // the offset in the skeleton of the word that holds it
	// frame tells the positional parameters of one shell from those of another.
	frame string
	zero  bool // $0 is a parameter, as after bash -c
}

// call is one simple command.
type call struct {
	words    []shellwords.Word
	reading  shellwords.Reading
	function string // the function of the script that it calls
	dynamic  *dynamic
	looked   bool      // dynamic has been looked for
	nested   []*script // the shell code in its words, which reads its standard input
}

// The bounds of nesting. The parser and every walk of its trees recurse, and a stack that overflows ends
// the process.
const (
	maxBrackets = 500  // opened and not closed again
	maxDepth    = 1000 // nodes of the tree; one substitution in another takes five
)

var errTooDeep = errors.New("nested too deep")

func parseShell(text string) (*syntax.File, error) {
	if brackets(text) > maxBrackets {
		return nil, errTooDeep
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash),
		syntax.KeepComments(true)).Parse(strings.NewReader(text), "")
	if err != nil {
		return nil, err
	}
	depth := 0
	visit(file, func(stack []syntax.Node) bool {
		depth = max(depth, len(stack))
		return true
	})
	if depth > maxDepth {
		return nil, errTooDeep
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

// analyse reads a skeleton. The error says why it is no script at all.
func analyse(s *skeleton, options Options) (*analysis, error) {
	file, err := parseShell(s.text)
	if err != nil {
		return nil, err
	}
	a := &analysis{
		skeleton: s, options: options,
		functions: map[string][]*syntax.FuncDecl{}, declarers: map[string][]*script{},
		settings: map[string]*setting{}, callers: map[string][][]syntax.Node{},
		calls: map[*syntax.CallExpr]*call{}, runs: map[string]bool{}, keys: map[*syntax.Word]string{},
		work: maxWork,
	}
	if len(s.places) == 0 {
		return a, nil // nothing can go wrong with values that are not there
	}
	a.scripts = []*script{{file: file}}
	a.collectFunctions(a.scripts[0])
	a.collectSettings(a.scripts[0])
	for i := 0; i < len(a.scripts); i++ { // grows
		a.collectCalls(a.scripts[i])
	}
	a.files = a.writesFiles()
	a.forbid()
	a.flow = newFlow(a)
	a.followTags(file)
	a.flow.followVariables()
	if a.work <= 0 {
		a.findings = append(a.findings,
			Finding{Severity: Error, Line: 1, Message: "the script is too involved to be checked",
				Fix: "split the tool, or put the fixed part into a file and run that"})
	}
	sort.SliceStable(a.findings, func(i, j int) bool { return a.findings[i].Line < a.findings[j].Line })
	return a, nil
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

// followTags finds the place of every tag, and where its value goes.
func (a *analysis) followTags(file *syntax.File) {
	visit(file, func(stack []syntax.Node) bool {
		for value := leafText(stack[len(stack)-1]); ; {
			_, p, rest, ok := a.cut(value)
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
			if p.quote != inComment {
				(&valueFlow{a: a, script: a.scripts[0], stack: stack, place: p, class: p.tag.param.class,
					inner: true}).follow()
			}
		}
	})
	for _, p := range a.places {
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
		if before, _, _, ok := a.cut(w.Text); ok {
			c.words[i] = shellwords.Word{Text: before, Splits: w.Splits}
		}
	}
	if len(c.words) > 0 && c.words[0].Fixed && a.functions[c.words[0].Text] != nil {
		c.function = c.words[0].Text
	}
	c.reading = shellwords.Read(c.words)
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
		before, p, after, ok := a.cut(text)
		if before != "" {
			parts = append(parts, part{text: before})
		}
		if !ok {
			return parts, static.Fixed
		}
		parts = append(parts, part{place: p})
		text = after
	}
}

// report adds a finding about a node of a script.
func (a *analysis) report(severity Severity, s *script, n syntax.Node, tag, context, message, fix string) {
	at := s.at
	if s == a.scripts[0] {
		at = int(n.Pos().Offset())
	}
	line, column := position(a.source, a.origin(at))
	f := Finding{Severity: severity, Line: line, Column: column, Tag: tag, Context: context, Message: message,
		Fix: fix}
	for _, other := range a.findings {
		if other.Line == f.Line && other.Message == f.Message && other.Context == f.Context {
			return
		}
	}
	a.findings = append(a.findings, f)
}

// all returns every finding: those about places first.
func (a *analysis) all() []Finding {
	var all []Finding
	for _, p := range a.places {
		if p.tag.optional && len(p.arms) == 0 && p.quote != inComment {
			line, column := position(a.source, p.tag.from)
			name := p.tag.param.param.Name
			all = append(all, Finding{
				Severity: Warning, Line: line, Column: column, Tag: p.tag.source,
				Message: fmt.Sprintf("%q is optional and has no default, so a call without it fails", name),
				Fix:     "put the tag into {{#" + name + "}}…{{/" + name + "}}, or write |default('…')",
			})
		}
		if p.refusal != nil {
			all = append(all, p.finding(Error, a.source, *p.refusal))
		}
		for _, r := range p.remarks {
			all = append(all, p.finding(Warning, a.source, r))
		}
	}
	return append(all, a.findings...)
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
					a.report(Error, s, n, "", "", fmt.Sprintf("the coprocess %s runs what it reads", who),
						"pass values as arguments")
				}
				if _, simple := n.Stmt.Cmd.(*syntax.CallExpr); n.Name != nil && (simple || n.Stmt.Cmd == nil) {
					// In coproc x >f bash takes x for a command, the parser for a name.
					a.report(Error, s, n, "", "", "bash takes the name of this coprocess for a command",
						"write coproc NAME { …; }")
				}
			case *syntax.ParamExp:
				if hidesSubstitution(n) {
					a.report(Error, s, n, "", "",
						"bash takes <( or >( in ${…} for a substitution, which is not read here",
						"assign it to a variable first")
				}
			case *syntax.ExtGlob:
				// Outside [[ ]] bash takes !(…) for a negated subshell, and the parser does not look into it.
				if n.Op == syntax.GlobExcept || strings.ContainsAny(n.Pattern.Value, "$`<>") {
					a.report(Error, s, n, "", "", "this extended glob is not read by bash as it is here",
						"use a plain pattern, or several")
				}
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
		a.report(Error, s, n, "", "",
			what+" changes how bash reads the rest of the script, so the tags cannot be checked", "do without it")
	}
	switch name {
	case "mapfile", "readarray":
		for _, text := range c.reading.Code {
			switch w, _, _ := strings.Cut(text.Text, " "); {
			case !text.Fixed, w == "echo", w == "printf", w == ":":
			default:
				a.report(Error, s, n, "", "", name+" -C gives what it reads to "+w+", which is not followed",
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
