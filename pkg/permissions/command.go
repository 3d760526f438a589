package permissions

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/shellscan"
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

// covers tells why the text of an act is not covered by the list; "" when it is. Every command must be, word for word, and
// every file that it could open or write must lie in the workspace and be plain data.
func (l *commandList) covers(v *view) string {
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
		if why := v.opens(r.Path, readsFile); why != "" {
			return why
		}
	}
	some := false
	for i, c := range v.shell.commands {
		if name := reachesNetwork(c); name != "" && l.offline {
			return fmt.Sprintf("`%s` reaches other machines, and the rule says network: false", ShowLine(name))
		}
		if launches(c, v.shell.commands[i+1:]) {
			continue
		}
		named, why := l.command(v, c)
		some = some || why == ""
		if _, free := builtins[c.Name]; why != "" && !named && free && c.Builtin {
			why = v.careful(c, 0)
		}
		if why != "" {
			return why
		}
	}
	if !some {
		return "the rule names none of its commands"
	}
	return ""
}

// redirection tells why a file that the text writes is not covered.
func (l *commandList) redirection(v *view, w shellscan.Write) string {
	switch {
	case w.Fixed && w.Path == "/dev/null":
		return ""
	case !w.Fixed:
		return "it writes a file whose name is not fixed"
	case l.redirects != RedirectsWorkspace && l.redirects != RedirectsAny:
		return fmt.Sprintf("it writes `%s`, and the rule allows no redirection (commands: {redirects: workspace})", ShowLine(w.Path))
	}
	for _, dir := range v.shell.dirs {
		p := wordPlace(dir, v.home, w.Path, true)
		if why := v.why(p, true); why != "" && !v.own() {
			return why
		}
		if p.err != nil {
			return "it cannot be told which file it writes: " + ShowLine(p.err.Error())
		}
		if l.redirects == RedirectsWorkspace && !v.inside(p) {
			return "it writes " + shown(v.Workspace, p.real) + ", outside the workspace"
		}
	}
	return ""
}

// command tells why no prefix covers a command. named tells that one has its words, but not what comes after them.
func (l *commandList) command(v *view, c shellscan.Command) (named bool, why string) {
	why = fmt.Sprintf("`%s` is not among the commands of the rule", ShowLine(c.Name))
	for launcher := range strings.FieldsSeq(c.Via) {
		if !launchers[launcher] {
			return true, fmt.Sprintf("`%s` is run by %s", ShowLine(c.Name), ShowLine(launcher))
		}
	}
	for _, c := range []shellscan.Command{c, withoutGlobals(c)} {
		for _, prefix := range l.prefixes {
			if !begins(c, prefix) {
				continue
			}
			if reason := v.careful(c, len(prefix)-1); reason == "" {
				return true, ""
			} else if !named {
				named, why = true, reason
			}
		}
	}
	return named, why
}

// globals are git's options in front of the subcommand that only say how it prints, or that it takes no lock.
var globals = set("--no-pager -P --no-optional-locks")

// withoutGlobals gives git's command without them: git --no-pager log is git log. So is git -C docs log, since the directory
// is among those that everything is looked at in; but only of commands that are known to read, since a rule that lets an agent
// push means the repository that it works in. (Claude Code #66176.)
func withoutGlobals(c shellscan.Command) shellscan.Command {
	rest, moved := skipGlobals(c)
	if begin, _ := fixedWords(rest[:fixedPrefix(rest)]); moved != "" {
		if row, _ := lookUpProgram(c.Name, begin); row == nil {
			return c
		}
	}
	c.Args = rest
	return c
}

// elsewhere gives the directory that git goes to first; "" for none.
func elsewhere(c shellscan.Command) string {
	_, dir := skipGlobals(c)
	return dir
}

// skipGlobals gives the words behind git's options for printing, and the directory of one -C among them.
func skipGlobals(c shellscan.Command) (rest []shellscan.Word, dir string) {
	rest = c.Args
	for c.Name == "git" && len(rest) > 0 && rest[0].Fixed {
		switch {
		case globals[rest[0].Text]:
			rest = rest[1:]
		case rest[0].Text == "-C" && dir == "" && len(rest) > 1 && rest[1].Fixed && rest[1].Text != "" && rest[1].Text[0] != '-':
			rest, dir = rest[2:], rest[1].Text
		default:
			return rest, dir
		}
	}
	return rest, dir
}

// launchers run the command in their words as it is, and do nothing else to it. Shells do so with the one text that they are
// given, which shellscan has read as it has read the whole.
var launchers = set("command builtin timeout nice stdbuf bash sh")

// launches tells whether a command only runs the one behind it, which is looked at by itself.
func launches(c shellscan.Command, rest []shellscan.Command) bool {
	switch {
	case !launchers[c.Name] || len(rest) == 0:
		return false
	case c.Name == "bash" || c.Name == "sh":
		args, fixed := fixedWords(c.Args)
		return fixed && len(args) == 2 && (args[0] == "-c" || args[0] == "-lc") && slices.Contains(strings.Fields(rest[0].Via), c.Name)
	}
	name := len(c.Args) - len(rest[0].Args) - 1 // where the inner command's name stands
	via := strings.Fields(rest[0].Via)
	if name < 0 || len(via) == 0 || via[len(via)-1] != c.Name {
		return false
	}
	own, fixed := fixedWords(c.Args[:name+1])
	return fixed && own[name] == rest[0].Name && slices.Equal(c.Args[name+1:], rest[0].Args)
}

// begins tells whether a command begins with exactly these words.
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

// careful tells why a command whose first words a rule spells is not covered all the same; spelled is how many of its
// arguments the rule spells.
//
// What it looks at does not depend on the rule, so it is looked at once for all of them.
func (v *view) careful(c shellscan.Command, spelled int) string {
	key := carefulKey(c, spelled)
	why, known := v.looked[key]
	if !known {
		if v.looked == nil {
			v.looked = map[string]string{}
		}
		why = v.lookCarefully(c, spelled)
		v.looked[key] = why
	}
	return why
}

// carefulKey names what careful looks at: every word, and how many of them a rule spells.
func carefulKey(c shellscan.Command, spelled int) string {
	return fmt.Sprintf("%d %#v", spelled, c) // every text in it is quoted, so no two commands have one key
}

func (v *view) lookCarefully(c shellscan.Command, spelled int) string {
	why := ""
	if c.Builtin {
		why = v.carefulBuiltin(c, spelled)
	} else {
		why = v.carefulProgram(c, spelled)
	}
	if why != "" {
		why = fmt.Sprintf("`%s`: %s", ShowLine(c.Name), why)
	}
	return why
}

// carefulBuiltin is careful for what bash does itself.
func (v *view) carefulBuiltin(c shellscan.Command, spelled int) string {
	words := c.Args
	switch {
	case c.Name == "echo": // prints whatever it is
		words = withoutPrinted(words)
	case c.Name == "printf" && len(words) > 0: // prints it, but for a -v in front, and what its format says
		format := 1
		if words[0].Text == "--" {
			format = min(2, len(words))
		}
		words = append(words[:format:format], withoutPrinted(words[format:])...)
	}
	args, ok := fixedWords(words)
	check, known := builtins[c.Name]
	switch {
	case !ok:
		return "one of its words is not fixed"
	case known:
		return check(args)
	case spelled < len(args):
		return "bash may evaluate its words, so a rule must spell the whole command"
	}
	return ""
}

// carefulProgram is careful for a program.
func (v *view) carefulProgram(c shellscan.Command, spelled int) string {
	if len(v.shell.dirs) == 0 {
		return "the directory that it runs in cannot be told"
	}
	begin, _ := fixedWords(c.Args[:fixedPrefix(c.Args)])
	row, _ := lookUpProgram(c.Name, begin)
	for _, dir := range v.shell.dirs {
		args, why := v.expand(c, dir, row)
		if why == "" {
			why = v.carefulWords(c, args, spelled)
		}
		if why != "" || len(begin) == len(c.Args) {
			return why // the same in every directory
		}
	}
	return ""
}

// withoutPrinted gives words with something that is no option in the place of what commands print.
func withoutPrinted(words []shellscan.Word) []shellscan.Word {
	all := slices.Clone(words)
	for i := range all {
		if all[i].Printed {
			all[i] = shellscan.Word{Text: "printed", Fixed: true}
		}
	}
	return all
}

// fixedPrefix counts the words in front of the first that is not fixed.
func fixedPrefix(words []shellscan.Word) int {
	if at := slices.IndexFunc(words, func(w shellscan.Word) bool { return !w.Fixed }); at >= 0 {
		return at
	}
	return len(words)
}

// carefulWords is carefulProgram for the words that bash hands on.
func (v *view) carefulWords(c shellscan.Command, args []string, spelled int) string {
	if strings.Contains(c.Name, "/") && !filepath.IsAbs(c.Name) && len(v.shell.dirs) > 1 {
		return "behind a cd it is another program"
	}
	row, at := lookUpProgram(c.Name, args)
	switch {
	case isInterpreter(c.Name) && spelled < len(args) && (row == nil || row.program == nil):
		return "it runs code from its words or its files, so a rule must spell the whole command"
	case row != nil:
		return v.carefulReader(row, c.Name, args[at:], max(0, spelled-at))
	case families[c.Name] && !slices.ContainsFunc(args[:spelled], func(arg string) bool { return !strings.HasPrefix(arg, "-") }):
		return fmt.Sprintf("it is not known that %s only reads, so a rule must name the subcommand", ShowLine(strings.Join(append([]string{c.Name}, args[:min(1, len(args))]...), " ")))
	}
	if why := v.reined(c.Name, args, spelled); why != "" {
		return why
	}
	for _, arg := range args[spelled:] {
		if strings.HasPrefix(arg, "-") && len(arg) > longestOption {
			return "one of its options is too long to be looked at"
		}
		for _, name := range possibleFiles(arg) {
			if why := v.opens(name, writer(c.Name)); why != "" {
				return why
			}
		}
	}
	return ""
}

// carefulReader is careful for a program that only reads.
func (v *view) carefulReader(row *harmless, program string, args []string, spelled int) string {
	w, why := row.read(args, spelled)
	if why != "" {
		return why
	}
	use := readsFile
	if w.spelled {
		if why := v.reined(program, args, spelled); why != "" {
			return why
		}
		use = writesFile
	}
	for _, name := range w.files {
		if why := v.opens(name, use); why != "" {
			return why
		}
	}
	for _, dir := range v.shell.dirs {
		if program == "git" && looksLikeRepository(dir, v.Workspace.Dirs()) {
			return "`" + ShowLine(dir) + "` looks like a repository without work tree, and its settings name programs that git runs"
		}
		if program == "git" {
			if why := v.runsPrograms(dir, false); why != "" {
				return why
			}
		}
		read := w
		if row == programs["git diff"] && leavesRepository(dir, w.files) {
			read.tree, read.hidden = true, true
		}
		if why := v.readsTree(read, dir); why != "" {
			return why
		}
	}
	return ""
}

// use is what a program does with a file that it is told.
type use int

const (
	readsFile use = iota
	writesFile
	buildsFile // writes it, or builds by it
)

func writer(program string) use {
	if builders[filepath.Base(program)] {
		return buildsFile
	}
	return writesFile
}

// opens tells why a file that a word could name must not be opened without asking; "" when it may.
func (v *view) opens(name string, use use) string {
	if name == "-" || name == "" || name == "/dev/null" {
		return ""
	}
	if strings.HasPrefix(name, "~") {
		return fmt.Sprintf("%q could be a home directory", ShowLine(name))
	}
	for _, dir := range v.shell.dirs {
		p := wordPlace(dir, v.home, name, use != readsFile)
		switch {
		case p.err != nil:
			return "it cannot be told which file it opens: " + ShowLine(p.err.Error())
		case !v.inside(p):
			return shown(v.Workspace, p.real) + " lies outside the workspace"
		}
		if why := v.guardedWord(p, use); why != "" {
			return why
		}
	}
	return ""
}

// guardedWord tells why a file that a word could name is more than data.
func (v *view) guardedWord(p place, use use) string {
	if v.own() {
		return ""
	}
	wanted := []kind{secret}
	switch use {
	case writesFile:
		wanted = []kind{control, build, secret}
	case buildsFile:
		wanted = []kind{control, secret}
	}
	for _, name := range p.maybe {
		if what := v.sensitive.find(name, wanted...); what != "" {
			return shown(v.Workspace, name) + " " + what
		}
	}
	return ""
}

// guardedCommand tells why an act's command needs a person whatever a rule that names no command says: it writes, or names,
// a file that is more than data.
func (v *view) guardedCommand() string {
	if v.shell == nil || v.own() {
		return ""
	}
	for _, p := range v.places {
		if why := v.why(p, true); why != "" {
			return why
		}
	}
	dirs := v.shell.dirs
	if len(dirs) == 0 {
		dirs = []string{"/"} // what is special about a file is told by its last names
	}
	for _, dir := range dirs {
		for _, w := range v.Shell.Writes {
			if !w.Fixed || w.Path == "/dev/null" {
				continue
			}
			if why := v.why(wordPlace(dir, v.home, w.Path, true), true); why != "" {
				return why
			}
		}
		for _, r := range v.Shell.Reads {
			if why := v.guardedWord(wordPlace(dir, v.home, r.Path, false), readsFile); why != "" {
				return why
			}
		}
		for _, c := range v.shell.commands {
			for _, name := range namedFiles(c) {
				if why := v.guardedWord(wordPlace(dir, v.home, name.text, true), name.use); why != "" {
					return why
				}
			}
		}
	}
	return ""
}

// namedFile is a file that a word of a command could name.
type namedFile struct {
	text string
	use  use
}

// namedFiles lists what the fixed words of a command could name, and what the program would do with it.
func namedFiles(c shellscan.Command) []namedFile {
	var names []namedFile
	var args []string
	for _, word := range c.Args {
		if word.Fixed {
			args = append(args, word.Text)
		}
	}
	if _, harmless := builtins[c.Name]; harmless && c.Builtin {
		return nil
	}
	if row, at := lookUpProgram(c.Name, args); row != nil {
		if w, why := row.read(args[at:], 0); why == "" {
			for _, text := range w.files {
				names = append(names, namedFile{text, readsFile})
			}
			return names
		}
	}
	for _, arg := range args {
		for _, text := range possibleFiles(arg) {
			names = append(names, namedFile{text, writer(c.Name)})
		}
	}
	return names
}

// lookUpProgram finds the row of a program, and how many of its arguments name it: that of git stash list before that of
// git. A program that is named by its path is only known where the system's own programs lie.
func lookUpProgram(name string, args []string) (*harmless, int) {
	if dir, base := filepath.Split(name); dir != "" {
		if dir != "/bin/" && dir != "/usr/bin/" {
			return nil, 0
		}
		name = base
	}
	for n := min(2, len(args)); n > 0; n-- {
		if row, ok := programs[name+" "+strings.Join(args[:n], " ")]; ok {
			return row, n
		}
	}
	return programs[name], 0
}

// isInterpreter tells whether a program runs code, whatever version its name ends with.
func isInterpreter(name string) bool {
	base := filepath.Base(name)
	return interpreters[base] || interpreters[strings.TrimRight(base, "0123456789.-")]
}
