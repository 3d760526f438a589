package yamldoc

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/a2a-acp/a2a-acp/internal/lazyregexp"
	"github.com/a2a-acp/a2a-acp/internal/spelling"
)

// The kinds of mistake that one value can have.
const (
	RuleType  = "type"
	RuleValue = "value"
)

// Value is one node of a document with what a message calls it. Its methods report what is wrong with it and
// return false, so that reading goes on and finds the other mistakes.
type Value struct {
	Doc  *Document
	Node *yaml.Node
	Name string // `tool "grep": sandbox.timeout`; "" for the file's own mapping
	Want string // what belongs here, in words
}

// At returns the value of a node, an alias standing for what it names.
func (doc *Document) At(node *yaml.Node, name, want string) Value {
	if node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	return Value{Doc: doc, Node: node, Name: name, Want: want}
}

// child names a value that stands below v.
func (v Value) child(node *yaml.Node, name, want string) Value {
	switch {
	case v.Name == "":
	case strings.HasSuffix(v.Name, `"`):
		name = v.Name + ": " + name
	default:
		name = v.Name + "." + name
	}
	return v.Doc.At(node, name, want)
}

// message puts the name of the value in front of a message.
func (v Value) message(format string, args ...any) string {
	message := fmt.Sprintf(format, args...)
	if v.Name == "" {
		return message
	}
	return v.Name + ": " + message
}

// Fail reports a mistake at the value's place.
func (v Value) Fail(rule, hint, format string, args ...any) {
	v.report(SeverityError, rule, hint, format, args...)
}

// Warn reports something that the author should know, at the value's place.
func (v Value) Warn(rule, hint, format string, args ...any) {
	v.report(SeverityWarning, rule, hint, format, args...)
}

// report reports what is to be said about the value once, however many aliases lead here. Of a value that
// cannot be read as it stands no more is said than that.
func (v Value) report(severity Severity, rule, hint, format string, args ...any) {
	if v.IsFaulty() || !v.Doc.isNew(severity, v.Node.Line, v.Node.Column, rule,
		fmt.Sprintf(format, args...)) {
		return
	}
	v.Doc.add(Error{
		Line: v.Node.Line, Column: v.Node.Column, Severity: severity, Rule: rule,
		Message: v.message(format, args...), Hint: hint,
	})
}

// Mismatch reports a value of another type than belongs here.
func (v Value) Mismatch(want, hint string) {
	if v.Want != "" {
		want = v.Want
	}
	v.Fail(RuleType, hint, "want %s, found %s", want, Describe(v.Node))
}

// IsFaulty reports whether a mistake has been told of the value as a whole: what follows from it is not.
func (v Value) IsFaulty() bool { return v.Doc.faulty[v.Node] || v.Doc.broken[v.Node.Line] }

// IsNull reports whether nothing stands here.
func (v Value) IsNull() bool { return v.Node.Kind == yaml.ScalarNode && v.Node.Tag == "!!null" }

// IsEmpty reports whether nothing stands here, which counts as not given where the document allows it.
func (v Value) IsEmpty() bool { return v.IsNull() && !v.Doc.options.EmptyIsWrong }

// Text reads a text. A plain date is one, too; numbers and truth values need quotes, so that 1.10 stays 1.10.
func (v Value) Text() (string, bool) {
	if v.Node.Kind == yaml.ScalarNode && (v.Node.Tag == "!!str" || v.Node.Tag == "!!timestamp") {
		return v.Node.Value, true
	}
	v.Mismatch("a text", v.textHint())
	return "", false
}

// textHint is how to write a text that YAML takes for something else.
func (v Value) textHint() string {
	flow := v.Node.Style&yaml.FlowStyle != 0
	switch {
	case v.IsNull():
		return "write it after the colon, or take the key out"
	case v.Node.Kind == yaml.ScalarNode:
		return fmt.Sprintf("put quotes around it: %q", v.Node.Value)
	case v.Node.Kind == yaml.MappingNode && flow:
		return "a text that begins with { needs quotes around it"
	case v.Node.Kind == yaml.SequenceNode && flow:
		return "one text, without brackets; a text that begins with [ needs quotes around it"
	case v.Node.Kind == yaml.MappingNode:
		return "a text of several lines, or with a colon in it, stands below a | and two spaces deeper"
	}
	return "a text of several lines stands below a | and two spaces deeper"
}

// Bool reads true or false. YAML 1.1's other spellings are texts and refused, since readers differ on them.
func (v Value) Bool() (is, ok bool) {
	if v.Node.Kind == yaml.ScalarNode && v.Node.Tag == "!!bool" {
		return strings.EqualFold(v.Node.Value, "true"), true
	}
	hint := ""
	switch strings.ToLower(v.Node.Value) {
	case "true", "yes", "on", "y", "1":
		hint = "write true"
	case "false", "no", "off", "n", "0":
		hint = "write false"
	}
	if text := strings.ToLower(v.Node.Value); (text == "true" || text == "false") &&
		v.Node.Kind == yaml.ScalarNode {
		hint = "take the quotes out: " + text
	}
	v.Mismatch("true or false", hint)
	return false, false
}

// Literal reads a text, or a number as the text that it is written as.
func (v Value) Literal() (string, bool) {
	if isNumber(v.Node) {
		return v.Node.Value, true
	}
	return v.Text()
}

// The set methods read into a field and leave it alone when the value is wrong.

// SetText reads a text into a field.
func (v Value) SetText(field *string) {
	if text, ok := v.Text(); ok {
		*field = text
	}
}

// SetLiteral reads a text, or a number as the text that it is written as, into a field.
func (v Value) SetLiteral(field *string) {
	if text, ok := v.Literal(); ok {
		*field = text
	}
}

// SetBool reads true or false into a field.
func (v Value) SetBool(field *bool) {
	if is, ok := v.Bool(); ok {
		*field = is
	}
}

// SetFlag reads true or false into a field that is nil where nothing is said.
func (v Value) SetFlag(field **bool) {
	if is, ok := v.Bool(); ok {
		*field = &is
	}
}

// SetNumber reads a number into a field, as it is written.
func (v Value) SetNumber(field *string) {
	if number, ok := v.Number(); ok {
		*field = string(number)
	}
}

// SetTexts reads a list of texts into a field.
func (v Value) SetTexts(field *[]string) {
	if texts, ok := v.Texts(); ok {
		*field = texts
	}
}

// List returns the entries of a list, each named by its place in it.
func (v Value) List(want string) ([]Value, bool) {
	if v.IsEmpty() {
		return nil, true
	}
	if v.Node.Kind != yaml.SequenceNode {
		hint := ""
		if v.Node.Kind == yaml.ScalarNode && !v.IsNull() {
			hint = fmt.Sprintf("write it as a list: [%s]", asEntry(v.Node.Value))
			if strings.HasPrefix(v.Want, "a list: the program") {
				hint = fmt.Sprintf("write it as a list: [%s]",
					Shorten(strings.Join(strings.Fields(v.Node.Value), ", ")))
			}
		}
		v.Mismatch("a list", hint)
		return nil, false
	}
	entries := make([]Value, len(v.Node.Content))
	for i := range v.Node.Content {
		entries[i] = v.Item(i)
		entries[i].Want = want
	}
	return entries, true
}

// plainEntry matches what needs no quotes in a list between brackets.
var plainEntry = lazyregexp.New(`^[A-Za-z0-9_./][A-Za-z0-9_./ +-]*$`)

// asEntry writes a text as an entry of a list between brackets.
func asEntry(text string) string {
	if plainEntry.MatchString(text) {
		return Shorten(text)
	}
	return Quote(text)
}

// Item returns an entry of a list, named by its place.
func (v Value) Item(i int) Value {
	return v.Doc.At(v.Node.Content[i], fmt.Sprintf("%s[%d]", v.Name, i), "")
}

// Texts reads a list of texts.
func (v Value) Texts() ([]string, bool) {
	entries, ok := v.List("a text")
	var texts []string
	for _, entry := range entries {
		text, good := entry.Text()
		ok = ok && good
		texts = append(texts, text)
	}
	return texts, ok
}

// Entry is one key of a mapping with its value.
type Entry struct {
	Name  string
	Key   Value
	Value Value
}

// Entries returns the keys of a mapping in their order. Keys that are no texts are reported and left out.
func (v Value) Entries() ([]Entry, bool) {
	all, ok := v.AllEntries()
	named := all[:0]
	for _, e := range all {
		if e.Key.Node.Tag != "!!str" && e.Key.Node.Tag != "!!timestamp" &&
			e.Key.Node.Style&yaml.TaggedStyle == 0 {
			e.Key.Fail(RuleKey, fmt.Sprintf("put quotes around it: %q", e.Name), "want a name, found %s",
				Describe(e.Key.Node))
			ok = false
			continue
		}
		named = append(named, e)
	}
	return named, ok
}

// AllEntries is entries for a mapping whose keys may be numbers.
func (v Value) AllEntries() ([]Entry, bool) {
	if v.IsEmpty() {
		return nil, true
	}
	if v.Node.Kind != yaml.MappingNode {
		v.Mismatch("a mapping", "")
		return nil, false
	}
	all := make([]Entry, 0, len(v.Node.Content)/2)
	for i := 0; i+1 < len(v.Node.Content); i += 2 {
		key := v.Node.Content[i]
		if key.Kind != yaml.ScalarNode || key.Tag == "!!merge" {
			continue // said when the file was walked
		}
		all = append(all, Entry{
			Name:  key.Value,
			Key:   Value{Doc: v.Doc, Node: key, Name: v.Name},
			Value: v.child(v.Node.Content[i+1], key.Value, ""),
		})
	}
	return all, true
}

// Get returns the value of a key; false when v is no mapping or does not have the key.
func (v Value) Get(name string) (Value, bool) {
	if !v.IsMapping() {
		return Value{}, false
	}
	for i := 0; i+1 < len(v.Node.Content); i += 2 {
		if v.Node.Content[i].Value == name {
			return v.child(v.Node.Content[i+1], name, ""), true
		}
	}
	return Value{}, false
}

// Has reports whether v is a mapping that has a key.
func (v Value) Has(name string) bool {
	_, ok := v.Get(name)
	return ok
}

// Require reports that a mapping, or the nothing that stands for an empty one, does not have a key. It does
// not where a key that was told of is that one mistyped, or where the key may stand in what could not be
// read.
func (v Value) Require(name, hint string) bool {
	if v.Has(name) || !v.IsMapping() && !v.IsEmpty() {
		return true
	}
	if v.Doc.incomplete || v.hasLike(name) {
		return false
	}
	v.Fail(RuleMissing, hint, "%s is missing", name)
	return false
}

// hasLike reports whether a mapping has a key that was probably meant for another one, or takes keys from
// elsewhere.
func (v Value) hasLike(name string) bool {
	if !v.IsMapping() {
		return false
	}
	for i := 0; i+1 < len(v.Node.Content); i += 2 {
		key := v.Node.Content[i]
		if key.Tag == "!!merge" || v.Doc.meantKeys[key] == name {
			return true
		}
	}
	return false
}

// JSON reads any value into Go's JSON types, numbers as they are written.
func (v Value) JSON() (any, bool) {
	switch {
	case v.IsNull():
		return nil, true
	case v.Node.Kind == yaml.SequenceNode:
		entries, ok := v.List("")
		list := make([]any, len(entries))
		for i, entry := range entries {
			item, good := entry.JSON()
			list[i], ok = item, ok && good
		}
		return list, ok
	case v.Node.Kind == yaml.MappingNode:
		entries, ok := v.Entries()
		object := make(map[string]any, len(entries))
		for _, entry := range entries {
			item, good := entry.Value.JSON()
			object[entry.Name], ok = item, ok && good
		}
		return object, ok
	case isNumber(v.Node):
		return asAny(v.Number())
	case v.Node.Tag == "!!bool":
		return asAny(v.Bool())
	}
	return asAny(v.Text())
}

func asAny[T any](v T, ok bool) (any, bool) { return v, ok }

// Describe says what a node is, for messages.
func Describe(node *yaml.Node) string {
	switch node.Kind {
	case yaml.AliasNode:
		return Describe(node.Alias)
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	switch node.Tag {
	case "!!null":
		return "nothing"
	case "!!bool", "!!int", "!!float":
		return Shorten(node.Value)
	}
	return Quote(node.Value)
}

// Quote returns a text as a message shows it: on one line, not too long, nothing in it left to the terminal.
func Quote(s string) string { return strconv.Quote(Shorten(s)) }

// Shorten cuts a text to what a message has room for.
func Shorten(s string) string {
	const longest = 60 // characters
	runes := []rune(s)
	if len(runes) <= longest {
		return s
	}
	return string(runes[:longest]) + "…"
}

// IsMapping reports whether a mapping stands here.
func (v Value) IsMapping() bool { return v.Node.Kind == yaml.MappingNode }

// IsList reports whether a list stands here.
func (v Value) IsList() bool { return v.Node.Kind == yaml.SequenceNode }

// Find follows a path such as "commands.allow[2]" from v on, as far as the file goes.
func (v Value) Find(path string) Value {
	for path != "" {
		name := path
		if end := strings.IndexAny(path, ".["); end > 0 {
			name = path[:end]
		}
		if below, ok := v.Get(name); ok {
			v, path = below, strings.TrimPrefix(path[len(name):], ".")
			continue
		}
		index, rest, ok := strings.Cut(strings.TrimPrefix(path, "["), "]")
		i, err := strconv.Atoi(index)
		if !ok || err != nil || !v.IsList() || i < 0 || i >= len(v.Node.Content) {
			return v
		}
		v, path = v.Doc.At(v.Node.Content[i], fmt.Sprintf("%s[%d]", v.Name, i), ""),
			strings.TrimPrefix(rest, ".")
	}
	return v
}

// IgnoreKey has no more said of a key.
func (v Value) IgnoreKey(name string) {
	for i := 0; i+1 < len(v.Node.Content); i += 2 {
		if v.Node.Content[i].Value == name {
			v.Doc.markFaulty(v.Node.Content[i])
		}
	}
}

// TextOrTexts reads one text, or a list of them.
func (v Value) TextOrTexts() []string {
	if !v.IsList() {
		text, ok := v.Text()
		if !ok {
			return nil
		}
		return []string{text}
	}
	texts, _ := v.Texts()
	return texts
}

// OneOf reads one of some words.
func (v Value) OneOf(known []string, set func(string)) {
	text, ok := v.Text()
	if !ok {
		return
	}
	if slices.Contains(known, text) {
		set(text)
		return
	}
	hint := ""
	if near := spelling.Nearest(text, known); near != "" {
		hint = fmt.Sprintf("did you mean %s?", near)
	}
	v.Fail(RuleValue, hint, "want %s, found %s", wordList(known), Quote(text))
}

func wordList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}
