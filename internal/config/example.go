package config

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/render"
	"github.com/a2a-acp/a2a-acp/internal/spelling"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// ruleExample is the kind of mistake of an example that does not hold, be it of a tool or of a rule.
const ruleExample = "example"

// example is an entry of examples that is being read.
type example struct {
	example tool.Example
	params  map[string]any
	exit    value // a value without a node was not given
}

// exampleNoun is what an example may say.
func exampleNoun() noun[*example] {
	return noun[*example]{
		name: "an example",
		keys: []key[*example]{
			{"name", "a text", func(x *example, v value) { v.setText(&x.example.Name) }},
			{"params", "a mapping of parameters to values", (*example).readParams},
			{"files", "a mapping of names to contents", (*example).readFiles},
			{"setup", "a bash script, best after |", func(x *example, v value) { v.setText(&x.example.Setup) }},
			{"needs", "a list of programs", func(x *example, v value) { v.setTexts(&x.example.Needs) }},
			{"expect", "a mapping", func(x *example, v value) { readKeys(v, expectNoun(), x) }},
		},
		called: map[string]string{
			"parameters": "params", "arguments": "params", "args": "params", "input": "params", "inputs": "params", "expected": "expect",
			"expects": "expect", "requires": "needs", "title": "name", "description": "name",
		},
		elsewhere: []misplaced{
			{names(expectNoun().keys), "%s belongs under expect"},
		},
	}
}

// expectNoun is what an example may expect.
func expectNoun() noun[*example] {
	return noun[*example]{
		name: "expect",
		called: map[string]string{
			"exitcode": "exit", "code": "exit", "status": "exit", "returncode": "exit", "output": "stdout", "out": "stdout", "err": "stderr",
		},
		keys: []key[*example]{
			{"exit", "an exit code", (*example).readExit},
			{"stdout", "a text, or {is, contains, lacks, matches}", func(x *example, v value) { x.example.Expect.Stdout = readMatch(v) }},
			{"stderr", "a text, or {is, contains, lacks, matches}", func(x *example, v value) { x.example.Expect.Stderr = readMatch(v) }},
			{"files", "a mapping of names to contents", (*example).readExpectedFiles},
			{"unchanged", "true or false", func(x *example, v value) { v.setBool(&x.example.Expect.Unchanged) }},
			{"error", "a failure code", (*example).readError},
		},
	}
}

// readExamples reads what an author gives as examples: texts, as the original format has them, or calls.
func (e *toolEntry) readExamples(v value) {
	entries, _ := v.list("a text, or {name, params, expect, …}")
	for i, at := range entries {
		if !isMapping(at) {
			if text, ok := at.text(); ok {
				e.tool.Examples, e.examples = append(e.tool.Examples, tool.Example{Text: text}), append(e.examples, at)
			}
			continue
		}
		x := &example{params: map[string]any{}}
		x.example.Line = at.node.Line
		if name, ok := at.get("name"); ok {
			at.name = fmt.Sprintf("%s: example %s", e.at.name, quote(name.node.Value))
		}
		before := e.file.doc.errors
		readKeys(at, exampleNoun(), x)
		if strings.TrimSpace(x.example.Name) == "" {
			x.example.Name = fmt.Sprintf("example %d", i+1)
		}
		if x.exit.node != nil && x.example.Expect.Error != "" {
			x.exit.fail(ruleExample, "keep one of them", "a call that ends with an error of ours has no exit code")
		}
		arguments, err := json.Marshal(x.params)
		if err != nil {
			at.fail(ruleExample, "", "the params cannot be written as JSON: %v", err)
			continue
		}
		if e.file.doc.errors == before {
			x.example.Arguments = arguments
		}
		e.tool.Examples, e.examples = append(e.tool.Examples, x.example), append(e.examples, at)
	}
}

func (x *example) readParams(v value) {
	entries, _ := v.entries()
	for _, entry := range entries {
		if given, ok := entry.value.open(); ok {
			x.params[entry.name] = given
		}
	}
}

func (x *example) readExit(v value) {
	x.exit = v
	if code, ok := v.whole(0, 255); ok {
		x.example.Expect.Exit = int(code)
	}
}

func (x *example) readError(v value) {
	text, ok := v.text()
	if !ok {
		return
	}
	var known []string
	for _, code := range tool.FailureCodes() {
		known = append(known, string(code))
	}
	if !slices.Contains(known, text) {
		hint := ""
		if near := spelling.Nearest(text, known); near != "" {
			hint = fmt.Sprintf("did you mean %s?", near)
		}
		v.fail(ruleValue, hint, "want one of %s; found %s", strings.Join(known, ", "), quote(text))
		return
	}
	x.example.Expect.Error = tool.FailureCode(text)
}

// exampleFileNoun is the long form of a file of an example's directory.
func exampleFileNoun() noun[*tool.ExampleFile] {
	return noun[*tool.ExampleFile]{
		name: "a file",
		keys: []key[*tool.ExampleFile]{
			{"text", "a text", func(f *tool.ExampleFile, v value) { v.setText(&f.Content) }},
			{"link", "a path", func(f *tool.ExampleFile, v value) { v.setText(&f.Link) }},
		},
	}
}

func (x *example) readFiles(v value) {
	entries, _ := v.entries()
	for _, entry := range entries {
		file := tool.ExampleFile{Name: entry.name}
		entry.value.want = "a text, or {link: …}"
		if !staysInside(entry) {
			continue
		}
		if isMapping(entry.value) {
			readKeys(entry.value, exampleFileNoun(), &file)
			if len(entry.value.node.Content) != 2 {
				entry.value.fail(ruleValue, "", "want exactly one of text, link")
			}
		} else {
			entry.value.setText(&file.Content)
		}
		x.example.Files = append(x.example.Files, file)
	}
	sort.Slice(x.example.Files, func(i, j int) bool { return x.example.Files[i].Name < x.example.Files[j].Name })
}

// staysInside refuses names that lead out of an example's own directory.
func staysInside(e entry) bool {
	if filepath.IsLocal(e.name) && filepath.Clean(e.name) == e.name && e.name != "." {
		return true
	}
	e.key.fail(ruleValue, "write it relative to the example's own directory", "want a name without .. and without a / at its ends, found %s", quote(e.name))
	return false
}

// matchNoun is the long form of what a text must be.
func matchNoun() noun[*tool.TextMatch] {
	return noun[*tool.TextMatch]{name: "what a text must be", keys: matchKeys(func(m *tool.TextMatch) *tool.TextMatch { return m })}
}

func matchKeys[T any](of func(T) *tool.TextMatch) []key[T] {
	return []key[T]{
		{"is", "a text", func(t T, v value) {
			if text, ok := v.text(); ok {
				of(t).Is = &text
			}
		}},
		{"contains", "a text, or a list of texts", func(t T, v value) { of(t).Contains = v.someTexts() }},
		{"lacks", "a text, or a list of texts", func(t T, v value) { of(t).Lacks = v.someTexts() }},
		{"matches", "a regular expression", func(t T, v value) { of(t).Matches = v.expression() }},
	}
}

// readMatch reads a text that must be equal, or the long form.
func readMatch(v value) *tool.TextMatch {
	m := &tool.TextMatch{}
	if isMapping(v) {
		readKeys(v, matchNoun(), m)
		return m
	}
	if text, ok := v.text(); ok {
		m.Is = &text
	}
	return m
}

// someTexts reads one text, or a list of them.
func (v value) someTexts() []string {
	if !isList(v) {
		text, ok := v.text()
		if !ok {
			return nil
		}
		return []string{text}
	}
	texts, _ := v.texts()
	return texts
}

// expression reads a regular expression that may stand anywhere in a text.
func (v value) expression() string {
	text, ok := v.text()
	if !ok {
		return ""
	}
	if _, err := regexp.Compile(text); err != nil {
		v.fail("pattern", "", "%s is no regular expression: %s", quote(text), regexpFault(err))
		return ""
	}
	return text
}

// fileMatchNoun is the long form of what a file must be.
func fileMatchNoun() noun[*tool.FileMatch] {
	return noun[*tool.FileMatch]{
		name: "what a file must be",
		keys: append([]key[*tool.FileMatch]{
			{"absent", "true or false", func(m *tool.FileMatch, v value) { v.setBool(&m.Absent) }},
		}, matchKeys(func(m *tool.FileMatch) *tool.TextMatch { return &m.Text })...),
	}
}

func (x *example) readExpectedFiles(v value) {
	entries, _ := v.entries()
	for _, entry := range entries {
		file := tool.FileMatch{Name: entry.name}
		entry.value.want = "a text, or {is, contains, lacks, matches, absent}"
		if !staysInside(entry) {
			continue
		}
		if isMapping(entry.value) {
			readKeys(entry.value, fileMatchNoun(), &file)
		} else if text, ok := entry.value.text(); ok {
			file.Text.Is = &text
		}
		x.example.Expect.Files = append(x.example.Expect.Files, file)
	}
}

// checkExamples holds the arguments of each example against the parameters. One that is there to be refused must be.
func (e *toolEntry) checkExamples() {
	if e.file.doc.errors > 0 && (e.unsure || len(e.untyped) > 0) {
		return
	}
	for i := range e.tool.Examples {
		x := &e.tool.Examples[i]
		if x.Text != "" || x.Arguments == nil {
			continue
		}
		_, failure := e.tool.CheckArguments(x.Arguments)
		refused := x.Expect.Error == tool.FailValidation
		switch {
		case failure != nil && !refused:
			e.examples[i].misfitting(failure).fail(ruleExample, "where the call must be refused, say `expect: {error: validation_error}`", "%s", failure.Message)
		case failure == nil && refused:
			e.examples[i].fail(ruleExample, "", "the arguments fit the parameters, so the call is not refused with %s", tool.FailValidation)
		}
	}
}

// misfitting is the argument of an example that does not fit, as far as the example has it.
func (v value) misfitting(failure *tool.Failure) value {
	path, _, _ := strings.Cut(failure.Message, ":")
	at := v.find("params." + path)
	at.name = v.name
	return at
}

// CheckSetups says what is wrong with the setups of a tool's examples. They are compiled when somebody asks, not whenever the
// program starts, since no call needs them.
func CheckSetups(loaded *Loaded) Errors {
	var found Errors
	for _, x := range loaded.Tool.Examples {
		if x.Setup == "" {
			continue
		}
		if _, err := CompileSetup(x); err != nil {
			found = append(found, Error{
				File: loaded.Tool.Source.File, Line: x.Line, Column: 1, Severity: SeverityError, Rule: ruleExample,
				Message: fmt.Sprintf("tool %q: example %s: %v", loaded.Tool.ID, quote(x.Name), err),
			}.shown())
		}
	}
	return found
}

// CompileSetup compiles the setup of an example, which has no parameters. The error says where in the setup it is wrong.
func CompileSetup(x tool.Example) (*render.Template, error) {
	template, findings := render.Compile(x.Setup, nil, render.Options{Undeclared: render.RefuseUndeclared})
	for _, f := range findings {
		if f.Severity == render.Error {
			return nil, fmt.Errorf("setup: %s", strings.TrimPrefix(f.String(), "error: "))
		}
	}
	return template, nil
}
