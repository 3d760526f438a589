package shellscan

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/a2a-acp/a2a-acp/internal/command"
)

// The bounds of what is read again for each word of a loop.
const (
	maxItems  = 30
	maxRounds = 100 // of all loops of a scan
)

// unroll reads the body of a loop over fixed words once for each word, with the word in the place of the
// variable: for f in a b; do cat "$f"; done runs cat a and cat b. A pattern of names, or a command that prints
// names, is read once (see namesInLoop). It is false, and has read nothing, for every other loop: over words
// that are not plain, with a body that could set the variable, or that uses it in another way than as $f, or
// not at all, and with a variable that a shell gives values itself.
func (t *text) unroll(loop *syntax.ForClause) bool {
	over, ok := loop.Loop.(*syntax.WordIter)
	if !ok || loop.Select || loop.Braces || len(over.Items) == 0 || len(over.Items) > maxItems ||
		t.rounds+len(over.Items) > maxRounds || len(t.functions) > 0 {
		return false
	}
	patterns := false
	for _, item := range over.Items {
		if len(over.Items) == 1 && listedNames(item) != nil {
			patterns = true
			break
		}
		text := item.Lit()
		patterns = patterns || isNamePattern(text)
		if text == "" || strings.Trim(text, plainItem) != "" && !isNamePattern(text) {
			return false
		}
	}
	body := loopBody{name: over.Name.Value, plain: !command.GivenByShell(over.Name.Value)}
	for _, stmt := range loop.Do {
		syntax.Walk(stmt, body.node)
	}
	if !body.plain || len(body.uses) == 0 {
		return false
	}
	words, inWords := body.loopedWords(loop.Do)
	if patterns && (!inWords || len(t.looped) > 0) {
		return false
	}
	t.unrolled = max(t.unrolled, t.line(loop))
	t.look(loop)
	t.path = append(t.path, loop)
	t.look(over)
	for _, item := range over.Items {
		t.rounds++
		end, value := func() {}, item.Lit()
		if finder := listedNames(item); finder != nil {
			value = unknownValue
			syntax.Walk(item, t.node)
			end = t.namesInLoop(finder, words, true)
		} else if isNamePattern(item.Lit()) {
			// One with no directory in front, which a find always gives, can be an option or what a program takes for another
			// thing: host:x of tar, FS=x of awk.
			end = t.namesInLoop(findsNames(item.Lit()), words, !strings.Contains(item.Lit(), "/"))
		}
		t.readBody(loop.Do, body, value)
		end()
	}
	t.path = t.path[:len(t.path)-1]
	return true
}

// unknownValue stands in the place of a variable of which nobody knows the value. No word that holds it is fixed: see wordOf.
const unknownValue = "\x01"

// readBody reads the body of a loop with a text in the place of its variable.
func (t *text) readBody(stmts []*syntax.Stmt, body loopBody, value string) {
	for _, use := range body.uses {
		use.parts[use.at] = &syntax.Lit{ValuePos: use.variable.Pos(), ValueEnd: use.variable.End(), Value: value}
	}
	for _, stmt := range stmts {
		syntax.Walk(stmt, t.node)
	}
	for _, use := range body.uses {
		use.parts[use.at] = use.variable
		t.regions.add(use.variable, regionStrict)
	}
}

// plainItem are the letters of words that are the same word wherever they stand.
const plainItem = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/-"

// loopBody looks for the uses of a loop's variable.
type loopBody struct {
	name  string
	uses  []variableUse
	plain bool // nothing else could use or set it
}

// variableUse is a place where the value of a variable stands.
type variableUse struct {
	parts    []syntax.WordPart
	at       int
	variable *syntax.ParamExp
	quoted   bool // in double quotes
}

func (b *loopBody) node(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.Word:
		b.parts(n.Parts, false)
	case *syntax.DblQuoted:
		b.parts(n.Parts, true)
	case *syntax.ParamExp:
		b.plain = b.plain && (n.Param == nil || n.Param.Value != b.name || b.counted(n))
		if n.Excl || n.NestedParam != nil {
			b.plain = false // whose value names another
		}
	case *syntax.Assign:
		b.plain = b.plain && n.Name != nil && n.Name.Value != b.name
	case *syntax.WordIter:
		b.plain = b.plain && n.Name.Value != b.name
	case *syntax.FuncDecl, *syntax.DeclClause, *syntax.LetClause, *syntax.ArithmCmd, *syntax.ArithmExp,
		*syntax.CStyleLoop, *syntax.CoprocClause:
		b.plain = false
	case *syntax.Redirect:
		b.plain = b.plain && n.N == nil // {f}>file sets f
	case *syntax.CallExpr:
		if len(n.Args) > 0 {
			name := n.Args[0].Lit()
			b.plain = b.plain && name != "" && !strings.Contains(name, `\`) && (!setsVariables[name] || onlyPrints(n))
		}
	}
	return b.plain
}

// setsVariables are builtins that set variables by their names, run text of the shell, or change how words
// are read.
var setsVariables = set(`read unset export declare typeset local readonly eval source . mapfile readarray printf
	getopts let set shopt alias builtin command exec trap enable wait`)

func (b *loopBody) parts(parts []syntax.WordPart, quoted bool) {
	for at, part := range parts {
		if p, ok := part.(*syntax.ParamExp); ok && p.Param != nil && p.Param.Value == b.name && simple(p) &&
			!goesOn(p, parts[at+1:]) {
			b.uses = append(b.uses, variableUse{parts, at, p, quoted})
		}
	}
}

// goesOn reports whether $x may be more to zsh for what stands behind it: $x:h is the directory of a name,
// $x[2,3] a part of it (zshexpn(1), MODIFIERS; zshparam(1), Array Subscripts). A colon alone, or in front of a blank, is none.
func goesOn(p *syntax.ParamExp, behind []syntax.WordPart) bool {
	if !p.Short || len(behind) == 0 {
		return false
	}
	l, ok := behind[0].(*syntax.Lit)
	return ok && strings.ContainsAny(l.Value[:min(1, len(l.Value))], ":[") &&
		!strings.HasPrefix(l.Value, ": ") && !(l.Value == ":" && len(behind) == 1)
}

// splitsElsewhere is a Problem where a text sets IFS and uses the variable of a loop: of one word bash
// makes several then. It counts wherever IFS is set, since the loop may stand in another that comes back to
// it.
func (s *scan) splitsElsewhere() {
	if s.unrolled > 0 && s.setsIFS {
		s.problem(s.unrolled, "it sets IFS, so that it cannot be told of which words the value of a variable is made")
	}
}

// counted reports whether an expansion is among the uses.
func (b *loopBody) counted(p *syntax.ParamExp) bool {
	return slices.ContainsFunc(b.uses, func(use variableUse) bool { return use.variable == p })
}

// simple reports whether an expansion is $x or ${x}.
func simple(p *syntax.ParamExp) bool {
	return !p.Excl && !p.Length && !p.Width && !p.IsSet && p.Names == 0 && p.Index == nil && p.Slice == nil &&
		p.Repl == nil && p.Exp == nil &&
		p.Flags == nil && p.NestedParam == nil && p.Modifiers == nil && p.Split == 0 && p.GlobSubst == 0 &&
		p.RcExpand == 0
}
