package permissions

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/shellscan"
)

// A command line is approved, too, where no rule covers all of its commands and several do together: npm test | tail, by
// a person's own rule for npm test and a preset's for tail. Each of these rules approves its commands if they come alone,
// and all that it says beside its commands has to hold of the whole line. What only the line makes of them is looked at
// here: one command can have the names of another lead elsewhere than they led when it was looked at (mv sub/link . &&
// cat link).

// together returns the outcome with an approval by several rules of version 2, where these cover the act's commands and
// no rule says anything of the whole.
func (a outcome) together(v *evaluation) outcome {
	switch {
	case a.rule != nil || len(a.partly) == 0 || v.shell == nil:
		return a
	case v.shell.unnamed >= 0:
		if slices.ContainsFunc(a.partly, func(rule *compiledRule) bool { return rule.spellsSome(v) }) {
			a.apart = "none covers " + shownCommand(v.shell.commands[v.shell.unnamed])
		}
		return a
	}
	var rules []*compiledRule
	var aside []missed // those that do not hold for something else
	for _, rule := range a.partly {
		if !rule.spellsSome(v) {
			continue
		}
		if why := rule.besideCommands(v); why == "" {
			rules = append(rules, rule)
		} else {
			aside = append(aside, missed{rule, finding{why: why}})
		}
	}
	slices.SortStableFunc(rules, func(a, b *compiledRule) int { return b.standing() - a.standing() })
	covering, why := v.coverInOneProfile(rules, aside)
	if a.apart = why; len(covering) < 2 || why != "" {
		return a
	}
	a.rule, a.verdict, a.why = covering[0].rule, Approve, sayTogether(covering)
	a.reasons = slices.Clone(a.reasons)
	for i, c := range covering {
		if i > 0 {
			a.beside = append(a.beside, c.rule)
		}
		a.atTerminal = a.atTerminal || c.rule.AtTerminal
		at := slices.IndexFunc(a.reasons, func(r Reason) bool { return r.Rule == c.rule.ID && r.At == c.rule.at })
		a.reasons[at].Matched, a.reasons[at].Condition, a.reasons[at].Why = true, "", a.why
	}
	for _, c := range covering {
		if reached := c.rule.limitReached(v); reached != "" {
			a.rule, a.beside, a.verdict, a.why, a.asks = c.rule, nil, Ask, reached, append(slices.Clip(a.asks), c.rule)
			break
		}
	}
	return a
}

// findUnnamed finds a command that no rule names which approves: with one, rules do not approve the act together, and what
// they need to know for that is not looked at.
func (f *inForce) findUnnamed(v *evaluation) {
	if v.shell == nil {
		return
	}
	v.shell.unnamed = -1
	for i, c := range v.shell.commands {
		if _, free := builtins[c.Name]; !(free && c.Builtin) && !launches(c, v.shell.commands[i+1:]) &&
			!f.policies.names(v, i) && (f.own == nil || !f.own.names(v, i)) {
			v.shell.unnamed = i
			return
		}
	}
}

// names reports whether one of the rules that may approve together with others names a command of the act, by its index.
func (s *Set) names(v *evaluation, i int) bool {
	return slices.ContainsFunc(s.files, func(file compiledFile) bool {
		return file.Version == Version2 && slices.ContainsFunc(file.rules, func(rule *compiledRule) bool {
			return rule.Verdict == Approve && len(rule.commands) > 0 && rule.spells(v, i)
		})
	})
}

// sayTogether says which of the rules covers what.
func sayTogether(covering []coveringRule) string {
	says := make([]string, len(covering))
	for i, c := range covering {
		says[i] = fmt.Sprintf("%s covers %s", c.rule.ID, quotedList(once(c.commands)))
	}
	return "rules together cover its commands: " + strings.Join(says, ", ")
}

// approving lists the rules that approve the act together; one, where it does so alone.
func (a outcome) approving() []*compiledRule {
	return append([]*compiledRule{a.rule}, a.beside...)
}

// profile returns the sandbox profile that the rules want the act to run under; "" for none.
func (a outcome) profile() string {
	for _, rule := range a.approving() {
		if rule.Sandbox != "" {
			return rule.Sandbox
		}
	}
	return ""
}

// spellsSome reports whether a command of the act begins with words of the rule.
func (c *compiledRule) spellsSome(v *evaluation) bool {
	for i := range v.shell.commands {
		if c.spells(v, i) {
			return true
		}
	}
	return false
}

func (c *compiledRule) spells(v *evaluation, i int) bool {
	return !slices.ContainsFunc(c.commands, func(l *commandList) bool { return !l.spells(v, i) })
}

// besideCommands tells why something does not hold that the rule says beside which commands it names; "" when all does. It
// says no value of an argument.
func (c *compiledRule) besideCommands(v *evaluation) (why string) {
	for _, condition := range slices.Concat(requestConditions, factConditions) {
		if condition.key == "commands" {
			continue
		}
		switch holds, why := condition.ask(c, v); {
		case holds == yes:
		case condition.key == "parameters" || condition.key == "request":
			return "it is about others"
		default:
			return cmp.Or(why, "its "+condition.key+" cannot be told")
		}
	}
	for _, list := range c.commands {
		if why := cmp.Or(list.refuses(v), list.reaches(v)); why != "" {
			return why
		}
	}
	return ""
}

// coveringRule is one of the rules that cover a line together, and what it covers, for people.
type coveringRule struct {
	rule     *compiledRule
	commands []string
}

// coverInOneProfile is coverTogether with those of the rules that want the same sandbox profile, or none.
func (v *evaluation) coverInOneProfile(rules []*compiledRule, aside []missed) (covering []coveringRule, why string) {
	tried := map[string]bool{}
	for _, first := range rules {
		if tried[first.Sandbox] {
			continue
		}
		tried[first.Sandbox] = true
		covering, why = v.coverTogether(slices.DeleteFunc(slices.Clone(rules), func(rule *compiledRule) bool {
			return rule.Sandbox != "" && rule.Sandbox != first.Sandbox
		}), aside)
		if len(covering) > 0 && why == "" {
			break
		}
	}
	return covering, why
}

// coverTogether returns those of the rules that cover the act's commands, for each the first that does. why tells why they
// do not, by the rules aside, too; neither is given where none of them covers anything.
func (v *evaluation) coverTogether(rules []*compiledRule, aside []missed) (covering []coveringRule, why string) {
	by := make([][]*compiledRule, len(v.shell.commands)) // the rules that cover each command
	for i, c := range v.shell.commands {
		if launches(c, v.shell.commands[i+1:]) {
			continue
		}
		whyNot := ""
		for _, m := range aside {
			if m.rule.spells(v, i) {
				whyNot = ": rule " + m.rule.ID + " does not, because " + m.why
			}
		}
		for _, rule := range rules {
			if !rule.spells(v, i) {
				continue
			}
			if exceeds := rule.exceeded(v, i); exceeds == "" {
				by[i] = append(by[i], rule)
			} else {
				whyNot = ": " + strings.TrimPrefix(exceeds, "`"+display.Line(c.Name)+"`: ")
			}
		}
		if _, free := builtins[c.Name]; len(by[i]) == 0 && free && c.Builtin && v.exceeds(c, 0) == "" {
			continue
		}
		if len(by[i]) == 0 {
			if why == "" {
				why = "none covers " + shownCommand(c) + whyNot
			}
			continue
		}
		known := slices.IndexFunc(covering, func(c coveringRule) bool { return c.rule == by[i][0] })
		if known < 0 {
			known, covering = len(covering), append(covering, coveringRule{rule: by[i][0]})
		}
		covering[known].commands = append(covering[known].commands, nameOf(c))
	}
	switch {
	case len(covering) == 0:
		return nil, ""
	case why == "":
		why = v.leadsElsewhere(by)
	}
	slices.SortStableFunc(covering, func(a, b coveringRule) int { return b.rule.standing() - a.rule.standing() })
	return covering, why
}

// exceeded tells why the rule does not cover one of the act's commands, by its index, of which it spells the first words.
func (c *compiledRule) exceeded(v *evaluation, i int) string {
	for _, l := range c.commands {
		if _, why := l.command(v, i); why != "" {
			return why
		}
	}
	return ""
}

// leadsElsewhere tells why a command may have names lead elsewhere that another one goes by, which no rule covers with it;
// "" if none does. by holds the rules that cover each command. The order of the commands does not count, since those of
// pipes and loops have none.
func (v *evaluation) leadsElsewhere(by [][]*compiledRule) string {
	for i, c := range v.shell.commands {
		if len(by[i]) == 0 || v.onlyReads(c) {
			continue
		}
		leaves := v.leavesNames(c)
		if !leaves && v.redirects() {
			return shownCommand(c) + redirectedElsewhere
		}
		for j, other := range v.shell.commands {
			if i == j || launches(other, v.shell.commands[j+1:]) ||
				slices.ContainsFunc(by[i], func(rule *compiledRule) bool { return slices.Contains(by[j], rule) }) {
				continue
			}
			switch {
			case !leaves && v.goesByNames(j, by[j]):
				return fmt.Sprintf("%s may have the names that %s goes by lead elsewhere, so one rule has to cover both",
					shownCommand(c), shownCommand(other))
			case v.shell.unfinished != "" && isGit(other.Name) && !isGit(c.Name):
				return fmt.Sprintf("%s may make a repository of %s, in which %s runs, so one rule has to cover both",
					shownCommand(c), v.shell.unfinished, shownCommand(other))
			}
		}
	}
	return ""
}

const redirectedElsewhere = " may have the name of a redirection lead elsewhere"

// redirectsElsewhere is leadsElsewhere for what one rule covers, where bash prints something that the rule does not name: git
// checkout other && echo "$(< up)". A program that nobody knows could do that by itself.
func (v *evaluation) redirectsElsewhere() string {
	if !v.redirects() {
		return ""
	}
	for _, c := range v.shell.commands {
		name := filepath.Base(c.Name)
		if (isGit(name) || command.In(command.Copiers, name) || v.in(command.Unpackers, name)) && !v.onlyReads(c) && !v.leavesNames(c) {
			return shownCommand(c) + redirectedElsewhere
		}
	}
	return ""
}

// onlyReads reports whether a command changes nothing that another one could meet.
func (v *evaluation) onlyReads(c shellscan.Command) bool {
	if _, free := builtins[c.Name]; free && c.Builtin {
		return true
	}
	c = withoutGlobals(c)
	begin := fixedTexts(c)
	row, at := command.Lookup(c.Name, begin)
	if row == nil || len(begin) != len(c.Args) {
		return false
	}
	w, why := readCommandWords(row, begin[at:], 0)
	return why == "" && !w.spelled
}

// leavesNames reports whether every name of a file leads behind a command to where it led before, as far as the command
// itself is concerned. One that runs the project's own code could do all by itself that another one does by such a name.
func (v *evaluation) leavesNames(c shellscan.Command) bool {
	c = withoutGlobals(c)
	begin := fixedTexts(c)
	switch {
	case !isGit(c.Name) && !command.In(command.FileWorkers, c.Name) && namesFile(c, ignoreFiles):
		return false // what it writes there could have rg and git read what is hidden
	case command.In(command.NameKeepers, c.Name), v.runsProject(c),
		len(begin) > 0 && command.Subcommands(command.NameKeepers, c.Name)[begin[0]]:
		return true
	}
	name := c.Name
	for _, word := range begin[:min(2, len(begin))] { // gh pr create
		if name += " " + word; command.In(command.NameKeepers, name) {
			return true
		}
	}
	return false
}

// redirects reports whether a file is read or written that the shell itself finds by its name.
func (v *evaluation) redirects() bool {
	return len(v.Shell.Reads) > 0 ||
		slices.ContainsFunc(v.Shell.Writes, func(w shellscan.Write) bool { return w.Path != "/dev/null" })
}

// goesByNames reports whether a command of the act, by its index, does something with files that it finds by their names,
// which are not those of the project that it runs, or is itself found by one: a version manager goes by a file that says
// which node is meant. by are the rules that cover it.
func (v *evaluation) goesByNames(i int, by []*compiledRule) bool {
	c := v.shell.commands[i]
	if c.Name == "cd" && c.Builtin {
		return i > 0 || v.Shell.Enters == "" // what is entered first was looked at as it is
	}
	if _, free := builtins[c.Name]; free && c.Builtin {
		return false
	}
	begin := fixedTexts(c)
	row, at := command.Lookup(c.Name, begin)
	switch {
	case row == nil && v.runsProject(c):
		return slices.ContainsFunc(c.Args[spelledWords(c, by):], mayName)
	case row == nil || isGit(c.Name) || len(begin) != len(c.Args):
		return true
	case row.Language == "" && (v.runsProject(c) || isInterpreter(c.Name)):
		return true // npm --version
	}
	w, why := readCommandWords(row, begin[at:], 0)
	return why != "" || w.tree || len(w.files) > 0 || len(w.paths) > 0
}

// spelledWords is how many of a command's words one of the rules spells: the author of the rule has named these.
func spelledWords(c shellscan.Command, rules []*compiledRule) (most int) {
	for _, rule := range rules {
		for _, l := range rule.commands {
			for _, prefix := range l.prefixes {
				if begins(c, prefix) {
					most = max(most, len(prefix)-1)
				}
			}
		}
	}
	return most
}

// mayName reports whether a word could have the name of a file in it: every one but an option without a value, and what
// means the directory itself (./...).
func mayName(word shellscan.Word) bool {
	text := word.Text
	switch {
	case !word.Fixed:
		return true
	case strings.HasPrefix(text, "--"):
		return strings.Contains(text, "=")
	}
	return strings.Trim(text, "./") != "" && !(len(text) == 2 && text[0] == '-')
}

// findUnfinished finds a directory in which git runs that would be a repository of its own if more lay there: of what a
// HEAD stands in (mkdir refs && git status), the settings could run anything, and git has not been asked about them.
func (v *evaluation) findUnfinished() {
	if v.shell == nil || v.shell.unnamed >= 0 || len(v.shell.commands) < 2 ||
		!slices.ContainsFunc(v.shell.commands, func(c shellscan.Command) bool { return isGit(c.Name) }) {
		return
	}
	for _, dir := range v.shell.dirs {
		r := v.repository(dir)
		for ; v.Workspace.Contains(dir) && (r.Repository == nil || dir != r.Top); dir = filepath.Dir(dir) {
			if v.facts.exists(filepath.Join(dir, "HEAD")) || v.facts.exists(filepath.Join(dir, ".git")) {
				v.shell.unfinished = shown(v.Workspace, dir)
				return
			}
		}
	}
}

// runsProject reports whether a program builds or tests the project, and so runs its code: itself (npm test), or as what another
// one runs (npx jest, python3 -m pytest).
func (v *evaluation) runsProject(c shellscan.Command) bool {
	name, begin := filepath.Base(c.Name), fixedTexts(c)
	builds := func(name string) bool {
		return command.In(command.Builders, name) && !command.In(command.NetworkClients, name)
	}
	switch {
	case builds(name):
		return true
	case len(begin) > 1 && command.Subcommands(command.ModuleOptions, name)[begin[0]]:
		return builds(begin[1])
	case command.Subcommands(command.CommandRunners, name) == nil:
		at := v.startedAt(c.Name, begin)
		return at >= 0 && builds(begin[at])
	}
	return false
}

// shownCommand names a command for people, with its subcommand.
func shownCommand(c shellscan.Command) string { return "`" + nameOf(c) + "`" }

func nameOf(c shellscan.Command) string {
	name := c.Name
	if saysWhat(c) > 0 {
		name += " " + c.Args[0].Text
	}
	return display.Line(name)
}
