package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
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
// or bombs; every key is a scalar and stands once in its mapping; no scalar holds NUL.
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

func (doc *document) parse(data []byte) *document {
	if len(data) > maxFileSize {
		message := fmt.Sprintf("the file has %d bytes; a configuration file has %d at the most", len(data), maxFileSize)
		doc.report(0, 0, ruleTooLarge, message, "")
		return doc
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if fault := checkCharacters(data); fault != nil {
		doc.report(fault.line, fault.column, ruleSyntax, fault.message, fault.hint)
		return doc
	}
	doc.lines = splitLines(data)

	decoder := yaml.NewDecoder(bytes.NewReader(data))
	root, err := decode(decoder)
	switch {
	case errors.Is(err, io.EOF):
		doc.reportEmpty()
		return doc
	case err != nil:
		doc.add(syntaxError(data, err))
		return doc
	}
	if second, err := decode(decoder); !errors.Is(err, io.EOF) {
		line := 0
		if second != nil {
			line = second.Line
		} else {
			line, _ = saidLine(err)
		}
		doc.report(max(line, 1), 1, ruleSyntax, "a second document begins here; a file holds one", "take out the line with --- or ...")
		return doc
	}
	if top := root.Content[0]; top.Kind == yaml.ScalarNode && top.Tag == "!!null" {
		doc.reportEmpty()
		return doc
	}
	walk := bounds{doc: doc, checked: map[*yaml.Node]bool{}, open: map[*yaml.Node]bool{}}
	if walk.walk(root.Content[0], 1) && !doc.found.Broken() {
		doc.root = root.Content[0]
	}
	return doc
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

// report adds a mistake.
func (doc *document) report(line, column int, rule, message, hint string) {
	doc.add(Error{Line: line, Column: column, Severity: SeverityError, Rule: rule, Message: message, Hint: hint})
}

// add adds what is to be said, up to a point: a file made of mistakes is not worth the time that their hints take.
func (doc *document) add(e Error) {
	if doc.full() {
		return
	}
	e.File = doc.file
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

// full tells whether there are so many mistakes that no more are told.
func (doc *document) full() bool { return doc.errors >= maxErrors }
