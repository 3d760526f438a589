package acp

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/pkg/permissions"
)

// claimedCommand is a command as a raw input or a title gives it: as words, or as a text.
type claimedCommand struct {
	argv []string
	text string
}

// is reports whether two commands are the same, told in the same way.
func (c claimedCommand) is(other claimedCommand) bool {
	return c.text == other.text && slices.Equal(c.argv, other.argv)
}

// reads reports whether a title is the command: its text, its words joined, or the text that its words give
// to a shell.
func (c claimedCommand) reads(title string) bool {
	if len(c.argv) == 0 {
		return title == strings.TrimSpace(c.text)
	}
	if title == strings.Join(c.argv, " ") || title == permissions.QuoteArgv(c.argv) {
		return true
	}
	return len(c.argv) == 3 && isShell(c.argv[0]) && (c.argv[1] == "-c" || c.argv[1] == "-lc") &&
		title == strings.TrimSpace(c.argv[2])
}

// isShell reports whether a program is a shell of the system's: any other may do anything with the text
// that it is given.
func isShell(program string) bool {
	dir, name := filepath.Split(program)
	return slices.Contains([]string{"", "/bin/", "/usr/bin/", "/usr/local/bin/"}, dir) &&
		slices.Contains([]string{"sh", "bash", "dash", "zsh"}, name)
}

// commandTitle returns the command that a title gives, which some agents write between backquotes.
func commandTitle(call *toolCall) string {
	title := strings.TrimSpace(call.title)
	if strings.HasPrefix(title, "`") && strings.HasSuffix(title, "`") { // and not at the end of a command only
		title = strings.TrimSpace(strings.Trim(title, "`"))
	}
	return title
}
