package request

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// JinjaError is why a template of seed 002's format is not taken, and where.
type JinjaError struct {
	Line    int // of the template, from 1
	Tag     string
	Message string
	Fix     string // "" where none is known
}

func (e *JinjaError) Error() string {
	if e.Tag == "" {
		return e.Message
	}
	return e.Tag + ": " + e.Message
}

// Condition is what decides which shape a body has.
type Condition struct {
	Name    string // of a parameter, or of a member of one, with dots
	Defined bool   // that it has a value; else that this is neither false, 0 nor empty
}

// Shape is a body as it is where conditions hold or do not, in their order.
type Shape struct {
	Holds []bool
	JSON  Tree
}

// Each is as many items of a list as a value has.
type Each struct {
	Name string // by which the item knows each of them
	In   string // the value, with dots
	Item Tree
}

// mostConditions is how many a body may have: each doubles its shapes.
const mostConditions = 6

// ParseJinja reads a body_template: JSON with {{tags}}, {% if %} and {% for %} in it. It is not a text that is pasted
// together: each shape that it can have is read as JSON here, and a tag stands for a whole value of that, or is in a
// text. Anything else is refused.
func ParseJinja(source string) (*Body, *JinjaError) {
	p := &jinja{source: source}
	if i := strings.IndexByte(source, hole); i >= 0 {
		return nil, p.fail(i, "", "the template holds a control character", "")
	}
	if i := strings.Index(strings.ToLower(source), `\u007b`); i >= 0 {
		return nil, p.fail(i, "", "a brace is written as an escape", "write it out")
	}
	segments, end, err := p.parse(0, "")
	if err != nil {
		return nil, err
	}
	if end != len(source) {
		return nil, p.fail(end, "", "there is more than one body", "")
	}
	body := &Body{Kind: KindJSON}
	if len(p.conditions) == 0 {
		body.JSON, err = p.shape(segments, nil)
		return body, err
	}
	if len(p.conditions) > mostConditions {
		return nil, p.fail(0, "", fmt.Sprintf("it has %d conditions, and may have %d", len(p.conditions), mostConditions),
			"write http: {json: …}, where what has no value is left out by itself")
	}
	body.Conditions = p.conditions
	for n := range 1 << len(p.conditions) {
		holds := make([]bool, len(p.conditions))
		for i := range holds {
			holds[i] = n>>i&1 == 1
		}
		if !p.possible(holds) {
			continue
		}
		tree, err := p.shape(segments, holds)
		if err != nil {
			return nil, err
		}
		body.Shapes = append(body.Shapes, Shape{holds, tree})
	}
	return body, nil
}

// jinja is a template that is being read.
type jinja struct {
	source     string
	conditions []Condition
}

// segment is fixed text, a tag, or a statement with what it encloses.
type segmentOfJinja struct {
	at        int
	text      string
	tag       string // a whole {{tag}}; "" for none
	condition int    // of an if, which one, from 1; below 0 where it must not hold; 0 for none
	then      []segmentOfJinja
	otherwise []segmentOfJinja
	each      *Each            // of a for; its Item is read with the shape
	body      []segmentOfJinja // of a for
}

// hole marks where a tag stood in a text that is read as JSON.
const hole = 0x01

func (p *jinja) fail(at int, tag, message, fix string) *JinjaError {
	return &JinjaError{Line: 1 + strings.Count(p.source[:min(at, len(p.source))], "\n"), Tag: tag, Message: message, Fix: fix}
}

// parse reads up to the statement that ends a block, or to the end where there is none; it returns where that stands.
func (p *jinja) parse(at int, within string) ([]segmentOfJinja, int, *JinjaError) {
	var list []segmentOfJinja
	for at < len(p.source) {
		rest := p.source[at:]
		open := strings.IndexByte(rest, '{')
		for open >= 0 && (open+1 >= len(rest) || strings.IndexByte("{%#", rest[open+1]) < 0) {
			more := strings.IndexByte(rest[open+1:], '{')
			if more < 0 {
				open = -1
				break
			}
			open += 1 + more
		}
		if open < 0 {
			list = append(list, segmentOfJinja{at: at, text: rest})
			at = len(p.source)
			break
		}
		if open > 0 {
			list = append(list, segmentOfJinja{at: at, text: rest[:open]})
		}
		at, rest = at+open, rest[open:]
		switch rest[1] {
		case '#':
			end := strings.Index(rest, "#}")
			if end < 0 {
				return nil, 0, p.fail(at, "{#", "the comment is not closed", "")
			}
			at += end + 2
		case '{':
			tag, length, wrong := parseTag(rest)
			if wrong != nil {
				return nil, 0, p.fail(at, wrong.tag, wrong.message, wrong.fix)
			}
			list = append(list, segmentOfJinja{at: at, tag: tag.source})
			at += length
		default:
			words, end := statement(rest)
			if end < 0 {
				return nil, 0, p.fail(at, "{%", "the statement is not closed", "write %} behind it")
			}
			if len(words) == 1 && (words[0] == "else" || strings.HasPrefix(words[0], "end")) {
				if within == "" {
					return nil, 0, p.fail(at, rest[:end], "nothing is open that it could end", "take it out")
				}
				return list, at, nil
			}
			s, behind, err := p.block(at, at+end, words, rest[:end])
			if err != nil {
				return nil, 0, err
			}
			list, at = append(list, s), behind
		}
	}
	if within != "" {
		return nil, 0, p.fail(at, "{% "+within+" %}", "it is not ended", "write {% end"+within+" %}")
	}
	return list, at, nil
}

// statement returns the words of the statement that a text begins with, and how long it is; -1 where it has no end.
func statement(s string) (words []string, length int) {
	inner, _, closed := strings.Cut(s[2:], "%}")
	if !closed {
		return nil, -1
	}
	return strings.Fields(strings.Trim(inner, "-+ ")), len(inner) + 4
}

// block reads a statement that encloses something, up to behind its end.
func (p *jinja) block(at, behind int, words []string, tag string) (segmentOfJinja, int, *JinjaError) {
	s := segmentOfJinja{at: at}
	if len(words) == 0 || words[0] != "if" && words[0] != "for" {
		return s, 0, p.fail(at, tag, "statements are if and for",
			"write http: {json: …}, where what has no value is left out by itself")
	}
	kind := words[0]
	if kind == "for" {
		if len(words) != 4 || words[2] != "in" || !isName(words[1]) || strings.Contains(words[1], ".") || !isName(words[3]) {
			return s, 0, p.fail(at, tag, "a list is gone through by {% for item in items %}", "name the parameter itself behind in")
		}
		s.each = &Each{Name: words[1], In: words[3]}
	} else {
		condition, ok := p.conditionOf(words[1:])
		if !ok {
			return s, 0, p.fail(at, tag, "a condition is {% if name is defined %}, {% if name is not defined %}, {% if name %} or "+
				"{% if not name %}",
				"write one in the other, or http: {json: …}, where what has no value is left out by itself")
		}
		s.condition = condition
	}
	inner, end, err := p.parse(behind, kind)
	if err != nil {
		return s, 0, err
	}
	s.then, s.body = inner, inner
	words, length := statement(p.source[end:])
	if kind == "if" && words[0] == "else" {
		if s.otherwise, end, err = p.parse(end+length, kind); err != nil {
			return s, 0, err
		}
		words, length = statement(p.source[end:])
	}
	if words[0] != "end"+kind {
		return s, 0, p.fail(end, p.source[end:end+length], "it ends something else than {% "+kind+" %}", "write {% end"+kind+" %}")
	}
	return s, end + length, nil
}

// loopOnly is the condition of what stands between two items of a list.
const loopOnly = 1 << 20

// conditionOf returns which condition the words behind an if are, from 1; below 0 for its contrary.
func (p *jinja) conditionOf(words []string) (int, bool) {
	sign := 1
	text := strings.Join(words, " ")
	if text == "not loop.last" || text == "not loop.first" {
		return loopOnly, true
	}
	if rest, not := strings.CutPrefix(text, "not "); not {
		sign, text = -1, rest
	}
	c := Condition{Name: text}
	if name, is := strings.CutSuffix(text, " is defined"); is {
		c = Condition{name, true}
	} else if name, is := strings.CutSuffix(text, " is not defined"); is {
		c, sign = Condition{name, true}, -sign
	}
	if !isName(c.Name) || strings.HasPrefix(c.Name, "loop.") {
		return 0, false
	}
	for i, known := range p.conditions {
		if known == c {
			return sign * (i + 1), true
		}
	}
	p.conditions = append(p.conditions, c)
	return sign * len(p.conditions), true
}

// possible reports whether conditions can hold so: what has no value is not true either.
func (p *jinja) possible(holds []bool) bool {
	for i, c := range p.conditions {
		for j, other := range p.conditions {
			if c.Defined && !other.Defined && c.Name == other.Name && !holds[i] && holds[j] {
				return false
			}
		}
	}
	return true
}

// assembly is a shape of a template as a text of JSON, with holes for tags.
type assembly struct {
	text    strings.Builder
	inText  bool // within a text of JSON
	escaped bool
	holes   []filling
}

// filling is what stands in a hole.
type filling struct {
	tag  string
	each *Each
}

// shape reads the shape that a template has where conditions hold so.
func (p *jinja) shape(segments []segmentOfJinja, holds []bool) (Tree, *JinjaError) {
	a := &assembly{}
	if err := p.assemble(a, segments, holds); err != nil {
		return Tree{}, err
	}
	text := a.text.String()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	tree, err := a.tree(decoder)
	if err == nil {
		if _, more := decoder.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("something follows it")
		}
	}
	if err != nil {
		where := ""
		for i, c := range p.conditions {
			if holds != nil {
				where += fmt.Sprintf(", where %s %s", c.Name, c.word(holds[i]))
			}
		}
		at := 0
		if len(segments) > 0 {
			at = segments[0].at
		}
		return Tree{}, p.fail(at, "", "the body is no JSON"+where+": "+err.Error(),
			"see to the commas around {% if %}; or write http: {json: …}, where what has no value is left out by itself")
	}
	return tree, nil
}

func (c Condition) word(holds bool) string {
	switch {
	case c.Defined && holds:
		return "is given"
	case c.Defined:
		return "is not given"
	case holds:
		return "is true"
	}
	return "is not true"
}

func (p *jinja) assemble(a *assembly, segments []segmentOfJinja, holds []bool) *JinjaError {
	for _, s := range segments {
		switch {
		case s.tag != "":
			a.put(filling{tag: s.tag})
		case s.each != nil:
			if a.inText {
				return p.fail(s.at, "{% for %}", "a list has no place in a text", "write the list by itself: [{% for … %}…{% endfor %}]")
			}
			each := *s.each
			item, err := p.item(s.body)
			if err != nil {
				return err
			}
			each.Item = item
			a.put(filling{each: &each})
		case s.condition == loopOnly:
			return p.fail(s.at, "", "loop is known within {% for %} only, for the comma between two items", "")
		case s.condition != 0:
			chosen := s.then
			if n := max(s.condition, -s.condition); holds[n-1] != (s.condition > 0) {
				chosen = s.otherwise
			}
			if err := p.assemble(a, chosen, holds); err != nil {
				return err
			}
		default:
			a.literal(s.text)
		}
	}
	return nil
}

// item reads what stands for each item of a list: one value, and a comma where another one follows.
func (p *jinja) item(segments []segmentOfJinja) (Tree, *JinjaError) {
	var kept []segmentOfJinja
	for _, s := range segments {
		switch {
		case s.condition == loopOnly && len(s.otherwise) == 0 && len(s.then) == 1 && strings.TrimSpace(s.then[0].text) == ",":
		case s.condition != 0 || s.each != nil:
			return Tree{}, p.fail(s.at, "", "within {% for %} there is one value with tags, and {% if not loop.last %},{% endif %}",
				"write the list as one tag: {{items|tojson}}")
		default:
			kept = append(kept, s)
		}
	}
	if len(kept) == 0 {
		return Tree{}, p.fail(0, "{% for %}", "it has no item", "")
	}
	return p.shape(kept, nil)
}

// literal adds fixed text, and follows whether it ends within a text of JSON.
func (a *assembly) literal(text string) {
	a.text.WriteString(text)
	for i := 0; i < len(text); i++ {
		switch {
		case a.escaped:
			a.escaped = false
		case a.inText && text[i] == '\\':
			a.escaped = true
		case text[i] == '"':
			a.inText = !a.inText
		}
	}
}

// put adds a hole: a value of its own, or a part of the text that it stands in.
func (a *assembly) put(f filling) {
	mark := fmt.Sprintf(`\u0001%d\u0001`, len(a.holes))
	a.holes = append(a.holes, f)
	if a.inText {
		a.text.WriteString(mark)
		return
	}
	a.text.WriteString(`"\u0001` + mark + `"`)
}

// tree reads a value, its members in their order.
func (a *assembly) tree(d *json.Decoder) (Tree, error) {
	token, err := d.Token()
	if err != nil {
		return Tree{}, plainly(err)
	}
	switch v := token.(type) {
	case string:
		return a.textTree(v), nil
	case json.Delim:
		if v == '[' {
			t := Tree{List: []Tree{}}
			for d.More() {
				item, err := a.tree(d)
				if err != nil {
					return t, err
				}
				t.List = append(t.List, item)
			}
			_, err := d.Token()
			return t, plainly(err)
		}
		return a.objectTree(d)
	}
	return Tree{Scalar: token}, nil
}

func (a *assembly) objectTree(d *json.Decoder) (Tree, error) {
	t := Tree{Object: []Member{}}
	seen := map[string]bool{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return t, plainly(err)
		}
		name, _ := token.(string)
		if tree := a.textTree(name); tree.Each == nil {
			name, _ = tree.Scalar.(string) // with its tags, which is refused later
		}
		if seen[name] {
			return t, fmt.Errorf("the member %q stands there twice", shorten(name))
		}
		seen[name] = true
		value, err := a.tree(d)
		if err != nil {
			return t, err
		}
		t.Object = append(t.Object, Member{name, value})
	}
	_, err := d.Token()
	return t, plainly(err)
}

// plainly says what is no JSON, without the library's prefix and the mark of a hole.
func plainly(err error) error {
	if err == nil {
		return nil
	}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return errors.New(strings.ReplaceAll(syntax.Error(), `'\x01'`, "a tag"))
	}
	return errors.New("it ends in the middle")
}

// textTree puts the tags back into a text.
func (a *assembly) textTree(text string) Tree {
	alone := strings.HasPrefix(text, "\x01\x01")
	if !strings.ContainsRune(text, hole) {
		return Tree{Scalar: text, Quoted: true}
	}
	parts := strings.Split(strings.TrimPrefix(text, "\x01"), "\x01")
	if !alone {
		parts = strings.Split(text, "\x01")
	}
	var b strings.Builder
	for i, part := range parts {
		if i%2 == 0 {
			b.WriteString(part)
			continue
		}
		n, err := strconv.Atoi(part)
		if err != nil || n >= len(a.holes) {
			continue // no other mark is put there
		}
		if each := a.holes[n].each; each != nil {
			return Tree{Each: each}
		}
		b.WriteString(a.holes[n].tag)
	}
	return Tree{Scalar: b.String(), Quoted: !alone}
}
