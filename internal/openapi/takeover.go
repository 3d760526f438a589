package openapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
	"github.com/a2a-acp/a2a-acp/internal/toolyaml"
)

// parts are the keys of an entry that are made of the document, in their order.
func parts() []string { return []string{"description", "parameters", "annotations", "http"} }

// Behind the name of a tool a comment says, by a hash for each part, what was made of the document. So it is known later
// which parts a person has changed, and which the document has.
const (
	madeMark = " # made: "
	noPart   = "00000000"
)

var madeComment = lazyregexp.New(`# made: ((?:[0-9a-f]{8}\.){3}[0-9a-f]{8})\b`)

// madeOf returns the hash of each part of an entry.
func madeOf(entry *yaml.Node) []string {
	var sums []string
	for _, part := range parts() {
		sums = append(sums, sumOf(memberOf(entry.Content, part)))
	}
	return sums
}

// sumOf is a hash of what a value says, however it is written; noPart for none.
func sumOf(n *yaml.Node) string {
	if n == nil {
		return noPart
	}
	sum := sha256.New()
	writeNode(sum, n)
	return hex.EncodeToString(sum.Sum(nil))[:len(noPart)]
}

func writeNode(w io.Writer, n *yaml.Node) {
	if n.Kind == yaml.AliasNode {
		fmt.Fprintf(w, "alias %q", n.Value)
		return
	}
	fmt.Fprintf(w, "%d %s %q %d(", n.Kind, n.ShortTag(), n.Value, len(n.Content))
	for _, inner := range n.Content {
		writeNode(w, inner)
	}
	fmt.Fprint(w, ")")
}

// takeover is what a changed document comes to in the entry of one tool.
type takeover struct {
	data []byte
	took []string // the parts that are as in the document now
	left []string // those that the document has changed, and a person, too
	why  string   // why nothing was taken over; "" where something could be
}

// takeOver brings the entry of a tool up to date: a part that the document has changed, and nobody else, is written anew. All
// other bytes stay, and so does a part with a comment in it. Parameters and the request name each other, so where both have
// changed they are taken together or not at all; careful leaves both where a person has changed one.
func takeOver(data []byte, t *Tool, careful bool) (*takeover, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, err
	}
	x := &takeover{data: data}
	end := bytes.Count(data, []byte("\n")) + 2 // the line behind the entry
	_, tools, end := entryOf(doc.Content[0], "tools", end)
	key, entry, end := entryOf(tools, t.Name, end)
	lines := bytes.SplitAfter(data, []byte("\n"))
	if key == nil || entry.Kind != yaml.MappingNode || entry.Style&yaml.FlowStyle != 0 || len(entry.Content) == 0 ||
		entry.Line == key.Line || entry.Anchor != "" {
		x.why = "is written so that it is not changed here"
		return x, nil
	}
	mark := madeComment.Get().FindSubmatchIndex(lines[key.Line-1])
	if mark == nil {
		x.why = "does not say what was made of the document (# made: …), so a person may have written it"
		return x, nil
	}
	made := strings.Split(string(lines[key.Line-1][mark[2]:mark[3]]), ".")
	have, want := madeOf(entry), madeOf(t.entry())
	mine := make([]bool, len(parts())) // what a person has changed, or has a comment
	for i, part := range parts() {
		mine[i] = have[i] != want[i] && (have[i] != made[i] || isCommented(entry, part))
	}
	const parameters, http = 1, 3 // which name each other
	if careful && (mine[parameters] || mine[http]) || want[parameters] != made[parameters] && want[http] != made[http] &&
		mine[parameters] != mine[http] {
		mine[parameters], mine[http] = have[parameters] != want[parameters], have[http] != want[http]
	}
	for i := len(parts()) - 1; i >= 0; i-- { // from the end, so that lines above stay where they are
		part := parts()[i]
		switch {
		case want[i] == made[i]:
			continue
		case mine[i]:
			x.left = append(x.left, part)
			continue
		case have[i] != want[i]:
			if err := x.replace(&lines, entry, end, part, memberOf(t.entry().Content, part)); err != nil {
				return nil, err
			}
			x.took = append(x.took, part)
		}
		made[i] = want[i]
	}
	slices.Reverse(x.took)
	slices.Reverse(x.left)
	line := lines[key.Line-1]
	lines[key.Line-1] = slices.Concat(line[:mark[2]], []byte(strings.Join(made, ".")), line[mark[3]:])
	x.data = bytes.Join(lines, nil)
	return x, nil
}

// entryOf returns a key of a mapping, its value, and the line behind that, where behind is the one behind the mapping; nil
// where there is no such key.
func entryOf(mapping *yaml.Node, name string, behind int) (key, value *yaml.Node, end int) {
	if mapping == nil || mapping.Kind != yaml.MappingNode {
		return nil, nil, behind
	}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value != name {
			continue
		}
		if i+2 < len(mapping.Content) {
			behind = mapping.Content[i+2].Line
		}
		return mapping.Content[i], mapping.Content[i+1], behind
	}
	return nil, nil, behind
}

// isCommented reports whether a comment stands in a part of an entry.
func isCommented(entry *yaml.Node, part string) bool {
	var within func(n *yaml.Node) bool
	within = func(n *yaml.Node) bool {
		return n.HeadComment+n.LineComment+n.FootComment != "" || slices.ContainsFunc(n.Content, within)
	}
	key, value, _ := entryOf(entry, part, 0)
	return key != nil && (key.LineComment != "" || within(value))
}

// replace writes a part of an entry anew; none where it is nil. end is the line behind the entry.
func (x *takeover) replace(lines *[][]byte, entry *yaml.Node, end int, part string, by *yaml.Node) error {
	column := entry.Content[0].Column - 1
	var from, to int
	if key, _, behind := entryOf(entry, part, end); key != nil {
		from, to = key.Line, lastLine(*lines, key.Line, behind)
	} else {
		last := entry.Content[len(entry.Content)-2].Line
		from = lastLine(*lines, last, end)
		for _, later := range parts()[slices.Index(parts(), part)+1:] {
			if key, _, _ := entryOf(entry, later, end); key != nil {
				from = min(from, key.Line)
			}
		}
		to = from
	}
	var text []byte
	if by != nil {
		written, err := toolyaml.Encode(toolyaml.Mapping(part, by))
		if err != nil {
			return err
		}
		text = toolyaml.Indent(written, column)
		if bytes.HasSuffix((*lines)[entry.Line-1], []byte("\r\n")) {
			text = bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
		}
	}
	if n := from - 2; n >= 0 && n < len(*lines) && len((*lines)[n]) > 0 && !bytes.HasSuffix((*lines)[n], []byte("\n")) {
		(*lines)[n] = append(bytes.Clone((*lines)[n]), '\n')
	}
	*lines = slices.Concat((*lines)[:from-1], bytes.SplitAfter(text, []byte("\n")), (*lines)[to-1:])
	return nil
}

// lastLine returns the line behind a key's value: comments and blanks before the next key are that one's.
func lastLine(lines [][]byte, from, next int) int {
	for next = min(next, len(lines)+1); next-1 > from; next-- {
		if line := bytes.TrimSpace(lines[next-2]); len(line) > 0 && line[0] != '#' {
			break
		}
	}
	return next
}
