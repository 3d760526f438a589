package openapi

import (
	"errors"
	"fmt"
	"slices"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// addForm takes in a body of the type application/x-www-form-urlencoded: each member of its schema is a parameter, and a
// field (OpenAPI 3.1, 4.8.14.4).
func (r *request) addForm(s *schemas, media value) error {
	p, err := s.parameter(media.get("schema"), 0)
	if err != nil {
		return err
	}
	if p.Type != tool.TypeObject || len(p.Properties) == 0 {
		return errors.New("it is a form, and its fields are not said")
	}
	encodings := media.get("encoding")
	if s.doc.isSwagger() {
		encodings = media.get("schema").get("properties") // each is the parameter, see formSchema
	}
	for _, member := range p.Properties {
		encoding := encodings.get(member.Name)
		f, err := s.doc.styleOf(encoding, "form")
		switch {
		case err != nil:
			return err
		case encoding.get("contentType") != nil && !isScalar(member.Type):
			return fmt.Errorf("the field %s has a media type of its own, which is not made", quote(member.Name))
		case !isClean(member.Name):
			return errors.New("the name of a field holds what is not seen, or a tag, or is too long")
		case !isFlat(member):
			if member.Required {
				return fmt.Errorf("the field %s is a list or an object of others, which no form holds", quote(member.Name))
			}
			continue // the server says what it is without
		}
		if isScalar(member.Type) || member.Type == tool.TypeArray && f.isUsual("form") {
			f.style = ""
		}
		f.name = member.Name
		member.Name = r.free(f.name, "form")
		f.parameter = member.Name
		r.parameters = append(r.parameters, member)
		r.form = append(r.form, f)
	}
	return nil
}

// isFlat reports whether a value can stand in a form or a URL: one, a list of such, or an object of such.
func isFlat(p tool.Parameter) bool {
	switch p.Type {
	case tool.TypeArray:
		return p.Items != nil && isScalar(p.Items.Type)
	case tool.TypeObject:
		return len(p.Properties) > 0 && !slices.ContainsFunc(p.Properties, func(m tool.Parameter) bool { return !isScalar(m.Type) })
	default:
		return true
	}
}
