package permissions

import (
	"fmt"
	"strings"
)

// The small languages of programs that filter text. Each function gives the reason why a program in that
// language is not known to only read its input and print; "" when it is.

// sedProgram reads a sed program of the commands that only look at lines and change what is printed: = d D
// g G h H l n N p P q Q s x y z and { }, with any addresses. Everything else is not known here: w, W, r, R,
// e, F, labels, and a, i, c, whose text ends in several ways. Where seds read differently (a delimiter in
// brackets, lines joined), the program is not known, either. (GNU sed 4.9's manual, sed Programs.)
func sedProgram(text string) string {
	s := &sedReader{text: text}
	for depth := 0; ; {
		s.skip(" \t\n;")
		switch {
		case s.at == len(text) && depth == 0:
			return ""
		case s.at == len(text):
			return "its sed program has a { without its }"
		case !s.addresses():
			return "an address of its sed program is not known here"
		}
		switch c := s.next(); {
		case c == '{':
			depth++
			continue
		case c == '}' && depth > 0:
			depth--
		case c == 's' && s.substitution(), c == 'y' && s.parts(), c != 0 &&
			strings.IndexByte("=dDgGhHlnNpPxz", c) >= 0:
		case c == 'q' || c == 'Q':
			s.skip(" 0123456789")
		default:
			return fmt.Sprintf("the command %q of its sed program may do more than print, or is not known here",
				string(c))
		}
		s.skip(" \t")
		if c := s.peek(); c != 0 && c != ';' && c != '\n' && c != '}' {
			return "a command of its sed program ends in a way that is not known here"
		}
	}
}

type sedReader struct {
	text string
	at   int
}

func (s *sedReader) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

func (s *sedReader) next() byte {
	c := s.peek()
	s.at = min(s.at+1, len(s.text))
	return c
}

// skip steps over any of the characters, and reports whether there was one.
func (s *sedReader) skip(characters string) bool {
	from := s.at
	for c := s.peek(); c != 0 && strings.IndexByte(characters, c) >= 0; c = s.peek() {
		s.at++
	}
	return s.at > from
}

// addresses reads none, one or two addresses and the ! behind them.
func (s *sedReader) addresses() bool {
	some, ok := s.address(false)
	if !ok {
		return false
	}
	s.skip(" \t")
	if some && s.peek() == ',' {
		s.next()
		s.skip(" \t")
		if more, ok := s.address(true); !more || !ok {
			return false
		}
	}
	s.skip(" \t!")
	return true
}

// address reads a line number, first~step, $, /re/, and, as the second of two, +n and ~n.
func (s *sedReader) address(second bool) (some, ok bool) {
	switch c := s.peek(); {
	case c >= '0' && c <= '9':
		s.skip("0123456789")
		if s.peek() == '~' {
			s.next()
			return true, s.skip("0123456789")
		}
		return true, true
	case c == '$':
		s.next()
		return true, true
	case second && (c == '+' || c == '~'):
		s.next()
		return true, s.skip("0123456789")
	case c == '/':
		s.next()
		ok := s.part('/', true)
		s.skip("IM")
		return true, ok
	}
	return false, true
}

// substitution reads /re/text/flags behind s.
func (s *sedReader) substitution() bool {
	if !s.parts() {
		return false
	}
	s.skip("gpiIM0123456789") // not e, which runs, nor w, which writes
	return true
}

// parts reads two parts with the delimiter that stands in front of them.
func (s *sedReader) parts() bool {
	delimiter := s.next()
	return delimiter != 0 && strings.IndexByte("/,|#:@!%~+_;=", delimiter) >= 0 && s.part(delimiter, true) &&
		s.part(delimiter, false)
}

// part reads up to the delimiter and over it.
func (s *sedReader) part(delimiter byte, pattern bool) bool {
	from := s.at
	for {
		switch c := s.next(); c {
		case 0, '\n':
			return false
		case '\\':
			if c := s.next(); c == 0 || c == '\n' {
				return false
			}
		case delimiter:
			// In brackets some seds take the delimiter for a character like others.
			return !pattern || closed(s.text[from:s.at-1])
		}
	}
}

// closed reports whether every [ of a regular expression has its ].
func closed(expression string) bool {
	for i := 0; i < len(expression); i++ {
		switch expression[i] {
		case '\\':
			i++
		case '[':
			rest := strings.TrimPrefix(expression[i+1:], "^")
			rest = strings.TrimPrefix(rest, "]")
			end := strings.IndexByte(rest, ']')
			if end < 0 || strings.ContainsAny(rest[:end], `[\`) { // [[:alpha:]], and what a \ in brackets means
				return false
			}
			i = len(expression) - len(rest) + end
		}
	}
	return true
}

// awkProgram takes an awk program that holds nothing by which awk runs a command, opens a file that is not
// among its words, or tells its environment. The words of the language have no second spelling, so it is
// enough that none stands there, be it in a text or a pattern. (gawk 5's manual: Redirection, Getline, I/O
// Functions, Indirect Calls, Include Files, Auto-set.)
func awkProgram(text string) string {
	for _, word := range []string{"system", "getline", "ENVIRON", "ARGV", "ARGC", "PROCINFO", "SYMTAB",
		"FUNCTAB", "extension", "@", "\\\n"} {
		if strings.Contains(text, word) {
			return fmt.Sprintf("its awk program holds %q, by which it may do more than print", word)
		}
	}
	// || and >= are read before | and > are.
	rest := strings.NewReplacer("||", "  ", ">=", "  ").Replace(text)
	if at := strings.IndexAny(rest, "|>"); at >= 0 {
		return fmt.Sprintf("its awk program holds a %c, by which it may write or run something", rest[at])
	}
	return ""
}

// jqProgram takes a jq program that neither tells its environment nor loads modules. Identifiers have no
// second spelling in jq. (jq 1.7's manual: $ENV, Modules.)
func jqProgram(text string) string {
	for _, word := range []string{"env", "ENV", "import", "include", "modulemeta"} {
		if strings.Contains(text, word) {
			return fmt.Sprintf("its jq program holds %q, by which it may do more than print", word)
		}
	}
	return ""
}
