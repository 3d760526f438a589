package openapi

import (
	"encoding/json"
	"strings"
)

// node is a JSON value in the text of a document that is known to be JSON. It is taken apart when somebody asks what is in
// it, and once: documents are large, of each operation many things are asked, and many lead to the same schemas.
type node struct {
	raw    string
	said   string // the text that it is, once somebody has asked
	isRead bool
	inside []member
	byName map[string]int // where they stand in inside, of an object with many members
}

// value is a node; nil is a value that is not there.
type value = *node

// member is a member of an object, or an item of a list, which has no name.
type member struct {
	name  string
	value value
}

// many is the number of members from which on they are looked up in a map.
const many = 16

// objectOf is an object that stands in no document.
func objectOf(members ...member) value { return &node{raw: "{}", isRead: true, inside: members} }

// listOf is a list of texts that stands in no document.
func listOf(texts []string) value {
	list := &node{raw: "[]", isRead: true}
	for _, text := range texts {
		data, _ := json.Marshal(text) // of a text this never fails
		list.inside = append(list.inside, member{value: &node{raw: string(data)}})
	}
	return list
}

func (v value) is(first byte) bool { return v != nil && v.raw != "" && v.raw[0] == first }

func (v value) isObject() bool { return v.is('{') }
func (v value) isList() bool   { return v.is('[') }
func (v value) isText() bool   { return v.is('"') }
func (v value) isTrue() bool   { return v.is('t') }
func (v value) isNull() bool   { return v.is('n') }
func (v value) isNumber() bool {
	return v != nil && v.raw != "" && (v.raw[0] == '-' || v.raw[0] >= '0' && v.raw[0] <= '9')
}

// text returns a text; "" for any other value.
func (v value) text() string {
	if !v.isText() {
		return ""
	}
	if v.said == "" {
		v.said = unquoted(v.raw)
	}
	return v.said
}

func unquoted(raw string) string {
	if plain := raw[1 : len(raw)-1]; strings.IndexByte(plain, '\\') < 0 {
		return plain
	}
	var s string
	if json.Unmarshal([]byte(raw), &s) != nil {
		return ""
	}
	return s
}

// members returns the members of an object, or the items of a list, in their order; none of any other value. Of two
// members of a name the last one counts. Nobody changes the list.
func (v value) members() []member {
	if v == nil {
		return nil
	}
	if !v.isRead {
		v.isRead = true
		switch {
		case v.isObject():
			v.inside = v.lastOfEach(takeApart(v.raw, true))
		case v.isList():
			v.inside = takeApart(v.raw, false)
		}
	}
	return v.inside
}

// takeApart lists what is in an object or a list.
func takeApart(raw string, named bool) []member {
	var names []string
	var values []node
	for at := skipBlanks(raw, 1); at < len(raw) && raw[at] != '}' && raw[at] != ']'; {
		if named {
			end := skipText(raw, at)
			names = append(names, unquoted(raw[at:end]))
			at = skipBlanks(raw, skipBlanks(raw, end)+len(":"))
		}
		end := skipValue(raw, at)
		values = append(values, node{raw: raw[at:end]})
		if at = skipBlanks(raw, end); at < len(raw) && raw[at] == ',' {
			at = skipBlanks(raw, at+1)
		}
	}
	all := make([]member, len(values))
	for i := range values {
		if all[i].value = &values[i]; named {
			all[i].name = names[i]
		}
	}
	return all
}

// lastOfEach keeps of members with the same name the last, in the place of the first.
func (v value) lastOfEach(all []member) []member {
	if len(all) > many {
		v.byName = make(map[string]int, len(all))
	}
	kept := all[:0]
	for _, m := range all {
		if at := v.find(kept, m.name); at >= 0 {
			kept[at] = m
			continue
		}
		if v.byName != nil {
			v.byName[m.name] = len(kept)
		}
		kept = append(kept, m)
	}
	return kept
}

// find returns where a member stands in a list of them; -1 where there is none.
func (v value) find(list []member, name string) int {
	if v.byName != nil {
		if at, ok := v.byName[name]; ok {
			return at
		}
		return -1
	}
	for at := range list {
		if list[at].name == name {
			return at
		}
	}
	return -1
}

// get returns a member of an object; nil where there is none.
func (v value) get(name string) value {
	if !v.isObject() {
		return nil
	}
	if at := v.find(v.members(), name); at >= 0 {
		return v.inside[at].value
	}
	return nil
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

func skipBlanks(raw string, at int) int {
	for at < len(raw) && (raw[at] == ' ' || raw[at] == '\t' || raw[at] == '\n' || raw[at] == '\r') {
		at++
	}
	return at
}

// skipText returns where the text ends that begins there.
func skipText(raw string, at int) int {
	for end := at + 1; end < len(raw); end++ {
		next := strings.IndexByte(raw[end:], '"')
		if next < 0 {
			break
		}
		end += next
		escapes := 0
		for raw[end-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return end + 1
		}
	}
	return len(raw)
}

// structural are the bytes that values begin and end with.
var structural = [256]bool{'"': true, '{': true, '[': true, '}': true, ']': true}

// skipValue returns where the value ends that begins there. It goes into nothing, however deep.
func skipValue(raw string, at int) int {
	if at < len(raw) && !structural[raw[at]] { // a number or a word
		for at < len(raw) && strings.IndexByte(",]} \t\r\n", raw[at]) < 0 {
			at++
		}
		return at
	}
	for depth := 0; at < len(raw); at++ {
		if !structural[raw[at]] {
			continue
		}
		switch raw[at] {
		case '"':
			at = skipText(raw, at) - 1
		case '{', '[':
			depth++
		default:
			depth--
		}
		if depth <= 0 {
			return at + 1
		}
	}
	return len(raw)
}
