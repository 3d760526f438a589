package permissions

import (
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/shellscan"
)

// SetShellText makes the request one that runs a shell text: what it runs, and whether the text can be believed, is read
// from it.
func (r *Request) SetShellText(text string) {
	script := shellscan.Scan(text)
	r.Shell, r.ShellText = &script, text
	r.Doubts = append(r.Doubts[:len(r.Doubts):len(r.Doubts)], Doubtful(text)...)
}

// CommandLines lists for people what the request can run, one command a line, with … for a word that is not known.
func (r Request) CommandLines() []string {
	if r.Shell == nil {
		return nil
	}
	var lines []string
	for _, c := range r.Shell.Commands {
		words := []string{c.Name}
		for _, word := range c.Args {
			switch {
			case word.Fixed:
				words = append(words, word.Text)
			case word.Pattern != "":
				words = append(words, word.Pattern)
			default:
				words = append(words, "…")
			}
		}
		line := ShowLine(strings.Join(words, " "))
		if c.Via != "" {
			line += " (run by " + ShowLine(c.Via) + ")"
		}
		lines = append(lines, line)
	}
	return lines
}
