package httpcache

import (
	"net/textproto"
	"strconv"
	"strings"
	"time"
)

// directives are those of Cache-Control, by name in small letters, each with its values (RFC 9111, 5.2).
type directives map[string][]string

func (d directives) has(name string) bool { return len(d[name]) > 0 }

// directives reads those of an entry. Of a value that is quoted a comma is a part, and a backslash before a character
// stands for that. What follows a quote that never ends is a part of the value, and so says nothing.
func (e *Entry) directives() directives {
	d := directives{}
	for _, line := range e.header["Cache-Control"] {
		for line != "" {
			var one string
			one, line = cutDirective(line)
			name, value, _ := strings.Cut(one, "=")
			if name = strings.ToLower(textproto.TrimString(name)); name != "" {
				d[name] = append(d[name], unquoted(textproto.TrimString(value)))
			}
		}
	}
	return d
}

// cutDirective cuts a list at its first comma outside of quotes.
func cutDirective(line string) (first, rest string) {
	quoted := false
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '\\' && quoted:
			i++
		case line[i] == '"':
			quoted = !quoted
		case line[i] == ',' && !quoted:
			return line[:i], line[i+1:]
		}
	}
	return line, ""
}

func unquoted(value string) string {
	if len(value) < 2 || value[0] != '"' || value[len(value)-1] != '"' {
		return value
	}
	var b strings.Builder
	for i := 1; i < len(value)-1; i++ {
		if value[i] == '\\' {
			i++
		}
		b.WriteByte(value[i])
	}
	return b.String()
}

// seconds reads a number of seconds (RFC 9111, 1.2.2): digits and nothing else. What is too large is the largest.
func seconds(text string) (time.Duration, bool) {
	text = textproto.TrimString(text)
	if text == "" || strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n > longestAge {
		n = longestAge
	}
	return time.Duration(n) * time.Second, true
}
