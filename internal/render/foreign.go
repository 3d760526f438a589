package render

import (
	"sort"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/argument"
	"github.com/a2a-acp/a2a-acp/internal/tagfilter"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// How a script that bash does not run gets its parameters: all that have a value, as one JSON object in a
// file that nobody can change, and those that are neither secret nor long as variables, too. A value is
// never part of the script.
const (
	parametersFile     = "/dev/fd/3"
	parametersVariable = "A2A_PARAMS_FILE" // names parametersFile
	parameterPrefix    = "A2A_PARAM_"      // then the parameter's name in capitals, - as _
)

// The bounds of the variables. The kernel takes 128 KiB for one (execve(2), MAX_ARG_STRLEN); what is longer
// is in the file alone.
const (
	maxVariable  = 32 << 10
	maxVariables = 256 << 10
)

// variableOf names the variable of a parameter.
func variableOf(parameter string) string {
	return parameterPrefix + strings.ToUpper(strings.ReplaceAll(parameter, "-", "_"))
}

// foreign is a checked script that bash does not run.
type foreign struct {
	argv   []string
	script string
	hash   string // of script
}

// compileForeign checks a script for another interpreter. No tag is possible in it: nothing here knows how
// to quote for another language, and the script can read its parameters by itself.
func (t *Template) compileForeign(s shebang) []Finding {
	if len(t.source) > maxTemplate {
		return []Finding{tooLong(t.source)}
	}
	var findings []Finding
	if s.unclear != "" {
		findings = append(findings, Finding{Severity: Error, Line: 1, Message: s.unclear,
			Fix: "write #!/usr/bin/env NAME or #!/PATH/OF/NAME and plain options"})
	}
	if t.options.DynamicCommand {
		findings = append(findings, Finding{Severity: Warning, Line: 1,
			Message: "the commands that a script for " + s.name +
				" runs cannot be read, so allow_dynamic_command changes nothing",
			Fix: "take it out; rules can only be about the tool as a whole"})
	}
	byVariable := map[string]string{}
	for _, name := range t.declarations.names() {
		if other, taken := byVariable[variableOf(name)]; taken {
			findings = append(findings,
				Finding{Severity: Error, Line: 1,
					Message: "the parameters " + other + " and " + name + " would be the same variable, " +
						variableOf(name), Fix: "rename one of them"})
		}
		byVariable[variableOf(name)] = name
	}
	script, found := t.foreignTags(s)
	if findings = append(findings, found...); hasErrors(findings) {
		return findings
	}
	t.foreign = &foreign{argv: s.argv(), script: script, hash: hashOf(script)}
	return findings
}

// foreignTags refuses the tags of a script, and takes the changes of delimiters out. Braces that are no tag
// are the language's own.
func (t *Template) foreignTags(s shebang) (script string, findings []Finding) {
	var b strings.Builder
	open, closing := "{{", "}}"
	for at := 0; ; {
		i := strings.Index(t.source[at:], open)
		findings = append(findings, t.foreignJinja(s, open, at, i)...)
		if i < 0 {
			b.WriteString(t.source[at:])
			return b.String(), findings
		}
		from := at + i
		inner, end := tagIn(t.source, from+len(open), closing)
		b.WriteString(t.source[at:from])
		if opened, closed, ok := changesDelimiters(inner); ok {
			open, closing, at = opened, closed, end
			continue
		}
		if name, ok := foreignName(inner); !ok {
			end = from + 1 // a tag may begin one brace later
		} else if f := t.foreignTag(s, inner, name); f != nil {
			f.Line, f.Column = position(t.source, from)
			f.Tag = t.source[from:end]
			findings = append(findings, *f)
		}
		b.WriteString(t.source[from:end])
		at = end
	}
}

// foreignJinja refuses what is Jinja's in the text from at, n bytes of it or all; see refuseJinja.
func (t *Template) foreignJinja(s shebang, open string, at, n int) []Finding {
	text := t.source[at:]
	if n >= 0 {
		text = text[:n]
	}
	i, found, ok := findJinja(text)
	if !ok || open != "{{" {
		return nil
	}
	line, column := position(t.source, at+i)
	return []Finding{{
		Severity: Error, Line: line, Column: column, Tag: found, Message: jinjaMessage,
		Fix: jinjaFix(found, s.reading("x", false)),
	}}
}

// tagIn returns what stands between start and the closing delimiter, when that comes soon and on the same
// line, and where it ends.
func tagIn(source string, start int, closing string) (inner string, end int) {
	const longest = 300 // a name has 64 characters; the rest are filters
	line, _, _ := strings.Cut(source[start:min(len(source), start+longest)], "\n")
	n := strings.Index(line, closing)
	if n < 0 {
		return "", start
	}
	return strings.TrimSpace(line[:n]), start + n + len(closing)
}

// foreignName returns the parameter that a tag names, and tells whether it has a tag's form at all.
func foreignName(inner string) (parameter string, ok bool) {
	name := strings.TrimSpace(strings.Trim(tagfilter.Split(strings.TrimLeft(inner, "#^&{ "))[0], "{}"))
	parameter, _, _ = strings.Cut(name, ".")
	return parameter, name != "." && namePattern.MatchString(name)
}

// foreignTag says why a tag cannot stand in a script, nil for what names no parameter and is the language's
// own, as f"{{{x}}}" is Python's.
func (t *Template) foreignTag(s shebang, inner, name string) *Finding {
	p := t.declarations.byName[name]
	switch {
	case p == nil && strings.HasPrefix(inner, "{"):
		return nil
	case p == nil && t.options.Undeclared == RefuseUndeclared:
		return &Finding{Severity: Warning,
			Message: "no parameter is declared so, and a script for " + s.name + " has no tags, so this is text",
			Fix:     delimiterHelp}
	}
	fix := "read it in the script: "
	if inner[0] == '#' || inner[0] == '^' {
		fix = "test it in the script: "
	}
	return &Finding{
		Severity: Error, Message: "tags are only possible in bash scripts, and this one is for " + s.name,
		Fix: fix + s.reading(name, p != nil && p.Secret) + "; " + delimiterHelp,
	}
}

// renderForeign returns the script and its parameters.
func (t *Template) renderForeign(arguments map[string]any) (Rendered, error) {
	arguments = t.withDefaults(arguments)
	values := map[string]any{}
	variables := map[string]string{parametersVariable: parametersFile}
	size := 0
	for _, name := range t.declarations.names() {
		v := arguments[name]
		if v == nil {
			continue
		}
		values[name] = v
		text, ok := argument.Text(v)
		if !ok {
			text, ok = argument.JSON(v)
		}
		if !ok || strings.IndexByte(text, 0) >= 0 {
			failure := tool.Failf(tool.FailTemplate, "%s: the value cannot be written as text", name)
			failure.Details["parameter"] = name
			return Rendered{}, failure
		}
		if t.declarations.byName[name].Secret || len(text) > maxVariable || size+len(text) > maxVariables {
			continue
		}
		size += len(text)
		variables[variableOf(name)] = text
	}
	object, ok := argument.JSON(values)
	if !ok {
		return Rendered{}, tool.Failf(tool.FailTemplate, "the parameters cannot be written as JSON")
	}
	return Rendered{
		Script: t.foreign.script, Hash: t.foreign.hash, Shown: t.foreign.script,
		Program: t.foreign.argv, Parameters: object, Environment: variables,
	}, nil
}

// names lists the declared parameters in the order of their names.
func (d *declarations) names() []string {
	names := make([]string, 0, len(d.byName))
	for name := range d.byName {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
