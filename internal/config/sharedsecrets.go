package config

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"

	"github.com/a2a-acp/a2a-acp/internal/a2aclient"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// SentSecret is a secret of the program's store, and where some tools send it.
type SentSecret struct {
	Name string
	To   string      // scheme and host, as https://api.example.com; "" where nobody knows, as for a script
	At   tool.Source // where the file says so; the zero Source for a script
}

// SentSecrets lists the secrets that tools are given, each as often as the files say where they go, in the order of layers
// and of the tools.
func SentSecrets(tools []Loaded) (list []SentSecret) {
	seen := map[SentSecret]bool{}
	for i := range tools {
		t := &tools[i].Tool
		for _, name := range slices.Sorted(maps.Keys(t.Sandbox.References)) {
			s := SentSecret{t.Sandbox.References[name].Secret, sentTo(t, name), tools[i].sentAt}
			if s.Name != "" && !seen[s] {
				seen[s], list = true, append(list, s)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b SentSecret) int { return cmp.Compare(a.At.Layer, b.At.Layer) })
	return list
}

// sentTo returns the server that gets the value of a reference of a tool; "" for none.
func sentTo(t *tool.Tool, reference string) string {
	to := ""
	switch {
	case t.A2A != nil && reference == tool.A2AToken:
		to = t.A2A.URL
	case t.HTTP == nil, reference == tool.ClientCertificate, reference == tool.ClientKey: // a key signs, and stays here
	case reference == tool.ClientSecret, reference == tool.Subject:
		to = t.HTTP.API.Auth.Token.URL
	default:
		to = t.HTTP.API.Origin
	}
	return OriginOf(to)
}

// OriginOf returns the scheme and the host of a URL; "" for what is none.
func OriginOf(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// IsSameOrigin reports whether two URLs are of one server.
func IsSameOrigin(a, b string) bool {
	one, errOne := a2aclient.ReadOrigin(a)
	other, errOther := a2aclient.ReadOrigin(b)
	return errOne == nil && errOther == nil && one == other
}

// SharedSecrets warns of secrets that go to several servers. Whoever has the second one gets what was set for the first: an
// import names a secret after the title of a document, which may be anybody's.
func SharedSecrets(tools []Loaded) (found yamldoc.Errors) {
	first := map[string]SentSecret{}
	for _, s := range SentSecrets(tools) {
		before, known := first[s.Name]
		if !known && s.To != "" {
			first[s.Name] = s
		}
		if !known || s.To == "" || IsSameOrigin(s.To, before.To) {
			continue
		}
		found = append(found, yamldoc.Error{File: s.At.File, Line: s.At.Line, Column: s.At.Column,
			Severity: yamldoc.SeverityWarning, Rule: "credential",
			Message: fmt.Sprintf("the secret %s goes to %s, and by %s to %s: each is shown what was set for the other",
				s.Name, s.To, before.At, before.To),
			Hint: "give one of them a name of its own here, {secret: OTHER}, and set that: a2a-acp secrets set OTHER",
		}.Escaped())
	}
	return found
}
