package cliimport

import (
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
	"github.com/a2a-acp/a2a-acp/internal/toolyaml"
)

// mostHelpLines is how many lines of a help are read.
const mostHelpLines = 5000

// helpText is what the help of a command says.
type helpText struct {
	long  string   // what it does
	usage []string // how it is called, a line for each way
	flags map[string]helpFlag
}

// helpFlag is what a help says of a flag.
type helpFlag struct {
	word      string // what its value is, by the help: string, int, NAME; "" where it says nothing
	isPflag   bool   // the line is written as pflag does, so an empty word means true or false
	untyped   bool   // the help says of no flag what its value is
	bare      string // what it means without a value, where that is no truth value
	value     string // its default, as it is written
	hasValue  bool
	about     string
	inherited bool // it stands among those of the commands above
}

// The lines of a help. pflag writes "  -n, --name type   about (default x)", kubectl "-n, --name=default: about" or the
// same with the text below, and Fang "  -n --name   about" below an indented FLAGS, without types.
var (
	flagLine = lazyregexp.New(`^\s{0,12}(?:-([^\s,-])(?:, ?| ))?\s*--([A-Za-z0-9][\w.:@+-]*)(.*)$`)
	valueTag = lazyregexp.New(`^(\[=[^\]]*\])?=(\S.*?|''|):(?:\s+|$)(.*)$`)
	wordTag  = lazyregexp.New(`^(?: (\S.*?))??(\[=[^\]]*\])?(?:(?:\s{2,}|\t)(.*))?$`)
	typeless = lazyregexp.New(`^\s+(?:EXAMPLES|COMMANDS|FLAGS)$`)
	header   = lazyregexp.New(`^[A-Za-z][A-Za-z /-]*:?\s*$`)
	ending   = lazyregexp.New(`(?s)\(default:? (.*?)\)(?:\s*\(DEPRECATED:.*\))?\s*$`)
)

// readHelp reads a help. Whatever it holds, what is read is bounded by it.
func readHelp(text string) helpText {
	h := helpText{flags: map[string]helpFlag{}}
	lines := strings.Split(toolyaml.Escapes.ReplaceAllString(text, ""), "\n")
	lines = lines[:min(len(lines), mostHelpLines)]
	section, current, column, fang := "", "", 0, false
	var long []string
	for _, line := range lines {
		line = strings.TrimRight(line, " \r")
		if usage, ok := usageOf(line); ok {
			section, current = "usage", ""
			if usage != "" {
				h.usage = append(h.usage, usage)
			}
			continue
		}
		if m := flagLine.FindStringSubmatch(line); m != nil && section != "" && !isSynopsis(section) {
			if name, flag, at := readFlag(m, line); name != "" {
				flag.inherited = isInherited(section)
				flag.untyped = fang
				if _, twice := h.flags[name]; !twice {
					h.flags[name] = flag
					current, column = name, at
				}
				continue
			}
		}
		switch {
		case typeless.MatchString(line):
			section, current, fang = strings.ToLower(strings.TrimSpace(line)), "", true
		case line == "":
			if section != "usage" || len(h.usage) > 0 {
				current = ""
			}
			if section == "" {
				long = append(long, "")
			} else if section == "usage" && len(h.usage) > 0 {
				section = "after"
			}
		case header.MatchString(line) && (strings.HasSuffix(line, ":") || strings.ToUpper(line) == line):
			section, current = strings.ToLower(strings.TrimSuffix(strings.TrimSpace(line), ":")), ""
		case section == "":
			long = append(long, line)
		case section == "usage":
			h.usage = append(h.usage, strings.TrimSpace(line))
		case section == "after": // some say what it does behind how it is called
			long = append(long, line)
		case current != "" && indentOf(line) >= min(column, 8):
			flag := h.flags[current]
			flag.about += " " + strings.TrimSpace(line)
			h.flags[current] = flag
		}
	}
	for name, flag := range h.flags {
		flag.settle()
		h.flags[name] = flag
	}
	h.long = strings.TrimSpace(strings.Join(long, "\n"))
	return h
}

// usageOf returns the usage that stands on a line with that heading. In a manual it stands below.
func usageOf(line string) (string, bool) {
	if line == "SYNOPSIS" {
		return "", true
	}
	rest, ok := cutFold(strings.TrimSpace(line), "usage")
	if !ok || rest != "" && rest[0] != ':' {
		return "", false
	}
	return strings.TrimSpace(strings.TrimPrefix(rest, ":")), true
}

func cutFold(s, prefix string) (string, bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}

func isSynopsis(section string) bool {
	return section == "usage" || strings.HasPrefix(section, "example")
}

func isInherited(section string) bool {
	return slices.ContainsFunc([]string{"global", "inherited", "persistent", "parent"},
		func(word string) bool { return strings.Contains(section, word) })
}

func indentOf(line string) int {
	line = strings.ReplaceAll(line, "\t", "        ")
	return len(line) - len(strings.TrimLeft(line, " "))
}

// readFlag reads the line of a flag; at is the column that its text begins in.
func readFlag(m []string, line string) (name string, flag helpFlag, at int) {
	name, rest := m[2], m[3]
	if tag := valueTag.FindStringSubmatch(rest); tag != nil {
		flag.bare, flag.value, flag.hasValue, flag.about = bareOf(tag[1]), tag[2], true, tag[3]
		return name, flag, indentOf(line) + 1
	}
	tag := wordTag.FindStringSubmatch(rest)
	if tag == nil {
		return "", flag, 0
	}
	flag.isPflag, flag.word, flag.bare, flag.about = true, tag[1], bareOf(tag[2]), tag[3]
	return name, flag, len(line) - len(tag[3])
}

// bareOf is what stands in [=…].
func bareOf(tag string) string {
	return strings.Trim(strings.TrimSuffix(strings.TrimPrefix(tag, "[="), "]"), `"`)
}

// settle takes the default out of the text.
func (f *helpFlag) settle() {
	f.about = strings.TrimSpace(f.about)
	if at := ending.Get().FindStringSubmatchIndex(f.about); at != nil && !f.hasValue {
		f.value, f.hasValue = f.about[at[2]:at[3]], true
		f.about = strings.TrimSpace(f.about[:at[0]])
	}
}

// calls reports whether a usage says that a command with others below it can be called by itself.
func (h helpText) calls() bool {
	return slices.ContainsFunc(h.usage, func(usage string) bool { return usage != "" && !needsCommand.MatchString(usage) })
}

// names reports whether a usage has the words, one behind the other.
func (h helpText) names(words []string) bool {
	wanted := " " + strings.Join(words, " ") + " "
	return slices.ContainsFunc(h.usage, func(usage string) bool {
		return strings.Contains(" "+strings.Join(strings.Fields(usage), " ")+" ", wanted)
	})
}

// goesOn reports whether a usage has a word behind a command that stands for itself, as in git remote [-v] add <name>.
func (h helpText) goesOn(words string) bool {
	return slices.ContainsFunc(h.usage, func(usage string) bool {
		for bare := ""; bare != usage; {
			bare, usage = usage, bracketed.ReplaceAllString(usage, "")
		}
		_, behind, _ := strings.Cut(" "+strings.Join(strings.Fields(usage), " ")+" ", " "+words+" ")
		next, _, _ := strings.Cut(behind, " ")
		return plainWord.MatchString(next)
	})
}

// takesCommand reports whether a usage names a command among the arguments: what runs is then for the caller to say.
func (h helpText) takesCommand() bool {
	return slices.ContainsFunc(h.usage, namesCommand.MatchString)
}

var (
	needsCommand = lazyregexp.New(`(?i)(?:^|[\s\[<{])(?:sub-?)?commands?(?:$|[\s\]>}])`)
	bracketed    = lazyregexp.New(`\[[^\[\]]*\]`)
	plainWord    = lazyregexp.New(`^[a-z][a-z0-9-]*$`)
	namesCommand = lazyregexp.New(`(?:^|[\s\[<{])(?i:command|cmd)(?:$|[\s\]>}.])`)
)
