package yamldoc

import (
	"fmt"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/display"
)

// The guesses about one line: what it says is clear to a person, and not to YAML.

var tabbed = lazyRegexp(`^ *\t[ \t]*`)

// guessTabs takes a tab for as many spaces as make sense. A file that is indented with tabs is told of once.
func guessTabs(lines []string, at int) []repair {
	indent := tabbed().FindString(lines[at])
	if indent == "" {
		return nil
	}
	more := 0
	for _, line := range lines[at+1:] {
		if tabbed().MatchString(line) {
			more++
		}
	}
	message := "a tab indents this line"
	if more > 0 {
		message += fmt.Sprintf(", and %s below it", display.Count(more, "line", "lines"))
	}
	var all []repair
	for _, spaces := range []int{2, 4, 8, 1} {
		m := repair{
			line: at + 1, column: strings.IndexByte(indent, '\t') + 1, end: len(indent) + 1, message: message,
			hint: "YAML indents with spaces only; editors can convert all of a file", text: map[int]string{},
		}
		for i := at; i < len(lines); i++ {
			if indent := tabbed().FindString(lines[i]); indent != "" {
				m.text[i] = strings.ReplaceAll(indent, "\t", strings.Repeat(" ", spaces)) +
					lines[i][len(indent):]
			}
		}
		all = append(all, m)
	}
	return all
}

var dashTab = lazyRegexp(`^( *-)(\t[ \t]*)`)

func guessTabAfterDash(lines []string, at int) []repair {
	match := dashTab().FindStringSubmatch(lines[at])
	if match == nil {
		return nil
	}
	dash, tab := len(match[1]), len(match[0])
	return lineRepair(lines, at, dash, tab, match[1]+" "+lines[at][tab:], "a tab follows the dash",
		"write one space after the dash")
}

var otherComment = lazyRegexp(`^(\s*)(//|--|/\*|;)`)

func guessComment(lines []string, at int) []repair {
	var all []repair
	for _, i := range []int{at, lineAbove(lines, at)} {
		if i < 0 {
			continue
		}
		if match := otherComment().FindStringSubmatchIndex(lines[i]); match != nil {
			all = append(all, lineRepair(lines, i, match[4], match[5], "#", "a comment begins with #",
				"write # for "+lines[i][match[4]:match[5]])...)
		}
	}
	return all
}

var keyEquals = lazyRegexp(`^(\s*(?:- )?)([A-Za-z_][\w-]*)(\s*=\s*)`)

func guessEquals(lines []string, at int) []repair {
	var all []repair
	for _, i := range []int{at, lineAbove(lines, at)} {
		if i < 0 {
			continue
		}
		if match := keyEquals().FindStringSubmatchIndex(lines[i]); match != nil {
			line := lines[i]
			key := line[match[4]:match[5]]
			all = append(all, lineRepair(lines, i, match[4], match[1], line[:match[5]]+": "+line[match[1]:],
				"YAML has a colon where this line has =", "write "+key+": "+line[match[1]:])...)
		}
	}
	return all
}

var keyNoSpace = lazyRegexp(`^(\s*(?:- )?)([A-Za-z_][\w-]*:)([^\s:/].*)$`)

// guessNoSpace finds `timeout:30`, which is one text.
func guessNoSpace(lines []string, at int) []repair {
	var all []repair
	for _, i := range []int{at, lineAbove(lines, at)} {
		if i < 0 {
			continue
		}
		if match := keyNoSpace().FindStringSubmatchIndex(lines[i]); match != nil {
			line := lines[i]
			key := line[match[4]:match[5]]
			all = append(all, lineRepair(lines, i, match[4], match[5], line[:match[5]]+" "+line[match[6]:],
				"a space is missing after "+key, "write "+key+" "+Shorten(line[match[6]:]))...)
		}
	}
	return all
}

// guessTag finds a text that begins with a template's tag, which is a mapping to YAML.
func guessTag(lines []string, at int) []repair {
	from, _, ok := valueOf(lines[at])
	if !ok || !strings.HasPrefix(lines[at][from:], "{{") {
		return nil
	}
	text, hint := quoting(lines, at, from)
	return lineRepair(lines, at, from, len(lines[at]), text,
		"a value that begins with {{ is a mapping to YAML, not a text", hint)
}

// guessPlainStart finds a text that begins with a sign that means something to YAML.
func guessPlainStart(lines []string, at int) []repair {
	from, _, ok := valueOf(lines[at])
	if !ok || !strings.ContainsAny(lines[at][from:from+1], "%@`*&!") {
		return nil
	}
	sign := lines[at][from : from+1]
	message := "a text that begins with " + sign + " means something else to YAML"
	switch sign {
	case "*":
		message = "a text that begins with * is an alias to YAML, and no anchor (&) has that name"
	case "%", "@", "`":
		message = "a text cannot begin with " + sign + " unless it has quotes around it"
	}
	text, hint := quoting(lines, at, from)
	if name := anchorName().FindString(lines[at][from:]); name != "" {
		hint = "put &" + name[1:] +
			" before the value that is meant; a text that begins with * needs quotes around it"
	}
	return lineRepair(lines, at, from, len(lines[at]), text, message, hint)
}

// anchorName is an alias that looks like one.
var anchorName = lazyRegexp(`^\*[A-Za-z_][\w-]*$`)

var barText = lazyRegexp(`^([|>][-+0-9]*)\s+([^#\s].*)$`)

// guessTextBesideBar finds a text on the line of the | that should begin below it.
func guessTextBesideBar(lines []string, at int) []repair {
	from, key, ok := valueOf(lines[at])
	if !ok {
		return nil
	}
	match := barText().FindStringSubmatch(lines[at][from:])
	if match == nil {
		return nil
	}
	indent := strings.Repeat(" ", indentOf(lines[at])+2)
	return lineRepair(lines, at, len(lines[at])-len(match[2]), len(lines[at]), lines[at][:from]+match[1],
		"text stands on the line of the "+match[1][:1],
		"begin it on the next line, two spaces deeper than "+key+":\n"+indent+match[2])
}

var badEscape = lazyRegexp(`\\[^0abt\tnvfre "/\\N_LPxuU]`)

// guessEscape finds a backslash between double quotes that YAML does not know.
func guessEscape(lines []string, at int) []repair {
	from, _, ok := valueOf(lines[at])
	if !ok {
		if from = strings.IndexByte(lines[at], '"'); from < 0 {
			return nil
		}
	}
	value := lines[at][from:]
	quote := strings.IndexByte(value, '"')
	if quote < 0 {
		return nil
	}
	match := badEscape().FindStringIndex(value[quote:])
	if match == nil {
		return nil
	}
	escape := value[quote+match[0] : quote+match[1]]
	text := lines[at][:from+quote] + badEscape().ReplaceAllStringFunc(value[quote:], func(s string) string {
		return `\` + s
	})
	return lineRepair(lines, at, from+quote+match[0], from+quote+match[1], text,
		escape+" is no escape that YAML knows between double quotes",
		`write the text between single quotes, where \ is only itself, or write \\ for \`)
}

// guessInnerQuote finds a quoted text that ends before the line does.
func guessInnerQuote(lines []string, at int) []repair {
	from, _, ok := valueOf(lines[at])
	if !ok || lines[at][from] != '"' && lines[at][from] != '\'' {
		return nil
	}
	line := strings.TrimRight(lines[at], " \t")
	value := []rune(line[from:])
	length := quotedLength(value)
	rest := strings.TrimLeft(string(value[length:]), " \t")
	if length == len(value) || rest == "" || rest[0] == '#' {
		return nil
	}
	start := from + len(string(value[:length]))
	sign := string(value[0])
	text, hint := quoting(lines, at, from)
	message := "text follows the closing quotation mark"
	if strings.HasSuffix(line, sign) {
		message = "a quotation mark within the text ends it here"
		inner := string(value[1 : len(value)-1])
		text = line[:from] + singleQuoted(inner)
		hint = "write it twice: " + singleQuoted(inner)
		if sign == `"` {
			hint = "put single quotes around the text: " + singleQuoted(inner)
		}
		start -= len(sign)
	}
	return lineRepair(lines, at, start, len(line), text, message, hint)
}

// guessBracketText finds a text that begins with a list or mapping between brackets.
func guessBracketText(lines []string, at int) []repair {
	from, _, ok := valueOf(lines[at])
	if !ok || lines[at][from] != '[' && lines[at][from] != '{' {
		return nil
	}
	line := strings.TrimRight(lines[at], " \t")
	value := []rune(line[from:])
	length := bracketLength(value)
	rest := strings.TrimLeft(string(value[length:]), " \t")
	if length == len(value) || rest == "" || rest[0] == '#' {
		return nil
	}
	start := from + len(string(value[:length]))
	if strings.Trim(rest, "]}") == "" {
		return lineRepair(lines, at, start, len(line), line[:start], "there is one bracket too many",
			"take it out")
	}
	text, hint := quoting(lines, at, from)
	return lineRepair(lines, at, start, len(line), text, "text follows the bracket that closes the value",
		"a text that begins with "+string(value[0])+" needs quotes: "+
			strings.TrimPrefix(hint, "put quotes around the text: "))
}

var noComma = lazyRegexp(`([^\s,{\[])(\s+)([A-Za-z_][\w-]*:\s)`)

// guessComma finds {a: 1 b: 2}.
func guessComma(lines []string, at int) []repair {
	line := lines[at]
	open := strings.IndexByte(line, '{')
	if open < 0 {
		return nil
	}
	var all []repair
	for _, match := range noComma().FindAllStringSubmatchIndex(line[open:], -1) {
		if line[open+match[2]] == ':' {
			continue
		}
		end := open + match[3]
		key := line[open+match[6] : open+match[7]]
		all = append(all, lineRepair(lines, at, open+match[6], open+match[7], line[:end]+","+line[end:],
			"a comma is missing before "+strings.TrimSuffix(strings.TrimSpace(key), ":"),
			"write , "+strings.TrimSpace(key)+" …")...)
	}
	return all
}

// guessColon finds a plain text with a colon and a space in it.
func guessColon(lines []string, at int) []repair {
	from, _, ok := valueOf(lines[at])
	if !ok {
		return nil
	}
	value := lines[at][from:]
	colon := strings.Index(value, ": ")
	if colon < 0 && strings.HasSuffix(strings.TrimRight(value, " "), ":") {
		colon = len(strings.TrimRight(value, " ")) - 1
	}
	if colon < 0 || strings.ContainsAny(value[:1], `"'[{|>`) {
		return nil
	}
	text, hint := quoting(lines, at, from)
	return lineRepair(lines, at, from+colon, from+colon+1, text,
		"a colon and a space within a text make a key of it", hint)
}
