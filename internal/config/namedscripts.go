package config

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/shellscan"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// NamedScripts lists the scripts of a workspace that a tool's own script names in so many words, relative to
// the workspace's directory. What a script calls in its turn, and what it makes the name of, is not among
// them.
func NamedScripts(t *tool.Tool, dir string) []string {
	var names []string
	for _, c := range authorsCommands(t.Script, nil) {
		for _, word := range scriptWords(c) {
			name, ok := scriptIn(t, dir, word)
			if ok && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// scriptWords are the words of a command that name what it runs.
func scriptWords(c shellscan.Command) []string {
	var words []string
	if strings.Contains(c.Name, "/") {
		words = append(words, c.Name)
	}
	if !command.In(command.ScriptReaders, path.Base(c.Name)) {
		return words
	}
	for _, arg := range c.Args {
		switch {
		case !arg.Fixed, arg.Text == "-c", arg.Text == "-e", arg.Text == "-m", arg.Text == "-":
			return words
		case !strings.HasPrefix(arg.Text, "-"):
			return append(words, arg.Text)
		}
	}
	return words
}

// scriptIn returns the name of a script relative to the workspace; false for one that does not lie there.
func scriptIn(t *tool.Tool, dir, word string) (string, bool) {
	if word == "" || strings.ContainsRune(word, 0) {
		return "", false
	}
	at := word
	if !filepath.IsAbs(at) {
		from := dir
		if filepath.IsAbs(t.Sandbox.WorkingDirectory) {
			from = t.Sandbox.WorkingDirectory
		} else {
			from = filepath.Join(from, t.Sandbox.WorkingDirectory)
		}
		at = filepath.Join(from, at)
	}
	name, err := filepath.Rel(dir, filepath.Clean(at))
	return name, err == nil && filepath.IsLocal(name) && name != "."
}
