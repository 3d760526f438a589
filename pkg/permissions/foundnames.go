package permissions

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/shellscan"
)

// find -exec and find … | xargs give a program the names of files. They begin as the starting points of the
// find do, so none is an option, and they lie below these: so they are looked at as a program's files are
// that reads all below a directory. What rg -l and grep -rl print are such names, too, but for those that begin as files are
// called; and of what git ls-files prints each is looked at (trackednames.go).

// foundName stands in the place of such a name. As a program in a language that is known here it would be
// refused.
const foundName = "/@env>found"

// mostFoundWords is how many words stand for several names: more than an option takes, so that one of them
// is an operand.
const mostFoundWords = 4

// The letters by which one name becomes another, or several.
const (
	blanks = " \t\n\v\f\r"
	quotes = "\"'\\"
)

// foundNames returns words in the place of the names that a command is given, one or more, as it is if that
// must not be.
func (v *evaluation) foundNames(c shellscan.Command, dir string, row *command.Row) (names []string, why string) {
	via := strings.Fields(c.Via)
	xargs := slices.Contains(via, "xargs")
	split := xargs || slices.ContainsFunc(c.Args, func(w shellscan.Word) bool { return w.FoundMany })
	switch {
	case row == nil || !row.OnlyReads() || c.Builtin || isGit(c.Name):
		return nil, "it is given the names of files that are found, and is not known only to read"
	case xargs && !row.NoOptionHarms:
		return nil, "xargs makes words of names in a way of its own, and one could be an option"
	case split && !row.NoOptionHarms:
		return nil, "a name that it is given could be an option, or several words: quote it, and begin it with ./"
	}
	f, ok := readFinder(c.Finder)
	if !ok {
		return nil, "it cannot be told which names it is given"
	}
	apart := ""
	switch {
	case xargs:
		apart = blanks + quotes
	case split: // a shell splits the value of $f, and takes each part for a pattern
		apart = blanks + quotes + "*?["
	}
	if (f.tracked || f.bare) && !v.keepsNames(v.shell) {
		return nil, "another command could make a name that it is given, and that could be an option"
	}
	if f.tracked {
		return []string{"." + foundName}, v.trackedHazard(dir, f, apart)
	}
	if split && !xargs && f.roots[0] == "." && f.name != "" {
		if why := v.namesOption(dir, f.name); why != "" {
			return nil, why
		}
	}
	for _, root := range f.roots {
		if strings.Trim(root, plainNameLetters+"/") != "" || root == "" || root[0] == '-' {
			return nil, "it cannot be told what it is given that begins as " + display.Line(root)
		}
		if why := v.opens(root, readsFile); why != "" {
			return nil, why
		}
		at, err := v.facts.resolve(dir, root)
		if err != nil {
			return nil, "it cannot be told where the find begins: " + display.Line(err.Error())
		}
		if why := v.treeHazard(walkedTree{root: at, hidden: f.hidden, follows: !f.onlyFiles, found: true,
			apart: apart, name: f.name, only: f.only, bare: f.bare}); why != "" {
			return nil, why
		}
	}
	return []string{strings.TrimRight(f.roots[0], "/") + foundName}, ""
}

// keepsNames reports whether no command of a text could make a file, take one away, or have git know of one: each only reads.
func (v *evaluation) keepsNames(s *shellText) bool {
	for i, c := range s.commands {
		if c.Finder == nil && !s.launches(i) && !v.onlyReads(c) {
			return false
		}
	}
	return !slices.ContainsFunc(v.Shell.Writes, func(w shellscan.Write) bool { return w.Path != "/dev/null" })
}

// namesOption tells why a name that a loop's pattern stands for, with no directory in front, could be an option.
func (v *evaluation) namesOption(dir, pattern string) string {
	if !beginsPlain(pattern) && !endsPlain(pattern) {
		return fmt.Sprintf("a name that %s stands for could be an option: write ./%[1]s", display.Line(pattern))
	}
	names, ok := v.matchPattern(dir, pattern)
	if !ok {
		return tooMuch
	}
	if at := slices.IndexFunc(names, func(name string) bool { return strings.HasPrefix(name, "-") }); at >= 0 {
		return fmt.Sprintf("%s stands for %s, too, which could be an option", display.Line(pattern), display.Line(names[at]))
	}
	return ""
}

// foundFiles is what the words of a command that prints names of files say of these.
type foundFiles struct {
	roots     []string
	name      string // a pattern that their names match; "" for any
	only      string // their ends, slashes between them; "" for any
	onlyFiles bool   // no links
	hidden    bool   // those that begin with a dot, too
	bare      bool   // they begin as the files are called, with no directory in front
	tracked   bool   // they are those that git tracks, which match one of within, if there is one
	within    []string
}

// readFinder reads the words of a command that prints names of files, and only reads.
func readFinder(words []shellscan.Word) (f foundFiles, ok bool) {
	texts, fixed := fixedWords(words)
	if !fixed || len(texts) == 0 {
		return f, false
	}
	row, at := command.Lookup(texts[0], texts[1:])
	switch {
	case row == nil:
		return f, false
	case row.Parser == command.Find:
		return readFind(row, texts[1:])
	}
	texts = texts[1+at:]
	read := row.Read(texts)
	for _, at := range read.Operands {
		f.within = append(f.within, texts[at])
	}
	if f.tracked = at > 0; f.tracked { // git ls-files
		f.roots, f.hidden = []string{"."}, true
		return f, true
	}
	w, why := readCommandWords(row, texts, 0)
	if why != "" {
		return f, false
	}
	patterns := command.Subcommands(command.PatternOptions, words[0].Text)
	if f.roots = f.within; !slices.ContainsFunc(read.Options, func(o command.Option) bool { return patterns[o.Name] }) {
		f.roots = f.roots[min(1, len(f.roots)):]
	}
	f.hidden, f.only = w.hidden, strings.Join(w.only, "/")
	if f.bare = len(f.roots) == 0; f.bare {
		f.roots = []string{"."}
	}
	return f, true
}

// readFind is readFinder for a find.
func readFind(row *command.Row, texts []string) (f foundFiles, ok bool) {
	read := row.Read(texts)
	f.hidden = true
	either := false // the tests are no list of which each must hold
	for _, at := range read.Operands {
		switch texts[at] {
		case "(", ")", ",":
			either = true
		case "!":
		default:
			f.roots = append(f.roots, texts[at])
		}
	}
	if len(f.roots) == 0 {
		f.roots = []string{"."}
	}
	given := false // a name was given on already: what stands behind does not count
	for _, o := range read.Options {
		if !o.Kind.ReadsOnly() && o.Kind != command.Command {
			return f, false
		}
		negated := o.At > 0 && (texts[o.At-1] == "!" || texts[o.At-1] == "-not")
		switch {
		case o.Name == "-o" || o.Name == "-or":
			either = true
		case o.Kind == command.Command, o.Name == "-print", o.Name == "-print0":
			given = true
		case given || negated || len(o.Values) == 0:
		case o.Name == "-name":
			f.name = o.Values[0].Text
		case o.Name == "-type":
			f.onlyFiles = o.Values[0].Text == "f"
		}
	}
	if either {
		f.name, f.onlyFiles = "", false
	}
	return f, true
}

// nameMatches reports whether a name could match a pattern of find's -name. (fnmatch(3); a * stands for a
// dot in front, too.)
func nameMatches(pattern, name string) bool {
	if pattern == "" || strings.ContainsAny(pattern, `[\`) {
		return true
	}
	matches, err := path.Match(strings.ReplaceAll(pattern, "?", "*"), name)
	return matches || err != nil
}

// givesFound reports whether an xargs does nothing but give the next command the names that a find has found.
func givesFound(c, next shellscan.Command) bool {
	begin := fixedTexts(c)
	row := command.Named("xargs")
	if row == nil || next.Finder == nil || !strings.HasSuffix(" "+next.Via, " xargs") {
		return false
	}
	read := row.Read(begin)
	if slices.ContainsFunc(read.Options, func(o command.Option) bool { return !o.Kind.ReadsOnly() }) {
		return false
	}
	return len(read.Operands) > 0 && begin[read.Operands[0]] == next.Name
}
