package request

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// seen is a request as a server reads it.
type seen struct {
	Method   string
	Segments []string    // of the path, decoded
	Query    [][2]string // in order, decoded
	Headers  map[string]string
	JSON     any         // of a body that is JSON
	Form     [][2]string // of a form
	Parts    []seenPart
	Text     string // of any other body
	XML      []string
}

type seenPart struct{ Name, Filename, Content string }

// madeUp is a template of the generator's, with a call of it and what a server must see then. It is made without the
// code under test.
type madeUp struct {
	spec       Spec
	parameters []tool.Parameter
	arguments  map[string]any
	want       seen
	encoded    bool // a slash in the path is encoded, which servers in front undo
}

// maker makes up templates and values.
type maker struct {
	*rand.Rand
	m     *madeUp
	fixed *string // stands in the place of every text
}

func makeUp(seed uint64) *madeUp { return makeUpOf(seed, nil) }

// makeUpOf has every text be the same one, where it is given.
func makeUpOf(seed uint64, fixed *string) *madeUp {
	g := &maker{Rand: rand.New(rand.NewPCG(seed, 7)), m: &madeUp{arguments: map[string]any{}}, fixed: fixed}
	m := g.m
	m.want.Headers = map[string]string{}
	methods := []string{"GET", "POST", "PUT", "PATCH", "DELETE"}
	m.spec.Method = methods[g.IntN(len(methods))]
	m.want.Method = m.spec.Method
	m.spec.Base = "https://api.example.com/base"
	m.want.Segments = []string{"base"}
	g.path()
	for range g.IntN(3) {
		g.queryField()
	}
	for range g.IntN(2) {
		g.header()
	}
	if m.spec.Method != "GET" && m.spec.Method != "DELETE" {
		g.body()
	}
	return m
}

// nasty are values that some reader takes for more than a value.
var nasty = []string{
	"", ".", "..", "/", "\\", "%", "%2e", "%2f", "%5c", "%252f", "%00", "\x00", "\r\n", "\n", ";", "&", "=", "#", "?", "+", " ", "\t", "\"", "'", "<", ">", "]]>", "{", "}", "[", "]",
	"{{x}}", "{%", "\u2025", "\uff0e", "\uff0f", "\u200b", "\u202e", "\ufeff", "é", "日本", "😀", "\ud7ff", "\u2028", "a", "admin", "x=1", "&admin=true", "\",\"admin\":true,\"x\":\"", "}", "--", "Content-Disposition: form-data; name=\"admin\"",
	"\r\n\r\n", "HTTP/1.1", "X-Admin: 1", "../../admin", "..%2f..%2fadmin", "%2e%2e%2f", "..;/", "http://evil/", "//evil", "@evil", ":80", "%0d%0aX: y", "%c0%ae", "%u002f", "null", "true", "1e3", "-0", "\u0085", "\u00a0", "$(id)", "`id`", "*", "~", "|", ",", "\u0301",
	"&amp;", "&#47;", "<!--", "<![CDATA[", "<?x?>", "<!DOCTYPE", "\uffff", "\ue0f0", "%%", "%e2%80%a5", "%ef%bc%8f",
}

// value makes up a text.
func (g *maker) value() string {
	if g.fixed != nil {
		return *g.fixed
	}
	switch g.IntN(6) {
	case 0:
		return []string{"plain", "v1", "a b", "x.y", "42"}[g.IntN(5)]
	case 1:
		return nasty[g.IntN(len(nasty))]
	}
	var b strings.Builder
	for range 1 + g.IntN(5) {
		if g.IntN(3) == 0 {
			b.WriteString(string(rune('a' + g.IntN(26))))
		} else {
			b.WriteString(nasty[g.IntN(len(nasty))])
		}
	}
	return b.String()
}

func (g *maker) add(p tool.Parameter, value any) string {
	p.Name, p.Required = fmt.Sprintf("p%d", len(g.m.parameters)), true
	g.m.parameters = append(g.m.parameters, p)
	g.m.arguments[p.Name] = value
	return p.Name
}

func (g *maker) text() (tag, value string) {
	value = g.value()
	return "{{" + g.add(tool.Parameter{Type: tool.TypeString}, value) + "}}", value
}

func (g *maker) path() {
	var b strings.Builder
	for range 1 + g.IntN(3) {
		b.WriteByte('/')
		literal := []string{"x", "shops", "a.b", "v1:run", "@me", "a;b=c"}[g.IntN(6)]
		switch g.IntN(6) {
		case 0:
			b.WriteString(literal)
			g.m.want.Segments = append(g.m.want.Segments, literal)
		case 1:
			before, after := []string{"", ".", "a-", "x;"}[g.IntN(4)], []string{"", ".json", ":do", ";v=1"}[g.IntN(4)]
			tag, value := g.text()
			b.WriteString(before + tag + after)
			g.m.want.Segments = append(g.m.want.Segments, before+value+after)
		case 2:
			one, a := g.text()
			two, c := g.text()
			b.WriteString(one + two)
			g.m.want.Segments = append(g.m.want.Segments, a+c)
		case 3:
			value := g.value() + "/" + g.value()
			b.WriteString("{{" + g.add(tool.Parameter{Type: tool.TypeString, Slash: tool.SlashSegments}, value) + "}}")
			g.m.want.Segments = append(g.m.want.Segments, strings.Split(value, "/")...)
		case 4:
			if g.IntN(4) > 0 {
				b.WriteString(literal)
				g.m.want.Segments = append(g.m.want.Segments, literal)
				continue
			}
			value := g.value() + "/" + g.value()
			b.WriteString("{{" + g.add(tool.Parameter{Type: tool.TypeString, Slash: tool.SlashEncoded}, value) + "}}")
			g.m.want.Segments = append(g.m.want.Segments, value)
			g.m.encoded = true
		default:
			tag, value := g.text()
			b.WriteString(tag)
			g.m.want.Segments = append(g.m.want.Segments, value)
		}
	}
	g.m.spec.Path = b.String()
}

// fields makes up a field of a query or a form.
func (g *maker) field(n int) (Field, [][2]string) {
	name := []string{"q", "page[size]", "a.b", "filter"}[g.IntN(4)] + fmt.Sprint(n)
	switch g.IntN(5) {
	case 0:
		list := []any{g.value(), g.value()}
		p := g.add(tool.Parameter{Type: tool.TypeArray, Items: &tool.Parameter{Type: tool.TypeString}}, list)
		return Field{Name: name, Value: Text("{{" + p + "}}")}, [][2]string{{name, list[0].(string)}, {name, list[1].(string)}}
	case 1:
		object := map[string]any{"k": g.value(), "l": g.value()}
		p := g.add(tool.Parameter{Type: tool.TypeObject, Properties: []tool.Parameter{{Name: "k", Type: tool.TypeString}, {Name: "l", Type: tool.TypeString}}}, object)
		return Field{Name: name, Value: Text("{{" + p + "}}"), Style: Style{Name: StyleDeep}}, [][2]string{{name + "[k]", object["k"].(string)}, {name + "[l]", object["l"].(string)}}
	case 2:
		tag, value := g.text()
		return Field{Name: name, Value: Text("a=" + tag + "&b")}, [][2]string{{name, "a=" + value + "&b"}}
	}
	tag, value := g.text()
	return Field{Name: name, Value: Text(tag)}, [][2]string{{name, value}}
}

func (g *maker) queryField() {
	f, want := g.field(len(g.m.spec.Query))
	g.m.spec.Query = append(g.m.spec.Query, f)
	g.m.want.Query = append(g.m.want.Query, want...)
}

func (g *maker) header() {
	tag, value := g.text()
	switch g.IntN(4) {
	case 0:
		g.m.spec.Headers = append(g.m.spec.Headers, Field{Name: "X-Note", Value: Text(tag)})
		g.m.want.Headers["x-note"] = value
	case 1:
		g.m.spec.Headers = append(g.m.spec.Headers, Field{Name: "Prefer", Value: Text("wait=" + tag)})
		g.m.want.Headers["prefer"] = "wait=" + value
	case 2:
		g.m.spec.Headers = append(g.m.spec.Headers, Field{Name: "If-Match", Value: Text(`"` + tag + `"`)})
		g.m.want.Headers["if-match"] = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`
	case 3:
		if len(g.m.want.Headers)%2 == 0 {
			g.m.spec.Headers = append(g.m.spec.Headers, Field{Name: "Cookie", Value: Text("a=" + tag + "; b=1")})
		} else {
			g.m.spec.Cookies = []Field{{Name: "a", Value: Text(tag)}, {Name: "b", Value: Text("1")}}
		}
		g.m.want.Headers["cookie"] = "a=" + value + "; b=1"
	}
}

// tree makes up a value of JSON, with the one that it stands for.
func (g *maker) tree(depth int) (Tree, any) {
	switch n := g.IntN(7); {
	case n == 0 && depth > 0:
		t, want := Tree{Object: []Member{}}, map[string]any{}
		for i := range 1 + g.IntN(3) {
			name := []string{"a", "b c", "ü\""}[i%3] + fmt.Sprint(i)
			value, is := g.tree(depth - 1)
			t.Object = append(t.Object, Member{name, value})
			want[name] = is
		}
		return t, want
	case n == 1 && depth > 0:
		t, want := Tree{List: []Tree{}}, []any{}
		for range g.IntN(3) {
			value, is := g.tree(depth - 1)
			t.List, want = append(t.List, value), append(want, is)
		}
		return t, want
	case n == 2:
		value := map[string]any{g.value(): []any{g.value(), json.Number("1.50"), nil, true}}
		return Text("{{" + g.add(tool.Parameter{Type: tool.TypeObject}, value) + "}}"), value
	case n == 3:
		tag, value := g.text()
		return Text("Hi \"" + tag + "\","), "Hi \"" + value + "\","
	case n == 4:
		return Text("{{" + g.add(tool.Parameter{Type: tool.TypeInteger}, json.Number("17")) + "}}"), json.Number("17")
	}
	tag, value := g.text()
	return Text(tag), value
}

func (g *maker) body() {
	m := g.m
	switch g.IntN(6) {
	case 0:
		m.spec.Body = &Body{Kind: KindForm}
		for i := range 1 + g.IntN(3) {
			f, want := g.field(i)
			m.spec.Body.Form = append(m.spec.Body.Form, f)
			m.want.Form = append(m.want.Form, want...)
		}
	case 1:
		m.spec.Body = &Body{Kind: KindMultipart}
		for i := range 1 + g.IntN(3) {
			tag, value := g.text()
			part, want := Part{Name: fmt.Sprintf("f%d", i), Content: tag}, seenPart{Name: fmt.Sprintf("f%d", i), Content: value}
			if g.IntN(2) == 0 {
				part.Filename, want.Filename = g.text()
			}
			m.spec.Body.Parts, m.want.Parts = append(m.spec.Body.Parts, part), append(m.want.Parts, want)
		}
	case 2:
		one, a := g.text()
		two, b := g.text()
		m.spec.Body = &Body{Kind: KindText, Type: "application/xml", Text: `<r a="x` + one + `"><s>` + two + `</s><t/></r>`}
		m.want.XML = []string{"r", "x" + a, "s", b, "t"}
	case 3:
		tag, value := g.text()
		m.spec.Body, m.want.Text = &Body{Kind: KindText, Text: "Dear " + tag}, "Dear "+value
	default:
		tree, want := g.tree(3)
		m.spec.Body, m.want.JSON = &Body{Kind: KindJSON, JSON: tree}, want
	}
}
