package shellscan

import (
	"fmt"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/shellwords"
)

// builtinRule returns what is to be looked at in the words of a builtin; nil for nothing. What they run and
// which variables they set is found by the words' roles.
func builtinRule(name string) func(c *simpleCommand, n int) {
	switch name {
	case "alias", "unalias", "enable", "hash":
		return (*simpleCommand).renames
	case "bind", "complete", "compgen", "compopt", "fc", "history":
		return (*simpleCommand).registers
	case "jobs":
		return (*simpleCommand).jobs
	case "set":
		return (*simpleCommand).setOptions
	case "shopt":
		return (*simpleCommand).shopt
	case "unset":
		return (*simpleCommand).unset
	}
	if declares(name) {
		return (*simpleCommand).declareOptions
	}
	return nil
}

func declares(name string) bool {
	switch name {
	case "declare", "typeset", "local", "export", "readonly":
		return true
	}
	return false
}

func (c *simpleCommand) after(n int) []shellwords.Word {
	return c.words[c.Programs[n].At+1 : c.Programs[n].End]
}

// renames: with words, these change which program a name means.
func (c *simpleCommand) renames(n int) {
	if len(c.after(n)) > 0 {
		c.cannot(fmt.Sprintf("%s changes which program a name means", c.words[c.Programs[n].At].Text))
	}
}

// registers: with words, these run code, or keep it for later.
func (c *simpleCommand) registers(n int) {
	if len(c.after(n)) > 0 {
		c.cannot(fmt.Sprintf("%s can run code, now or later", c.words[c.Programs[n].At].Text))
	}
}

// jobs -x runs a command.
func (c *simpleCommand) jobs(n int) {
	for _, w := range c.after(n) {
		if !w.Fixed || strings.Contains(w.Text, "x") {
			c.cannot("jobs -x runs a command")
		}
	}
}

// setOptions looks at the options of set: -k makes every NAME=value of a command an assignment, and -o
// posix changes much.
func (c *simpleCommand) setOptions(n int) {
	words := c.after(n)
	for i := 0; i < len(words); i++ {
		switch w := words[i]; {
		case !w.Fixed && (w.Text == "" || strings.ContainsAny(w.Text[:1], "-+")):
			c.cannot("set is given a word that is not fixed and could be an option")
			return
		case w.Text == "--", w.Text == "-", !strings.HasPrefix(w.Text, "-") && !strings.HasPrefix(w.Text, "+"):
			return
		case strings.Trim(w.Text[1:], harmlessLetters+"o") != "":
			c.cannot(fmt.Sprintf("set %s changes what words mean", w.Text))
			return
		case strings.HasSuffix(w.Text, "o") && i+1 < len(words):
			if i++; !words[i].Fixed || !harmlessNames[words[i].Text] {
				c.cannot(fmt.Sprintf("set -o %s changes what words mean", words[i].Text))
			}
		case strings.Contains(w.Text, "o") && len(w.Text) > 2:
			c.cannot(fmt.Sprintf("set %s: which option is meant cannot be told", w.Text))
		}
	}
}

// shopt can turn on aliases and extended globs, with which later lines read differently.
func (c *simpleCommand) shopt(n int) {
	for _, w := range c.after(n) {
		flag := strings.HasPrefix(w.Text, "-") && strings.Trim(w.Text[1:], "supqo") == ""
		if !w.Fixed || !flag && !harmlessShopts[w.Text] && !harmlessNames[w.Text] {
			c.cannot(fmt.Sprintf("shopt %s changes what words mean", w.Text))
		}
	}
}

// unset can take a function away, so that its name means a program again.
func (c *simpleCommand) unset(n int) {
	for _, w := range c.after(n) {
		option := strings.HasPrefix(w.Text, "-") && strings.Contains(w.Text, "f")
		if _, function := c.functions[w.Text]; function || option && len(c.functions) > 0 {
			c.cannot("unset takes a function away")
		}
	}
}

// declareOptions looks at the options of declare and its like where the parser did not know them: command
// declare -n.
func (c *simpleCommand) declareOptions(n int) {
	span := c.Programs[n]
	for i := span.At + 1; i < span.End; i++ {
		if kind := c.Roles[i].Kind; kind != shellwords.Variable {
			c.declares(shellwords.Base(c.words[span.At].Text), c.words[i], c.line)
		}
	}
}
