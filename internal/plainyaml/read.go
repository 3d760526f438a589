// Package plainyaml reads the small part of YAML that the program's own data files are written in: mappings
// and lists by indentation, plain and quoted scalars, and folded text (>-). A library for all of YAML takes
// milliseconds for such a file, which every start of the program would pay. What the package does not read,
// it refuses; TestReadsAsYAML holds it against the library.
package plainyaml

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Node is a scalar, a list or a mapping.
type Node struct {
	Key    string // of an entry of a mapping
	Text   string // of a scalar
	Nodes  []Node // the items of a list, or the entries of a mapping
	List   bool
	Line   int // from 1, where the entry or the item begins
	Column int
}

// Read reads a document.
func Read(text string) (Node, error) {
	r := &reader{lines: strings.Split(text, "\n")}
	for i, line := range r.lines {
		if hidden(line) || strings.HasSuffix(line, " ") || strings.HasPrefix(line, "---") ||
			strings.HasPrefix(line, "...") {
			r.at = i
			return Node{}, r.fail("a character that cannot be seen, a blank at the end, or a mark between documents")
		}
	}
	root := Node{Line: 1, Column: 1}
	if err := r.block(&root, 0); err != nil {
		return Node{}, err
	}
	if r.skip(); r.at < len(r.lines) {
		return Node{}, r.fail("it stands less deep than what is in front of it, and belongs to nothing")
	}
	return root, nil
}

// hidden reports whether a line holds a character that cannot be seen.
func hidden(line string) bool {
	for i := range len(line) {
		if line[i] < ' ' || line[i] > '~' {
			return strings.ContainsFunc(line, func(c rune) bool { return !unicode.IsPrint(c) })
		}
	}
	return false
}

type reader struct {
	lines []string
	at    int // the line that is read next
}

func (r *reader) fail(what string) error { return fmt.Errorf("line %d: %s", r.at+1, what) }

// skip goes to the next line that says something, and gives its depth.
func (r *reader) skip() (depth int) {
	for ; r.at < len(r.lines); r.at++ {
		line := r.lines[r.at]
		for depth = 0; depth < len(line) && line[depth] == ' '; depth++ {
		}
		if depth < len(line) && line[depth] != '#' {
			return depth
		}
	}
	return -1
}

// block reads the entries or items that stand at a depth.
func (r *reader) block(n *Node, depth int) error {
	for r.skip() == depth {
		line := r.lines[r.at][depth:]
		item := strings.HasPrefix(line, "- ")
		if len(n.Nodes) > 0 && item != n.List {
			return r.fail("a list and a mapping stand at one depth")
		}
		n.List = item
		child := Node{Line: r.at + 1, Column: depth + 1}
		var err error
		if item {
			err = r.item(&child, depth+2, line[2:])
		} else {
			err = r.entry(&child, depth, line)
		}
		if err != nil {
			return err
		}
		n.Nodes = append(n.Nodes, child)
	}
	return nil
}

// item reads what stands behind a dash: a scalar, or the first entry of a mapping.
func (r *reader) item(n *Node, depth int, text string) error {
	if strings.HasPrefix(text, " ") {
		return r.fail("more than one blank stands behind the dash")
	}
	noKey := strings.HasPrefix(text, `"`) || strings.HasPrefix(text, "'") || strings.HasPrefix(text, "#")
	if noKey || !strings.Contains(text, ": ") && !strings.HasSuffix(text, ":") {
		r.at++
		return r.scalar(n, text)
	}
	r.lines[r.at] = strings.Repeat(" ", depth) + text
	return r.block(n, depth)
}

// entry reads a key and what belongs to it.
func (r *reader) entry(n *Node, depth int, line string) error {
	key, value, ok := strings.Cut(line, ":")
	if !ok || key == "" || strings.Trim(key, letters) != "" || value != "" && value[0] != ' ' {
		return r.fail("it is no key of plain letters with a colon behind it")
	}
	n.Key = key
	r.at++
	value = strings.Trim(value, " ")
	switch {
	case value == ">-":
		return r.folded(n, depth)
	case value != "":
		return r.scalar(n, value)
	}
	if deeper := r.skip(); deeper > depth {
		return r.block(n, deeper)
	}
	return nil
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

// folded reads the lines that stand deeper, all at one depth, as one with blanks between them.
func (r *reader) folded(n *Node, depth int) error {
	var lines []string
	first := 0
	for ; r.at < len(r.lines); r.at++ {
		line := strings.TrimLeft(r.lines[r.at], " ")
		switch at := len(r.lines[r.at]) - len(line); {
		case line == "" || at <= depth:
			n.Text = strings.Join(lines, " ")
			return nil
		case first > 0 && at != first:
			return r.fail("the lines of a folded text stand at one depth")
		default:
			first = at
			lines = append(lines, line)
		}
	}
	n.Text = strings.Join(lines, " ")
	return nil
}

// scalar reads a text that stands in one line.
func (r *reader) scalar(n *Node, text string) error {
	text = strings.Trim(text, " ")
	var err error
	switch {
	case text == "", text == "-", strings.HasPrefix(text, "- "):
		err = strconv.ErrSyntax
	case strings.HasPrefix(text, `"`):
		if text, err = strconv.Unquote(text); strings.ContainsFunc(text,
			func(c rune) bool { return c == unicode.ReplacementChar }) || hidden(text) {
			err = strconv.ErrSyntax // YAML has other escapes
		}
	case strings.HasPrefix(text, "'"):
		inner, closed := strings.CutSuffix(text[1:], "'")
		if text = strings.ReplaceAll(inner, "''", "'"); !closed ||
			strings.Contains(strings.ReplaceAll(inner, "''", ""), "'") {
			err = strconv.ErrSyntax
		}
	case strings.ContainsAny(text[:1], "[]{}&*!|>%@`#,?") || strings.Contains(text, " #") ||
		strings.Contains(text, ": ") || strings.HasSuffix(text, ":"):
		err = strconv.ErrSyntax
	}
	if err != nil {
		r.at--
		return r.fail("the text is neither plain nor quoted as a whole")
	}
	n.Text = text
	return nil
}
