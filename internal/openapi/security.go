package openapi

import (
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/a2a-acp/a2a-acp/internal/toolyaml"
)

const fetchHint = "write the tool by hand, with a program that fetches the token: auth: {bearer: {command: [get-token]}}"

// schemeOf returns the security scheme that an operation is called with: the first of its alternatives that can be;
// "" where nothing is wanted.
func (d *document) schemeOf(operation value) (string, error) {
	wanted := operation.get("security")
	if wanted == nil {
		wanted = d.top("security")
	}
	var why error
	for _, alternative := range wanted.members() {
		schemes := alternative.value.members()
		switch len(schemes) {
		case 0:
			return "", nil
		case 1:
			name := schemes[0].name
			err, known := d.auths[name]
			if !known {
				_, err = d.auth(name, "")
				d.auths[name] = err
			}
			if err == nil {
				return name, nil
			}
			why = err
		default:
			why = fmt.Errorf("it wants %d credentials at once, and a source has one", len(schemes))
		}
	}
	return "", why
}

// auth is the auth of a source that a security scheme becomes, with a reference to the secret.
func (d *document) auth(scheme, secret string) (*yaml.Node, error) {
	schemes := d.top("components").get("securitySchemes")
	if d.isSwagger() {
		schemes = d.top("securityDefinitions")
	}
	v, _, err := d.deref(schemes.step(scheme))
	if err != nil {
		return nil, err
	}
	reference := toolyaml.Flow(toolyaml.Mapping("secret", toolyaml.Text(secret)))
	switch kind, way := v.get("type").text(), strings.ToLower(v.get("scheme").text()); {
	case kind == "http" && way == "bearer":
		return toolyaml.Flow(toolyaml.Mapping("bearer", reference)), nil
	case kind == "http" && way == "basic", kind == "basic" && d.isSwagger():
		user := toolyaml.Text("user")
		user.LineComment = "# check: whose password it is; the document cannot say"
		return toolyaml.Mapping("basic", toolyaml.Mapping("username", user, "password", reference)), nil
	case kind == "apiKey" && slices.Contains([]string{"header", "query"}, v.get("in").text()):
		name := v.get("name").text()
		if !isClean(name) {
			return nil, fmt.Errorf("the key %s has no name that can be sent", quote(scheme))
		}
		return toolyaml.Flow(toolyaml.Mapping("api_key", toolyaml.Flow(toolyaml.Mapping("in", toolyaml.Text(v.get("in").text()),
			"name", toolyaml.Text(name), "value", reference)))), nil
	case kind == "apiKey":
		return nil, fmt.Errorf("it wants the key %s in a %s, and keys in a header or a query are made", quote(scheme),
			clean(v.get("in").text()))
	case v == nil:
		return nil, fmt.Errorf("it wants %s, which is no security scheme of the document", quote(scheme))
	default:
		return nil, fmt.Errorf("it wants %s (%s), which is not made; %s", quote(scheme), clean(kind+" "+way), fetchHint)
	}
}

// sources gives each security scheme that some operation is called with a source of its own, so that a credential is
// sent only where it is wanted. The one that most have is called as the person says.
func sources(main string, schemes []string) map[string]string {
	counts := map[string]int{}
	for _, scheme := range schemes {
		counts[scheme]++
	}
	var order []string
	for scheme := range counts {
		order = append(order, scheme)
	}
	slices.SortFunc(order, func(a, b string) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		return strings.Compare(a, b)
	})
	const most = 16 // of a scheme's name: the secret is called so, too
	names, taken := map[string]string{}, map[string]bool{}
	for i, scheme := range order {
		name := main
		if i > 0 {
			name = words(scheme)
			name = main + "_" + name[:min(len(name), most)]
		}
		if i > 0 && scheme == "" {
			name = main + "_public"
		}
		for taken[name] {
			name += "_"
		}
		taken[name] = true
		names[scheme] = name
	}
	return names
}

// secretOf names the secret of a source. Such a name begins with no digit.
func secretOf(source string) string {
	name := strings.ToUpper(strings.ReplaceAll(source, "-", "_"))
	if name[0] >= '0' && name[0] <= '9' {
		return "_" + name
	}
	return name
}
