package config

import (
	"slices"
	"strings"

	"github.com/a2a-acp/a2a-acp/internal/acmecert"
	"github.com/a2a-acp/a2a-acp/internal/serve"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
)

// readTLS reads where the daemon's certificate comes from.
func readTLS(s *serve.Settings, v yamldoc.Value) {
	s.TLS = serve.TLS{Source: placeOf(v)}
	yamldoc.ReadKeys(v, tlsMapping(), &s.TLS)
	if !v.Has("acme") {
		v.Require("cert", "a file with the certificate, and those of who has signed it behind it (PEM)")
		v.Require("key", "a file with its private key (PEM)")
	} else if v.Has("cert") || v.Has("key") {
		v.Fail(yamldoc.RuleValue, "keep the one that is meant", "want either files or acme, found both")
	}
}

func tlsMapping() yamldoc.Mapping[*serve.TLS] {
	return yamldoc.Mapping[*serve.TLS]{
		Name: "tls", Synonyms: map[string]string{"certificate": "cert", "cert_file": "cert", "key_file": "key", "private_key": "key",
			"autocert": "acme", "letsencrypt": "acme"},
		Keys: []yamldoc.Key[*serve.TLS]{
			yamldoc.NewKey("cert", "an absolute path", func(t *serve.TLS, v yamldoc.Value) { setAbsolute(v, &t.Cert) }),
			yamldoc.NewKey("key", "an absolute path", func(t *serve.TLS, v yamldoc.Value) { setAbsolute(v, &t.Key) }),
			yamldoc.NewKey("acme", "a mapping: {domains: [NAME], accept_terms: true}", readACME),
		},
	}
}

// acmeEntry is an authority as a file has it.
type acmeEntry struct {
	acmecert.Spec
	terms bool // of the authority, agreed to
}

// readACME reads which authority gives the daemon certificates. It is asked by nobody's guess: somebody has to say
// in so many words that they agree to its terms.
func readACME(t *serve.TLS, v yamldoc.Value) {
	var e acmeEntry
	yamldoc.ReadKeys(v, acmeMapping(), &e)
	t.ACME = &e.Spec
	v.Require("domains", "the names that the daemon is called by from outside: [tools.example.com]")
	if terms, ok := v.Get("accept_terms"); ok && !e.terms && !terms.IsFaulty() {
		terms.Fail(yamldoc.RuleValue, "read them (https://letsencrypt.org/repository/), and write true",
			"without your agreement to its terms the authority gives no certificate")
	}
	v.Require("accept_terms", "true, once you agree to the authority's terms (https://letsencrypt.org/repository/)")
	if err := e.CheckDirectory(); err != nil {
		at := v
		if directory, ok := v.Get("directory"); ok {
			at = directory
		}
		at.Fail(yamldoc.RuleValue, "an authority in your own network is reached by allow_addresses: [NUMBER]", "%v", err)
	}
}

func acmeMapping() yamldoc.Mapping[*acmeEntry] {
	return yamldoc.Mapping[*acmeEntry]{
		Name: "acme",
		Synonyms: map[string]string{"domain": "domains", "hosts": "domains", "names": "domains", "ca": "directory",
			"server": "directory", "directory_url": "directory", "terms": "accept_terms",
			"accept_tos": "accept_terms", "agree_tos": "accept_terms"},
		Keys: []yamldoc.Key[*acmeEntry]{
			yamldoc.NewKey("domains", "a list of names", readDomains),
			yamldoc.NewKey("accept_terms", "true or false", func(e *acmeEntry, v yamldoc.Value) { v.SetBool(&e.terms) }),
			yamldoc.NewKey("email", "an address of mail", func(e *acmeEntry, v yamldoc.Value) {
				text, ok := v.Text()
				name, host, _ := strings.Cut(text, "@")
				if ok && (name == "" || host == "" || strings.ContainsAny(text, " ,<>?\r\n")) {
					v.Fail(yamldoc.RuleValue, "", "want an address such as ops@example.com, found %s", yamldoc.Quote(text))
					return
				}
				e.Email = text
			}),
			yamldoc.NewKey("directory", "the URL of the authority's directory", func(e *acmeEntry, v yamldoc.Value) {
				v.SetText(&e.Directory)
			}),
			yamldoc.NewKey("ca_file", "an absolute path", func(e *acmeEntry, v yamldoc.Value) { setAbsolute(v, &e.CA) }),
			yamldoc.NewKey("allow_addresses", "a list of addresses or networks", func(e *acmeEntry, v yamldoc.Value) {
				e.Allow = readAddresses(v)
			}),
		},
		Elsewhere: []yamldoc.Misplaced{
			{Names: []string{"cache", "cache_dir", "storage"},
				Hint: "%s is not needed: keys and certificates stand in the state directory"},
			{Names: []string{"challenge", "challenges", "port", "http_port"},
				Hint: "%s is not needed: the authority looks at the daemon's own address (TLS-ALPN-01), at port 443 of the name"},
			{Names: []string{"eab", "external_account", "key_id"}, Hint: "%s is not known: no authority with accounts of its own is"},
		},
	}
}

func readDomains(e *acmeEntry, v yamldoc.Value) {
	e.Domains = nil
	texts, ok := v.Texts()
	switch {
	case ok && len(texts) == 0:
		v.Fail(yamldoc.RuleEmpty, "name one, or take acme out", "the list is empty")
	case len(texts) > acmecert.MostDomains:
		v.Fail(yamldoc.RuleValue, "", "there are more than %d names", acmecert.MostDomains)
	}
	for i, text := range texts {
		text = strings.ToLower(text)
		if err := acmecert.CheckDomain(text); err != nil {
			v.Item(i).Fail(yamldoc.RuleValue, "", "%v; found %s", err, yamldoc.Quote(text))
		} else if !slices.Contains(e.Domains, text) {
			e.Domains = append(e.Domains, text)
		}
	}
}
