package config

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// A file whose YAML is broken is read all the same: where the parser trips, each guess at what its author meant is tried on the
// text, and one with which the parser gets further is what we tell him. With the text so mended, reading goes on to the next
// place, and then to what the file says. The number of lines never changes, so every place stays where it was.

// maxMends is how many places of one file are mended. Each costs some parses of the file, which searchSize bounds.
const maxMends = 20

// mend is what was probably meant at a place where YAML is broken.
type mend struct {
	line, column, end int // of the mistake, from 1; end is 0 when only the beginning is known
	message, hint     string
	text              map[int]string // the mended lines, by their index from 0
}

// guess gives what may have been meant near a line that the parser trips over, at an index from 0; nil for nothing.
type guess func(lines []string, at int) []mend

// guesses are tried in their order: the more a guess asks of a line, the earlier.
func guesses() []guess {
	return []guess{
		guessTabs, guessTabAfterDash, guessComment, guessEquals, guessNoSpace, guessTag, guessPlainStart, guessTextBesideBar, guessBlockText,
		guessEscape, guessInnerQuote, guessBracketText, guessComma, guessColon, guessNoColon, guessDeeper, guessIndent, guessQuote, guessBracket,
	}
}

// parsed reads the first document of a file, mending what is broken. It is nil when that cannot be done; what was wrong is told.
func (doc *document) parsed(data []byte) (root *yaml.Node, rest *yaml.Decoder) {
	lines := slices.Clone(doc.lines)
	for range maxMends {
		decoder := yaml.NewDecoder(bytes.NewReader(data))
		root, err := decode(decoder)
		if err == nil {
			return root, decoder
		}
		if errors.Is(err, io.EOF) {
			if len(doc.found) == 0 {
				doc.reportEmpty()
			}
			return nil, nil
		}
		if len(data) > searchSize {
			doc.add(syntaxError(data, err))
			return nil, nil
		}
		at := faultLine(data, err.Error()) - 1
		m, ok := probably(lines, at, err)
		if !ok {
			e := syntaxError(data, err)
			doc.add(e)
			m = mend{line: e.Line, text: map[int]string{e.Line - 1: ""}}
			if !getsFurther(lines, m, at, err) {
				return nil, nil
			}
			doc.lost = true
		} else {
			m = doc.discreet(m)
			doc.add(Error{Line: m.line, Column: m.column, EndColumn: m.end, Severity: SeverityError, Rule: ruleSyntax, Message: m.message, Hint: m.hint})
		}
		lines = m.apply(lines)
		doc.breaks(m)
		data = []byte(strings.Join(lines, "\n"))
	}
	return nil, nil
}

// discreet takes out of what is said about a line whatever looks like a secret in it.
func (doc *document) discreet(m mend) mend {
	hidden := doc.secrets()[m.line]
	if len(hidden) == 0 {
		return m
	}
	m.hint, _, _ = strings.Cut(m.hint, ":")
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

// breaks notes the lines of which no more is told.
func (doc *document) breaks(m mend) {
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

// probably gives the first guess that the parser gets further with.
func probably(lines []string, at int, err error) (mend, bool) {
	for _, g := range guesses() {
		for _, m := range g(lines, at) {
			if getsFurther(lines, m, at, err) {
				return m, true
			}
		}
	}
	return mend{}, false
}

// getsFurther tells whether a file with a place mended is well, or trips over a later line. A text or bracket that was open hid
// what follows it, so there another fault may come to light before the one that there was.
func getsFurther(lines []string, m mend, at int, was error) bool {
	data := []byte(strings.Join(m.apply(lines), "\n"))
	_, err := decode(yaml.NewDecoder(bytes.NewReader(data)))
	if err == nil || errors.Is(err, io.EOF) {
		return true
	}
	next := faultLine(data, err.Error()) - 1
	return next > at || m.line-1 < at && next > m.line-1 && (next != at || err.Error() != was.Error())
}

func (m mend) apply(lines []string) []string {
	mended := slices.Clone(lines)
	for i, text := range m.text {
		mended[i] = text
	}
	return mended
}

// one makes a mend of one line. The columns are offsets in bytes.
func one(lines []string, at, from, to int, text, message, hint string) []mend {
	line := lines[at]
	m := mend{line: at + 1, column: runes(line[:from]) + 1, message: message, hint: hint, text: map[int]string{at: text}}
	if to > from {
		m.end = runes(line[:min(to, len(line))]) + 1
	}
	return []mend{m}
}

// keyValue is a line with a key and a value, or an entry of a list with a value: what stands before the value, the key, and the
// value with what follows it.
var keyValue = regexp.MustCompile(`^(\s*(?:- +)*(?:("[^"]*"|'[^']*'|[^\s:#"'\[\]{},][^:#"'\[\]{},]*?)\s*:\s+|- +))(\S.*)$`)

// valueOf gives the place of a line's value, and its key; false when it has none.
func valueOf(line string) (from int, key string, ok bool) {
	match := keyValue.FindStringSubmatchIndex(strings.TrimRight(line, " \t"))
	if match == nil {
		return 0, "", false
	}
	if match[4] >= 0 {
		key = line[match[4]:match[5]]
	}
	return match[6], key, true
}

// before gives the index of the last line before one that is neither empty nor a comment; -1 for none.
func before(lines []string, at int) int {
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
