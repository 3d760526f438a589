package openapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// What is made of the schemas of one operation.
const (
	mostValues = 4000 // parameters, items and members
	mostParts  = 200  // schemas that hold of one value together
	mostBytes  = 16 << 20
	mostEnum   = 100 // values that are listed; of more the server knows
	// longestPattern is how long a regular expression may be that is taken over.
	longestPattern = 200
)

var errTooMuch = errors.New("its schemas have too many members")

// schemas makes parameters of schemas.
type schemas struct {
	doc     *document
	deepest int  // how deep members are told; what lies deeper is any object or list
	brief   bool // members have no description, and no value is listed
	made    int
	bytes   int
	cost    int      // what has been made is at least so many bytes of JSON
	open    []string // the references that the value lies in
	seen    []string // those that were followed
}

// facets are the schemas that hold of one value together.
type facets struct {
	parts    []value
	refs     []string
	nullable bool
	variants []value // it fits one of them; nil where there is one way only
}

// gather follows references and allOf.
func (s *schemas) gather(f *facets, v value) error {
	if reference := v.get("$ref"); reference.isText() {
		where := reference.text()
		if slices.Contains(f.refs, where) {
			return nil
		}
		f.refs = append(f.refs, where)
		found, err := s.doc.at(where)
		if err != nil {
			return err
		}
		f.parts = append(f.parts, v)
		return s.gather(f, found)
	}
	if !v.isObject() {
		return nil // true and false say nothing that a server does not say again
	}
	s.bytes += len(v.raw)
	if f.parts = append(f.parts, v); len(f.parts) > mostParts || s.bytes > mostBytes {
		return errTooMuch
	}
	for _, m := range v.get("allOf").members() {
		if err := s.gather(f, m.value); err != nil {
			return err
		}
	}
	return s.gatherVariants(f, v)
}

// gatherVariants follows oneOf and anyOf where they leave one schema beside null, and keeps them where there are more.
func (s *schemas) gatherVariants(f *facets, v value) error {
	for _, key := range []string{"oneOf", "anyOf"} {
		var others []value
		for _, m := range v.get(key).members() {
			if m.value.get("type").text() == "null" {
				f.nullable = true
			} else {
				others = append(others, m.value)
			}
		}
		if len(others) == 1 {
			if err := s.gather(f, others[0]); err != nil {
				return err
			}
		} else {
			f.variants = append(f.variants, others...)
		}
	}
	return nil
}

// first returns what the first schema says that says it.
func (f *facets) first(key string) value {
	for _, part := range f.parts {
		if v := part.get(key); v != nil {
			return v
		}
	}
	return nil
}

// typeOf returns the type that the schemas name, or that follows from what they say; "" where none does.
func (f *facets) typeOf() (tool.Type, error) {
	var named []string
	if said := f.first("type"); said.isText() {
		named = []string{said.text()}
	} else {
		named = said.texts()
	}
	if at := slices.Index(named, "null"); at >= 0 {
		f.nullable = true
		named = slices.Delete(named, at, at+1)
	}
	switch {
	case len(named) > 1:
		return "", fmt.Errorf("it has several types (%s)", clean(strings.Join(named, ", ")))
	case len(named) == 1 && slices.Contains(tool.Types(), tool.Type(named[0])):
		return tool.Type(named[0]), nil
	case len(named) == 1:
		return "", fmt.Errorf("there is no type %s", quote(named[0]))
	case f.first("properties") != nil || f.first("additionalProperties") != nil:
		return tool.TypeObject, nil
	case f.first("items") != nil:
		return tool.TypeArray, nil
	}
	values := f.first("enum").members()
	if constant := f.first("const"); constant != nil {
		values = append(values, member{value: constant})
	}
	for _, m := range values {
		switch {
		case m.value.isText():
			return tool.TypeString, nil
		case m.value.isNumber():
			return tool.TypeNumber, nil
		}
	}
	return "", nil
}

// parameter makes a parameter of a schema, without a name.
func (s *schemas) parameter(v value, depth int) (p tool.Parameter, err error) {
	if s.made++; s.made > mostValues {
		return p, errTooMuch
	}
	f := &facets{}
	if err := s.gather(f, v); err != nil {
		return p, err
	}
	if p.Type, err = f.typeOf(); err != nil {
		return p, err
	}
	free, err := s.settleVariants(f, &p)
	if err != nil {
		return p, err
	}
	if p.Type == "" {
		return p, errors.New("its type is not said")
	}
	if f.first("nullable").isTrue() {
		f.nullable = true
	}
	if err := s.bounds(f, &p, free); err != nil {
		return p, err
	}
	p.Nullable = f.nullable
	if depth == 0 || !s.brief {
		p.Description = s.doc.cleaned(f.about())
	}
	s.cost += len(`{"type":""}`) + len(p.Type) + len(p.Description)
	s.seen = append(s.seen, f.refs...)
	inside := slices.ContainsFunc(f.refs, func(where string) bool { return slices.Contains(s.open, where) })
	if free || inside || depth >= s.deepest {
		return p, nil
	}
	s.open = append(s.open, f.refs...)
	defer func() { s.open = s.open[:len(s.open)-len(f.refs)] }()
	if p.Type == tool.TypeArray || p.Type == tool.TypeObject {
		err = s.makeInside(f, &p, depth)
	}
	return p, err
}

// settleVariants finds the type that all variants have. What more they say is left to the server: free.
func (s *schemas) settleVariants(f *facets, p *tool.Parameter) (free bool, err error) {
	var types []string
	for _, v := range f.variants {
		one := &facets{}
		if err := s.gather(one, v); err != nil {
			return false, err
		}
		kind, err := one.typeOf()
		if err != nil {
			return false, err
		}
		if kind != "" && !slices.Contains(types, string(kind)) {
			types = append(types, string(kind))
		}
		free = free || kind != ""
		f.nullable = f.nullable || one.nullable
	}
	if p.Type == "" && len(types) == 1 {
		p.Type = tool.Type(types[0])
	}
	if p.Type == "" && len(types) > 1 {
		return false, fmt.Errorf("it is one of several types (%s)", strings.Join(types, ", "))
	}
	return free, nil
}

// about is what the document says of a value.
func (f *facets) about() string {
	text := f.first("description").text()
	if text == "" {
		text = f.first("title").text()
	}
	if format := f.first("format").text(); format != "" {
		text += " (" + format + ")"
	}
	if fallback := f.first("default"); fallback != nil && !fallback.isObject() && !fallback.isList() && !fallback.isNull() {
		text += " Default: " + strings.Trim(fallback.raw, `"`)
	}
	return text
}

// bounds takes over what a value is held to.
func (s *schemas) bounds(f *facets, p *tool.Parameter, free bool) error {
	if free {
		return nil
	}
	switch p.Type {
	case tool.TypeNumber, tool.TypeInteger:
		for _, bound := range []struct {
			to    *string
			names []string
		}{{&p.Minimum, []string{"minimum", "exclusiveMinimum"}}, {&p.Maximum, []string{"maximum", "exclusiveMaximum"}}} {
			for _, name := range bound.names {
				if v := f.first(name); *bound.to == "" && v.isNumber() {
					*bound.to = v.raw
				}
			}
		}
	case tool.TypeString:
		p.MinLength, p.MaxLength = count(f.first("minLength")), count(f.first("maxLength"))
		p.Pattern = patternOf(f.first("pattern").text())
	case tool.TypeArray:
		p.MinItems, p.MaxItems = count(f.first("minItems")), count(f.first("maxItems"))
		return nil
	case tool.TypeObject:
		return nil
	}
	return s.enum(f, p)
}

func count(v value) *int {
	if v == nil {
		return nil
	}
	n, err := strconv.Atoi(v.raw)
	if err != nil || n < 0 {
		return nil
	}
	return &n
}

// patternOf is an expression for the whole value that means what a pattern of JSON Schema means, which may hold anywhere;
// "" where there is none that we read.
func patternOf(text string) string {
	if text == "" || len(text) > longestPattern || !isClean(text) {
		return ""
	}
	isWhole := strings.HasPrefix(text, "^") && strings.HasSuffix(text, "$") && !strings.HasSuffix(text, `\$`)
	if isWhole && !strings.Contains(text, "|") {
		text = "(?:" + text + ")"
	} else {
		text = `[\s\S]*(?:` + text + `)[\s\S]*`
	}
	if _, err := regexp.Compile(text); err != nil {
		return ""
	}
	return text
}

// enum takes over the values that there are. They are sent as they stand, so those that show as others are refused.
func (s *schemas) enum(f *facets, p *tool.Parameter) error {
	list := f.first("enum").members()
	if constant := f.first("const"); constant != nil {
		list = []member{{value: constant}}
	}
	if len(list) > mostEnum || s.brief && len(list) > 8 {
		return nil
	}
	for _, m := range list {
		v := m.value
		switch {
		case v.isNull():
			f.nullable = true
		case v.isText() && p.Type == tool.TypeString:
			text := v.text()
			if text != "" && !isClean(text) {
				return fmt.Errorf("it may be %s, which holds what is not seen, or a tag, or is too long", quote(text))
			}
			if !slices.Contains(p.Enum, any(text)) {
				p.Enum = append(p.Enum, text)
			}
		case v.isNumber() && (p.Type == tool.TypeNumber || p.Type == tool.TypeInteger):
			p.Enum = append(p.Enum, json.Number(v.raw))
		case p.Type == tool.TypeBoolean:
		default:
			return fmt.Errorf("it may be %s, which is no %s", quote(v.raw[:min(len(v.raw), 60)]), p.Type)
		}
	}
	return nil
}

func (s *schemas) items(f *facets, p *tool.Parameter, depth int) error {
	if f.first("prefixItems") != nil || !f.first("items").isObject() {
		return nil
	}
	items, err := s.parameter(f.first("items"), depth+1)
	if err != nil {
		return fmt.Errorf("items: %w", err)
	}
	p.Items = &items
	return nil
}

// members makes the members of an object. One that may have others than those that are named has any.
func (s *schemas) members(f *facets, p *tool.Parameter, depth int) error {
	if more := f.first("additionalProperties"); more != nil && more.raw != "false" || f.first("patternProperties") != nil {
		return nil
	}
	var required []string
	for _, part := range f.parts {
		required = append(required, part.get("required").texts()...)
	}
	for _, part := range f.parts {
		for _, m := range part.get("properties").members() {
			if err := s.member(p, m, depth, slices.Contains(required, m.name)); err != nil {
				return fmt.Errorf("%s: %w", quote(m.name), err)
			}
		}
	}
	return nil
}

func (s *schemas) member(p *tool.Parameter, m member, depth int, required bool) error {
	if m.value.get("readOnly").isTrue() || p.Property(m.name) != nil { // what only an answer has, or what is told already
		return nil
	}
	if !isClean(m.name) {
		return errors.New("its name holds what is not seen, or a tag, or is too long")
	}
	made, err := s.parameter(m.value, depth+1)
	if err != nil {
		return err
	}
	s.cost += len(m.name)
	made.Name, made.Required = m.name, required
	p.Properties = append(p.Properties, made)
	return nil
}
