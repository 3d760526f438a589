package openapi

import (
	"errors"
	"fmt"

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
		}
		if err := flat(member, f.style); err != nil {
			if r.leaves("the field", member.Name, member.Required, err) {
				continue
			}
			return fmt.Errorf("the field %s: %w", quote(member.Name), err)
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

// flat wants a value that can stand in a form or a URL in this style: one, a list of such, or an object of such.
func flat(p tool.Parameter, style string) error {
	switch p.Type {
	case tool.TypeArray:
		if p.Items == nil {
			return errors.New("it is not said what the items of the list are")
		}
		if !isScalar(p.Items.Type) {
			return errors.New("it is a list of lists or of objects, which has no place there")
		}
		if style == "deepObject" {
			return errors.New("a list has no style deepObject")
		}
	case tool.TypeObject:
		if len(p.Properties) == 0 {
			return errors.New("it is not said which members the object has")
		}
		for _, m := range p.Properties {
			if !isScalar(m.Type) {
				return fmt.Errorf("its member %s is a list or an object, which has no place there", quote(m.Name))
			}
		}
	}
	return nil
}
