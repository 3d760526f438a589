package config

import (
	"maps"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/serve"
	"github.com/a2a-acp/a2a-acp/internal/yamldoc"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// The bounds of what serve may say.
const (
	longestGrace  = time.Hour
	longestIdle   = 24 * time.Hour
	mostAtOnce    = 100_000
	mostRate      = 1_000_000
	longestPer    = 24 * time.Hour
	mostBodyMB    = 1024
	mostHeaderKB  = 1024
	mostConnected = 1_000_000
)

// serveMapping is what a settings file may say of the daemon.
func serveMapping() yamldoc.Mapping[*serve.Settings] {
	return yamldoc.Mapping[*serve.Settings]{
		Name: "serve",
		Synonyms: map[string]string{"address": "listen", "addresses": "listen", "bind": "listen", "certificate": "tls",
			"jwt": "oidc", "issuers": "oidc", "tokens": "principals", "api_keys": "principals",
			"public_url": "url", "base_url": "url", "cors": "origins", "allowed_hosts": "hosts"},
		Keys: []yamldoc.Key[*serve.Settings]{
			yamldoc.NewKey("listen", "an address, or a list of them", readListen),
			yamldoc.NewKey("url", "a URL", readPublicURL),
			yamldoc.NewKey("hosts", "a list of names", readHosts),
			yamldoc.NewKey("origins", "a list of origins, such as https://example.com", readOrigins),
			yamldoc.NewKey("tls", "a mapping: {cert: FILE, key: FILE} or {acme: {…}}", readTLS),
			yamldoc.NewKey("plaintext", "loopback or anywhere", func(s *serve.Settings, v yamldoc.Value) {
				v.OneOf([]string{"loopback", "anywhere"}, func(text string) { s.Plaintext = text == "anywhere" })
			}),
			yamldoc.NewKey("workspace", "an absolute path", func(s *serve.Settings, v yamldoc.Value) {
				setAbsolute(v, &s.Workspace)
			}),
			yamldoc.NewKey("principals", "a mapping of names to principals", readPrincipals),
			yamldoc.NewKey("oidc", "a mapping of names to issuers of tokens", readIssuers),
			yamldoc.NewKey("push", "a mapping: {allow_addresses: […]}", func(s *serve.Settings, v yamldoc.Value) {
				yamldoc.ReadKeys(v, pushMapping(), s)
			}),
			yamldoc.NewKey("tasks", "a mapping: {keep_completed: …, keep_failed: …, longest_wait: …, keep_mb: …}",
				func(s *serve.Settings, v yamldoc.Value) { yamldoc.ReadKeys(v, tasksMapping(), &s.Tasks) }),
			yamldoc.NewKey("limits", "a mapping", func(s *serve.Settings, v yamldoc.Value) {
				yamldoc.ReadKeys(v, serveLimitsMapping(), &s.Limits)
			}),
			yamldoc.NewKey("grace", "seconds, or a duration such as 30s", func(s *serve.Settings, v yamldoc.Value) {
				v.SetDuration(&s.Grace, longestGrace)
			}),
		},
		Elsewhere: []yamldoc.Misplaced{
			{Names: []string{"acme", "autocert", "letsencrypt"},
				Hint: "%s belongs to tls: {acme: {domains: [NAME], accept_terms: true}}"},
			{Names: []string{"no_auth", "noauth"}, Hint: "%s is only a flag: a2a-acp serve --no-auth, and loopback only"},
			{Names: []string{"token", "api_key", "scopes"},
				Hint: "%s belongs to a principal: principals: {NAME: {token: {env: VARIABLE}}}"},
			{Names: []string{"issuer", "audience", "jwks"},
				Hint: "%s belongs to an issuer: oidc: {NAME: {issuer: URL, audience: NAME}}"},
		},
	}
}

// pushMapping is what it may say of the push notifications of A2A clients.
func pushMapping() yamldoc.Mapping[*serve.Settings] {
	return yamldoc.Mapping[*serve.Settings]{Name: "push", Keys: []yamldoc.Key[*serve.Settings]{
		yamldoc.NewKey("allow_addresses", "a list of addresses or networks", func(s *serve.Settings, v yamldoc.Value) {
			s.Push = readAddresses(v)
		}),
	}}
}

// longestKept is how long tasks may be kept, if not forever.
const longestKept = 10 * 365 * 24 * time.Hour

// mostKeptMB is how much of them may be kept of a principal, if not all.
const mostKeptMB = 1 << 20

// tasksMapping is what it may say of the tasks of A2A clients.
func tasksMapping() yamldoc.Mapping[*serve.TaskRetention] {
	kept := func(name string, of func(*serve.TaskRetention) *time.Duration) yamldoc.Key[*serve.TaskRetention] {
		return yamldoc.NewKey(name, "seconds, a duration such as 24h, or forever", func(t *serve.TaskRetention, v yamldoc.Value) {
			if v.Node.Value == "forever" {
				*of(t) = 0
				return
			}
			v.SetDuration(of(t), longestKept)
		})
	}
	return yamldoc.Mapping[*serve.TaskRetention]{Name: "tasks", Keys: []yamldoc.Key[*serve.TaskRetention]{
		kept("keep_completed", func(t *serve.TaskRetention) *time.Duration { return &t.Completed }),
		kept("keep_failed", func(t *serve.TaskRetention) *time.Duration { return &t.Failed }),
		kept("longest_wait", func(t *serve.TaskRetention) *time.Duration { return &t.Waiting }),
		yamldoc.NewKey("keep_mb", "a whole number, or unlimited", func(t *serve.TaskRetention, v yamldoc.Value) {
			if v.Node.Value == "unlimited" {
				t.Most = 0
				return
			}
			if n, ok := v.Int(1, mostKeptMB); ok {
				t.Most = n << 20
			}
		}),
	}}
}

func readListen(s *serve.Settings, v yamldoc.Value) {
	s.Listen = nil
	for i, text := range v.TextOrTexts() {
		if _, err := serve.ParseAddress(text); err != nil {
			at := v
			if v.IsList() {
				at = v.Item(i)
			}
			at.Fail(yamldoc.RuleValue, "", "%v", err)
			continue
		}
		s.Listen = append(s.Listen, text)
	}
}

// readPublicURL reads how the world calls the daemon.
func readPublicURL(s *serve.Settings, v yamldoc.Value) {
	text, ok := v.Text()
	if !ok {
		return
	}
	at, err := url.Parse(text)
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" || at.User != nil ||
		at.RawQuery != "" || at.Fragment != "" {
		v.Fail(yamldoc.RuleValue, "", "want a URL such as https://tools.example.com, found %s", yamldoc.Quote(text))
		return
	}
	s.URL = strings.TrimSuffix(text, "/")
}

func readHosts(s *serve.Settings, v yamldoc.Value) {
	s.Hosts = nil
	texts, _ := v.Texts()
	for i, text := range texts {
		if text == "" || strings.ContainsAny(text, "/:*[]@ ") {
			v.Item(i).Fail(yamldoc.RuleValue, "", "want a host's name without a port, such as tools.example.com; found %s",
				yamldoc.Quote(text))
			continue
		}
		s.Hosts = append(s.Hosts, text)
	}
}

func readOrigins(s *serve.Settings, v yamldoc.Value) {
	s.Origins = nil
	texts, _ := v.Texts()
	for i, text := range texts {
		at, err := url.Parse(text)
		if err != nil || at.Scheme == "" || at.Host == "" || at.Path != "" || at.RawQuery != "" || at.User != nil ||
			strings.Contains(text, "*") {
			v.Item(i).Fail(yamldoc.RuleValue, "", "want an origin, as a browser sends it: https://example.com; found %s",
				yamldoc.Quote(text))
			continue
		}
		s.Origins = append(s.Origins, text)
	}
}

func serveLimitsMapping() yamldoc.Mapping[*serve.Limits] {
	whole := func(low, high int64, set func(*serve.Limits, int64)) func(*serve.Limits, yamldoc.Value) {
		return func(l *serve.Limits, v yamldoc.Value) {
			if n, ok := v.Int(low, high); ok {
				set(l, n)
			}
		}
	}
	return yamldoc.Mapping[*serve.Limits]{
		Name: "limits",
		Keys: []yamldoc.Key[*serve.Limits]{
			yamldoc.NewKey("body_mb", "a whole number of megabytes",
				whole(1, mostBodyMB, func(l *serve.Limits, n int64) { l.Body = n << 20 })),
			yamldoc.NewKey("header_kb", "a whole number of kilobytes",
				whole(4, mostHeaderKB, func(l *serve.Limits, n int64) { l.Header = int(n) << 10 })),
			yamldoc.NewKey("connections", "a whole number",
				whole(1, mostConnected, func(l *serve.Limits, n int64) { l.Connections = int(n) })),
			yamldoc.NewKey("connections_per_principal", "a whole number",
				whole(1, mostConnected, func(l *serve.Limits, n int64) { l.PrincipalConnections = int(n) })),
			yamldoc.NewKey("waiting_connections", "a whole number",
				whole(1, mostConnected, func(l *serve.Limits, n int64) { l.Waiting = int(n) })),
			yamldoc.NewKey("idle", "seconds, or a duration such as 2m", func(l *serve.Limits, v yamldoc.Value) {
				v.SetDuration(&l.Idle, longestIdle)
			}),
			yamldoc.NewKey("patience", "seconds, or a duration such as 30s", func(l *serve.Limits, v yamldoc.Value) {
				v.SetDuration(&l.Patience, longestGrace)
			}),
		},
	}
}

// setAbsolute reads an absolute path.
func setAbsolute(v yamldoc.Value, field *string) {
	path, ok := readPath(v)
	switch {
	case !ok:
	case !filepath.IsAbs(path):
		v.Fail(yamldoc.RuleValue, "", "want an absolute path, found %s", yamldoc.Quote(path))
	default:
		*field = filepath.Clean(path)
	}
}

// placeOf returns where a value stands.
func placeOf(v yamldoc.Value) tool.Source {
	return tool.Source{File: v.Doc.File, Line: v.Node.Line, Column: v.Node.Column}
}

// addTo returns a map with another entry. The map that was there belongs to the file of an earlier layer.
func addTo[V any](m map[string]V, name string, value V) map[string]V {
	all := maps.Clone(m)
	if all == nil {
		all = map[string]V{}
	}
	all[name] = value
	return all
}
