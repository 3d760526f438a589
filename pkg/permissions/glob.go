package permissions

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/a2a-acp/a2a-acp/internal/display"
)

// longestGlob is the length, in bytes, that a pattern may have.
const longestGlob = 1024

// glob is a compiled pattern for paths or tool ids. It matches in linear time (RE2), whatever the pattern.
//
//   - any characters but '/'           **     any characters
//     ?      one character but '/'            **/    no directory, or any
//     [a-z]  one of these, [!a-z] any other   \*     the character itself
//
// In a tool id '/' means nothing, and * is any characters.
type glob struct {
	text    string
	literal string         // what the pattern stands for when it has no special characters, else ""
	exact   *regexp.Regexp // for what approves; nil for a literal
	loose   *regexp.Regexp // for what stops: letter case does not count, and X/** is X, too
	// composed and apart are loose in Unicode's two forms of a letter with a sign: as one character, and as
	// two (NFC, NFD).
	composed, apart *regexp.Regexp
}

// globError is a mistake in a pattern.
type globError struct{ message, hint string }

func (e *globError) Error() string { return e.message }

// compileGlob compiles a pattern. A tool id has no directories.
func compileGlob(text string, toolID bool) (*glob, error) {
	g, err := compileForm(text, toolID)
	if err != nil {
		return nil, err
	}
	g.composed, g.apart = g.loose, g.loose
	if composed := norm.NFC.String(text); composed != text {
		if other, err := compileForm(composed, toolID); err == nil {
			g.composed = other.loose
		}
	}
	// In brackets a letter that is taken apart would be two.
	if apart := norm.NFD.String(text); apart != text && !strings.Contains(text, "[") {
		if other, err := compileForm(apart, toolID); err == nil {
			g.apart = other.loose
		}
	}
	return g, nil
}

// compileForm compiles a pattern in the form in which it is written.
func compileForm(text string, toolID bool) (*glob, error) {
	if err := checkGlobText(text); err != nil {
		return nil, err
	}
	t := globTranslator{star: `[^/]*`, one: `[^/]`}
	if toolID {
		t = globTranslator{star: `.*`, one: `.`}
	}
	body, below := text, false
	if rest, ok := strings.CutSuffix(text, "/**"); ok && !toolID && rest != "" && !strings.HasSuffix(rest, `\`) {
		body, below = rest, true
	}
	pattern, literal, err := t.translate(body)
	if err != nil {
		return nil, err
	}
	g := &glob{text: text}
	if literal != "" && !below {
		g.literal = literal
	}
	exact, loose := pattern, pattern
	if below {
		exact, loose = pattern+`/.+`, pattern+`(?:/.*)?`
	}
	loose = `(?i:` + loose + `)`
	if strings.Contains(text, "[") {
		loose += "|" + exact // [!0-X] is fewer letters where case does not count
	}
	if g.loose, err = regexp.Compile(`(?s)\A(?:` + loose + `)\z`); err != nil {
		return nil, &globError{fmt.Sprintf("the pattern %q cannot be read: %v", text, err), ""}
	}
	if g.literal == "" {
		if g.exact, err = regexp.Compile(`(?s)\A(?:` + exact + `)\z`); err != nil {
			return nil, &globError{fmt.Sprintf("the pattern %q cannot be read: %v", text, err), ""}
		}
	}
	return g, nil
}

// checkGlobText refuses what no pattern should hold.
func checkGlobText(text string) error {
	switch {
	case text == "":
		return &globError{"the pattern is empty", `"*" stands for anything`}
	case len(text) > longestGlob:
		return &globError{fmt.Sprintf("the pattern is longer than %d bytes", longestGlob), ""}
	case !utf8.ValidString(text) || strings.ContainsFunc(text, display.Hidden):
		return &globError{"the pattern holds characters that nobody sees", "type it anew"}
	}
	return nil
}

// matches reports whether the pattern stands for s, letter by letter.
func (g *glob) matches(s string) bool {
	if g.exact == nil {
		return g.literal == s
	}
	return g.exact.MatchString(s)
}

// mayMatch is matches for what stops an act: on some file systems letter case does not count, nor in which
// of its forms Unicode writes a letter (HFS+, APFS), and whoever removes a directory removes what is in it.
func (g *glob) mayMatch(s string) bool {
	if g.loose.MatchString(s) {
		return true
	}
	if g.composed == g.loose && g.apart == g.loose && isASCII(s) {
		return false // there is one way to write both
	}
	if composed := norm.NFC.String(s); (composed != s || g.composed != g.loose) &&
		g.composed.MatchString(composed) {
		return true
	}
	apart := norm.NFD.String(s)
	return (apart != s || g.apart != g.loose) && g.apart.MatchString(apart)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// globTranslator turns patterns into regular expressions.
type globTranslator struct{ star, one string }

// translate returns the regular expression of a pattern, and its text when nothing in it is special.
func (t globTranslator) translate(text string) (pattern, literal string, err error) {
	var out, plain strings.Builder
	special := false
	for rest := text; rest != ""; {
		r, size := utf8.DecodeRuneInString(rest)
		before := text[:len(text)-len(rest)]
		var expression string
		switch {
		case strings.HasPrefix(rest, "**/") && (before == "" || strings.HasSuffix(before, "/")):
			expression, size = `(?:.*/)?`, len("**/")
		case strings.HasPrefix(rest, "**"):
			expression, size = `.*`, len(rest)-len(strings.TrimLeft(rest, "*"))
		case r == '*':
			expression = t.star
		case r == '?':
			expression = t.one
		case r == '[':
			if expression, size, err = class(rest); err != nil {
				return "", "", err
			}
		case r == '{' && strings.Contains(rest, ","):
			return "", "", &globError{fmt.Sprintf("%q: braces are no pattern", text),
				"write a pattern for each, as an entry of its own"}
		case r == '\\':
			r, size = utf8.DecodeRuneInString(rest[1:])
			if size == 0 {
				return "", "", &globError{fmt.Sprintf("%q ends with a backslash", text), `write \\ for a backslash`}
			}
			size++
			fallthrough
		default:
			out.WriteString(regexp.QuoteMeta(string(r)))
			plain.WriteRune(r)
			rest = rest[size:]
			continue
		}
		special = true
		out.WriteString(expression)
		rest = rest[size:]
	}
	if special {
		return out.String(), "", nil
	}
	return out.String(), plain.String(), nil
}

// class translates a [class] that text begins with, and gives its length.
func class(text string) (expression string, size int, err error) {
	open := &globError{fmt.Sprintf("%q: the bracket is not closed", text),
		`close it, or write \[ for the character`}
	var out strings.Builder
	out.WriteByte('[')
	i := 1
	if i < len(text) && (text[i] == '!' || text[i] == '^') {
		out.WriteString(`^/`)
		i++
	}
	next := func() (rune, bool) {
		if i < len(text) && text[i] == '\\' {
			i++
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		i += n
		return r, n > 0
	}
	for first := true; ; first = false {
		if i >= len(text) {
			return "", 0, open
		}
		if text[i] == ']' && !first {
			break
		}
		low, ok := next()
		if !ok {
			return "", 0, open
		}
		high := low
		if i+1 < len(text) && text[i] == '-' && text[i+1] != ']' {
			i++
			if high, ok = next(); !ok {
				return "", 0, open
			}
		}
		if low > high {
			return "", 0, &globError{fmt.Sprintf("%q: the range %c-%c is empty", text, low, high),
				"write the smaller character first"}
		}
		if low <= '/' && '/' <= high {
			return "", 0, &globError{fmt.Sprintf("%q: a bracket cannot stand for a slash", text),
				"write ** for any directories"}
		}
		fmt.Fprintf(&out, `\x{%x}-\x{%x}`, low, high)
	}
	out.WriteByte(']')
	return out.String(), i + 1, nil
}

// ToolPatterns are compiled patterns over tool ids, for whatever stops: letter case does not count.
type ToolPatterns []*glob

// CheckTools says what is wrong with each of some patterns, by its place; nothing when all can be used.
func CheckTools(patterns []string) map[int]error {
	wrong := map[int]error{}
	for i, text := range patterns {
		if _, err := compileGlob(text, true); err != nil {
			wrong[i] = err
		}
	}
	return wrong
}

// CompileTools compiles patterns. One with a mistake matches everything, since these stop.
func CompileTools(patterns []string) ToolPatterns {
	var all ToolPatterns
	for _, text := range patterns {
		g, err := compileGlob(text, true)
		if err != nil {
			return nil
		}
		all = append(all, g)
	}
	return all
}

// Match reports whether a pattern matches one of the ids of an act. No pattern at all matches everything.
func (p ToolPatterns) Match(ids []string) bool {
	if len(p) == 0 {
		return true
	}
	for _, g := range p {
		for _, id := range ids {
			if g.loose.MatchString(id) {
				return true
			}
		}
	}
	return false
}
