package config

import (
	"fmt"
	"unicode/utf8"
)

// badCharacter is the first character of a file that may not stand there.
type badCharacter struct {
	line, column  int
	message, hint string
}

// checkCharacters finds what YAML forbids, and three things that it allows: line breaks that only YAML takes for such, so
// that line numbers mean the same to everybody; and characters that make a text look other than it runs
// (CVE-2021-42574). Each can still be written as an escape between double quotes, where people see it.
func checkCharacters(data []byte) *badCharacter {
	line, column := 1, 0
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		column++
		if message, hint := judge(r, size, data[i+size:]); message != "" {
			return &badCharacter{line: line, column: column, message: message, hint: hint}
		}
		if r == '\n' {
			line, column = line+1, 0
		}
		i += size
	}
	return nil
}

// judge says what is wrong with one character, given what follows it; "" when nothing is.
func judge(r rune, size int, rest []byte) (message, hint string) {
	switch {
	case r == utf8.RuneError && size == 1:
		return "the file is not UTF-8 text", "save it as UTF-8"
	case r == 0:
		return "the file holds NUL", "it may not be a text file, or be saved as UTF-16: save it as UTF-8"
	case r == '\r' && (len(rest) == 0 || rest[0] != '\n'):
		return "a carriage return without a newline", `save the file with \n or \r\n line ends`
	case r == '\u0085', r == '\u2028', r == '\u2029':
		return fmt.Sprintf("the line break U+%04X, which most programs do not take for one", r), escapeHint(r)
	case r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069':
		return fmt.Sprintf("the invisible character U+%04X makes text read otherwise than it runs", r), escapeHint(r)
	case r < ' ' && r != '\t' && r != '\n' && r != '\r', r >= 0x7f && r < 0xa0:
		return fmt.Sprintf("the control character U+%04X", r), escapeHint(r)
	case r == '\ufeff', r == '\ufffe', r == '\uffff':
		return fmt.Sprintf("the character U+%04X", r), escapeHint(r)
	}
	return "", ""
}

func escapeHint(r rune) string {
	return fmt.Sprintf(`take it out, or write it as "\u%04x" in a text between double quotes`, r)
}
