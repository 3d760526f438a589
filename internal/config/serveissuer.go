package config

import (
	"github.com/a2a-acp/a2a-acp/internal/serve"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
)

// readIssuers reads whose tokens count. One that an earlier layer has is replaced as a whole.
func readIssuers(s *serve.Settings, v yamldoc.Value) {
	entries, _ := v.Entries()
	for _, entry := range entries {
		if !isPrincipalName(entry) {
			continue
		}
		i := serve.IssuerSpec{Algorithms: []string{"RS256", "ES256"}, NameClaim: "sub", Scopes: serve.DefaultScopes(),
			Source: placeOf(entry.Key)}
		yamldoc.ReadKeys(entry.Value, issuerMapping(), &i)
		entry.Value.Require("issuer", "the URL that its tokens have as iss, such as https://login.example.com")
		entry.Value.Require("audience", "what its tokens for this daemon have as aud: a token for another service is none")
		s.Issuers = addTo(s.Issuers, entry.Name, i)
	}
}

func issuerMapping() yamldoc.Mapping[*serve.IssuerSpec] {
	keys := callerKeys(func(i *serve.IssuerSpec) caller {
		return caller{&i.Workspace, &i.Rate, &i.AtOnce, &i.MCP, &i.Scopes}
	})
	return yamldoc.Mapping[*serve.IssuerSpec]{
		Name: "an issuer",
		Synonyms: map[string]string{"aud": "audience", "iss": "issuer", "jwks_uri": "jwks", "jwks_url": "jwks", "keys": "jwks",
			"ca": "ca_file"},
		Keys: append([]yamldoc.Key[*serve.IssuerSpec]{
			yamldoc.NewKey("issuer", "a URL", func(i *serve.IssuerSpec, v yamldoc.Value) { readIssuerURL(v, &i.Issuer) }),
			yamldoc.NewKey("audience", "a text, or a list of them", func(i *serve.IssuerSpec, v yamldoc.Value) {
				i.Audience = v.TextOrTexts()
			}),
			yamldoc.NewKey("algorithms", "a list, such as [RS256, ES256]", readAlgorithms),
			yamldoc.NewKey("jwks", "the URL of its keys", func(i *serve.IssuerSpec, v yamldoc.Value) { readIssuerURL(v, &i.Keys) }),
			yamldoc.NewKey("allow_addresses", "a list of addresses or networks", func(i *serve.IssuerSpec, v yamldoc.Value) {
				i.Allow = readAddresses(v)
			}),
			yamldoc.NewKey("ca_file", "an absolute path", func(i *serve.IssuerSpec, v yamldoc.Value) { setAbsolute(v, &i.CA) }),
			yamldoc.NewKey("claims", "a mapping: {name: sub, scopes: scope}", func(i *serve.IssuerSpec, v yamldoc.Value) {
				yamldoc.ReadKeys(v, claimsMapping(), i)
			}),
			yamldoc.NewKey("require", "a mapping of claims to values", readRequire),
		}, keys...),
	}
}

func claimsMapping() yamldoc.Mapping[*serve.IssuerSpec] {
	return yamldoc.Mapping[*serve.IssuerSpec]{
		Name: "claims", Synonyms: map[string]string{"scope": "scopes", "principal": "name"},
		Keys: []yamldoc.Key[*serve.IssuerSpec]{
			yamldoc.NewKey("name", "the claim that names who it is", func(i *serve.IssuerSpec, v yamldoc.Value) {
				v.SetText(&i.NameClaim)
			}),
			yamldoc.NewKey("scopes", "the claim with the scopes", func(i *serve.IssuerSpec, v yamldoc.Value) {
				v.SetText(&i.ScopesClaim)
			}),
		},
	}
}

func readIssuerURL(v yamldoc.Value, field *string) {
	text, ok := v.Text()
	if !ok {
		return
	}
	if err := serve.CheckIssuerURL(text); err != nil {
		v.Fail(yamldoc.RuleValue, "", "%v; found %s", err, yamldoc.Quote(text))
		return
	}
	*field = text
}

func readAlgorithms(i *serve.IssuerSpec, v yamldoc.Value) {
	texts, ok := v.Texts()
	if ok && len(texts) == 0 {
		v.Fail(yamldoc.RuleEmpty, "name one, or take the key out", "the list is empty")
	}
	i.Algorithms = nil
	for n, text := range texts {
		switch text {
		case "none", "HS256", "HS384", "HS512":
			v.Item(n).Fail(yamldoc.RuleValue, "take it out", "whoever can check a token that is signed by %s can make one", text)
		default:
			v.Item(n).OneOf(serve.Algorithms(), func(text string) { i.Algorithms = append(i.Algorithms, text) })
		}
	}
}

func readRequire(i *serve.IssuerSpec, v yamldoc.Value) {
	entries, _ := v.Entries()
	i.Require = map[string][]string{}
	for _, entry := range entries {
		entry.Value.Want = "a text, or a list of them"
		if texts := entry.Value.TextOrTexts(); len(texts) > 0 {
			i.Require[entry.Name] = texts
		} else if entry.Value.IsList() {
			entry.Value.Fail(yamldoc.RuleEmpty, "name a value, or take the key out", "the list is empty")
		}
	}
}
