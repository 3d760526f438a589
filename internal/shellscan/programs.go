package shellscan

import (
	"fmt"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/shellwords"
)

// ruleFor returns what is to be looked at in a program's words, beside what shellwords says of them; nil
// for nothing.
func ruleFor(base string) func(c *simpleCommand, n int) {
	switch base {
	case "xargs":
		return (*simpleCommand).xargs
	case "find":
		return (*simpleCommand).find
	case "env":
		return (*simpleCommand).env
	case "git":
		return (*simpleCommand).git
	case "bash", "rbash", "sh", "dash", "ash":
		return (*simpleCommand).shellOptions
	}
	return builtinRule(base)
}

// xargs adds what it reads to the words of its command, or puts it in the place of a mark: neither is known.
func (c *simpleCommand) xargs(n int) {
	span := c.Programs[n]
	if n+1 >= len(c.Programs) || c.Programs[n+1].At >= span.End {
		if c.Unknown == "" { // echo is what xargs runs when it is given no command
			c.add(Command{Name: "echo", Args: []Word{{}},
				Via: join(c.via, c.own, span.Via, []string{"xargs"}), Line: c.line})
		}
		return
	}
	child := c.Programs[n+1]
	mark, marked := "", false
	for _, o := range c.Options(n) {
		switch o.Name {
		case "-I", "-i", "--replace":
			if mark, marked = o.Value.Text, true; o.ValueAt == 0 {
				mark = "{}"
			} else if !o.Value.Fixed {
				c.cannot("the mark of xargs is not fixed")
			}
		}
	}
	words := replaced(c.words[child.At:child.End], mark, false)
	if !marked {
		words = append(words, shellwords.Word{Splits: true})
	}
	if c.fed != nil {
		defer c.finds(c.fed)()
		for i := range words { // what else is not fixed, $(cat a) or ~, is none of these names
			given := child.At+i >= child.End
			if marked {
				given = c.words[child.At+i].Fixed && c.words[child.At+i].Text == mark
			}
			words[i].Found = given
			words[i].Splits = words[i].Splits || given // -I takes quotes and backslashes away
		}
	}
	c.inner(child, words, child.Via...)
}

// finds has words that are Found be names that a command of these words prints, until what it gives is called.
func (t *text) finds(words []Word) (end func()) {
	before := t.finder
	t.finder = words
	return func() { t.finder = before }
}

// finderOf returns the words of the command whose names a program is given.
func (c *simpleCommand) finderOf(span shellwords.Span) []Word {
	for _, w := range c.words[span.At+1 : span.End] {
		if w.Found {
			return c.finder
		}
	}
	return nil
}

// replaced gives words in which those that hold a mark are not fixed.
func replaced(words []shellwords.Word, mark string, splits bool) []shellwords.Word {
	all := make([]shellwords.Word, len(words))
	for i, w := range words {
		if before, _, found := strings.Cut(w.Text, mark); found && mark != "" {
			w = shellwords.Word{Text: before, Splits: splits && w.Text == mark}
		}
		all[i] = w
	}
	return all
}

// find reads its -exec commands again with the names of files in the place of {}, which GNU find replaces
// anywhere in a word. A word that is not fixed could be -exec or -delete itself.
func (c *simpleCommand) find(n int) {
	span := c.Programs[n]
	for _, child := range c.Programs[n+1:] {
		if child.At < span.End && len(child.Via) == len(span.Via)+1 && !c.done[child.At] {
			many := child.End < len(c.words) && c.words[child.End].Text == "+"
			words := replaced(c.words[child.At:child.End], "{}", many)
			if c.words[child.At-1].Text == "-exec" {
				end := c.finds(args(c.words[span.At:span.End]))
				for i := range words {
					words[i].Found = c.words[child.At+i].Fixed && c.words[child.At+i].Text == "{}"
				}
				c.inner(child, words, child.Via...)
				end()
				continue
			}
			c.inner(child, words, child.Via...)
		}
	}
	for i := span.At + 1; i < span.End; i++ {
		w := c.words[i]
		if c.done[i] || w.Fixed || c.Roles[i].Kind == shellwords.Argument {
			continue
		}
		if w.Text == "" || strings.ContainsRune("-(),!", rune(w.Text[0])) {
			c.cannot("find has a word that is not fixed and could be -exec or -delete")
		}
	}
}

// env without PATH leaves it to the program, and bash then looks in the current directory, too.
func (c *simpleCommand) env(n int) {
	for _, o := range c.Options(n) {
		if o.Name == "-u" || o.Name == "--unset" {
			c.variable(o.Value.Text, c.line)
		}
	}
}

// git looks for the words in front of its subcommand.
func (c *simpleCommand) git(n int) {
	span := c.Programs[n]
	for i := span.At + 1; i < span.End; i++ {
		switch w, kind := c.words[i], c.Roles[i].Kind; {
		case kind == shellwords.Argument, kind == shellwords.Code:
		case !w.Fixed && (w.Text == "" || w.Text[0] == '-'):
			c.cannot("git's command, or an option in front of it, is not fixed")
			return
		case !strings.HasPrefix(w.Text, "-"):
			return
		}
	}
}

// options looks for options of program n with which it cannot be told what it does, and for those whose own
// word holds a program that runs. One that stands in a word of its own is found by its role.
func (c *simpleCommand) options(n int) {
	base := shellwords.Base(c.words[c.Programs[n].At].Text)
	for _, o := range c.Options(n) {
		word := c.words[o.At].Text
		switch long := strings.HasPrefix(o.Name, "--"); {
		case o.Opaque != "":
			c.cannot(fmt.Sprintf("%s %s %s", base, word, o.Opaque))
		case o.Starts && long && o.ValueAt == o.At:
			c.cannot(fmt.Sprintf("%s %s runs a program", base, o.Name))
		case o.Starts && !long && len(word) > 2:
			c.cannot(fmt.Sprintf("%s %s may run a program", base, word))
		}
	}
}
