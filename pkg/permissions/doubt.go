package permissions

import (
	"fmt"
	"unicode/utf8"

	"github.com/a2a-acp/a2a-acp/internal/display"
)

// mostDoubts bounds what Doubtful says of one text.
const mostDoubts = 3

// Doubtful returns the reasons why a person who reads the text could take it for something else: characters
// that hide (see Hidden), each kind once, and bytes that are no text. Newlines and tabs are fine. Nil means
// that there are none.
func Doubtful(text string) []string {
	var doubts []string
	seen := map[rune]bool{}
	for i, r := range text {
		switch {
		case len(doubts) == mostDoubts:
			return doubts
		case r == utf8.RuneError && invalidAt(text, i):
			if !seen[r] {
				doubts = append(doubts, "it holds bytes that are no text (UTF-8)")
			}
			seen[r] = true
		case r == '\n' || r == '\t' || seen[r] || !display.Hidden(r):
		default:
			doubts = append(doubts, fmt.Sprintf("it holds the hidden character U+%04X", r))
			seen[r] = true
		}
	}
	return doubts
}

// invalidAt reports whether the byte at i begins no character, as opposed to a U+FFFD that was written.
func invalidAt(text string, i int) bool {
	_, size := utf8.DecodeRuneInString(text[i:])
	return size == 1
}
