package config

import (
	"net/url"
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// clientCredentialsMapping is what a token is asked for with that is the client's own (RFC 6749, 4.4).
func clientCredentialsMapping() yamldoc.Mapping[*httpSource] {
	return yamldoc.Mapping[*httpSource]{Name: "client_credentials", Keys: tokenKeys(),
		Elsewhere: []yamldoc.Misplaced{{Names: []string{"subject"}, Hint: "%s belongs to token_exchange"}},
		Synonyms:  tokenSynonyms()}
}

// tokenExchangeMapping is what a token is asked for with that is about somebody (RFC 8693).
func tokenExchangeMapping() yamldoc.Mapping[*httpSource] {
	return yamldoc.Mapping[*httpSource]{Name: "token_exchange", Synonyms: tokenSynonyms(),
		Keys: append(tokenKeys(), yamldoc.NewKey("subject", "caller, or where a token stands, such as {secret: NAME}",
			(*httpSource).readSubject))}
}

func tokenSynonyms() map[string]string {
	return map[string]string{"url": "token_url", "token_endpoint": "token_url", "client": "client_id", "secret": "client_secret",
		"scope": "scopes", "required_audience": "audience", "required_scopes": "scopes", "subject_token": "subject"}
}

func tokenKeys() []yamldoc.Key[*httpSource] {
	text := func(name string, to func(*tool.TokenSource) *string) yamldoc.Key[*httpSource] {
		return yamldoc.NewKey(name, "a text", func(s *httpSource, v yamldoc.Value) { v.SetText(to(&s.api.Auth.Token)) })
	}
	return []yamldoc.Key[*httpSource]{
		yamldoc.NewKey("token_url", "a URL, such as https://login.example.com/token", (*httpSource).readTokenURL),
		text("client_id", func(t *tool.TokenSource) *string { return &t.ClientID }),
		yamldoc.NewKey("client_secret", "where it stands, such as {secret: NAME}", func(s *httpSource, v yamldoc.Value) {
			s.readReferred(v, tool.ClientSecret)
		}),
		yamldoc.NewKey("client_auth", "basic or post", func(s *httpSource, v yamldoc.Value) {
			v.OneOf([]string{string(tool.ClientAuthBasic), string(tool.ClientAuthPost)},
				func(text string) { s.api.Auth.Token.ClientAuth = tool.ClientAuth(text) })
		}),
		text("audience", func(t *tool.TokenSource) *string { return &t.Audience }),
		text("resource", func(t *tool.TokenSource) *string { return &t.Resource }),
		yamldoc.NewKey("scopes", "a list of scopes", func(s *httpSource, v yamldoc.Value) {
			v.SetTexts(&s.api.Auth.Token.Scopes)
			if slices.ContainsFunc(s.api.Auth.Token.Scopes, func(scope string) bool { return !isScope(scope) }) {
				v.Fail(yamldoc.RuleValue, "a list, such as [orders.read, orders.write]",
					"a scope is visible ASCII without blanks, quotes and backslashes (RFC 6749, 3.3)")
			}
		}),
	}
}

func isScope(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(c rune) bool { return c <= ' ' || c > '~' || c == '"' || c == '\\' })
}

// readToken reads where the tokens of a source come from.
func (s *httpSource) readToken(v yamldoc.Value, kind tool.AuthKind, mapping yamldoc.Mapping[*httpSource]) {
	s.api.Auth = tool.Auth{Kind: kind, Token: tool.TokenSource{ClientAuth: tool.ClientAuthBasic}}
	yamldoc.ReadKeys(v, mapping, s)
	v.Require("token_url", "token_url: https://login.example.com/token")
	v.Require("client_id", "")
	v.Require("client_secret", "client_secret: {secret: NAME}")
}

func (s *httpSource) readTokenURL(v yamldoc.Value) {
	text, ok := v.Text()
	if !ok {
		return
	}
	u, err := url.Parse(text)
	switch {
	case strings.Contains(text, "{{"):
		v.Fail(ruleTemplate, "", "the URL of a token endpoint has no tags")
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.Fragment != "":
		v.Fail(yamldoc.RuleValue, "such as https://login.example.com/token", "want a URL")
	case u.User != nil:
		v.Hide()
		v.Fail("credential", "write client_id and client_secret: {secret: NAME}", "credentials have no place in a URL")
	default:
		s.tokenURL, s.api.Auth.Token.URL = v, text
	}
}

// readSubject reads whom a token is to be about.
func (s *httpSource) readSubject(v yamldoc.Value) {
	if !v.IsMapping() {
		if text, is := v.Literal(); !is || text == "caller" {
			s.api.Auth.Token.Caller = is
			return
		}
	}
	s.readReferred(v, tool.Subject)
}

// readReferred reads where a value stands that no file holds.
func (s *httpSource) readReferred(v yamldoc.Value, name string) {
	if !v.IsMapping() {
		v.Hide()
		v.Fail("credential", "run: a2a-acp secrets set NAME and write here: {secret: NAME}",
			"a credential does not stand in a file, only where it is to be found")
		return
	}
	if reference, ok := readReference(v); ok {
		s.refer(name, reference)
	}
}

// clientCertificateMapping is the certificate that connections to a source show.
func clientCertificateMapping() yamldoc.Mapping[*httpSource] {
	part := func(name, to string) yamldoc.Key[*httpSource] {
		return yamldoc.NewKey(name, "where it stands, such as {file: /home/me/shop.pem}",
			func(s *httpSource, v yamldoc.Value) { s.readReferred(v, to) })
	}
	return yamldoc.Mapping[*httpSource]{Name: "client_certificate",
		Synonyms: map[string]string{"cert": "certificate", "private_key": "key"},
		Keys:     []yamldoc.Key[*httpSource]{part("certificate", tool.ClientCertificate), part("key", tool.ClientKey)}}
}
