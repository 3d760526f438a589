package yamldoc

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// searchSize is the size up to which the line of a syntax error is searched for: some 16 parses of half the
// file on average, well below a second.
const searchSize = 128 << 10

var yamlErrorLine = lazyRegexp(`^yaml: (?:line (\d+): )?`)

// syntaxError says where and what a parse error is. The library names the line where the surrounding
// construct begins, and counts some of its lines from 0.
func syntaxError(data []byte, err error) Error {
	line, message := saidLine(err)
	if len(data) <= searchSize {
		line = faultLine(data, err.Error())
	}
	lines := splitLines(data)
	line = min(max(line, 1), len(lines))
	text := lines[line-1]
	indent := len(text) - len(strings.TrimLeft(text, " \t"))
	column := indent + 1
	if tab := strings.IndexByte(text[:indent], '\t'); tab >= 0 {
		return Error{
			Line: line, Column: tab + 1, Severity: SeverityError, Rule: RuleSyntax,
			Message: "a tab indents this line",
			Hint:    "YAML indents with spaces only; editors can convert all of a file",
		}
	}
	return Error{
		Line: line, Column: column, Severity: SeverityError, Rule: RuleSyntax,
		Message: inWords(message), Hint: syntaxHint(message, text),
	}
}

// inWords says what the library says to people who do not know how a YAML parser works.
func inWords(message string) string {
	for _, known := range [][2]string{
		{"did not find expected key", "this is no key, and one is expected here"},
		{"'-' indicator", "an entry of the list is expected here, which begins with -"},
		{"',' or ']'", "a comma or ] is expected before here"},
		{"',' or '}'", "a comma or } is expected before here"},
		{"could not find expected ':'", "this is no key: no colon follows it"},
		{"mapping values are not allowed", "a key cannot stand here"},
		{"unexpected end of stream", "the file ends within a text, a list or a mapping that is open"},
		{"max depth", "thousands of mappings and lists inside each other"},
		{"cannot start any token", "nothing begins with this sign"},
		{"did not find expected node content", "a value is expected before here"},
	} {
		if strings.Contains(message, known[0]) {
			return known[1]
		}
	}
	return "YAML does not read this: " + message
}

// saidLine takes the line that the library names out of its message, and puts it right.
func saidLine(err error) (line int, message string) {
	match := yamlErrorLine().FindStringSubmatch(err.Error())
	if match == nil {
		return 0, err.Error()
	}
	message = strings.TrimPrefix(err.Error(), match[0])
	line, _ = strconv.Atoi(match[1])
	if fromParser(message) {
		line++
	}
	return line, message
}

// fromParser tells the errors whose line the library counts from 0 (yaml.v3 decode.go, parser.fail: only a
// scanner's error has its line put right).
func fromParser(message string) bool {
	for _, expected := range []string{"key", "'-' indicator", "',' or ']'", "',' or '}'", "node content",
		"<document start>"} {
		if message == "did not find expected "+expected {
			return true
		}
	}
	return false
}

// faultLine finds the line that the parser trips over: the shortest beginning of the file that fails with the
// very same error ends with it, since from there on the parser never sees what follows.
func faultLine(data []byte, full string) int {
	var ends []int
	for i, c := range data {
		if c == '\n' {
			ends = append(ends, i+1)
		}
	}
	if len(data) == 0 || data[len(data)-1] != '\n' {
		ends = append(ends, len(data))
	}
	low, high := 0, len(ends)-1
	for low < high {
		middle := (low + high) / 2
		if fails(data[:ends[middle]], full) {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low + 1
}

// fails reports whether the beginning of a file has the error in one of its documents.
func fails(data []byte, full string) bool {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	_, err := decode(decoder)
	return err != nil && !errors.Is(err, io.EOF) && err.Error() == full
}

// syntaxHint is the commonest cure of an error of the library's.
func syntaxHint(message, line string) string {
	has := func(part string) bool { return strings.Contains(message, part) }
	switch {
	case has("cannot start any token"):
		return "a text that begins with one of % @ ` needs quotes around it"
	case has("mapping values are not allowed"):
		return "a text that holds a colon and a space needs quotes around it; otherwise look at the indentation"
	case has("could not find expected ':'"):
		return "a key needs a colon and a space after it; a text of several lines needs | before it, or quotes around it"
	case has("unknown anchor"):
		return "a text that begins with * needs quotes around it"
	case has("unexpected end of stream"):
		return "a quotation mark that opens before here is not closed"
	case has("',' or ']'"), has("',' or '}'"):
		return "a bracket is not closed, or a comma is missing"
	case has("'-' indicator"):
		return "every entry of a list begins with - in the same column"
	case has("max depth"):
		return ""
	case has("expected key"), has("node content"), has("block end"):
		if strings.ContainsAny(line, `"'`) {
			return "look at the quotation marks: a text that begins with one ends with the next one"
		}
		return "look at the indentation: the keys of one mapping begin in the same column"
	}
	return ""
}
