package openapi

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// operation is one of the document's.
type operation struct {
	id           string // its operationId, or its method and path
	method, path string
	name         string // of the tool
	item, value  value
	err          error // why nothing can be made of it
}

func (o *operation) line() string { return o.method + " " + o.path }

// methods are those of operations; the keys of a path have them in small letters.
// QUERY has come with OpenAPI 3.2.
var methods = []string{"GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE", "QUERY"}

// operations lists the operations of a document, in its order.
func (d *document) operations() []operation {
	var all []operation
	for _, path := range d.top("paths").members() {
		if strings.HasPrefix(path.name, "x-") {
			continue
		}
		item, _, err := d.deref(path.value)
		if err == nil && !item.isObject() {
			err = errors.New("it is no mapping of operations")
		}
		if err != nil {
			all = append(all, operation{id: path.name, path: path.name, err: err})
			continue
		}
		for _, m := range item.members() {
			method := strings.ToUpper(m.name)
			if !slices.Contains(methods, method) || m.name == method {
				continue
			}
			o := operation{method: method, path: path.name, item: item, value: m.value}
			if o.id = m.value.get("operationId").text(); o.id == "" {
				o.id = o.line()
			}
			if !m.value.isObject() {
				o.err = errors.New("it is no mapping")
			}
			all = append(all, o)
		}
	}
	nameTools(all)
	return all
}

// request is the request that an operation becomes.
type request struct {
	path           string
	pathStyles     []field // by their parameters
	query, headers []field
	cookies        []field
	form           []field
	parts          []part // of a multipart body
	body           string // the parameter that is the body; "" for none
	bodyType       string // "" for application/json
	parameters     []tool.Parameter
	without        []string // what it does without although the document has it, since it cannot be made, and why
}

// leaves reports whether an operation does without what cannot be made, which it may.
func (r *request) leaves(what, name string, required bool, why error) bool {
	if why != nil && !required && !errors.Is(why, errTooMuch) {
		r.without = append(r.without, fmt.Sprintf("%s %s: %v", what, quote(name), why))
		return true
	}
	return false
}

// field is a field of the query or of a form, a header, or a value in the path.
type field struct {
	name, parameter string
	style           string // how a list or an object is written, in OpenAPI's words; "" for the usual way of the place
	explode         bool
	asJSON          bool   // the value is written as JSON, whatever it is
	fixed           string // what is sent in place of a value, with tags for parameters of the path
}

// request makes the request of an operation.
func (d *document) request(o *operation, s *schemas) (*request, error) {
	switch {
	case o.err != nil:
		return nil, o.err
	case o.method == "TRACE":
		return nil, errors.New("TRACE is no method for tools")
	}
	r := &request{}
	declared, err := d.declared(o)
	if err != nil {
		return nil, err
	}
	inPath := map[string]string{}
	for _, v := range declared {
		name, required := v.get("name").text(), v.get("required").isTrue() || v.get("in").text() == "path"
		if err := r.add(s, v, inPath); err != nil && !r.leaves("the parameter", name, required, err) {
			return nil, fmt.Errorf("the parameter %s: %w", quote(name), err)
		}
	}
	if err = r.lineOf(o.path, inPath); err != nil {
		return nil, err
	}
	if body := d.bodyOf(o, declared); body != nil {
		if o.method == "GET" || o.method == "HEAD" || o.method == "OPTIONS" {
			return nil, fmt.Errorf("a %s has no body", o.method)
		}
		if err := r.addBody(d, s, body); err != nil {
			return nil, fmt.Errorf("the body: %w", err)
		}
	}
	return r, nil
}

// declared lists the parameters of an operation. Those of its path count where it has none of the name and place itself.
func (d *document) declared(o *operation) ([]value, error) {
	var all []value
	at := map[string]int{}
	for _, list := range []value{o.item.get("parameters"), o.value.get("parameters")} {
		for _, m := range list.members() {
			v, _, err := d.deref(m.value)
			if err != nil {
				return nil, err
			}
			key := v.get("in").text() + " " + v.get("name").text()
			if i, again := at[key]; again {
				all[i] = v
				continue
			}
			at[key] = len(all)
			all = append(all, v)
		}
	}
	return all, nil
}

// add takes in a parameter.
func (r *request) add(s *schemas, v value, inPath map[string]string) error {
	name, in := v.get("name").text(), v.get("in").text()
	ignored := []string{"accept", "content-type", "authorization"} // OpenAPI 3.1, Parameter Object: name
	if in == "header" && slices.Contains(ignored, strings.ToLower(name)) {
		return nil
	}
	if !isClean(name) {
		return errors.New("its name holds what is not seen, or a tag, or is too long, or there is none")
	}
	switch {
	case (in == "cookie" || in == "header") && strings.ContainsFunc(name, notInToken):
		return errors.New("it cannot be the name of a header or a cookie")
	case s.doc.isSwagger() && (in == "body" || in == "formData"):
		return nil // see bodyOf
	case !slices.Contains([]string{"path", "query", "header", "cookie"}, in):
		return fmt.Errorf("there is no place %s", quote(in))
	case v.get("allowReserved").isTrue():
		return errors.New("allowReserved is not made")
	}
	schema, asJSON, err := s.doc.contentOf(v)
	if err != nil {
		return err
	}
	p, err := s.parameter(schema, 0)
	if err != nil {
		return err
	}
	f, err := s.doc.styleOf(v, in)
	if err != nil {
		return err
	}
	switch {
	case asJSON:
		f = field{asJSON: true}
	case isScalar(p.Type) && in != "path" || f.isUsual(in) && (isScalar(p.Type) || in == "query" && p.Type == tool.TypeArray):
		f.style = ""
	}
	switch {
	case in == "cookie" && (asJSON || !isScalar(p.Type)):
		return fmt.Errorf("a cookie holds no %s", p.Type)
	case !asJSON:
		if err := flat(p, f.style); err != nil {
			return err
		}
	}
	if about := s.doc.cleaned(v.get("description").text()); about != "" {
		p.Description = about
	}
	p.Required = v.get("required").isTrue() || in == "path"
	if in == "path" {
		p.Nullable = false
	}
	p.Name = r.free(name, in)
	r.parameters = append(r.parameters, p)
	f.name, f.parameter = name, p.Name
	switch in {
	case "path":
		if inPath[name] = p.Name; f.style != "" {
			r.pathStyles = append(r.pathStyles, f)
		}
	case "query":
		r.query = append(r.query, f)
	case "header":
		r.headers = append(r.headers, f)
	case "cookie":
		r.cookies = append(r.cookies, f)
	}
	return nil
}

// notInToken reports whether a character has no place in the name of a header or a cookie (RFC 9110, 5.6.2).
func notInToken(c rune) bool {
	return c <= ' ' || c > '~' || strings.ContainsRune("\"(),/:;<=>?@[\\]{}", c)
}

// contentOf returns the schema of a parameter, and whether its value is sent as JSON, which a media type of its own says
// (OpenAPI 3.1, Parameter Object, content).
func (d *document) contentOf(v value) (schema value, asJSON bool, err error) {
	content := v.get("content")
	if content == nil {
		return d.schemaOf(v), false, nil
	}
	types := content.members()
	if len(types) != 1 {
		return nil, false, fmt.Errorf("it has %d media types, and one is sent", len(types))
	}
	essence := essenceOf(types[0].name)
	if essence == "text/plain" {
		return types[0].value.get("schema"), false, nil
	}
	if !isJSONType(essence) {
		return nil, false, fmt.Errorf("it is sent as %s, and JSON and texts are made", quote(essence))
	}
	return types[0].value.get("schema"), true, nil
}

// essenceOf is a media type without its parameters.
func essenceOf(mediaType string) string {
	essence, _, _ := strings.Cut(strings.ToLower(mediaType), ";")
	return strings.TrimSpace(essence)
}

func isJSONType(essence string) bool {
	return essence == "application/json" || strings.HasPrefix(essence, "application/") && strings.HasSuffix(essence, "+json")
}

// styleOf is how a list or an object of a parameter is written (OpenAPI 3.1, Parameter Object, style and explode).
func (d *document) styleOf(v value, in string) (field, error) {
	if d.isSwagger() {
		return collectionFormat(v, in)
	}
	f := field{style: v.get("style").text()}
	if f.style == "" {
		f.style = usualStyle(in)
	}
	f.explode = f.style == "form"
	if said := v.get("explode"); said != nil {
		f.explode = said.isTrue()
	}
	return f, nil
}

func usualStyle(in string) string {
	if in == "query" || in == "form" {
		return "form"
	}
	return "simple"
}

// isUsual reports whether a field is written as it is where nobody says how.
func (f field) isUsual(in string) bool {
	return f.style == usualStyle(in) && f.explode == (f.style == "form")
}

func isScalar(t tool.Type) bool { return t != tool.TypeArray && t != tool.TypeObject }

// free is what a parameter of the tool is called that is called name on the wire.
func (r *request) free(name, in string) string {
	const most = 50
	id := words(name)
	id = id[:min(len(id), most)]
	if lower := strings.ToLower(id); id == "" || id[0] >= '0' && id[0] <= '9' || strings.HasPrefix(lower, "a2a_") {
		id = in + "_" + id
	}
	taken := func(id string) bool {
		return slices.ContainsFunc(r.parameters, func(p tool.Parameter) bool { return p.Name == id })
	}
	free := id
	if taken(free) {
		id += "_" + in
		free = id
	}
	for n := 2; taken(free); n++ {
		free = fmt.Sprintf("%s_%d", id, n)
	}
	return free
}

// lineOf takes the path of an operation apart, which some documents write a query and a fragment into: a fragment is never
// sent (RFC 3986, 3.5), and only tells operations apart.
func (r *request) lineOf(path string, parameters map[string]string) error {
	if !isClean(path) {
		return errors.New("its path holds what has no place in one, or is too long")
	}
	path, _, _ = strings.Cut(path, "#")
	path, query, _ := strings.Cut(path, "?")
	used := map[string]bool{}
	var err error
	if r.path, err = tagged(path, parameters, used); err != nil {
		return err
	}
	for part := range strings.SplitSeq(query, "&") {
		if part == "" {
			continue
		}
		if err := r.addFixed(part, parameters, used); err != nil {
			return err
		}
	}
	if len(used) != len(parameters) {
		return errors.New("its path does not name each parameter in the path once")
	}
	return nil
}

// addFixed takes in a field that stands in the path.
func (r *request) addFixed(part string, parameters map[string]string, used map[string]bool) error {
	name, value, _ := strings.Cut(part, "=")
	f := field{}
	var err, wrong error
	if f.name, err = url.QueryUnescape(name); err == nil {
		value, wrong = url.QueryUnescape(value)
	}
	if err != nil || wrong != nil || strings.ContainsAny(f.name, "{}") || !isClean(f.name) || value != "" && !isClean(value) {
		return errors.New("the query in its path cannot be read")
	}
	if slices.ContainsFunc(r.query, func(other field) bool { return other.name == f.name }) {
		return fmt.Errorf("the field %s of the query stands in its path, too", quote(f.name))
	}
	if f.fixed, err = tagged(value, parameters, used); err != nil {
		return err
	}
	for _, styled := range r.pathStyles {
		if strings.Contains(f.fixed, "{{"+styled.parameter+"}}") {
			return fmt.Errorf("the parameter %s has a place in the query, and is a list or an object", quote(styled.name))
		}
	}
	r.query = append(r.query, f)
	return nil
}

// tagged writes a text of a path with the tags of a template.
func tagged(text string, parameters map[string]string, used map[string]bool) (string, error) {
	var b strings.Builder
	for rest := text; rest != ""; {
		before, after, tag := strings.Cut(rest, "{")
		if strings.ContainsAny(before, "}%") {
			return "", errors.New("its path holds what has no place in one, or is too long")
		}
		b.WriteString(before)
		if rest = after; !tag {
			break
		}
		name, after, closed := strings.Cut(rest, "}")
		id, known := parameters[name]
		switch {
		case !closed || !known:
			return "", fmt.Errorf("its path names %s, which no parameter in the path declares", quote(name))
		case used[name]:
			return "", errors.New("its path does not name each parameter in the path once")
		}
		b.WriteString("{{" + id + "}}")
		used[name] = true
		rest = after
	}
	return b.String(), nil
}

// addBody takes in the body: JSON, a form or parts, the first of them that there is.
func (r *request) addBody(d *document, s *schemas, body value) error {
	body, _, err := d.deref(body)
	if err != nil {
		return err
	}
	var found, form, parts value
	var others []string
	for _, m := range body.get("content").members() {
		essence := essenceOf(m.name)
		isJSON := slices.Contains([]string{"application/json", "*/*", "application/*"}, essence) // a range holds JSON, too
		if isJSON || isJSONType(essence) && found == nil {
			found, r.bodyType = m.value, ""
			if !isJSON {
				r.bodyType = essence
			}
			if isJSON {
				break
			}
		}
		switch essence {
		case formType:
			form = m.value
		case partsType:
			parts = m.value
		}
		others = append(others, essence)
	}
	switch {
	case found == nil && form != nil:
		return r.addForm(s, form)
	case found == nil && parts != nil:
		return r.addParts(s, parts)
	case found == nil:
		return fmt.Errorf("it is %s, and JSON, forms and multipart/form-data are made", quote(strings.Join(others, ", ")))
	}
	p := tool.Parameter{Type: tool.TypeObject}
	if schema := found.get("schema"); schema != nil {
		if p, err = s.parameter(schema, 0); err != nil {
			return err
		}
	}
	if about := clean(body.get("description").text()); about != "" {
		p.Description = about
	}
	p.Name, p.Required = r.free("body", "json"), body.get("required").isTrue()
	r.body = p.Name
	r.parameters = append(r.parameters, p)
	return nil
}
