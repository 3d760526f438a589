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
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// ruleExample is the kind of mistake of an example that does not hold, be it of a tool or of a rule.
const ruleExample = "example"

// example is an entry of examples that is being read.
type example struct {
	example tool.Example
	params  map[string]any
	exit    yamldoc.Value // a value without a node was not given
}

// exampleMapping is what an example may say.
func exampleMapping() yamldoc.Mapping[*example] {
	return yamldoc.Mapping[*example]{
		Name: "an example",
		Keys: []yamldoc.Key[*example]{
			yamldoc.NewKey("name", "a text", func(x *example, v yamldoc.Value) {
				v.SetText(&x.example.Name)
			}),
			yamldoc.NewKey("params", "a mapping of parameters to values", (*example).readParams),
			yamldoc.NewKey("files", "a mapping of names to contents", (*example).readFiles),
			yamldoc.NewKey("setup", "a bash script, best after |", func(x *example, v yamldoc.Value) {
				v.SetText(&x.example.Setup)
			}),
			yamldoc.NewKey("needs", "a list of programs", func(x *example, v yamldoc.Value) {
				v.SetTexts(&x.example.Needs)
			}),
			yamldoc.NewKey("expect", "a mapping", func(x *example, v yamldoc.Value) {
				yamldoc.ReadKeys(v, expectMapping(), x)
			}),
		},
		Synonyms: map[string]string{
			"parameters": "params", "arguments": "params", "args": "params", "input": "params",
			"inputs": "params", "expected": "expect", "expects": "expect", "requires": "needs",
			"title": "name", "description": "name",
		},
		Elsewhere: []yamldoc.Misplaced{
			{Names: expectMapping().Names(), Hint: "%s belongs under expect"},
		},
	}
}

// expectMapping is what an example may expect.
func expectMapping() yamldoc.Mapping[*example] {
	return yamldoc.Mapping[*example]{
		Name: "expect",
		Synonyms: map[string]string{
			"exitcode": "exit", "code": "exit", "status": "exit", "returncode": "exit", "output": "stdout",
			"out": "stdout", "err": "stderr",
		},
		Keys: []yamldoc.Key[*example]{
			yamldoc.NewKey("exit", "an exit code", (*example).readExit),
			yamldoc.NewKey("stdout", "a text, or {is, contains, lacks, matches}",
				func(x *example, v yamldoc.Value) {
					x.example.Expect.Stdout = readMatch(v)
				}),
			yamldoc.NewKey("stderr", "a text, or {is, contains, lacks, matches}",
				func(x *example, v yamldoc.Value) {
					x.example.Expect.Stderr = readMatch(v)
				}),
			yamldoc.NewKey("files", "a mapping of names to contents", (*example).readExpectedFiles),
			yamldoc.NewKey("unchanged", "true or false", func(x *example, v yamldoc.Value) {
				v.SetBool(&x.example.Expect.Unchanged)
			}),
			yamldoc.NewKey("error", "a failure code", (*example).readError),
		},
	}
}

// readExamples reads what an author gives as examples: texts, as the original format has them, or calls.
func (e *toolEntry) readExamples(v yamldoc.Value) {
	entries, _ := v.List("a text, or {name, params, expect, …}")
	for i, at := range entries {
		if !at.IsMapping() {
			if text, ok := at.Text(); ok {
				e.tool.Examples, e.examples = append(e.tool.Examples, tool.Example{Text: text}),
					append(e.examples, at)
			}
			continue
		}
		x := &example{params: map[string]any{}}
		x.example.Line = at.Node.Line
		if name, ok := at.Get("name"); ok {
			at.Name = fmt.Sprintf("%s: example %s", e.at.Name, yamldoc.Quote(name.Node.Value))
		}
		before := e.file.doc.Mistakes()
		yamldoc.ReadKeys(at, exampleMapping(), x)
		if strings.TrimSpace(x.example.Name) == "" {
			x.example.Name = fmt.Sprintf("example %d", i+1)
		}
		if x.exit.Node != nil && x.example.Expect.Error != "" {
			x.exit.Fail(ruleExample, "keep one of them",
				"a call that ends with an error of ours has no exit code")
		}
		arguments, err := json.Marshal(x.params)
		if err != nil {
			at.Fail(ruleExample, "", "the params cannot be written as JSON: %v", err)
			continue
		}
		if e.file.doc.Mistakes() == before {
			x.example.Arguments = arguments
		}
		e.tool.Examples, e.examples = append(e.tool.Examples, x.example), append(e.examples, at)
	}
}

func (x *example) readParams(v yamldoc.Value) {
	entries, _ := v.Entries()
	for _, entry := range entries {
		if given, ok := entry.Value.JSON(); ok {
			x.params[entry.Name] = given
		}
	}
}

func (x *example) readExit(v yamldoc.Value) {
	x.exit = v
	if code, ok := v.Int(0, 255); ok {
		x.example.Expect.Exit = int(code)
	}
}

func (x *example) readError(v yamldoc.Value) {
	text, ok := v.Text()
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
		v.Fail(yamldoc.RuleValue, hint, "want one of %s; found %s", strings.Join(known, ", "),
			yamldoc.Quote(text))
		return
	}
	x.example.Expect.Error = tool.FailureCode(text)
}

// exampleFileMapping is the long form of a file of an example's directory.
func exampleFileMapping() yamldoc.Mapping[*tool.ExampleFile] {
	return yamldoc.Mapping[*tool.ExampleFile]{
		Name: "a file",
		Keys: []yamldoc.Key[*tool.ExampleFile]{
			yamldoc.NewKey("text", "a text", func(f *tool.ExampleFile, v yamldoc.Value) {
				v.SetText(&f.Content)
			}),
			yamldoc.NewKey("link", "a path", func(f *tool.ExampleFile, v yamldoc.Value) {
				v.SetText(&f.Link)
			}),
		},
	}
}

func (x *example) readFiles(v yamldoc.Value) {
	entries, _ := v.Entries()
	for _, entry := range entries {
		file := tool.ExampleFile{Name: entry.Name}
		entry.Value.Want = "a text, or {link: …}"
		if !staysInside(entry) {
			continue
		}
		if entry.Value.IsMapping() {
			yamldoc.ReadKeys(entry.Value, exampleFileMapping(), &file)
			if len(entry.Value.Node.Content) != 2 {
				entry.Value.Fail(yamldoc.RuleValue, "", "want exactly one of text, link")
			}
		} else {
			entry.Value.SetText(&file.Content)
		}
		x.example.Files = append(x.example.Files, file)
	}
	sort.Slice(x.example.Files, func(i, j int) bool {
		return x.example.Files[i].Name < x.example.Files[j].Name
	})
}

// staysInside refuses names that lead out of an example's own directory.
func staysInside(e yamldoc.Entry) bool {
	if filepath.IsLocal(e.Name) && filepath.Clean(e.Name) == e.Name && e.Name != "." {
		return true
	}
	e.Key.Fail(yamldoc.RuleValue, "write it relative to the example's own directory",
		"want a name without .. and without a / at its ends, found %s", yamldoc.Quote(e.Name))
	return false
}

// matchMapping is the long form of what a text must be.
func matchMapping() yamldoc.Mapping[*tool.TextMatch] {
	return yamldoc.Mapping[*tool.TextMatch]{Name: "what a text must be",
		Keys: matchKeys(func(m *tool.TextMatch) *tool.TextMatch {
			return m
		})}
}

func matchKeys[T any](of func(T) *tool.TextMatch) []yamldoc.Key[T] {
	return []yamldoc.Key[T]{
		yamldoc.NewKey("is", "a text", func(t T, v yamldoc.Value) {
			if text, ok := v.Text(); ok {
				of(t).Is = &text
			}
		}),
		yamldoc.NewKey("contains", "a text, or a list of texts", func(t T, v yamldoc.Value) {
			of(t).Contains = v.TextOrTexts()
		}),
		yamldoc.NewKey("lacks", "a text, or a list of texts", func(t T, v yamldoc.Value) {
			of(t).Lacks = v.TextOrTexts()
		}),
		yamldoc.NewKey("matches", "a regular expression", func(t T, v yamldoc.Value) {
			of(t).Matches = readExpression(v)
		}),
	}
}

// readMatch reads a text that must be equal, or the long form.
func readMatch(v yamldoc.Value) *tool.TextMatch {
	m := &tool.TextMatch{}
	if v.IsMapping() {
		yamldoc.ReadKeys(v, matchMapping(), m)
		return m
	}
	if text, ok := v.Text(); ok {
		m.Is = &text
	}
	return m
}

// readExpression reads a regular expression that may stand anywhere in a text.
func readExpression(v yamldoc.Value) string {
	text, ok := v.Text()
	if !ok {
		return ""
	}
	if _, err := regexp.Compile(text); err != nil {
		v.Fail("pattern", "", "%s is no regular expression: %s", yamldoc.Quote(text), regexpFault(err))
		return ""
	}
	return text
}

// fileMatchMapping is the long form of what a file must be.
func fileMatchMapping() yamldoc.Mapping[*tool.FileMatch] {
	return yamldoc.Mapping[*tool.FileMatch]{
		Name: "what a file must be",
		Keys: append([]yamldoc.Key[*tool.FileMatch]{
			yamldoc.NewKey("absent", "true or false", func(m *tool.FileMatch, v yamldoc.Value) {
				v.SetBool(&m.Absent)
			}),
		}, matchKeys(func(m *tool.FileMatch) *tool.TextMatch { return &m.Text })...),
	}
}

func (x *example) readExpectedFiles(v yamldoc.Value) {
	entries, _ := v.Entries()
	for _, entry := range entries {
		file := tool.FileMatch{Name: entry.Name}
		entry.Value.Want = "a text, or {is, contains, lacks, matches, absent}"
		if !staysInside(entry) {
			continue
		}
		if entry.Value.IsMapping() {
			yamldoc.ReadKeys(entry.Value, fileMatchMapping(), &file)
		} else if text, ok := entry.Value.Text(); ok {
			file.Text.Is = &text
		}
		x.example.Expect.Files = append(x.example.Expect.Files, file)
	}
}

// checkExamples holds the arguments of each example against the parameters. One that is there to be refused
// must be.
func (e *toolEntry) checkExamples() {
	if e.file.file.Checked || e.file.doc.Mistakes() > 0 && (e.unsure || len(e.untyped) > 0) {
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
			misfit(e.examples[i], failure).Fail(ruleExample,
				"where the call must be refused, say `expect: {error: validation_error}`", "%s",
				failure.Message)
		case failure == nil && refused:
			e.examples[i].Fail(ruleExample, "",
				"the arguments fit the parameters, so the call is not refused with %s", tool.FailValidation)
		}
	}
}

// misfit is the argument of an example that does not fit, as far as the example has it.
func misfit(v yamldoc.Value, failure *tool.Failure) yamldoc.Value {
	path, _, _ := strings.Cut(failure.Message, ":")
	at := v.Find("params." + path)
	at.Name = v.Name
	return at
}

// CheckSetups says what is wrong with the setups of a tool's examples. They are compiled when somebody asks,
// not whenever the program starts, since no call needs them.
func CheckSetups(loaded *Loaded) yamldoc.Errors {
	var found yamldoc.Errors
	for _, x := range loaded.Tool.Examples {
		if x.Setup == "" {
			continue
		}
		if _, err := CompileSetup(x); err != nil {
			found = append(found, yamldoc.Error{
				File: loaded.Tool.Source.File, Line: x.Line, Column: 1, Severity: yamldoc.SeverityError,
				Rule:    ruleExample,
				Message: fmt.Sprintf("tool %q: example %s: %v", loaded.Tool.ID, yamldoc.Quote(x.Name), err),
			}.Escaped())
		}
	}
	return found
}

// CompileSetup compiles the setup of an example, which has no parameters. The error says where in the setup
// it is wrong.
func CompileSetup(x tool.Example) (*render.Template, error) {
	template, findings := render.Compile(x.Setup, nil, render.Options{Undeclared: render.RefuseUndeclared})
	for _, f := range findings {
		if f.Severity == render.Error {
			return nil, fmt.Errorf("setup: %s", strings.TrimPrefix(f.String(), "error: "))
		}
	}
	return template, nil
}
