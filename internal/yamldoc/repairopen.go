package yamldoc

import (
	"slices"
	"strings"
)

// The guesses about what a line has left open: a quotation mark or a bracket that nothing closes.

// longestOpen is how long a line may be, in bytes, of which is guessed what it leaves open: that takes time by the square
// of it, and nobody writes longer ones by hand.
const longestOpen = 16 << 10

// guessQuote finds the quotation mark, in the line or above it, that opens a text which nothing closes.
func guessQuote(lines []string, at int) []repair {
	var all []repair
	for i := min(at, len(lines)-1); i >= 0 && i > at-500; i-- {
		from, ok := openQuote(lines[i])
		if !ok {
			continue
		}
		sign := lines[i][from : from+1]
		m := lineRepair(lines, i, from, from+1, strings.TrimRight(lines[i], " ")+sign,
			"the text that "+sign+" opens here is not closed",
			"end it with "+sign+" on its line; a text of several lines is best written below a |")
		all = append(all, m...)
	}
	return all
}

// openQuote returns the place of a quotation mark that the line opens and does not close.
func openQuote(line string) (int, bool) {
	if len(line) > longestOpen {
		return 0, false
	}
	for i := 0; i < len(line); {
		opens := line[i] == '"' || line[i] == '\''
		if !opens || i > 0 && !strings.ContainsRune(" [{,\t", rune(line[i-1])) {
			i++
			continue
		}
		text := []rune(line[i:])
		length := quotedLength(text)
		if length == len(text) && (len(text) == 1 || text[length-1] != text[0]) {
			return i, true
		}
		i += len(string(text[:length]))
	}
	return 0, false
}

// guessBracket finds the bracket, in the line or above it, that nothing closes.
func guessBracket(lines []string, at int) []repair {
	var all []repair
	for i := at; i >= 0 && i > at-500; i-- {
		from, closing := openBracket(lines[i])
		if closing == "" {
			continue
		}
		m := lineRepair(lines, i, from, from+1, strings.TrimRight(lines[i], " ,")+closing,
			"the bracket "+lines[i][from:from+1]+" that opens here is not closed",
			"end it with "+Shorten(closing))
		all = append(all, m...)
	}
	return all
}

// openBracket returns the place of the first bracket that a line opens and does not close, and what would
// close all of them.
func openBracket(line string) (int, string) {
	if len(line) > longestOpen {
		return 0, ""
	}
	var open []int
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '"', '\'':
			if i == 0 || strings.ContainsRune(" [{,:", rune(line[i-1])) {
				i += len(string([]rune(line[i:])[:quotedLength([]rune(line[i:]))])) - 1
			}
		case '#':
			if i > 0 && line[i-1] == ' ' {
				i = len(line)
			}
		case '[', '{':
			open = append(open, i)
		case ']', '}':
			if len(open) > 0 {
				open = open[:len(open)-1]
			}
		}
	}
	if len(open) == 0 {
		return 0, ""
	}
	closing := ""
	for _, at := range slices.Backward(open) {
		closing += map[byte]string{'[': "]", '{': "}"}[line[at]]
	}
	return open[0], closing
}
