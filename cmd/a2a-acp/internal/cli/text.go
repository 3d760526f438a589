package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// FirstLine returns the first line of s, safe to print.
func FirstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return display.Line(line)
}

// Indent returns s with every line indented.
func Indent(s string) string {
	return "  " + strings.ReplaceAll(strings.TrimSuffix(s, "\n"), "\n", "\n  ")
}

// Clock returns a time as people read it, in their own zone.
func Clock(t time.Time) string { return t.Local().Format(time.DateTime) }

// AtRule returns where the rule of a decision stands; "" without a rule.
func AtRule(d tool.DecisionSummary) string {
	if d.Rule == "" {
		return ""
	}
	return fmt.Sprintf(", rule %s at %s", d.Rule, d.At)
}
