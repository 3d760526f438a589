package permissions

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/shellscan"
)

// A command line is approved, too, where no rule covers all of its commands and several do together: npm test | tail, by
// a person's own rule for npm test and a preset's for tail. Each of these rules approves its commands if they come alone,
// and all that it says beside its commands has to hold of the whole line. What only the line makes of them is looked at
// as well (interference.go): one command can have the names of another lead elsewhere than they led when it was looked at.

// together returns the outcome with an approval by several rules of version 2, where these cover the act's commands and
// no rule says anything of the whole.
func (a outcome) together(v *evaluation) outcome {
	switch {
	case a.rule != nil || len(a.partly) == 0 || v.shell == nil:
		return a
	case len(v.shell.unnamed) > 0:
		if slices.ContainsFunc(a.partly, func(rule *compiledRule) bool { return rule.spellsSome(v) }) {
			a.uncovered = "none covers " + v.shell.shownUnnamed()
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
	if len(rules) == 0 && len(aside) > 0 {
		nearest := slices.MaxFunc(aside, func(a, b missed) int { return a.rule.standing() - b.rule.standing() })
		why = "rule " + nearest.rule.ID + " does not, because " + nearest.why
	}
	if a.uncovered = why; len(covering) < 2 || why != "" {
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

// findUnnamed finds the commands that no rule names which approves: with one, rules do not approve the act together, and what
// they need to know for that is not looked at.
func (f *inForce) findUnnamed(v *evaluation) {
	if v.shell == nil {
		return
	}
	v.shell.unnamed = nil
	for i := range v.shell.commands {
		if !v.shell.needsNoRule(i) && !f.policies.names(v, i) && (f.own == nil || !f.own.names(v, i)) &&
			(f.session == nil || !f.session.names(v, i)) {
			v.shell.unnamed = append(v.shell.unnamed, i)
		}
	}
}

// shownUnnamed lists the commands that no rule names.
func (s *shellText) shownUnnamed() string {
	var names []string
	for _, i := range s.unnamed {
		names = append(names, nameOf(s.commands[i]))
	}
	return quotedList(once(names))
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
		if v.shell.launches(i) {
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
		if len(by[i]) == 0 && isFree(c) && v.exceeds(c, 0) == "" {
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
		covering[known].commands = append(covering[known].commands, spelledBy(by[i][0], c))
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

// spelledBy names a command by the words that a rule spells of it, for people.
func spelledBy(rule *compiledRule, c shellscan.Command) string {
	name := c.Name
	for _, word := range c.Args[:spelledWords(c, []*compiledRule{rule})] {
		name += " " + word.Text
	}
	return max(nameOf(c), display.Line(name)) // the longer, of which the other is the beginning
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
