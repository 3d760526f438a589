package permissions

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/shellscan"
)

// git diff, grep and status -v show what tracked files hold now. Which of them have changed, git is asked (gittaken.go).

// readShowing reads the words of a command of git's that shows what has changed. Which of its words in front of a -- are
// files only git knows.
func readShowing(c shellscan.Command) (g gitTaking, ok bool) {
	name, rest := gitSubcommand(c, func(name string) bool {
		return command.In(command.Showers, name) || command.Subcommands(command.Showers, name) != nil
	})
	if name == "" {
		return g, false
	}
	options := command.Subcommands(command.Showers, name)
	shows := command.In(command.Showers, name) || slices.ContainsFunc(rest, func(w shellscan.Word) bool {
		return !w.Fixed || strings.HasPrefix(w.Text, "-") && mayMean(w.Text, options)
	})
	g = gitTaking{by: "`" + display.Line(name) + "`", shows: true}
	if at := slices.IndexFunc(rest, func(w shellscan.Word) bool { return w.Text == "--" }); at >= 0 {
		for _, word := range rest[at+1:] {
			if !word.Fixed || strings.ContainsAny(word.Text, `*?[\~`) || strings.HasPrefix(word.Text, ":") {
				g.names = nil // a pattern of git's own
				break
			}
			g.names = append(g.names, word.Text)
		}
	}
	return g, shows
}

// showsSecret tells why a command of git's that only reads shows what it must not: what is in the last commit many of them
// show, but a tracked file may have become a secret since, as a .env that a repository brings along and a person fills in.
func (v *evaluation) showsSecret(c shellscan.Command) string {
	g, shows := readShowing(c)
	if !shows {
		return ""
	}
	for _, dir := range v.shell.dirs {
		r := v.repository(dir)
		if r.Repository == nil {
			continue // it was looked at already
		}
		files, more := v.taken(r.Repository, dir, g)
		if more != "" {
			return more
		}
		for _, p := range files {
			if why := v.showsFile(p.real); why != "" {
				return why
			}
		}
	}
	return ""
}

// showsFile is showsSecret for a tracked file. One whose directory is a link by now git grep searches where that leads.
func (v *evaluation) showsFile(path string) string {
	dir, err := v.facts.resolve("/", filepath.Dir(path))
	switch {
	case err != nil:
		return "it cannot be told where " + shown(v.Workspace, filepath.Dir(path)) + " leads"
	case dir != filepath.Dir(path):
		return shown(v.Workspace, path) + " is behind a link"
	}
	if what := v.secret(path); what != "" {
		return "it would show " + shown(v.Workspace, path) + ", which " + what
	}
	return ""
}
