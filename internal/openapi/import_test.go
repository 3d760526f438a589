package openapi

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// size stands for what a tool costs.
func size(t *tool.Tool) int {
	text, _ := json.Marshal(t.Parameters)
	return len(text) / 8
}

// unmarked is the file without what says of what it was made.
func (m *Made) unmarked() ([]byte, error) {
	data, err := m.File()
	return regexp.MustCompile(` # made: [0-9a-f.]+\n`).ReplaceAll(data, []byte("\n")), err
}

func makeOf(t *testing.T, document string) (*Made, error) {
	t.Helper()
	made, err := Make(Request{Data: []byte(document), Tokens: size})
	if err != nil || len(made.Tools) == 0 {
		return made, err
	}
	data, err := made.File()
	if err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	if _, err := config.ReadTools(config.File{Name: "made", Data: data}); err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	return made, nil
}

// around is a document with paths, and components.
func around(paths string, components ...string) string {
	return `{"openapi":"3.1.0","servers":[{"url":"https://api.example.com"}],"paths":` + paths +
		`,"components":{` + strings.Join(components, ",") + `}}`
}

// one is a document with a POST whose body is of a schema, and a sound operation beside it.
func one(schema string, components ...string) string {
	return around(`{"/x":{"post":{"operationId":"x","requestBody":{"content":{"application/json":{"schema":`+schema+`}}}}},
		"/sound":{"get":{"operationId":"sound"}}}`, components...)
}

// TestOperations: an operation is made as it is meant, or left out with the reason, and costs no other.
func TestOperations(t *testing.T) {
	t.Parallel()
	get := func(rest string) string {
		return around(`{"/a/{id}":{"get":{"operationId":"x",`+rest+`}},"/sound":{"get":{"operationId":"sound"}}}`,
			`"securitySchemes":{"oauth":{"type":"oauth2"},"cookie":{"type":"apiKey","in":"cookie","name":"c"},
			"key":{"type":"apiKey","in":"header","name":"X-Key"},"basic":{"type":"http","scheme":"basic"},"bad":{"type":"apiKey","in":"header","name":"a b"}}`)
	}
	id := `{"name":"id","in":"path","required":true,"schema":{"type":"string"}}`
	for _, row := range []struct{ name, document, want string }{
		{"path", get(`"parameters":[` + id + `]`), "get: /a/{{id}}"},
		{"undeclared", get(`"parameters":[]`), `its path names "id"`},
		{"cookie", get(`"parameters":[` + id + `,{"name":"c","in":"cookie","schema":{"type":"string"}}]`), "cookies: {c: '{{c}}'}"},
		{"cookies", get(`"parameters":[` + id + `,{"name":"a","in":"cookie","required":true,"schema":{"type":"string"}},{"name":"b c","in":"cookie","schema":{"type":"string"}},
			{"name":"c","in":"cookie","schema":{"type":"array","items":{"type":"string"}}}]`), "the parameter \"c\": a cookie holds no array"},
		{"the name of a cookie", get(`"parameters":[` + id + `,{"name":"a=b;c","in":"cookie","schema":{"type":"string"}}]`), "it cannot be the name of a header or a cookie"},
		{"content", get(`"parameters":[` + id + `,{"name":"f","in":"query","content":{"application/json; v=1":{"schema":{"type":"object","properties":{"a":{"type":"object"}}}}}},
			{"name":"X-T","in":"header","content":{"text/plain":{"schema":{"type":"string"}}}},{"name":"c","in":"cookie","content":{"application/json":{"schema":{"type":"object"}}}}]`),
			"query: {f: '{{f|tojson}}'}\n      headers: {X-T: '{{X_T}}'}\n"},
		{"content of another type", get(`"parameters":[` + id + `,{"name":"f","in":"query","required":true,"content":{"application/xml":{"schema":{"type":"string"}}}}]`), "it is sent as \"application/xml\""},
		{"parts", around(`{"/x":{"post":{"operationId":"x","requestBody":{"content":{"multipart/form-data":{"schema":{"type":"object","required":["photo","ids"],"properties":{
			"photo":{"type":"string","format":"binary","description":"What it shows"},"about":{"type":"object","properties":{"a":{"type":"string"}}},"ids":{"type":"array","items":{"type":"integer"}},
			"more":{"type":"array","items":{"type":"string","format":"binary"}},"doc":{"contentMediaType":"application/pdf"},"any":{"type":"string"},"{{x}}":{"type":"string"}}},
			"encoding":{"photo":{"contentType":"image/png"},"any":{"contentType":"text/csv, text/plain"}}}}}}},"/sound":{"get":{"operationId":"sound"}}}`),
			"multipart: {photo: {content: '{{photo}}', filename: '{{photo_filename|default(''file'')}}', type: image/png, base64: true}, " +
				"about: {content: '{{about|tojson}}', type: application/json}, ids: '{{ids}}', doc: {content: '{{doc}}', filename: '{{doc_filename|default(''file'')}}', type: application/pdf, base64: true}, any: '{{any}}'}"},
		{"what parts do without", around(`{"/x":{"post":{"operationId":"x","requestBody":{"content":{"multipart/form-data":{"schema":{"type":"object","properties":{
			"a":{"type":"string"},"more":{"type":"array","items":{"type":"string","format":"binary"}}}}}}}}},"/sound":{"get":{"operationId":"sound"}}}`), `the part "more": it is a list of files`},
		{"parts that need what none is", around(`{"/x":{"post":{"operationId":"x","requestBody":{"content":{"multipart/form-data":{"schema":{"type":"object","required":["more"],"properties":{
			"more":{"type":"array","items":{"type":"string","format":"binary"}}}}}}}}},"/sound":{"get":{"operationId":"sound"}}}`), `the body: the part "more": it is a list of files`},
		{"the name of a part", around(`{"/x":{"post":{"operationId":"x","requestBody":{"content":{"multipart/form-data":{"schema":{"type":"object","required":["a\"; filename=\"x"],"properties":{
			"a\"; filename=\"x":{"type":"string"}}}}}}}},"/sound":{"get":{"operationId":"sound"}}}`), `its name holds what no part's can`},
		{"style", get(`"parameters":[` + id + `,{"name":"c","in":"query","style":"deepObject","schema":{"type":"object"}}]`), "it is not said which members the object has"},
		{"object", get(`"parameters":[` + id + `,{"name":"c","in":"query","schema":{"type":"object"}}]`), "it is not said which members the object has"},
		{"deepObject", get(`"parameters":[` + id + `,{"name":"c","in":"query","style":"deepObject","explode":true,"schema":{"type":"object","properties":{"a":{"type":"string"}}}}]`),
			"query: {c: {value: '{{c}}', style: deepObject}}"},
		{"lists in a query", get(`"parameters":[` + id + `,{"name":"a","in":"query","schema":{"type":"array","items":{"type":"string"}}},
			{"name":"b","in":"query","explode":false,"schema":{"type":"array","items":{"type":"string"}}},
			{"name":"c","in":"query","style":"pipeDelimited","schema":{"type":"array","items":{"type":"string"}}}]`),
			"query: {a: '{{a}}', b: {value: '{{b}}', style: form, explode: false}, c: {value: '{{c}}', style: pipeDelimited, explode: false}}"},
		{"a list in the path", get(`"parameters":[{"name":"id","in":"path","schema":{"type":"array","items":{"type":"string"}}}]`), "path_styles: {id: {style: simple, explode: false}}"},
		{"a label", get(`"parameters":[{"name":"id","in":"path","style":"label","explode":true,"schema":{"type":"string"}}]`), "path_styles: {id: {style: label, explode: true}}"},
		{"a list in a header", get(`"parameters":[` + id + `,{"name":"X-A","in":"header","schema":{"type":"array","items":{"type":"string"}}}]`),
			"headers: {X-A: {value: '{{X_A}}', style: simple, explode: false}}"},
		{"a style of another place", get(`"parameters":[{"name":"id","in":"path","style":"form","schema":{"type":"string"}}]`), "there is no style form here"},
		{"a form", around(`{"/x":{"post":{"operationId":"x","parameters":[{"name":"a","in":"query","schema":{"type":"string"}}],"requestBody":{"content":{"application/x-www-form-urlencoded":{
			"schema":{"type":"object","required":["a"],"properties":{"a":{"type":"integer"},"b":{"type":"array","items":{"type":"string"}},"deep":{"type":"array","items":{"type":"object"}},
			"mixed":{"type":"object","properties":{"x":{"type":"string"},"y":{"type":"object"}}},"m":{"type":"object","properties":{"x":{"type":"string"}}}}},"encoding":{"m":{"style":"deepObject"}}}}}}},"/sound":{"get":{"operationId":"sound"}}}`),
			"query: {a: '{{a}}'}\n      form: {a: '{{a_form}}', b: '{{b}}', m: {value: '{{m}}', style: deepObject}}"},
		{"a form that needs what none holds", around(`{"/x":{"post":{"operationId":"x","requestBody":{"content":{"application/x-www-form-urlencoded":{
			"schema":{"type":"object","required":["deep"],"properties":{"deep":{"type":"array","items":{"type":"object"}}}}}}}}},"/sound":{"get":{"operationId":"sound"}}}`),
			`the field "deep": it is a list of lists or of objects`},
		{"QUERY", around(`{"/x":{"query":{"operationId":"x"}},"/sound":{"get":{"operationId":"sound"}}}`), "method: QUERY\n      path: /x"},
		{"header that is not the agent's", get(`"parameters":[` + id + `,{"name":"Host","in":"header","schema":{"type":"string"}}]`), "Host"},
		{"ignored header", get(`"parameters":[` + id + `,{"name":"Authorization","in":"header","schema":{"type":"string"}}]`), "get: /a/{{id}}"},
		{"tag in a name", get(`"parameters":[` + id + `,{"name":"{{x}}","in":"query","schema":{"type":"string"}}]`), "its name holds"},
		{"outside", get(`"parameters":[{"$ref":"other.json#/a"}]`), "leads out of the document"},
		{"outside by URL", get(`"parameters":[{"$ref":"https://evil.example/a"}]`), "leads out of the document"},
		{"nothing", get(`"parameters":[{"$ref":"#/components/parameters/no"}]`), "leads to nothing"},
		{"itself", get(`"parameters":[{"$ref":"#/paths/~1a~1{id}/get/parameters/0"}]`), "leads from one to the next"},
		{"oauth", get(`"security":[{"oauth":[]}],"parameters":[` + id + `]`), "{bearer: {command: [get-token]}}"},
		{"cookie key", get(`"security":[{"cookie":[]}],"parameters":[` + id + `]`), "auth: {api_key: {in: cookie, name: c, value: {secret: API_COOKIE}}}"},
		{"two at once", get(`"security":[{"key":[],"basic":[]}],"parameters":[` + id + `]`), "auth:\n      - basic:"},
		{"the one that can be", get(`"security":[{"oauth":[]},{"key":[]}],"parameters":[` + id + `]`), "api_key: {in: header, name: X-Key, value: {secret: API_KEY}}"},
		{"basic", get(`"security":[{"basic":[]}],"parameters":[` + id + `]`), "password: {secret: API_BASIC}"},
		{"a key's name", get(`"security":[{"bad":[]}],"parameters":[` + id + `]`), "cannot be the name of a key"},
		{"servers", get(`"servers":[{"url":"https://up.example.com/{v}","variables":{"v":{"default":"v2"}}},{"url":"https://other.example"}],"security":[{"key":[]}],"parameters":[` + id + `]`),
			"  api_up_example_com_v_key:\n    base_url: https://up.example.com/v2\n    auth: {api_key: {in: header, name: X-Key, value: {secret: API_UP_EXAMPLE_COM_V_KEY}}}\n"},
		{"a server that is none", get(`"servers":[{"url":"https://me:pw@evil.example"}],"parameters":[` + id + `]`), "its own server \"https://me:pw@evil.example\" is no URL that requests can go to"},
		{"a relative server", get(`"servers":[{"url":"/v2"}],"parameters":[` + id + `]`), "its own server \"/v2\" is no URL"},
		{"a query in the path", around(`{"/a?Action=Run%20it&empty&v={id}":{"get":{"operationId":"x","parameters":[` + id + `,{"name":"more","in":"query","schema":{"type":"string"}}]}},"/sound":{"get":{"operationId":"sound"}}}`),
			"get: /a\n      query: {more: '{{more}}', Action: Run it, empty: \"\", v: '{{id}}'}\n"},
		{"a fragment in the path", around(`{"/a#X-Amz-Target=x.Run":{"post":{"operationId":"x"}},"/a#X-Amz-Target=x.Stop":{"post":{"operationId":"y"}},"/sound":{"get":{"operationId":"sound"}}}`),
			"    http:\n      source: api\n      post: /a\n  y:"},
		{"a field of the query twice", around(`{"/a?b=1":{"get":{"operationId":"x","parameters":[{"name":"b","in":"query","schema":{"type":"string"}}]}},"/sound":{"get":{"operationId":"sound"}}}`), "the field \"b\" of the query stands in its path, too"},
		{"a name of a field with a value", around(`{"/a?{id}=1":{"get":{"operationId":"x","parameters":[` + id + `]}},"/sound":{"get":{"operationId":"sound"}}}`), "the query in its path cannot be read"},
		{"a tag in a query in the path", around(`{"/a?b=%7B%7Bc%7D%7D":{"get":{"operationId":"x"}},"/sound":{"get":{"operationId":"sound"}}}`), "the query in its path cannot be read"},
		{"a list in a query in the path", around(`{"/a?b={id}":{"get":{"operationId":"x","parameters":[{"name":"id","in":"path","required":true,"style":"label","schema":{"type":"array","items":{"type":"string"}}}]}},"/sound":{"get":{"operationId":"sound"}}}`), "is a list or an object"},
		{"a value twice in the path", around(`{"/{id}/a?b={id}":{"get":{"operationId":"x","parameters":[` + id + `]}},"/sound":{"get":{"operationId":"sound"}}}`), "does not name each parameter in the path once"},
		{"a parameter that the fragment names", around(`{"/a#{id}":{"get":{"operationId":"x","parameters":[` + id + `]}},"/sound":{"get":{"operationId":"sound"}}}`), "does not name each parameter in the path once"},
		{"XML", around(`{"/x":{"post":{"operationId":"x","requestBody":{"content":{"application/xml":{}}}}},"/sound":{"get":{"operationId":"sound"}}}`),
			`it is "application/xml", and JSON, forms and multipart/form-data are made`},
		{"no mapping", around(`{"/x":{"get":[]},"/sound":{"get":{"operationId":"sound"}}}`), "it is no mapping"},
		{"path elsewhere", around(`{"/../x":{"get":{"operationId":"x"}},"/sound":{"get":{"operationId":"sound"}}}`), "leads elsewhere"},
		{"3.1 types", one(`{"type":["object","null"],"properties":{"a":{"type":["string","null"]}}}`), "{a: {type: string, nullable: true}}"},
		{"several types", one(`{"type":["object","string"]}`), "several types"},
		{"variants", one(`{"oneOf":[{"type":"object","properties":{"a":{"type":"string"}}},{"type":"object"}]}`), "{name: body, type: object}"},
		{"nullable variant", one(`{"type":"object","properties":{"a":{"anyOf":[{"type":"string","maxLength":3},{"type":"null"}]}}}`),
			"{a: {type: string, nullable: true, maxLength: 3}}"},
		{"allOf", one(`{"allOf":[{"properties":{"a":{"type":"string"}}},{"required":["a"],"properties":{"b":{"type":"boolean"}}}]}`),
			"{a: {type: string, required: true}, b: {type: boolean}}"},
		{"a reference in an example", one(`{"type":"object","example":{"$ref":"other.json"}}`), "{name: body, type: object}"},
		{"an enum that is not what it looks like", one(`{"type":"object","properties":{"a":{"enum":["x\u202ey"]}}}`), "not seen"},
		{"a long enum text", one(`{"type":"object","properties":{"a":{"enum":["{{x}}"]}}}`), "a tag"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			made, err := makeOf(t, row.document)
			if err != nil {
				t.Fatal(err)
			}
			file, err := made.unmarked()
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(file), "\n  sound:\n") {
				t.Errorf("the sound operation is gone:\n%s", file)
			}
			got := string(file)
			for _, s := range made.Skipped {
				got += s.Why
			}
			for _, one := range made.Tools {
				got += strings.Join(one.Without, "\n")
			}
			if !strings.Contains(got, row.want) {
				t.Errorf("want %q, got\n%s", row.want, got)
			}
		})
	}
}

// TestSwagger: what Swagger 2.0 says is made as what it means.
func TestSwagger(t *testing.T) {
	t.Parallel()
	const head = `{"swagger":"2.0","host":"api.example.com","basePath":"/v1/","schemes":["http","https"],"info":{"title":"Shop"},"consumes":["application/json"],
		"securityDefinitions":{"me":{"type":"basic"},"key":{"type":"apiKey","in":"header","name":"X-Key"},"oauth":{"type":"oauth2","flow":"implicit"}},
		"definitions":{"Order":{"type":"object","required":["pizza"],"properties":{"pizza":{"type":"string"}}}},
		"parameters":{"shop":{"name":"shop","in":"path","required":true,"type":"string","maxLength":9}},"paths":{"/sound":{"get":{"operationId":"sound"}},`
	for name, row := range map[string]struct{ paths, want string }{
		"server": {`"/a":{"get":{}}`, "base_url: https://api.example.com/v1\n"},
		"parameters": {`"/s/{shop}":{"parameters":[{"$ref":"#/parameters/shop"}],"get":{"operationId":"x","parameters":[{"name":"n","in":"query","type":"integer","maximum":5,"description":"How many"},
			{"name":"csv","in":"query","type":"array","items":{"type":"string"}},{"name":"multi","in":"query","type":"array","items":{"type":"string"},"collectionFormat":"multi"}]}}`,
			"    parameters:\n      - {name: shop, type: string, maxLength: 9, required: true}\n      - {name: n, type: integer, maximum: 5, description: How many}\n" +
				"      - {name: csv, type: array, items: {type: string}}\n      - {name: multi, type: array, items: {type: string}}\n" +
				"    annotations: {title: 'GET /s/{shop}', readOnlyHint: true}\n    http:\n      source: shop\n      get: /s/{{shop}}\n" +
				"      query: {n: '{{n}}', csv: {value: '{{csv}}', style: form, explode: false}, multi: '{{multi}}'}\n"},
		"body": {`"/a":{"post":{"operationId":"x","parameters":[{"name":"order","in":"body","required":true,"description":"What","schema":{"$ref":"#/definitions/Order"}}]}}`,
			"- {name: body, type: object, properties: {pizza: {type: string, required: true}}, required: true, description: What}"},
		"form": {`"/a":{"post":{"operationId":"x","consumes":["application/x-www-form-urlencoded","multipart/form-data"],"parameters":[
			{"name":"a","in":"formData","type":"string","required":true},{"name":"b c","in":"formData","type":"array","items":{"type":"string"},"collectionFormat":"multi"}]}}`,
			"form: {a: '{{a}}', b c: '{{b_c}}'}"},
		"file": {`"/a":{"post":{"operationId":"x","parameters":[{"name":"a","in":"formData","type":"file","description":"What it shows"},{"name":"n","in":"formData","type":"integer","required":true}]}}`,
			"parameters:\n      - {name: a, type: string, format: base64, description: 'What it shows (a file, as base64)'}\n      - {name: a_filename, type: string, description: What the file is called}\n      - {name: n, type: integer, required: true}\n" +
				"    annotations: {title: POST /a}\n    http:\n      source: shop\n      post: /a\n      multipart: {a: {content: '{{a}}', filename: '{{a_filename|default(''file'')}}', type: application/octet-stream, base64: true}, n: '{{n}}'}\n"},
		"anything": {`"/a":{"post":{"operationId":"x","consumes":["*/*"],"parameters":[{"name":"order","in":"body","schema":{"$ref":"#/definitions/Order"}}]}}`,
			"http:\n      source: shop\n      post: /a\n      json: '{{body}}'\n"},
		"XML":       {`"/a":{"post":{"operationId":"x","consumes":["application/xml"],"parameters":[{"name":"a","in":"body","schema":{}}]}}`, `it is "application/xml"`},
		"tsv":       {`"/a":{"get":{"operationId":"x","parameters":[{"name":"a","in":"query","type":"array","items":{"type":"string"},"collectionFormat":"tsv"}]}}`, `a list of the format "tsv" is not made`},
		"basic":     {`"/a":{"get":{"operationId":"x","security":[{"me":[]}]}}`, "password: {secret: SHOP_ME}"},
		"key":       {`"/a":{"get":{"operationId":"x","security":[{"key":[]}]}}`, "api_key: {in: header, name: X-Key, value: {secret: SHOP_KEY}}"},
		"oauth":     {`"/a":{"get":{"operationId":"x","security":[{"oauth":[]}]}}`, `it wants "oauth" (oauth2`},
		"undefined": {`"/a":{"get":{"operationId":"x","security":[{"no":[]}]}}`, "which is no security scheme of the document"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			made, err := makeOf(t, head+row.paths+"}}")
			if err != nil {
				t.Fatal(err)
			}
			file, err := made.unmarked()
			if err != nil {
				t.Fatal(err)
			}
			got := string(file)
			for _, s := range made.Skipped {
				got += s.Why
			}
			for _, one := range made.Tools {
				got += strings.Join(one.Without, "\n")
			}
			if !strings.Contains(got, row.want) || !strings.Contains(got, "\n  sound:\n") {
				t.Errorf("want %q, got\n%s", row.want, got)
			}
		})
	}
	if _, err := makeOf(t, `{"swagger":"2.0","paths":{}}`); err == nil || !strings.Contains(err.Error(), "names no server") {
		t.Errorf("without a host: %v", err)
	}
	if _, err := makeOf(t, `{"swagger":"2.0","host":"a@evil.example","paths":{}}`); err == nil || !strings.Contains(err.Error(), "no URL") {
		t.Errorf("with a user: %v", err)
	}
	if made, err := makeOf(t, `{"swagger":"1.2","host":"a.example","paths":{"/a":{"get":{}}}}`); err != nil || len(made.Skipped) != 1 ||
		!strings.Contains(made.Skipped[0].Why, "Swagger 1.2 is not read") {
		t.Errorf("Swagger 1.2: %+v, %v", made, err)
	}
}

// TestHostile: documents that are made to break whoever reads them.
func TestHostile(t *testing.T) {
	t.Parallel()
	wide := func(to string) string {
		var b strings.Builder
		for i := range 40 {
			fmt.Fprintf(&b, `"p%d":{"$ref":"#/components/schemas/%s"},`, i, to)
		}
		return `{"type":"object","properties":{` + strings.TrimSuffix(b.String(), ",") + `}}`
	}
	deep := func(n int) string { return strings.Repeat(`{"items":`, n) + "{}" + strings.Repeat("}", n) }
	for _, row := range []struct{ name, document, want string }{
		{"a cycle", one(`{"$ref":"#/components/schemas/A"}`, `"schemas":{"A":{"type":"object","properties":{"a":{"$ref":"#/components/schemas/A"},"b":{"type":"string"}}}}`),
			"properties: {a: {type: object}, b: {type: string}}"},
		{"a cycle of two", one(`{"$ref":"#/components/schemas/A"}`, `"schemas":{"A":{"type":"object","properties":{"b":{"$ref":"#/components/schemas/B"}}},
			"B":{"type":"array","items":{"$ref":"#/components/schemas/A"}}}`), "properties: {b: {type: array, items: {type: object}}}"},
		{"allOf of itself", one(`{"$ref":"#/components/schemas/A"}`, `"schemas":{"A":{"allOf":[{"$ref":"#/components/schemas/A"}],"type":"object"}}`), "type: object"},
		{"a reference to itself", one(`{"$ref":"#/components/schemas/A"}`, `"schemas":{"A":{"$ref":"#/components/schemas/A"}}`), "its type is not said"},
		{"40 to the power of 8", one(wide("A"), `"schemas":{"A":`+wide("B")+`,"B":`+wide("C")+`,"C":`+wide("D")+`,"D":`+wide("E")+`,"E":{"type":"string"}}`),
			"p39: {type: object}"},
		{"depth", one(deep(5000)), "type: array"},
		{"YAML in a text", around(`{"/x":{"get":{"operationId":"x","summary":"a\n  evil: {description: b, script: id}\n# c","tags":["d"]}},"/sound":{"get":{"operationId":"sound"}}}`),
			"description: 'a evil: {description: b, script: id} # c'"},
		{"YAML in an id", around(`{"/x":{"get":{"operationId":"x:\n  y: {script: id}"}},"/sound":{"get":{"operationId":"sound"}}}`), "  x_y_script_id:\n"},
		{"tags", around(`{"/x":{"get":{"operationId":"x","summary":"{{{a}}} {{% b %}} {\u0000{c}} {#d#}"}},"/sound":{"get":{"operationId":"sound"}}}`), "description:"},
		{"a long text", around(`{"/x":{"get":{"operationId":"x","summary":"` + strings.Repeat("word ", 1<<16) + `"}},"/sound":{"get":{"operationId":"sound"}}}`), " …"},
		{"a long path", around(`{"/` + strings.Repeat("a", 1<<16) + `":{"get":{}},"/sound":{"get":{"operationId":"sound"}}}`), "too long"},
		{"a server with a user", `{"openapi":"3.0.0","servers":[{"url":"https://a:b@evil.example"}],"paths":{}}`, "no URL that requests can go to"},
		{"a server without a host", `{"openapi":"3.0.0","servers":[{"url":"/v1"}],"paths":{}}`, "--server"},
		{"a file", `{"openapi":"3.0.0","servers":[{"url":"file:///etc"}],"paths":{}}`, "no URL that requests can go to"},
		{"too deep", one(deep(20000)), "exceeded max depth"},
		{"half of a document", `{"openapi":"3.0.0",`, "1:"},
		{"no document", "- a", "it is no OpenAPI document"},
		{"an alias of itself", "openapi: 3.0.0\npaths: &a {x: *a}\n", "an alias holds itself"},
		{"laughs", "openapi: 3.0.0\na: &a [" + strings.Repeat("x", 10_000) + "]\n" + laughs() + "paths: {}\n", "with its aliases"},
		{"much YAML", "a: " + strings.Repeat("x", 13<<20), "12 MiB of YAML"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			made, err := makeOf(t, row.document)
			got := fmt.Sprint(err)
			if err == nil {
				file, err := made.unmarked()
				if err != nil {
					t.Fatal(err)
				}
				got = string(file)
				for _, s := range made.Skipped {
					got += s.Why
				}
				if !strings.Contains(got, "\n  sound:\n") {
					t.Error("the sound operation is gone")
				}
			}
			if !strings.Contains(got, row.want) {
				t.Errorf("want %q, got %.2000s", row.want, got)
			}
			if row.name == "tags" && regexp.MustCompile(`description: .*(\{[{%#]|[%#}]\})`).MatchString(got) {
				t.Errorf("there is a tag: %s", got)
			}
		})
	}
}

func laughs() string {
	var b strings.Builder
	for c := 'b'; c < 'm'; c++ {
		fmt.Fprintf(&b, "%c: &%c [%s]\n", c, c, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c,", c-1), 10), ","))
	}
	return b.String()
}

// TestLarge: a document of 50 MB, of which one operation is wanted.
func TestLarge(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(`{"x":{"type":"object","description":"` + strings.Repeat("y", 50<<20) + `"}`)
	for i := range 2000 {
		fmt.Fprintf(&b, `,"s%d":{"type":"object"}`, i)
	}
	b.WriteString("}")
	made, err := Make(Request{Data: []byte(one(`{"$ref":"#/components/schemas/s1999"}`, `"schemas":`+b.String())), Tokens: size})
	if err != nil || len(made.Tools) != 2 {
		t.Fatalf("%+v, %v", made, err)
	}
	made, err = Make(Request{Data: []byte(one(`{"$ref":"#/components/schemas/x"}`, `"schemas":`+b.String())), Tokens: size})
	if err != nil || len(made.Tools) != 1 || len(made.Skipped) != 1 {
		t.Fatalf("%+v, %v", made, err)
	}
	if _, err := Make(Request{Data: append([]byte("{"), make([]byte, largestJSON)...), Tokens: size}); err == nil {
		t.Error("more than 64 MiB were read")
	}
}

// TestSources: each credential has a source of its own, and a secret that can be called so, whatever its scheme is called.
func TestSources(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long", 100)
	get := func(id, scheme string) string {
		return fmt.Sprintf(`"/%s":{"get":{"operationId":"%s","security":[{"%s":[]}]}}`, id, id, scheme)
	}
	document := around("{"+get("a", long+"a")+","+get("b", long+"b")+","+get("c", "k")+`,"/d":{"get":{"operationId":"d"}}}`,
		fmt.Sprintf(`"securitySchemes":{"%sa":{"type":"http","scheme":"bearer"},"%sb":{"type":"http","scheme":"bearer"},
		"k":{"type":"apiKey","in":"query","name":"key"}}`, long, long))
	made, err := Make(Request{Data: []byte(document), Source: "9" + strings.Repeat("s", longestName-1), Tokens: size})
	if err != nil || len(made.Tools) != 4 || len(made.Sources) != 4 {
		t.Fatalf("%+v, %v", made, err)
	}
	if _, err := made.File(); err != nil {
		t.Error(err)
	}
}

// TestNames: names are as the document has them, unique, short, and the same whatever stands beside and in which order.
func TestNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long", 20)
	operations := func(order ...int) map[string]string {
		all := []operation{
			{id: "getPet", method: "GET", path: "/a"}, {id: "getPet", method: "GET", path: "/b"}, {id: "GETpet", method: "GET", path: "/c"},
			{id: long + "a", method: "GET", path: "/d"}, {id: long + "b", method: "GET", path: "/e"}, {id: "GET /f/{x}", method: "GET", path: "/f/{x}"},
			{id: "日本", method: "GET", path: "/g"}, {id: "", method: "GET", path: "/日"}, {id: "a-b.c", method: "GET", path: "/h"}, {id: "__a", method: "GET", path: "/i"},
		}
		var list []operation
		for _, i := range order {
			list = append(list, all[i])
		}
		nameTools(list)
		names := map[string]string{}
		for _, o := range list {
			names[o.line()] = o.name
		}
		return names
	}
	forth, back := operations(0, 1, 2, 3, 4, 5, 6, 7, 8, 9), operations(9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
	taken := map[string]bool{}
	for line, name := range forth {
		if back[line] != name {
			t.Errorf("%s is called %s, and %s in another order", line, name, back[line])
		}
		if err := config.CheckToolID(name); err != nil || len(name) > longestName || taken[strings.ToLower(name)] {
			t.Errorf("%s is called %q (%v)", line, name, err)
		}
		taken[strings.ToLower(name)] = true
	}
	if forth["GET /f/{x}"] != "get_f_x" || forth["GET /h"] != "a_b_c" {
		t.Errorf("got %v", forth)
	}
}

// TestSharedSchemas: what is made of a schema does not depend on which operations led to it before, though it is made once
// for many: schemas that hold each other, at other depths, beside a description of their own, and cut short.
func TestSharedSchemas(t *testing.T) {
	t.Parallel()
	body := func(id, schema string) string {
		return `"/` + id + `":{"post":{"operationId":"` + id + `","requestBody":{"content":{"application/json":{"schema":` + schema + `}}}}}`
	}
	large := `{"type":"object","properties":{"b":{"$ref":"#/components/schemas/B"}`
	for i := range 120 {
		large += fmt.Sprintf(`,"member_%d":{"type":"string","description":"%s"}`, i, strings.Repeat("a word ", 20))
	}
	document := around(`{`+strings.Join([]string{
		body("a", `{"$ref":"#/components/schemas/A"}`), body("b", `{"$ref":"#/components/schemas/B"}`),
		body("c", `{"$ref":"#/components/schemas/C"}`),
		body("aInB", `{"type":"object","properties":{"x":{"type":"array","items":{"$ref":"#/components/schemas/B","description":"Bs"}}}}`),
		body("both", `{"allOf":[{"$ref":"#/components/schemas/A"},{"properties":{"more":{"$ref":"#/components/schemas/C"}}}]}`),
		body("large", `{"$ref":"#/components/schemas/Large"}`), body("deep", `{"type":"object","properties":{"l":{"$ref":"#/components/schemas/Large"}}}`),
		body("wrong", `{"type":"object","properties":{"w":{"$ref":"#/components/schemas/Wrong"}}}`), body("wrongToo", `{"$ref":"#/components/schemas/Wrong"}`),
	}, ",")+`}`, `"schemas":{
		"A":{"type":"object","properties":{"b":{"$ref":"#/components/schemas/B"},"text":{"type":"string","description":"A text"}}},
		"B":{"type":"object","required":["c"],"properties":{"a":{"$ref":"#/components/schemas/A"},"c":{"$ref":"#/components/schemas/C"}}},
		"C":{"type":"object","properties":{"a":{"$ref":"#/components/schemas/A"},"b":{"$ref":"#/components/schemas/B"},"n":{"type":"integer","minimum":1}}},
		"Wrong":{"type":"object","properties":{"a":{"$ref":"#/components/schemas/A"},"w":{"type":["string","integer"]}}},
		"Large":`+large+`}}}`)
	all, err := makeOf(t, document)
	if err != nil {
		t.Fatal(err)
	}
	if len(all.Tools) != 7 || len(all.Skipped) != 2 {
		t.Fatalf("%d tools are made, and %+v not", len(all.Tools), all.Skipped)
	}
	for _, one := range all.Tools {
		alone, err := Make(Request{Data: []byte(document), Select: []string{one.Operation}, Tokens: size})
		if err != nil || len(alone.Tools) != 1 {
			t.Fatal(err, alone.Skipped)
		}
		if diff := cmp.Diff(alone.Tools[0].tool, one.tool); diff != "" {
			t.Errorf("%s is another alone (-alone +together):\n%s", one.Operation, diff)
		}
	}
}

// FuzzSplit: values are taken apart as encoding/json does.
func FuzzSplit(f *testing.F) {
	f.Add(`{"a":[1,{"b":"x\"}"}],"c" : true , "d":null,"":-1.5e3}`)
	f.Add(` [ "\\" , [] , {} ]`)
	f.Fuzz(func(t *testing.T, text string) {
		if !json.Valid([]byte(text)) {
			return
		}
		trimmed := strings.TrimSpace(text)
		var object map[string]json.RawMessage
		var list []json.RawMessage
		got := (&node{raw: trimmed}).members()
		if json.Unmarshal([]byte(text), &object) == nil && object != nil {
			for _, m := range got {
				if want, ok := object[m.name]; !ok || string(want) != m.value.raw {
					t.Errorf("%q: %q is %q, want %q", text, m.name, m.value.raw, want)
				}
			}
			if len(got) != len(object) {
				t.Errorf("%q: %d members, want %d", text, len(got), len(object))
			}
		}
		if json.Unmarshal([]byte(text), &list) == nil && len(list) != len(got) {
			t.Errorf("%q: %d items, want %d", text, len(got), len(list))
		}
	})
}
