package approval

import (
	"fmt"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/display"
)

// Show returns a change for people who see text only: the lines that differ. It does not say which lines of the file these
// are, since an agent may show a part of it.
func (c FileChange) Show() string {
	if c.OldText == nil {
		return fmt.Sprintf("%s would hold, %d bytes in all:\n%s", display.Line(c.Path), len(c.NewText),
			display.Fence("", display.Full(c.NewText)))
	}
	before, after := strings.SplitAfter(*c.OldText, "\n"), strings.SplitAfter(c.NewText, "\n")
	start := 0
	for start < len(before) && start < len(after) && before[start] == after[start] {
		start++
	}
	end := 0
	for end < len(before)-start && end < len(after)-start && before[len(before)-1-end] == after[len(after)-1-end] {
		end++
	}
	removed, added := strings.Join(before[start:len(before)-end], ""), strings.Join(after[start:len(after)-end], "")
	if removed == "" && added == "" {
		return display.Line(c.Path) + " would stay as it is"
	}
	return fmt.Sprintf("%s would change:\n%s", display.Line(c.Path),
		display.Fence("diff", marked("-", removed)+marked("+", added)))
}

// marked gives lines with a mark before each.
func marked(mark, text string) string {
	if text == "" {
		return ""
	}
	var b strings.Builder
	for line := range strings.Lines(strings.TrimSuffix(display.Full(text), "\n") + "\n") {
		b.WriteString(mark + line)
	}
	return b.String()
}
