package render

import (
	"errors"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
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
	places  []*tagPlace
	dynamic []dynamic
	values  int
}

// plan analyses an instance and proves its script. The plan is nil when a finding is an error.
func (t *Template) plan(in *instance) (*plan, []Finding) {
	broken := func(message, fix string) (*plan, []Finding) {
		return nil, []Finding{{Severity: Error, Message: message, Fix: fix}}
	}
	s, ok := newSkeleton(in, t.stem, t.source)
	if !ok {
		return broken("texts of the script meet in a way that cannot be told from a tag", "rename "+t.stem)
	}
	a, err := analyse(s, t.options)
	if errors.Is(err, errTooDeep) {
		return broken("the commands of the script are nested too deep to be checked",
			"put some of them into functions")
	}
	if err != nil {
		line, column := t.parsePosition(s, err)
		return nil, []Finding{{Severity: Error, Line: line, Column: column,
			Message: "the script is not valid bash: " + parseMessage(err)}}
	}
	findings := a.all()
	if hasErrors(findings) {
		return nil, findings
	}
	script := s.text
	if len(s.places) > 0 {
		if script, err = a.prove(); err != nil {
			return broken(err.Error(), "")
		}
	}
	p := &plan{shown: in.shown(), places: s.places, dynamic: a.dynamic}
	for _, place := range p.places {
		if place.index >= 0 {
			p.values++
		}
		place.heredoc = nil // lets go of the syntax tree
	}
	p.script = complete(script, p.values)
	p.hash = hashOf(p.script)
	return p, findings
}

// prove rewrites a script and makes sure that what came out is the author's. Nothing runs that this has not
// passed.
func (a *analysis) prove() (string, error) {
	script, err := a.rewrite()
	if err != nil {
		return "", err
	}
	if _, err := parseShell(script); err != nil {
		for _, p := range a.places {
			if p.quote == inArithmetic { // let v={{n}}=1 reads until a value in brackets stands there
				return "", errors.New("the arithmetic around " + p.tag.source +
					" cannot be read: write the tag as an operand of its own, with blanks around it")
			}
		}
	}
	return script, a.verify(script)
}

// parsePosition tells in the words of the template where the parser stopped; 0 where it does not say.
func (t *Template) parsePosition(s *skeleton, err error) (line, column int) {
	offset, ok := parseOffset(err)
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
	for _, place := range p.places {
		if place.index >= 0 {
			r.Values = append(r.Values, texts[place.number])
		}
	}
	for _, d := range p.dynamic {
		r.Dynamic = append(r.Dynamic, d.command(texts))
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
	p, findings := t.plan(in)
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
	texts := make([]string, len(p.places))
	n := 0
	var missing []*tagPlace
	for _, piece := range in.pieces {
		if piece.tag == nil {
			continue
		}
		place := p.places[n]
		n++
		if place.index < 0 {
			continue
		}
		if len(place.arms) > 0 && !piece.given && piece.tag.literal == nil {
			missing = append(missing, place)
			continue
		}
		text, reason := piece.written()
		if reason != "" {
			return nil, t.fail(place, reason)
		}
		if place.dotted {
			text = dotted(text)
		}
		texts[place.number] = text
	}
	for _, place := range missing {
		if !place.idle(texts) {
			return nil, t.fail(place, noValue)
		}
	}
	for _, place := range p.places {
		if slices.Contains(missing, place) {
			continue
		}
		for _, g := range place.guards {
			if place.index < 0 {
				continue
			}
			if reason, ok := g.accepts(texts[place.number], texts); !ok {
				return nil, t.fail(place, reason)
			}
		}
	}
	return texts, nil
}

// dotted puts ./ in front of a relative path that a program could take for an option, an operator or the
// name of a list of arguments. It names the same file.
func dotted(path string) string {
	if path != "" && strings.IndexByte("-+@=!(),", path[0]) >= 0 {
		return "./" + path
	}
	return path
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
		text, ok := jsonText(v)
		if !ok {
			return "", "the value cannot be written as JSON"
		}
		return text, ""
	}
	text, ok := scalarText(v)
	if !ok {
		switch v.(type) {
		case []any, map[string]any:
			text, ok = jsonText(v)
		}
	}
	switch {
	case !ok:
		return "", "the value cannot be written as text"
	case strings.IndexByte(text, 0) >= 0:
		return "", "the value has a NUL byte, which no word of a shell can hold"
	case given && !p.tag.param.holds(text):
		return "", "the value is none that the parameter's declaration allows"
	}
	return text, ""
}

// fail makes the failure of one tag.
func (t *Template) fail(p *tagPlace, reason string) *tool.Failure {
	line, _ := position(t.source, p.tag.from)
	failure := tool.Failf(tool.FailTemplate, "line %d: %s (%s): %s", line, p.tag.source, p.context(), reason)
	failure.Details["line"] = line
	failure.Details["tag"] = p.tag.source
	return failure
}
