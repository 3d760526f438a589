package openapi

import (
	"bytes"
	"encoding/json"
	"strings"
)

// value is a JSON value in the bytes of a document that is known to be JSON.
type value []byte

// member is a member of an object, or an item of a list, which has no name.
type member struct {
	name  string
	value value
}

func (v value) isObject() bool { return len(v) > 0 && v[0] == '{' }
func (v value) isList() bool   { return len(v) > 0 && v[0] == '[' }
func (v value) isText() bool   { return len(v) > 0 && v[0] == '"' }
func (v value) isTrue() bool   { return string(v) == "true" }
func (v value) isNull() bool   { return string(v) == "null" }
func (v value) isNumber() bool { return len(v) > 0 && (v[0] == '-' || v[0] >= '0' && v[0] <= '9') }

// text returns a text; "" for any other value.
func (v value) text() string {
	if !v.isText() {
		return ""
	}
	if plain := v[1 : len(v)-1]; bytes.IndexByte(plain, '\\') < 0 {
		return strings.ToValidUTF8(string(plain), "\ufffd")
	}
	var s string
	if json.Unmarshal(v, &s) != nil {
		return ""
	}
	return s
}

// members returns the members of an object, or the items of a list, in their order; none of any other value. Of two
// members of a name the last one counts.
func (v value) members() []member {
	if !v.isObject() && !v.isList() {
		return nil
	}
	var all []member
	at := map[string]int{}
	for rest := skipBlanks(v[1:]); len(rest) > 0 && rest[0] != '}' && rest[0] != ']'; {
		var m member
		if v.isObject() {
			name, after := split(rest)
			m.name, rest = name.text(), skipBlanks(after)
			rest = skipBlanks(rest[1:]) // the colon
		}
		m.value, rest = split(rest)
		if i, twice := at[m.name]; twice && v.isObject() {
			all[i] = m
		} else {
			at[m.name] = len(all)
			all = append(all, m)
		}
		if rest = skipBlanks(rest); len(rest) > 0 && rest[0] == ',' {
			rest = skipBlanks(rest[1:])
		}
	}
	return all
}

// get returns a member of an object; nil where there is none.
func (v value) get(name string) value {
	if !v.isObject() {
		return nil
	}
	var found value
	for _, m := range v.members() {
		if m.name == name {
			found = m.value
		}
	}
	return found
}

// texts returns the texts of a list.
func (v value) texts() []string {
	var all []string
	if v.isList() {
		for _, m := range v.members() {
			all = append(all, m.value.text())
		}
	}
	return all
}

func skipBlanks(b value) value {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t' || b[0] == '\n' || b[0] == '\r') {
		b = b[1:]
	}
	return b
}

// split returns the value that the bytes begin with, and what stands behind it. It goes into nothing, however deep.
func split(b value) (first, rest value) {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			for i++; i < len(b) && b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return b[:i], b[i:]
			}
			depth--
		case ',', ' ', '\t', '\n', '\r':
			if depth == 0 {
				return b[:i], b[i:]
			}
			continue
		default:
			if depth > 0 || i+1 < len(b) && !isEnd(b[i+1]) {
				continue
			}
		}
		if depth == 0 {
			return b[:i+1], b[i+1:]
		}
	}
	return b, nil
}

func isEnd(c byte) bool { return strings.IndexByte(",:]} \t\r\n", c) >= 0 }
