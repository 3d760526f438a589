package command

import (
	"slices"
	"strings"
)

// Kind is what an option does with its value.
type Kind int

// The kinds; see commands.yaml.
const (
	Unknown Kind = iota // no row knows the option
	Flag
	Optional
	Plain
	Count
	Number
	Pair
	File
	Code
	Writes
	Changes
	Rewrites
	Runs
	Command
	Lists
	Follows
)

var kinds = map[string]Kind{
	"flag": Flag, "optional": Optional, "value": Plain, "count": Count, "number": Number, "pair": Pair,
	"file": File, "code": Code,
	"writes": Writes, "changes": Changes, "rewrites": Rewrites, "runs": Runs, "command": Command, "lists": Lists, "follows": Follows,
}

// does says for people what an option does that does more than read what the words name.
var does = map[Kind]string{
	Unknown: "could do more than read", Writes: "writes a file", Changes: "does more than read and print",
	Rewrites: "changes the files that it reads", Runs: "runs a program",
	Command: "runs a program", Lists: "opens what a file names or holds",
	Follows: "follows links, which may lead out of the workspace",
}

// ReadsOnly reports whether an option of the kind does nothing but read what the words name, and print.
func (k Kind) ReadsOnly() bool { _, more := does[k]; return !more }

// String says what an option of the kind does beyond reading; "" for nothing.
func (k Kind) String() string { return does[k] }

// values counts the words that an option of the kind takes behind it.
func (k Kind) values() int {
	switch k {
	case Plain, Number, File, Code, Writes, Runs, Lists:
		return 1
	case Pair:
		return 2
	}
	return 0
}

// Parser is the way in which a program reads its words; see commands.yaml.
type Parser string

// The parsers.
const (
	Getopt       Parser = "getopt"
	GetoptLong   Parser = "getopt_long"
	OptionsFirst Parser = "options_first"
	Git          Parser = "git"
	Letters      Parser = "letters"
	Tar          Parser = "tar"
	Words        Parser = "words"
	Find         Parser = "find"
	Long         Parser = "long"
	None         Parser = "none"
)

// Operands is what the words are that belong to no option.
type Operands string

// The operands.
const (
	Files       Operands = "files"
	Paths       Operands = "paths"
	Texts       Operands = "texts"
	InputOutput Operands = "input output"
	Setting     Operands = "setting"
	Formats     Operands = "formats"
	Nothing     Operands = "none"
	Revisions   Operands = "revisions"
)

// Row is what is known of a program, or of a subcommand of one.
type Row struct {
	Names         []string
	Parser        Parser
	Verified      string // by which versions; "" when nobody has looked
	Operands      Operands
	Language      string // of the first operand; "" for none
	Check         string // see commands.yaml
	NoOptionHarms bool
	Links         bool     // it follows the links that it meets below a directory
	Addresses     bool     // with a word it prints addresses of other repositories
	ChosenBy      []string // files, in its directory or above, that say which version of it runs

	options       map[string]Kind // by name, with its dashes
	trees, hidden readsAll
	// Options by which it reads only files of some names, or none of some.
	selects, leavesOut readsAll
	// Options by which it reads no file, or nothing in a directory, of a name, unless it is told to select others.
	skips, skipsDirs readsAll
	// typed are options by which it reads only files of a type, and types the patterns of each type's names.
	typed readsAll
	types map[string]string
}

// readsAll says with which options a program reads all files of a kind.
type readsAll struct {
	always  bool
	options map[string]bool
}

// Rewritten returns where the words stand that name files which a command writes back; none where no option has it do so.
func (r *Row) Rewritten(read Reading) []int {
	has := func(kind Kind) bool {
		return slices.ContainsFunc(read.Options, func(o Option) bool { return o.Kind == kind })
	}
	switch {
	case !has(Rewrites):
		return nil
	case r.Language != "" && !has(Code) && len(read.Operands) > 0:
		return read.Operands[1:]
	}
	return read.Operands
}

// Selected returns the patterns of names with which a command reads no other files below a directory; none
// where it reads all. Where an option that leaves names out stands in front of the first, it reads what is
// left.
func (r *Row) Selected(read Reading) []string {
	var patterns []string
	for _, o := range read.Options {
		switch {
		case r.selects.options[o.Name]:
			for _, value := range o.Values {
				patterns = append(patterns, value.Text)
			}
		case r.typed.options[o.Name]:
			for _, value := range o.Values {
				if r.types[value.Text] == "" {
					return nil
				}
				patterns = append(patterns, strings.Fields(r.types[value.Text])...)
			}
		case r.leavesOut.options[o.Name] && len(patterns) == 0:
			return nil
		}
	}
	return patterns
}

// Skipped returns the names of files, and of directories, that a command surely skips below a directory: those that are given
// whole, with no letter that could stand for others, and none where it is told which files to select.
func (r *Row) Skipped(read Reading) (files, dirs []string) {
	for _, o := range read.Options {
		for _, value := range o.Values {
			switch {
			case r.selects.options[o.Name] || r.typed.options[o.Name]:
				return nil, nil
			case strings.Trim(value.Text, plainNameLetters) != "" || value.Text == "":
			case r.skips.options[o.Name]:
				files = append(files, value.Text)
			case r.skipsDirs.options[o.Name]:
				dirs = append(dirs, value.Text)
			}
		}
	}
	return files, dirs
}

// plainNameLetters are those of names that stand for nothing but themselves.
const plainNameLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"

// OnlyReads reports whether the program is known only to read, with the options that do: not where nobody
// has held the row against it.
func (r *Row) OnlyReads() bool { return r.Verified != "" || r.Parser == None }

// Tree reports whether it reads every file below a directory with the options that were read, and the
// hidden ones with them.
func (r *Row) Tree(read Reading) (tree, hidden bool) {
	tree, hidden = r.trees.always, r.hidden.always
	for _, o := range read.Options {
		tree, hidden = tree || r.trees.options[o.Name], hidden || r.hidden.options[o.Name]
	}
	return tree, hidden
}
