package yamldoc

import (
	"errors"
	"fmt"
	"sort"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/display"
)

// Severity says what a mistake leads to.
type Severity string

// The severities: with an error nothing of the file is used, a warning is only told.
const (
	SeverityError   Severity = "error"
	SeverityWarning Severity = "warning"
)

// Error is one mistake in a file, or one thing about it that its author should know.
type Error struct {
	File   string `json:"file"`   // as it is shown to people
	Line   int    `json:"line"`   // from 1; 0 when the file as a whole is meant
	Column int    `json:"column"` // from 1, in characters; 0 when the file as a whole is meant
	// EndColumn is the one after the last character that is meant, on the same line; 0 when only the
	// beginning is known.
	EndColumn int      `json:"end_column,omitempty"`
	Severity  Severity `json:"severity"`
	Rule      string   `json:"rule"` // the kind of mistake, one word for searching
	Message   string   `json:"message"`
	Hint      string   `json:"hint,omitempty"` // the cure, where we know it; may have several lines
	// Excerpt is the line itself; nil when the file as a whole is meant.
	Excerpt *Excerpt `json:"excerpt,omitempty"`
}

// Error returns `tools.yaml:41:9: message [rule]`, and the hint on lines of its own.
func (e Error) Error() string { return e.text(nil) }

// Shown is Error with the line of the file below the message, and the place in it.
func (e Error) Shown() string { return e.text(e.Excerpt) }

func (e Error) text(excerpt *Excerpt) string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", e.Line, e.Column)
	}
	b.WriteString(": ")
	if e.Severity == SeverityWarning {
		b.WriteString("warning: ")
	}
	fmt.Fprintf(&b, "%s [%s]", e.Message, e.Rule)
	if excerpt != nil {
		excerpt.write(&b, e.Line)
	}
	if e.Hint != "" {
		b.WriteString("\n  hint: " + strings.ReplaceAll(e.Hint, "\n", "\n  "))
	}
	return b.String()
}

// Escaped returns the mistake as people may read it. Files and their names can come from a stranger, and a
// message repeats what stands there: nothing of it may reach a terminal as a command.
func (e Error) Escaped() Error {
	e.File, e.Message, e.Hint = display.Line(e.File), display.Line(maskShapes(e.Message)),
		display.Text(maskShapes(e.Hint))
	return e
}

// Errors is everything that is to be said about one or more files. It is an error when one of its members is.
type Errors []Error

func (l Errors) Error() string {
	lines := make([]string, len(l))
	for i, e := range l {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Shown is Error with the lines of the files.
func (l Errors) Shown() string {
	lines := make([]string, len(l))
	for i, e := range l {
		lines[i] = e.Shown()
	}
	return strings.Join(lines, "\n")
}

// Summary counts what is said, file by file: `3 mistakes, 1 warning in tools.yaml`. It is "" when nothing is.
func (l Errors) Summary() string {
	type count struct{ mistakes, warnings int }
	counts := map[string]*count{}
	var files []string
	for _, e := range l {
		if counts[e.File] == nil {
			counts[e.File] = &count{}
			files = append(files, e.File)
		}
		switch e.Severity {
		case SeverityWarning:
			counts[e.File].warnings++
		default:
			counts[e.File].mistakes++
		}
	}
	var parts []string
	for _, file := range files {
		c := counts[file]
		var said []string
		if c.mistakes > 0 {
			said = append(said, display.Count(c.mistakes, "mistake", "mistakes"))
		}
		if c.warnings > 0 {
			said = append(said, display.Count(c.warnings, "warning", "warnings"))
		}
		parts = append(parts, strings.Join(said, ", ")+" in "+file)
	}
	return strings.Join(parts, "; ")
}

// Broken reports whether one of them is an error, so that the file cannot be used.
func (l Errors) Broken() bool {
	for _, e := range l {
		if e.Severity == SeverityError {
			return true
		}
	}
	return false
}

// Err returns the list as an error, or nil when it holds warnings only.
func (l Errors) Err() error {
	if !l.Broken() {
		return nil
	}
	return l
}

// Sort puts the list in the order of reading. Files stay in the order in which they first come up.
func (l Errors) Sort() {
	order := map[string]int{}
	for _, e := range l {
		if _, seen := order[e.File]; !seen {
			order[e.File] = len(order)
		}
	}
	sort.SliceStable(l, func(i, j int) bool {
		a, b := l[i], l[j]
		switch {
		case a.File != b.File:
			return order[a.File] < order[b.File]
		case a.Line != b.Line:
			return a.Line < b.Line
		}
		return a.Column < b.Column
	})
}

// Shown returns the text of an error that holds mistakes in files, each with its line.
func Shown(err error) string {
	list := List(err)
	return strings.Replace(err.Error(), list.Error(), list.Shown(), 1)
}

// List returns the mistakes that err holds: those of an Errors or an Error, else none.
func List(err error) Errors {
	var all Errors
	if errors.As(err, &all) {
		return all
	}
	var one Error
	if errors.As(err, &one) {
		return Errors{one}
	}
	return nil
}
