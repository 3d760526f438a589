package yamldoc

import (
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// span is a part of a line, in characters from 0; to is the one after the last.
type span struct{ from, to int }

// wholeLine is the span from a character to the end of any line.
func wholeLine(from int) span { return span{from, MaxFileSize} }

// secretBlock begins a mapping whose values are given to programs, and are secret more often than not;
// secretKey is a key that says so itself; word is one text.
var (
	secretBlock = lazyRegexp(`^(\s*(?:- )?)["']?(?:environment_variables|headers)["']?\s*:(.*)$`)
	secretKey   = lazyRegexp(`(?i)["']?[\w-]*(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL)["']?\s*[:=]\s*`)
	blockEntry  = lazyRegexp(`^\s*(?:"[^"]*"|'[^']*'|[^\s:#{}\[\]"']+)\s*:(?:\s+|$)`)
	flowEntry   = lazyRegexp(`["']?[A-Za-z_][\w-]*["']?\s*:\s*`)
	// openly is what may stand there and tells nothing: where the value stands, words that are no secret,
	// numbers of a few digits.
	openly = lazyRegexp(`^(?:\{.*|[|>][-+0-9]*|true|false|yes|no|on|off|null|~|[0-9]{1,6}|&\S+|\*\S+|\$\{\w+\})?\s*(?:#.*)?$`)
	// referenceKey names where a value stands.
	referenceKey = lazyRegexp(`^\s*(?:secret|env|file|command)\s*:`)
	shapedSecret = lazyRegexp(`(?:sk-|sk_live_|rk_live_|gh[pousr]_|github_pat_|glpat-|xox[abprs]-|AKIA|ASIA|AIza|ya29\.` +
		`|eyJ|hf_|npm_|pypi-|dop_v1_)[\w.+/=-]{8,}`)
)

// LongLiteral is the length from which a text that stands where a credential would is taken for one.
const LongLiteral = 12

// LooksSecret reports whether something in a text is shaped like a well-known key.
func LooksSecret(text string) bool { return shapedSecret().MatchString(text) }

// maskShapes hides what is shaped like a well-known key, wherever it stands in a text.
func maskShapes(text string) string { return shapedSecret().ReplaceAllString(text, mask) }

// secrets finds, line by line, what must not be shown of a file. It looks at the text, since a file that is
// broken has no more than that; where it cannot tell, it hides.
func secrets(lines []string) map[int][]span {
	found := map[int][]span{}
	inside := -1 // the indentation of the block's key; -1 outside of one
	for i, line := range lines {
		number := i + 1
		for _, at := range shapedSecret().FindAllStringIndex(line, -1) {
			found[number] = append(found[number], span{runeCount(line[:at[0]]), runeCount(line[:at[1]])})
		}
		indent := indentOf(line)
		if strings.TrimSpace(line) == "" {
			continue
		}
		if inside >= 0 && indent > inside {
			found[number] = append(found[number], inBlock(line)...)
			continue
		}
		inside = -1
		if block := secretBlock().FindStringSubmatch(line); block != nil {
			inside = len(block[1])
			found[number] = append(found[number], besideBlock(line, len(line)-len(block[2]))...)
			continue
		}
		if at := secretKey().FindStringIndex(line); at != nil && isLiteral(line, at[1]) {
			found[number] = append(found[number], literalSpan(line, at[1]))
		}
	}
	return found
}

// literalSpan is what a value takes of its line: all of the rest, or as far as its brackets let it.
func literalSpan(line string, from int) span {
	start := runeCount(line[:from])
	if insideBrackets([]rune(line[:from])) {
		return span{start, tokenEnd(line, start+1) - 1}
	}
	return wholeLine(start)
}

// inBlock hides the value of a line below environment_variables: all of a line that goes on with one.
func inBlock(line string) []span {
	key := blockEntry().FindString(line)
	switch {
	case strings.HasPrefix(strings.TrimSpace(line), "#"), referenceKey().MatchString(line) &&
		!shapedSecret().MatchString(line):
		return nil
	case key == "" && strings.HasPrefix(strings.TrimSpace(line), "{"):
		return flowValues(line, indentOf(line))
	case key == "":
		return []span{wholeLine(indentOf(line))}
	case strings.HasPrefix(line[len(key):], "{"):
		return nil
	case openly().MatchString(line[len(key):]):
		return nil
	}
	return []span{wholeLine(runeCount(key))}
}

// besideBlock hides what stands on the line of environment_variables itself: the values of a flow mapping, or
// all of a text that is none.
func besideBlock(line string, from int) []span {
	rest := strings.TrimSpace(line[from:])
	if rest == "" || strings.ContainsAny(rest[:1], "{#&*") {
		return flowValues(line, from)
	}
	return []span{wholeLine(runeCount(line[:len(line)-len(strings.TrimLeft(line[from:], " "))]))}
}

// flowValues hides the values of {KEY: value, …} from a place in the line on.
func flowValues(line string, from int) []span {
	var found []span
	entries := flowEntry().FindAllStringIndex(line[from:], -1)
	for i, at := range entries {
		start, end := from+at[1], len(line)
		if i+1 < len(entries) {
			end = from + entries[i+1][0]
		}
		text := strings.TrimRight(line[start:end], " ,")
		if text == "" || openly().MatchString(strings.TrimRight(text, " },")) ||
			referenceKey().MatchString(line[from+at[0]:from+at[1]]) {
			continue
		}
		found = append(found, span{runeCount(line[:start]), runeCount(line[:start+len(text)])})
	}
	return found
}

// isLiteral reports whether the value at a place of a line is written out rather than named.
func isLiteral(line string, from int) bool {
	all := []rune(line)
	s := literalSpan(line, from)
	text := strings.TrimSpace(string(all[min(s.from, len(all)):min(s.to, len(all))]))
	return len(text) >= LongLiteral && !strings.HasPrefix(text, "{") && !strings.Contains(text, "{{") &&
		!strings.HasPrefix(text, "$")
}

// Hide keeps a value out of everything that is shown of the file.
func (v Value) Hide() {
	if v.Doc.hidden == nil {
		v.Doc.hidden = map[int]span{}
	}
	if v.Node.Kind != yaml.ScalarNode {
		for _, child := range v.Node.Content {
			v.Doc.At(child, "", "").Hide()
		}
		return
	}
	v.Doc.hidden[v.Node.Line] = wholeLine(max(v.Node.Column-1, 0))
	if line := v.Node.Line; line <= len(v.Doc.lines) && !strings.Contains(v.Node.Value, "\n") {
		v.Doc.hidden[line] = span{v.Node.Column - 1, tokenEnd(v.Doc.lines[line-1], v.Node.Column) - 1}
	}
	for i := range strings.Count(v.Node.Value, "\n") {
		v.Doc.hidden[v.Node.Line+1+i] = wholeLine(0)
	}
}

func runeCount(s string) int { return utf8.RuneCountInString(s) }

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }
