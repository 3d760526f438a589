package request

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
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
	// Conditions decide for each item which of the Shapes it has, where there are any.
	Conditions []Condition
	Shapes     []Shape
}

// mostConditions is how many a body may have, those within its lists counted: each doubles shapes.
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
	if len(p.conditions) > mostConditions {
		return nil, p.fail(0, "", fmt.Sprintf("it has %d conditions, and may have %d", len(p.conditions), mostConditions),
			"write http: {json: …}, where what has no value is left out by itself")
	}
	body := &Body{Kind: KindJSON}
	body.JSON, body.Conditions, body.Shapes, err = p.shapes(segments, 0)
	return body, err
}

// jinja is a template that is being read.
type jinja struct {
	source     string
	conditions []scopedCondition
	scope      int // the {% for %} that is being read; 0 outside of any
	scopes     int // how many there were so far
}

// scopedCondition is a Condition and the {% for %} that it stands in: it is asked anew for each item there.
type scopedCondition struct {
	Condition
	scope int
}

// segment is fixed text, a tag, or a statement with what it encloses.
type segmentOfJinja struct {
	at        int
	text      string
	tag       string // a whole {{tag}}; "" for none
	condition int    // of an if, which one, from 1; below 0 where it must not hold; 0 for none
	then      []segmentOfJinja
	otherwise []segmentOfJinja
	each      *Each            // of a for; what stands for an item is read with the shape
	body      []segmentOfJinja // of a for
	scope     int              // of a for
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
			if p.scope > 0 && len(tag.path) > 0 && tag.path[0] == "loop" {
				return nil, 0, p.fail(at, tag.source, "loop is known for the comma between two items, and for nothing else",
					"have the items bring it as a member, or write the list as one tag: {{items|tojson}}")
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
		outer := p.scope
		p.scopes++
		p.scope, s.scope = p.scopes, p.scopes
		defer func() { p.scope = outer }()
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
		if known == (scopedCondition{c, p.scope}) {
			return sign * (i + 1), true
		}
	}
	p.conditions = append(p.conditions, scopedCondition{c, p.scope})
	return sign * len(p.conditions), true
}

// shapes reads what a template, or the item of a list, is with each outcome of its conditions: one JSON value in any case.
// Where it has no conditions, that is the Tree.
func (p *jinja) shapes(segments []segmentOfJinja, scope int) (Tree, []Condition, []Shape, *JinjaError) {
	var conditions []Condition
	var numbers []int
	for i, c := range p.conditions {
		if c.scope == scope {
			conditions, numbers = append(conditions, c.Condition), append(numbers, i)
		}
	}
	if len(conditions) == 0 {
		tree, err := p.shape(segments, scope, nil)
		return tree, nil, nil, err
	}
	var shapes []Shape
	for n := range 1 << len(conditions) {
		holds := make([]bool, len(conditions))
		all := map[int]bool{}
		for i := range holds {
			holds[i] = n>>i&1 == 1
			all[numbers[i]] = holds[i]
		}
		if !possible(conditions, holds) {
			continue
		}
		tree, err := p.shape(segments, scope, all)
		if err != nil {
			return Tree{}, nil, nil, err
		}
		shapes = append(shapes, Shape{holds, tree})
	}
	return Tree{}, conditions, shapes, nil
}

// possible reports whether conditions can hold so: what has no value is not true either.
func possible(conditions []Condition, holds []bool) bool {
	for i, c := range conditions {
		for j, other := range conditions {
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

// shape reads the shape that a template, or the item of a list, has where conditions hold so.
func (p *jinja) shape(segments []segmentOfJinja, scope int, holds map[int]bool) (Tree, *JinjaError) {
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
	if err == nil && tree.misplaced(false) {
		err = errors.New("a {% for %} stands outside of [ and ]")
	}
	if err != nil {
		where := ""
		for i, c := range p.conditions {
			if c.scope == scope {
				where += fmt.Sprintf(", where %s %s", c.Name, c.word(holds[i]))
			}
		}
		at := 0
		if len(segments) > 0 {
			at = segments[0].at
		}
		if scope > 0 {
			return Tree{}, p.fail(at, "", "what stands for an item of the list is no JSON value"+where+": "+err.Error(),
				"write one value for each item, whatever holds, and {% if not loop.last %},{% endif %} behind it; or the list as "+
					"one tag: {{items|tojson}}")
		}
		return Tree{}, p.fail(at, "", "the body is no JSON"+where+": "+err.Error(),
			"see to the commas around {% if %}; or write http: {json: …}, where what has no value is left out by itself")
	}
	return tree, nil
}

// misplaced reports whether the items of a list stand somewhere else than directly in a list.
func (t Tree) misplaced(inList bool) bool {
	if t.Each != nil {
		return !inList
	}
	return slices.ContainsFunc(t.List, func(item Tree) bool { return item.misplaced(true) }) ||
		slices.ContainsFunc(t.Object, func(m Member) bool { return m.Value.misplaced(false) })
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

func (p *jinja) assemble(a *assembly, segments []segmentOfJinja, holds map[int]bool) *JinjaError {
	for _, s := range segments {
		switch {
		case s.tag != "":
			a.put(filling{tag: s.tag})
		case s.each != nil:
			if a.inText {
				return p.fail(s.at, "{% for %}", "a list has no place in a text", "write the list by itself: [{% for … %}…{% endfor %}]")
			}
			each := *s.each
			if err := p.item(&each, s); err != nil {
				return err
			}
			a.put(filling{each: &each})
		case s.condition == loopOnly:
			return p.fail(s.at, "", "loop is known within {% for %} only, for the comma between two items, in no other {% if %}",
				"{% for x in xs %}…{% if not loop.last %},{% endif %}{% endfor %}")
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
func (p *jinja) item(each *Each, of segmentOfJinja) (err *JinjaError) {
	var kept []segmentOfJinja
	for _, s := range of.body {
		if s.condition == loopOnly && len(s.otherwise) == 0 && len(s.then) == 1 && strings.TrimSpace(s.then[0].text) == "," {
			continue
		}
		kept = append(kept, s)
	}
	if len(kept) == 0 {
		return p.fail(of.at, "{% for %}", "it has no item", "write what stands for each item before {% endfor %}")
	}
	each.Item, each.Conditions, each.Shapes, err = p.shapes(kept, of.scope)
	return err
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
		tree := a.textTree(name)
		if tree.Each != nil {
			return t, errors.New("a {% for %} stands where the name of a member does")
		}
		name, _ = tree.Scalar.(string) // with its tags, which is refused later
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
