package yamldoc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
)

// The bounds of one file. They are far beyond what people write, and small enough that a file made to hurt
// costs less than a second (yaml.v3 reads the worst 1 MiB in about 0.5 s).
const (
	MaxFileSize = 1 << 20 // bytes
	maxNodes    = 100_000 // keys, values and lists, each alias counted as what it stands for
	maxDepth    = 100     // mappings and lists inside each other
	MaxErrors   = 100     // told of one file
)

// The kinds of mistake that any file can have.
const (
	RuleSyntax    = "syntax"
	RuleTooLarge  = "too-large"
	RuleAlias     = "alias"
	RuleDuplicate = "duplicate"
	RuleKey       = "key"
	RuleTag       = "tag"
	RuleEmpty     = "empty"
)

// Options are what differs between kinds of files.
type Options struct {
	// EmptyIsWrong refuses keys without a value, where an empty condition would read as "nothing" and mean
	// "anything".
	EmptyIsWrong bool
	// MayBeEmpty lets a file say nothing at all.
	MayBeEmpty bool
}

// Document is one YAML file that is within the bounds: every node can be walked, aliases followed, without
// minding cycles or bombs. What else would make it ambiguous (a key that stands twice, or is none) is among
// its mistakes already; reading goes on in spite of them, and of broken lines, so that the other mistakes of
// the file are told at the same time.
type Document struct {
	File  string
	lines []string // without line ends
	root  *yaml.Node
	Found Errors
	// count is the number of mistakes among what was found.
	count int
	// reported are the mistakes that were told, by their places: what stands behind an alias is read more
	// than once.
	reported map[string]bool
	// faulty are nodes, and broken lines, of which the mistake has been told: what follows from it is not.
	faulty map[*yaml.Node]bool
	broken map[int]bool
	// meantKeys are the keys that unknown ones were told to be mistaken for.
	meantKeys map[*yaml.Node]string
	// incomplete says that a line could not be read at all, so that what seems to be missing may stand there.
	incomplete bool
	// hidden are what must not be shown, by line: values that the file itself says are secret.
	hidden  map[int]span
	secret  map[int][]span // what looks like a secret, by line; nil until somebody asks
	options Options
}

func (doc *Document) reportEmpty() {
	if !doc.options.MayBeEmpty {
		doc.report(1, 1, RuleEmpty, "the file is empty", "")
	}
}

// Parse reads a file, whose name is as people know it. When it cannot be walked, the document has no root and
// says why in found.
func Parse(file string, data []byte, options Options) *Document {
	return (&Document{File: file, options: options}).parse(data)
}

// Of is a document whose values were made and have not been written: all stand in one line. Nodes without a tag are
// given the one that they would be read with.
func Of(file string, root *yaml.Node, options Options) *Document {
	doc := &Document{File: file, lines: []string{""}, options: options}
	place(root)
	walk := bounds{doc: doc}
	if walk.walk(root, 1) {
		doc.root = root
	}
	return doc
}

func place(node *yaml.Node) {
	if node.Line, node.Column = 1, 1; node.Tag == "" {
		node.Tag = node.ShortTag()
	}
	for _, child := range node.Content {
		place(child)
	}
}

// Root returns the value that is the whole file, with what belongs there in words; false when the file could
// not be walked.
func (doc *Document) Root(want string) (v Value, ok bool) {
	if doc.root == nil {
		return Value{}, false
	}
	return doc.At(doc.root, "", want), true
}

// Mistakes counts those that were found.
func (doc *Document) Mistakes() int { return doc.count }

// webPage is how HTML begins, in small letters.
var webPage = lazyregexp.New(`^\s*<(?:!doctype html|html|head|body|\?xml)\b`)

func (doc *Document) parse(data []byte) *Document {
	if len(data) > MaxFileSize {
		message := fmt.Sprintf("the file has %d bytes; a configuration file has %d at the most", len(data),
			MaxFileSize)
		doc.report(0, 0, RuleTooLarge, message, "")
		return doc
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	doc.lines = splitLines(data)
	data, ok := doc.characters(data)
	if !ok {
		return doc
	}
	if start := strings.ToLower(string(data[:min(len(data), 200)])); webPage.MatchString(start) {
		doc.report(1, 1, RuleSyntax, "this is a web page, not a configuration file",
			"it may be what a server answers to who is not logged in: fetch the file again")
		return doc
	}
	root, rest := doc.readFirst(data)
	if root == nil {
		return doc
	}
	doc.oneDocument(rest)
	if top := root.Content[0]; top.Kind == yaml.ScalarNode && top.Tag == "!!null" {
		doc.reportEmpty()
		return doc
	}
	walk := bounds{doc: doc}
	if walk.walk(root.Content[0], 1) {
		doc.root = root.Content[0]
	}
	return doc
}

// characters reports those that may not stand in a file, and gives the file without them; false where what is
// left cannot be read.
func (doc *Document) characters(data []byte) (rest []byte, ok bool) {
	faults, rest := checkCharacters(data)
	for _, fault := range faults {
		doc.add(Error{
			Line: fault.line, Column: fault.column, EndColumn: fault.column + 1, Severity: SeverityError,
			Rule: RuleSyntax, Message: fault.message, Hint: fault.hint,
		})
		if fault.fatal {
			return nil, false
		}
	}
	return rest, true
}

// oneDocument reports a second document in the file.
func (doc *Document) oneDocument(rest *yaml.Decoder) {
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
	doc.report(line, 1, RuleSyntax,
		"a second document begins here; a file holds one, and nothing of this one is read",
		"take the line with --- or ... out, or put what follows into a file of its own")
}

// decode reads the next document. The library panics on input that its authors did not think of; that is a
// broken file to us, and the program goes on.
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

// shortestSecret is the length of the words that are looked for in what is said about a line: shorter ones
// are everywhere.
const shortestSecret = 5

// report adds a mistake.
func (doc *Document) report(line, column int, rule, message, hint string) {
	doc.add(Error{Line: line, Column: column, Severity: SeverityError, Rule: rule, Message: message,
		Hint: hint})
}

// markFaulty has no more said of a node.
func (doc *Document) markFaulty(node *yaml.Node) {
	if doc.faulty == nil {
		doc.faulty = map[*yaml.Node]bool{}
	}
	doc.faulty[node] = true
}

// isNew reports whether what is to be said about a place was not said before.
func (doc *Document) isNew(severity Severity, line, column int, rule, message string) bool {
	if doc.reported == nil {
		doc.reported = map[string]bool{}
	}
	key := fmt.Sprint(severity, " ", line, " ", column, " ", rule, " ", message)
	first := !doc.reported[key]
	doc.reported[key] = true
	return first
}

// Finish puts what is to be said about the file in order, each with the line that it is about.
func (doc *Document) Finish() {
	doc.AddExcerpts(doc.Found)
	doc.Found.Sort()
}

// secrets are the parts of lines that must not be shown.
func (doc *Document) secrets() map[int][]span {
	if doc.secret == nil {
		doc.secret = secrets(doc.lines)
	}
	return doc.secret
}

// AddExcerpts returns each of a list that is about a file, and has no excerpt yet, the line that it is about.
func AddExcerpts(list Errors, name string, data []byte) {
	of := func(e Error) bool { return e.File == name && e.Line > 0 && e.Excerpt == nil }
	if !slices.ContainsFunc(list, of) {
		return
	}
	doc := &Document{File: name, lines: splitLines(bytes.TrimPrefix(data, []byte("\ufeff")))}
	for i := range list {
		if of(list[i]) {
			doc.AddExcerpts(list[i : i+1])
		}
	}
}

// AddExcerpts returns each of a list the line that it is about.
func (doc *Document) AddExcerpts(list Errors) {
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

// add adds what is to be said, up to a point: a file made of mistakes is not worth the time that their hints
// take.
func (doc *Document) add(e Error) {
	if doc.Full() {
		return
	}
	e.File = doc.File
	e.Message, e.Hint = doc.mask(e.Line, e.Message), doc.mask(e.Line, e.Hint)
	doc.Found = append(doc.Found, e.Escaped())
	if e.Severity == SeverityError {
		if doc.count++; doc.Full() {
			doc.Found = append(doc.Found, Error{
				File: doc.File, Line: e.Line, Column: e.Column, Severity: SeverityError, Rule: RuleTooLarge,
				Message: fmt.Sprintf("that makes %d mistakes; more of them are not told", MaxErrors),
			})
		}
	}
}

// mask hides in a text what must not be shown of a line.
func (doc *Document) mask(line int, text string) string {
	if line < 1 || line > len(doc.lines) || text == "" {
		return text
	}
	all := []rune(doc.lines[line-1])
	for _, s := range doc.secrets()[line] {
		for _, word := range strings.FieldsFunc(string(all[min(s.from, len(all)):min(s.to, len(all))]),
			func(r rune) bool {
				return strings.ContainsRune(" \t\"',=[]{}", r)
			}) {
			if len(word) >= shortestSecret {
				text = strings.ReplaceAll(text, word, mask)
			}
		}
	}
	return text
}

// Full reports whether there are so many mistakes that no more are told.
func (doc *Document) Full() bool { return doc.count >= MaxErrors }
