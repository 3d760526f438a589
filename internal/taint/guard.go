package taint

import (
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/argument"
	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
)

// guard is a check of a value at each call, for a place where some values would be more than data.
type guard struct {
	check guardCheck
	who   string // the program, or what else reads the value
	word  []part // the word that the value becomes part of; for noDevice and noParent only
}

type guardCheck int

const (
	isInteger guardCheck = iota // bash evaluates the text as arithmetic
	isDigits                    // the text follows a '-', or names a descriptor
	// The text follows a '-' in code: 5-{{n}} with -1 would be 5--1, a comment in SQL.
	notNegative
	noLeadingDash // the program would read an option
	noDevice      // bash opens a connection for /dev/tcp/HOST/PORT
	noMetaCommand // psql runs a text that begins with \, sqlite3 one that begins with .
	// Other clients of databases have commands of their own at the start of a line, or behind a backslash.
	noMetaLine
	noClientWord // mysql runs lines that begin with system
	noAssignment // env and sudo take NAME=value for an assignment and run the next word
	noOptionSign // bash -c reads a text that begins with - or + as options
	noSigns      // the shells of a makefile's recipes read the value as their own text
	noRemote     // tar starts rsh for host:file
	noParent     // .. leads out of the directory in front of the value
	noRefspec    // git push takes +REF for --force, and REF:REF for two names
	noPath       // service runs the file that a path leads to
	noOpener     // convert runs what stands behind a |
	noOperator   // find takes !, ( and the like for its own
	noWordFile   // gcc reads words in a file @FILE
)

// checks are those that the table of programs names.
var checks = map[string]guardCheck{"ref": noRefspec, "name": noPath, "opened": noOpener}

// A line of the mysql client that is a command of its own rather than SQL (MySQL manual, mysql Client
// Commands).
var clientWord = lazyregexp.New(`(?i)(^|[;\r\n])\s*(system|source|pager|nopager|tee|notee|edit|delimiter|connect` +
	`|use|charset|prompt|rehash|print|go|ego|status|clear|exit|quit|help|warnings|nowarning|resetconnection` +
	`|query_attributes|ssl_session_data_print)\b`)

// A line that is a command of the client: !cmd and :!!cmd of sqlcmd, .cmd.
var metaLine = lazyregexp.New(`(^|[\r\n])\s*[.:!]`)

// A whole number without sign, in decimal.
var digitsPattern = lazyregexp.New(`^(0|[1-9][0-9]{0,17})$`)

// shellSigns are the characters that mean something to a shell or to make, wherever they stand.
const shellSigns = " \t\r\n\v\f$`\"'\\;&|<>()[]{}*?!~#%^,:="

// accepts reports whether a value may stand, and if not, why. texts are the values of all places. The
// reason never holds a value, which may be a secret.
func (g guard) accepts(value string, texts []string) (reason string, ok bool) {
	switch g.check {
	case isInteger:
		return "only a whole number can stand in " + g.who, argument.IsInteger(value)
	case isDigits:
		return "only a whole number without sign can stand " + g.who, digitsPattern.MatchString(value)
	case notNegative:
		return "a negative number after a '-' would be something else in the code of " + g.who,
			!strings.HasPrefix(value, "-")
	case noLeadingDash:
		return "the value starts with '-', so " + g.who + " would read it as an option " +
				"(in front of it in the script, -- ends the options of most programs)",
			!strings.HasPrefix(value, "-")
	case noDevice:
		word := joinParts(g.word, texts)
		return "bash opens a network connection for a redirection to this name", !isDevice(word)
	case noParent:
		return "the value leads with .. out of the directory that stands in front of it",
			!slices.Contains(strings.Split(joinParts(g.word, texts), "/"), "..")
	case noRefspec:
		return g.who + " takes a name with : or + in it for more than one ref, or for --force",
			!strings.HasPrefix(value, "+") && !strings.Contains(value, ":")
	case noPath:
		return g.who + " takes a name with / or | in it for a file or a command", !strings.ContainsAny(value, "/|")
	case noOpener:
		format, _, named := strings.Cut(value, ":")
		return g.who + " does more than open a name that begins with |, @ or %, or with a format and a colon, or that ends with |; " +
				"write ./ in front of it", (value == "" || !strings.Contains("|@%", value[:1]) && value[len(value)-1] != '|') &&
				(!named || strings.Contains(format, "/"))
	case noMetaCommand:
		start := strings.TrimLeft(value, " \t\r\n\v\f")
		return g.who + ` can run programs from a text that starts with \ or .`,
			!strings.HasPrefix(start, `\`) && !strings.HasPrefix(start, ".")
	case noMetaLine:
		return g.who + ` can run programs from a text that has \ in it, or a line that starts with one of . : !`,
			!strings.Contains(value, `\`) && !metaLine.MatchString(value)
	case noClientWord:
		return g.who + ` can run programs from client commands such as system and \!`,
			!strings.Contains(value, `\`) && !clientWord.MatchString(value)
	case noRemote:
		host, _, remote := strings.Cut(value, ":")
		return g.who + " takes what stands in front of the colon for another machine; write ./ in front of it",
			!remote || strings.Contains(host, "/")
	case noSigns:
		return "the value has a character that " + g.who + " gives a meaning",
			!strings.ContainsAny(value, shellSigns)
	case noAssignment:
		return g.who + " takes a word with = for an assignment and runs the next one", !strings.Contains(value, "=")
	case noOptionSign:
		return "the value starts with '-' or '+', so " + g.who + " would read it as options",
			value == "" || value[0] != '-' && value[0] != '+'
	case noWordFile:
		return g.who + " reads words in the file that a word beginning with @ names; write ./ in front of it",
			!strings.HasPrefix(value, "@")
	case noOperator:
		return g.who + " takes the value for an operator", value != "!" && value != "(" && value != ")" &&
			value != ","
	}
	return "this value is not allowed here", false
}

// Text returns what stands for a value at the place: ./ in front of a relative path that a program could
// take for an option, an operator or the name of a list of arguments. It names the same file.
func (p *Slot) Text(value string) string {
	if p.dotted && value != "" && strings.IndexByte("-+@=!(),|", value[0]) >= 0 {
		return "./" + value
	}
	return value
}

// Check reports whether the value of a call may stand at the place, and if not, why. texts are what Text
// returned for all values of the call, by the numbers of their places. The reason never holds a value.
func (p *Slot) Check(texts []string) (reason string, ok bool) {
	for _, g := range p.guards {
		if reason, ok := g.accepts(texts[p.Number], texts); !ok {
			return reason, false
		}
	}
	return "", true
}

// CheckDefault returns why the default of the value cannot stand at the place. What depends on the values
// beside it is left to Check.
func (p *Slot) CheckDefault() (reasons []string) {
	for _, g := range p.guards {
		if g.check == noDevice || g.check == noParent {
			continue
		}
		if reason, ok := g.accepts(p.Value.Default, nil); !ok {
			reasons = append(reasons, reason)
		}
	}
	return reasons
}

// part is a piece of a word: fixed text, or the value of a place.
type part struct {
	text string
	slot *Slot // nil for text
}

func joinParts(parts []part, texts []string) string {
	var b strings.Builder
	for _, p := range parts {
		if p.slot != nil {
			b.WriteString(texts[p.slot.Number])
		} else {
			b.WriteString(p.text)
		}
	}
	return b.String()
}
