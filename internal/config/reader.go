package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// The bounds of one file. They are far beyond what people write, and small enough that a file made to hurt costs less
// than a second (yaml.v3 reads the worst 1 MiB in about 0.5 s).
const (
	maxFileSize = 1 << 20 // bytes
	maxNodes    = 100_000 // keys, values and lists, each alias counted as what it stands for
	maxDepth    = 100     // mappings and lists inside each other
	maxErrors   = 100     // told of one file
)

// The kinds of mistake that any file can have.
const (
	ruleSyntax    = "syntax"
	ruleTooLarge  = "too-large"
	ruleAlias     = "alias"
	ruleDuplicate = "duplicate"
	ruleKey       = "key"
	ruleTag       = "tag"
	ruleEmpty     = "empty"
)

// document is one YAML file that is within the bounds: every node can be walked, aliases followed, without minding cycles
// or bombs. What else would make it ambiguous (a key that stands twice, or is none) is among its mistakes already; reading goes
// on in spite of them, and of broken lines, so that the other mistakes of the file are told at the same time.
type document struct {
	file  string
	lines []string // without line ends
	root  *yaml.Node
	found Errors
	// errors is the number of mistakes among what was found.
	errors int
	// emptyIsWrong refuses keys without a value. Policy files have it: an empty condition would read as "nothing" and
	// mean "anything".
	emptyIsWrong bool
	// said are the mistakes that were told, by their places: what stands behind an alias is read more than once.
	said map[string]bool
	// faulty are nodes, and broken lines, of which the mistake has been told: what follows from it is not.
	faulty map[*yaml.Node]bool
	broken map[int]bool
	// meant are the keys that unknown ones were told to be mistaken for.
	meant map[*yaml.Node]string
	// lost says that a line could not be read at all, so that what seems to be missing may stand there.
	lost bool
	// hidden are what must not be shown, by line: values that the file itself says are secret.
	hidden map[int]span
	secret map[int][]span // what looks like a secret, by line; nil until somebody asks
	// mayBeEmpty lets a file say nothing at all: one of settings, whose lines are all optional.
	mayBeEmpty bool
}

func (doc *document) reportEmpty() {
	if !doc.mayBeEmpty {
		doc.report(1, 1, ruleEmpty, "the file is empty", "")
	}
}

// parse reads a file. When it cannot be walked, the document has no root and says why in found.
func parse(file string, data []byte) *document {
	return (&document{file: file}).parse(data)
}

// webPage is how HTML begins, in small letters.
var webPage = regexp.MustCompile(`^\s*<(?:!doctype html|html|head|body|\?xml)\b`)

func (doc *document) parse(data []byte) *document {
	if len(data) > maxFileSize {
		message := fmt.Sprintf("the file has %d bytes; a configuration file has %d at the most", len(data), maxFileSize)
		doc.report(0, 0, ruleTooLarge, message, "")
		return doc
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	doc.lines = splitLines(data)
	data, ok := doc.characters(data)
	if !ok {
		return doc
	}
	if start := strings.ToLower(string(data[:min(len(data), 200)])); webPage.MatchString(start) {
		doc.report(1, 1, ruleSyntax, "this is a web page, not a configuration file", "it may be what a server answers to who is not logged in: fetch the file again")
		return doc
	}
	root, rest := doc.parsed(data)
	if root == nil {
		return doc
	}
	doc.oneDocument(rest)
	if top := root.Content[0]; top.Kind == yaml.ScalarNode && top.Tag == "!!null" {
		doc.reportEmpty()
		return doc
	}
	walk := bounds{doc: doc, checked: map[*yaml.Node]bool{}, open: map[*yaml.Node]bool{}}
	if walk.walk(root.Content[0], 1) {
		doc.root = root.Content[0]
	}
	return doc
}

// characters reports those that may not stand in a file, and gives the file without them; false where what is left cannot be read.
func (doc *document) characters(data []byte) (rest []byte, ok bool) {
	faults, rest := checkCharacters(data)
	for _, fault := range faults {
		doc.add(Error{
			Line: fault.line, Column: fault.column, EndColumn: fault.column + 1, Severity: SeverityError, Rule: ruleSyntax, Message: fault.message, Hint: fault.hint,
		})
		if fault.fatal {
			return nil, false
		}
	}
	return rest, true
}

// oneDocument reports a second document in the file.
func (doc *document) oneDocument(rest *yaml.Decoder) {
	second, err := decode(rest)
	if errors.Is(err, io.EOF) {
		return
	}
	line := 1
	if second != nil {
		line = second.Line
	} else if said, _ := saidLine(err); said > 0 {
		line = said
	}
	line = min(line, len(doc.lines))
	for i := line - 1; i >= 0; i-- {
		if text := doc.lines[i]; strings.HasPrefix(text, "---") || strings.HasPrefix(text, "...") {
			line = i + 1
			break
		}
	}
	doc.report(line, 1, ruleSyntax, "a second document begins here; a file holds one, and nothing of this one is read", "take the line with --- or ... out, or put what follows into a file of its own")
}

// decode reads the next document. The library panics on input that its authors did not think of; that is a broken file
// to us, and the program goes on.
func decode(decoder *yaml.Decoder) (root *yaml.Node, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			root, err = nil, fmt.Errorf("yaml: cannot be read: %v", fault)
		}
	}()
	root = &yaml.Node{}
	if err := decoder.Decode(root); err != nil {
		return nil, err
	}
	if root.Kind != yaml.DocumentNode || len(root.Content) != 1 {
		return nil, io.EOF
	}
	return root, nil
}

func splitLines(data []byte) []string {
	lines := strings.Split(string(data), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSuffix(line, "\r")
	}
	return lines
}

// shortestSecret is the length of the words that are looked for in what is said about a line: shorter ones are everywhere.
const shortestSecret = 5

// report adds a mistake.
func (doc *document) report(line, column int, rule, message, hint string) {
	doc.add(Error{Line: line, Column: column, Severity: SeverityError, Rule: rule, Message: message, Hint: hint})
}

// told has no more said of a node.
func (doc *document) told(node *yaml.Node) {
	if doc.faulty == nil {
		doc.faulty = map[*yaml.Node]bool{}
	}
	doc.faulty[node] = true
}

// once tells whether what is to be said about a place was not said before.
func (doc *document) once(severity Severity, line, column int, rule, message string) bool {
	if doc.said == nil {
		doc.said = map[string]bool{}
	}
	key := fmt.Sprint(severity, " ", line, " ", column, " ", rule, " ", message)
	first := !doc.said[key]
	doc.said[key] = true
	return first
}

// finish puts what is to be said about the file in order, each with the line that it is about.
func (doc *document) finish() {
	doc.quote(doc.found)
	doc.found.sortByPosition()
}

// secrets are the parts of lines that must not be shown.
func (doc *document) secrets() map[int][]span {
	if doc.secret == nil {
		doc.secret = secrets(doc.lines)
	}
	return doc.secret
}

// Quote gives each of a list that has none yet the line that it is about, as far as the files hold it.
func Quote(list Errors, files []File) {
	for _, file := range files {
		named := func(e Error) bool { return e.File == file.Name && e.Line > 0 && e.Excerpt == nil }
		if !slices.ContainsFunc(list, named) {
			continue
		}
		doc := &document{file: file.Name, lines: splitLines(bytes.TrimPrefix(file.Data, []byte("\ufeff")))}
		for i := range list {
			if named(list[i]) {
				doc.quote(list[i : i+1])
			}
		}
	}
}

// quote gives each of a list the line that it is about.
func (doc *document) quote(list Errors) {
	if len(list) == 0 {
		return
	}
	for i := range list {
		e := &list[i]
		if e.Line < 1 || e.Line > len(doc.lines) || e.Excerpt != nil {
			continue
		}
		line := doc.lines[e.Line-1]
		if e.EndColumn <= e.Column {
			e.EndColumn = tokenEnd(line, e.Column)
		}
		hidden := doc.secrets()[e.Line]
		if s, ok := doc.hidden[e.Line]; ok {
			hidden = append(slices.Clip(hidden), s)
		}
		e.Excerpt = newExcerpt(line, e.Column, e.EndColumn, hidden)
	}
}

// add adds what is to be said, up to a point: a file made of mistakes is not worth the time that their hints take.
func (doc *document) add(e Error) {
	if doc.full() {
		return
	}
	e.File = doc.file
	e.Message, e.Hint = doc.without(e.Line, e.Message), doc.without(e.Line, e.Hint)
	doc.found = append(doc.found, e.shown())
	if e.Severity == SeverityError {
		if doc.errors++; doc.full() {
			doc.found = append(doc.found, Error{
				File: doc.file, Line: e.Line, Column: e.Column, Severity: SeverityError, Rule: ruleTooLarge,
				Message: fmt.Sprintf("that makes %d mistakes; more of them are not told", maxErrors),
			})
		}
	}
}

// without hides in a text what must not be shown of a line.
func (doc *document) without(line int, text string) string {
	if line < 1 || line > len(doc.lines) || text == "" {
		return text
	}
	all := []rune(doc.lines[line-1])
	for _, s := range doc.secrets()[line] {
		for _, word := range strings.FieldsFunc(string(all[min(s.from, len(all)):min(s.to, len(all))]), func(r rune) bool {
			return strings.ContainsRune(" \t\"',=[]{}", r)
		}) {
			if len(word) >= shortestSecret {
				text = strings.ReplaceAll(text, word, masked)
			}
		}
	}
	return text
}

// full tells whether there are so many mistakes that no more are told.
func (doc *document) full() bool { return doc.errors >= maxErrors }
