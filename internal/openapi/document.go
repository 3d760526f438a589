package openapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"
)

// What is read of a document.
const (
	largestJSON  = 64 << 20 // bytes
	largestYAML  = 12 << 20 // of which each can become a hundred
	longestChain = 32       // references that lead to one another
)

// document is an OpenAPI document.
type document struct {
	root    value
	version string
	named   map[string]value // what references lead to
	auths   map[string]error // why no credential is made of a security scheme; nil where one is
	texts   map[string]string
	insides map[place]*inside
}

// read reads a document, JSON or YAML.
func read(data []byte) (*document, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if trimmed := bytes.TrimSpace(data); len(trimmed) == 0 || trimmed[0] != '{' {
		var err error
		if data, err = jsonOfYAML(data); err != nil {
			return nil, err
		}
	}
	if len(data) > largestJSON {
		return nil, fmt.Errorf("the document has more than %d MiB", largestJSON>>20)
	}
	if err := checkJSON(data); err != nil {
		return nil, err
	}
	if !utf8.Valid(data) {
		data = bytes.ToValidUTF8(data, []byte("\ufffd"))
	}
	d := &document{root: &node{raw: string(bytes.TrimSpace(data))}, named: map[string]value{}, auths: map[string]error{},
		texts: map[string]string{}, insides: map[place]*inside{}}
	d.version = d.top("openapi").text()
	switch old := d.top("swagger"); {
	case d.version != "":
	case old.isText() || old.isNumber():
		d.version = "Swagger " + strings.Trim(old.raw, `"`)
	default:
		return nil, errors.New("it is no OpenAPI document: there is no openapi: 3.x.y and no swagger: \"2.0\"")
	}
	return d, nil
}

// checkJSON tells where a text is no JSON.
func checkJSON(data []byte) error {
	if json.Valid(data) {
		return nil
	}
	var any json.RawMessage
	err := json.Unmarshal(data, &any)
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return fmt.Errorf("it is no JSON: %w", err)
	}
	before := data[:min(int(syntax.Offset), len(data))]
	line := bytes.Count(before, []byte("\n")) + 1
	column := len(before) - bytes.LastIndexByte(before, '\n') - 1
	return fmt.Errorf("%d:%d: it is no JSON: %w", line, max(column, 1), err)
}

// unread says why operations of a document of this version are not made; "" where they are.
func (d *document) unread() string {
	for _, known := range []string{"3.0", "3.1", "3.2", "Swagger 2.0"} {
		if d.version == known || strings.HasPrefix(d.version, known+".") {
			return ""
		}
	}
	return clean(d.version) + " is not read; OpenAPI 3.0 to 3.2 and Swagger 2.0 are: convert the document first"
}

// deref follows a reference, and those behind it, to what is meant. where is the last reference; "" where there is none.
func (d *document) deref(v value) (found value, where string, err error) {
	for range longestChain {
		reference := v.get("$ref")
		if !reference.isText() {
			return v, where, nil
		}
		where = reference.text()
		if v, err = d.at(where); err != nil {
			return nil, where, err
		}
	}
	return nil, where, fmt.Errorf("$ref %s leads from one to the next and nowhere", quote(where))
}

// at returns what a reference names.
func (d *document) at(reference string) (value, error) {
	if known := d.named[reference]; known != nil {
		return known, nil
	}
	pointer, local := strings.CutPrefix(reference, "#")
	if !local {
		return nil, fmt.Errorf("$ref %s leads out of the document", quote(reference))
	}
	pointer, err := url.PathUnescape(pointer)
	if err != nil || pointer != "" && pointer[0] != '/' {
		return nil, fmt.Errorf("$ref %s is no JSON pointer", quote(reference))
	}
	v := d.root
	if pointer != "" {
		for step := range strings.SplitSeq(pointer[1:], "/") {
			if v = v.step(strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")); v == nil {
				return nil, fmt.Errorf("$ref %s leads to nothing", quote(reference))
			}
		}
	}
	d.named[reference] = v
	return v, nil
}

// step returns a member of an object, or an item of a list by its number; nil where there is none.
func (v value) step(name string) value {
	if !v.isList() {
		return v.get(name)
	}
	n, err := strconv.Atoi(name)
	if items := v.members(); err == nil && n >= 0 && n < len(items) && strconv.Itoa(n) == name {
		return items[n].value
	}
	return nil
}

// top returns a member of the document.
func (d *document) top(name string) value { return d.root.get(name) }
