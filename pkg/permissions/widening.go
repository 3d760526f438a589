package permissions

import (
	"cmp"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/gitrepo"
	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
	"github.com/a2a-acp/a2a-acp/internal/sensitive"
	"github.com/a2a-acp/a2a-acp/internal/shellscan"
	"github.com/a2a-acp/a2a-acp/internal/shellwords"
)

// A rule that names go test, make or git push means what they do with the files that are there. The words
// behind may say something else: code of their own, files by other names, another machine. What follows is
// asked about unless the rule spells it; in each case what would run stands in the words themselves, where
// no question about a file was ever put.

// widens tells why words of a program that only a rule knows say more than the rule does; "" when they do
// not. args are all its words, and the rule spells the first of them.
func (v *evaluation) widens(program string, args []string, spelled int) string {
	base := filepath.Base(program)
	words := args[spelled:]
	switch {
	case len(words) > 0 && v.unpacks(base, args):
		return "it writes whatever files an archive, a patch or another machine names, hooks and settings too, " +
			"so a rule must spell the whole command"
	case strings.HasSuffix("-"+base, "-ar") && len(words) > 0 && takesOut(args):
		return "it writes whatever files the archive names, so a rule must spell the whole command"
	case in(command.Copiers, base):
		for _, option := range v.Commands.Widening(base, words) {
			if option.Does == command.OptionOverrides {
				return v.optionWidens(option)
			}
		}
		if base == "ln" && slices.ContainsFunc(words, climbs) {
			return "what a link means counts from where it stands, so its .. may lead out of the workspace"
		}
		return cmp.Or(v.copiesSensitive(words), v.copiesInto(words))
	case base == "git":
		return v.gitWidens(args, spelled)
	}
	if why := v.templateWidens(base, args, spelled); why != "" {
		return why
	}
	// bundle exec rspec has the options of rspec.
	for _, named := range append([]string{base}, args[:spelled]...) {
		for _, option := range v.Commands.Widening(named, words) {
			if option.Does == command.OptionReaches {
				if v.spellsAddress(base, args, spelled) {
					return fmt.Sprintf("with the option %s it goes elsewhere than the rule says, so a rule must spell it",
						display.Line(option.Word))
				}
				continue
			}
			if why := v.optionWidens(option); why != "" {
				return why
			}
		}
	}
	if why := v.wordFileWidens(words); why != "" {
		return why
	}
	if why := v.operandWidens(base, args, spelled); why != "" {
		return why
	}
	if why := v.startedWidens(base, args, spelled); why != "" {
		return why
	}
	if why := v.codeWidens(program, args, spelled); why != "" {
		return why
	}
	return v.codeFileWidens(program, args, spelled)
}

// unpacks reports whether a program writes files by names that stand in no word. Of git otherRemote tells.
func (v *evaluation) unpacks(base string, args []string) bool {
	subcommands := command.Subcommands(command.Unpackers, base)
	return v.in(command.Unpackers, base) ||
		base != "git" && slices.ContainsFunc(args, func(word string) bool { return subcommands[word] })
}

// takesOut reports whether ar is told to take files out of an archive: ar x, ar -vx (ar(1)).
func takesOut(words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool {
		letters := strings.TrimPrefix(word, "-")
		return strings.Contains(letters, "x") && strings.Trim(letters, "abcdDfilLmNoOpPqrsStTuUvVxX") == ""
	})
}

// wordFileWidens tells why a word @FILE must not be given where there is such a file: many programs read more
// words in it, and of most nobody here knows.
func (v *evaluation) wordFileWidens(words []string) string {
	for _, word := range words {
		if name, ok := strings.CutPrefix(word, "@"); ok && name != "" && v.exists(name) {
			return fmt.Sprintf("%s could stand for the words in that file, so a rule must spell it", display.Line(word))
		}
	}
	return ""
}

// operandWidens tells why an operand must not be given by which a program does another thing than the rule
// spells: make test deploy, npm install PACKAGE, docker build ADDRESS.
func (v *evaluation) operandWidens(base string, args []string, spelled int) string {
	says := slices.IndexFunc(args[:spelled], func(word string) bool { return !strings.HasPrefix(word, "-") })
	targets := says >= 0 && in(command.Targets, base)
	packages := says >= 0 && command.Subcommands(command.PackageCommands, base)[args[says]]
	address := v.spellsAddress(base, args, spelled)
	client := in(command.NetworkClients, base)
	local := !client || address || v.in(command.ProjectTools, base)
	roles := shellwords.Read(shellwords.Fixed(append([]string{base}, args...)...), v.Commands).Roles
	for i := spelled; i < len(args); i++ {
		word := args[i]
		switch {
		case local && otherMachine(word), local && beginsAs(word, command.Subcommands(command.RemotePrefixes, base)):
			return fmt.Sprintf("%s lies on another machine, so a rule must spell it", display.Line(word))
		case packages && command.Subcommands(command.LinkedPackages, base)[strings.Split(word, "=")[0]]:
			if v.linksElsewhere(args[i:]) {
				return fmt.Sprintf("it installs what %s names, whose scripts run, so a rule must spell it", display.Line(word))
			}
		case strings.HasPrefix(word, "-"), isValue(roles[i+1]):
		case says >= 0 && command.Subcommands(command.ProjectOperands, base)[args[says]] && v.isPlainFile(word):
			return fmt.Sprintf("it does what %s says, which is called as no project is, so a rule must spell it", display.Line(word))
		case address && client && !strings.HasPrefix(word, "+"): // dig HOST +short
			return fmt.Sprintf("it goes to %s, too, so a rule must spell it", display.Line(word))
		case targets && !strings.Contains(word, "=") && strings.Trim(word, "0123456789") != "":
			return fmt.Sprintf("it does %s, too, so a rule must spell it", display.Line(word))
		case says >= 0 && v.in(command.ProjectTools, base) && command.IsBinary(word):
			return fmt.Sprintf("it runs %s, which the project's files did not say, so a rule must spell it", display.Line(word))
		case packages && !v.isHere(word):
			return fmt.Sprintf("it installs %s, whose scripts run, so a rule must spell it", display.Line(word))
		}
	}
	return ""
}

// spellsAddress reports whether a rule spells where its command goes to: no other place is meant then.
func (v *evaluation) spellsAddress(base string, args []string, spelled int) bool {
	roles := shellwords.Read(shellwords.Fixed(append([]string{base}, args...)...), v.Commands).Roles
	hosts := in(command.HostOperands, base)
	for i, word := range args[:spelled] {
		if strings.Contains(word, "://") || hosts && !strings.HasPrefix(word, "-") && !isValue(roles[i+1]) {
			return true
		}
	}
	return hosts && slices.ContainsFunc(v.Commands.Widening(base, args[:spelled]), func(option command.WideningOption) bool {
		return option.Does == command.OptionReaches
	})
}

// linksElsewhere reports whether the option that the words begin with installs another directory than the one
// that its program runs in: pip install -e DIR.
func (v *evaluation) linksElsewhere(words []string) bool {
	_, name, glued := strings.Cut(words[0], "=")
	if !glued && len(words) > 1 {
		name = words[1]
	}
	return !v.isHere(name)
}

// beginsAs reports whether a word begins as one of a list.
func beginsAs(word string, list map[string]bool) bool {
	for prefix := range list {
		if strings.HasPrefix(word, prefix) {
			return true
		}
	}
	return false
}

// isValue reports whether a word is the value of an option, which its reader ends with then.
func isValue(role shellwords.Role) bool {
	return role.Kind == shellwords.Argument || strings.Contains(role.Reader, " -")
}

// otherMachine reports whether a word holds an address of another machine, or a module of one by its version:
// example.com/x@latest.
func otherMachine(word string) bool {
	if before, behind, found := strings.Cut(word, "://"); found {
		scheme := before[strings.LastIndexAny(before, "=,@ ")+1:]
		return !strings.EqualFold(scheme, "file") && !thisMachine.MatchString(behind)
	}
	return elsewhereByName.MatchString(word)
}

var (
	thisMachine = lazyregexp.New(`\A(localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0)([:/]|\z)`)
	// It finds example.com/x@latest and git@example.com:x.
	elsewhereByName = lazyregexp.New(`\A([a-z0-9-]+(\.[a-z0-9-]+)+/[^@\s]*@\S|[\w.-]+@[\w-]+(\.[\w-]+)+:)`)
)

// isHere reports whether a word names the directory that its program runs in.
func (v *evaluation) isHere(word string) bool {
	word, _, _ = strings.Cut(word, "[") // .[dev]
	return !slices.ContainsFunc(v.shell.dirs, func(dir string) bool {
		at, err := v.facts.resolve(dir, word)
		return err != nil || word == "" || at != dir
	})
}

// codeWidens tells why a word must not be given that is code, or settings by which programs are run: pylint,
// say, runs what --init-hook says.
func (v *evaluation) codeWidens(program string, args []string, spelled int) string {
	reading := shellwords.Read(shellwords.Fixed(append([]string{program}, args...)...), v.Commands)
	for _, code := range reading.Code {
		if code.At > spelled && !slices.Contains(otherwiseRead, code.Language) {
			return fmt.Sprintf("it runs code (%s) that stands in its words, so a rule must spell it", code.Language)
		}
	}
	return ""
}

// codeFileWidens tells why an option must not be given by which the program loads code: mocha -r ./x.js. A
// name alone is that of an installed package, unless a file is called so; what nobody may write unasked is
// known.
func (v *evaluation) codeFileWidens(program string, args []string, spelled int) string {
	for _, letters := range []bool{false, true} {
		words := shellwords.Fixed(append([]string{program}, unglued(args[spelled:], letters)...)...)
		for i, role := range shellwords.Read(words, v.Commands).Roles {
			if role.Kind != shellwords.CodeFile || !strings.Contains(role.Reader, " ") ||
				slices.Contains(otherwiseRead, role.Language) {
				continue
			}
			for _, dir := range v.shell.dirs {
				if !v.work(partWork * len(loadedEnds)) {
					return tooMuch
				}
				if !v.isKnown(dir, words[i].Text) {
					return fmt.Sprintf("%s loads code from %s, so a rule must spell it", display.Line(role.Reader),
						display.Line(words[i].Text))
				}
			}
		}
	}
	return ""
}

// otherwiseRead are the languages of which shellscan reads the commands that a text holds, and those that are
// about data.
var otherwiseRead = []shellwords.Language{
	shellwords.Data, shellwords.Shell, shellwords.SQL, shellwords.Awk, shellwords.Sed, shellwords.JQ, shellwords.YQ,
	shellwords.Arithmetic, shellwords.Arguments, shellwords.Makefile,
	"TeX", // what a file of it can do, too
}

// isKnown reports whether what a program loads by a name is a package, or a file that nobody may write
// unasked.
func (v *evaluation) isKnown(dir, name string) bool {
	if at, err := v.facts.resolve(dir, name); err == nil && at != dir && v.isOwn(dir, at) {
		return true
	}
	if strings.Trim(name, "0123456789.") == "" && !strings.Contains(name, "..") {
		return !v.facts.exists(filepath.Join(dir, name)) // 2.5, 3.12.1
	}
	return name != "" && name[0] != '/' && strings.Trim(name, plainNameLetters+"@/") == "" && !strings.Contains(name, ".") &&
		!slices.ContainsFunc(loadedEnds, func(end string) bool { return v.facts.exists(dir + "/" + name + end) })
}

// loadedEnds are what a program puts behind the name of a file that it loads.
var loadedEnds = []string{"", ".js", ".cjs", ".mjs", ".jsx", ".ts", ".cts", ".mts", ".tsx", ".json", ".node", ".py", ".rb",
	".php", ".lua", ".pl", ".pm"}

// unglued returns words with the values of options as words of their own, where they stand behind a = or,
// with letters set, behind a letter.
func unglued(words []string, letters bool) (all []string) {
	for _, word := range words {
		name, value, glued := strings.Cut(word, "=")
		switch {
		case glued && strings.HasPrefix(word, "-"):
			all = append(all, name, value)
		case letters && len(word) > 2 && word[0] == '-' && word[1] != '-':
			all = append(all, word[:2], word[2:])
		default:
			all = append(all, word)
		}
	}
	return all
}

// optionWidens tells why an option must not be given that goes beyond what the rule means; "" where it does
// not.
func (v *evaluation) optionWidens(s command.WideningOption) string {
	word := display.Line(s.Word)
	for _, value := range s.Values {
		for _, dir := range v.shell.dirs {
			at, err := v.facts.resolve(dir, value)
			own := err == nil && v.isOwn(dir, at)
			if s.Does == command.OptionLoads && !v.work(partWork*len(loadedEnds)) {
				return tooMuch
			}
			if s.Does == command.OptionLoads && !v.isKnown(dir, value) {
				return fmt.Sprintf("with the option %s it could load %s, so a rule must spell it", word, display.Line(value))
			}
			switch {
			case s.Does == command.OptionMoves && !own:
				return fmt.Sprintf("with the option %s it works in another project than the rule means, so a rule must spell it", word)
			case s.Does == command.OptionObeys && (!own || at == dir):
				return fmt.Sprintf("with the option %s it does what another file says than the rule means, so a rule must spell it", word)
			}
		}
		if s.Does == command.OptionWrites {
			if why := v.opens(value, writesFile); why != "" {
				return why
			}
		}
	}
	if s.Does == command.OptionOverrides {
		return fmt.Sprintf("with %s it overwrites or removes more, or leaves a check out, so a rule must spell it", word)
	}
	if s.Does == command.OptionRuns ||
		(s.Does == command.OptionMoves || s.Does == command.OptionObeys) && len(s.Values) == 0 {
		return fmt.Sprintf("with the option %s it could run something else, so a rule must spell it", word)
	}
	return ""
}

// isOwn reports whether a file is the directory in which a program runs, or one in it that nobody may write
// unasked: what it would go by of itself.
func (v *evaluation) isOwn(dir, file string) bool {
	return file == dir || filepath.Dir(file) == dir && v.sensitive.find(v.Workspace, file, sensitive.Written) != ""
}

// isPlainFile reports whether a file that is there is one of those that may be written unasked.
func (v *evaluation) isPlainFile(word string) bool {
	return slices.ContainsFunc(v.shell.dirs, func(dir string) bool {
		at, err := v.facts.resolve(dir, word)
		info, statErr := v.facts.lstat(at)
		return err == nil && statErr == nil && !info.IsDir() && v.sensitive.find(v.Workspace, at, sensitive.Written) == ""
	})
}

// templateWidens tells why words and variables must not be given that a program puts into the commands that it runs, or
// into what they go by, as text.
func (v *evaluation) templateWidens(base string, args []string, spelled int) string {
	for _, word := range args[spelled:] {
		if in(command.Makes, base) {
			if why := v.makeWidens(word); why != "" {
				return why
			}
		}
		if in(command.Quoters, base) && quoted.MatchString(word) {
			return fmt.Sprintf("some versions of %s have a shell run what is in %s", base, display.Line(word))
		}
		if in(command.Recipes, base) && strings.Trim(word, plainOperandLetters) != "" {
			return fmt.Sprintf("%s becomes a part of the commands that %s runs", display.Line(word), base)
		}
	}
	subcommands := command.Subcommands(command.Templaters, base)
	templates := in(command.Templaters, base) ||
		slices.ContainsFunc(args, func(word string) bool { return subcommands[word] })
	if templates && len(v.Shell.SetsMore) > 0 {
		return fmt.Sprintf("it sets %s, which could become a part of what %s runs", display.Line(v.Shell.SetsMore[0]), base)
	}
	return ""
}

// quoted is what a shell runs in double quotes, and what ends them though a \ was put in front of it.
var quoted = lazyregexp.New("[$][(]|`|\\\\\"")

// plainOperandLetters are those of words that are one word to a shell.
const plainOperandLetters = plainLetters + "[]"

// makeWidens tells why a word that gives make a variable must not be given: its value becomes a part of the
// recipes.
func (v *evaluation) makeWidens(word string) string {
	name, value, sets := strings.Cut(word, "=")
	if !sets || strings.HasPrefix(word, "-") {
		return ""
	}
	if v.Commands.ChangesCommands(name) || !shellscan.IsPlainValue(value) {
		return fmt.Sprintf("%s becomes a part of the commands that make runs", display.Line(word))
	}
	return ""
}

// copiesSensitive tells why a program that takes whole directories along must not: among what it copies is
// more than data.
func (v *evaluation) copiesSensitive(words []string) string {
	seen := 0
	for _, word := range words {
		for _, dir := range v.shell.dirs {
			if target, err := v.facts.readlink(joined(dir, word)); err == nil && climbs(target) {
				return fmt.Sprintf("%s is a link to %s, which means another file in another directory",
					display.Line(word), display.Line(target))
			}
			root, err := v.facts.resolve(dir, word)
			if info, statErr := v.facts.lstat(root); err != nil || statErr != nil || !info.IsDir() {
				continue
			}
			why := ""
			err = v.facts.walkDir(root, func(path string, entry fs.DirEntry, err error) error {
				switch seen++; {
				case !v.work(1):
					why = tooMuch
				case seen > mostEntries:
					why = shown(v.Workspace,
						root) + fmt.Sprintf(" holds more than %d files, and it cannot be told what they are",
						mostEntries)
				case err != nil:
					why = shown(v.Workspace, root) + " cannot be read"
				default:
					if what := v.sensitive.find(v.Workspace, path, sensitive.Written); what != "" && path != root {
						why = shown(v.Workspace, path) + " " + what
					}
					if target, err := v.facts.readlink(path); entry.Type()&fs.ModeSymlink != 0 &&
						(err != nil || climbs(target)) {
						why = shown(v.Workspace, path) + " is a link, which means another file in another directory"
					}
				}
				if why != "" {
					return fs.SkipAll
				}
				return nil
			})
			if err != nil || why != "" {
				return why
			}
		}
	}
	return ""
}

// place is where a file may be put.
type place struct {
	path  string
	isDir bool
}

// copiesInto tells why a program must not copy or move files to where it does, by any of its words: what is plain data by its own
// name may be more in another directory, and so may what lies below a directory that gets another name. copiesSensitive has
// looked at these directories.
func (v *evaluation) copiesInto(words []string) (why string) {
	check := func(dir, name string) bool {
		if !v.work(1) {
			why = tooMuch
		} else if at, err := v.facts.resolve(dir, name); err != nil {
			why = "it cannot be told which file it writes: " + display.Line(err.Error())
		} else if what := v.sensitive.find(v.Workspace, at, sensitive.Written); what != "" {
			why = "it would write " + shown(v.Workspace, at) + ", which " + what
		}
		return why == ""
	}
	names := slices.Clone(words)
	for _, word := range words {
		if strings.HasPrefix(word, "-") { // -tDIR, --target-directory=DIR
			possible, ok := possibleFiles(word)
			if !ok {
				return tooMuch
			}
			names = append(names, possible...)
		}
	}
	for _, dir := range v.shell.dirs {
		var places []place
		for _, name := range names {
			if !v.work(1) {
				return tooMuch
			}
			if at, err := v.facts.resolve(dir, name); err == nil {
				places = append(places, place{at, v.facts.isDir(at)})
			}
		}
		for _, from := range words {
			source, err := v.facts.resolve(dir, from)
			if err != nil {
				continue
			}
			below := v.facts.isDir(source)
			for _, to := range places {
				if to.path == source {
					continue
				}
				if to.isDir && !check(to.path, filepath.Base(from)) {
					return why
				}
				if !below {
					continue
				}
				if found := v.eachBelow(source, true, func(path string, _ fs.DirEntry) bool {
					name := strings.TrimPrefix(path, source+"/")
					return check(to.path, name) && (!to.isDir || check(to.path, filepath.Base(from)+"/"+name))
				}); found != "" || why != "" {
					return cmp.Or(why, found)
				}
			}
		}
	}
	return ""
}

// climbs reports whether a name goes up: as the target of a link it means another file wherever the link
// stands.
func climbs(name string) bool { return slices.Contains(strings.Split(name, "/"), "..") }

// gitWidens is widens for git: what the repository's own settings have it run was never asked about,
// whatever a rule spells.
func (v *evaluation) gitWidens(args []string, spelled int) string {
	at := slices.IndexFunc(args, func(word string) bool { return !strings.HasPrefix(word, "-") })
	if at < 0 {
		return ""
	}
	remote := command.Subcommands(command.OtherRepositories, "git")
	for _, dir := range v.shell.dirs {
		if why := v.runsPrograms(dir, gitrepo.Use{Command: args[at], Fetches: remote[args[at]]}); why != "" {
			return why
		}
	}
	for _, option := range v.Commands.Widening("git "+args[at], args[max(at+1, spelled):]) {
		if option.Does == command.OptionOverrides {
			return v.optionWidens(option)
		}
	}
	return v.otherRemote(args, at, spelled)
}

// otherRemote tells why git must not be given its words: they name a repository that the rule did not mean,
// by an address, by a helper's name (ext::COMMAND runs it) or as a directory. A rule that says git push
// means the remotes that have names.
func (v *evaluation) otherRemote(args []string, at, spelled int) string {
	switch {
	case command.Subcommands(command.Unpackers, "git")[args[at]] && spelled < len(args):
		return "it writes whatever files a patch names, hooks and settings too, so a rule must spell the whole command"
	case !command.Subcommands(command.OtherRepositories, "git")[args[at]]:
		return ""
	}
	first, values := true, command.Subcommands(command.OtherRepositoriesValues, "git")
	for i := at + 1; i < len(args); i++ {
		word := args[i]
		named := i < spelled
		switch {
		case named:
		case strings.Contains(word, "::"), strings.Contains(word, "://"), strings.HasPrefix(word, "--repo"),
			strings.HasPrefix(word, "--remote"):
			return fmt.Sprintf("%s could be another repository than the rule means, so a rule must spell it",
				display.Line(word))
		case values[word]:
			i++
			continue
		}
		if strings.HasPrefix(word, "-") {
			continue
		}
		if first && !named && (strings.Trim(word, plainNameLetters) != "" || v.exists(word)) {
			return fmt.Sprintf("%s could be another repository than the rule means, so a rule must spell it", display.Line(word))
		}
		first = false
	}
	return ""
}

// exists reports whether a word names a file in one of the directories.
func (v *evaluation) exists(word string) bool {
	for _, dir := range v.shell.dirs {
		if v.facts.exists(filepath.Join(dir, word)) {
			return true
		}
	}
	return false
}
