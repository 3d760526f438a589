package cliimport

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
	"github.com/a2a-acp/a2a-acp/internal/pflagkind"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// A draft is what is made of a program that answers no __complete, or that somebody has written a spec of: what is told
// of it, with nothing tried. What is not told in so many words is guessed only where somebody asks for that.

// draft makes tools of what a spec tells, or of what the program's help does. why is what is wrong with its answer.
func (m *maker) draft(ctx context.Context, why string) error {
	m.made.Import.SHA256 = m.Program.SHA256
	root, err := m.told(ctx, why)
	if err != nil {
		return err
	}
	if root.has("version") && m.Spec == nil {
		m.made.Import.Version = askVersion(ctx, m.a, offers{list: []offer{{word: "--version"}}})
	}
	root.each(func(c *command) {
		m.made.Commands++
		if c.left == "" {
			c.left = m.leftOut(c)
		}
		if c.left == "" && (c.listsBelow() || m.listed && c == root && c.group()) {
			c.left = onlyGroup
		}
		s, _ := m.selectorOf(c)
		c.flags = slices.DeleteFunc(c.flags, func(f *flag) bool { return f.name == "help" || f.name == "version" })
		for _, f := range c.flags {
			f.left = cmp.Or(unwanted(s, f, nil), f.left)
			if f.left == "" && !s.LocalFlags.Names(f.name) && f.runs() {
				f.left = "what is told of it says that it runs what it is given"
			}
		}
	})
	return m.makeTools(root)
}

// listedElsewhere is what a help says that lists only some commands, and opens a manual for those, as git's: what lists all.
// Each of them tells by -h how it is called.
var listedElsewhere = lazyregexp.New(`(?m)^'\S+ help -a' and`)

// told returns the commands and flags that are told.
func (m *maker) told(ctx context.Context, why string) (*command, error) {
	if m.Spec != nil {
		m.made.Draft = "the spec " + m.made.Import.Spec
		return readSpec(m.Spec, m.Import.Guess)
	}
	m.made.Draft = "its --help"
	w := &walker{a: m.a, only: m.mayHold, progress: m.Progress, read: m.readTold}
	w.list = func(ctx context.Context, path []string, help string) (offers, error) {
		switch {
		case len(path) > 0 && m.listed:
			return offers{ok: true}, nil
		case len(path) > 0 || !listedElsewhere.MatchString(help):
			return toldBelow(ctx, path, help)
		}
		m.made.Draft, m.listed, w.help = "its help", true, "-h"
		answer, err := m.a.Ask(ctx, "help", "-a")
		if err != nil {
			return offers{}, err
		}
		own, _, _ := strings.Cut(answer.Stdout, "\nExternal commands") // those are other programs, found by their names
		return toldBelow(ctx, path, own)
	}
	root, err := w.walk(ctx)
	if err != nil {
		return nil, err
	}
	for _, why := range w.skipped {
		m.leave(root, "", why)
	}
	if len(root.help.usage) == 0 {
		return nil, fmt.Errorf("%s, and its --help does not say how it is called", why)
	}
	root.each(func(c *command) {
		for _, f := range c.flags { // what stands in the help of the whole program, too, is no flag of one command
			f.inherited = f.inherited || c != root && slices.ContainsFunc(root.flags, func(above *flag) bool {
				return above.name == f.name && above.about == f.about
			})
		}
	})
	return root, nil
}

// readTold reads the help of a command. Some write it where errors go.
func (m *maker) readTold(c *command, answer Answer) string {
	text := answer.Stdout
	if strings.TrimSpace(text) == "" {
		text = answer.Stderr
	}
	c.help = readHelp(text)
	c.help.long = cmp.Or(c.help.behindUsage(m.Program.Name), c.help.long)
	if m.listed && c.short != "" { // the list says it better
		c.help.long = c.short
	}
	c.others = m.listed && c.help.goesOn(c.words(m.Program.Name))
	c.flags = toldFlags(text, m.Import.Guess)
	return text
}

// listsBelow reports whether a usage has the names of the commands below in place of one: {list,remove}, as argparse's.
func (c *command) listsBelow() bool {
	return c.group() && slices.ContainsFunc(c.help.usage, func(usage string) bool {
		return slices.ContainsFunc(c.below, func(below *command) bool {
			return below.left != notCommand && strings.Contains(usage, "{"+below.path[len(below.path)-1])
		})
	})
}

// behindUsage returns what stands right behind the lines that say how a program is called, as GNU's helps have it.
func (h helpText) behindUsage(program string) string {
	lines := slices.Clone(h.usage)
	isUsage := func(line string) bool {
		return strings.Contains(line, program) || strings.HasPrefix(line, "or:") || strings.HasPrefix(line, "[")
	}
	for len(lines) > 0 && isUsage(lines[0]) {
		lines = lines[1:]
	}
	return strings.Join(lines, " ")
}

// The lines of a help that name commands: below a heading that says so, each with what it does.
var (
	commandHeading = lazyregexp.New(`(?i)^\s{0,4}[a-z ]*commands?(?: / [a-z ]+)?:?\s*$|` +
		`^\s{0,4}(?i:positional arguments|subcommands?):\s*$|^GROUPS$`)
	commandRow  = lazyregexp.New(`^\s{1,8}[a-z0-9][a-z0-9-]*(?:, [a-z0-9-]+)+,?$`) // npm's: names alone, with commas between
	commandLine = lazyregexp.New(`^\s{1,8}([A-Za-z0-9][A-Za-z0-9_.:@+-]*)(?:,\s[A-Za-z0-9_-]+)*\*?(?:(?:\s{2,}|\t)\s*(\S.*))?$`)
)

// toldBelow returns the commands that a help says are below.
func toldBelow(_ context.Context, _ []string, help string) (offers, error) {
	o := offers{ok: true}
	inside, column := false, 0
	for _, line := range helpLines(help) {
		if commandHeading.MatchString(line) {
			inside, column = true, 0
			continue
		}
		if line != "" && indentOf(line) == 0 {
			inside = false
		}
		if inside && commandRow.MatchString(line) {
			for name := range strings.SplitSeq(strings.Trim(line, " ,"), ", ") {
				if !o.has(name) && len(o.list) < mostOffers {
					o.list = append(o.list, offer{word: name})
				}
			}
			continue
		}
		m := commandLine.FindStringSubmatch(line)
		if !inside || m == nil || column > 0 && indentOf(line) > column || o.has(m[1]) {
			continue // what stands further to the right goes on with what stands above
		}
		column = cmp.Or(column, indentOf(line))
		if o.list = append(o.list, offer{m[1], m[2]}); len(o.list) >= mostOffers {
			break
		}
	}
	return o, nil
}

// runs reports whether a flag is called, or its value is, as what runs something.
func (f *flag) runs() bool {
	return f.kind.Of == tool.TypeString && len(f.kind.Enum) == 0 &&
		(runningFlag.MatchString(f.name) || runningValue.MatchString(f.help.word))
}

var (
	runningFlag = lazyregexp.New(`(?i)(?:^|[-_])(?:exec|command|cmd|run|shell|rsh|hook|pager|editor|program|script|plugin|` +
		`eval|filter|viewer|browser)(?:$|[-_])`)
	runningValue = lazyregexp.New(`(?i)^\W*(?:command|cmd|prog|program|script|executable|shell|code|expr|module)\W*$`)
)

// guess is what the words of a value say of its type, to those who want to guess.
var guesses = []struct {
	words *lazyregexp.Regexp
	kind  pflagkind.Kind
}{
	{lazyregexp.New(`(?i)^(?:n|num|number|int|integer|count|port|lines|cols|columns|bytes|depth|level|jobs|width|height|` +
		`seconds|secs)$`), pflagkind.Kind{Of: tool.TypeInteger}},
	{lazyregexp.New(`(?i)^(?:float|ratio|factor|percent|decimal)$`), pflagkind.Kind{Of: tool.TypeNumber}},
	{lazyregexp.New(`(?i)^bool(?:ean)?$`), pflagkind.Kind{Of: tool.TypeBoolean}},
}

// guess guesses the type of a value of which no more is told than that it is one.
func (f *flag) guess() {
	if f.kind.Of != tool.TypeString || len(f.kind.Enum) > 0 || f.kind.Form == tool.FormCSV {
		return
	}
	word := strings.Trim(f.help.word, "<>[]{}().")
	for _, g := range guesses {
		if g.words.MatchString(word) {
			f.kind.Of = g.kind.Of
			f.doubt = fmt.Sprintf("guessed: %s, by the word %s", inWords(f.kind), word)
			return
		}
	}
}
