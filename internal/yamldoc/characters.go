package yamldoc

import (
	"fmt"
	"unicode/utf8"
)

// badCharacter is a character of a file that may not stand there.
type badCharacter struct {
	line, column  int
	message, hint string
	fatal         bool // what follows is not what its author sees, either
}

// checkCharacters finds what YAML forbids, and three things that it allows: line breaks that only YAML takes
// for such, so that line numbers mean the same to everybody; and characters that make a text look other than
// it runs (CVE-2021-42574). Each can still be written as an escape between double quotes, where people see
// it. It gives the file with spaces in their place, and tells of each character once.
func checkCharacters(data []byte) (faults []badCharacter, rest []byte) {
	line, column := 1, 0
	told := map[rune]bool{}
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		column++
		message, hint := judge(r, size, data[i+size:])
		if message != "" && !told[r] {
			told[r] = true
			fatal := r == utf8.RuneError || r == 0 || r == '\r'
			faults = append(faults, badCharacter{line, column, message, hint, fatal})
			if fatal {
				return faults, nil
			}
		}
		switch {
		case message == "" && rest != nil:
			rest = append(rest, data[i:i+size]...)
		case message != "":
			if rest == nil {
				rest = append(make([]byte, 0, len(data)), data[:i]...)
			}
			rest = append(rest, ' ')
		}
		if r == '\n' {
			line, column = line+1, 0
		}
		i += size
	}
	if rest == nil {
		rest = data
	}
	return faults, rest
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
		return fmt.Sprintf("the invisible character U+%04X makes text read otherwise than it runs", r),
			escapeHint(r)
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
