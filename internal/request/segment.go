package request

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// mostDecodings is how often a segment is decoded to see what becomes of it. Nobody decodes more often than a few
// times, and what is not at rest by then is refused.
const mostDecodings = 8

// checkSegment says why a segment of a path that a value stands in may be read as another path by some server;
// "" where it cannot. The segment is as it is before it is encoded for the line.
//
// Servers decode what they pass on once more (nginx with a proxy_pass that has a URI, Apache with AllowEncodedSlashes,
// whatever stands behind them), take characters for others (NFKC, best-fit code pages), drop what they do not see, and
// cut parameters off at a semicolon. So the segment must be harmless as it is and after each such step.
func checkSegment(segment string, slash tool.Slash) string {
	if !utf8.ValidString(segment) {
		return "it is no valid text"
	}
	for range mostDecodings {
		if why := checkForms(segment, slash); why != "" {
			return why
		}
		next, changed := decodeOnce(segment)
		if !changed {
			return ""
		}
		segment = next
	}
	return "it is percent-encoded too many times over"
}

// checkForms looks at a segment as it stands, and at what becomes of it where characters are folded.
func checkForms(segment string, slash tool.Slash) string {
	folded := norm.NFKC.String(segment)
	for i, form := range []string{segment, folded} {
		if i > 0 && form == segment {
			break
		}
		if strings.ContainsFunc(form, isControl) {
			return "it holds a control character"
		}
		visible := strings.Map(visibleOnly, form)
		if strings.ContainsFunc(visible, isBackslash) {
			return "it holds a backslash, which many servers read as a slash"
		}
		pieces := []string{visible}
		if strings.ContainsFunc(visible, isSlash) {
			if slash == tool.SlashRefused {
				return "it holds a slash, and one segment of the path is meant"
			}
			pieces = strings.FieldsFunc(visible, isSlash) // drops the empty ones, which are counted here
			if len(pieces) != strings.Count(strings.Map(foldSlash, visible), "/")+1 {
				return "it holds an empty segment"
			}
		}
		for _, piece := range pieces {
			before, _, _ := strings.Cut(piece, ";")
			for _, part := range []string{piece, before} {
				if strings.Trim(part, ".") == "" {
					if strings.Trim(visible, ".;/") == "" && part == "" {
						return "nothing would stand there"
					}
					return "it would be a dot segment or an empty one, which leads elsewhere"
				}
			}
		}
	}
	return ""
}

// visibleOnly drops what is not seen, blanks included: servers trim them.
func visibleOnly(r rune) rune {
	if display.Hidden(r) || unicode.IsSpace(r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) ||
		unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Me, r) {
		return -1
	}
	return r
}

func isControl(r rune) bool {
	return r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029'
}

// isSlash reports whether a character is a slash, or is taken for one in some code page.
func isSlash(r rune) bool { return foldSlash(r) == '/' }

func foldSlash(r rune) rune {
	switch r {
	case '/', '\u2044', '\u2215', '\u29f8', '\u2571', '\uff0f', '\u2f03':
		return '/'
	}
	return r
}

func isBackslash(r rune) bool {
	switch r {
	case '\\', '\u2216', '\u29f5', '\u29f9', '\uff3c', '\ufe68':
		return true
	}
	return false
}

// decodeOnce undoes percent-encoding as the most lenient server would: what is none stays as it is, %uXXXX is a
// character, and bytes that are no UTF-8 are those that an overlong form stands for, or Latin-1.
func decodeOnce(s string) (decoded string, changed bool) {
	if strings.IndexByte(s, '%') < 0 {
		return s, false
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				b, i, changed = append(b, byte(n)), i+2, true
				continue
			}
			if (s[i+1] == 'u' || s[i+1] == 'U') && i+5 < len(s) {
				if n, err := strconv.ParseUint(s[i+2:i+6], 16, 16); err == nil {
					b, i, changed = utf8.AppendRune(b, rune(n)), i+5, true
					continue
				}
			}
		}
		b = append(b, s[i])
	}
	if utf8.Valid(b) {
		return string(b), changed
	}
	return lenient(b), changed
}

// lenient reads bytes that are no UTF-8 as a careless decoder does, which takes the bits of overlong forms.
func lenient(b []byte) string {
	var out strings.Builder
	for i := 0; i < len(b); {
		if r, size := utf8.DecodeRune(b[i:]); r != utf8.RuneError || size > 1 {
			out.WriteRune(r)
			i += size
			continue
		}
		size, r := 0, rune(0)
		switch c := b[i]; {
		case c&0xe0 == 0xc0:
			size, r = 2, rune(c&0x1f)
		case c&0xf0 == 0xe0:
			size, r = 3, rune(c&0x0f)
		case c&0xf8 == 0xf0:
			size, r = 4, rune(c&0x07)
		}
		if size == 0 || i+size > len(b) {
			out.WriteRune(rune(b[i])) // Latin-1
			i++
			continue
		}
		for _, c := range b[i+1 : i+size] {
			r = r<<6 | rune(c&0x3f)
		}
		out.WriteRune(r)
		i += size
	}
	return out.String()
}

const upperHex = "0123456789ABCDEF"

// isUnreserved reports whether a byte stands for itself wherever it stands in a URL (RFC 3986, 2.3).
func isUnreserved(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '.' || c == '_' || c == '~'
}

// appendEncoded writes a text with everything encoded but what is unreserved.
func appendEncoded(b []byte, text string) []byte {
	for i := 0; i < len(text); i++ {
		if c := text[i]; isUnreserved(c) {
			b = append(b, c)
		} else {
			b = append(b, '%', upperHex[c>>4], upperHex[c&15])
		}
	}
	return b
}

func encoded(text string) string { return string(appendEncoded(nil, text)) }
