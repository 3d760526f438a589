package shellscan

import (
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/shellwords"
)

// assignment looks at NAME=value, in front of a command, alone, or in a declaration.
func (t *text) assignment(a *syntax.Assign) {
	if a.Name == nil {
		return // a word of a declaration, see declaration
	}
	line := t.line(a)
	t.subscript(a.Index)
	value := shellwords.Word{}
	if a.Value != nil && a.Index == nil && !a.Append {
		value = wordOf(a.Value)
	}
	if slices.Contains(t.ownCode, a) {
		t.givenMore(a.Name.Value, value)
		return
	}
	switch {
	case slices.Contains(t.own, a):
		t.givenMore(a.Name.Value, value)
	case !a.Naked:
		t.given(a.Name.Value, value)
	}
	t.sets(a.Name.Value, value, line)
}

// setsOwnCode notes the variables in front of a program that builds or tests the project by which it finds code of the project
// only: it runs that anyway (PYTHONPATH=src pytest).
func (t *text) setsOwnCode(n *syntax.CallExpr, words []shellwords.Word) {
	var texts []string
	for _, word := range words {
		if !word.Fixed {
			break
		}
		texts = append(texts, word.Text)
	}
	if len(n.Assigns) == 0 || len(texts) == 0 || len(t.functions) > 0 {
		return
	}
	if program, _ := command.Builder(texts[0], texts[1:]); program == "" {
		return
	}
	for _, a := range n.Assigns {
		if a.Name == nil || a.Value == nil || a.Index != nil || a.Append || a.Naked {
			continue
		}
		if value := wordOf(a.Value); value.Fixed && t.commands.SetsOwnCode(a.Name.Value, value.Text) {
			t.ownCode = append(t.ownCode, a)
		}
	}
}

// plainValueLetters are those of values that are one word to a shell, and name no file elsewhere.
const plainValueLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.,:+-"

// IsPlainValue reports whether the value of a variable is one word to whatever shell it gets into, and names no file
// elsewhere.
func IsPlainValue(value string) bool { return strings.Trim(value, plainValueLetters) == "" }

// given notes a variable that the text gives a value, unless programs that only read do nothing else by it.
func (t *text) given(name string, value shellwords.Word) {
	t.givenMore(name, value)
	if (!value.Fixed || !t.commands.IsPlain(name, value.Text)) && len(t.Sets) < maxNames && !slices.Contains(t.Sets, name) {
		t.Sets = append(t.Sets, name)
	}
}

// givenMore notes a variable that the text gives a value which is more than a plain word, or not known.
func (t *text) givenMore(name string, value shellwords.Word) {
	if (!value.Fixed || !IsPlainValue(value.Text)) && len(t.SetsMore) < maxNames && !slices.Contains(t.SetsMore, name) {
		t.SetsMore = append(t.SetsMore, name)
	}
}

// declaration looks at declare, local, export, readonly and typeset where the parser knows them.
// Assignments that it could tell are nodes of their own.
func (t *text) declaration(d *syntax.DeclClause) {
	line := t.line(d)
	t.add(Command{Name: d.Variant.Value, Args: declared(d), Builtin: true, Via: join(t.via), Line: line})
	for _, a := range d.Args {
		if a.Name == nil && a.Value != nil {
			t.declares(d.Variant.Value, wordOf(a.Value), line)
		}
	}
}

// declared returns the words of a declaration.
func declared(d *syntax.DeclClause) []Word {
	words := make([]Word, 0, len(d.Args))
	for _, a := range d.Args {
		word := Word{Fixed: true}
		if a.Name != nil {
			word.Text = a.Name.Value
		}
		if a.Value != nil {
			value := wordOf(a.Value)
			word.Fixed = value.Fixed
			if !a.Naked {
				word.Text += "="
			}
			word.Text += value.Text
		}
		if a.Array != nil || a.Index != nil || a.Append || !word.Fixed {
			word = Word{}
		}
		words = append(words, word)
	}
	return words
}

// declares looks at one word of a declaration: an option, a name, or NAME=value.
func (t *text) declares(builtin string, word shellwords.Word, line int) {
	name, _, assigns := strings.Cut(word.Text, "=")
	switch {
	case !word.Fixed && !assigns:
		t.problem(line, fmt.Sprintf("%s is given a word that is not fixed: it may set any variable", builtin))
	case strings.HasPrefix(name, "-") || strings.HasPrefix(name, "+"):
		// -n makes a name stand for another variable, -i makes bash evaluate what is assigned, and export
		// -f hands a function to programs that call one of that name.
		allowed := "aAgxrulcpFftI"
		if builtin == "export" {
			allowed = "np"
		}
		if name != "--" && name != "-" && strings.Trim(name[1:], allowed) != "" ||
			strings.Contains(name, "f") && strings.Contains(name, "x") {
			t.problem(line, fmt.Sprintf("%s %s changes what names or values mean", builtin, word.Text))
		}
	default:
		t.variableWord(word, line)
	}
}

// variableWord looks at a word that names a variable to set: NAME, NAME=value, NAME[1].
func (t *text) variableWord(word shellwords.Word, line int) {
	name, value, assigns := strings.Cut(word.Text, "=")
	if !word.Fixed && !assigns {
		t.problem(line, "the name of a variable is not fixed, and bash evaluates it")
		return
	}
	name = strings.TrimSuffix(name, "+")
	if !readable(name) {
		t.problem(line, "the name of a variable is no plain name, and bash evaluates it")
		return
	}
	name, _, element := strings.Cut(name, "[")
	if !word.Fixed || !assigns || element {
		if assigns {
			t.given(name, shellwords.Word{})
		}
		t.sets(name, shellwords.Word{}, line)
		return
	}
	t.given(name, shellwords.Word{Text: value, Fixed: true})
	t.sets(name, shellwords.Word{Text: value, Fixed: true}, line)
}

func (t *text) variable(name string, line int) {
	t.variableWord(shellwords.Word{Text: name, Fixed: true}, line)
}

// sets looks at a variable that gets a value.
func (t *text) sets(name string, value shellwords.Word, line int) {
	switch name {
	case "IFS":
		// Bash never takes it from its environment, and it only splits words that are not fixed: see
		// splitsElsewhere.
		t.setsIFS = true
		return
	case "OPTIND", "SECONDS", "RANDOM", "PS1", "PS2", "PS3":
		if value.Fixed && (decimal(value.Text) || name[0] == 'P' && !strings.ContainsAny(value.Text, "$`\\")) {
			return
		}
	}
	if command.NamesEncoding(name) && !(value.Fixed && command.KeepsEncoding(name, value.Text)) {
		t.problem(line, fmt.Sprintf("it sets %s, and in some languages' encodings bash reads other characters",
			name))
	}
	if t.commands.ChangesCommands(name) && !(value.Fixed && t.commands.SetsNothing(name, value.Text)) {
		t.problem(line, fmt.Sprintf("it sets %s, which can change what commands run or do", name))
	}
}
