// Package display gives texts of agents, models and files as a person may safely read them: nothing in them
// can pretend to be something else.
package display

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The parts of a long text that a person is shown.
const (
	shownHead = 3000 // bytes
	shownTail = 1000
)

// Text returns a text that an agent or a model wrote as a person may safely read it: control characters,
// characters that change the direction of text and invisible ones stand as escapes, so that nothing can
// pretend to be something else, and of a long text the beginning, the end, the length and the hash are
// shown. Newlines and tabs stay.
func Text(s string) string {
	if len(s) > shownHead+shownTail {
		head, tail := Cut(s, shownHead), s[backTo(s, len(s)-shownTail):]
		return fmt.Sprintf("%s\n… [%d bytes, sha256 %x] …\n%s", escape(head), len(s),
			sha256.Sum256([]byte(s)), escape(tail))
	}
	return escape(s)
}

// mostFull is how many bytes are shown of what a person is asked about. No argument of a program on Linux is longer than
// half of that (MAX_ARG_STRLEN, execve(2)), and nobody reads more.
const mostFull = 256 << 10

// Full is Text for what a person is asked about: a yes is for all of it, so its middle is left out only where it is
// longer than 256 KiB.
func Full(s string) string {
	if len(s) > mostFull {
		return Text(s)
	}
	return escape(s)
}

// FullLine is Full for a text that must stay on one line.
func FullLine(s string) string { return lineEnds.Replace(Full(s)) }

// Line is Text for a text that must stay on one line.
func Line(s string) string {
	if len(s) <= shownHead && plainLine(s) { // nearly every text, and rules show very many
		return s
	}
	return lineEnds.Replace(Text(s))
}

var lineEnds = strings.NewReplacer("\n", `\n`, "\t", `\t`)

// plainLine reports whether a text is made of visible ASCII characters and blanks.
func plainLine(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// Whole is Text for a text of ours that holds such texts: nothing of it is left out.
func Whole(s string) string { return escape(s) }

// Fence puts a text, which must have gone through Text, into a Markdown code block that it cannot close.
func Fence(language, text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + language + "\n" + strings.TrimSuffix(text, "\n") + "\n" + fence
}

// markup are the characters by which a part of a Markdown text can take what is behind it for its own.
const markup = "<`~[$&"

// Words is Text for a text that stands in Markdown before others: one that could hide them is fenced.
func Words(s string) string {
	if s = Text(s); strings.ContainsAny(s, markup) {
		return Fence("", s)
	}
	return s
}

// Span is Line for a text in a paragraph of Markdown, in which it is nothing but itself: one with characters
// that could hide what is behind it, as <!-- does, is a code span that it cannot close.
func Span(s string) string { return span(Line(s)) }

// FullSpan is FullLine for a text in a paragraph of Markdown; see Span.
func FullSpan(s string) string { return span(FullLine(s)) }

func span(s string) string {
	if !strings.ContainsAny(s, markup+"*") {
		return s
	}
	mark := "`"
	for strings.Contains(s, mark) {
		mark += "`"
	}
	return mark + " " + s + " " + mark
}

func escape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\n' || r == '\t':
			b.WriteRune(r)
		case Hidden(r):
			fmt.Fprintf(&b, `\u{%x}`, r)
		default:
			b.WriteRune(r)
		}
		i += size
	}
	return b.String()
}

// Hidden reports whether a character can make a text look other than it is: control and format characters
// (Unicode Cc and Cf: bidirectional marks, zero-width ones, tags), line and paragraph separators, variation
// selectors and blank letters. CVE-2021-42574 ("Trojan Source") is the best known use.
func Hidden(r rune) bool {
	switch {
	case unicode.Is(unicode.Cc, r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Zl, r), unicode.Is(unicode.Zp, r),
		unicode.Is(unicode.Variation_Selector, r), unicode.Is(unicode.Co, r):
		return true
	case unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r), r == '\u2800': // some are letters, some nothing yet
		return true
	}
	return unicode.Is(unicode.Zs, r) && r != ' '
}

// Reorders reports whether a character has the text behind it shown in another order than it is read in. Few
// texts need one: those in scripts that are written from right to left have their order without it.
func Reorders(r rune) bool { return r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069' }

// Cut returns the first bytes of a text, at most n, without cutting a character in two.
func Cut(s string, n int) string { return s[:backTo(s, n)] }

// backTo returns the start of the character that n lies in.
func backTo(s string, n int) int {
	for back := 0; back < utf8.UTFMax && n-back > 0 && n < len(s); back++ {
		if utf8.RuneStart(s[n-back]) {
			return n - back
		}
	}
	return n
}
