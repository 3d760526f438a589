package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/a2a-acp/a2a-acp/internal/exit"
)

// LibraryVerbs makes the verbs that the library has of itself, help and completion, and mends them: a word that is no
// command is told, and bash completes without a package of its own.
func LibraryVerbs(root *cobra.Command, out io.Writer) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, verb := range root.Commands() {
		switch verb.Name() {
		case "help":
			verb.Args = func(_ *cobra.Command, words []string) error {
				of, rest, err := root.Find(words)
				if err == nil && of.HasSubCommands() {
					err = VerbsOnly(of, rest)
				}
				return err
			}
		case "completion":
			verb.Args, verb.RunE = VerbsOnly, func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
			for _, shell := range verb.Commands() {
				long, wants, found := strings.Cut(shell.Long, packageWanted)
				if found {
					shell.Long = long + wants
					shell.RunE = func(cmd *cobra.Command, _ []string) error { return bashCompletion(cmd, out) }
				}
			}
		}
	}
}

// What the library's script for bash does with its words, and says of it.
const (
	packageWanted = `This script depends on the 'bash-completion' package.
If it is not installed already, you can install it via your OS's package manager.

`
	wordsByPackage = `    _get_comp_words_by_ref "$@" cur prev words cword
`
	// In its place, where that package is not there: what bash has taken apart at = and : is one word again.
	wordsWithout = `    if declare -F _get_comp_words_by_ref >/dev/null 2>&1; then
        _get_comp_words_by_ref "$@" cur prev words cword
        return
    fi
    local i word gap rest=$COMP_LINE
    words=() cword=0
    for ((i = 0; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        gap=${rest%%[![:blank:]]*}
        rest=${rest#"$gap"}
        rest=${rest#"$word"}
        if [[ -z $gap && i -gt 0 && ( $word == [=:]* || ${words[cword]} == *[=:] ) ]]; then
            words[cword]+=$word
        else
            words+=("$word")
            cword=$((${#words[@]} - 1))
        fi
    done
    cur=${words[cword]}
    prev=
    if ((cword > 0)); then prev=${words[cword - 1]}; fi
`
)

// bashCompletion prints the library's script, with that in its place.
func bashCompletion(cmd *cobra.Command, out io.Writer) error {
	bare, err := cmd.Flags().GetBool("no-descriptions")
	if err != nil {
		return err
	}
	var script bytes.Buffer
	if err := cmd.Root().GenBashCompletionV2(&script, !bare); err != nil {
		return err
	}
	text := strings.Replace(script.String(), wordsByPackage, wordsWithout, 1)
	if text == script.String() {
		return Fail(exit.Host, errors.New("the script for bash is not as it was: it would complete nothing without bash-completion"))
	}
	_, err = fmt.Fprint(out, text)
	return err
}
