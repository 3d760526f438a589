package render

import (
	"fmt"
	"strings"
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

// hasErrors reports whether a tool with these findings can be used.
func hasErrors(findings []Finding) bool {
	for _, f := range findings {
		if f.Severity == Error {
			return true
		}
	}
	return false
}
