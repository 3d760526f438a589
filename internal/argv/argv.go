package argv

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// longestWord is how long one word of a command may be (execve(2), MAX_ARG_STRLEN, with the NUL at its end).
const longestWord = 128<<10 - 1

// mostCount is how often a flag can be repeated that counts.
const mostCount = 64

// Words returns the words behind the program's name for a call of a tool with an Exec: those that every call begins
// with, the flags in the order of their names, and the arguments. The arguments of the call have been checked
// (tool.Tool.CheckArguments). The Failure says which value the program cannot be given.
func Words(t *tool.Tool, arguments map[string]any) ([]string, *tool.Failure) {
	words := slices.Clone(t.Exec.Argv)
	flags := slices.Clone(t.Parameters)
	slices.SortStableFunc(flags, func(a, b tool.Parameter) int { return strings.Compare(a.Flag, b.Flag) })
	for i := range flags {
		p := &flags[i]
		value, given := arguments[p.Name]
		if p.Flag == "" || !given {
			continue
		}
		made, wrong := flagWords(p, value)
		if wrong != "" {
			return nil, refuse(p, "flags.", wrong)
		}
		words = append(words, made...)
	}
	var behind []string
	for i := range t.Parameters {
		p := &t.Parameters[i]
		value, given := arguments[p.Name]
		if p.Flag != "" || !given {
			continue
		}
		made, wrong := operands(p, value)
		if wrong != "" {
			return nil, refuse(p, "", wrong)
		}
		behind = append(behind, made...)
	}
	if t.Exec.EndOfFlags && len(behind) > 0 {
		words = append(words, "--")
	}
	return append(words, behind...), nil
}

func refuse(p *tool.Parameter, prefix, wrong string) *tool.Failure {
	return tool.Failf(tool.FailValidation, "%s%s: %s", prefix, p.Name, wrong)
}

// flagWords writes a value behind its flag; wrong says why that cannot be done, and never holds the value.
func flagWords(p *tool.Parameter, value any) (words []string, wrong string) {
	switch p.Form {
	case tool.FormPresent:
		if value == true {
			return []string{p.Flag}, ""
		}
		return nil, ""
	case tool.FormCount:
		return counted(p, value)
	case tool.FormEqual, tool.FormCSV, tool.FormPlain, tool.FormApart:
	}
	texts, wrong := values(p, value)
	for _, text := range texts {
		if wrong == "" {
			var pair []string
			pair, wrong = behind(p, text)
			words = append(words, pair...)
		}
	}
	return words, wrong
}

// counted repeats a flag.
func counted(p *tool.Parameter, value any) ([]string, string) {
	n := 0
	number, _ := value.(json.Number)
	if _, err := fmt.Sscan(string(number), &n); err != nil || n < 0 || n > mostCount {
		return nil, fmt.Sprintf("want a number from 0 to %d: so often the flag is given", mostCount)
	}
	return slices.Repeat([]string{p.Flag}, n), ""
}

// behind puts one text behind the flag.
func behind(p *tool.Parameter, text string) ([]string, string) {
	long := len(p.Flag) > 2
	switch {
	case p.Form == tool.FormApart && strings.HasPrefix(text, "-") && !p.AllowLeadingDash:
		return nil, "it begins with -, and the program would read it as a flag"
	case p.Form == tool.FormApart:
		return checked(p.Flag, text)
	case !long && (text == "" || text[0] == '='):
		return nil, "behind a flag of one letter it cannot be empty, nor begin with ="
	case !long:
		return checked(p.Flag + text)
	}
	return checked(p.Flag + "=" + text)
}

// checked refuses words that no program can be started with.
func checked(words ...string) ([]string, string) {
	for _, word := range words {
		switch {
		case strings.ContainsRune(word, 0):
			return nil, "it holds a NUL, which no argument of a program can"
		case len(word) > longestWord:
			return nil, fmt.Sprintf("it makes a word of %d bytes; the system takes at most %d", len(word), longestWord)
		}
	}
	return words, ""
}

// values returns the texts that are written behind the flag, each behind a flag of its own.
func values(p *tool.Parameter, value any) (texts []string, wrong string) {
	switch v := value.(type) {
	case []any:
		return items(p, v)
	case map[string]any:
		return members(p, v)
	}
	text, ok := scalar(value)
	if !ok {
		return nil, "want a text, a number, true or false"
	}
	return []string{text}, ""
}

func items(p *tool.Parameter, list []any) (texts []string, wrong string) {
	if len(list) == 0 {
		if p.Form != tool.FormCSV && p.Form != tool.FormPlain {
			return nil, "the program cannot be told that the list is empty; leave it out"
		}
		return []string{""}, ""
	}
	for _, item := range list {
		text, ok := scalar(item)
		if !ok {
			return nil, "want a list of texts, numbers, or true and false"
		}
		switch p.Form {
		case tool.FormCSV:
			if text, wrong = quoted(text); wrong != "" {
				return nil, wrong
			}
		case tool.FormPlain:
			if strings.Contains(text, ",") {
				return nil, "the program splits values at commas, so no item can hold one"
			}
		case tool.FormEqual, tool.FormPresent, tool.FormCount, tool.FormApart:
		}
		texts = append(texts, text)
	}
	return texts, ""
}

func members(p *tool.Parameter, object map[string]any) (texts []string, wrong string) {
	if len(object) == 0 {
		return nil, "the program cannot be told that it is empty; leave it out"
	}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		text, ok := scalar(object[key])
		switch {
		case !ok:
			return nil, "want texts, numbers, or true and false for its members"
		case strings.Contains(key, "="):
			return nil, "a key cannot hold ="
		}
		text = key + "=" + text
		switch p.Form {
		case tool.FormCSV:
			if text, wrong = quotedPair(text); wrong != "" {
				return nil, wrong
			}
		case tool.FormPlain:
			if strings.Contains(text, ",") {
				return nil, "the program splits values at commas, so neither a key nor a value can hold one"
			}
		case tool.FormEqual, tool.FormPresent, tool.FormCount, tool.FormApart:
		}
		texts = append(texts, text)
	}
	return texts, ""
}

// quoted writes an item as a line of CSV of one field (encoding/csv, which pflag's slices read by).
func quoted(text string) (string, string) {
	if strings.Contains(text, "\r\n") {
		return "", "it holds a line that ends in CR LF, which CSV cannot hold as it is"
	}
	if text != "" && !strings.ContainsAny(text, ",\"\r\n") {
		return text, ""
	}
	return `"` + strings.ReplaceAll(text, `"`, `""`) + `"`, ""
}

// quotedPair writes key=value as pflag's stringToString reads it: a word with one = alone is taken as it is, but
// for quotes at its ends; one with more is a line of CSV. So a pair with a quote at an end stands there twice.
func quotedPair(pair string) (string, string) {
	if strings.Count(pair, "=") > 1 {
		return quoted(pair)
	}
	if strings.Trim(pair, `"`) == pair {
		return pair, ""
	}
	text, wrong := quoted(pair)
	return text + "," + text, wrong
}

// operands are the words of a value that stands behind no flag.
func operands(p *tool.Parameter, value any) (words []string, wrong string) {
	list, isList := value.([]any)
	if !isList {
		list = []any{value}
	}
	for _, item := range list {
		text, ok := scalar(item)
		switch {
		case !ok:
			return nil, "want texts, numbers, or true and false"
		case strings.HasPrefix(text, "-") && !p.AllowLeadingDash:
			return nil, "an argument begins with -, and the program would read it as a flag; flags have names of their own"
		}
		word, wrong := checked(text)
		if wrong != "" {
			return nil, wrong
		}
		words = append(words, word...)
	}
	return words, ""
}

// scalar writes a value that is neither a list nor an object: a number with the digits that it was given with.
func scalar(value any) (string, bool) {
	switch v := value.(type) {
	case string:
		return v, true
	case json.Number:
		return string(v), true
	case bool:
		if v {
			return "true", true
		}
		return "false", true
	}
	return "", false
}
