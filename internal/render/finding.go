package render

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/taint"
)

// Severity says what a Finding means for its tool.
type Severity int

// The severities. A Warning never keeps a tool from working.
const (
	Warning Severity = iota
	Error
)

func (s Severity) String() string {
	if s == Error {
		return "error"
	}
	return "warning"
}

// Finding is one thing that Compile has to say about a script.
type Finding struct {
	Severity Severity
	Line     int    // within the script, from 1
	Column   int    // in characters, from 1; 0 when the finding is about the whole line
	Tag      string // the tag as written, "" when there is none
	Context  string // where the tag stands, in words: "double quotes, argument of curl"
	Message  string // what is wrong
	Fix      string // what to write instead, "" when there is no general answer
}

func (f Finding) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: line %d", f.Severity, f.Line)
	if f.Tag != "" {
		fmt.Fprintf(&b, ": %s", f.Tag)
	}
	if f.Context != "" {
		fmt.Fprintf(&b, " (%s)", f.Context)
	}
	fmt.Fprintf(&b, ": %s", f.Message)
	if f.Fix != "" {
		fmt.Fprintf(&b, ". Fix: %s", f.Fix)
	}
	return b.String()
}

// findings returns what an analysis has found, at its places in the template: what is about a tag alone
// first, then what is about the script, by line.
func (s *skeleton) findings(a *taint.Analysis) []Finding {
	var all []Finding
	for _, p := range s.slots {
		if p.tag.optional && !p.Conditional() && p.Quoting != taint.InComment {
			line, column := position(s.source, p.tag.from)
			name := p.tag.domain.Parameter.Name
			all = append(all, Finding{
				Severity: Warning, Line: line, Column: column, Tag: p.tag.source,
				Message: fmt.Sprintf("%q is optional and has no default, so a call without it fails", name),
				Fix:     "put the tag into {{#" + name + "}}…{{/" + name + "}}, or write |default('…')",
			})
		}
		for _, f := range p.Findings() {
			all = append(all, s.finding(f))
		}
	}
	var rest []Finding
	for _, f := range a.Findings {
		found := s.finding(f)
		// The same about the same line is said once, whichever values it is about.
		if !slices.ContainsFunc(rest, func(other Finding) bool {
			return other.Line == found.Line && other.Message == found.Message && other.Context == found.Context
		}) {
			rest = append(rest, found)
		}
	}
	sort.SliceStable(rest, func(i, j int) bool { return rest[i].Line < rest[j].Line })
	return append(all, rest...)
}

// finding returns a finding about the skeleton as one about the template.
func (s *skeleton) finding(f taint.Finding) Finding {
	found := Finding{Severity: Error, Line: 1, Tag: f.Source, Context: f.Context, Message: f.Message, Fix: f.Fix}
	if f.Warning {
		found.Severity = Warning
	}
	if f.Offset >= 0 {
		found.Line, found.Column = position(s.source, s.origin(f.Offset))
	}
	return found
}

// finding makes a finding about the place of a tag.
func (p *tagSlot) finding(source string, severity Severity, message, fix string) Finding {
	line, column := position(source, p.tag.from)
	return Finding{Severity: severity, Line: line, Column: column, Tag: p.tag.source, Context: p.Context(),
		Message: message, Fix: fix}
}

// hasErrors reports whether a tool with these findings can be used.
func hasErrors(findings []Finding) bool {
	for _, f := range findings {
		if f.Severity == Error {
			return true
		}
	}
	return false
}
