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
	case "sudo", "doas":
		return (*simpleCommand).sudo
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
	for i := span.At + 1; i < child.At; i++ {
		switch w := c.words[i]; {
		case strings.HasPrefix(w.Text, "--p") && strings.Contains(w.Text, "slot"):
			c.cannot("xargs sets a variable of its command")
		case w.Text == "-I" && i+1 < child.At:
			mark, marked = c.words[i+1].Text, true
			if !c.words[i+1].Fixed {
				c.cannot("the mark of xargs -I is not fixed")
			}
		case strings.HasPrefix(w.Text, "-I"):
			mark, marked = w.Text[2:], true
		case strings.HasPrefix(w.Text, "-i"), strings.HasPrefix(w.Text, "--r") &&
			!strings.HasPrefix("--replace", w.Text):
			_, value, _ := strings.Cut(strings.TrimPrefix(w.Text, "-i"), "=")
			if mark, marked = "{}", true; value != "" {
				mark = value
			}
			if rest := strings.TrimPrefix(w.Text, "-i"); rest != w.Text && rest != "" {
				mark = rest
			}
		case strings.HasPrefix(w.Text, "--replace"), w.Text == "--repl":
			mark, marked = "{}", true
		}
	}
	words := replaced(c.words[child.At:child.End], mark, false)
	if !marked {
		words = append(words, shellwords.Word{Splits: true})
	}
	if c.fed != nil {
		defer c.finds(c.fed)()
		for i := range words {
			words[i].Found = !words[i].Fixed && words[i].Text == "" && (!marked || c.words[child.At+i].Text == mark)
			words[i].Splits = words[i].Splits || words[i].Found // -I takes quotes and backslashes away
		}
	}
	c.inner(child, words, child.Via...)
}

// finds has words that are Found be those of a find, until what it gives is called.
func (t *text) finds(words []Word) (end func()) {
	before := t.finder
	t.finder = words
	return func() { t.finder = before }
}

// finderOf returns the find whose names a program is given.
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
				end := c.finds(args(c.words[span.At+1 : span.End]))
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

// before returns the words of program n in front of the program that it runs.
func (c *simpleCommand) before(n int) []shellwords.Word {
	span := c.Programs[n]
	end := span.End
	if n+1 < len(c.Programs) {
		end = min(end, c.Programs[n+1].At)
	}
	return c.words[span.At+1 : end]
}

// env without an environment leaves PATH to the program, and bash then looks in the current directory, too.
// What it sets is looked at as every assignment.
func (c *simpleCommand) env(n int) {
	words := c.before(n)
	for i, w := range words {
		option, value, glued := strings.Cut(w.Text, "=")
		switch {
		case w.Text == "-" || strings.HasPrefix(option, "--i") && strings.HasPrefix("--ignore-environment", option):
			c.cannot("env takes the environment away, PATH included")
		case strings.HasPrefix(option, "--u") && strings.HasPrefix("--unset", option):
			if !glued && i+1 < len(words) {
				value = words[i+1].Text
			}
			c.variable(value, c.line)
		case strings.HasPrefix(w.Text, "--"):
		case strings.HasPrefix(w.Text, "-"):
			letters, name, unsets := strings.Cut(w.Text[1:], "u")
			if at := strings.IndexAny(letters, "CSa"); at >= 0 {
				letters, unsets = letters[:at], false
			}
			if strings.Contains(letters, "i") {
				c.cannot("env takes the environment away, PATH included")
			}
			if unsets && name == "" && i+1 < len(words) {
				name = words[i+1].Text
			}
			if unsets {
				c.variable(name, c.line)
			}
		}
	}
}

// sudo has options that start a shell, edit files or change the root directory.
func (c *simpleCommand) sudo(n int) {
	for _, w := range c.before(n) {
		long := strings.HasPrefix(w.Text, "--")
		if long && (abbreviates(w.Text, "--shell") || abbreviates(w.Text, "--login") ||
			abbreviates(w.Text, "--edit") || abbreviates(w.Text, "--chroot")) {
			c.cannot("sudo " + w.Text + " does more than to run a command")
		}
		if !long && strings.HasPrefix(w.Text, "-") {
			letters := w.Text[1:]
			if at := strings.IndexAny(letters, "ughpCrtUTD"); at >= 0 {
				letters = letters[:at]
			}
			if strings.ContainsAny(letters, "sieR") {
				c.cannot("sudo " + w.Text + " does more than to run a command")
			}
		}
	}
}

// abbreviates reports whether a word is a long option or a beginning of it, perhaps with a value.
func abbreviates(word, option string) bool {
	name, _, _ := strings.Cut(word, "=")
	return len(name) > 2 && strings.HasPrefix(option, name)
}

// git's settings name pagers, editors, hooks, filters and helpers, so that whoever gives git a setting
// gives it a program.
func (c *simpleCommand) git(n int) {
	span := c.Programs[n]
	for i := span.At + 1; i < span.End; i++ {
		switch w := c.words[i]; {
		case !w.Fixed && (w.Text == "" || w.Text[0] == '-'):
			c.cannot("git's command, or an option in front of it, is not fixed")
			return
		case w.Text == "-c", strings.HasPrefix(w.Text, "--config-env"), strings.HasPrefix(w.Text, "--exec-path"):
			c.cannot(fmt.Sprintf("git %s can make git run other programs", w.Text))
			return
		case w.Text == "-C", w.Text == "--git-dir", w.Text == "--work-tree", w.Text == "--namespace",
			w.Text == "--super-prefix", w.Text == "--attr-source":
			i++
		case !strings.HasPrefix(w.Text, "-"):
			return
		}
	}
}

// gluedPrograms looks for programs behind the = of an option, or right behind its letter. Those that stand
// in a word of their own are found by their role.
func (c *simpleCommand) gluedPrograms(n int) {
	span := c.Programs[n]
	base := shellwords.Base(c.words[span.At].Text)
	letters, options := "", []string(nil)
	for _, option := range shellwords.RunsByOption(base) {
		if strings.HasPrefix(option, "--") {
			options = append(options, option)
		} else {
			letters += option[1:]
		}
	}
	for _, w := range c.words[span.At+1 : span.End] {
		for _, option := range options {
			if strings.HasPrefix(w.Text, "--") && strings.Contains(w.Text, "=") && abbreviates(w.Text, option) {
				c.cannot(fmt.Sprintf("%s %s runs a program", base, option))
			}
		}
		if len(w.Text) > 2 && w.Text[0] == '-' && w.Text[1] != '-' && strings.ContainsAny(w.Text, letters) {
			c.cannot(fmt.Sprintf("%s %s may run a program", base, w.Text))
		}
	}
}
