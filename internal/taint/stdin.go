package taint

import (
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/argument"
	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
	"github.com/a2a-acp/a2a-acp/internal/shellwords"
	"mvdan.cc/sh/v3/syntax"
)

// redirect handles a value in a redirection: the text of a here-document, a here-string, or the name of a
// file.
func (t *valueFlow) redirect(n *syntax.Redirect, child syntax.Node, i int) bool {
	statement, _ := t.stack[i-1].(*syntax.Stmt)
	switch {
	case n.Hdoc != nil && syntax.Node(n.Hdoc) == child:
		t.role("text of a here-document")
		t.feed(statement)
		return true
	case n.Op == syntax.Hdoc || n.Op == syntax.DashHdoc:
		t.refuse("the value would be the end marker of a here-document", "write the marker in the script")
		return false
	case n.Op == syntax.WordHdoc:
		t.role("here-string")
		t.feed(statement)
		return true
	case n.Op == syntax.DplOut || n.Op == syntax.DplIn:
		t.role("file descriptor")
		switch {
		case t.slot == nil || !t.inner:
			t.refuse("bash expands the target of "+n.Op.String()+" twice, so a text like $(cmd) in it runs cmd",
				"write > or &> for a file")
		case !t.slot.Value.Integers() &&
			!t.lenient("only a number is safe as the target of "+n.Op.String()+
				", which bash expands twice: a text like $(cmd) in it runs cmd",
				onlyNumbers, "write > or &> for a file, or declare the parameter with `type: integer`"):
		default:
			t.slot.need(guard{check: isDigits, who: "for a descriptor"})
		}
		return false
	}
	t.role("redirection target")
	t.device(n.Word)
	t.below(n.Word)
	if writes(n.Op) {
		t.names(statement, n.Word)
	}
	if n.Op != syntax.RdrIn && n.Op != syntax.RdrInOut {
		return false
	}
	language, who := t.a.stdinOf(statement)
	if t.inner && language != shellwords.Data && t.class == argument.Free {
		t.refuse("the value names the file that "+who+" runs as "+string(language), "name the file in the script")
	}
	t.feed(statement)
	return true
}

// device asks for a value that does not name one of bash's own network devices.
func (t *valueFlow) device(w *syntax.Word) {
	word, _ := t.a.parts(w)
	switch {
	case len(word) > 0 && isDevice(word[0].text): // the author means it
	case t.slot != nil && t.inner:
		t.slot.need(guard{check: noDevice, word: word})
	case t.slot == nil && t.inner && !t.input:
		for _, p := range t.leads {
			if !t.a.spend(1 + len(p.guards)) {
				return
			}
			p.need(guard{check: noDevice, word: append(word[:len(word):len(word)], part{slot: p})})
		}
		if len(t.leads) == 0 || !t.plain() {
			t.warn("a value like /dev/tcp/host/80 opens a network connection", "put ./ in front of it")
		}
	}
}

func isDevice(name string) bool {
	return strings.HasPrefix(name, "/dev/tcp/") || strings.HasPrefix(name, "/dev/udp/")
}

// feed handles a value on the standard input of a statement.
func (t *valueFlow) feed(s *syntax.Stmt) {
	if s == nil {
		return
	}
	if isBareExec(s) { // exec <<< text: the rest of the script reads it
		for _, rest := range t.a.scripts[0].file.Stmts {
			t.feedOne(rest)
		}
		return
	}
	t.feedOne(s)
}

func (t *valueFlow) feedOne(s *syntax.Stmt) {
	if !t.first(s) {
		return
	}
	language, who := t.a.stdinOf(s)
	if language != shellwords.Data && !t.harmlessIn(language) {
		t.refuse("the text goes to the standard input of "+who+", which runs it as "+string(language),
			"pass the value as an argument, or through a variable of the environment")
	}
	t.told(s)
	for _, file := range t.a.writtenBy(s) {
		t.written(file)
	}
	if t.slot == nil || t.class == argument.Free {
		t.readAgain(s)
	}
}

// readAgain follows what the substitutions in a statement print when it is the statement's standard input
// that they read: … | eval "$(cat)".
func (t *valueFlow) readAgain(s *syntax.Stmt) {
	visit(s, func(stack []syntax.Node) bool {
		switch n := stack[len(stack)-1].(type) {
		case *syntax.Stmt:
			return n == s || !ownStdin(n)
		case *syntax.CmdSubst:
			if t.a.countsOnly(n) {
				return false
			}
			next := *t
			next.stack, next.inner, next.quoted = stack, false, false
			next.climb(len(stack) - 2)
		case *syntax.CallExpr:
			for _, f := range t.a.functions[t.a.call(n).function] {
				if t.first(f.Body) {
					t.readAgain(f.Body)
				}
			}
			for _, nested := range t.a.call(n).nested {
				inner := *t
				inner.script = nested
				for _, statement := range nested.file.Stmts {
					if t.first(statement) && !ownStdin(statement) {
						inner.readAgain(statement)
					}
				}
			}
		}
		return t.a.spend(1)
	})
}

// harmlessIn reports whether a value of this class may be part of a program: a number may be part of any, a
// text that the author listed of any but shell code, where it could be another command, and one that is
// plain by its pattern of settings.
func (t *valueFlow) harmlessIn(language shellwords.Language) bool {
	switch t.class {
	case argument.Numeric:
		return language != shellwords.Arguments
	case argument.Listed:
		return language != shellwords.Shell && language != shellwords.Arguments && language != shellwords.Arithmetic
	}
	return (language == shellwords.Settings || language == shellwords.Makefile) &&
		t.slot.plainText(string(language))
}

// isBareExec reports whether a statement is exec with nothing but redirections.
func isBareExec(s *syntax.Stmt) bool {
	c, ok := s.Cmd.(*syntax.CallExpr)
	return ok && len(c.Args) == 1 && c.Args[0].Lit() == "exec"
}

// stdinOf tells whether anything in a statement runs the statement's standard input as code, and what does.
func (a *analysis) stdinOf(s *syntax.Stmt) (shellwords.Language, string) {
	return a.stdinIn(s, map[string]bool{})
}

func (a *analysis) stdinIn(s *syntax.Stmt, seen map[string]bool) (language shellwords.Language, who string) {
	a.eachReader(s, seen, func(n *syntax.CallExpr, c *call) bool {
		switch {
		case c.reading.Stdin != shellwords.Data:
			language, who = c.reading.Stdin, readerOf(c)
		case c.reading.Unknown != "" && len(n.Args) > 0:
			language, who = shellwords.Shell, "a command that cannot be told from the script"
		}
		return language == shellwords.Data
	})
	return language, who
}

// eachReader calls f with the commands of a statement that may read its standard input, for as long as f
// wants to see more. It leaves out functions that were looked into.
func (a *analysis) eachReader(
	s *syntax.Stmt, seen map[string]bool, f func(*syntax.CallExpr, *call) (more bool),
) (more bool) {
	more = true
	syntax.Walk(s, func(n syntax.Node) bool {
		if !more {
			return false
		}
		switch n := n.(type) {
		case *syntax.Stmt:
			return n == s || !ownStdin(n)
		case *syntax.FuncDecl:
			return false
		case *syntax.CallExpr:
			c := a.call(n)
			switch {
			case c.function != "" && !seen[c.function]:
				seen[c.function] = true
				for _, function := range a.functions[c.function] {
					more = more && a.eachReader(function.Body, seen, f)
				}
			case c.function == "":
				more = f(n, c)
			}
			for _, nested := range c.nested {
				for _, inner := range nested.file.Stmts {
					more = more && (ownStdin(inner) || a.eachReader(inner, seen, f))
				}
			}
		}
		return true
	})
	return more
}

// told warns of a value on the standard input of programs that obey what it says, without being code to them,
// and of those that no row knows.
func (t *valueFlow) told(s *syntax.Stmt) {
	t.a.eachReader(s, map[string]bool{}, func(n *syntax.CallExpr, c *call) bool {
		switch r := c.reading; {
		case r.Brings != "" && (t.slot != nil || t.file != ""):
			t.brought(n, r.Brings)
		case r.InputOf == "" || !t.picks():
		case r.Input != "":
			t.warn(r.Input, "say what the value looks like, with pattern:, or that you mean it, with `trust_program: true` on the tool")
		default:
			t.unknown(shellwords.Role{Reader: r.InputOf, Unknown: true}, "its standard input")
		}
		return true
	})
}

func readerOf(c *call) string {
	last := c.reading.Programs[len(c.reading.Programs)-1]
	return c.words[last.At].Text
}

// ownStdin reports whether a statement reads from somewhere else than what stands around it.
func ownStdin(s *syntax.Stmt) bool {
	for _, r := range s.Redirs {
		if r.N != nil && r.N.Value != "0" {
			continue
		}
		switch r.Op {
		case syntax.RdrIn, syntax.RdrInOut, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc, syntax.DplIn:
			return true
		}
	}
	return false
}

// statement handles what a value's statement prints: it may go to a process substitution, or to a file that
// is run.
func (t *valueFlow) statement(s *syntax.Stmt) {
	for _, r := range s.Redirs {
		switch r.Op {
		case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll, syntax.RdrInOut:
			t.into(r.Word)
			t.written(t.a.fileKey(r.Word))
		}
	}
}

// outputs handles the words >(…) of the command that gets the value.
func (t *valueFlow) outputs(n *syntax.CallExpr) {
	for _, w := range n.Args {
		t.into(w)
	}
}

// into feeds the process substitution that a word is.
func (t *valueFlow) into(w *syntax.Word) {
	for _, part := range w.Parts {
		if p, ok := part.(*syntax.ProcSubst); ok && p.Op == syntax.CmdOut {
			for _, s := range p.Stmts {
				t.feedOne(s)
			}
		}
	}
}

// written handles a value that is written to a file. When the script runs that file, the value is code.
func (t *valueFlow) written(file string) {
	if file != "" && t.a.runs[file] && t.class == argument.Free {
		t.refuse("the value is written to "+file+", which the script runs",
			"give the program a fixed text and pass the value as an argument")
	}
	if caution := t.a.obeyed[file]; caution != "" && t.picks() {
		t.warn("the value is written to "+file+", and "+caution, t.patternCure())
	}
}

// writtenBy lists the files that the commands of a statement write what they read to, as tee does.
func (a *analysis) writtenBy(s *syntax.Stmt) []string {
	var files []string
	syntax.Walk(s, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			for i, role := range a.call(n).reading.Roles {
				if role.Writes {
					files = append(files, a.fileKey(n.Args[i]))
				}
			}
		case *syntax.Redirect:
			if n.Op == syntax.RdrOut || n.Op == syntax.AppOut || n.Op == syntax.RdrAll ||
				n.Op == syntax.AppAll || n.Op == syntax.RdrClob {
				files = append(files, a.fileKey(n.Word))
			}
		}
		return true
	})
	return files
}

// fileKey names a file by the word for it, so that "$TMP" and ${TMP} are the same. It is "" for a word that
// is no plain name, since that of a process substitution names nothing twice.
func (a *analysis) fileKey(w *syntax.Word) string {
	key, known := a.keys[w]
	if !known {
		key = printedKey(w)
		a.keys[w] = key
	}
	return key
}

func printedKey(w *syntax.Word) string {
	var b strings.Builder
	if err := syntax.NewPrinter().Print(&b, w); err != nil {
		return ""
	}
	if w.Lit() == foundFile {
		return foundFile
	}
	key := strings.NewReplacer(`"`, "", `'`, "", "{", "", "}", "").Replace(b.String())
	switch {
	case strings.ContainsAny(key, "()"), key == "/dev/null", key == "/dev/stderr", key == "/dev/stdout":
		return ""
	}
	return strings.TrimPrefix(key, "./")
}

// runsFile finds the files that a client's own command runs.
var runsFile = lazyregexp.New(`(?m)^\s*(?:\.read|\\ir?|\\include|source|\\\.)\s+['"]?([^\s'";]+)`)

// imported finds the modules that Python code reads, first of all from the directory that it runs in.
var imported = lazyregexp.New(`(?m)(?:^|[;:])\s*(?:import|from)\s+([A-Za-z_][A-Za-z0-9_]*)`)

// collectRuns notes the words of a command that name files that run.
func (a *analysis) collectRuns(n *syntax.CallExpr, c *call) {
	for _, text := range c.reading.Code {
		if found := runsFile.FindStringSubmatch(text.Text); text.Language == shellwords.SQL && found != nil {
			a.runs[strings.TrimPrefix(found[1], "./")] = true
		}
		for _, found := range imported.FindAllStringSubmatch(text.Text, -1) {
			if text.Language == shellwords.Python {
				a.runs[found[1]+".py"] = true
			}
		}
	}
	for i, role := range c.reading.Roles {
		switch {
		case role.Obeyed:
			if key := a.fileKey(n.Args[i]); key != "" {
				a.obeyed[key] = role.Caution
			}
		case role.Kind == shellwords.CodeFile, role.Kind == shellwords.Unclear && !c.words[i].Fixed,
			role.Kind == shellwords.Program &&
				(!c.words[i].Fixed || strings.Contains(c.words[i].Text, "/") || a.settings["PATH"] != nil):
			if key := a.fileKey(n.Args[i]); key != "" {
				a.runs[key] = true
			}
		}
	}
}
