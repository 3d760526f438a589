package request

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

func text(name string) tool.Parameter {
	return tool.Parameter{Name: name, Type: tool.TypeString, Required: true}
}

func optional(name string, kind tool.Type) tool.Parameter {
	return tool.Parameter{Name: name, Type: kind}
}

// compile compiles a spec that has no mistakes.
func compile(t testing.TB, spec Spec, list ...tool.Parameter) *Template {
	t.Helper()
	if spec.Method == "" {
		spec.Method = "POST"
	}
	if spec.Base == "" && len(spec.Hosts) == 0 {
		spec.Base = "https://api.example.com/v1"
	}
	template, found := Compile(spec, list)
	if template == nil {
		t.Fatalf("%+v", found)
	}
	return template
}

func arguments(t testing.TB, list []tool.Parameter, raw string) map[string]any {
	t.Helper()
	checked, failure := (&tool.Tool{Parameters: list}).CheckArguments(json.RawMessage(raw))
	if failure != nil {
		t.Fatal(failure)
	}
	return checked
}

// TestPlaces puts values into each kind of place.
func TestPlaces(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	list := tool.Parameter{Name: "list", Type: tool.TypeArray, Items: &tool.Parameter{Type: tool.TypeString}}
	object := tool.Parameter{Name: "object", Type: tool.TypeObject, Properties: []tool.Parameter{optional("b", tool.TypeString), optional("a", tool.TypeInteger)}}
	for name, test := range map[string]struct {
		spec       Spec
		parameters []tool.Parameter
		arguments  string
		url, body  string
		header     []Header
	}{
		"a path": {Spec{Path: "/shops/{{shop}}/orders"}, []tool.Parameter{text("shop")}, `{"shop":"a b?c#d&e=f;g%41ü"}`,
			"/shops/a%20b%3Fc%23d%26e%3Df%3Bg%2541%C3%BC/orders", "", nil},
		"a part of a segment": {Spec{Path: "/{{a}}:{{b}}.json"}, []tool.Parameter{text("a"), text("b")}, `{"a":"x","b":".."}`, "/x%3A...json", "", nil},
		"segments": {Spec{Path: "/files/{{p}}"}, []tool.Parameter{{Name: "p", Type: tool.TypeString, Required: true, Slash: tool.SlashSegments}}, `{"p":"a/b c/d"}`,
			"/files/a/b%20c/d", "", nil},
		"an encoded slash": {Spec{Path: "/projects/{{p}}/x"}, []tool.Parameter{{Name: "p", Type: tool.TypeString, Required: true, Slash: tool.SlashEncoded}}, `{"p":"group/project"}`,
			"/projects/group%2Fproject/x", "", nil},
		"a query": {Spec{Path: "/x", Query: []Field{{Name: "page[size]", Value: Text("{{n}}")}, {Name: "q", Value: Text("a{{s}}b")}, {Name: "none", Value: Text("{{o}}")}, {Name: "f", Value: Tree{Scalar: true}}}},
			[]tool.Parameter{{Name: "n", Type: tool.TypeInteger, Default: json.Number("10")}, text("s"), optional("o", tool.TypeString)}, `{"s":"&x=1+ü"}`,
			"/x?page%5Bsize%5D=10&q=a%26x%3D1%2B%C3%BCb&f=true", "", nil},
		"a list in a query": {Spec{Path: "/x", Query: []Field{{Name: "a", Value: Text("{{list}}")}, {Name: "b", Value: Text("{{list}}"), Style: Style{Explode: &no}},
			{Name: "c", Value: Text("{{list}}"), Style: Style{Name: StyleSpace}}, {Name: "d", Value: Text("{{list}}"), Style: Style{Name: StylePipe}}, {Name: "e", Value: Text("{{list|tojson}}")}}},
			[]tool.Parameter{list}, `{"list":["1","2"]}`, "/x?a=1&a=2&b=1,2&c=1%202&d=1%7C2&e=%5B%221%22%2C%222%22%5D", "", nil},
		"an object in a query": {Spec{Path: "/x", Query: []Field{{Name: "o", Value: Text("{{object}}")}, {Name: "p", Value: Text("{{object}}"), Style: Style{Explode: &no}},
			{Name: "q", Value: Text("{{object}}"), Style: Style{Name: StyleDeep}}}}, []tool.Parameter{object}, `{"object":{"a":1,"b":"x"}}`,
			"/x?b=x&a=1&p=b,x,a,1&q%5Bb%5D=x&q%5Ba%5D=1", "", nil},
		"styles of a path": {Spec{Path: "/{{list}}/{{l}}/{{m}}/{{n}}", PathStyles: map[string]Style{"l": {Name: StyleLabel}, "m": {Name: StyleMatrix}, "n": {Name: StyleMatrix, Explode: &yes}}},
			[]tool.Parameter{required(list), renamed(list, "l"), renamed(list, "m"), renamed(list, "n")}, `{"list":["1","2"],"l":["1","2"],"m":["1","2"],"n":["1","2"]}`,
			"/1,2/.1,2/;m=1,2/;n=1;n=2", "", nil},
		"headers": {Spec{Path: "/x", Headers: []Field{{Name: "X-Note", Value: Text("{{s}}")}, {Name: "If-Match", Value: Text(`"{{s}}"`)}, {Name: "Prefer", Value: Text("wait={{n}}")},
			{Name: "Cookie", Value: Text("a={{c}}; b=1")}, {Name: "X-None", Value: Text("x{{o}}")}, {Name: "X-List", Value: Text("{{list}}")}, {Name: "Accept", Value: Text("a/b")}}},
			[]tool.Parameter{text("s"), text("c"), optional("o", tool.TypeString), list, {Name: "n", Type: tool.TypeInteger, Required: true}},
			`{"s":"a \"b\\","c":"d=e","n":5,"list":["x","y"]}`, "/x", "",
			[]Header{{"X-Note", `a "b\`}, {"If-Match", `"a \"b\\"`}, {"Prefer", "wait=5"}, {"Cookie", "a=d=e; b=1"}, {"X-List", "x,y"}, {"Accept", "a/b"}}},
		"json": {Spec{Path: "/x", Body: &Body{Kind: KindJSON, JSON: Tree{Object: []Member{{"z", Text("{{n}}")}, {"s", Text("Hi {{s}}!")}, {"none", Text("{{o}}")}, {"deep", Tree{List: []Tree{Text("{{o}}"), Text("{{object}}"), {Scalar: nil}, {Scalar: json.Number("1.50")}}}},
			{"half", Text("a{{o}}")}, {"lit", Text("x")}}}}}, []tool.Parameter{{Name: "n", Type: tool.TypeNumber, Required: true}, text("s"), optional("o", tool.TypeString), object},
			`{"n":1e3,"s":"\",\"admin\":true,\"\u2028<&>","object":{"a":1}}`, "/x",
			`{"z":1e3,"s":"Hi \",\"admin\":true,\"\u2028<&>!","deep":[{"a":1},null,1.50],"lit":"x"}`, []Header{{"Content-Type", "application/json"}}},
		"null": {Spec{Path: "/x", Query: []Field{{Name: "q", Value: Text("{{n}}")}}, Body: &Body{Kind: KindJSON, JSON: Tree{Object: []Member{{"n", Text("{{n}}")}, {"t", Text("a{{n}}")}}}}},
			[]tool.Parameter{{Name: "n", Type: tool.TypeString, Nullable: true}}, `{"n":null}`, "/x", `{"n":null}`, []Header{{"Content-Type", "application/json"}}},
		"a form": {Spec{Path: "/x", Body: &Body{Kind: KindForm, Form: []Field{{Name: "a", Value: Text("{{s}}")}, {Name: "l", Value: Text("{{list}}")}}}}, []tool.Parameter{text("s"), list},
			`{"s":"&b=c d","list":["1","2"]}`, "/x", "a=%26b%3Dc%20d&l=1&l=2", []Header{{"Content-Type", "application/x-www-form-urlencoded"}}},
		"multipart": {Spec{Path: "/x", Body: &Body{Kind: KindMultipart, Parts: []Part{{Name: "f", Content: "{{b}}", Filename: "{{s}}.bin", Base64: true}, {Name: "note", Content: "{{n}}"}, {Name: "o", Content: "{{o}}"}}}},
			[]tool.Parameter{{Name: "b", Type: tool.TypeString, Format: tool.FormatBase64, Required: true}, text("s"), text("n"), optional("o", tool.TypeString)}, `{"b":"AAEC","s":"a b","n":"x\r\n--y"}`, "/x",
			"--BOUNDARY\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a b.bin\"\r\nContent-Type: application/octet-stream\r\n\r\n\x00\x01\x02\r\n" +
				"--BOUNDARY\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\nx\r\n--y\r\n--BOUNDARY--\r\n", []Header{{"Content-Type", "multipart/form-data; boundary=BOUNDARY"}}},
		"a list of parts": {Spec{Path: "/x", Body: &Body{Kind: KindMultipart, Parts: []Part{{Name: "l", Content: "{{list}}"}, {Name: "none", Content: "{{none}}"}}}},
			[]tool.Parameter{list, {Name: "none", Type: tool.TypeArray, Items: list.Items}}, `{"list":["1","x\r\n--y"]}`, "/x",
			"--BOUNDARY\r\nContent-Disposition: form-data; name=\"l\"\r\n\r\n1\r\n--BOUNDARY\r\nContent-Disposition: form-data; name=\"l\"\r\n\r\nx\r\n--y\r\n--BOUNDARY--\r\n",
			[]Header{{"Content-Type", "multipart/form-data; boundary=BOUNDARY"}}},
		"cookies": {Spec{Path: "/x", Cookies: []Field{{Name: "a", Value: Text("{{s}}")}, {Name: "none", Value: Text("{{o}}")}, {Name: "b", Value: Text("1")}, {Name: "n", Value: Tree{Scalar: json.Number("2")}}}},
			[]tool.Parameter{text("s"), optional("o", tool.TypeString)}, `{"s":"d=e"}`, "/x", "", []Header{{"Cookie", "a=d=e; b=1; n=2"}}},
		"xml": {Spec{Path: "/x", Body: &Body{Kind: KindText, Type: "application/xml", Text: `<?xml version="1.0"?><a b="{{s}}">{{s}}<c>{{e}}</c></a>`}}, []tool.Parameter{text("s"), text("e")}, `{"s":"<x y='1'>&\"\n]]>","e":""}`, "/x",
			`<?xml version="1.0"?><a b="&lt;x y=&#39;1&#39;&gt;&amp;&quot;&#10;]]&gt;">&lt;x y=&#39;1&#39;&gt;&amp;&quot;&#10;]]&gt;<c></c></a>`, []Header{{"Content-Type", "application/xml"}}},
		"a text": {Spec{Path: "/x", Body: &Body{Kind: KindText, Text: "Dear {{s}}"}}, []tool.Parameter{text("s")}, `{"s":"x\ny"}`, "/x", "Dear x\ny", []Header{{"Content-Type", "text/plain; charset=utf-8"}}},
		"a key": {Spec{Path: "/x", IdempotencyKey: "Idempotency-Key", Headers: []Field{{Name: "X-Request-Id", Value: Text("{{uuid()}}")}}}, nil, `{}`, "/x", "",
			[]Header{{"X-Request-Id", "6d64e7f3-0303-846c-9cd1-7a7c9ac2c7fb"}, {"Idempotency-Key", "KEY"}}},
		"a default": {Spec{Path: "/{{a|default('x y')}}", Query: []Field{{Name: "n", Value: Text("{{b | default(1)}}")}}}, []tool.Parameter{optional("a", tool.TypeString), optional("b", tool.TypeInteger)}, `{}`, "/x%20y?n=1", "", nil},
		"a whole URL": {Spec{Method: "GET", Path: "{{url}}", Hosts: []string{"*.example.com", "127.0.0.1:8080"}}, []tool.Parameter{text("url")}, `{"url":"http://127.0.0.1:8080/a%20b?c=%2F"}`,
			"http://127.0.0.1:8080/a%20b?c=%2F", "", nil},
		"a whole URL without TLS": {Spec{Method: "GET", Path: "{{url}}", Hosts: []string{"http://*.example.com:8080"}}, []tool.Parameter{text("url")}, `{"url":"http://a.example.com:8080/"}`,
			"http://a.example.com:8080/", "", nil},
		"a whole URL with TLS where none is needed": {Spec{Method: "GET", Path: "{{url}}", Hosts: []string{"http://example.com"}}, []tool.Parameter{text("url")}, `{"url":"https://example.com/"}`,
			"https://example.com/", "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			template := compile(t, test.spec, test.parameters...)
			got, failure := template.Render(arguments(t, test.parameters, test.arguments), "call-1")
			if failure != nil {
				t.Fatal(failure)
			}
			url, body := strings.TrimPrefix(got.URL, "https://api.example.com/v1"), string(got.Body)
			for i, h := range got.Header {
				if _, boundary, ok := strings.Cut(h.Value, "boundary="); ok {
					got.Header[i].Value = strings.Replace(h.Value, boundary, "BOUNDARY", 1)
					body = strings.ReplaceAll(body, boundary, "BOUNDARY")
				}
				if h.Name == "Idempotency-Key" {
					got.Header[i].Value = "KEY"
				}
				if h.Name == "X-Request-Id" && len(test.header) > 0 && len(h.Value) == 36 {
					test.header[0].Value = h.Value
				}
			}
			if url != test.url || body != test.body {
				t.Errorf("got\n%s\n%s\nwant\n%s\n%s", url, body, test.url, test.body)
			}
			if diff := cmp.Diff(test.header, got.Header); diff != "" {
				t.Errorf("headers (-want +got)\n%s", diff)
			}
			again, _ := template.Render(arguments(t, test.parameters, test.arguments), "call-1")
			if string(again.Body) != string(must(template.Render(arguments(t, test.parameters, test.arguments), "call-1")).Body) {
				t.Error("the same call has two bodies")
			}
		})
	}
}

func must(r *Request, _ *tool.Failure) *Request { return r }

func required(p tool.Parameter) tool.Parameter {
	p.Required = true
	return p
}

func renamed(p tool.Parameter, name string) tool.Parameter {
	p.Name = name
	return required(p)
}

// TestRefusedValues has values that would be read as something else, in each kind of place.
func TestRefusedValues(t *testing.T) {
	t.Parallel()
	slashes := func(kind tool.Slash) tool.Parameter {
		return tool.Parameter{Name: "v", Type: tool.TypeString, Required: true, Slash: kind}
	}
	path := []string{
		"", ".", "..", "...", "../admin", "a/b", "/", "a\\b", "%2e%2e", "%2E.", "%252e%252e", "%25252e%25252e", "..;x", ".;", ";", ";a=b", "..%2Fadmin", "..%2F..%2Fadmin", "%5c", "a%5Cb",
		"a%2fb", "a%252fb", "\u2024\u2024", "\u2025", "\uff0e\uff0e", "\ufe52.", ".\u200b.", "\u200b", "\u202e..", ".\u00ad.", "\ufeff", " ", ". .", ".. ", "..\t", "a\uff0fb", "a\u2215b", "a\u2044b", "a\uff3cb",
		"%c0%ae%c0%ae", "%c0%afb", "%e0%80%af", "%u002e%u002e", "a%u2215b", "a\nb", "a\r\nX: y", "a%0d%0aX: y", "a%00b", "\u0000", "a\u2028b", ".\u0301.", "%" + strings.Repeat("25", 12) + "41",
		"..%3b", "%2e%2e%3bx",
	}
	for place, test := range map[string]struct {
		spec      Spec
		parameter tool.Parameter
		values    []string
	}{
		"a path":            {Spec{Path: "/x/{{v}}/y"}, text("v"), path},
		"the end of a path": {Spec{Path: "/x/{{v}}"}, text("v"), path},
		"an encoded slash": {Spec{Path: "/x/{{v}}"}, slashes(tool.SlashEncoded), []string{"", "/", "a/", "/a", "a//b", "../a", "a/..", "a/./b", "a/%2e%2e/b", "a%2f..", "a\\b", "a/..;/b", "a/\u2025", "a/ /b", "a/\u200b/b",
			"a\uff0f\uff0e\uff0e", "a%2f%2e%2e"}},
		"segments":           {Spec{Path: "/x/{{v}}"}, slashes(tool.SlashSegments), []string{"", "/", "a/", "/a", "a//b", "../a", "a/..", "a/./b", "a/%2e%2e/b", "a\\b", "a/..;/b", "a/\u2025", "a/%252f../b"}},
		"beside a dot":       {Spec{Path: "/x/.{{v}}"}, text("v"), []string{"", ".", "%2e", "\u2024", ";", "\u200b."}},
		"beside a semicolon": {Spec{Path: "/x/{{v}};p=1"}, text("v"), []string{"", ".", "..", "%2e%2e", "a/b"}},
		"a header":           {Spec{Path: "/x", Headers: []Field{{Name: "X-A", Value: Text("{{v}}")}}}, text("v"), []string{"a\r\nb: c", "a\nb", "ü", " a", "a ", "\u007f", "a\tb\r"}},
		"a token":            {Spec{Path: "/x", Headers: []Field{{Name: "Prefer", Value: Text("wait={{v}}")}}}, text("v"), []string{"", "1, respond-async", "1;x", "a b", `"`, "a=b", "ü"}},
		"a quoted string":    {Spec{Path: "/x", Headers: []Field{{Name: "If-Match", Value: Text(`"{{v}}"`)}}}, text("v"), []string{"a\nb", "ü", "\x01"}},
		"a cookie":           {Spec{Path: "/x", Headers: []Field{{Name: "Cookie", Value: Text("a={{v}}")}}}, text("v"), []string{"a; b=c", "a,b", "a b", `a"b`, `a\b`, "ü"}},
		"one of the cookies": {Spec{Path: "/x", Cookies: []Field{{Name: "a", Value: Text("x{{v}}")}, {Name: "b", Value: Text("1")}}}, text("v"), []string{"a; b=c", "a,b", "a b", `a"b`, `a\b`, "ü", "\r\nX: y"}},
		"a filename":         {Spec{Path: "/x", Body: &Body{Kind: KindMultipart, Parts: []Part{{Name: "f", Content: "x", Filename: "{{v}}"}}}}, text("v"), []string{"", "..", "a/b", `a\b`, `a"b`, "a\r\nb", "a%22b", "{x}", "a\u2028b"}},
		"xml":                {Spec{Path: "/x", Body: &Body{Kind: KindText, Type: "text/xml", Text: "<a>{{v}}</a>"}}, text("v"), []string{"\x01", "\ue0f0", "\uffff"}},
		"base64":             {Spec{Path: "/x", Body: &Body{Kind: KindText, Text: "{{v}}", Base64: true}}, tool.Parameter{Name: "v", Type: tool.TypeString, Required: true, Format: tool.FormatBase64}, []string{"!", "A"}},
		"a whole URL": {Spec{Path: "{{v}}", Hosts: []string{"example.com", "*.example.org", "*.secure.net:8443", "other.net:80", "http://plain.net"}}, text("v"), []string{"", "example.com", "//example.com/", "ftp://example.com/", "https://example.com@evil.com/", "https://evil.com/",
			"https://example.com.evil.com/", "https://example.com:8080/", "https://example.com/#x", "https://example.com/a/../b", "https://example.com/%2e%2e/b", "https://example.com\\@evil.com", "https://example.org/", "https://x.example.org.evil.com",
			"https://user@example.com/", "https://example.com /", "https://exämple.com/", "https://example.com/\n", "javascript:alert(1)", "https:example.com", "https:///example.com", "https://example.com:/", "https://a.secure.net/",
			"http://example.com/", "HTTP://example.com/", "http://example.com:443/", "http://x.example.org/", "http://a.secure.net:8443/", "http://other.net/", "http://other.net:80/", "http://plain.net.evil.com/", "http://plain.net:8080/"}},
	} {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			template := compile(t, test.spec, test.parameter)
			for _, value := range test.values {
				if got, failure := template.Render(map[string]any{"v": value}, "call"); failure == nil {
					t.Errorf("%q is sent: %s %q %v", value, got.URL, got.Body, got.Header)
				} else if failure.Code != tool.FailValidation || len(value) > 3 && strings.Contains(failure.Message, value) {
					t.Errorf("%q: %v", value, failure)
				}
			}
		})
	}
}

// TestAcceptedValues keeps harmless values from being refused.
func TestAcceptedValues(t *testing.T) {
	t.Parallel()
	template := compile(t, Spec{Path: "/x/{{v}}"}, text("v"))
	for _, value := range []string{"a", "a.b", "..a", "a..", "a b", "100%", "50%25", "ü", "日本", "a;b", "@me", "a:b", "x=y&z", "~", "-", "a+b", "%", "%zz", "é", "a?b#c", "😀", "1e3", "'", "\"", "<a>", "$(id)", "{{x}}"} {
		got, failure := template.Render(map[string]any{"v": value}, "call")
		if failure != nil {
			t.Errorf("%q: %v", value, failure)
		} else if got.Path != "/v1/x/"+value {
			t.Errorf("%q: %s", value, got.Path)
		}
	}
}

// TestOfCall: a request says whether another call with the same values would send another one.
func TestOfCall(t *testing.T) {
	t.Parallel()
	named := 0
	for seed := range uint64(3000) {
		m := makeUp(seed)
		if seed%3 == 0 {
			m.spec.IdempotencyKey = "Idempotency-Key"
		}
		template, found := Compile(m.spec, m.parameters)
		if template == nil {
			t.Fatalf("%+v", found)
		}
		one, failure := template.Render(m.arguments, "one")
		if failure != nil {
			continue
		}
		two, failure := template.Render(m.arguments, "two")
		if failure != nil {
			t.Fatal(failure)
		}
		if same := reflect.DeepEqual(one, two); same == one.OfCall || one.OfCall != two.OfCall {
			t.Errorf("seed %d: it says %v, and is the same: %v", seed, one.OfCall, same)
		}
		if one.OfCall {
			named++
		}
	}
	if named == 0 {
		t.Error("none names its call")
	}
}
