package yamldoc

import "strings"

// tokenEnd returns the column after what begins at a column of a line, as far as the line alone tells: a
// quoted text, a list or mapping between brackets, a template's tag, a key, or a plain text. Columns count
// characters from 1.
func tokenEnd(line string, column int) int {
	text := []rune(line)
	start := min(max(column, 1)-1, len(text))
	rest := text[start:]
	if len(rest) == 0 {
		return start + 2
	}
	switch rest[0] {
	case '"', '\'':
		return start + 1 + quotedLength(rest)
	case '[', '{':
		return start + 1 + bracketLength(rest)
	case '&', '*', '!', '|', '>', '\t', '%', '@', '`':
		return start + 1 + until(rest, func(i int) bool {
			return rest[i] == ' ' || rest[i] == ',' || rest[i] == ']' || rest[i] == '}'
		})
	}
	flow := insideBrackets(text[:start])
	length := until(rest, func(i int) bool {
		switch {
		case rest[i] == ':' && (i+1 == len(rest) || rest[i+1] == ' '), rest[i] == '#' && i > 0 &&
			rest[i-1] == ' ':
			return true
		}
		return flow && strings.ContainsRune(",]}", rest[i])
	})
	return start + 1 + max(length, 1)
}

// until counts the characters before the first one that ends, without blanks at their end.
func until(text []rune, ends func(i int) bool) int {
	n := 1
	for n < len(text) && !ends(n) {
		n++
	}
	for n > 1 && text[n-1] == ' ' {
		n--
	}
	return n
}

// quotedLength is the length of a quoted text with its quotation marks; all of the rest when it is not
// closed.
func quotedLength(text []rune) int {
	for i := 1; i < len(text); i++ {
		switch {
		case text[0] == '"' && text[i] == '\\':
			i++
		case text[i] != text[0]:
		case text[0] == '\'' && i+1 < len(text) && text[i+1] == '\'':
			i++
		default:
			return i + 1
		}
	}
	return len(text)
}

// bracketLength is the length of what the bracket at the beginning of a text opens; all of the rest when it
// is not closed.
func bracketLength(text []rune) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"', '\'':
			i += quotedLength(text[i:]) - 1
		case '[', '{':
			depth++
		case ']', '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(text)
}

// insideBrackets reports whether a text ends inside of brackets that it opens.
func insideBrackets(text []rune) bool {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"', '\'':
			if i == 0 || strings.ContainsRune(" [{,:", text[i-1]) {
				i += quotedLength(text[i:]) - 1
			}
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		}
	}
	return depth > 0
}
