package cliimport

import (
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
	"github.com/a2a-acp/a2a-acp/internal/pflagkind"
	"github.com/a2a-acp/a2a-acp/internal/toolyaml"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// The lines of a help that tell of a flag, as GNU's programs, argparse, clap, click, yargs, urfave/cli, docopt and Go's
// own flag package write them: the ways to write it with the word for its value, a gap, and what it does.
var (
	toldHead   = lazyregexp.New(`^\s{0,2}[A-Za-z][A-Za-z /,()-]*:$|^\s{0,2}[A-Z][A-Z /-]*$`)
	toldLine   = lazyregexp.New(`^[ \t]{0,12}(-\S.*)$`)
	toldGap    = lazyregexp.New(`\s{2,}|\t`)
	toldWord   = lazyregexp.New(`^(--?)(?:\[no-\])?([A-Za-z0-9][A-Za-z0-9_.:@+-]{0,62}?)(\.\.\.)?(\[?=.*|\[[A-Z<=].*)?$`)
	toldTag    = lazyregexp.New(`\[(boolean|string|number|array|count|required)\]`)
	toldBasis  = lazyregexp.New(`(?i)[\[(](?:default|defaults to)[:= ]\s*([^\])]*?)(?:;[^\])]*)?[\])]`)
	toldEnum   = lazyregexp.New(`(?i)[\[(](?:possible values|choices):\s*([^\])]*)[\])]`)
	toldMust   = lazyregexp.New(`(?i)[\[(;]\s*required[\])]`)
	gluedValue = lazyregexp.New(`^[A-Za-z][A-Z]{2,}$`)
	inSynopsis = lazyregexp.New(`(--[A-Za-z0-9][A-Za-z0-9-]*) (<[^<>]*>)(?: \[(?:-\w\|)?(--[A-Za-z0-9-]+) <[^<>]*> \.\.\.\])?`)
	toldValue  = lazyregexp.New(`^(?:[<\[{(].*[>\]})]|[A-Z][A-Z0-9_./:=,-]*|` +
		`value|string|int|uint|float|duration|file|path|dir|name|url|number|num|n)(?:\.\.\.)?$`)
)

// goTypes are the words for values in the helps of Go's own flag package, which has each flag on a line of its own, and
// what it does below.
var goTypes = []string{"", "string", "int", "uint", "float", "duration", "value"}

// helpLines are the lines of a help that are read.
func helpLines(text string) []string {
	lines := strings.Split(toolyaml.Escapes.ReplaceAllString(text, ""), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \r")
	}
	return lines[:min(len(lines), mostHelpLines)]
}

// toldFlags reads the flags that a help tells of. One that is told in no way that is known here is none.
func toldFlags(text string, guess bool) []*flag {
	var flags, current []*flag
	section, column := "", 0
	lines := helpLines(text)
	values := synopsisValues(lines)
	for i, line := range lines {
		if toldHead.MatchString(line) {
			section, current = strings.ToLower(strings.TrimSuffix(strings.TrimSpace(line), ":")), nil
			continue
		}
		if m := toldLine.FindStringSubmatch(line); m != nil && !isSynopsis(section) {
			below := ""
			if i+1 < len(lines) {
				below = lines[i+1]
			}
			current, column = readToldLine(m[1], below, values), indentOf(line)
			for _, f := range current {
				f.inherited = isInherited(section)
				known := slices.ContainsFunc(flags, func(other *flag) bool { return other.name == f.name })
				if !known && len(flags) < mostFlags {
					flags = append(flags, f)
				}
			}
			continue
		}
		for _, f := range current { // what goes on below
			if line != "" && indentOf(line) > column && len(f.about) < 4*toolyaml.LongestText {
				f.about = strings.TrimSpace(f.about + " " + strings.TrimSpace(line))
			}
		}
	}
	for _, f := range flags {
		f.settleTold()
		if guess {
			f.guess()
		}
	}
	return flags
}

// synopsisValues returns the words for values by the flags in front of them, of a help that has all flags in brackets first,
// and then says below the name of each what it does, as npm's has: [--tag <tag>] [--omit <dev|peer> [--omit <dev|peer> ...]].
func synopsisValues(lines []string) map[string]string {
	values := map[string]string{}
	for _, line := range lines {
		if !strings.HasPrefix(line, "[-") {
			continue
		}
		for _, m := range inSynopsis.Get().FindAllStringSubmatch(line, mostFlags) {
			if values[m[1]] = m[2]; m[3] == m[1] {
				values[m[1]] += "..."
			}
		}
	}
	return values
}

// readToldLine reads a line that begins with a dash. It can tell of two flags: --color / --no-color. values are those of
// the synopsis, for a flag that stands alone on its line.
func readToldLine(line, below string, values map[string]string) []*flag {
	left, about := line, ""
	if at := toldGap.Get().FindStringSubmatchIndex(line); at != nil {
		left, about = line[:at[0]], line[at[1]:]
	}
	isGo := about == "" && strings.HasPrefix(strings.TrimLeft(below, " "), "\t") || strings.HasPrefix(line, "-") && isGoShort(line)
	if isGo {
		left, about, _ = strings.Cut(line, "\t")
	}
	left = strings.NewReplacer(", ", " ", "|-", " -").Replace(left)
	var flags []*flag
	f := &toldFlag{}
	for _, word := range strings.Fields(left) {
		switch {
		case word == "/":
			flags = f.add(flags, about, isGo)
			f = &toldFlag{}
		case strings.HasPrefix(word, "-") && len(word) > 1:
			if !f.spell(word) {
				return flags
			}
		default:
			f.value = strings.TrimSpace(f.value + " " + word)
		}
	}
	if about == "" && f.value == "" {
		f.value = values["--"+f.long]
	}
	return f.add(flags, about, isGo)
}

// isGoShort reports whether a line is as Go's flag package writes a flag of one letter: with what it does behind a tab.
func isGoShort(line string) bool {
	return len(line) > 2 && line[1] != '-' && strings.HasPrefix(line[2:], "\t")
}

// toldFlag is what the words of a line say.
type toldFlag struct {
	long, short, single string // --name, -n, -name; each without dashes, the first of its kind
	value, last         string // the word for its value: behind the way that was read last, and behind the one before
	optional, repeats   bool   // the value; the flag
	behind              bool   // the value is written behind =
}

// spell takes one way to write it; ok is false where that is none.
func (f *toldFlag) spell(word string) (ok bool) {
	m := toldWord.FindStringSubmatch(strings.TrimSuffix(word, ","))
	if m == nil {
		return false
	}
	name, value := m[2], m[4]
	at := &f.long
	switch {
	case m[1] == "-" && len(name) == 1:
		at = &f.short
	case m[1] == "-":
		at = &f.single
	}
	if *at == "" {
		*at = name
	}
	f.repeats = f.repeats || m[3] != ""
	if f.value != "" {
		f.value, f.last = "", f.value
	}
	if value != "" {
		f.optional = f.optional || strings.HasPrefix(value, "[")
		f.behind = strings.Contains(value[:min(len(value), 2)], "=")
		f.value = strings.TrimPrefix(strings.TrimSuffix(strings.TrimPrefix(value, "["), "]"), "=")
	}
	return true
}

// add adds the flag, if it is one that can be given.
func (f *toldFlag) add(flags []*flag, about string, isGo bool) []*flag {
	if f.value == "" {
		f.value = f.last
	}
	f.value = strings.TrimSuffix(f.value, " RANGE") // of click
	made := &flag{about: about, inHelp: true, kind: pflagkind.Kind{Of: tool.TypeString}}
	made.help.word = f.value
	switch {
	case f.long != "":
		made.name, made.spelled = f.long, "--"+f.long
	case f.single != "":
		made.name, made.spelled = f.single, "-"+f.single
	case f.short != "":
		made.name, made.spelled = f.short, "-"+f.short
	default:
		return flags
	}
	if value, rest, more := strings.Cut(f.value, "> "); more && strings.HasPrefix(value, "<") && !strings.HasPrefix(rest, "<") &&
		!strings.HasPrefix(rest, "[") {
		f.value, made.about = value+">", strings.TrimSpace(rest+" "+about) // one blank is all that stands between the two
		made.help.word = f.value
	}
	words, bracketed := len(strings.Fields(f.value)), f.value != "" && strings.ContainsAny(f.value[:1], "<[{(")
	switch {
	case isGo && slices.Contains(goTypes, f.value):
		made.kind, _ = pflagkind.InHelp(f.value)
		if made.kind.Of == "" {
			made.kind = pflagkind.Kind{Of: tool.TypeString}
		}
		if len(made.spelled) == 2 {
			made.kind.Form = tool.FormApart
			if made.kind.Of == tool.TypeBoolean {
				made.kind.Form = tool.FormPresent
			}
		}
	case f.value == "" && f.repeats:
		made.kind = pflagkind.Kind{Of: tool.TypeInteger, Form: tool.FormCount, From0: true}
	case f.value == "" && made.spelled == "-"+f.single && gluedValue.MatchString(f.single):
		return flags // -nNUM
	case f.value == "":
		made.kind = pflagkind.Kind{Of: tool.TypeBoolean, Form: tool.FormPresent}
	case words > 1 && !bracketed && f.value != strings.ToUpper(f.value):
		return flags // prose
	case words > 1:
		made.left = "it takes several words"
	case !f.optional && !toldValue.MatchString(f.value):
		return flags
	case made.spelled == "-"+f.single && !f.behind:
		made.left = "its help does not say how its value is written"
	default:
		made.kind.Enum = enumOf(f.value)
		made.kind.List = strings.HasSuffix(strings.TrimRight(f.value, ">]"), "...")
		made.apart(f.optional)
	}
	return append(flags, made)
}

// apart has the value of a flag of one letter written as a word of its own. If the flag takes none after all, the letters
// of a value right behind it would be flags, too: -v and rf.
func (f *flag) apart(optional bool) {
	switch {
	case len(f.spelled) != 2:
	case optional:
		f.left = "nothing tells how its value is written"
	default:
		f.kind.Form = tool.FormApart
	}
}

// enumOf returns the values that the word for a value lists; nil where it lists none, but placeholders.
func enumOf(word string) []string {
	inner := strings.Trim(word, "<>[]{}()")
	values := strings.FieldsFunc(inner, func(r rune) bool { return r == '|' || r == ',' && strings.HasPrefix(word, "{") })
	return asEnum(values)
}

// asEnum returns values as an enum; nil where they are none that others could read, or placeholders.
func asEnum(values []string) []string {
	for _, value := range values {
		if value = strings.TrimSpace(value); value == strings.ToUpper(value) && value != strings.ToLower(value) {
			return nil
		}
	}
	return asValues(values)
}

// asValues returns values as an enum, in capitals, too; nil where they are none that others could read.
func asValues(values []string) []string {
	if len(values) < 2 || len(values) > mostValues {
		return nil
	}
	for i, value := range values {
		values[i] = strings.Trim(strings.TrimSpace(value), `"'`)
		if !isValue(values[i]) || strings.ContainsAny(values[i], "=<>… ") || strings.HasPrefix(values[i], "-") {
			return nil
		}
	}
	slices.Sort(values)
	return slices.Compact(values)
}

// settleTold takes what stands in brackets out of the text.
func (f *flag) settleTold() {
	for _, m := range toldTag.Get().FindAllStringSubmatch(f.about, -1) {
		switch m[1] {
		case "required":
		case "count":
			f.kind = pflagkind.Kind{Of: tool.TypeInteger, Form: tool.FormCount, From0: true}
		case "array":
			f.kind = pflagkind.Kind{Of: tool.TypeString, List: true}
		case "boolean":
			f.kind = pflagkind.Kind{Of: tool.TypeBoolean, Form: tool.FormPresent}
		default:
			f.kind = pflagkind.Kind{Of: tool.Type(m[1]), Enum: f.kind.Enum}
		}
	}
	f.required = toldMust.MatchString(f.about)
	if m := toldEnum.FindStringSubmatch(f.about); m != nil && f.kind.Of == tool.TypeString && len(f.kind.Enum) == 0 {
		f.kind.Enum = asEnum(strings.Split(m[1], ","))
	}
	if m := toldBasis.FindStringSubmatch(f.about); m != nil && f.kind.Of != tool.TypeBoolean && m[1] != "" {
		f.help.value, f.help.hasValue = strings.TrimSpace(m[1]), true
	}
}
