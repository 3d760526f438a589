package serve

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/go-cmp/cmp"
)

// keysOf are made once: RSA keys take a while.
var keysOf = sync.OnceValue(func() (k struct {
	rsa, other, short *rsa.PrivateKey
	ec                *ecdsa.PrivateKey
	ed                ed25519.PrivateKey
}) {
	var errs [5]error
	k.rsa, errs[0] = rsa.GenerateKey(rand.Reader, 2048)
	k.other, errs[1] = rsa.GenerateKey(rand.Reader, 2048)
	k.short, errs[2] = rsa.GenerateKey(rand.Reader, 1024)
	k.ec, errs[3] = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	_, k.ed, errs[4] = ed25519.GenerateKey(rand.Reader)
	if err := errors.Join(errs[:]...); err != nil {
		panic(err)
	}
	return k
})

// provider is an issuer of tokens.
type provider struct {
	*httptest.Server
	t      testing.TB
	asked  atomic.Int64 // how often for keys
	answer atomic.Pointer[http.HandlerFunc]
	now    atomic.Pointer[time.Time] // of the daemon
}

func newProvider(t testing.TB) *provider {
	p := &provider{t: t}
	now := time.Now()
	p.now.Store(&now)
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"issuer":%q,"jwks_uri":%q}`, p.URL, p.URL+"/keys")
	})
	mux.HandleFunc("/keys", func(w http.ResponseWriter, r *http.Request) {
		p.asked.Add(1)
		(*p.answer.Load())(w, r)
	})
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	k := keysOf()
	p.has(jose.JSONWebKey{Key: &k.rsa.PublicKey, KeyID: "rsa", Use: "sig", Algorithm: "RS256"}, jose.JSONWebKey{Key: &k.ec.PublicKey, KeyID: "ec"},
		jose.JSONWebKey{Key: k.ed.Public(), KeyID: "ed"}, jose.JSONWebKey{Key: &k.short.PublicKey, KeyID: "short"},
		jose.JSONWebKey{Key: &k.other.PublicKey, KeyID: "secrets", Use: "enc"}, jose.JSONWebKey{Key: []byte("a secret key of 32 bytes, and so."), KeyID: "oct"})
	return p
}

// has gives the provider keys.
func (p *provider) has(keys ...jose.JSONWebKey) {
	encoded, err := json.Marshal(jose.JSONWebKeySet{Keys: keys})
	if err != nil {
		p.t.Fatal(err)
	}
	answer := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(encoded) })
	p.answer.Store(&answer)
}

// spec is the provider as the configuration has it.
func (p *provider) spec() IssuerSpec {
	return IssuerSpec{Issuer: p.URL, Audience: []string{"a2a-acp"}, Algorithms: []string{"RS256", "ES256", "EdDSA"}, NameClaim: "sub",
		Scopes: DefaultScopes(), Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}
}

// issuer is the provider as the daemon knows it.
func (p *provider) issuer(change func(*IssuerSpec)) *issuer {
	p.t.Helper()
	spec := p.spec()
	if change != nil {
		change(&spec)
	}
	i, err := newIssuer("corp", spec, true, nil, "/w", func() time.Time { return *p.now.Load() }, func(line string) { p.t.Log(line) })
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(i.keys.close)
	return i
}

// claims are those of a good token, with some changed; nil takes one out.
func (p *provider) claims(changed map[string]any) map[string]any {
	now := p.now.Load()
	all := map[string]any{"iss": p.URL, "aud": "a2a-acp", "sub": "anna", "exp": now.Add(time.Hour).Unix(), "iat": now.Unix()}
	maps.Copy(all, changed)
	maps.DeleteFunc(all, func(_ string, value any) bool { return value == nil })
	return all
}

// sign makes a token by a key of the provider's.
func (p *provider) sign(header, claims map[string]any, key any) string {
	p.t.Helper()
	encode := func(value any) string {
		encoded, err := json.Marshal(value)
		if err != nil {
			p.t.Fatal(err)
		}
		return base64.RawURLEncoding.EncodeToString(encoded)
	}
	text := encode(header) + "." + encode(claims)
	digest := sha256.Sum256([]byte(text))
	var signature []byte
	var err error
	switch key := key.(type) {
	case *rsa.PrivateKey:
		signature, err = rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, digest[:])
	case *ecdsa.PrivateKey:
		r, s, signErr := ecdsa.Sign(rand.Reader, key, digest[:])
		signature, err = append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...), signErr
	case ed25519.PrivateKey:
		signature = ed25519.Sign(key, []byte(text))
	case []byte:
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(text))
		signature = mac.Sum(nil)
	case nil:
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return text + "." + base64.RawURLEncoding.EncodeToString(signature)
}

// TestTokens has good tokens taken, and every other refused.
func TestTokens(t *testing.T) {
	t.Parallel()
	p, k := newProvider(t), keysOf()
	good := map[string]any{"alg": "RS256", "kid": "rsa", "typ": "JWT"}
	public, err := x509.MarshalPKIXPublicKey(&k.rsa.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	pemKey := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})
	with := func(pairs ...any) map[string]any {
		header := maps.Clone(good)
		for i := 0; i < len(pairs); i += 2 {
			header[pairs[i].(string)] = pairs[i+1]
		}
		maps.DeleteFunc(header, func(_ string, value any) bool { return value == nil })
		return header
	}
	claim := func(name string, value any) map[string]any { return p.claims(map[string]any{name: value}) }
	now := *p.now.Load()
	ownKey, err := jose.JSONWebKey{Key: &k.other.PublicKey}.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name   string
		token  string
		refuse string // "" takes it
	}{
		{"RS256", p.sign(good, p.claims(nil), k.rsa), ""},
		{"ES256", p.sign(with("alg", "ES256", "kid", "ec"), p.claims(nil), k.ec), ""},
		{"EdDSA", p.sign(with("alg", "EdDSA", "kid", "ed"), p.claims(nil), k.ed), ""},
		{"no key is named, and there is one of its kind", p.sign(with("alg", "ES256", "kid", nil), p.claims(nil), k.ec), ""},
		{"an access token", p.sign(with("typ", "at+jwt"), p.claims(nil), k.rsa), ""},
		{"one of several audiences", p.sign(good, claim("aud", []string{"x", "a2a-acp"}), k.rsa), ""},
		{"a clock that is a little late", p.sign(good, claim("exp", now.Add(-30*time.Second).Unix()), k.rsa), ""},

		{"none", p.sign(with("alg", "none"), p.claims(nil), nil), "algorithm"},
		{"None", p.sign(with("alg", "None"), p.claims(nil), nil), "algorithm"},
		{"none, with a signature", p.sign(with("alg", "none"), p.claims(nil), k.rsa), "algorithm"},
		{"no algorithm", p.sign(with("alg", nil), p.claims(nil), k.rsa), "algorithm"},
		{"HS256 with the public key", p.sign(with("alg", "HS256"), p.claims(nil), pemKey), "algorithm"},
		{"HS256 with the public key's bytes", p.sign(with("alg", "HS256"), p.claims(nil), public), "algorithm"},
		{"HS256 with the modulus", p.sign(with("alg", "HS256"), p.claims(nil), k.rsa.N.Bytes()), "algorithm"},
		{"HS256 with a secret key of the set", p.sign(with("alg", "HS256", "kid", "oct"), p.claims(nil), []byte("a secret key of 32 bytes, and so.")), "algorithm"},
		{"an algorithm that is not taken", p.sign(with("alg", "RS512"), p.claims(nil), k.rsa), "algorithm"},
		{"an algorithm that the key is not for", p.sign(with("alg", "ES256"), p.claims(nil), k.ec), "no key"},
		{"another's key", p.sign(good, p.claims(nil), k.other), "signature"},
		{"another's key, in its own header", p.sign(with("jwk", json.RawMessage(ownKey), "kid", nil), p.claims(nil), k.other), "signature"},
		{"a key somewhere else", p.sign(with("jku", "http://evil.example/keys", "x5u", "http://evil.example/x"), p.claims(nil), k.other), "signature"},
		{"a key for encryption", p.sign(with("kid", "secrets"), p.claims(nil), k.other), "no key"},
		{"a key that is too short", p.sign(with("kid", "short"), p.claims(nil), k.short), "no key"},
		{"a key that is a file", p.sign(with("kid", "../../../../dev/null"), p.claims(nil), []byte{}), "no key"},
		{"a key that is a query", p.sign(with("kid", "rsa' OR '1'='1"), p.claims(nil), k.rsa), "no key"},
		{"a key that is a number", p.sign(with("kid", 1), p.claims(nil), k.rsa), "cannot be read"},
		{"a header that must be understood", p.sign(with("crit", []string{"x"}, "x", 1), p.claims(nil), k.rsa), "signature"},
		{"a payload that is not encoded", p.sign(with("crit", []string{"b64"}, "b64", false), p.claims(nil), k.rsa), ""},
		{"a token that ends sessions", p.sign(with("typ", "logout+jwt"), p.claims(nil), k.rsa), "another kind"},
		{"no signature", strings.TrimRight(p.sign(good, p.claims(nil), nil), "."), "counts here"},
		{"an empty signature", p.sign(good, p.claims(nil), nil), "signature"},

		{"expired", p.sign(good, claim("exp", now.Add(-2*time.Minute).Unix()), k.rsa), "has expired"},
		{"no end", p.sign(good, claim("exp", nil), k.rsa), "no time at which it ends"},
		{"an end that is a text", p.sign(good, claim("exp", "9999999999"), k.rsa), "cannot be read"},
		{"not yet", p.sign(good, claim("nbf", now.Add(time.Hour).Unix()), k.rsa), "does not count yet"},
		{"issued in the future", p.sign(good, claim("iat", now.Add(time.Hour).Unix()), k.rsa), "yet to come"},
		{"another audience", p.sign(good, claim("aud", "other"), k.rsa), "audience"},
		{"a part of the audience", p.sign(good, claim("aud", "a2a-acp2"), k.rsa), "audience"},
		{"no audience", p.sign(good, claim("aud", nil), k.rsa), "audience"},
		{"a foreign issuer", p.sign(good, claim("iss", "https://evil.example"), k.rsa), "believes its issuer"},
		{"an issuer with a slash", p.sign(good, claim("iss", p.URL+"/"), k.rsa), "believes its issuer"},
		{"no issuer", p.sign(good, claim("iss", nil), k.rsa), "believes its issuer"},
		{"no name", p.sign(good, claim("sub", nil), k.rsa), "is no name"},
		{"a name that is a number", p.sign(good, claim("sub", 1), k.rsa), "is no name"},
		{"a name with a control character", p.sign(good, claim("sub", "a\nb"), k.rsa), "is no name"},
		{"a name that turns around", p.sign(good, claim("sub", "a\u202eb"), k.rsa), "is no name"},
		{"a long name", p.sign(good, claim("sub", strings.Repeat("a", 300)), k.rsa), "is no name"},
		{"a long token", p.sign(good, claim("x", strings.Repeat("a", 20<<10)), k.rsa), "counts here"},
		{"no token at all", "a.b.c", "cannot be read"},
		{"JSON", `{"payload":"","signatures":[]}..`, "cannot be read"},

		{"claims in a claim", p.sign(good, claim("realm", map[string]any{"roles": []string{"a"}, "sub": "eve"}), k.rsa), ""},
		{"a claim that stands there twice", p.sign(good, claim("realm", json.RawMessage(`{"roles":["a"],"roles":["b"]}`)), k.rsa), "stands there twice"},
	} {
		if test.name == "a payload that is not encoded" {
			test.refuse = "not encoded"
		}
		got, err := byIssuer(t.Context(), []*issuer{p.issuer(nil)}, test.token)
		switch {
		case test.refuse == "" && (err != nil || got.Name != "corp:anna" || got.Workspace != "/w" || got.Claims["sub"] != "anna" || got.Token() != test.token):
			t.Errorf("%s: %+v, %v", test.name, got, err)
		case test.refuse != "" && (err == nil || !strings.Contains(err.Error(), test.refuse) || !errors.Is(err, errWrongCredential)):
			t.Errorf("%s: %v, %v; want one with %q", test.name, got, err, test.refuse)
		case err != nil && strings.Contains(err.Error(), test.token):
			t.Errorf("%s: the error shows the token", test.name)
		}
	}
}

// TestTokenGives has a token give no more than its issuer's may, and only to whom the configuration lets in.
func TestTokenGives(t *testing.T) {
	t.Parallel()
	p, k := newProvider(t), keysOf()
	header := map[string]any{"alg": "RS256", "kid": "rsa"}
	scoped := func(s *IssuerSpec) { s.ScopesClaim, s.Scopes = "scope", []Scope{ScopeTools, ScopeAudit} }
	platform := func(s *IssuerSpec) { s.Require = map[string][]string{"groups": {"platform", "ops"}} }
	for _, test := range []struct {
		name   string
		change func(*IssuerSpec)
		claims map[string]any
		want   []Scope
		refuse string
	}{
		{"what the configuration says", nil, map[string]any{"scope": "admin"}, DefaultScopes(), ""},
		{"what the token says", scoped, map[string]any{"scope": "openid tools"}, []Scope{ScopeTools}, ""},
		{"as a list", scoped, map[string]any{"scope": []string{"audit", "tools"}}, []Scope{ScopeTools, ScopeAudit}, ""},
		{"no more than may be", scoped, map[string]any{"scope": "admin approve tools"}, []Scope{ScopeTools}, ""},
		{"nothing", scoped, nil, []Scope{}, ""},
		{"a claim that is required", platform, map[string]any{"groups": []string{"x", "ops"}}, DefaultScopes(), ""},
		{"another value of it", platform, map[string]any{"groups": []string{"x"}}, nil, "claim groups"},
		{"none of it", platform, nil, nil, "claim groups"},
		{"true", func(s *IssuerSpec) { s.Require = map[string][]string{"v": {"true"}} }, map[string]any{"v": true}, DefaultScopes(), ""},
	} {
		got, err := byIssuer(t.Context(), []*issuer{p.issuer(test.change)}, p.sign(header, p.claims(test.claims), k.rsa))
		if test.refuse != "" {
			if err == nil || !strings.Contains(err.Error(), test.refuse) {
				t.Errorf("%s: %v, %v", test.name, got, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
		} else if diff := cmp.Diff(test.want, got.Scopes); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// TestTwoIssuers has no issuer speak for another, though one believes the other's algorithms, audience and name.
func TestTwoIssuers(t *testing.T) {
	t.Parallel()
	one, two, k := newProvider(t), newProvider(t), keysOf()
	two.has(jose.JSONWebKey{Key: &k.other.PublicKey, KeyID: "rsa"})
	issuers := []*issuer{one.issuer(nil), two.issuer(func(s *IssuerSpec) { s.Algorithms = []string{"RS256"} })}
	header := map[string]any{"alg": "RS256", "kid": "rsa"}
	if p, err := byIssuer(t.Context(), issuers, one.sign(header, one.claims(nil), k.rsa)); err != nil || p.Name != "corp:anna" {
		t.Errorf("%v, %v", p, err)
	}
	if p, err := byIssuer(t.Context(), issuers, two.sign(header, one.claims(nil), k.other)); err == nil {
		t.Errorf("the second speaks for the first: %v", p)
	}
	if p, err := byIssuer(t.Context(), issuers, two.sign(map[string]any{"alg": "ES256", "kid": "ec"}, two.claims(nil), k.ec)); err == nil {
		t.Errorf("an algorithm of the first counts for the second: %v", p)
	}
}

// TestKeysRotate has the keys asked for once, again once they are old or another is named, and not each time
// that somebody makes up a name.
func TestKeysRotate(t *testing.T) {
	t.Parallel()
	p, k := newProvider(t), keysOf()
	i := p.issuer(nil)
	tokenBy := func(id string, key *rsa.PrivateKey) string {
		return p.sign(map[string]any{"alg": "RS256", "kid": id}, p.claims(map[string]any{"exp": p.now.Load().Add(100 * time.Hour).Unix()}), key)
	}
	step := func(what, token string, taken bool, asked int64) {
		t.Helper()
		_, err := byIssuer(t.Context(), []*issuer{i}, token)
		if (err == nil) != taken || p.asked.Load() != asked {
			t.Errorf("%s: %v, asked %d times; want taken %t, asked %d times", what, err, p.asked.Load(), taken, asked)
		}
	}
	pass := func(d time.Duration) {
		later := p.now.Load().Add(d)
		p.now.Store(&later)
	}
	step("the first", tokenBy("rsa", k.rsa), true, 1)
	step("the second", tokenBy("rsa", k.rsa), true, 1)
	step("a made-up name at once", tokenBy("x", k.rsa), false, 1)
	pass(leastBetween)
	for range 50 {
		step("made-up names", tokenBy(fmt.Sprint(rand.Text()), k.rsa), false, 2)
	}
	p.has(jose.JSONWebKey{Key: &k.other.PublicKey, KeyID: "next"})
	pass(leastBetween)
	step("a new key", tokenBy("next", k.other), true, 3)
	step("the old one is gone", tokenBy("rsa", k.rsa), false, 3)
	broken := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
	p.answer.Store(&broken)
	pass(keysFor)
	step("old keys, of one who does not answer", tokenBy("next", k.other), true, 4)
	step("who is not asked again at once", tokenBy("next", k.other), true, 4)
	pass(staleFor)
	_, err := byIssuer(t.Context(), []*issuer{i}, tokenBy("next", k.other))
	if !errors.Is(err, errNoKeys) {
		t.Errorf("keys that are too old: %v", err)
	}
}

// TestKeysOfHostileIssuers has an issuer that is slow, huge, leads elsewhere or lies bring no key, and no token
// counts then.
func TestKeysOfHostileIssuers(t *testing.T) {
	t.Parallel()
	k := keysOf()
	reached := make(chan bool, 1)
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached <- true }))
	defer elsewhere.Close()
	for name, test := range map[string]struct {
		answer func(p *provider) http.HandlerFunc
		change func(p *provider, s *IssuerSpec)
	}{
		"huge": {answer: func(*provider) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) {
				fmt.Fprint(w, `{"keys":[`)
				for range 3 << 10 {
					if _, err := fmt.Fprint(w, strings.Repeat(" ", 1<<10)); err != nil {
						return
					}
				}
				fmt.Fprint(w, `]}`)
			}
		}},
		"no end": {answer: func(p *provider) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				w.WriteHeader(http.StatusOK)
				_ = http.NewResponseController(w).Flush()
				<-r.Context().Done()
			}
		}, change: func(_ *provider, s *IssuerSpec) {}},
		"redirects": {answer: func(*provider) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, elsewhere.URL, http.StatusFound) }
		}},
		"no JSON": {answer: func(*provider) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") }
		}},
		"no keys": {answer: func(*provider) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"keys":[]}`) }
		}},
		"another's metadata":               {change: func(p *provider, s *IssuerSpec) { s.Issuer = strings.Replace(p.URL, "127.0.0.1", "localhost", 1) }},
		"an address that is not allowed":   {change: func(_ *provider, s *IssuerSpec) { s.Allow = nil }},
		"keys at another site's plain URL": {change: func(_ *provider, s *IssuerSpec) { s.Keys = "http://keys.example/keys" }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProvider(t)
			if test.answer != nil {
				answer := test.answer(p)
				p.answer.Store(&answer)
			}
			var spec IssuerSpec
			i := p.issuer(func(s *IssuerSpec) {
				if test.change != nil {
					test.change(p, s)
				}
				spec = *s
			})
			i.keys.client.Timeout = time.Second // in place of ten
			token := p.sign(map[string]any{"alg": "RS256", "kid": "rsa"}, p.claims(map[string]any{"iss": spec.Issuer}), k.rsa)
			got, err := byIssuer(t.Context(), []*issuer{i}, token)
			if !errors.Is(err, errNoKeys) {
				t.Errorf("%v, %v", got, err)
			}
		})
	}
	select {
	case <-reached:
		t.Error("the redirect was followed")
	default:
	}
}

// TestKeysAreAskedForOnce has many who wait for the keys ask once, and one who gives up not keep the others.
func TestKeysAreAskedForOnce(t *testing.T) {
	t.Parallel()
	p, k := newProvider(t), keysOf()
	good, goOn := *p.answer.Load(), make(chan bool)
	slow := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		<-goOn
		good(w, r)
	})
	p.answer.Store(&slow)
	i := p.issuer(nil)
	token := p.sign(map[string]any{"alg": "RS256", "kid": "rsa"}, p.claims(nil), k.rsa)
	gone, giveUp := context.WithCancel(t.Context())
	var asking sync.WaitGroup
	results := make([]error, 20)
	for n := range results {
		asking.Go(func() {
			ctx := t.Context()
			if n%2 == 1 {
				ctx = gone
			}
			_, results[n] = byIssuer(ctx, []*issuer{i}, token)
		})
	}
	giveUp()
	close(goOn)
	asking.Wait()
	failed := slices.IndexFunc(results, func(err error) bool { return err != nil && !errors.Is(err, context.Canceled) })
	if p.asked.Load() != 1 || failed >= 0 {
		t.Errorf("asked %d times, %v", p.asked.Load(), results)
	}
}

// TestTakenAwayWhileItWaits has a token that waits for the keys of its issuer, while that is taken out of the settings,
// let nobody in.
func TestTakenAwayWhileItWaits(t *testing.T) {
	t.Parallel()
	p, k := newProvider(t), keysOf()
	good, waits, goOn := *p.answer.Load(), make(chan bool), make(chan bool)
	slow := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		waits <- true
		<-goOn
		good(w, r)
	})
	p.answer.Store(&slow)
	h := run(t, func(o *Options) { o.Settings.Issuers = map[string]IssuerSpec{"corp": p.spec()} }, Door{Name: "d", Routes: []Route{
		{Pattern: "/news", Scope: ScopeTools, Streams: true, Handler: who},
	}})
	status := make(chan int, 1)
	go func() { // ends with the answer
		answer, _ := h.get("/news", p.sign(map[string]any{"alg": "RS256", "kid": "rsa"}, p.claims(nil), k.rsa))
		status <- answer.StatusCode
	}()
	<-waits
	without := h.o.Settings
	without.Issuers = nil
	if err := h.Configure(t.Context(), without); err != nil {
		t.Fatal(err)
	}
	close(goOn)
	if got := <-status; got != 401 {
		t.Errorf("%d", got)
	}
}

// TestTokensAtTheDaemon has a token let in by the daemon, and its stream end when it expires.
func TestTokensAtTheDaemon(t *testing.T) {
	t.Parallel()
	p, k := newProvider(t), keysOf()
	past := time.Now().Add(-leeway) // so that a token which ends in a moment has no minute left
	p.now.Store(&past)
	ended := make(chan error, 1)
	h := run(t, func(o *Options) {
		o.Settings.Issuers = map[string]IssuerSpec{"corp": p.spec()}
		o.Now = func() time.Time { return time.Now().Add(-leeway) }
	}, Door{Name: "d", Routes: []Route{
		{Pattern: "/x", Scope: ScopeTools, Handler: who},
		{Pattern: "/audit", Scope: ScopeAudit, Handler: who},
		{Pattern: "/news", Scope: ScopeTools, Streams: true, Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
			ended <- context.Cause(r.Context())
		})},
	}})
	header := map[string]any{"alg": "RS256", "kid": "rsa"}
	token := p.sign(header, p.claims(nil), k.rsa)
	if answer, body := h.get("/x", token); answer.StatusCode != 200 || body != "corp:anna" {
		t.Errorf("%s, %s", answer.Status, body)
	}
	asked := p.asked.Load()
	if err := h.Configure(t.Context(), h.o.Settings); err != nil {
		t.Fatal(err)
	}
	if answer, _ := h.get("/x", token); answer.StatusCode != 200 || p.asked.Load() != asked {
		t.Errorf("after a reload: %s, asked for keys %d times", answer.Status, p.asked.Load()-asked)
	}
	if answer, _ := h.get("/audit", token); answer.StatusCode != 403 {
		t.Errorf("a scope that the issuer's tokens do not give: %s", answer.Status)
	}
	bad := p.sign(header, p.claims(map[string]any{"aud": "other"}), k.rsa)
	if answer, body := h.get("/x", bad); answer.StatusCode != 401 || !strings.Contains(answer.Header.Get("WWW-Authenticate"), `error="invalid_token"`) || strings.Contains(body, bad) {
		t.Errorf("%s, %v, %s", answer.Status, answer.Header, body)
	}
	h.get("/news", p.sign(header, p.claims(map[string]any{"exp": time.Now().Add(-leeway + time.Second).Unix()}), k.rsa))
	if err := <-ended; !errors.Is(err, errExpired) {
		t.Errorf("the stream ended because %v", err)
	}
}

// FuzzToken has bytes that are no token of the issuer's make nobody anybody: what is taken is what was signed.
func FuzzToken(f *testing.F) {
	p := newProvider(f)
	i := p.issuer(nil)
	good := p.sign(map[string]any{"alg": "RS256", "kid": "rsa"}, p.claims(map[string]any{"exp": time.Now().Add(100 * time.Hour).Unix()}), keysOf().rsa)
	if _, err := byIssuer(context.Background(), []*issuer{i}, good); err != nil {
		f.Fatal(err)
	}
	parts := strings.Split(good, ".")
	f.Add(parts[0], parts[1], parts[2])
	f.Add("eyJhbGciOiJub25lIn0", parts[1], "")
	f.Add("eyJhbGciOiJIUzI1NiJ9", parts[1], parts[2])
	f.Add(parts[0], "eyJzdWIiOiJyb290In0", parts[2])
	f.Fuzz(func(t *testing.T, header, payload, signature string) {
		got, err := byIssuer(context.Background(), []*issuer{i}, header+"."+payload+"."+signature)
		if err == nil && got.Name != "corp:anna" {
			t.Errorf("%s.%s.%s is %s", header, payload, signature, got.Name)
		}
	})
}

// TestScopesOfAnExpiredToken: what a token gave that has expired counts as far as its issuer's tokens may give it by now.
func TestScopesOfAnExpiredToken(t *testing.T) {
	t.Parallel()
	expired := "not.good.anymore"
	p := &Principal{Name: "corp:anna", Scopes: []Scope{ScopeTools, ScopeAudit}, Claims: map[string]any{}, token: &expired}
	ids := &identities{issuers: []*issuer{{name: "corp", spec: IssuerSpec{Scopes: []Scope{ScopeAudit}}}}}
	for scope, want := range map[Scope]bool{ScopeTools: false, ScopeAudit: true, AnyPrincipal: true} {
		if may, _ := ids.still(p, scope); may != want {
			t.Errorf("%s: %t, want %t", scope, may, want)
		}
	}
}
