package render

import (
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/taint"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Options say what a script may do.
type Options struct {
	DynamicCommand bool // the tool's allow_dynamic_command: values may choose what runs
	TrustProgram   bool // the tool's trust_program: its author knows what its programs do with their words
	Undeclared     Undeclared
	// Commands is what is known of programs; nil for what comes with this program.
	Commands *command.Catalogue
	// Lenient is the file's template_safety: warn. Where a place needs a number or SQL and the parameter's
	// declaration does not say that it is one, that is a warning, and the values are checked at each call.
	// They are references all the same.
	Lenient bool
	// Checked leaves the ways out in which sections can be filled in: the script is one that was compiled
	// without it before. Nothing becomes less safe by it, since the way that a call needs is always proved
	// when it is rendered.
	Checked bool
}

// Template is a checked script. It never changes, but for a cache, and is safe for concurrent use.
type Template struct {
	source       string
	nodes        []node
	declarations *declarations
	options      Options
	stem         string
	foreign      *foreign // a script that bash does not run; nil for one that it does
	shapes       *shapes
}

// Compile reads a script and proves that no value can become part of it, for every way in which its
// sections can be filled in (each none, one or two times; with many sections every pair of them). The
// Template is nil when a Finding is an Error. The findings stand in the order of the script.
func Compile(script string, parameters []tool.Parameter, options Options) (*Template, []Finding) {
	t := &Template{source: script, declarations: declare(parameters), options: options, shapes: newShapes()}
	findings := t.compile()
	sort.SliceStable(findings, func(i, j int) bool {
		a, b := findings[i], findings[j]
		return a.Line < b.Line || a.Line == b.Line && a.Column < b.Column
	})
	if hasErrors(findings) {
		return nil, findings
	}
	return t, findings
}

func (t *Template) compile() []Finding {
	if _, shell := interpreter(t.source); !shell {
		if found := t.checkText(); found != nil {
			return []Finding{*found}
		}
		s, _ := readShebang(t.source)
		return t.compileForeign(s)
	}
	nodes, findings := parse(t.source)
	t.nodes = nodes
	if hasErrors(findings) { // the names in what could be read are looked at all the same
		return append(findings, onlyErrors(bindNames(t.source, t.nodes, t.declarations, t.options.Undeclared))...)
	}
	if found := t.checkText(); found != nil {
		return append(findings, *found)
	}
	if _, ignored := setOptions(t.source); len(ignored) > 0 {
		findings = append(findings, Finding{Severity: Warning, Line: 1,
			Message: "the option " + strings.Join(ignored, " ") + " of the first line is not used",
			Fix:     "write set … in the script"})
	}
	named := bindNames(t.source, t.nodes, t.declarations, t.options.Undeclared)
	findings = append(findings, named...)
	wrong := len(onlyErrors(named))
	if wrong > 0 && (t.options.Undeclared != RefuseUndeclared || wrong > len(t.declarations.implied)) {
		return findings // something else is wrong than that nobody declares a name
	}
	t.stem = chooseStem(t.source)
	rest := t.checkTags()
	if !t.options.Checked {
		rest = append(rest, t.checkShapes()...)
	}
	if wrong > 0 {
		rest = t.besideImplied(onlyErrors(rest))
	}
	return append(findings, rest...)
}

func onlyErrors(findings []Finding) []Finding {
	return slices.DeleteFunc(slices.Clone(findings), func(f Finding) bool { return f.Severity != Error })
}

// besideImplied leaves out what is said of names that nobody declares: with a declaration it may be otherwise.
func (t *Template) besideImplied(findings []Finding) []Finding {
	about := map[string]bool{} // by their tags
	note := func(path []string, source string) {
		about[source] = about[source] ||
			slices.ContainsFunc(t.declarations.implied, func(p tool.Parameter) bool { return p.Name == path[0] })
	}
	walk(t.nodes, nil, func(n node, _ []*section) {
		switch n := n.(type) {
		case *tag:
			note(n.path, n.source)
		case *section:
			note(n.path, n.source)
		}
	})
	return slices.DeleteFunc(findings, func(f Finding) bool { return about[f.Tag] })
}

// checkText refuses what bash and the shell's parser read in different ways.
func (t *Template) checkText() *Finding {
	at := func(i int, message, fix string) *Finding {
		line, column := position(t.source, i)
		return &Finding{Severity: Error, Line: line, Column: column, Message: message, Fix: fix}
	}
	if i := strings.IndexByte(t.source, 0); i >= 0 {
		return at(i, "the script has a NUL byte", "take it away")
	}
	if i := strings.IndexByte(t.source, '\r'); i >= 0 {
		return at(i, "the script has a carriage return, which bash takes for text",
			"save the file with UNIX line ends")
	}
	if !utf8.ValidString(t.source) {
		return at(0, "the script is not UTF-8", "save the file as UTF-8")
	}
	if i := strings.Index(t.source, valuesName); i >= 0 {
		return at(i, "the name "+valuesName+" is reserved for the values of the call", "use another name")
	}
	return nil
}

// checkTags says what can be said about tags before it is known where they stand.
func (t *Template) checkTags() []Finding {
	var findings []Finding
	say := func(severity Severity, n *tag, message, fix string) {
		line, column := position(t.source, n.from)
		findings = append(findings, Finding{Severity: severity, Line: line, Column: column, Tag: n.source,
			Message: message, Fix: fix})
	}
	shebangEnd := 0
	if strings.HasPrefix(t.source, "#!") {
		shebangEnd = len(firstOf(t.source))
	}
	walk(t.nodes, nil, func(n node, within []*section) {
		g, ok := n.(*tag)
		if !ok {
			if s := n.(*section); s.from < shebangEnd {
				line, column := position(t.source, s.from)
				findings = append(findings,
					Finding{Severity: Error, Line: line, Column: column, Tag: s.source,
						Message: "the first line names the interpreter and must be fixed", Fix: "write it out"})
			}
			return
		}
		p := g.domain.Parameter
		switch {
		case g.from < shebangEnd:
			say(Error, g, "the first line names the interpreter and must be fixed", "write it out")
		case p == nil || p.Implied:
		case g.toJSON && p.Type == tool.TypeString:
			say(Warning, g, "the value is text already, so |tojson puts it into quotes once more",
				"leave |tojson out, or declare the parameter as an object")
		case (p.Nullable || !p.Required && p.Default == nil) && g.literal == nil && len(within) == 0 && len(g.path) == 1:
			g.optional = true // whether that matters is for the place to tell
		}
	})
	return findings
}

func firstOf(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// The bounds of what Compile reads and follows over all shapes of one script.
const (
	maxCompileText  = 3 << 20
	maxCompileSteps = 2 * taint.MaxSteps
)

// fillAll fills the sections in in every way that matters. It says no, before anything was analysed, when
// that is too much text.
func (t *Template) fillAll() (counts []combination, shapes []*instance, ok bool) {
	counts = combinations(t.nodes, len(t.source))
	size := 0
	for _, count := range counts {
		in, full := fillBy(t.nodes, count.of)
		if full != nil {
			return nil, nil, false
		}
		for _, p := range in.pieces {
			size += 32 + len(p.text.s)
		}
		if size > maxCompileText {
			return nil, nil, false
		}
		shapes = append(shapes, in)
	}
	return counts, shapes, true
}

// checkShapes analyses the script with its sections filled in in every way that matters.
func (t *Template) checkShapes() []Finding {
	counts, shapes, ok := t.fillAll()
	if !ok {
		return []Finding{{Severity: Error, Line: 1,
			Message: "the script is too big for its number of sections to be checked",
			Fix:     "split the tool, or put the fixed part into a file and run that"}}
	}
	var findings []Finding
	seen := map[string]bool{}
	add := func(found ...Finding) {
		for _, f := range found {
			if key := f.String(); !seen[key] {
				seen[key] = true
				findings = append(findings, f)
			}
		}
	}
	quoted := map[*tag]taint.Quoting{}
	steps := maxCompileSteps
	for i, in := range shapes {
		if steps <= 0 {
			break // the last finding says so
		}
		plan, found := t.plan(in, &steps)
		if plan == nil && len(found) == 1 && found[0].Tag == "" && found[0].Context == "" {
			found[0].Line = max(found[0].Line, 1)
			if described := counts[i].describe(); described != "" {
				found[0].Context = "with " + described
			}
		}
		add(found...)
		if plan == nil {
			continue
		}
		for _, p := range plan.slots {
			if before, ok := quoted[p.tag]; ok && before != p.Quoting {
				add(p.finding(t.source, Error,
					"a section changes the quoting around this tag: "+before.String()+" or "+p.Quoting.String(),
					"open and close quotes within the same section"))
			}
			quoted[p.tag] = p.Quoting
		}
		add(t.checkDefaults(plan)...)
	}
	return findings
}

// checkDefaults holds the defaults that the author wrote against the checks of their places.
func (t *Template) checkDefaults(plan *plan) []Finding {
	var findings []Finding
	for _, p := range plan.slots {
		if p.tag.literal == nil || p.Quoting == taint.InComment {
			continue
		}
		for _, reason := range p.CheckDefault() {
			findings = append(findings,
				p.finding(t.source, Error, "the default cannot stand here: "+reason, "write another default"))
		}
	}
	return findings
}
