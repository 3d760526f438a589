package openapi

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"path"
	"slices"
	"strings"

	catalogue "github.com/a2a-acp/a2a-acp/internal/command"
	"github.com/a2a-acp/a2a-acp/internal/config"
	"github.com/a2a-acp/a2a-acp/internal/toolyaml"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// mostTokens is what one tool may cost. What makes it dearer is cut.
const (
	mostTokens   = 2000
	bytesOfToken = 4 // at the most, see Request
)

// Request says what to make tools of.
type Request struct {
	Data   []byte // the document
	Source string // what the source is called; "" for the document's title
	Server string // where requests go; "" for what the document says
	// Addresses are those that the sources may reach although they are not public.
	Addresses []netip.Prefix
	// An operation is made that fits one of each list that is not empty: by its operationId, its tool's name, its
	// path, or its method and path; by its tags; by its method.
	Select, Tags, Methods []string
	// Tokens is what a tool costs that is offered: at least a quarter of its bytes in JSON.
	Tokens   func(*tool.Tool) int
	Commands *catalogue.Catalogue
	// Free reports whether a secret may be called so whose value goes to a server, such as https://api.example.com; nil
	// where every name is free. One that is there already may not, unless that server gets it already.
	Free func(secret, to string) bool
}

// Made is what has been made of a document.
type Made struct {
	Server  string
	Tools   []Tool
	Skipped []Skipped
	Tokens  int
	Sources []Source

	by *maker
}

// Tool is one of the tools, as the report has it.
type Tool struct {
	Name       string   `json:"name"`
	Operation  string   `json:"operation"`
	Method     string   `json:"method"`
	Path       string   `json:"path"`
	Tokens     int      `json:"tokens"`
	ReadOnly   bool     `json:"readOnly"`
	Parameters []string `json:"parameters"`
	// Without is what the operation has beside its parameters, may be left out, and cannot be made, each with the reason.
	Without []string `json:"without,omitempty"`
	// Security is what it is called with; nil for nothing.
	Security *Security `json:"security,omitempty"`

	from    Source
	tool    tool.Tool
	request *request
}

// Skipped is an operation that no tool was made of.
type Skipped struct {
	Operation string `json:"operation"`
	Why       string `json:"why"`
}

// Source is where requests go, with the same credentials.
type Source struct {
	Name    string
	Server  string
	Secrets []Secret // one for each of the credentials
	// TokenURL is where a secret is shown to fetch a token; "" where none is.
	TokenURL string

	schemes, scopes []string
}

// Secret is a secret that a source wants.
type Secret struct {
	Name string
	To   string // scheme and host of the server that it goes to
	// InsteadOf is how it would be called if that name were free; "" where it is called so.
	InsteadOf string
}

// Make makes tools of the operations that are selected.
func Make(r Request) (*Made, error) {
	d, err := read(r.Data)
	if err != nil {
		return nil, err
	}
	m := &maker{Request: r, doc: d, secrets: map[string][]Secret{}, passedOver: map[string]bool{},
		made: &Made{Tools: []Tool{}, Skipped: []Skipped{}}}
	m.made.by = m
	if d.unread() == "" {
		if m.made.Server, err = d.server(r.Server); err != nil {
			return nil, err
		}
	}
	if m.Source == "" {
		m.Source = d.title()
	}
	if err := config.CheckToolID(m.Source); err != nil || len(m.Source) > longestName {
		return nil, fmt.Errorf("--source %s: a source's name has up to %d letters, digits, dots, _ and -", quote(m.Source), longestName)
	}
	return m.made, m.make()
}

// maker makes tools of a document.
type maker struct {
	Request
	doc   *document
	made  *Made
	names map[string]string // of sources, by what their operations are called with
	// passedOver are the tools of operations that are not selected.
	passedOver map[string]bool

	secrets map[string][]Secret // of sources, by their names
}

func (m *maker) make() error {
	all := m.doc.operations()
	security := make([]wanted, len(all))
	var keys []string
	scopes := map[string][]string{}
	for i := range all {
		o := &all[i]
		if o.err != nil {
			continue
		}
		server, err := m.serverOf(o)
		if o.err = err; err != nil {
			continue
		}
		if security[i], o.err = m.security(o.value, server); o.err != nil {
			continue
		}
		key := security[i].key()
		if keys = append(keys, key); m.selects(o) {
			scopes[key] = append(scopes[key], security[i].scopes...)
		}
	}
	m.names = m.sourceNames(keys)
	for i := range all { // also those that are not selected, so that names depend on no selection
		if w := security[i]; all[i].err == nil {
			m.secretsOf(Source{Name: m.names[w.key()], Server: w.server, schemes: w.schemes})
		}
	}
	found := false
	for i := range all {
		o := &all[i]
		if !m.selects(o) {
			m.passedOver[o.name] = true
			continue
		}
		found = true
		w := security[i]
		source := Source{Name: m.names[w.key()], Server: w.server, schemes: w.schemes, scopes: scopes[w.key()]}
		if err := m.add(o, w, source); err != nil {
			m.made.Skipped = append(m.made.Skipped, Skipped{clean(o.id), toolyaml.Clean(err.Error())})
		}
	}
	if !found && len(all) > 0 {
		return errors.New("no operation is selected")
	}
	return nil
}

// add makes the tool of one operation.
func (m *maker) add(o *operation, w wanted, source Source) error {
	if why := m.doc.unread(); why != "" {
		return errors.New(why)
	}
	if o.err != nil {
		return o.err
	}
	t, err := m.tool(o)
	if err != nil {
		return err
	}
	for _, scheme := range source.schemes {
		source.TokenURL = cmp.Or(source.TokenURL, m.tokenURLOf(scheme, source.Server))
	}
	source.Secrets = m.secretsOf(source)
	t.from, t.Security = source, w.told()
	if err := m.check(t); err != nil {
		return err
	}
	if !slices.ContainsFunc(m.made.Sources, func(s Source) bool { return s.Name == source.Name }) {
		m.made.Sources = append(m.made.Sources, source)
	}
	m.made.Tokens += t.Tokens
	m.made.Tools = append(m.made.Tools, *t)
	return nil
}

// tool makes a tool that costs no more than it may: if need be what lies deep, texts and lists of values are cut.
func (m *maker) tool(o *operation) (*Tool, error) {
	for _, cut := range []schemas{
		{deepest: 8}, {deepest: 4}, {deepest: 4, brief: true}, {deepest: 2, brief: true}, {deepest: 1, brief: true}, {brief: true},
	} {
		cut.doc = m.doc
		r, err := m.doc.request(o, &cut)
		if errors.Is(err, errTooMuch) && cut.deepest > 0 {
			continue
		}
		if err != nil {
			return nil, err
		}
		if cut.cost > mostTokens*bytesOfToken && len(r.without) == 0 {
			continue
		}
		t := &Tool{Name: o.name, Operation: clean(o.id), Method: o.method, Path: clean(o.path), request: r,
			Parameters: []string{}, Without: r.without}
		t.tool = tool.Tool{ID: o.name, Name: o.name, Description: describe(o), Parameters: r.parameters, Annotations: hints(o)}
		for _, p := range r.parameters {
			t.Parameters = append(t.Parameters, p.Name)
		}
		t.ReadOnly = t.tool.IsReadOnly()
		if t.Tokens = m.Tokens(&t.tool); t.Tokens <= mostTokens {
			return t, nil
		}
	}
	return nil, fmt.Errorf("it would cost over %d tokens", mostTokens)
}

func describe(o *operation) string {
	summary, text := o.value.get("summary").text(), o.value.get("description").text()
	switch {
	case summary == "" && text == "":
		text = o.line()
	case summary != "" && text != "" && text != summary:
		text = strings.TrimRight(summary, ". ") + ". " + text
	case text == "":
		text = summary
	}
	if text = clean(text); text == "" {
		text = clean(o.line())
	}
	return text
}

// hints are what the method says (RFC 9110, 9.2).
func hints(o *operation) tool.Annotations {
	yes := true
	a := tool.Annotations{Title: clean(o.line())}
	switch o.method {
	case "GET", "HEAD", "OPTIONS", "QUERY":
		a.ReadOnly = &yes
	case "DELETE":
		a.Destructive, a.Idempotent = &yes, &yes
	case "PUT":
		a.Idempotent = &yes
	}
	return a
}

// selects reports whether the person wants an operation.
func (m *maker) selects(o *operation) bool {
	fits := len(m.Select) == 0 || slices.ContainsFunc(m.Select, func(glob string) bool {
		return slices.ContainsFunc([]string{o.id, o.name, o.path, o.line()}, func(name string) bool {
			is, err := path.Match(glob, name)
			return err == nil && is || glob == name
		})
	})
	tagged := len(m.Tags) == 0 || slices.ContainsFunc(o.value.get("tags").texts(),
		func(tag string) bool { return slices.Contains(m.Tags, tag) })
	return fits && tagged && (len(m.Methods) == 0 ||
		slices.ContainsFunc(m.Methods, func(method string) bool { return strings.EqualFold(method, o.method) }))
}

// title is what the source is called where nobody says it.
func (d *document) title() string {
	const most = 20
	title := strings.ToLower(words(d.top("info").get("title").text()))
	if title = strings.Trim(title[:min(len(title), most)], "_"); title == "" || title[0] >= '0' && title[0] <= '9' {
		title = strings.TrimSuffix("api_"+title, "_")
	}
	return title
}

// server returns where requests go: what the person says, or the first server of the document.
func (d *document) server(said string) (string, error) {
	if said != "" {
		return checkServer("--server", said)
	}
	if said = d.swaggerServer(); said == "" {
		said = firstServer(d.top("servers"))
	}
	if said == "" {
		return "", errors.New("the document names no server; --server https://api.example.com says where requests go")
	}
	return checkServer("the document's server", said)
}

// firstServer is the URL of the first of some servers, with what its variables are if nobody says otherwise; "" for none.
func firstServer(servers value) string {
	list := servers.members()
	if len(list) == 0 {
		return ""
	}
	at := list[0].value.get("url").text()
	for _, v := range list[0].value.get("variables").members() {
		at = strings.ReplaceAll(at, "{"+v.name+"}", v.value.get("default").text())
	}
	return at
}

func checkServer(from, said string) (string, error) {
	u, err := url.Parse(said)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil || u.RawQuery != "" ||
		u.Fragment != "" || strings.ContainsAny(said, "{}") || !isClean(said) {
		return "", fmt.Errorf("%s %s is no URL that requests can go to; --server https://api.example.com says where they go",
			from, quote(said))
	}
	return said, nil
}

// serverOf returns where the requests of an operation go: to a server of its own, or of its path, before that of the document.
func (m *maker) serverOf(o *operation) (string, error) {
	for _, servers := range []value{o.value.get("servers"), o.item.get("servers")} {
		if len(servers.members()) == 0 {
			continue
		}
		if m.Server != "" {
			return "", errors.New("it has a server of its own, and --server names one: import it without")
		}
		own, err := checkServer("its own server", firstServer(servers))
		if err != nil {
			return "", errors.New(strings.TrimSuffix(err.Error(), "; --server https://api.example.com says where they go"))
		}
		return own, nil
	}
	return m.made.Server, nil
}
