package permissions

import (
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/digest"
	"github.com/a2a-acp/a2a-acp/internal/shellwords"
)

// CommandKey names a command with its variables. A text and words that read the same are told apart, but for words in which
// nothing means anything to any shell: agents ask about the text of a command and then hand on its words.
func CommandKey(text string, argv []string, env []Variable) string {
	parts := []string{"text", text}
	switch {
	case text == "" && arePlain(argv):
		parts[1] = strings.Join(argv, " ")
	case len(argv) > 0:
		parts = append([]string{"words"}, argv...)
	}
	key := digest.Of(parts...)
	parts = nil
	for _, v := range env {
		parts = append(parts, v.Name, v.Value)
	}
	return key + digest.Of(parts...)
}

// plainSigns are what a word may consist of that every shell reads as it stands: none of them splits, expands, quotes or redirects.
const plainSigns = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@,+=-"

// shellWords are words that shells take for themselves where a command begins, beside bash's builtins: the reserved words of bash
// (bash(1), RESERVED WORDS) and zsh (zshmisc(1)), precommand modifiers of zsh, and the statements of fish (fish(1)).
var shellWords = strings.Fields(`if then else elif fi do done case esac while until for foreach repeat select function in time coproc end
	nocorrect noglob - and or not begin switch r`)

// arePlain reports whether a shell that is given the words with blanks between them runs the very same program with the very same
// words.
func arePlain(argv []string) bool {
	for _, word := range argv {
		if word == "" || word[0] == '=' || strings.Trim(word, plainSigns) != "" { // zsh takes =ls for a path
			return false
		}
	}
	return len(argv) > 0 && !strings.Contains(argv[0], "=") && !slices.Contains(shellWords, argv[0]) && !shellwords.IsBuiltin(argv[0])
}
