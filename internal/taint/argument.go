package taint

import (
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/argument"
	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/shellwords"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
	"mvdan.cc/sh/v3/syntax"
)

// argument handles a value in word k of a command.
func (t *valueFlow) argument(n *syntax.CallExpr, k int) {
	c := t.a.call(n)
	role := c.reading.Roles[k]
	if t.chosen(n, c, k) {
		return
	}
	if t.inner && t.variable != "" && !t.quoted {
		if t.read {
			t.warn("without quotes the text is split into words and taken for patterns", `write "$`+t.variable+`"`)
		} else {
			t.refuse("without quotes the value is split into words and taken for patterns",
				`write "$`+t.variable+`"`)
		}
	}
	if c.function != "" && k > 0 {
		t.role("argument of the function %s", c.function)
		return
	}
	switch role.Kind {
	case shellwords.Program:
		if role.Named {
			if t.class != argument.Listed || !t.inner {
				t.refuse("the value chooses which command "+role.Reader+
					" runs, and the directory's own files can define more of them", role.Cure)
			}
			t.role("command of %s", role.Reader)
			return
		}
		if k == 0 {
			t.refuse("the value chooses which command runs",
				"name the command in the script, use case, or set `allow_dynamic_command: true` on the tool")
		} else {
			t.refuse("the value chooses which command "+role.Reader+" runs",
				"name the command in the script, use case, or set `allow_dynamic_command: true` on the tool")
		}
	case shellwords.Code:
		t.code(n, k, role)
	case shellwords.CodeFile:
		if t.class != argument.Listed || !t.inner {
			t.refuse("the value would name a file of code that "+role.Reader+" runs", role.Cure)
		}
		t.role("code file of %s", role.Reader)
	case shellwords.Variable:
		t.refuse("the value would be the name of a variable for "+role.Reader, role.Cure)
	case shellwords.Unclear:
		t.refuse("it cannot be told what "+role.Reader+" does with the value", role.Cure)
	case shellwords.AnyOption:
		t.option(role)
	case shellwords.Assignment:
		t.environment(n, c.words[k].Text)
	default:
		t.data(n, k, role)
	}
}

// code handles a value in a text that a program runs.
func (t *valueFlow) code(n *syntax.CallExpr, k int, role shellwords.Role) {
	t.role("%s code of %s", role.Language, role.Reader)
	whole := t.inner && t.whole(n.Args[k])
	switch {
	case role.Language == shellwords.SQL && whole && t.slot != nil && t.slot.sql():
		t.sql(role)
		return
	case t.inner && t.slot != nil && t.harmlessIn(role.Language):
		if t.class == argument.Numeric && t.slot.From > 0 && t.a.Text()[t.slot.From-1] == '-' {
			t.slot.need(guard{check: notNegative, who: role.Reader})
		}
		if first, _ := t.begins(n.Args[k]); first && t.class == argument.Free && !role.Dash {
			t.dash(role.Reader)
		}
		return
	case role.Language == shellwords.SQL && whole:
		if t.lenient("the whole argument is SQL that the agent writes",
			"commands of the client itself are refused when the tool is called", role.Cure) {
			t.sql(role)
		}
		return
	}
	t.refuse("the value would be part of "+string(role.Language)+" code that "+role.Reader+" runs", role.Cure)
}

// sql handles a parameter that is marked `code: sql` in an argument that is SQL.
func (t *valueFlow) sql(role shellwords.Role) {
	program, _, _ := strings.Cut(role.Reader, " ")
	check := noMetaLine
	switch {
	case command.In(command.ClientWords, program):
		check = noClientWord
	case command.In(command.MetaCommands, program):
		check = noMetaCommand
	}
	if role.Needs != "" {
		t.refuse("SQL can run programs, write files and load libraries with "+program+" as it is called here",
			"add the option "+role.Needs+" to "+program)
		return
	}
	t.slot.need(guard{check: check, who: program})
	if !role.Dash {
		t.dash(program)
	}
}

// option handles a word that begins with a fixed '-' and goes on with the value.
func (t *valueFlow) option(role shellwords.Role) {
	t.role("option of %s", role.Reader)
	switch {
	case t.slot == nil || !t.inner || t.class == argument.Free:
		if t.lenient("only a number is safe here: the value picks the options of "+role.Reader, onlyNumbers,
			"declare the parameter with `type: integer` or as an enum, or write the option out and the tag as a word after it") {
			t.slot.need(guard{check: isDigits, who: "after '-'"})
		}
	case t.class == argument.Numeric:
		t.slot.need(guard{check: isDigits, who: "after '-'"})
	}
}

// environment handles NAME=value in front of a program.
func (t *valueFlow) environment(n *syntax.CallExpr, text string) {
	name, _, fixed := strings.Cut(text, "=")
	t.role("environment")
	if !fixed {
		t.refuse("the value would be the name of a variable", "write the name in the script")
		return
	}
	t.exported(name, n)
}

// data handles a value that a program takes as it is, unless it begins like an option.
func (t *valueFlow) data(n *syntax.CallExpr, k int, role shellwords.Role) {
	first, _ := t.begins(n.Args[k])
	first = first || t.a.call(n).words[k].Splits // {a,{{x}}} becomes two words
	if role.Enters {
		t.entered(n)
	}
	t.files(n, k, role)
	switch {
	case !t.inner:
		if first && !role.Dash {
			t.warn("what $(…) prints may begin with '-' and would then be an option of "+role.Reader,
				"put -- in front of it")
		}
		if t.class == argument.Free && !t.hasPattern() && !t.counted() {
			t.unknown(role, "its words")
			if role.Caution != "" && !t.a.options.TrustProgram { // of the name that is printed, or of the file that <(…) is
				t.warn(role.Caution, t.patternCure())
			}
		}
		return
	case first && !role.Dash && t.isPath(n.Args[k]):
		t.slot.dotted = true
	case first && !role.Dash:
		t.dash(role.Reader)
	}
	t.role("argument of %s", role.Reader)
	program, _, _ := strings.Cut(role.Reader, " ")
	if role.Writes || role.Enters || command.In(command.FileWorkers, program) {
		t.below(n.Args[k])
	}
	if check, ok := checks[role.Check]; ok {
		for _, p := range t.values() { // it is about the value, wherever in the word it stands
			p.need(guard{check: check, who: role.Reader})
		}
	}
	if before := t.a.call(n).words[k].Text; role.Remote && !strings.Contains(before, "/") {
		for _, p := range t.heads() {
			p.need(guard{check: noRemote, who: role.Reader})
		}
	}
	if first && (t.slot == nil || !t.slot.dotted) && command.WordFile(shellwords.Base(program)) != "" {
		for _, p := range t.heads() {
			p.need(guard{check: noWordFile, who: role.Reader})
		}
	}
	if role.Operators && first && (t.slot == nil || !t.slot.dotted) {
		for _, p := range t.heads() {
			p.need(guard{check: noOperator, who: role.Reader})
		}
	}
	if t.class != argument.Free || t.hasPattern() {
		return
	}
	t.unknown(role, "its words")
	if t.a.options.TrustProgram {
		return
	}
	if role.AtStart != "" && first {
		t.warn(role.AtStart, t.patternCure())
	}
	if role.Caution != "" {
		t.warn(role.Caution, t.patternCure())
	}
}

// patternCure says how a value can have a pattern that no parameter declares, such as an entry of an object.
func (t *valueFlow) patternCure() string {
	if t.slot == nil || t.slot.Value.Parameter != nil {
		return ""
	}
	return "an entry of an object can have none, an item of a list can: type: array with items: {type: string, " +
		"pattern: …}, and {{.}} where an item goes"
}

// unknown warns of a free text among the words of a program that no row knows. Nothing here can tell what
// becomes of it. what is where the text goes.
func (t *valueFlow) unknown(role shellwords.Role, what string) {
	program, _, _ := strings.Cut(role.Reader, " -")
	switch {
	case !role.Unknown, t.a.options.TrustProgram, t.input, command.Named(shellwords.Base(program)) != nil:
	case t.slot != nil && t.slot.Value.Parameter != nil && t.slot.Value.Parameter.Format != "":
	default:
		t.warn("it is not known here what "+program+" does with "+what+
			", so the value could choose what it runs or writes; the sandbox is what holds",
			"say what the value looks like, with format:, pattern: or enum:, or that you know the program, "+
				"with `trust_program: true` on the tool")
	}
}

// counted reports whether the value went into a substitution that only prints a number.
func (t *valueFlow) counted() bool {
	for _, n := range t.stack {
		if c, ok := n.(*syntax.CmdSubst); ok && t.a.countsOnly(c) {
			return true
		}
	}
	return false
}

// hasPattern reports whether the author has said what the value looks like: then a caution has
// been heard.
func (t *valueFlow) hasPattern() bool {
	values := t.values()
	for _, p := range values {
		if !p.hasPattern() {
			return false
		}
	}
	return len(values) > 0
}

// hasPattern reports whether the author has said what the value of the place looks like.
func (p *Slot) hasPattern() bool {
	declared := p.Value.Parameter
	return declared != nil && (declared.Pattern != "" || declared.Format != "" && declared.Format != tool.FormatPath)
}

// values are the places of the values that are followed; none where something that a command read may be
// among them.
func (t *valueFlow) values() []*Slot {
	if t.slot != nil {
		return []*Slot{t.slot}
	}
	values, read := t.a.graph.reaching(t.key)
	if read {
		return nil
	}
	return values
}

// heads are the places of the values that the text at the end of the flow may begin with.
func (t *valueFlow) heads() []*Slot {
	if t.slot != nil {
		return []*Slot{t.slot}
	}
	return t.leads
}

// dash asks for a value that does not begin with '-', unless the author allows it or no value can.
func (t *valueFlow) dash(who string) {
	if t.slot != nil {
		if !t.slot.dashAllowed() && t.class != argument.Listed {
			t.slot.need(guard{check: noLeadingDash, who: who})
		}
		return
	}
	var guarded []*Slot
	for _, p := range t.leads {
		if !p.dashAllowed() {
			guarded = append(guarded, p)
		}
	}
	switch {
	case t.input:
	case !t.plain() || len(t.leads) == 0 && t.printed:
		t.warn("the text may begin with '-' and would then be an option of "+who, "put -- in front of it")
	case len(guarded) > 0:
		t.warn("a value that starts with '-' would be an option of "+who+", so it is refused",
			"put -- in front of it")
		for _, p := range guarded {
			p.need(guard{check: noLeadingDash, who: who + " (through $" + t.variable + ")"})
		}
	}
}

// plain reports whether the variable is used as it is, not changed by an operator of ${…}.
func (t *valueFlow) plain() bool {
	p, ok := t.leaf().(*syntax.ParamExp)
	return ok && p.Exp == nil && p.Repl == nil && p.Slice == nil && !p.Excl
}

// whole reports whether a word is the value and nothing else.
func (t *valueFlow) whole(w *syntax.Word) bool {
	parts, fixed := t.a.parts(w)
	return fixed && len(parts) == 1 && t.slot != nil && parts[0].slot == t.slot
}

// isPath reports whether the word begins with a value of a parameter with `format: path`: ./ in front of it
// then names the same file, and is no option.
func (t *valueFlow) isPath(w *syntax.Word) bool {
	if t.slot == nil || t.slot.Value.Parameter == nil || t.slot.Value.Parameter.Format != tool.FormatPath {
		return false
	}
	parts, _ := t.a.parts(w)
	return len(parts) > 0 && parts[0].slot == t.slot
}

// begins reports whether the word may begin with the value: nothing that is sure to be there stands in
// front of it.
func (t *valueFlow) begins(w *syntax.Word) (first, found bool) {
	first = true
	t.a.atoms(w.Parts, func(text string, p *Slot, n syntax.Node) bool {
		if p != nil && p == t.slot || n != nil && t.passed(n) {
			found = true
			return false
		}
		first = first && text == ""
		return true
	})
	return first, found
}

// passed reports whether the value came through a node.
func (t *valueFlow) passed(n syntax.Node) bool {
	for _, other := range t.stack {
		if other == n {
			return true
		}
	}
	return false
}

// atoms hands out what a word is made of, in order: fixed text, values, and the nodes that are neither.
func (a *analysis) atoms(parts []syntax.WordPart, emit func(text string, p *Slot, n syntax.Node) bool) bool {
	for _, part := range parts {
		switch part := part.(type) {
		case *syntax.Lit, *syntax.SglQuoted:
			for text := leafText(part); ; {
				before, p, rest, ok := a.Cut(text)
				if before != "" && !emit(before, nil, nil) {
					return false
				}
				if !ok {
					break
				}
				if !emit("", p, nil) {
					return false
				}
				text = rest
			}
		case *syntax.DblQuoted:
			if !a.atoms(part.Parts, emit) {
				return false
			}
		default:
			if !emit("", nil, part) {
				return false
			}
		}
	}
	return true
}
