package openapi

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/a2a-acp/a2a-acp/internal/toolyaml"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// part is a part of a multipart body.
type part struct {
	name, parameter string
	filename        string // the parameter that is the name of the file; "" for a field
	mediaType       string // "" for a field that says none
	asJSON          bool
}

// written is a part as a template has it.
func (p *part) written() *yaml.Node {
	content := "{{" + p.parameter + "}}"
	if p.asJSON {
		content = "{{" + p.parameter + "|tojson}}"
	}
	if p.mediaType == "" && p.filename == "" {
		return toolyaml.Text(content)
	}
	node := toolyaml.Flow(toolyaml.Mapping("content", toolyaml.Text(content)))
	if p.filename != "" {
		toolyaml.Add(node, "filename", toolyaml.Text("{{"+p.filename+"|default('file')}}"))
	}
	if p.mediaType != "" {
		toolyaml.Add(node, "type", toolyaml.Text(p.mediaType))
	}
	if p.filename != "" {
		toolyaml.Add(node, "base64", toolyaml.Plain("true"))
	}
	return node
}

// isFile reports whether a schema is of the bytes of a file (OpenAPI 3.0, 4.7.14.2; 3.1, 4.8.14.2; Swagger's type file).
func isFile(schema value) bool {
	switch kind := schema.get("type"); {
	case kind.text() == "file":
		return true
	case kind == nil:
		return schema.get("contentMediaType") != nil && schema.get("contentEncoding") == nil
	default:
		return kind.text() == "string" && (schema.get("format").text() == "binary" ||
			schema.get("contentMediaType") != nil && schema.get("contentEncoding") == nil)
	}
}

// addParts takes in a body of the type multipart/form-data: each member of its schema is a parameter, and a part. Of a
// file the parameter is its bytes as base64, and another one its name.
func (r *request) addParts(s *schemas, media value) error {
	f := &facets{}
	if err := s.gather(f, media.get("schema")); err != nil {
		return err
	}
	var required []string
	for _, each := range f.parts {
		required = append(required, each.get("required").texts()...)
	}
	for _, each := range f.parts {
		for _, m := range each.get("properties").members() {
			wanted := slices.Contains(required, m.name)
			err := r.addPart(s, m, media.get("encoding").get(m.name), wanted)
			if err != nil && !r.leaves("the part", m.name, wanted, err) {
				return fmt.Errorf("the part %s: %w", quote(m.name), err)
			}
		}
	}
	if len(r.parts) == 0 {
		return errors.New("it is multipart/form-data, and its parts are not said")
	}
	return nil
}

func (r *request) addPart(s *schemas, m member, encoding value, required bool) error {
	schema, _, err := s.doc.deref(m.value)
	if err != nil {
		return err
	}
	made := part{name: m.name, mediaType: encoding.get("contentType").text()}
	switch {
	case !isClean(m.name) || strings.ContainsAny(m.name, "\"\\%{}"):
		return errors.New("its name holds what no part's can, or is too long")
	case made.mediaType != "" && (!isClean(made.mediaType) || strings.ContainsAny(made.mediaType, ",*")):
		made.mediaType = "" // several are named, and it is left to the server which it is
	}
	if isFile(schema) {
		return r.addFile(made, schema, required)
	}
	p, err := s.parameter(m.value, 1)
	if err != nil {
		return err
	}
	isList := p.Type == tool.TypeArray && p.Items != nil && isScalar(p.Items.Type)
	if p.Type == tool.TypeArray && isFile(schema.get("items")) || p.Type == tool.TypeArray && !isList && made.mediaType == "" {
		return errors.New("it is a list of files, of lists or of objects, which is not made")
	}
	made.asJSON = !isScalar(p.Type) && !isList || made.mediaType != "" && isJSONType(essenceOf(made.mediaType))
	if made.asJSON && made.mediaType == "" {
		made.mediaType = "application/json"
	}
	p.Name, p.Required = r.free(m.name, "part"), required
	made.parameter = p.Name
	r.parameters, r.parts = append(r.parameters, p), append(r.parts, made)
	return nil
}

// addFile takes in a file.
func (r *request) addFile(made part, schema value, required bool) error {
	if made.mediaType == "" {
		made.mediaType = clean(schema.get("contentMediaType").text())
	}
	if made.mediaType == "" || strings.ContainsAny(made.mediaType, ",*") {
		made.mediaType = "application/octet-stream"
	}
	about := clean(schema.get("description").text())
	content := tool.Parameter{Name: r.free(made.name, "part"), Type: tool.TypeString, Format: tool.FormatBase64, Required: required,
		Description: strings.TrimSpace(about + " (a file, as base64)")}
	r.parameters = append(r.parameters, content)
	name := tool.Parameter{Name: r.free(made.name+"_filename", "part"), Type: tool.TypeString,
		Description: "What the file is called"}
	r.parameters = append(r.parameters, name)
	made.parameter, made.filename = content.Name, name.Name
	r.parts = append(r.parts, made)
	return nil
}
