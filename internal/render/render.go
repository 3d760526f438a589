package render

import (
	"errors"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/argument"
	"github.com/a2a-acp/a2a-acp/internal/bashsyntax"
	"github.com/a2a-acp/a2a-acp/internal/taint"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
	"mvdan.cc/sh/v3/syntax"
)

// Rendered is a call's script, and the values that it refers to.
type Rendered struct {
	// Script is what the interpreter is given; for bash, prologue included. It holds no value: it is the
	// same for every call whose sections are filled in alike.
	Script string
	Hash   string   // SHA-256 of Script, in hexadecimal: the same for every call of one shape
	Values []string // in the order that Script counts them in; none holds a NUL
	// Shown is the script as a person reads it: the author's text with its sections filled in and its tags
	// left as {{name}}, or {{name|default(…)}} where the default stands in.
	Shown string
	// Program runs a script that is not for bash: the program, an absolute path, and its arguments. nil for
	// bash.
	Program []string
	// Parameters are what such a script reads on ValuesDescriptor, one JSON object; Environment what it
	// finds in its environment. A script for bash has neither.
	Parameters  string
	Environment map[string]string
	// Dynamic are the commands that values chose, in the order of the script.
	Dynamic []tool.DynamicCommand
}

// plan is everything about a filled-in script but the values. It is the same for every call of its shape.
type plan struct {
	script  string
	hash    string // of script
	shown   string
	slots   []*tagSlot
	dynamic []taint.Command
	values  int
}

// plan analyses an instance, in no more than the given steps, and proves its script. The plan is nil when a
// finding is an error.
func (t *Template) plan(in *instance, steps *int) (*plan, []Finding) {
	broken := func(message, fix string) (*plan, []Finding) {
		return nil, []Finding{{Severity: Error, Message: message, Fix: fix}}
	}
	s := newSkeleton(in, t.stem, t.source)
	a, err := taint.Analyse(s.Script, taint.Options{DynamicCommand: t.options.DynamicCommand,
		TrustProgram: t.options.TrustProgram, Lenient: t.options.Lenient,
		Commands: t.options.Commands, Steps: steps})
	switch {
	case errors.Is(err, taint.ErrPlaceholder):
		return broken("texts of the script meet in a way that cannot be told from a tag", "rename "+t.stem)
	case errors.Is(err, bashsyntax.ErrTooDeep):
		return broken("the commands of the script are nested too deep to be checked",
			"put some of them into functions")
	case err != nil:
		line, column := t.parsePosition(s, err)
		return nil, []Finding{{Severity: Error, Line: line, Column: column,
			Message: "the script is not valid bash: " + bashsyntax.Message(err)}}
	}
	findings := s.findings(a)
	if hasErrors(findings) {
		return nil, findings
	}
	script := s.Text()
	if len(s.slots) > 0 {
		if script, err = s.prove(a.File); err != nil {
			return broken(err.Error(), "")
		}
	}
	p := &plan{shown: in.shown(), slots: s.slots, dynamic: a.Commands}
	for _, slot := range p.slots {
		if slot.index >= 0 {
			p.values++
		}
		slot.Heredoc = nil // lets go of the syntax tree
	}
	p.script = complete(script, p.values)
	p.hash = hashOf(p.script)
	return p, findings
}

// prove rewrites a script and makes sure that what came out is the author's. Nothing runs that this has not
// passed.
func (s *skeleton) prove(file *syntax.File) (string, error) {
	script, err := s.rewrite()
	if err != nil {
		return "", err
	}
	if _, err := bashsyntax.Parse(script); err != nil {
		for _, p := range s.slots {
			if p.Quoting == taint.InArithmetic { // let v={{n}}=1 reads until a value in brackets stands there
				return "", errors.New("the arithmetic around " + p.tag.source +
					" cannot be read: write the tag as an operand of its own, with blanks around it")
			}
		}
	}
	return script, s.verify(file, script)
}

// parsePosition tells in the words of the template where the parser stopped; 0 where it does not say.
func (t *Template) parsePosition(s *skeleton, err error) (line, column int) {
	offset, ok := bashsyntax.Offset(err)
	if !ok {
		return 0, 0
	}
	return position(t.source, s.origin(offset))
}

// Render fills a template in. arguments are checked JSON values, their numbers json.Number. The error is a
// *tool.Failure with FailTemplate, which names the tag and never holds a value.
func (t *Template) Render(arguments map[string]any) (Rendered, error) {
	if t.foreign != nil {
		return t.renderForeign(arguments)
	}
	in, failure := fill(t.nodes, t.withDefaults(arguments))
	if failure != nil {
		return Rendered{}, failure
	}
	p, failure := t.planFor(in)
	if failure != nil {
		return Rendered{}, failure
	}
	texts, failure := t.texts(in, p)
	if failure != nil {
		return Rendered{}, failure
	}
	r := Rendered{Script: p.script, Hash: p.hash, Shown: p.shown, Values: make([]string, 0, p.values)}
	for _, slot := range p.slots {
		if slot.index >= 0 {
			r.Values = append(r.Values, texts[slot.Number])
		}
	}
	for _, d := range p.dynamic {
		r.Dynamic = append(r.Dynamic, d.Filled(texts))
	}
	return r, nil
}

// withDefaults adds the defaults that parameters declare.
func (t *Template) withDefaults(arguments map[string]any) map[string]any {
	all := arguments
	for name, p := range t.declarations.byName {
		if p.Default == nil || arguments[name] != nil {
			continue
		}
		if len(all) == len(arguments) {
			all = make(map[string]any, len(arguments)+1)
			for name, v := range arguments {
				all[name] = v
			}
		}
		all[name] = p.Default
	}
	return all
}

// planFor returns the plan of an instance: one that was made before for the same shape, or a new one.
func (t *Template) planFor(in *instance) (*plan, *tool.Failure) {
	if p, ok := t.shapes.Get(in.shape); ok {
		return p, nil
	}
	p, findings := t.plan(in, nil)
	for _, f := range findings {
		if f.Severity == Error {
			return nil, tool.Failf(tool.FailTemplate, "%s", strings.TrimPrefix(f.String(), "error: "))
		}
	}
	if len(p.script)+len(in.shape) <= maxShapeSize {
		t.shapes.Add(in.shape, p)
	}
	return p, nil
}

// texts writes the values out and checks each against its place.
func (t *Template) texts(in *instance, p *plan) ([]string, *tool.Failure) {
	texts := make([]string, len(p.slots))
	n := 0
	var missing []*tagSlot
	for _, piece := range in.pieces {
		if piece.tag == nil {
			continue
		}
		slot := p.slots[n]
		n++
		if slot.index < 0 {
			continue
		}
		if slot.Conditional() && !piece.given && piece.tag.literal == nil {
			missing = append(missing, slot)
			continue
		}
		text, reason := piece.written()
		if reason != "" {
			return nil, t.fail(slot, reason)
		}
		texts[slot.Number] = slot.Text(text)
	}
	for _, slot := range missing {
		if !slot.Idle(texts) {
			return nil, t.fail(slot, noValue)
		}
	}
	for _, slot := range p.slots {
		if slot.index < 0 || slices.Contains(missing, slot) {
			continue
		}
		if reason, ok := slot.Check(texts); !ok {
			return nil, t.fail(slot, reason)
		}
	}
	return texts, nil
}

const noValue = "no value is given, and there is no default"

// written writes the value of a tag out, or says why it cannot be.
func (p *piece) written() (text, reason string) {
	v, given := p.value, p.given
	if !given {
		if p.tag.literal == nil {
			return "", noValue
		}
		v = p.tag.literal.value
	}
	if p.tag.toJSON {
		text, ok := argument.JSON(v)
		if !ok {
			return "", "the value cannot be written as JSON"
		}
		return text, ""
	}
	text, ok := argument.Text(v)
	if !ok {
		switch v.(type) {
		case []any, map[string]any:
			text, ok = argument.JSON(v)
		}
	}
	switch {
	case !ok:
		return "", "the value cannot be written as text"
	case strings.IndexByte(text, 0) >= 0:
		return "", "the value has a NUL byte, which no word of a shell can hold"
	case given && !p.tag.domain.Holds(text):
		return "", "the value is none that the parameter's declaration allows"
	}
	return text, ""
}

// fail makes the failure of one tag.
func (t *Template) fail(p *tagSlot, reason string) *tool.Failure {
	line, _ := position(t.source, p.tag.from)
	failure := tool.Failf(tool.FailTemplate, "line %d: %s (%s): %s", line, p.tag.source, p.Context(), reason)
	failure.Details["line"] = line
	failure.Details["tag"] = p.tag.source
	return failure
}
