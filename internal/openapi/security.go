package openapi

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/a2a-acp/a2a-acp/internal/toolyaml"
)

// The cures for what is not made.
const (
	loginHint = "a person logs in there: write the tool's source by hand, with auth: {token_exchange: {…, subject: caller}}, or a " +
		"program that has the token: auth: {bearer: {command: [get-token]}}"
	otherHint = "write the tool's source by hand, with a program that has the token: auth: {bearer: {command: [get-token]}}"
)

// wanted is what an operation is called with: security schemes, all of them at once; none where nothing is wanted.
type wanted struct {
	server  string // where it goes
	schemes []string
	scopes  []string // that a token has to be good for, if one is fetched
	passed  []string // alternatives before these, each with the reason why it cannot be made
}

// key is the same for operations that are called with the same.
func (w wanted) key() string { return w.server + "\x00" + strings.Join(w.schemes, "\x00") }

// Security tells what a tool is called with.
type Security struct {
	Schemes []string `json:"schemes"`
	Scopes  []string `json:"scopes,omitempty"`
	// Passed are the document's alternatives before these, each with the reason why it cannot be made.
	Passed []string `json:"passed,omitempty"`
}

func (w wanted) told() *Security {
	if len(w.schemes)+len(w.passed) == 0 {
		return nil
	}
	s := &Security{Schemes: []string{}, Scopes: w.scopes, Passed: w.passed}
	for _, scheme := range w.schemes {
		s.Schemes = append(s.Schemes, clean(scheme))
	}
	return s
}

// security returns what an operation is called with: the first of its alternatives that can be made.
func (m *maker) security(operation value, server string) (w wanted, why error) {
	w.server = server
	says := operation.get("security")
	if says == nil {
		says = m.doc.top("security")
	}
	for _, alternative := range says.members() {
		w.schemes, w.scopes = nil, nil
		var names []string
		why = nil
		for _, scheme := range alternative.value.members() {
			var scopes []string
			if v, err := m.doc.scheme(scheme.name); err == nil && v.get("type").text() == "oauth2" {
				scopes = scheme.value.texts() // of another scheme they are roles, which nobody asks for (OpenAPI 3.1, 4.8.30)
			}
			if why == nil {
				why = m.checkScheme(scheme.name, scopes, server)
			}
			w.schemes, names = append(w.schemes, scheme.name), append(names, clean(scheme.name))
			w.scopes = append(w.scopes, scopes...)
		}
		slices.Sort(w.schemes) // the order of members says nothing
		if why == nil {
			return w, nil
		}
		w.passed = append(w.passed, strings.Join(names, " and ")+": "+toolyaml.Clean(why.Error()))
	}
	return w, why
}

// checkScheme says why no credential is made of a security scheme; nil where one is.
func (m *maker) checkScheme(name string, scopes []string, server string) error {
	if strings.Contains(name, "\x00") { // which stands between the names of several in a key
		return fmt.Errorf("it wants %s, whose name holds what is not seen", quote(name))
	}
	why, known := m.doc.auths[server+"\x00"+name]
	if !known {
		_, why = m.auth(name, Source{Server: server}, "")
		m.doc.auths[server+"\x00"+name] = why
	}
	for _, scope := range scopes {
		if why == nil && (!isClean(scope) || strings.ContainsFunc(scope, notInScope)) {
			why = fmt.Errorf("it wants a scope of %s that cannot be asked for", quote(name))
		}
	}
	return why
}

// notInScope reports whether a character has no place in a scope (RFC 6749, 3.3).
func notInScope(c rune) bool { return c <= ' ' || c > '~' || c == '"' || c == '\\' }

// credentials is the auth of a source that some security schemes become, all at once.
func (m *maker) credentials(s Source) (*yaml.Node, error) {
	list := &yaml.Node{Kind: yaml.SequenceNode}
	for i, scheme := range s.schemes {
		auth, err := m.auth(scheme, s, s.Secrets[i].Name)
		if err != nil {
			return nil, err
		}
		list.Content = append(list.Content, auth)
	}
	if len(list.Content) == 1 {
		return list.Content[0], nil
	}
	return list, nil
}

// scheme returns a security scheme of the document.
func (d *document) scheme(name string) (value, error) {
	schemes := d.top("components").get("securitySchemes")
	if d.isSwagger() {
		schemes = d.top("securityDefinitions")
	}
	v, _, err := d.deref(schemes.step(name))
	return v, err
}

// auth is the auth of a source that a security scheme becomes, with a reference to the secret.
func (m *maker) auth(scheme string, of Source, secret string) (*yaml.Node, error) {
	v, err := m.doc.scheme(scheme)
	if err != nil {
		return nil, err
	}
	reference := toolyaml.Flow(toolyaml.Mapping("secret", toolyaml.Text(secret)))
	switch kind, way := v.get("type").text(), strings.ToLower(v.get("scheme").text()); {
	case kind == "http" && way == "bearer":
		return toolyaml.Flow(toolyaml.Mapping("bearer", reference)), nil
	case kind == "http" && way == "basic", kind == "basic" && m.doc.isSwagger():
		user := toolyaml.Text("user")
		user.LineComment = "# check: whose password it is; the document cannot say"
		return toolyaml.Mapping("basic", toolyaml.Mapping("username", user, "password", reference)), nil
	case kind == "apiKey" && slices.Contains([]string{"header", "query", "cookie"}, v.get("in").text()):
		name := v.get("name").text()
		if !isClean(name) {
			return nil, fmt.Errorf("the key %s has no name that can be sent", quote(scheme))
		}
		return toolyaml.Flow(toolyaml.Mapping("api_key", toolyaml.Flow(toolyaml.Mapping("in", toolyaml.Text(v.get("in").text()),
			"name", toolyaml.Text(name), "value", reference)))), nil
	case kind == "oauth2":
		return m.clientCredentials(scheme, v, reference, of)
	case kind == "apiKey":
		return nil, fmt.Errorf("it wants the key %s in a %s, and keys in a header, a query or a cookie are made", quote(scheme),
			clean(v.get("in").text()))
	case v == nil:
		return nil, fmt.Errorf("it wants %s, which is no security scheme of the document", quote(scheme))
	case kind == "openIdConnect":
		return nil, fmt.Errorf("it wants %s (openIdConnect), which is not made; %s", quote(scheme), loginHint)
	case kind == "mutualTLS":
		return nil, fmt.Errorf("it wants %s (mutualTLS), which is not made; write the tool's source by hand, with client_certificate",
			quote(scheme))
	default:
		return nil, fmt.Errorf("it wants %s (%s), which is not made; %s", quote(scheme), clean(kind+" "+way), otherHint)
	}
}

// clientCredentials is the auth that a scheme of OAuth 2 becomes whose tokens a client has for itself (RFC 6749, 4.4).
func (m *maker) clientCredentials(scheme string, v value, secret *yaml.Node, of Source) (*yaml.Node, error) {
	endpoint, err := tokenURL(scheme, v, of.Server)
	if err != nil {
		return nil, err
	}
	client := toolyaml.Text("client")
	client.LineComment = "# check: the name of your client there; the document cannot say"
	from := toolyaml.Mapping("token_url", toolyaml.Text(endpoint), "client_id", client, "client_secret", secret)
	list := slices.Clone(of.scopes)
	slices.Sort(list)
	if list = slices.Compact(list); len(list) > 0 {
		toolyaml.Add(from, "scopes", toolyaml.Texts(list))
	}
	return toolyaml.Mapping("client_credentials", from), nil
}

// tokenURL is the endpoint that a client has its tokens from. The client's secret is shown there, so it is reached in clear
// only where the requests themselves are.
func tokenURL(scheme string, v value, server string) (string, error) {
	flow := v.get("flows").get("clientCredentials")
	if v.get("flow").text() == "application" { // Swagger 2.0
		flow = v
	}
	if flow == nil {
		return "", fmt.Errorf("it wants %s (oauth2, without the flow clientCredentials), which is not made; %s",
			quote(scheme), loginHint)
	}
	said := flow.get("tokenUrl").text()
	base, err := url.Parse(server)
	if err != nil {
		return "", err
	}
	u, err := base.Parse(said)
	if err != nil || !isClean(said) || u.Host == "" || u.User != nil || u.Fragment != "" || strings.ContainsAny(said, "{}") {
		return "", fmt.Errorf("the token endpoint %s of %s is no URL that a secret can go to", quote(said), quote(scheme))
	}
	if u.Scheme != "https" && (u.Scheme != "http" || base.Scheme != "http" || u.Host != base.Host) {
		return "", fmt.Errorf("the token endpoint %s of %s is reached in clear, and a secret would go there; write the tool's "+
			"source by hand if that is meant", quote(said), quote(scheme))
	}
	return u.String(), nil
}

// tokenURLOf is the endpoint that the secret of a scheme is shown to; "" where it goes to the server itself.
func (m *maker) tokenURLOf(scheme, server string) string {
	v, err := m.doc.scheme(scheme)
	if err != nil || v.get("type").text() != "oauth2" {
		return ""
	}
	endpoint, _ := tokenURL(scheme, v, server) // which is said where the scheme is chosen
	return endpoint
}

// sourceNames gives each set of security schemes that some operation is called with, at each server, a source of its own, so
// that a credential is sent only where it is wanted. The one that most have is called as the person says.
func (m *maker) sourceNames(keys []string) map[string]string {
	counts := map[string]int{}
	for _, key := range keys {
		counts[key]++
	}
	order := slices.Collect(maps.Keys(counts))
	slices.SortFunc(order, func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), strings.Compare(a, b))
	})
	const most = 16 // of a part of the name: the secret is called so, too
	names, taken := map[string]string{}, map[string]bool{}
	for i, key := range order {
		server, schemes, _ := strings.Cut(key, "\x00")
		name := m.Source
		if u, err := url.Parse(server); i > 0 && err == nil && server != m.made.Server {
			host := words(u.Host + u.Path)
			name += "_" + host[:min(len(host), most)]
		}
		if i > 0 && schemes != "" {
			label := words(strings.ReplaceAll(schemes, "\x00", "_"))
			name += "_" + label[:min(len(label), most)]
		} else if i > 0 && name == m.Source {
			name += "_public"
		}
		for taken[name] {
			name += "_"
		}
		taken[name] = true
		names[key] = name
	}
	return names
}
