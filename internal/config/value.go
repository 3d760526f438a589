package config

import (
	"fmt"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// The kinds of mistake that one value can have.
const (
	ruleType  = "type"
	ruleValue = "value"
)

// value is one node of a document with what a message calls it. Its methods report what is wrong with it and return false,
// so that reading goes on and finds the other mistakes.
type value struct {
	doc  *document
	node *yaml.Node
	name string // `tool "grep": sandbox.timeout`; "" for the file's own mapping
	want string // what belongs here, in words
}

// at gives the value of a node, an alias standing for what it names.
func (doc *document) at(node *yaml.Node, name, want string) value {
	if node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	return value{doc: doc, node: node, name: name, want: want}
}

// child names a value that stands below v.
func (v value) child(node *yaml.Node, name, want string) value {
	switch {
	case v.name == "":
	case strings.HasSuffix(v.name, `"`):
		name = v.name + ": " + name
	default:
		name = v.name + "." + name
	}
	return v.doc.at(node, name, want)
}

// about puts the name of the value in front of a message.
func (v value) about(format string, args ...any) string {
	message := fmt.Sprintf(format, args...)
	if v.name == "" {
		return message
	}
	return v.name + ": " + message
}

// fail reports a mistake at the value's place.
func (v value) fail(rule, hint, format string, args ...any) {
	v.say(SeverityError, rule, hint, format, args...)
}

// warn reports something that the author should know, at the value's place.
func (v value) warn(rule, hint, format string, args ...any) {
	v.say(SeverityWarning, rule, hint, format, args...)
}

// say reports what is to be said about the value once, however many aliases lead here. Of a value that cannot be read as it
// stands no more is said than that.
func (v value) say(severity Severity, rule, hint, format string, args ...any) {
	if v.doc.faulty[v.node] || v.doc.broken[v.node.Line] || !v.doc.once(severity, v.node.Line, v.node.Column, rule, fmt.Sprintf(format, args...)) {
		return
	}
	v.doc.add(Error{
		Line: v.node.Line, Column: v.node.Column, Severity: severity, Rule: rule, Message: v.about(format, args...), Hint: hint,
	})
}

// mismatch reports a value of another type than belongs here.
func (v value) mismatch(want, hint string) {
	if v.want != "" {
		want = v.want
	}
	v.fail(ruleType, hint, "want %s, found %s", want, describe(v.node))
}

func (v value) isNull() bool { return v.node.Kind == yaml.ScalarNode && v.node.Tag == "!!null" }

// empty tells whether nothing stands here, which counts as not given where the document allows it.
func (v value) empty() bool { return v.isNull() && !v.doc.emptyIsWrong }

// text reads a text. A plain date is one, too; numbers and truth values need quotes, so that 1.10 stays 1.10.
func (v value) text() (string, bool) {
	if v.node.Kind == yaml.ScalarNode && (v.node.Tag == "!!str" || v.node.Tag == "!!timestamp") {
		return v.node.Value, true
	}
	v.mismatch("a text", v.textHint())
	return "", false
}

// textHint is how to write a text that YAML takes for something else.
func (v value) textHint() string {
	flow := v.node.Style&yaml.FlowStyle != 0
	switch {
	case v.isNull():
		return "write it after the colon, or take the key out"
	case v.node.Kind == yaml.ScalarNode:
		return fmt.Sprintf("put quotes around it: %q", v.node.Value)
	case v.node.Kind == yaml.MappingNode && flow:
		return "a text that begins with { needs quotes around it"
	case v.node.Kind == yaml.SequenceNode && flow:
		return "one text, without brackets; a text that begins with [ needs quotes around it"
	case v.node.Kind == yaml.MappingNode:
		return "a text of several lines, or with a colon in it, stands below a | and two spaces deeper"
	}
	return "a text of several lines stands below a | and two spaces deeper"
}

// boolean reads true or false. YAML 1.1's other spellings are texts and refused, since readers differ on them.
func (v value) boolean() (is, ok bool) {
	if v.node.Kind == yaml.ScalarNode && v.node.Tag == "!!bool" {
		return strings.EqualFold(v.node.Value, "true"), true
	}
	hint := ""
	switch strings.ToLower(v.node.Value) {
	case "true", "yes", "on", "y", "1":
		hint = "write true"
	case "false", "no", "off", "n", "0":
		hint = "write false"
	}
	if text := strings.ToLower(v.node.Value); (text == "true" || text == "false") && v.node.Kind == yaml.ScalarNode {
		hint = "take the quotes out: " + text
	}
	v.mismatch("true or false", hint)
	return false, false
}

// literal reads a text, or a number as the text that it is written as.
func (v value) literal() (string, bool) {
	if isNumber(v.node) {
		return v.node.Value, true
	}
	return v.text()
}

// The set methods read into a field and leave it alone when the value is wrong.

func (v value) setText(field *string) {
	if text, ok := v.text(); ok {
		*field = text
	}
}

func (v value) setLiteral(field *string) {
	if text, ok := v.literal(); ok {
		*field = text
	}
}

func (v value) setBool(field *bool) {
	if is, ok := v.boolean(); ok {
		*field = is
	}
}

func (v value) setFlag(field **bool) {
	if is, ok := v.boolean(); ok {
		*field = &is
	}
}

func (v value) setNumber(field *string) {
	if number, ok := v.number(); ok {
		*field = string(number)
	}
}

func (v value) setTexts(field *[]string) {
	if texts, ok := v.texts(); ok {
		*field = texts
	}
}

// list gives the entries of a list, each named by its place in it.
func (v value) list(want string) ([]value, bool) {
	if v.empty() {
		return nil, true
	}
	if v.node.Kind != yaml.SequenceNode {
		hint := ""
		if v.node.Kind == yaml.ScalarNode && !v.isNull() {
			hint = fmt.Sprintf("write it as a list: [%s]", shorten(v.node.Value))
			if strings.HasPrefix(v.want, "a list: the program") {
				hint = fmt.Sprintf("write it as a list: [%s]", shorten(strings.Join(strings.Fields(v.node.Value), ", ")))
			}
		}
		v.mismatch("a list", hint)
		return nil, false
	}
	entries := make([]value, len(v.node.Content))
	for i := range v.node.Content {
		entries[i] = v.item(i)
		entries[i].want = want
	}
	return entries, true
}

// item gives an entry of a list, named by its place.
func (v value) item(i int) value {
	return v.doc.at(v.node.Content[i], fmt.Sprintf("%s[%d]", v.name, i), "")
}

// texts reads a list of texts.
func (v value) texts() ([]string, bool) {
	entries, ok := v.list("a text")
	var texts []string
	for _, entry := range entries {
		text, good := entry.text()
		ok = ok && good
		texts = append(texts, text)
	}
	return texts, ok
}

// entry is one key of a mapping with its value.
type entry struct {
	name  string
	key   value
	value value
}

// entries gives the keys of a mapping in their order. Keys that are no texts are reported and left out.
func (v value) entries() ([]entry, bool) {
	all, ok := v.rawEntries()
	named := all[:0:0]
	for _, e := range all {
		if e.key.node.Tag != "!!str" && e.key.node.Tag != "!!timestamp" && e.key.node.Style&yaml.TaggedStyle == 0 {
			e.key.fail(ruleKey, fmt.Sprintf("put quotes around it: %q", e.name), "want a name, found %s", describe(e.key.node))
			ok = false
			continue
		}
		named = append(named, e)
	}
	return named, ok
}

// rawEntries is entries for a mapping whose keys may be numbers.
func (v value) rawEntries() ([]entry, bool) {
	if v.empty() {
		return nil, true
	}
	if v.node.Kind != yaml.MappingNode {
		v.mismatch("a mapping", "")
		return nil, false
	}
	var all []entry
	for i := 0; i+1 < len(v.node.Content); i += 2 {
		key := v.node.Content[i]
		if key.Kind != yaml.ScalarNode || key.Tag == "!!merge" {
			continue // said when the file was walked
		}
		all = append(all, entry{
			name:  key.Value,
			key:   value{doc: v.doc, node: key, name: v.name},
			value: v.child(v.node.Content[i+1], key.Value, ""),
		})
	}
	return all, true
}

// get gives the value of a key; false when v is no mapping or does not have the key.
func (v value) get(name string) (value, bool) {
	if !isMapping(v) {
		return value{}, false
	}
	for i := 0; i+1 < len(v.node.Content); i += 2 {
		if v.node.Content[i].Value == name {
			return v.child(v.node.Content[i+1], name, ""), true
		}
	}
	return value{}, false
}

// has tells whether v is a mapping that has a key.
func (v value) has(name string) bool {
	_, ok := v.get(name)
	return ok
}

// mustHave reports that a mapping, or the nothing that stands for an empty one, does not have a key. It does not where a key
// that was told of is that one mistyped, or where the key may stand in what could not be read.
func (v value) mustHave(name, hint string) bool {
	if v.has(name) || !isMapping(v) && !v.empty() {
		return true
	}
	if v.doc.lost || v.hasLike(name) {
		return false
	}
	v.fail(ruleMissing, hint, "%s is missing", name)
	return false
}

// hasLike tells whether a mapping has a key that was probably meant for another one, or takes keys from elsewhere.
func (v value) hasLike(name string) bool {
	if !isMapping(v) {
		return false
	}
	for i := 0; i+1 < len(v.node.Content); i += 2 {
		key := v.node.Content[i]
		if key.Tag == "!!merge" || v.doc.meant[key] == name {
			return true
		}
	}
	return false
}

// open reads any value into Go's JSON types, numbers as they are written.
func (v value) open() (any, bool) {
	switch {
	case v.isNull():
		return nil, true
	case v.node.Kind == yaml.SequenceNode:
		entries, ok := v.list("")
		list := make([]any, len(entries))
		for i, entry := range entries {
			item, good := entry.open()
			list[i], ok = item, ok && good
		}
		return list, ok
	case v.node.Kind == yaml.MappingNode:
		entries, ok := v.entries()
		object := make(map[string]any, len(entries))
		for _, entry := range entries {
			item, good := entry.value.open()
			object[entry.name], ok = item, ok && good
		}
		return object, ok
	case isNumber(v.node):
		return asAny(v.number())
	case v.node.Tag == "!!bool":
		return asAny(v.boolean())
	}
	return asAny(v.text())
}

func asAny[T any](v T, ok bool) (any, bool) { return v, ok }

// describe says what a node is, for messages.
func describe(node *yaml.Node) string {
	switch node.Kind {
	case yaml.AliasNode:
		return describe(node.Alias)
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	switch node.Tag {
	case "!!null":
		return "nothing"
	case "!!bool", "!!int", "!!float":
		return shorten(node.Value)
	}
	return quote(node.Value)
}

// quote gives a text as a message shows it: on one line, not too long, nothing in it left to the terminal.
func quote(s string) string { return strconv.Quote(shorten(s)) }

func shorten(s string) string {
	const longest = 60 // characters
	runes := []rune(s)
	if len(runes) <= longest {
		return s
	}
	return string(runes[:longest]) + "…"
}

func isMapping(v value) bool { return v.node.Kind == yaml.MappingNode }

func isList(v value) bool { return v.node.Kind == yaml.SequenceNode }
