package shellscan

import (
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/shellwords"
)

// The bounds of one command.
const (
	maxWords    = 2000
	maxWrappers = 16 // in front of each other
)

// simpleCommand is one simple command: what shellwords says of its words, and which of them are still to be
// looked at.
type simpleCommand struct {
	*text
	shellwords.Reading
	words []shellwords.Word
	own   []string // the wrappers that stand in front of words, in this text
	line  int
	done  []bool // the words that were read as a command of their own
}

// command reads the words of a simple command: every program among them, the code that they hold, the
// variables that they set and the files that they write.
func (t *text) command(words []shellwords.Word, own []string, line int) {
	switch {
	case t.stopped:
		return
	case len(words) > maxWords:
		t.stop(line, "a command has too many words")
		return
	case len(own) > maxWrappers:
		t.stop(line, "too many programs stand in front of each other")
		return
	}
	c := &simpleCommand{text: t, Reading: shellwords.Read(words, t.commands), words: words, own: own, line: line,
		done: make([]bool, len(words))}
	for n := range c.Programs {
		if !c.done[c.Programs[n].At] && !c.program(n) {
			return
		}
	}
	if c.Unknown != "" {
		c.cannot(c.Unknown)
	}
	if c.Stdin != shellwords.Data && c.Stdin != shellwords.Arguments && !c.asksVersion() && !c.findsCode() {
		c.cannot(fmt.Sprintf("%s runs what it reads on its standard input", c.last()))
	}
	for i := range c.Roles {
		if !c.done[i] {
			c.role(i)
		}
	}
	for _, code := range c.Code {
		if !c.done[code.At] {
			c.code(code)
		}
	}
}

func (c *simpleCommand) cannot(what string) { c.problem(c.line, what) }

// asksVersion reports whether the last program is an interpreter that is only asked which one it is, and so
// reads nothing.
func (c *simpleCommand) asksVersion() bool {
	span := c.Programs[len(c.Programs)-1]
	if span.End-span.At != 2 || !c.words[span.At+1].Fixed {
		return false
	}
	return command.Subcommands(command.VersionWords,
		shellwords.Base(c.words[span.At].Text))[c.words[span.At+1].Text]
}

// findsCode reports whether the last program is told to find the code that it runs by itself (node --test).
func (c *simpleCommand) findsCode() bool {
	span := c.Programs[len(c.Programs)-1]
	finding := command.Subcommands(command.CodeFinders, shellwords.Base(c.words[span.At].Text))
	for i := span.At + 1; i < span.End; i++ {
		if c.Roles[i].Kind == shellwords.Option && c.words[i].Fixed && finding[c.words[i].Text] {
			return true
		}
	}
	return false
}

// checksCode reports whether the program that a word belongs to is told to read the code in files and to run nothing of it:
// bash -n x.sh, with no other option, since some have it run all the same (-i).
func (c *simpleCommand) checksCode(at int) bool {
	for _, span := range c.Programs {
		words := c.words[span.At:span.End]
		if at <= span.At || at >= span.End || len(words) < 3 || !words[1].Fixed ||
			!command.Subcommands(command.CodeCheckers, shellwords.Base(words[0].Text))[words[1].Text] {
			continue
		}
		return !slices.ContainsFunc(words[2:], func(w shellwords.Word) bool {
			return !w.Fixed || strings.HasPrefix(w.Text, "-") || strings.HasPrefix(w.Text, "+")
		})
	}
	return false
}

func (c *simpleCommand) last() string {
	return shellwords.Base(c.words[c.Programs[len(c.Programs)-1].At].Text)
}

// program looks at one of the programs of the command. It says no when there is nothing more to tell of the
// command: the name is not known, it is a function of the text, or nobody can tell what the program runs.
func (c *simpleCommand) program(n int) bool {
	span := c.Programs[n]
	name := c.words[span.At]
	own := append(c.own[:len(c.own):len(c.own)], span.Via...)
	switch {
	case !name.Fixed:
		c.cannot("the command's name is not fixed")
		return false
	case name.Text == "":
		c.cannot("the command's name is empty")
		return false
	case name.Text == "-" || name.Text == "--" || strings.Contains(name.Text, "="):
		c.cannot(fmt.Sprintf("%s is no name of a command", name.Text))
	case !c.argv && c.calls(name.Text, own, c.line):
		return false
	}
	c.add(Command{
		Name: name.Text, Args: args(c.words[span.At+1 : span.End]), Builtin: !c.argv && builtin(name.Text, own),
		Via: join(c.via, own), Line: c.line, Finder: c.finderOf(span),
	})
	base := shellwords.Base(name.Text)
	if why := command.Opaque(base); why != "" {
		c.cannot(base + " " + why)
		return false
	}
	if rule := ruleFor(base); rule != nil {
		rule(c, n)
	}
	c.options(n)
	c.rewrites(span)
	return true
}

// rewrites adds the files that a program writes back (sed -i).
func (c *simpleCommand) rewrites(span shellwords.Span) {
	row := command.Named(shellwords.Base(c.words[span.At].Text))
	if row == nil {
		return
	}
	words := c.words[span.At+1 : span.End]
	texts := make([]string, len(words))
	for i, word := range words {
		texts[i] = word.Text
	}
	for _, at := range row.Rewritten(row.Read(texts)) {
		c.write(words[at], c.line)
	}
}

// builtin reports whether bash does a command itself: not when a program starts it.
func builtin(name string, own []string) bool {
	for _, wrapper := range own {
		if wrapper != "command" && wrapper != "builtin" {
			return false
		}
	}
	return command.Builtin(name)
}

func args(words []shellwords.Word) []Word {
	all := make([]Word, len(words))
	for i, w := range words {
		if all[i] = (Word{Pattern: w.Pattern, Printed: w.Printed, PrintedMany: w.PrintedMany, Pipe: w.Pipe, Found: w.Found &&
			!w.Splits, FoundMany: w.Found && w.Splits}); w.Fixed {
			all[i] = Word{Text: w.Text, Fixed: true}
		}
	}
	return all
}

func join(lists ...[]string) string {
	var all []string
	for _, list := range lists {
		all = append(all, list...)
	}
	return strings.Join(all, " ")
}

// inner reads a part of the words again, as another program starts it: with items in it that are not known.
// via is the program that starts it.
func (c *simpleCommand) inner(span shellwords.Span, words []shellwords.Word, via ...string) {
	for i := span.At; i < span.End; i++ {
		c.done[i] = true
	}
	c.command(words, append(c.own[:len(c.own):len(c.own)], via...), c.line)
}

// role looks at what a word is to its program.
func (c *simpleCommand) role(i int) {
	word, role := c.words[i], c.Roles[i]
	reader, _, _ := strings.Cut(role.Reader, " ")
	switch role.Kind {
	case shellwords.Unclear:
		if c.Unknown != "" {
			break // said once
		}
		c.cannot(fmt.Sprintf("it cannot be told what the words of %s are", role.Reader))
	case shellwords.Variable:
		switch {
		case reader == "test" || reader == "[":
			if !word.Fixed || !readable(word.Text) {
				c.cannot(fmt.Sprintf("%s takes this for a variable's name, and bash evaluates it", reader))
			}
		case declares(reader):
			c.declares(reader, word, c.line)
		default:
			c.variableWord(word, c.line)
		}
	case shellwords.Assignment:
		c.variableWord(word, c.line)
	case shellwords.Program:
		if !c.startsAt(i) { // an option's argument: rg --pre X
			if word.Fixed {
				c.add(Command{Name: word.Text, Args: []Word{{}}, Via: join(c.via, c.own, []string{reader}),
					Line: c.line})
			} else {
				c.cannot(fmt.Sprintf("%s runs a program whose name is not fixed", role.Reader))
			}
		}
	case shellwords.CodeFile:
		if (role.Language == shellwords.Shell || role.Language == shellwords.Settings) && !c.checksCode(i) {
			c.cannot(fmt.Sprintf("%s runs or obeys what a file holds", role.Reader))
		}
	}
	if role.Writes {
		c.writesWord(i)
	}
}

func (c *simpleCommand) startsAt(i int) bool {
	for _, span := range c.Programs {
		if span.At == i {
			return true
		}
	}
	return false
}

// writesWord adds the file that a word names, alone or behind an option.
func (c *simpleCommand) writesWord(i int) {
	word := c.words[i]
	if c.Roles[i].Kind == shellwords.Option {
		_, path, glued := strings.Cut(word.Text, "=")
		word = shellwords.Word{Text: path, Fixed: word.Fixed && glued && strings.HasPrefix(word.Text, "--")}
	}
	c.write(word, c.line)
}

// code looks at a text that a program runs.
func (c *simpleCommand) code(code shellwords.Text) {
	reader, _, _ := strings.Cut(c.Roles[code.At].Reader, " ")
	switch {
	case code.Language == shellwords.Settings &&
		reader == "git", builtinRule(reader) != nil: // their rules speak of it
	case code.Language == shellwords.Settings:
		c.cannot(fmt.Sprintf("%s takes settings that can name programs to run", reader))
	case code.Language == shellwords.Arithmetic && reader != "expr":
		c.cannot(evaluates)
	case code.Language != shellwords.Shell:
		// The language is not read. The text stands in Args, and is a Word that is not fixed if it is none.
	case !code.Fixed:
		c.cannot(fmt.Sprintf("%s runs code that is not fixed", reader))
	default:
		c.shellCode(reader, code)
	}
}

// shellCode reads shell code that a word of reader holds.
func (c *simpleCommand) shellCode(reader string, code shellwords.Text) {
	via := slices.Concat(c.via, c.own, c.wrappers(code.At), []string{reader})
	switch reader {
	case "eval", "trap":
		c.nested(code.Text, c.shell, true, via, c.line)
	case "bash", "rbash":
		c.nested(code.Text, syntax.LangBash, false, via, c.line)
	case "sh", "dash", "ash":
		c.eitherShell(code.Text, via)
	default:
		c.cannot(fmt.Sprintf("%s hands words to a shell", reader))
	}
}

// wrappers returns what stands in front of the program that a word belongs to.
func (c *simpleCommand) wrappers(at int) []string {
	var via []string
	for _, span := range c.Programs {
		if span.At < at && at < span.End {
			via = span.Via
		}
	}
	return via
}
