package request

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/tagfilter"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// expression is what a tag stands for: {{name}}, {{name|default('x')|tojson}}, {{uuid()}}.
type expression struct {
	source   string   // the whole tag as written
	path     []string // a name split at its dots; nil for a call of uuid()
	fallback *fallback
	toJSON   bool

	param  *tool.Parameter // what declares the value; nil where nothing does
	always bool            // every call has a value for it
}

// fallback is what default(…) gives.
type fallback struct {
	value any // a text, a json.Number or a bool
	uuid  bool
}

// piece is fixed text or a tag.
type piece struct {
	literal string
	tag     *expression // nil for text
}

// problem is what is wrong with a text.
type problem struct{ tag, message, fix string }

func (p *problem) at(where string) Finding {
	return Finding{At: where, Tag: p.tag, Message: p.message, Fix: p.fix}
}

// parseText takes a text apart into fixed text and tags.
func parseText(source string) ([]piece, *problem) {
	var pieces []piece
	for rest := source; rest != ""; {
		at := strings.Index(rest, "{{")
		if other := strings.Index(rest, "{%"); other >= 0 && (at < 0 || other < at) {
			return nil, &problem{cutTag(rest[other:]), "statements have no place here",
				"they can only stand in a body_template; write the request as http: {json: …}, where what has no value is left out"}
		}
		if at < 0 {
			pieces = append(pieces, piece{literal: rest})
			break
		}
		if at > 0 {
			pieces = append(pieces, piece{literal: rest[:at]})
		}
		tag, length, wrong := parseTag(rest[at:])
		if wrong != nil {
			return nil, wrong
		}
		pieces = append(pieces, piece{tag: tag})
		rest = rest[at+length:]
	}
	return pieces, nil
}

// cutTag returns the tag that a text begins with, for messages.
func cutTag(s string) string {
	if end := strings.Index(s, "}"); end >= 0 && end < 80 {
		return s[:min(len(s), end+2)]
	}
	return s[:min(len(s), 20)]
}

// parseTag reads the tag that a text begins with, and tells how long it is.
func parseTag(s string) (*expression, int, *problem) {
	end := endOfTag(s)
	if end < 0 {
		return nil, 0, &problem{cutTag(s), "the tag is not closed", "write }} behind it"}
	}
	e := &expression{source: s[:end]}
	inner := strings.TrimSpace(strings.Trim(s[2:end-2], "-"))
	parts := tagfilter.Split(inner)
	fail := func(message, fix string) (*expression, int, *problem) {
		return nil, 0, &problem{e.source, message, fix}
	}
	switch head := strings.TrimSpace(parts[0]); {
	case isUUID(head):
	case isName(head):
		e.path = strings.Split(head, ".")
	case head == "":
		return fail("the tag names nothing", "name a parameter")
	case strings.ContainsAny(head[:1], "#^/>!&="):
		return fail("sections and the like have no place in a request", "what has no value is left out by itself")
	default:
		return fail("this is more than a name", "write {{name}}; the filters are default(…) and tojson")
	}
	for _, filter := range parts[1:] {
		if message, fix := e.filter(strings.TrimSpace(filter)); message != "" {
			return fail(message, fix)
		}
	}
	return e, end, nil
}

// endOfTag returns where the tag ends that a text begins with: the first }} outside of quotes; -1 for none.
func endOfTag(s string) int {
	var quote byte
	for i := 2; i < len(s)-1; i++ {
		switch c := s[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '}' && s[i+1] == '}':
			return i + 2
		}
	}
	return -1
}

func isUUID(s string) bool { return strings.ReplaceAll(s, " ", "") == "uuid()" }

// isName reports whether a text is a name, or several with dots between them.
func isName(s string) bool {
	for _, part := range strings.Split(s, ".") {
		if part == "" || strings.Trim(part, nameSigns) != "" || strings.Contains("0123456789-", part[:1]) {
			return false
		}
	}
	return true
}

const nameSigns = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

// filter takes one filter in, or says what is wrong with it.
func (e *expression) filter(source string) (message, fix string) {
	name, inner, called := strings.Cut(source, "(")
	name = strings.TrimSpace(name)
	switch {
	case name == "default" && called && strings.HasSuffix(inner, ")"):
		inner = strings.TrimSpace(strings.TrimSuffix(inner, ")"))
		if isUUID(inner) {
			e.fallback = &fallback{uuid: true}
			return "", ""
		}
		value, ok := readLiteral(inner)
		if !ok {
			return "default() takes a number, true, false, a quoted text or uuid()", "write default('…') or default(30)"
		}
		e.fallback = &fallback{value: value}
	case name == "tojson" && (!called || strings.TrimSpace(inner) == ")"):
		e.toJSON = true
	default:
		return fmt.Sprintf("there is no filter |%s", name), "the filters are default(…) and tojson"
	}
	return "", ""
}

// readLiteral reads the argument of default(…).
func readLiteral(source string) (any, bool) {
	if n := len(source); n >= 2 && (source[0] == '\'' || source[0] == '"') && source[n-1] == source[0] {
		inner := source[1 : n-1]
		return inner, strings.IndexByte(inner, source[0]) < 0 && strings.IndexByte(inner, 0) < 0
	}
	switch strings.ToLower(source) {
	case "true":
		return true, true
	case "false":
		return false, true
	}
	if !isJSONNumber(source) {
		return nil, false
	}
	return json.Number(source), true
}

func isJSONNumber(s string) bool {
	return s != "" && strings.Contains("-0123456789", s[:1]) && json.Valid([]byte(s))
}

// name is what the expression names, for messages.
func (e *expression) name() string {
	if e.path == nil {
		return "uuid()"
	}
	return strings.Join(e.path, ".")
}

// onlyTag returns the tag that a text consists of; nil where there is more.
func onlyTag(pieces []piece) *expression {
	if len(pieces) == 1 {
		return pieces[0].tag
	}
	return nil
}

func hasTags(pieces []piece) bool {
	for _, p := range pieces {
		if p.tag != nil {
			return true
		}
	}
	return false
}

// literalOf returns the fixed text that a text without tags is.
func literalOf(pieces []piece) string {
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(p.literal)
	}
	return b.String()
}
