package request

import (
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// segment is what stands between two slashes of a path.
type segment struct {
	pieces []piece
	slash  tool.Slash // what slashes in its values mean
	style  Style      // of its one tag, where that is a list or an object
	styled bool
}

// parsePath takes a path apart. It begins with a slash.
func (c *compiler) parsePath(at, source string, styles map[string]Style) []segment {
	switch {
	case !strings.HasPrefix(source, "/"):
		hint := "write /" + strings.TrimLeft(source, "./")
		if strings.Contains(literalOnly(source), "://") {
			hint = "write what stands behind the host; the source has the rest, as its base_url"
		}
		c.fail(at, "", fmt.Sprintf("a path begins with a slash, found %q", shorten(source)), hint)
		return nil
	case strings.ContainsAny(literalOnly(source), "?#"):
		c.fail(at, "", "a path has no ? and no #", "write what stands behind ? under query: query: {name: \"{{value}}\"}")
		return nil
	}
	var segments []segment
	texts := splitPath(source[1:])
	for i, text := range texts {
		pieces, wrong := parseText(text)
		if wrong != nil {
			c.problem(at, wrong)
			return nil
		}
		s := segment{pieces: pieces}
		c.checkLiterals(at, text, pieces, i == len(texts)-1)
		for _, p := range pieces {
			if p.tag != nil {
				c.bindPathTag(at, &s, p.tag, styles)
			}
		}
		segments = append(segments, s)
	}
	return segments
}

// literalOnly returns a text without its tags.
func literalOnly(source string) string {
	var b strings.Builder
	for {
		at := strings.Index(source, "{{")
		if at < 0 {
			break
		}
		b.WriteString(source[:at])
		end := endOfTag(source[at:])
		if end < 0 {
			return b.String()
		}
		source = source[at+end:]
	}
	return b.String() + source
}

// splitPath splits a path at the slashes outside of tags.
func splitPath(source string) []string {
	var parts []string
	start := 0
	for i := 0; i < len(source); i++ {
		if strings.HasPrefix(source[i:], "{{") {
			if end := endOfTag(source[i:]); end > 0 {
				i += end - 1
			}
			continue
		}
		if source[i] == '/' {
			parts = append(parts, source[start:i])
			start = i + 1
		}
	}
	return append(parts, source[start:])
}

// checkLiterals wants what the author wrote himself to be a path as every server reads it.
func (c *compiler) checkLiterals(at, text string, pieces []piece, last bool) {
	if len(pieces) == 0 {
		if !last {
			c.fail(at, "", "the path has an empty segment", "write one slash between two segments")
		}
		return
	}
	tags := hasTags(pieces)
	for _, p := range pieces {
		if p.tag != nil {
			continue
		}
		for i := 0; i < len(p.literal); i++ {
			switch ch := p.literal[i]; {
			case isUnreserved(ch), strings.IndexByte("!$&'()*+,;=:@", ch) >= 0:
			case ch == '%' && tags:
				c.fail(at, "", fmt.Sprintf("%q has a percent-encoded character beside a tag", shorten(text)),
					"two decodings of both together could mean something else; write it in a segment of its own")
				return
			case ch == '%' && i+2 < len(p.literal) && isHex(p.literal[i+1]) && isHex(p.literal[i+2]):
				i += 2
			default:
				c.fail(at, "", fmt.Sprintf("%q cannot stand in a path", shorten(text)),
					"write it percent-encoded: "+encoded(literalOf(pieces)))
				return
			}
		}
	}
	if !tags && checkSegment(literalOf(pieces), tool.SlashRefused) != "" {
		c.fail(at, "", fmt.Sprintf("the segment %q leads elsewhere, or is read in two ways", text), "write the path that is meant")
	}
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' }

// bindPathTag looks at a tag in a path: each call must have a value for it.
func (c *compiler) bindPathTag(at string, s *segment, e *expression, styles map[string]Style) {
	c.bind(at, e)
	if !e.always && e.path != nil {
		c.fail(at, e.source, "a call may leave the value out, and no path would be left",
			fmt.Sprintf("say required: true for the parameter %s, or write {{%s|default('…')}}", e.path[0], e.name()))
	}
	if e.param == nil {
		return
	}
	if e.param.Slash != tool.SlashRefused {
		if s.slash != tool.SlashRefused && s.slash != e.param.Slash {
			c.fail(at, e.source, "two values of one segment read slashes differently", "")
		}
		s.slash = e.param.Slash
	}
	style, given := styles[e.name()]
	if given || e.param.Type == tool.TypeArray || e.param.Type == tool.TypeObject {
		s.style, s.styled = style, true
		if s.style.Name == "" {
			s.style.Name = StyleSimple
		}
		if len(s.pieces) > 1 {
			c.fail(at, e.source, "a list or an object stands in a segment by itself", "")
		}
		c.checkStyle(at, e, s.style, StyleSimple, StyleLabel, StyleMatrix)
	}
}

// fillPath returns the path as it goes on the line, and the segments that it must be read back as, decoded.
func (t *Template) fillPath(v *values) (line string, decoded []string, failure *tool.Failure) {
	b := append([]byte{}, t.basePath...)
	decoded = append(decoded, t.baseSegments...)
	for i := range t.segments {
		s := &t.segments[i]
		if !hasTags(s.pieces) {
			literal := literalOf(s.pieces)
			plain, err := url.PathUnescape(literal)
			if err != nil { // the compiler has read it
				plain = literal
			}
			b = append(append(b, '/'), literal...)
			decoded = append(decoded, plain)
			continue
		}
		raw, text, failure := s.fill(v)
		if failure != nil {
			return "", nil, failure
		}
		if s.slash == tool.SlashSegments {
			for _, part := range strings.Split(text, "/") {
				b = appendEncoded(append(b, '/'), part)
				decoded = append(decoded, part)
			}
			continue
		}
		b = append(append(b, '/'), raw...)
		decoded = append(decoded, text)
	}
	if len(b) == 0 {
		b = append(b, '/')
	}
	return string(b), decoded, nil
}

// fill returns a segment as it goes on the line, and what it is decoded.
func (s *segment) fill(v *values) (raw, text string, failure *tool.Failure) {
	if s.styled {
		return s.fillStyled(v)
	}
	text, given, err := v.text(s.pieces)
	tag := firstTag(s.pieces)
	switch {
	case err != nil:
		return "", "", refusal("the path", "%v", err)
	case !given:
		return "", "", refusal("the path", "%s has no value", tag.source)
	}
	if why := checkSegment(text, s.slash); why != "" {
		return "", "", refusal("the path", "%s: %s", tag.source, why)
	}
	return encoded(text), text, nil
}

func firstTag(pieces []piece) *expression {
	for _, p := range pieces {
		if p.tag != nil {
			return p.tag
		}
	}
	return &expression{}
}

// refusal is why a call with these values is not sent. It never holds a value.
func refusal(where, format string, args ...any) *tool.Failure {
	return tool.Failf(tool.FailValidation, "%s: %s", where, fmt.Sprintf(format, args...))
}

func shorten(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	cut := s[:most]
	for !utf8.ValidString(cut) {
		cut = cut[:len(cut)-1]
	}
	return cut + "…"
}
