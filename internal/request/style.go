package request

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Styles lists the names of all styles.
func Styles() []string {
	return []string{string(StyleForm), string(StyleSpace), string(StylePipe), string(StyleDeep), string(StyleSimple),
		string(StyleLabel), string(StyleMatrix)}
}

// explodes reports whether each item stands by itself (OpenAPI 3.1, Parameter Object, explode: true for form).
func (s Style) explodes() bool {
	if s.Explode != nil {
		return *s.Explode
	}
	return s.Name == "" || s.Name == StyleForm || s.Name == StyleDeep
}

// checkStyle wants a style that its place has, and a value that can be written in it.
func (c *compiler) checkStyle(at string, e *expression, style Style, known ...StyleName) {
	if style.Name != "" && !slices.Contains(known, style.Name) {
		c.fail(at, e.source, fmt.Sprintf("there is no style %s here", style.Name), fmt.Sprintf("there are %v", known))
		return
	}
	p := e.param
	if p == nil {
		return
	}
	switch p.Type {
	case tool.TypeObject:
		c.checkScalars(at, e, p.Properties, "an object here has the members that its parameter declares, and their names decide "+
			"what is sent; declare them under properties")
	case tool.TypeArray:
		if style.Name == StyleDeep {
			c.fail(at, e.source, "deepObject is for an object", "")
		}
		if p.Items == nil {
			c.fail(at, e.source, "it is not said what the items of the list are", "items: {type: string}")
			return
		}
		if p.Items.Type == tool.TypeArray || p.Items.Type == tool.TypeObject {
			c.fail(at, e.source, "a list of lists or objects has no place in a URL or a header", "write {{"+e.name()+"|tojson}}")
		}
	default:
		if style.Name == StyleDeep {
			c.fail(at, e.source, "deepObject is for an object", "")
		}
	}
}

func (c *compiler) checkScalars(at string, e *expression, members []tool.Parameter, fix string) {
	if len(members) == 0 {
		c.fail(at, e.source, "it is not said which members the object has", fix)
	}
	for _, m := range members {
		if m.Type == tool.TypeArray || m.Type == tool.TypeObject {
			c.fail(at, e.source, fmt.Sprintf("the member %s is a list or an object, which has no place in a URL or a header", m.Name),
				"write {{"+e.name()+"|tojson}}")
		}
	}
}

// item is one item of a list, or one member of an object.
type item struct{ name, text string }

// itemsOf returns what a list or an object consists of; for any other value the one item. Members are in the order
// of their declaration.
func itemsOf(e *expression, value any) (items []item, isObject bool, failure error) {
	switch v := value.(type) {
	case []any:
		for _, each := range v {
			if each == nil {
				continue
			}
			text, ok := textOf(each)
			if !ok {
				return nil, false, fmt.Errorf("%s: a list of lists or objects has no place there", e.source)
			}
			items = append(items, item{text: text})
		}
		return items, false, nil
	case map[string]any:
		if e.param == nil {
			return nil, true, fmt.Errorf("%s: it is not known which members the object may have", e.source)
		}
		for i := range e.param.Properties {
			name := e.param.Properties[i].Name
			if v[name] == nil {
				continue
			}
			text, ok := textOf(v[name])
			if !ok {
				return nil, true, fmt.Errorf("%s: the member %s is a list or an object", e.source, name)
			}
			items = append(items, item{name, text})
		}
		return items, true, nil
	}
	text, ok := textOf(value)
	if !ok {
		return nil, false, fmt.Errorf("%s: the value has no text", e.source)
	}
	return []item{{text: text}}, false, nil
}

// joined writes items with a delimiter that none of them may hold: whoever reads it could not tell them apart.
func joined(e *expression, items []item, isObject bool, delimiter string, equals string) (string, error) {
	var parts []string
	for _, each := range items {
		for _, text := range []string{each.name, each.text} {
			if strings.Contains(text, delimiter) || equals != "," && equals != "" && strings.Contains(text, equals) {
				return "", fmt.Errorf("%s: an item holds %q, which stands between items there", e.source, delimiter)
			}
		}
		if isObject {
			parts = append(parts, each.name+equals+each.text)
		} else {
			parts = append(parts, each.text)
		}
	}
	return strings.Join(parts, delimiter), nil
}

// fillStyled fills a segment that is one list or object (RFC 6570, 3.2: simple, label and path-style expansion).
func (s *segment) fillStyled(v *values) (raw, text string, failure *tool.Failure) {
	e := s.pieces[0].tag
	value, given := v.of(e)
	if !given || value == nil {
		return "", "", refusal("the path", "%s has no value", e.source)
	}
	items, isObject, err := itemsOf(e, value)
	if err != nil {
		return "", "", refusal("the path", "%v", err)
	}
	if len(items) == 0 {
		return "", "", refusal("the path", "%s is empty, and no path would be left", e.source)
	}
	first, between, equals := "", ",", ","
	explodes := s.style.Explode != nil && *s.style.Explode
	if explodes {
		equals = "="
	}
	switch s.style.Name {
	case StyleLabel:
		if first = "."; explodes {
			between = "."
		}
	case StyleMatrix:
		first = ";" + s.name(e) + "="
		if explodes {
			between = ";"
			if first = ";"; !isObject {
				for i := range items {
					items[i].name = s.name(e)
				}
				isObject = true
			}
		}
	}
	line := []byte(first)
	for i, each := range items {
		for _, part := range []string{each.name, each.text} {
			if strings.ContainsAny(part, between+",;=") || (s.style.Name == StyleLabel && strings.Contains(part, ".")) {
				return "", "", refusal("the path", "%s: an item holds a character that stands between items there", e.source)
			}
			if why := checkSegment(part, tool.SlashRefused); why != "" && (part != "" || part == each.text) {
				return "", "", refusal("the path", "%s: %s", e.source, why)
			}
		}
		if i > 0 {
			line = append(line, between...)
		}
		if isObject {
			line = append(appendEncoded(line, each.name), equals...)
		}
		line = appendEncoded(line, each.text)
	}
	plain, _ := decodeOnce(string(line))
	return string(line), plain, nil
}

// name is what a matrix names its value.
func (*segment) name(e *expression) string { return e.path[len(e.path)-1] }

// fillFields fills fields of a query or a form: each is a name that the author wrote and a value, or one of the
// declared members of an object. What has no value is left out.
func fillFields(v *values, fields []field) ([]pair, *tool.Failure) {
	var list []pair
	for i := range fields {
		f := &fields[i]
		for j := range f.values {
			filled, err := f.fill(v, f.values[j])
			if err != nil {
				return nil, refusal(f.at, "%v", err)
			}
			list = append(list, filled...)
		}
	}
	return list, nil
}

// field is a field of a query, a form or a header that is ready to be filled in.
type field struct {
	at, name string
	values   [][]piece // one for each time that it is sent
	style    Style
	context  headerContext // of a header
	list     bool
}

// pair is a field with its value. commas says that commas in it stand between items, and are written as they are.
type pair struct {
	Header
	commas bool
}

func (f *field) fill(v *values, pieces []piece) ([]pair, error) {
	e := onlyTag(pieces)
	if e == nil || e.toJSON {
		text, given, err := v.text(pieces)
		if err != nil || !given {
			return nil, err
		}
		return []pair{{Header{f.name, text}, false}}, nil
	}
	value, given := v.of(e)
	if !given || value == nil {
		return nil, nil
	}
	items, isObject, err := itemsOf(e, value)
	if err != nil {
		return nil, err
	}
	_, isList := value.([]any)
	if !isObject && !isList {
		return []pair{{Header{f.name, items[0].text}, false}}, nil
	}
	if len(items) == 0 {
		return nil, nil
	}
	switch {
	case f.style.Name == StyleDeep:
		var list []pair
		for _, each := range items {
			list = append(list, pair{Header{f.name + "[" + each.name + "]", each.text}, false})
		}
		return list, nil
	case f.style.explodes():
		var list []pair
		for _, each := range items {
			name := f.name
			if isObject {
				name = each.name
			}
			list = append(list, pair{Header{name, each.text}, false})
		}
		return list, nil
	}
	delimiter := map[StyleName]string{StyleSpace: " ", StylePipe: "|"}[f.style.Name]
	if delimiter == "" {
		delimiter = ","
	}
	text, err := joined(e, items, isObject, delimiter, delimiter)
	if err != nil {
		return nil, err
	}
	return []pair{{Header{f.name, text}, delimiter == ","}}, nil
}

// appendFields writes fields as a query or a form has them (RFC 6570, form expansion).
func appendFields(b []byte, fields []pair) []byte {
	for i, f := range fields {
		if i > 0 {
			b = append(b, '&')
		}
		b = append(appendEncoded(b, f.Name), '=')
		for i, part := range f.items() {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendEncoded(b, part)
		}
	}
	return b
}

func (p pair) items() []string {
	if p.commas {
		return strings.Split(p.Value, ",")
	}
	return []string{p.Value}
}

// headersOf are the fields by themselves.
func headersOf(pairs []pair) []Header {
	if pairs == nil {
		return nil
	}
	list := make([]Header, len(pairs))
	for i, p := range pairs {
		list[i] = p.Header
	}
	return list
}
