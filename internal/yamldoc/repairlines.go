package yamldoc

import (
	"fmt"
	"slices"
	"strings"
)

// The guesses about several lines: how they are indented, and what a line above has left open.

var (
	wordLine = lazyRegexp(`^(\s*(?:- )?)([A-Za-z_][\w-]*)(\s+[^\s:].*|\s*)$`)
	keyLine  = lazyRegexp(`^\s*(?:- )?["']?[A-Za-z_][\w.-]*["']?\s*:(?:\s|$)`)
	bareKey  = lazyRegexp(`^(\s*(?:- )?)[A-Za-z_][\w.-]*\s*:\s+[^\s"'\[{|>&*#].*$`)
	barEnd   = lazyRegexp(`^(\s*(?:- )*)(?:([^\s:#]+)\s*:\s+)?[|>][-+0-9]*\s*(?:#.*)?$`)
)

// guessNoDash finds an entry of a list that has no dash, as the one above it has.
func guessNoDash(lines []string, at int) []repair {
	above := lineAbove(lines, at)
	if above < 0 || keyLine().MatchString(lines[at]) || strings.HasPrefix(strings.TrimSpace(lines[at]), "-") {
		return nil
	}
	indent := indentOf(lines[at])
	if indentOf(lines[above]) != indent || !strings.HasPrefix(lines[above][indent:], "- ") {
		return nil
	}
	text := lines[at][indent:]
	return lineRepair(lines, at, indent, len(lines[at]), lines[at][:indent]+"- "+text,
		"a dash is missing before the entry of the list", "write - "+Shorten(text))
}

// guessNoColon finds a key without its colon: the line itself, or the one above, which goes on in it then.
func guessNoColon(lines []string, at int) []repair {
	var all []repair
	for _, i := range []int{at, lineAbove(lines, at)} {
		if i < 0 || strings.Contains(lines[i], ": ") ||
			strings.HasSuffix(strings.TrimRight(lines[i], " "), ":") {
			continue
		}
		match := wordLine().FindStringSubmatchIndex(lines[i])
		if match == nil || i == at && match[6] < match[7] &&
			strings.TrimSpace(lines[i][match[6]:match[7]]) != "" && !keyBeside(lines, i) {
			continue
		}
		line := lines[i]
		key := line[match[4]:match[5]]
		rest := strings.TrimSpace(line[match[6]:match[7]])
		hint := "write " + key + ": …"
		if rest != "" {
			hint = "write " + key + ": " + Shorten(rest)
		}
		all = append(all, lineRepair(lines, i, match[4], match[5],
			strings.TrimRight(line[:match[5]]+": "+rest, " "), "a colon is missing after "+key, hint)...)
	}
	return all
}

// keyBeside reports whether the line before has a key in the same column.
func keyBeside(lines []string, at int) bool {
	i := lineAbove(lines, at)
	return i >= 0 && keyLine().MatchString(lines[i]) && indentOf(lines[i]) == indentOf(lines[at])
}

// guessBlockText finds lines of a block (|) that are indented too little to be part of it.
func guessBlockText(lines []string, at int) []repair {
	for head := at - 1; head >= 0 && head > at-200; head-- {
		match := barEnd().FindStringSubmatch(lines[head])
		if match == nil {
			continue
		}
		outer := len(match[1])
		if strings.HasSuffix(match[1], "- ") && match[2] == "" {
			outer = indentOf(lines[head])
		}
		text := outer + 2
		if first := firstOf(lines, head+1); first >= 0 && first < at && indentOf(lines[first]) > outer {
			text = indentOf(lines[first])
		}
		from := at
		for i := at; i > head; i-- { // the parser goes on for a while before it trips
			if strings.TrimSpace(lines[i]) != "" && indentOf(lines[i]) < text {
				from = i
			}
		}
		if indentOf(lines[from]) >= text {
			return nil
		}
		name := match[2]
		if name == "" {
			name = "the text"
		}
		m := repair{
			line: from + 1, column: indentOf(lines[from]) + 1, end: runeCount(lines[from]) + 1,
			message: fmt.Sprintf("this line is not indented as deep as the text of %s, so it is not part of it",
				name),
			hint: fmt.Sprintf("begin it in column %d", text+1), text: map[int]string{},
		}
		for i := from; i < len(lines); i++ {
			indent := indentOf(lines[i])
			if strings.TrimSpace(lines[i]) == "" {
				continue
			}
			if indent <= outer && keyLine().MatchString(lines[i]) {
				if i == from {
					return nil
				}
				break
			}
			if indent < text {
				m.text[i] = strings.Repeat(" ", text) + strings.TrimLeft(lines[i], " \t")
			}
		}
		return []repair{m}
	}
	return nil
}

// firstOf returns the index of the first line from one on that is not empty; -1 for none.
func firstOf(lines []string, at int) int {
	for ; at < len(lines); at++ {
		if strings.TrimSpace(lines[at]) != "" {
			return at
		}
	}
	return -1
}

// guessDeeper finds a key that is indented below one that has a value already.
func guessDeeper(lines []string, at int) []repair {
	above := lineAbove(lines, at)
	if above < 0 || !keyLine().MatchString(lines[at]) {
		return nil
	}
	match := bareKey().FindStringSubmatch(lines[above])
	if match == nil || indentOf(lines[at]) <= len(match[1]) {
		return nil
	}
	return reindent(lines, at, len(match[1]),
		"this key stands deeper than the one above it, which has a value already")
}

// guessIndent finds a line that begins in a column where nothing above begins.
func guessIndent(lines []string, at int) []repair {
	if strings.TrimSpace(lines[at]) == "" {
		return nil
	}
	have := indentOf(lines[at])
	var columns []int
	for i := at - 1; i >= 0; i-- {
		text := strings.TrimSpace(lines[i])
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		for _, indent := range []int{indentOf(lines[i]),
			len(lines[i]) - len(strings.TrimLeft(lines[i], " -"))} {
			if indent != have && !slices.Contains(columns, indent) {
				columns = append(columns, indent)
			}
		}
	}
	slices.SortStableFunc(columns, func(a, b int) int { return max(a-have, have-a) - max(b-have, have-b) })
	var all []repair
	for _, column := range columns[:min(len(columns), 6)] {
		all = append(all, reindent(lines, at, column,
			"this line begins in a column where nothing above it begins")...)
	}
	return all
}

// reindent moves a line, and what stands below it, to another column.
func reindent(lines []string, at, column int, message string) []repair {
	have := indentOf(lines[at])
	m := repair{
		line: at + 1, column: have + 1, end: tokenEnd(lines[at], have+1), message: message,
		hint: fmt.Sprintf("look at the indentation: begin it in column %d, like %s", column+1,
			likeIn(lines, at, column)), text: map[int]string{},
	}
	for i := at; i < len(lines); i++ {
		indent := indentOf(lines[i])
		if strings.TrimSpace(lines[i]) == "" {
			continue
		}
		if i > at && (indent < have || indent <= column) {
			break
		}
		m.text[i] = strings.Repeat(" ", max(indent-have+column, 0)) + strings.TrimLeft(lines[i], " \t")
	}
	return []repair{m}
}

// likeIn names the last thing above a line that begins in a column.
func likeIn(lines []string, at, column int) string {
	for i := at - 1; i >= 0; i-- {
		if column >= len(lines[i]) || strings.Trim(lines[i][:column], " -") != "" || lines[i][column] == ' ' {
			continue
		}
		rest := lines[i][column:]
		if end := strings.IndexAny(rest, ": "); end > 0 {
			rest = rest[:end]
		}
		return fmt.Sprintf("%s in line %d", Shorten(rest), i+1)
	}
	return "what it belongs to"
}

// guessMerge finds the marks of a merge that nobody has finished (git-merge(1), "How conflicts are
// presented"). The first side is read on.
func guessMerge(lines []string, at int) []repair {
	start := at
	for start >= 0 && !strings.HasPrefix(lines[start], "<<<<<<< ") {
		start--
	}
	if start < 0 {
		return nil
	}
	m := repair{
		line: start + 1, column: 1, end: runeCount(lines[start]) + 1,
		message: "a merge is not finished here: both sides stand in the file",
		hint:    "keep one of them, and take out the lines that begin with <<<<<<<, ======= and >>>>>>>",
		text:    map[int]string{start: ""},
	}
	second := false
	for i := start + 1; i < len(lines); i++ {
		second = second || strings.HasPrefix(lines[i], "=======") || strings.HasPrefix(lines[i], "||||||| ")
		if second {
			m.text[i] = ""
		}
		if strings.HasPrefix(lines[i], ">>>>>>> ") {
			return []repair{m}
		}
	}
	return nil
}
