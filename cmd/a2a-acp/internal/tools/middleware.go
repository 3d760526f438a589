package tools

import (
	"fmt"
	"io"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// middlewareDetails is the row of middleware that a tool has, in `tools show -o json`.
type middlewareDetails struct {
	Source   string           `json:"source"`
	Timeout  float64          `json:"timeout,omitempty"` // in seconds
	Limit    *limitDetails    `json:"limit,omitempty"`
	Validate *validateDetails `json:"validate,omitempty"`
	Redact   []string         `json:"redact,omitempty"`
	Log      tool.AuditLevel  `json:"log,omitempty"`
}

type limitDetails struct {
	Count int64         `json:"count"`
	Per   float64       `json:"per"` // in seconds
	Key   tool.LimitKey `json:"key"`
}

type validateDetails struct {
	Arguments int `json:"max_args,omitempty"`
	Kilobytes int `json:"max_kb,omitempty"`
}

// shownMiddleware returns the row of a tool, nil where it has none.
func shownMiddleware(m tool.Middleware) *middlewareDetails {
	if m.IsZero() {
		return nil
	}
	d := &middlewareDetails{Source: m.Source.String(), Timeout: m.Timeout.Seconds(), Redact: m.Redact, Log: m.Audit}
	if l := m.Limit; l.Count > 0 {
		d.Limit = &limitDetails{l.Count, l.Per.Seconds(), l.Key}
	}
	if m.MostArguments > 0 || m.MostBytes > 0 {
		d.Validate = &validateDetails{m.MostArguments, m.MostBytes >> 10}
	}
	return d
}

// writeMiddleware tells which row a tool has, and what it adds.
func writeMiddleware(w io.Writer, t *tool.Tool) {
	m := t.Middleware
	if m.IsZero() {
		return
	}
	fmt.Fprintf(w, "\nMiddleware (%s)\n", m.Source)
	if m.Timeout > 0 {
		fmt.Fprintf(w, "  ended after %s\n", t.Sandbox.Limits.Timeout)
	}
	if l := m.Limit; l.Count > 0 {
		most := display.Count(l.Count, "call", "calls")
		fmt.Fprintf(w, "  refused beyond %s in %s, counted %s\n", most, l.Per, map[tool.LimitKey]string{
			tool.LimitAll: "together", tool.LimitClient: "for each client", tool.LimitTool: "for each tool",
			tool.LimitSession: "for each session",
		}[l.Key])
	}
	if m.MostArguments > 0 {
		fmt.Fprintf(w, "  refused with more than %s, or items in a list\n", display.Count(m.MostArguments, "argument", "arguments"))
	}
	if m.MostBytes > 0 {
		fmt.Fprintf(w, "  refused with more than %d KB of arguments\n", m.MostBytes>>10)
	}
	if len(m.Redact) > 0 {
		fmt.Fprintf(w, "  taken out of its output: %s\n", display.Line(strings.Join(m.Redact, ", ")))
	}
	if m.Audit != "" {
		fmt.Fprintf(w, "  log: %s\n", m.Audit)
	}
}
