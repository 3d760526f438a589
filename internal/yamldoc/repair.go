package yamldoc

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// A file whose YAML is broken is read all the same: where the parser trips, each guess at what its author
// meant is tried on the text, and one with which the parser gets further is what we tell him. With the text
// so repaired, reading goes on to the next place, and then to what the file says. The number of lines never
// changes, so every place stays where it was.

// The bounds of repairing: the places of one file, and the bytes that are parsed for them altogether, which
// the worst file makes some seconds of.
const (
	maxRepairs = 20
	maxParsed  = 4 << 20
)

// repairer is what is done to one file.
type repairer struct {
	lines []string
	left  int // bytes that may still be parsed
}

// fault parses some lines, and gives what the parser says; nil when it has nothing against them.
func (m *repairer) fault(lines []string) error {
	data := []byte(strings.Join(lines, "\n") + "\n")
	m.left -= len(data)
	_, err := decode(yaml.NewDecoder(bytes.NewReader(data)))
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// repair is what was probably meant at a place where YAML is broken.
type repair struct {
	line, column, end int // of the mistake, from 1; end is 0 when only the beginning is known
	message, hint     string
	text              map[int]string // the repaired lines, by their index from 0
}

// guess returns what may have been meant near a line that the parser trips over, at an index from 0; nil for
// nothing.
type guess func(lines []string, at int) []repair

// guesses are tried in their order: the more a guess asks of a line, the earlier.
func guesses() []guess {
	return []guess{
		guessMerge, guessTabs, guessTabAfterDash, guessComment, guessEquals, guessNoSpace, guessTag,
		guessPlainStart, guessTextBesideBar, guessBlockText,
		guessEscape, guessInnerQuote, guessBracketText, guessComma, guessColon, guessNoDash, guessNoColon,
		guessDeeper, guessIndent, guessQuote, guessBracket,
	}
}

// readFirst reads the first document of a file, repairing what is broken. It is nil when that cannot be done;
// what was wrong is told.
func (doc *Document) readFirst(data []byte) (root *yaml.Node, rest *yaml.Decoder) {
	m := &repairer{lines: slices.Clone(doc.lines), left: maxParsed}
	for range maxRepairs {
		decoder := yaml.NewDecoder(bytes.NewReader(data))
		root, err := decode(decoder)
		if err == nil {
			return root, decoder
		}
		if errors.Is(err, io.EOF) {
			if len(doc.Found) == 0 {
				doc.reportEmpty()
			}
			return nil, nil
		}
		if !doc.repairs(m, data, err) {
			return nil, nil
		}
		data = []byte(strings.Join(m.lines, "\n"))
	}
	return nil, nil
}

// repairs tells what is wrong at the place that the parser trips over, and repairs it; false where reading
// cannot go on.
func (doc *Document) repairs(m *repairer, data []byte, err error) bool {
	if len(data) > searchSize || m.left < 0 {
		doc.add(syntaxError(data, err))
		return false
	}
	at := faultLine(data, err.Error()) - 1
	m.left -= len(data)
	meant, ok := m.firstThatHelps(at, err)
	if ok {
		said := doc.withoutSecrets(meant)
		doc.add(Error{
			Line: said.line, Column: said.column, EndColumn: said.end, Severity: SeverityError,
			Rule: RuleSyntax, Message: said.message, Hint: said.hint,
		})
	} else {
		e := syntaxError(data, err)
		doc.add(e)
		meant = repair{line: e.Line, text: map[int]string{e.Line - 1: ""}}
		if !m.getsFurther(meant, at, err) {
			return false
		}
		doc.incomplete = true
	}
	m.lines = meant.apply(m.lines)
	doc.noteBroken(meant)
	return true
}

// longestCure is the length, in bytes, up to which a hint shows the line as it should be.
const longestCure = 200

// withoutSecrets takes out of what is said about a line whatever looks like a secret in it, and what is too
// long to be read.
func (doc *Document) withoutSecrets(m repair) repair {
	hidden := doc.secrets()[m.line]
	if len(hidden) > 0 || len(m.hint) > longestCure {
		m.hint, _, _ = strings.Cut(m.hint, ":")
	}
	line := []rune(doc.lines[m.line-1])
	for _, s := range hidden {
		for _, word := range strings.Fields(string(line[min(s.from, len(line)):min(s.to, len(line))])) {
			if strings.Contains(m.message, strings.Trim(word, `"',`)) {
				m.message = "this line is not YAML"
			}
		}
	}
	return m
}

// noteBroken notes the lines of which no more is told.
func (doc *Document) noteBroken(m repair) {
	if doc.broken == nil {
		doc.broken = map[int]bool{}
	}
	doc.broken[m.line] = true
	if len(m.text) == 1 {
		for i := range m.text {
			doc.broken[i+1] = true
		}
	}
}

// firstThatHelps returns the first guess that the parser gets further with.
func (m *repairer) firstThatHelps(at int, err error) (repair, bool) {
	for _, g := range guesses() {
		for _, meant := range g(m.lines, at) {
			if m.getsFurther(meant, at, err) {
				return meant, true
			}
		}
	}
	return repair{}, false
}

// getsFurther reports whether a file with a place repaired is well, or trips over a line after at. A text or
// bracket that was open hid what follows it, so there another fault may come to light before the one that
// there was.
func (m *repairer) getsFurther(meant repair, at int, was error) bool {
	if m.left < 0 {
		return false
	}
	lines := meant.apply(m.lines)
	err := m.fault(lines)
	if err == nil {
		return true
	}
	trips := func(through int) bool { // whether what is wrong is wrong in the lines up to one already
		said := m.fault(lines[:through+1])
		return said != nil && said.Error() == err.Error()
	}
	if !trips(at) {
		return true
	}
	repaired := meant.line - 1
	return repaired < at && !trips(repaired) && (err.Error() != was.Error() || trips(at-1))
}

func (m repair) apply(lines []string) []string {
	repaired := slices.Clone(lines)
	for i, text := range m.text {
		repaired[i] = text
	}
	return repaired
}

// lineRepair makes a repair of one line. The columns are offsets in bytes.
func lineRepair(lines []string, at, from, to int, text, message, hint string) []repair {
	line := lines[at]
	m := repair{line: at + 1, column: runeCount(line[:from]) + 1, message: message, hint: hint,
		text: map[int]string{at: text}}
	if to > from {
		m.end = runeCount(line[:min(to, len(line))]) + 1
	}
	return []repair{m}
}

// keyValue is a line with a key and a value, or an entry of a list with a value: what stands before the
// value, the key, and the value with what follows it.
var keyValue = lazyRegexp(`^(\s*(?:- +)*(?:("[^"]*"|'[^']*'|[^\s:#"'\[\]{},][^:#"'\[\]{},]*?)\s*:\s+|- +))(\S.*)$`)

// valueOf returns the place of a line's value, and its key; false when it has none.
func valueOf(line string) (from int, key string, ok bool) {
	match := keyValue().FindStringSubmatchIndex(strings.TrimRight(line, " \t"))
	if match == nil {
		return 0, "", false
	}
	if match[4] >= 0 {
		key = line[match[4]:match[5]]
	}
	return match[6], key, true
}

// lineAbove returns the index of the last line before one that is neither empty nor a comment; -1 for none.
func lineAbove(lines []string, at int) int {
	for at--; at >= 0; at-- {
		if text := strings.TrimSpace(lines[at]); text != "" && !strings.HasPrefix(text, "#") {
			return at
		}
	}
	return -1
}

// quoting makes the value of a line, from a place on, a text between single quotes.
func quoting(lines []string, at, from int) (text, hint string) {
	line := strings.TrimRight(lines[at], " \t")
	value := line[from:]
	quoted := singleQuoted(value)
	return line[:from] + quoted, "put quotes around the text: " + strings.TrimLeft(line[:from], " -") + quoted
}
