package request

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// isCookieValue reports whether a text can be the value of a cookie (RFC 6265, 4.1.1: cookie-octet).
func isCookieValue(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c <= ' ' || c > '~' || strings.IndexByte("\",;\\", c) >= 0 {
			return false
		}
	}
	return true
}

// noCookie says that a value cannot stand where it stands.
func noCookie(e *expression) error {
	return fmt.Errorf("%s: the value of a cookie has visible ASCII characters, and no blank, quote, comma, semicolon or backslash",
		e.source)
}

// checkCookies wants each tag of a Cookie header to be the end of one cookie's value.
func (c *compiler) checkCookies(at string, pieces []piece) {
	for i, p := range pieces {
		if p.tag == nil {
			continue
		}
		before, after := "", ""
		if i > 0 {
			before = pieces[i-1].literal
		}
		if i+1 < len(pieces) {
			after = pieces[i+1].literal
		}
		if !strings.HasSuffix(before, "=") || after != "" && !strings.HasPrefix(after, "; ") {
			c.fail(at, p.tag.source, "it does not stand where the value of a cookie stands",
				"write name={{"+p.tag.name()+"}}; other={{…}}")
		}
	}
}

// parseCookie reads a cookie of a template: a name, and one text.
func (c *compiler) parseCookie(spec Field) field {
	f := field{at: "cookies." + spec.Name, name: spec.Name, context: contextCookie, values: [][]piece{{{}}}}
	if !isToken(spec.Name) {
		c.fail(f.at, "", fmt.Sprintf("%q cannot be the name of a cookie", shorten(spec.Name)),
			"names have no tags: the agent chooses values")
		return f
	}
	values := c.parseValues(f.at, spec.Value)
	if len(values) != 1 || spec.Style != (Style{}) {
		c.fail(f.at, "", "a cookie has one value", "write it as a text, which may have tags")
		return f
	}
	f.values = values
	c.wantTexts(f.at, values[0])
	if !hasTags(values[0]) && !isCookieValue(literalOf(values[0])) {
		c.fail(f.at, "", "the value of a cookie has visible ASCII characters, and no blank, quote, comma, semicolon or backslash", "")
	}
	return f
}

// fillCookies fills the cookies in. One without a value is left out.
func (t *Template) fillCookies(v *values) ([]Header, *tool.Failure) {
	var list []Header
	for i := range t.cookies {
		f := &t.cookies[i]
		text, given, err := v.text(f.values[0])
		if err == nil && given && !isCookieValue(text) {
			err = noCookie(firstTag(f.values[0]))
		}
		if err != nil {
			return nil, refusal(f.at, "%v", err)
		}
		if given {
			list = append(list, Header{f.name, text})
		}
	}
	return list, nil
}

// appendCookies writes cookies as the one header that they stand in (RFC 6265, 4.2.1).
func appendCookies(list, cookies []Header) []Header {
	if len(cookies) == 0 {
		return list
	}
	var b strings.Builder
	for i, each := range cookies {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(each.Name + "=" + each.Value)
	}
	return append(list, Header{"Cookie", b.String()})
}

// verifyCookies wants cookies to be read back as they were written.
func verifyCookies(r *Request, want []Header) error {
	if len(want) == 0 {
		return nil
	}
	got, err := http.ParseCookie(r.Get("Cookie"))
	if err != nil || len(got) != len(want) {
		return errors.New("it would have other cookies")
	}
	for i, each := range want {
		if got[i].Name != each.Name || got[i].Value != each.Value || got[i].Quoted {
			return errors.New("a cookie would be another one")
		}
	}
	return nil
}
