package request

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// xmlTemplate is an XML text whose tags stand in text or in the value of an attribute.
type xmlTemplate struct {
	pieces []piece
	shape  string // of the text, with a mark in the place of each value
}

func isXML(essence string) bool {
	return essence == "application/xml" || essence == "text/xml" || strings.HasSuffix(essence, "+xml")
}

// xmlMark stands in the place of a value where a text is read for its shape. It is no text that anybody writes.
const xmlMark = "\ue0f0a2a\ue0f1"

// parseXML finds out where the tags of an XML text stand.
func (c *compiler) parseXML(at string, pieces []piece) *xmlTemplate {
	t := &xmlTemplate{pieces: pieces}
	var marked strings.Builder
	for _, p := range pieces {
		if p.tag == nil {
			marked.WriteString(p.literal)
			if strings.Contains(p.literal, "\ue0f0") {
				c.fail(at, "", "the text holds a character that is used here to mark values", "take U+E0F0 out")
			}
			continue
		}
		marked.WriteString(xmlMark)
	}
	shape, marks, err := xmlShape(marked.String(), nil)
	switch {
	case err != nil:
		c.fail(at, "", fmt.Sprintf("the text is no XML: %v", err), "")
	case marks != countTags(pieces):
		c.fail(at, firstTag(pieces).source, "a value can stand in the text of an element or in the value of an attribute, "+
			"and nowhere else in XML",
			"not in a name, a comment, a CDATA section or a processing instruction")
	}
	t.shape = shape
	return t
}

func countTags(pieces []piece) int {
	n := 0
	for _, p := range pieces {
		if p.tag != nil {
			n++
		}
	}
	return n
}

// xmlShape reads a text as XML and returns what it consists of, and how many marks stand in text and attributes.
// texts, where it is not nil, are put in the place of the marks.
func xmlShape(text string, texts []string) (shape string, marks int, err error) {
	decoder := xml.NewDecoder(strings.NewReader(text))
	decoder.Strict = true
	var b strings.Builder
	see := func(s string) string {
		n := strings.Count(s, xmlMark)
		for range n {
			if marks < len(texts) {
				s = strings.Replace(s, xmlMark, texts[marks], 1)
			}
			marks++
		}
		return s
	}
	for {
		token, err := decoder.RawToken()
		if errors.Is(err, io.EOF) {
			return b.String(), marks, nil
		}
		if err != nil {
			return "", marks, err
		}
		switch token := token.(type) {
		case xml.StartElement:
			fmt.Fprintf(&b, "<%s:%s", token.Name.Space, token.Name.Local)
			for _, a := range token.Attr {
				fmt.Fprintf(&b, " %s:%s=%q", a.Name.Space, a.Name.Local, see(a.Value))
			}
			b.WriteString(">\n")
		case xml.EndElement:
			fmt.Fprintf(&b, "</%s:%s>\n", token.Name.Space, token.Name.Local)
		case xml.CharData:
			if seen := see(string(token)); seen != "" {
				fmt.Fprintf(&b, "text %q\n", seen)
			}
		case xml.Comment:
			fmt.Fprintf(&b, "comment %q\n", string(token))
		case xml.ProcInst:
			fmt.Fprintf(&b, "instruction %q %q\n", token.Target, string(token.Inst))
		case xml.Directive:
			return "", marks, errors.New("a document type is not possible here")
		}
	}
}

// fill fills the text in; texts are the values as they must be read back.
func (t *xmlTemplate) fill(v *values) (text string, texts []string, given bool, failure error) {
	var b strings.Builder
	for _, p := range t.pieces {
		if p.tag == nil {
			b.WriteString(p.literal)
			continue
		}
		part, ok, err := v.tagText(p.tag)
		if err != nil {
			return "", nil, false, err
		}
		if !ok {
			return "", nil, false, nil
		}
		if !isXMLText(part) {
			return "", nil, false, fmt.Errorf("%s: XML cannot hold a character of the value", p.tag.source)
		}
		texts = append(texts, part)
		escapeXML(&b, part)
	}
	return b.String(), texts, true, nil
}

// isXMLText reports whether XML 1.0 can hold a text (2.2, Char).
func isXMLText(s string) bool {
	for _, r := range s {
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xfffe || r == 0xffff || r == '\ue0f0' {
			return false
		}
	}
	return utf8.ValidString(s)
}

// escapeXML writes a text so that it is itself in text and in attributes: line ends, too, which XML folds.
func escapeXML(b *strings.Builder, text string) {
	for _, r := range text {
		switch r {
		case '&':
			b.WriteString("&amp;")
		case '<':
			b.WriteString("&lt;")
		case '>':
			b.WriteString("&gt;")
		case '"':
			b.WriteString("&quot;")
		case '\'':
			b.WriteString("&#39;")
		case '\t', '\n', '\r':
			fmt.Fprintf(b, "&#%d;", r)
		default:
			b.WriteRune(r)
		}
	}
}
