package request

import (
	"strings"
	"testing"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestTypedByHeader checks that a text whose type stands in a header is read as one whose type stands with it: a value ended an
// attribute of the first, and its element.
func TestTypedByHeader(t *testing.T) {
	t.Parallel()
	list := []tool.Parameter{{Name: "s", Type: tool.TypeString, Required: true}}
	typed := func(kind BodyKind, mimeType, text string) (*Template, []Finding) {
		body := &Body{Kind: kind, Text: text, JSON: Text(text), Form: []Field{{Name: "s", Value: Text(text)}}}
		return Compile(Spec{Method: "POST", Base: "https://api.example.com", Path: "/x", Body: body,
			Headers: []Field{{Name: "content-type", Value: Text(mimeType)}}}, list)
	}
	template, found := typed(KindText, "text/xml; charset=utf-8", `<a b="{{s}}">{{s}}</a>`)
	if template == nil {
		t.Fatalf("%+v", found)
	}
	f, failure := template.fill(map[string]any{"s": `"><c/>`}, "call")
	if failure != nil || template.verify(f) != nil {
		t.Fatal(failure)
	}
	if got, want := string(f.request.Body), `<a b="&quot;&gt;&lt;c/&gt;">&quot;&gt;&lt;c/&gt;</a>`; strings.ReplaceAll(got, "&#34;", "&quot;") != want {
		t.Errorf("sent %s, want %s", got, want)
	}
	if got := f.request.Get("Content-Type"); got != "text/xml; charset=utf-8" || len(f.request.Header) != 1 {
		t.Errorf("headers %v", f.request.Header)
	}
	for mimeType, of := range map[string]struct {
		kind BodyKind
		text string
	}{
		"application/json":         {KindText, `{"a": "{{s}}"}`},
		"application/graphql":      {KindText, `{ a(b: "{{s}}") }`},
		"text/plain":               {KindJSON, "{{s}}"},
		"application/problem+json": {KindForm, "{{s}}"},
	} {
		if template, _ := typed(of.kind, mimeType, of.text); template != nil {
			t.Errorf("%s is said to be %s", of.text, mimeType)
		}
	}
	if template, found := typed(KindText, "application/json", "{{s}}"); template == nil { // it is the caller's as a whole
		t.Errorf("%+v", found)
	}
}

// TestTypedPart has the same of a part: in a type of which no more is known a value stands as the whole.
func TestTypedPart(t *testing.T) {
	t.Parallel()
	list := []tool.Parameter{{Name: "s", Type: tool.TypeString, Required: true}}
	for content, want := range map[string]bool{`{"a": "{{s}}"}`: false, "{{s}}": true, "{}": true} {
		template, found := Compile(Spec{Method: "POST", Base: "https://api.example.com", Path: "/x",
			Body: &Body{Kind: KindMultipart, Parts: []Part{{Name: "p", Content: content, Type: "application/json"}}}}, list)
		if (template != nil) != want {
			t.Errorf("%s: %+v", content, found)
		}
	}
}
