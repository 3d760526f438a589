package answer

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// pages says how the next page of an answer is found, and what of each page counts.
type pages struct {
	next      path   // to the next page's URL, or to its cursor
	parameter string // the field of the query that has the cursor; "" where next is a URL
	link      bool   // the header Link says it (RFC 8288)
	items     path
}

func newPages(spec tool.Pages) (*pages, error) {
	p := &pages{link: spec.Next == tool.NextLink, parameter: spec.Parameter}
	var err error
	if !p.link {
		if p.next, err = parsePath(spec.At); err == nil && len(p.next) == 0 {
			err = errors.New("want a JSON pointer such as /meta/next")
		}
		if err != nil {
			return nil, &Mistake{At: "paginate.next", Message: err.Error()}
		}
	}
	if p.items, err = parsePath(spec.Items); err != nil {
		return nil, &Mistake{At: "paginate.items", Message: err.Error()}
	}
	return p, nil
}

// Pages reports whether an answer may have further pages.
func (r *Reading) Pages() bool { return r != nil && r.pages != nil }

// Items returns what counts of a page: the items of its list.
func (r *Reading) Items(a Answer) ([]json.RawMessage, error) {
	list, ok := r.pages.items.in(a.Body)
	var items []json.RawMessage
	if !ok || len(list) == 0 || list[0] != '[' || json.Unmarshal(list, &items) != nil {
		return nil, errors.New("the answer has no list at " + r.pages.items.String() + " (paginate: items)")
	}
	return items, nil
}

// Next returns where an answer says that its next page is, for an answer from that URL to a request that was first made
// to the other; "" where there is none.
func (r *Reading) Next(a Answer, from, first string) string {
	p := r.pages
	base, err := url.Parse(from)
	if err != nil {
		return ""
	}
	if p.link {
		return resolved(base, nextLink(a.Header))
	}
	raw, ok := p.next.in(a.Body)
	if !ok {
		return ""
	}
	var at any
	if json.Unmarshal(raw, &at) != nil {
		return ""
	}
	text, isText := at.(string)
	if _, isNumber := at.(float64); isNumber {
		text, isText = string(raw), true
	}
	switch {
	case !isText || text == "":
		return ""
	case p.parameter == "":
		return resolved(base, text)
	}
	return withField(first, p.parameter, text)
}

func resolved(base *url.URL, to string) string {
	if to == "" {
		return ""
	}
	next, err := base.Parse(to)
	if err != nil {
		return ""
	}
	next.Fragment = ""
	return next.String()
}

// withField returns a URL with one field of its query in place of those of its name.
func withField(in, name, value string) string {
	u, err := url.Parse(in)
	if err != nil {
		return ""
	}
	var kept []string
	for _, pair := range strings.Split(u.RawQuery, "&") {
		before, _, _ := strings.Cut(pair, "=")
		if plain, err := url.QueryUnescape(before); pair == "" || err == nil && plain == name {
			continue
		}
		kept = append(kept, pair)
	}
	u.RawQuery = strings.Join(append(kept, url.QueryEscape(name)+"="+url.QueryEscape(value)), "&")
	return u.String()
}

// nextLink returns the target of the link whose relation is next (RFC 8288, 3); "" for none.
func nextLink(h http.Header) string {
	for _, field := range h.Values("Link") {
		for rest := field; ; {
			open := strings.IndexByte(rest, '<')
			if open < 0 {
				break
			}
			target, behind, closed := strings.Cut(rest[open+1:], ">")
			if !closed {
				break
			}
			params, more := linkParams(behind)
			if relation, said := params["rel"]; said {
				for _, word := range strings.Fields(relation) {
					if strings.EqualFold(word, "next") {
						return target
					}
				}
			}
			rest = more
		}
	}
	return ""
}

// linkParams reads the parameters behind a link's target, and returns what follows the comma behind them. Of a name that
// stands there twice the first counts.
func linkParams(text string) (params map[string]string, rest string) {
	params = map[string]string{}
	for {
		text = strings.TrimLeft(text, " \t")
		if text == "" || text[0] == ',' {
			return params, strings.TrimPrefix(text, ",")
		}
		if text[0] != ';' {
			return params, ""
		}
		text = strings.TrimLeft(text[1:], " \t")
		end := strings.IndexAny(text, "=;,")
		if end < 0 {
			return params, ""
		}
		name := strings.ToLower(strings.TrimSpace(text[:end]))
		if text[end] != '=' {
			text = text[end:]
			continue
		}
		var value string
		value, text = linkValue(strings.TrimLeft(text[end+1:], " \t"))
		if _, twice := params[name]; !twice {
			params[name] = value
		}
	}
}

// linkValue reads a token or a quoted text.
func linkValue(text string) (value, rest string) {
	if !strings.HasPrefix(text, `"`) {
		end := strings.IndexAny(text, ";,")
		if end < 0 {
			end = len(text)
		}
		return strings.TrimSpace(text[:end]), text[end:]
	}
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			return b.String(), text[i+1:]
		case c == '\\' && i+1 < len(text):
			i++
			b.WriteByte(text[i])
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), ""
}
