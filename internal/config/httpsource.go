package config

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/netguard"
	"github.com/a2a-acp/a2a-acp/internal/request"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// httpSource is an entry of sources that is being read: a service, and how requests are sent to it.
type httpSource struct {
	at         yamldoc.Value
	base       string
	baseAt     yamldoc.Value
	auth       yamldoc.Value
	api        tool.API
	references map[string]tool.Reference
	tokenURL   yamldoc.Value
	found      yamldoc.Errors // what was said about it, for each tool that uses it
}

const (
	mostRequests   = 10_000 // within any time of a rate_limit
	longestRate    = 24 * time.Hour
	longestTurn    = 10 * time.Minute
	longestRequest = time.Hour
	mostRedirects  = 10
)

var httpSourceTable keyTable[*httpSource]

func httpSourceMapping() yamldoc.Mapping[*httpSource] {
	return yamldoc.Mapping[*httpSource]{
		Name: "a source",
		Keys: []yamldoc.Key[*httpSource]{
			yamldoc.NewKey("base_url", "a URL, such as https://api.example.com/v1", (*httpSource).readBase),
			yamldoc.NewKey("auth", "a mapping, such as {bearer: {secret: NAME}}, or a list of such", (*httpSource).readAuth),
			yamldoc.NewKey("allow_addresses", "a list of addresses, such as 10.1.2.3/32", func(s *httpSource, v yamldoc.Value) {
				s.api.Addresses = readAddresses(v)
			}),
			yamldoc.NewKey("redirects", "a whole number", func(s *httpSource, v yamldoc.Value) {
				if n, ok := v.Int(0, mostRedirects); ok {
					s.api.Redirects = int(n)
				}
			}),
			yamldoc.NewKey("timeout", "seconds, or a duration such as 2m30s", func(s *httpSource, v yamldoc.Value) {
				v.SetDuration(&s.api.Timeout, longestRequest)
			}),
			yamldoc.NewKey("circuit_breaker", "a mapping", func(s *httpSource, v yamldoc.Value) {
				s.api.Breaker = tool.DefaultSourceBreaker()
				yamldoc.ReadKeys(v, circuitBreakerMapping(), &s.api.Breaker)
			}),
			yamldoc.NewKey("rate_limit", "a mapping: {requests: 60, per: 1m}", func(s *httpSource, v yamldoc.Value) {
				s.api.Rate = tool.RateLimit{Wait: tool.DefaultRateWait}
				yamldoc.ReadKeys(v, rateLimitMapping(), &s.api.Rate)
				v.Require("requests", "how many: {requests: 60, per: 1m}")
				v.Require("per", "within which time: {requests: 60, per: 1m}")
			}),
			yamldoc.NewKey("ca", "an absolute path", func(s *httpSource, v yamldoc.Value) {
				v.SetText(&s.api.CA)
				if s.api.CA != "" && !filepath.IsAbs(s.api.CA) {
					v.Fail(yamldoc.RuleValue, "such as /etc/ssl/shop.pem", "want an absolute path")
				}
			}),
			yamldoc.NewKey("client_certificate", "{certificate: {file: PATH}, key: {secret: NAME}}", func(s *httpSource, v yamldoc.Value) {
				yamldoc.ReadKeys(v, clientCertificateMapping(), s)
				v.Require("certificate", "certificate: {file: /home/me/shop.pem}")
				v.Require("key", "key: {secret: NAME}")
			}),
		},
		Synonyms: map[string]string{"ca_file": "ca", "cacert": "ca", "cert": "client_certificate", "mtls": "client_certificate",
			"url": "base_url", "baseurl": "base_url", "server": "base_url", "host": "base_url",
			"authentication": "auth", "authorization": "auth", "addresses": "allow_addresses"},
	}
}

// mostCredentials is how many a request shows at once.
const mostCredentials = 8

// readAuth reads how requests show whose they are: one way, or a list of several at once.
func (s *httpSource) readAuth(v yamldoc.Value) {
	s.auth = v
	if !v.IsList() {
		s.readOneAuth(v)
		return
	}
	items, _ := v.List("a list of mappings, such as [{api_key: {…}}, {api_key: {…}}]")
	if len(items) == 0 || len(items) > mostCredentials {
		v.Fail(yamldoc.RuleValue, "auth: [{api_key: {…}}, {api_key: {…}}]", "want from 1 to %d credentials", mostCredentials)
		return
	}
	var all []*httpSource
	for _, item := range items {
		one := &httpSource{at: s.at}
		if one.readOneAuth(item); one.api.Auth.Kind == tool.AuthNone {
			return // which was said
		}
		if i := slices.IndexFunc(all, func(other *httpSource) bool { return other.api.Auth.Spot() == one.api.Auth.Spot() }); i >= 0 {
			item.Fail(yamldoc.RuleValue, "keep the one that is meant", "two credentials have the same place: %s", one.api.Auth.Spot())
			return
		}
		all = append(all, one)
	}
	// What is fetched shows itself in Authorization, so there is one of it at the most. It comes first.
	slices.SortStableFunc(all, func(a, b *httpSource) int {
		return cmp.Compare(boolInt(b.api.Auth.Kind.Fetched()), boolInt(a.api.Auth.Kind.Fetched()))
	})
	for i, one := range all {
		if s.tokenURL.Node == nil {
			s.tokenURL = one.tokenURL
		}
		kind := one.api.Auth.Kind
		if i == 0 {
			s.api.Auth = one.api.Auth
		} else {
			s.api.Also = append(s.api.Also, one.api.Auth)
		}
		for name, reference := range one.references {
			if i > 0 && name == kind.Reference() {
				name = tool.FurtherReference(i-1, kind)
			}
			s.refer(name, reference)
		}
	}
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (s *httpSource) readOneAuth(v yamldoc.Value) {
	yamldoc.ReadKeys(v, authOfSourceMapping(), s)
	if v.IsMapping() && len(v.Node.Content) > 2 {
		v.Fail(yamldoc.RuleValue, "write a list for several at once: auth: [{api_key: {…}}, {api_key: {…}}]",
			"want exactly one kind of auth")
	}
}

// rateLimitMapping is how often requests are sent to a source.
func rateLimitMapping() yamldoc.Mapping[*tool.RateLimit] {
	return yamldoc.Mapping[*tool.RateLimit]{
		Name: "rate_limit",
		Keys: []yamldoc.Key[*tool.RateLimit]{
			yamldoc.NewKey("requests", "a whole number", func(l *tool.RateLimit, v yamldoc.Value) {
				if n, ok := v.Int(1, mostRequests); ok {
					l.Requests = int(n)
				}
			}),
			yamldoc.NewKey("per", "seconds, or a duration such as 1m", func(l *tool.RateLimit, v yamldoc.Value) {
				v.SetDuration(&l.Per, longestRate)
			}),
			yamldoc.NewKey("wait", "seconds, or a duration such as 10s", func(l *tool.RateLimit, v yamldoc.Value) {
				v.SetDuration(&l.Wait, longestTurn)
			}),
		},
		Synonyms: map[string]string{"count": "requests", "limit": "requests", "period": "per", "max_wait": "wait"},
	}
}

// authOfSourceMapping is how requests to a source can show whose they are.
func authOfSourceMapping() yamldoc.Mapping[*httpSource] {
	const reference = "where the value stands, such as {secret: NAME}"
	return yamldoc.Mapping[*httpSource]{
		Name: "auth",
		Keys: []yamldoc.Key[*httpSource]{
			yamldoc.NewKey("bearer", reference, func(s *httpSource, v yamldoc.Value) {
				s.api.Auth = tool.Auth{Kind: tool.AuthBearer}
				s.readCredential(v)
			}),
			yamldoc.NewKey("basic", "{username: …, password: {secret: NAME}}", func(s *httpSource, v yamldoc.Value) {
				s.api.Auth = tool.Auth{Kind: tool.AuthBasic}
				yamldoc.ReadKeys(v, basicMapping(), s)
				v.Require("username", "")
				v.Require("password", "password: {secret: NAME}")
			}),
			yamldoc.NewKey("api_key", "{in: header, name: X-API-Key, value: {secret: NAME}}", (*httpSource).readKey),
			yamldoc.NewKey("client_credentials", "{token_url: …, client_id: …, client_secret: {secret: NAME}}",
				func(s *httpSource, v yamldoc.Value) {
					s.readToken(v, tool.AuthClientCredentials, clientCredentialsMapping())
				}),
			yamldoc.NewKey("token_exchange", "{token_url: …, client_id: …, client_secret: {secret: NAME}, subject: caller}",
				func(s *httpSource, v yamldoc.Value) {
					s.readToken(v, tool.AuthTokenExchange, tokenExchangeMapping())
					v.Require("subject", "subject: caller")
				}),
		},
		Synonyms: map[string]string{"token": "bearer", "apikey": "api_key", "http_basic": "basic", "key": "api_key",
			"oauth2": "client_credentials", "oauth": "client_credentials", "exchange": "token_exchange"},
	}
}

func basicMapping() yamldoc.Mapping[*httpSource] {
	return yamldoc.Mapping[*httpSource]{
		Name: "basic",
		Keys: []yamldoc.Key[*httpSource]{
			yamldoc.NewKey("username", "a text", func(s *httpSource, v yamldoc.Value) {
				v.SetText(&s.api.Auth.User)
				if strings.ContainsAny(s.api.Auth.User, ":\r\n\x00") {
					v.Fail(yamldoc.RuleValue, "", "a user's name has no colon and no line breaks (RFC 7617)")
				}
			}),
			yamldoc.NewKey("password", "where it stands, such as {secret: NAME}", (*httpSource).readCredential),
		},
		Synonyms: map[string]string{"user": "username", "name": "username"},
	}
}

func keyMapping() yamldoc.Mapping[*httpSource] {
	return yamldoc.Mapping[*httpSource]{
		Name: "api_key",
		Keys: []yamldoc.Key[*httpSource]{
			yamldoc.NewKey("in", "header, query or cookie", func(s *httpSource, v yamldoc.Value) {
				v.OneOf([]string{string(tool.InHeader), string(tool.InQuery), string(tool.InCookie)},
					func(text string) { s.api.Auth.In = tool.Place(text) })
			}),
			yamldoc.NewKey("name", "a text", func(s *httpSource, v yamldoc.Value) {
				v.SetText(&s.api.Auth.Name)
				if why := request.CheckKeyName(s.api.Auth.Name); why != "" && s.api.Auth.Name != "" {
					v.Fail(yamldoc.RuleValue, "such as X-API-Key", "%s cannot be the name of a key: %s",
						yamldoc.Quote(s.api.Auth.Name), why)
				}
			}),
			yamldoc.NewKey("value", "where it stands, such as {secret: NAME}", (*httpSource).readCredential),
		},
	}
}

func (s *httpSource) readKey(v yamldoc.Value) {
	s.api.Auth = tool.Auth{Kind: tool.AuthAPIKey, In: tool.InHeader}
	yamldoc.ReadKeys(v, keyMapping(), s)
	v.Require("name", "name: X-API-Key")
	v.Require("value", "value: {secret: NAME}")
}

// readCredential reads where a credential stands. It never stands in the file itself.
func (s *httpSource) readCredential(v yamldoc.Value) {
	if !v.IsMapping() {
		v.Hide()
		v.Fail("credential", "run: a2a-acp secrets set NAME and write here: {secret: NAME}",
			"a credential does not stand in a file, only where it is to be found")
		return
	}
	if reference, ok := readReference(v); ok {
		s.refer(s.api.Auth.Kind.Reference(), reference)
	}
}

func (s *httpSource) refer(name string, to tool.Reference) {
	if s.references == nil {
		s.references = map[string]tool.Reference{}
	}
	s.references[name] = to
}

func (s *httpSource) readBase(v yamldoc.Value) {
	text, ok := v.Text()
	if !ok {
		return
	}
	u, err := url.Parse(text)
	switch {
	case strings.Contains(text, "{{"):
		v.Fail(ruleTemplate, "write the path under http", "the scheme, the host, the port and the user of a URL have no tags")
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		v.Fail(yamldoc.RuleValue, "such as https://api.example.com/v1", "want a URL")
	case u.User != nil:
		v.Hide()
		v.Fail("credential", "write auth: {basic: {username: …, password: {secret: NAME}}}", "credentials have no place in a URL")
	case u.RawQuery != "" || u.Fragment != "":
		v.Fail(yamldoc.RuleValue, "write what stands behind ? under query of each tool", "the URL of a source has no ? and no #")
	default:
		s.base, s.baseAt, s.api.Origin = text, v, u.Scheme+"://"+u.Host
	}
}

// finish looks at what belongs together.
func (s *httpSource) finish() {
	s.at.Require("base_url", "base_url: https://api.example.com/v1")
	if url := s.api.Auth.Token.URL; strings.HasPrefix(url, "http://") && !onThisMachine(url) {
		s.tokenURL.Warn("credential", "write https:// if the server has it", "the client's secret goes over the network in clear")
	}
	s.reachable(s.baseAt)
	s.reachable(s.tokenURL)
	if s.api.Auth.Kind == tool.AuthNone || !strings.HasPrefix(s.base, "http://") {
		return
	}
	if host := s.baseAt; !onThisMachine(s.base) {
		host.Warn("credential", "write https:// if the server has it", "the credential of this source goes over the network in clear")
	}
}

// reachable warns of a URL whose host no call would reach.
func (s *httpSource) reachable(at yamldoc.Value) {
	if at.Node == nil {
		return
	}
	u, err := url.Parse(at.Node.Value)
	if err != nil {
		return // which was said
	}
	var refused *netguard.RefusedError
	if guard := (netguard.Guard{Allow: s.api.Addresses}); errors.As(guard.CheckHost(u.Hostname()), &refused) {
		address := refused.Address.Unmap()
		at.Warn("address", fmt.Sprintf("if that is meant, write allow_addresses: [%q] under sources.%s", address, s.api.Name),
			"every call fails: it is at %s, %s, which is not reached unless it is allowed by its number", address, refused.Why)
	}
}

// onThisMachine reports whether a URL names this machine by its number, or as localhost.
func onThisMachine(text string) bool {
	u, err := url.Parse(text)
	if err != nil {
		return false
	}
	address, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && address.IsLoopback()
}

// readHTTPSources reads the services that the tools of the file send requests to.
func (f *toolsFile) readHTTPSources(v yamldoc.Value) {
	entries, _ := v.AllEntries()
	f.sources = map[string]*httpSource{}
	for _, e := range entries {
		if !toolID.MatchString(e.Name) {
			e.Key.Fail(yamldoc.RuleValue, idHint(e.Name), "%s cannot be the name of a source: letters, digits, _, - and . only",
				yamldoc.Quote(e.Name))
			continue
		}
		s, before := &httpSource{at: e.Value, api: tool.API{Name: e.Name}}, len(f.doc.Found)
		yamldoc.ReadKeys(e.Value, httpSourceTable.get(httpSourceMapping), s)
		if e.Value.IsMapping() {
			s.finish()
		}
		s.found = slices.Clone(f.doc.Found[before:])
		f.sources[e.Name] = s
	}
}
