package webhook

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/netguard"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// Value is a text that stands where it is used, or elsewhere.
type Value struct {
	Literal   string
	Reference *tool.Reference
}

// IsSet reports whether there is one.
func (v Value) IsSet() bool { return v.Literal != "" || v.Reference != nil }

// String shows a reference, and nothing of a literal: it may be a secret.
func (v Value) String() string {
	if v.Reference != nil {
		return v.Reference.String()
	}
	if v.Literal != "" {
		return "(a value in the file)"
	}
	return ""
}

// AuthKind says how a receiver is shown who sends.
type AuthKind string

// The kinds.
const (
	AuthNone   AuthKind = ""
	AuthBearer AuthKind = "bearer" // Authorization: Bearer VALUE
	AuthAPIKey AuthKind = "apikey" // NAME: VALUE, X-API-Key by default
	AuthBasic  AuthKind = "basic"  // Authorization: Basic USER:VALUE
	AuthHeader AuthKind = "header" // NAME: VALUE
)

// Auth is what a receiver is shown.
type Auth struct {
	Kind  AuthKind
	Name  string // of the header; of AuthBasic that of the user
	Value Value
}

// Signing says with what requests are signed.
type Signing struct {
	Secrets []Value // each signs, so that one can be replaced
	Ed25519 bool    // so do the keys of the state directory
}

// The bounds of an attempt's time.
const (
	DefaultTimeout = 15 * time.Second
	LongestTimeout = 60 * time.Second
)

// Target is where deliveries go.
type Target struct {
	URL     Value
	Auth    Auth
	Signing Signing
	Header  map[string]string // more headers
	Allow   []netip.Prefix    // addresses that are reached although they are not public
	Ports   []uint16          // beside netguard.WebPorts
	CAFile  string            // what signs the receiver's certificate; "" for the system's
	Timeout time.Duration     // optional, default DefaultTimeout
}

// name names the receiver, and all that may decide whether it can be reached. It is a hash.
func (t *Target) name() string {
	text, err := json.Marshal(t)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:12])
}

// guard is what requests to a URL may reach. In the clear that is this machine, where it is allowed.
func (t *Target) guard(plain bool, resolver netguard.Resolver) *netguard.Guard {
	g := &netguard.Guard{Ports: append(netguard.WebPorts(), t.Ports...), Resolver: resolver}
	for _, allowed := range t.Allow {
		if !plain || allowed.Addr().IsLoopback() {
			g.Allow = append(g.Allow, allowed)
		}
	}
	g.Only = plain
	return g
}

// CheckURL says what is wrong with a URL as it is written. It looks nothing up.
func (t *Target) CheckURL() error {
	if t.URL.Reference != nil {
		return nil // it is found out when it is used
	}
	_, err := t.guard(false, nil).CheckURL(t.URL.Literal)
	return err
}

// Shown is the URL as people may see it: without its path and query, which often hold a token.
func (t *Target) Shown() string {
	if t.URL.Reference != nil {
		return t.URL.Reference.String()
	}
	u, err := url.Parse(t.URL.Literal)
	if err != nil {
		return "(no URL)"
	}
	shown := u.Scheme + "://" + u.Host
	if u.Path != "" && u.Path != "/" || u.RawQuery != "" {
		shown += "/…"
	}
	return shown
}

// Vault gives the values that stand elsewhere. *secret.Vault is one. Its errors hold no value.
type Vault interface {
	Value(context.Context, tool.Reference) (string, error)
}

// credentials are the values that a request needs.
type credentials struct {
	url    *url.URL
	header http.Header
	keys   [][]byte
	values []string // that nobody may see
}

// shortestToken is how long a part of a URL is that may be a token, and is hidden: /hook is none.
const shortestToken = 8

// resolve finds the values of a target. An error is this machine's fault, and not the receiver's.
func (t *Target) resolve(ctx context.Context, vault Vault) (c credentials, err error) {
	value := func(what string, v Value) string {
		text := v.Literal
		if v.Reference != nil {
			if vault == nil {
				err = errors.Join(err, fmt.Errorf("%s: there is nothing that keeps values", what))
				return ""
			}
			var missing error
			if text, missing = vault.Value(ctx, *v.Reference); missing != nil {
				err = errors.Join(err, fmt.Errorf("%s: %w", what, missing))
			}
		}
		if text != "" {
			c.values = append(c.values, text)
		}
		return text
	}
	target := t.URL.Literal
	if t.URL.Reference != nil {
		target = value("url", t.URL)
	}
	c.header = http.Header{}
	for name, text := range t.Header {
		c.header.Set(name, text)
	}
	switch text := value("authentication", t.Auth.Value); t.Auth.Kind {
	case AuthBearer:
		c.header.Set("Authorization", "Bearer "+text)
	case AuthAPIKey, AuthHeader:
		c.header.Set(t.Auth.Name, text)
	case AuthBasic:
		request := http.Request{Header: c.header}
		request.SetBasicAuth(t.Auth.Name, text)
		c.values = append(c.values, c.header.Get("Authorization")[len("Basic "):])
	}
	for _, secret := range t.Signing.Secrets {
		text := value("signing", secret)
		if text == "" {
			continue
		}
		key, wrong := signingKey(text)
		if wrong != nil {
			err = errors.Join(err, fmt.Errorf("signing: %w", wrong))
		}
		c.keys = append(c.keys, key)
	}
	if err != nil {
		return c, err
	}
	for name, values := range c.header {
		for _, text := range values {
			for _, r := range text {
				if r < ' ' && r != '\t' || r > '~' {
					return c, fmt.Errorf("authentication: the value of the header %s holds what no header can", name)
				}
			}
		}
	}
	if c.url, err = t.guard(false, nil).CheckURL(target); err != nil {
		return c, fmt.Errorf("url: %w", err)
	}
	for _, part := range []string{strings.Trim(c.url.EscapedPath(), "/"), c.url.RawQuery} {
		if len(part) >= shortestToken {
			c.values = append(c.values, part)
		}
	}
	return c, nil
}
