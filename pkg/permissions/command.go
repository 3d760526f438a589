package permissions

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/shellscan"
	"github.com/a2a-acp/a2a-acp/internal/shellwords"
)

// commandList is the first words of commands that a rule is about.
type commandList struct {
	prefixes  [][]string
	redirects Redirects
	// offline keeps programs out that reach another machine; online is about those only, for what stops.
	offline, online bool
}

func newCommandList(commands Commands) *commandList {
	l := &commandList{redirects: commands.Redirects}
	if network := commands.Network; network != nil {
		l.offline, l.online = !*network, *network
	}
	for _, text := range commands.Allow {
		if words := strings.Fields(text); len(words) > 0 {
			l.prefixes = append(l.prefixes, words)
		}
	}
	return l
}

// covers tells why the text of an act is not covered by the list; "" when it is. Every command must be, word
// for word, and every file that it could open or write must lie in the workspace and be plain data.
func (l *commandList) covers(v *evaluation) string {
	if why := l.refuses(v); why != "" {
		return why
	}
	if why := l.reaches(v); why != "" {
		return why
	}
	some, prints := false, false
	for i, c := range v.shell.commands {
		if v.shell.launches(i) {
			continue
		}
		named, why := l.command(v, i)
		some = some || why == ""
		if why != "" && !named && isFree(c) {
			prints = prints || c.Name != "cd" && len(c.Args) > 0
			why = v.exceeds(c, 0)
		}
		if why != "" {
			return why
		}
	}
	if !some {
		return "the rule names none of its commands"
	}
	if why := v.makesRepository(); why != "" {
		return why
	}
	if prints {
		return v.redirectsElsewhere()
	}
	return ""
}

// refuses tells why the act is not covered whatever its commands are; "" when that depends on these.
func (l *commandList) refuses(v *evaluation) string {
	if v.shell == nil {
		return "it runs no command that can be told"
	}
	if v.shell.fault != "" {
		return v.shell.fault
	}
	for _, w := range v.Shell.Writes {
		if why := l.redirection(v, w); why != "" {
			return why
		}
	}
	for _, r := range v.Shell.Reads {
		for _, name := range nameReadings(r.Path) {
			if why := v.opens(name, readsFile); why != "" {
				return why
			}
		}
	}
	return ""
}

// reaches tells why the act is not covered because it reaches another machine; "" where that is no matter.
func (l *commandList) reaches(v *evaluation) string {
	if !l.offline {
		return ""
	}
	for _, c := range v.shell.commands {
		if name := v.reachesNetwork(c); name != "" {
			return fmt.Sprintf("`%s` reaches other machines, and the rule says network: false", display.Line(name))
		}
	}
	return ""
}

// redirection tells why a file that the text writes is not covered.
func (l *commandList) redirection(v *evaluation, w shellscan.Write) string {
	switch {
	case w.Fixed && w.Path == "/dev/null":
		return ""
	case !w.Fixed:
		return "it writes a file whose name is not fixed"
	case l.redirects != RedirectsWorkspace && l.redirects != RedirectsAny:
		return fmt.Sprintf("it writes `%s`, and the rule lets no file be written (commands: {redirects: workspace})",
			display.Line(w.Path))
	}
	for _, dir := range v.shell.dirs {
		p := v.facts.wordResource(dir, v.home, w.Path, true)
		if why := v.sensitiveWhy(p, true); why != "" && !v.byPerson() {
			return why
		}
		if p.err != nil {
			return "it cannot be told which file it writes: " + display.Line(p.err.Error())
		}
		if l.redirects == RedirectsWorkspace && !v.inside(p) {
			return "it writes " + shown(v.Workspace, p.real) + ", outside the workspace"
		}
	}
	return ""
}

// command tells why no prefix covers a command, by its index. named tells that one has its words, but not
// what comes after them.
func (l *commandList) command(v *evaluation, i int) (named bool, why string) {
	c := v.shell.commands[i]
	if why := l.runBy(c); why != "" {
		return true, why
	}
	why = l.unlike(c) + " is not among the commands of the rule"
	for _, c := range v.shell.forms[i] {
		for _, prefix := range l.prefixes {
			if !begins(c, prefix) {
				continue
			}
			if reason := v.exceeds(c, len(prefix)-1); reason == "" {
				return true, ""
			} else if !named {
				named, why = true, reason
			}
		}
	}
	return named, why
}

// spells reports whether a command of the act, by its index, begins with words of the list.
func (l *commandList) spells(v *evaluation, i int) bool {
	return slices.ContainsFunc(v.shell.forms[i], func(form shellscan.Command) bool {
		return slices.ContainsFunc(l.prefixes, func(prefix []string) bool { return begins(form, prefix) })
	})
}

// runBy tells why a command is not covered because of what runs it.
func (l *commandList) runBy(c shellscan.Command) string {
	for launcher := range strings.FieldsSeq(c.Via) {
		if !command.In(command.Launchers, launcher) &&
			!(c.Finder != nil && (launcher == "find" || launcher == "xargs")) {
			return fmt.Sprintf("`%s` is run by %s", display.Line(c.Name), display.Line(launcher))
		}
	}
	return ""
}

// globals are git's options in front of the subcommand that only say how it prints, or that it takes no lock.
var globals = set("--no-pager -P --no-optional-locks")

// withoutGlobals returns git's command without them: git --no-pager log is git log. So is git -C docs log,
// since the directory is among those that everything is looked at in; but only of commands that are known to
// read, since a rule that lets an agent push means the repository that it works in. (Claude Code #66176.)
func withoutGlobals(c shellscan.Command) shellscan.Command {
	rest, moved := skipGlobals(c)
	if begin, _ := fixedWords(rest[:fixedPrefix(rest)]); moved != "" {
		if row, _ := command.Lookup(c.Name, begin); row == nil {
			return c
		}
	}
	c.Args = rest
	return c
}

// elsewhere returns the directory that git goes to first; "" for none.
func elsewhere(c shellscan.Command) string {
	_, dir := skipGlobals(c)
	return dir
}

// skipGlobals returns the words behind git's options for printing, and the directory of one -C among them.
func skipGlobals(c shellscan.Command) (rest []shellscan.Word, dir string) {
	rest = c.Args
	for c.Name == "git" && len(rest) > 0 && rest[0].Fixed {
		switch {
		case globals[rest[0].Text]:
			rest = rest[1:]
		case len(rest) > 1 && rest[1].Fixed && shellwords.HarmlessOption(c.Name, rest[0].Text, rest[1].Text):
			rest = rest[2:]
		case rest[0].Text == "-C" && dir == "" && len(rest) > 1 && rest[1].Fixed && rest[1].Text != "" &&
			rest[1].Text[0] != '-':
			rest, dir = rest[2:], rest[1].Text
		default:
			return rest, dir
		}
	}
	return rest, dir
}

// launches is launches for a command of the text, by its index.
func (s *shellText) launches(i int) bool { return launches(s.commands[i], s.commands[i+1:]) }

// needsNoRule reports whether no rule has to name a command of the text, by its index.
func (s *shellText) needsNoRule(i int) bool { return isFree(s.commands[i]) || s.launches(i) }

// launches reports whether a command only runs the one behind it, which is looked at by itself.
func launches(c shellscan.Command, rest []shellscan.Command) bool {
	switch {
	case len(rest) == 0:
		return false
	case c.Name == "xargs":
		return givesFound(c, rest[0])
	case !command.In(command.Launchers, c.Name):
		return false
	case c.Name == "bash" || c.Name == "sh":
		args, fixed := fixedWords(c.Args)
		return fixed && len(args) == 2 && (args[0] == "-c" || args[0] == "-lc") &&
			slices.Contains(strings.Fields(rest[0].Via), c.Name)
	}
	name := len(c.Args) - len(rest[0].Args) - 1 // where the inner command's name stands
	via := strings.Fields(rest[0].Via)
	if name < 0 || len(via) == 0 || via[len(via)-1] != c.Name {
		return false
	}
	own, fixed := fixedWords(c.Args[:name+1])
	return fixed && own[name] == rest[0].Name && slices.Equal(c.Args[name+1:], rest[0].Args)
}

// begins reports whether a command begins with exactly these words.
func begins(c shellscan.Command, prefix []string) bool {
	if c.Name != prefix[0] || len(c.Args) < len(prefix)-1 {
		return false
	}
	for i, word := range prefix[1:] {
		if !c.Args[i].Fixed || c.Args[i].Text != word {
			return false
		}
	}
	return true
}

// unlike names a command by its words up to the first that no prefix of the list has there: `git push`, where the rule names
// git status.
func (l *commandList) unlike(c shellscan.Command) string {
	same := 0
	for _, prefix := range l.prefixes {
		for n := 1; n < len(prefix) && begins(c, prefix[:n]); n++ {
			same = max(same, n)
		}
	}
	words := []string{c.Name}
	for _, arg := range c.Args[:min(same, len(c.Args))] {
		if !arg.Fixed {
			arg.Text = "…"
		}
		words = append(words, arg.Text)
	}
	name := "`" + display.Line(strings.Join(words, " ")) + "`"
	if same > len(c.Args) {
		name += " alone"
	}
	return name
}

func fixedWords(args []shellscan.Word) ([]string, bool) {
	texts := make([]string, len(args))
	for i, arg := range args {
		if !arg.Fixed {
			return nil, false
		}
		texts[i] = arg.Text
	}
	return texts, true
}
