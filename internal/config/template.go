package config

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
	"github.com/a2a-acp/a2a-acp/internal/outputschema"
	"github.com/a2a-acp/a2a-acp/internal/render"
	"github.com/a2a-acp/a2a-acp/internal/spelling"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

const ruleTemplate = "template"

// compile compiles the script and the texts of an entry.
func (e *toolEntry) compile() Loaded {
	var loaded Loaded
	if e.script.Node != nil {
		loaded.Template = e.compileScript()
		e.unread = loaded.Template == nil
	}
	if e.http != nil {
		loaded.Request = e.compileRequest()
		e.compileJob(&loaded)
		loaded.Answer = e.compileAnswer()
		e.unread = loaded.Request == nil
	}
	if e.confirmation.Node != nil {
		loaded.Confirmation = e.compileText(e.confirmation)
	}
	if e.cacheKey.Node != nil {
		loaded.CacheKey = e.compileText(e.cacheKey)
	}
	for _, exit := range sortedKeys(e.details) {
		if detail := e.compileTree(e.details[exit]); detail != nil {
			if loaded.Details == nil {
				loaded.Details = map[int]*render.Tree{}
			}
			loaded.Details[exit] = detail
		}
	}
	if schema := e.tool.Output.Schema; schema != "" {
		loaded.Output, _ = outputschema.Compile(schema) // it was compiled before: readOutputSchema
	}
	return loaded
}

// compileScript compiles the script and says where in the file its findings are. Names that nobody declares
// are mistakes in a file of the strict format, and parameters in one of the original format, whose authors
// often left them out.
func (e *toolEntry) compileScript() *render.Template {
	options := render.Options{
		DynamicCommand: e.tool.AllowDynamicCommand, TrustProgram: e.tool.TrustProgram,
		Undeclared: render.ImplyUndeclared, Lenient: e.file.lenient, Checked: e.file.file.Checked,
		Commands: e.file.file.Commands,
	}
	if e.file.version == formatStrict && !e.isUnsure() {
		options.Undeclared = render.RefuseUndeclared
	}
	template, findings := render.Compile(e.tool.Script, e.tool.Parameters, options)
	if template != nil {
		if implied := template.Implied(); len(implied) > 0 {
			// Compiled again with what it implies declared, the script has no remark for each of the names:
			// the author is told of all of them at once, with the lines to paste.
			if !e.isUnsure() {
				e.warnImplied(implied)
			}
			e.tool.Parameters = append(e.tool.Parameters, implied...)
			template, findings = render.Compile(e.tool.Script, e.tool.Parameters, options)
		}
	}
	for _, finding := range findings {
		if !e.follows(finding) {
			e.reportFinding(finding)
		}
	}
	return template
}

// isUnsure reports whether what is said of names would only follow from a mistake that was told. A file
// without one keeps nothing to itself.
func (e *toolEntry) isUnsure() bool { return e.unsure && e.file.doc.Mistakes() > 0 }

var tagName = lazyregexp.New(`[A-Za-z_][A-Za-z0-9_-]*`)

// follows reports whether a finding is about a parameter that could not be read as its author meant it: it
// would be gone with that mistake, or be another one.
func (e *toolEntry) follows(finding render.Finding) bool {
	if !e.isUnsure() && (len(e.untyped) == 0 || e.file.doc.Mistakes() == 0) {
		return false
	}
	for _, name := range tagName.FindAllString(finding.Tag, -1) {
		if slices.Contains(e.untyped, name) || e.isUnsure() &&
			!slices.ContainsFunc(e.tool.Parameters, func(p tool.Parameter) bool {
				return p.Name == name
			}) {
			return true
		}
	}
	return e.isUnsure() && finding.Tag != ""
}

// reportFinding reports what is to be said about a tag of the script, at the tag.
func (e *toolEntry) reportFinding(finding render.Finding) {
	if near := e.nearParameter(finding); near != "" {
		finding.Fix = fmt.Sprintf("did you mean {{%s}}? otherwise %s", near, finding.Fix)
	}
	reportAt(e.script, finding)
}

// reportAt reports what is to be said about a tag of a text, at the tag.
func reportAt(v yamldoc.Value, finding render.Finding) { v.ReportAt(ofFinding(finding), finding.Tag) }

// ofFinding says what is wrong with a script, at its place in the script.
func ofFinding(finding render.Finding) yamldoc.Error {
	e := yamldoc.Error{
		Line: finding.Line, Column: max(finding.Column, 1), Severity: yamldoc.SeverityError,
		Rule: ruleTemplate, Message: finding.Message, Hint: finding.Fix,
	}
	switch {
	case finding.Tag != "" && finding.Context != "":
		e.Message = fmt.Sprintf("%s (%s): %s", finding.Tag, finding.Context, finding.Message)
	case finding.Tag != "":
		e.Message = fmt.Sprintf("%s: %s", finding.Tag, finding.Message)
	case finding.Context != "":
		e.Message = fmt.Sprintf("%s: %s", finding.Context, finding.Message)
	}
	if finding.Severity == render.Warning {
		e.Severity = yamldoc.SeverityWarning
	}
	return e
}

// ScriptErrors says what keeps a text from being a script, as it is said of a file. The text begins after
// some lines of the script that was compiled, and name is what people know it by.
func ScriptErrors(name, text string, after int, findings []render.Finding) yamldoc.Errors {
	var list yamldoc.Errors
	for _, finding := range findings {
		if finding.Severity != render.Error {
			continue
		}
		e := ofFinding(finding)
		e.File, e.Line = name, max(e.Line-after, 1)
		list = append(list, e.Escaped())
	}
	yamldoc.AddExcerpts(list, name, []byte(text))
	return list
}

// nearParameter returns the parameter that a tag was probably meant for which nobody declares; "" for none.
func (e *toolEntry) nearParameter(finding render.Finding) string {
	name := tagName.FindString(finding.Tag)
	if name == "" || !strings.HasPrefix(finding.Message, fmt.Sprintf("no parameter %q is declared", name)) {
		return ""
	}
	var declared []string
	for _, p := range e.tool.Parameters {
		if p.Name != name {
			declared = append(declared, p.Name)
		}
	}
	return spelling.Nearest(name, declared)
}

// warnImplied says which parameters a script implies, with the lines that declare them.
func (e *toolEntry) warnImplied(implied []tool.Parameter) {
	var names []string
	paste := "declare what it takes:\nparameters:"
	if len(e.tool.Parameters) > 0 {
		paste = "add to parameters:"
	}
	for _, p := range implied {
		names = append(names, p.Name)
		paste += fmt.Sprintf("\n  - name: %s\n    type: %s", p.Name, p.Type)
		if p.Required {
			paste += "\n    required: true"
		}
		paste += "\n    description: …"
	}
	e.script.Warn("undeclared", paste, "no parameter declares %s", strings.Join(names, ", "))
}

func (e *toolEntry) compileText(v yamldoc.Value) *render.Text {
	text := textAt(v, v.Node.Value)
	if text == nil {
		return nil
	}
	e.checkNames(v, text)
	return text
}

// textAt compiles a text that stands in a value, and says all that is wrong with it; nil where something is.
func textAt(v yamldoc.Value, source string) *render.Text {
	text, err := render.CompileText(source)
	var wrong *render.TextError
	switch {
	case errors.As(err, &wrong):
		for _, finding := range wrong.Findings {
			reportAt(v, finding)
		}
	case err != nil:
		v.Fail(ruleTemplate, "", "%s", err)
	}
	return text
}

// compileTree compiles every text of a value; nil when one of them is wrong.
func (e *toolEntry) compileTree(v yamldoc.Value) *render.Tree {
	before := len(v.Doc.Found)
	tree := &render.Tree{}
	switch {
	case v.IsMapping():
		tree.Object = map[string]*render.Tree{}
		entries, _ := v.Entries()
		for _, entry := range entries {
			tree.Object[entry.Name] = e.compileTree(entry.Value)
		}
	case v.IsList():
		items, _ := v.List("")
		tree.List = make([]*render.Tree, len(items))
		for i, item := range items {
			tree.List[i] = e.compileTree(item)
		}
	case v.Node.Tag == "!!str" || v.Node.Tag == "!!timestamp":
		tree.Text = e.compileText(v)
	default:
		tree.Literal, _ = v.JSON()
	}
	if yamldoc.Errors(v.Doc.Found[before:]).Broken() {
		return nil
	}
	return tree
}

// checkNames looks for what a text names and no parameter declares, those that the script implies included.
// Unlike in the script such a name makes no parameter: an agent that gave it would change nothing but the
// text.
func (e *toolEntry) checkNames(v yamldoc.Value, text *render.Text) {
	var declared []string
	for _, p := range e.tool.Parameters {
		declared = append(declared, p.Name)
	}
	for _, name := range text.Names() {
		if slices.Contains(declared, name) {
			continue
		}
		if e.isUnsure() || e.unread && e.file.version != formatStrict {
			continue // the script may imply it, once it can be read
		}
		hint := "declare it under parameters, or take it out"
		if near := spelling.Nearest(name, declared); near != "" {
			hint = fmt.Sprintf("did you mean %s?", near)
		}
		if e.file.version == formatStrict {
			v.Fail(ruleTemplate, hint, "no parameter %s is declared", yamldoc.Quote(name))
		} else {
			v.Warn(ruleTemplate, hint, "no parameter %s is declared, so the text has nothing there",
				yamldoc.Quote(name))
		}
	}
}

func sortedKeys(m map[int]yamldoc.Value) []int {
	keys := make([]int, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Ints(keys)
	return keys
}
