package openapi

import (
	"fmt"
	"slices"
	"strings"
)

// What Swagger 2.0 says in other words than OpenAPI 3: https://swagger.io/specification/v2/

func (d *document) isSwagger() bool { return strings.HasPrefix(d.version, "Swagger ") }

// schemaOf is the schema of a parameter, which stands beside its name in Swagger.
func (d *document) schemaOf(v value) value {
	if d.isSwagger() {
		return v
	}
	return v.get("schema")
}

// collectionFormat is how a list is written.
func collectionFormat(v value, in string) (field, error) {
	switch format := v.get("collectionFormat").text(); format {
	case "multi":
		if in == "query" || in == "form" {
			return field{style: "form", explode: true}, nil
		}
	case "", "csv":
		return field{style: usualStyle(in)}, nil
	case "ssv":
		return field{style: "spaceDelimited"}, nil
	case "pipes":
		return field{style: "pipeDelimited"}, nil
	}
	return field{}, fmt.Errorf("a list of the format %s is not made in a %s", quote(v.get("collectionFormat").text()), in)
}

// bodyOf is the body of an operation as OpenAPI 3 has it: what Swagger says in parameters is put together anew. declared
// are those of the operation; nil for no body.
func (d *document) bodyOf(o *operation, declared []value) value {
	if !d.isSwagger() {
		return o.value.get("requestBody")
	}
	kinds := o.value.get("consumes")
	if kinds == nil {
		kinds = d.top("consumes")
	}
	types := kinds.texts()
	var fields []value
	for _, v := range declared {
		switch v.get("in").text() {
		case "body":
			if len(types) == 0 {
				types = []string{"application/json"}
			}
			return bodyOfTypes(types, v.get("schema"), v)
		case "formData":
			fields = append(fields, v)
		}
	}
	if len(fields) == 0 {
		return nil
	}
	switch {
	case slices.ContainsFunc(fields, isFile):
		types = []string{partsType}
	case len(types) == 0 || slices.Contains(types, formType):
		types = []string{formType}
	}
	return bodyOfTypes(types, formSchema(fields), nil)
}

// The media types of forms.
const (
	formType  = "application/x-www-form-urlencoded"
	partsType = "multipart/form-data"
)

// formSchema is the schema of a form whose fields are parameters.
func formSchema(fields []value) value {
	var properties []member
	var required []string
	for _, v := range fields {
		name := v.get("name").text()
		if v.get("required").isTrue() {
			required = append(required, name)
		}
		again := slices.IndexFunc(properties, func(m member) bool { return m.name == name })
		if again >= 0 {
			properties[again].value = v
			continue
		}
		properties = append(properties, member{name, v})
	}
	return objectOf(member{"type", &node{raw: `"object"`}}, member{"properties", objectOf(properties...)},
		member{"required", listOf(required)})
}

// bodyOfTypes is a Request Body Object. about is the parameter that says whether it is required, and what it is.
func bodyOfTypes(types []string, schema, about value) value {
	media := objectOf()
	if schema != nil {
		media = objectOf(member{"schema", schema})
	}
	var content []member
	for _, name := range types {
		content = append(content, member{name, media})
	}
	body := []member{{"content", objectOf(content...)}}
	for _, name := range []string{"required", "description"} {
		if v := about.get(name); v != nil {
			body = append(body, member{name, v})
		}
	}
	return objectOf(body...)
}

// swaggerServer is where requests go; "" where the document does not say.
func (d *document) swaggerServer() string {
	host := d.top("host").text()
	if host == "" {
		return ""
	}
	schemes := d.top("schemes").texts()
	scheme := "https"
	if len(schemes) > 0 && !slices.Contains(schemes, scheme) {
		scheme = schemes[0]
	}
	return scheme + "://" + host + strings.TrimSuffix(d.top("basePath").text(), "/")
}
