package config

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/shellscan"
	"github.com/a2a-acp/a2a-acp/internal/shellwords"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// NamedScripts lists the scripts of a workspace that a tool's own script, or its program, names in so many words,
// relative to the workspace's directory. What a script calls in its turn, and what it makes the name of, is not among
// them.
func NamedScripts(t *tool.Tool, dir string) []string {
	var names []string
	for _, c := range commandsOf(t, nil) {
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

// scriptLanguages are the languages whose programs are single files. What other files a program obeys, such
// as directories of classes and settings, is not pinned.
var scriptLanguages = []shellwords.Language{shellwords.Shell, shellwords.Python, shellwords.Perl,
	shellwords.Ruby, shellwords.JavaScript, shellwords.PHP, shellwords.Lua, shellwords.R, shellwords.Tcl}

// scriptWords returns the words of a command that name the scripts it runs: its name, if that is a path, and
// the operand that its program reads as a script.
func scriptWords(c shellscan.Command) []string {
	var words []string
	if strings.Contains(c.Name, "/") {
		words = append(words, c.Name)
	}
	read := shellwords.Read(wordsOf(c), nil)
	for i, role := range read.Roles[1:] {
		if role.Kind == shellwords.CodeFile && slices.Contains(scriptLanguages, role.Language) &&
			!strings.Contains(role.Reader, " -") && c.Args[i].Fixed && c.Args[i].Text != "-" {
			words = append(words, c.Args[i].Text)
		}
	}
	return words
}

// wordsOf returns all words of a command, its name first.
func wordsOf(c shellscan.Command) []shellwords.Word {
	words := []shellwords.Word{{Text: c.Name, Fixed: true}}
	for _, arg := range c.Args {
		words = append(words, shellwords.Word{Text: arg.Text, Fixed: arg.Fixed})
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
