package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"mvdan.cc/sh/v3/syntax"

	"github.com/a2a-acp/a2a-acp/cmd/a2a-acp/internal/cli"
)

// TestDocumentedCommands reads every command of ours in the documents as the program does: its verb and its
// flags have to exist, and a line of its own has to have the arguments that the verb wants.
func TestDocumentedCommands(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile("(?m)^    (?:\\$ )?(.*\\ba2a-acp .*)$|`(a2a-acp [^`]*)`")
	read := 0
	for _, path := range append(pages, "../../README.md") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range line.FindAllSubmatch(text, -1) {
			whole := len(found[1]) > 0
			for _, command := range ours(t, string(found[1])+string(found[2])) {
				read++
				if err := understood(command, whole); err != nil {
					t.Errorf("%s: a2a-acp %s: %v", path, strings.Join(command, " "), err)
				}
			}
		}
	}
	if read < 100 {
		t.Errorf("%d commands were read; the documents have more", read)
	}
}

// ours returns the arguments of each command of ours in a line of shell. "tools list, show" is two.
func ours(t *testing.T, line string) [][]string {
	t.Helper()
	file, err := syntax.NewParser().Parse(strings.NewReader(strings.ReplaceAll(line, "…", "")), "")
	if err != nil {
		return nil // a diagram, or what a command printed
	}
	var all [][]string
	syntax.Walk(file, func(node syntax.Node) bool {
		call, is := node.(*syntax.CallExpr)
		if !is {
			return true
		}
		var words []string
		for _, word := range call.Args {
			var text bytes.Buffer
			if err := syntax.NewPrinter().Print(&text, word); err != nil {
				t.Fatal(err)
			}
			words = append(words, strings.Trim(text.String(), `'"`))
		}
		if len(words) > 0 && words[0] == "npx" {
			words = words[1:]
		}
		if len(words) > 0 && words[0] == "a2a-acp" {
			all = append(all, verbs(words[1:])...)
		}
		return true
	})
	return all
}

// verbs takes "tools list, show" apart.
func verbs(words []string) [][]string {
	for i, word := range words {
		if strings.HasSuffix(word, ",") {
			var all [][]string
			for _, verb := range words[i:] {
				all = append(all, append(append([]string{}, words[:i]...), strings.TrimSuffix(verb, ",")))
			}
			return all
		}
	}
	return [][]string{words}
}

// understood returns an error unless a verb of ours takes these arguments; those of a whole command line are
// counted, too.
func understood(arguments []string, whole bool) error {
	root := rootCommand(&cli.Environment{Stdout: new(bytes.Buffer), Stderr: new(bytes.Buffer)})
	root.InitDefaultCompletionCmd(arguments...)
	cmd, rest, err := root.Find(arguments)
	if err != nil {
		return err
	}
	if err := cmd.ParseFlags(rest); errors.Is(err, pflag.ErrHelp) {
		return nil
	} else if err != nil {
		return err
	}
	if cmd.HasSubCommands() {
		return cobra.NoArgs(cmd, cmd.Flags().Args())
	}
	if !whole {
		return nil
	}
	return cmd.ValidateArgs(cmd.Flags().Args())
}
