package request

import (
	"fmt"
	"strings"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// headerContext is the place of a tag in the value of a header.
type headerContext int

// The contexts.
const (
	contextWhole  headerContext = iota // the tag is the whole value
	contextToken                       // beside other text: one token
	contextQuoted                      // within a quoted string
	contextCookie                      // the value of a cookie
)

// ourHeaders are the headers that are not an agent's, and those that only the program sets.
var ourHeaders = map[string]string{
	"host":                   "the source says where a request goes",
	"content-length":         "it follows from the body",
	"transfer-encoding":      "it follows from the body",
	"content-encoding":       "the body is sent as it is",
	"content-type":           "the body says what it is",
	"authorization":          "credentials stand under auth of the source",
	"proxy-authorization":    "credentials stand under auth of the source",
	"connection":             "it is about the connection",
	"keep-alive":             "it is about the connection",
	"proxy-connection":       "it is about the connection",
	"te":                     "it is about the connection",
	"trailer":                "it is about the connection",
	"upgrade":                "it is about the connection",
	"expect":                 "it is about the connection",
	"http2-settings":         "it is about the connection",
	"forwarded":              "it says where a request comes from",
	"via":                    "it says where a request comes from",
	"x-real-ip":              "it says where a request comes from",
	"x-client-ip":            "it says where a request comes from",
	"true-client-ip":         "it says where a request comes from",
	"cf-connecting-ip":       "it says where a request comes from",
	"x-cluster-client-ip":    "it says where a request comes from",
	"x-original-url":         "servers take it for the path",
	"x-rewrite-url":          "servers take it for the path",
	"x-http-method-override": "servers take it for the method",
	"x-http-method":          "servers take it for the method",
	"x-method-override":      "servers take it for the method",
	"accept-encoding":        "the answer is decompressed here",
}

// whoseHeader says why a header cannot hold what an agent says; "" where it can.
func whoseHeader(name string) string {
	lower := strings.ToLower(name)
	switch {
	case ourHeaders[lower] != "":
		return ourHeaders[lower]
	case strings.HasPrefix(lower, "content-"):
		return "the body says what it is"
	case strings.HasPrefix(lower, "x-forwarded-"):
		return "it says where a request comes from"
	case strings.HasPrefix(lower, "proxy-"), strings.HasPrefix(lower, "sec-"):
		return "it is not a caller's to say"
	}
	return ""
}

// fixedHeaders are those that not even the author can set: the connection is made by the program.
func isFixed(name string) bool {
	switch lower := strings.ToLower(name); lower {
	case "host", "content-length", "transfer-encoding", "connection", "keep-alive", "proxy-connection", "te", "trailer", "upgrade",
		"expect", "http2-settings", "content-encoding", "accept-encoding", "authorization", "proxy-authorization":
		return true
	}
	return false
}

// isToken reports whether a text is a token (RFC 9110, 5.6.2).
func isToken(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9') &&
			strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return s != ""
}

// isFieldValue reports whether a text can be the value of a header: visible ASCII, with blanks only inside.
func isFieldValue(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c != ' ' && c != '\t' && (c <= ' ' || c > '~') {
			return false
		}
	}
	return strings.Trim(s, " \t") == s
}

// parseHeader reads a header of a template, and finds out where its tags stand.
func (c *compiler) parseHeader(h Field) field {
	at := "headers." + h.Name
	f := field{at: at, name: h.Name, style: h.Style}
	if !isToken(h.Name) {
		c.fail(at, "", fmt.Sprintf("%q cannot be the name of a header", shorten(h.Name)),
			"names have no tags: the agent chooses values")
		return f
	}
	if isFixed(h.Name) {
		c.fail(at, "", h.Name+" cannot be set here: "+whoseHeader(h.Name), "take it out")
		return f
	}
	for _, pieces := range c.parseValues(at, h.Value) {
		if hasTags(pieces) {
			if why := whoseHeader(h.Name); why != "" {
				c.fail(at, firstTag(pieces).source, h.Name+" is not an agent's to say: "+why, "write the value out")
				continue
			}
		} else if !isFieldValue(literalOf(pieces)) {
			c.fail(at, "", "the value of a header has visible ASCII characters, and no blanks around it", "")
		}
		f.context = c.contextOf(at, h.Name, pieces)
		if e := onlyTag(pieces); e != nil && e.param != nil {
			if f.style.Name == "" {
				f.style.Name = StyleSimple
			}
			c.checkStyle(at, e, f.style, StyleSimple)
		}
		f.values = append(f.values, pieces)
	}
	return f
}

// contextOf finds out where the tags of a header's value stand. A value with tags in several kinds of places, or
// within half a quoted string, is refused.
func (c *compiler) contextOf(at, name string, pieces []piece) headerContext {
	if onlyTag(pieces) != nil && !equalFold(name, "Cookie") {
		return contextWhole
	}
	quoted, context, tags := false, contextToken, 0
	for _, p := range pieces {
		if p.tag == nil {
			for i := 0; i < len(p.literal); i++ {
				switch {
				case quoted && p.literal[i] == '\\':
					i++
				case p.literal[i] == '"':
					quoted = !quoted
				}
			}
			continue
		}
		now := contextToken
		switch {
		case equalFold(name, "Cookie"):
			now = contextCookie
		case quoted:
			now = contextQuoted
		}
		if tags++; tags > 1 && now != context {
			c.fail(at, p.tag.source, "the tags of this header stand in different kinds of places", "put them into headers of their own")
		}
		context = now
	}
	if quoted {
		c.fail(at, "", "a quote is not closed", `write "\"{{value}}\""`)
	}
	if equalFold(name, "Cookie") {
		c.checkCookies(at, pieces)
	}
	return context
}

// fillHeaders fills the headers in. One without a value is left out.
func (t *Template) fillHeaders(v *values) ([]Header, *tool.Failure) {
	var list []Header
	for i := range t.headers {
		f := &t.headers[i]
		for _, pieces := range f.values {
			text, given, err := f.fillHeader(v, pieces)
			if err != nil {
				return nil, refusal(f.at, "%v", err)
			}
			if given {
				list = append(list, Header{f.name, text})
			}
		}
	}
	return list, nil
}

func (f *field) fillHeader(v *values, pieces []piece) (text string, given bool, failure error) {
	if !hasTags(pieces) {
		return literalOf(pieces), true, nil
	}
	if f.context == contextWhole {
		return f.fillWhole(v, pieces)
	}
	var b strings.Builder
	for _, p := range pieces {
		if p.tag == nil {
			b.WriteString(p.literal)
			continue
		}
		part, ok, err := v.tagText(p.tag)
		if err != nil || !ok {
			return "", false, err
		}
		switch f.context {
		case contextCookie:
			if !isCookieValue(part) {
				return "", false, noCookie(p.tag)
			}
		case contextQuoted:
			if !isQuotable(part) {
				return "", false, fmt.Errorf("%s: a quoted string has visible ASCII characters and blanks", p.tag.source)
			}
			part = strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(part)
		default:
			if !isToken(part) {
				return "", false, fmt.Errorf("%s: beside other text only letters, digits and !#$%%&'*+-.^_`|~ can stand", p.tag.source)
			}
		}
		b.WriteString(part)
	}
	return b.String(), true, nil
}

func isQuotable(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c != '\t' && (c < ' ' || c > '~') {
			return false
		}
	}
	return true
}

// fillWhole fills in a header that is one value, or a list of them with commas between.
func (f *field) fillWhole(v *values, pieces []piece) (text string, given bool, failure error) {
	e := pieces[0].tag
	value, given := v.of(e)
	if !given || value == nil {
		return "", false, nil
	}
	if e.toJSON {
		text = string(appendJSON(nil, value))
	} else {
		items, isObject, err := itemsOf(e, value)
		if err != nil {
			return "", false, err
		}
		_, isList := value.([]any)
		switch {
		case len(items) == 0:
			return "", false, nil
		case isObject || isList:
			equals := ","
			if f.style.Explode != nil && *f.style.Explode {
				equals = "="
			}
			if text, err = joined(e, items, isObject, ",", equals); err != nil {
				return "", false, err
			}
			if strings.ContainsAny(text, "\";\\ \t") {
				return "", false, fmt.Errorf("%s: an item of a list in a header has no blanks, quotes, semicolons and backslashes", e.source)
			}
		default:
			text = items[0].text
		}
	}
	if !isFieldValue(text) {
		return "", false, fmt.Errorf("%s: the value of a header has visible ASCII characters, and no blanks around it", e.source)
	}
	return text, true, nil
}

// CheckKeyName says why a name cannot be that of a key in a header, a query or a cookie; "" where it can.
func CheckKeyName(name string) string {
	switch {
	case !isToken(name):
		return "it has letters, digits and - only"
	case isFixed(name) && !equalFold(name, "Authorization"), strings.HasPrefix(strings.ToLower(name), "content-"),
		equalFold(name, "Cookie"):
		return whoseHeader(name)
	}
	return ""
}

// IsConditional reports whether a header asks for a part of an answer, for none, or for one of a certain age (RFC 9110, 13.1
// and 14.2; RFC 9111, 5.2.1): what keeps answers says these by itself.
func IsConditional(name string) bool {
	name = strings.ToLower(name)
	return strings.HasPrefix(name, "if-") || name == "range" || name == "cache-control" || name == "pragma"
}
