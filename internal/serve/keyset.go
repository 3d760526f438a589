package serve

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/a2a-acp/a2a-acp/internal/netguard"
)

// The bounds of an issuer's keys.
const (
	fetchTime    = 10 * time.Second // for all of it
	longestKeys  = 1 << 20
	mostKeys     = 100
	leastRSABits = 2048

	keysFor      = time.Hour        // that keys are used before they are asked for again
	leastBetween = 30 * time.Second // two times of asking: anybody can make up the name of a key
	staleFor     = 24 * time.Hour   // that keys are used whose issuer does not answer
)

// errNoKeys says that the issuer's keys cannot be had. It is our trouble, and not the caller's.
var errNoKeys = errors.New("the keys of the token's issuer cannot be had at the moment")

// keySet are the keys of an issuer, asked for when they are needed. It is safe for concurrent use.
type keySet struct {
	name   string
	spec   IssuerSpec
	seen   string // how the file of its certificates looked when it was read
	say    func(string)
	client *http.Client
	now    func() time.Time

	mu       sync.Mutex
	keys     []jose.JSONWebKey
	fetched  time.Time     // when they were; zero before
	tried    time.Time     // when that was last tried
	trouble  error         // what came of the last try
	fetching chan struct{} // closed at its end; nil while nobody asks
}

// newKeySet makes the keys' client. The issuer is a person's choice; where it leads to is still looked at, as
// for everything else that is reached for others: public addresses, and those that are allowed by number.
func newKeySet(name string, spec IssuerSpec, now func() time.Time, say func(string)) (*keySet, error) {
	seen := look(spec.CA)
	transport := (&netguard.Guard{Allow: spec.Allow}).Transport()
	if spec.CA != "" {
		pem, err := os.ReadFile(spec.CA)
		if err != nil {
			return nil, err
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s holds no certificate", spec.CA)
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: pool}
	}
	return &keySet{name: name, spec: spec, seen: seen, now: now, say: say, client: &http.Client{
		Transport: netguard.WithoutUpgrade{Transport: transport}, Timeout: fetchTime,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// isFor reports whether these are the keys of an issuer.
func (k *keySet) isFor(spec IssuerSpec) bool {
	return k.spec.Issuer == spec.Issuer && k.spec.Keys == spec.Keys && k.spec.CA == spec.CA && k.seen == look(spec.CA) &&
		slices.Equal(k.spec.Allow, spec.Allow)
}

// close lets go of connections.
func (k *keySet) close() { k.client.CloseIdleConnections() }

// find returns the keys by which a token may be signed. They are asked for where they are old, or where none
// has that name, and then not again for a while.
func (k *keySet) find(ctx context.Context, id, algorithm string) ([]any, error) {
	k.mu.Lock()
	age := k.now().Sub(k.fetched)
	fitting := k.fitting(id, algorithm)
	if age < keysFor && age >= 0 && len(fitting) > 0 {
		k.mu.Unlock()
		return fitting, nil
	}
	since := k.now().Sub(k.tried)
	soon := !k.tried.IsZero() && since >= 0 && since < leastBetween
	flight := k.fetching
	switch {
	case len(fitting) > 0 && (flight != nil || soon), flight == nil && soon:
		k.mu.Unlock() // somebody else sees to it, or it was seen to
	case flight != nil:
		k.mu.Unlock()
		select {
		case <-flight:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	default:
		flight = make(chan struct{})
		k.fetching, k.tried = flight, k.now()
		k.mu.Unlock()
		k.refresh(flight)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if fitting = k.fitting(id, algorithm); len(fitting) > 0 && k.now().Sub(k.fetched) < staleFor {
		return fitting, nil
	}
	if k.trouble != nil || k.fetched.IsZero() || len(fitting) > 0 {
		return nil, errNoKeys
	}
	return nil, fmt.Errorf("%w: it is signed by no key of its issuer", errWrongCredential)
}

// refresh asks for the keys, for everybody who waits for flight. It does not end with the request that it is
// done for.
func (k *keySet) refresh(flight chan struct{}) {
	ctx, cancel := context.WithTimeout(context.Background(), fetchTime)
	defer cancel()
	keys, err := k.fetch(ctx)
	k.mu.Lock()
	defer k.mu.Unlock()
	if err != nil && (k.trouble == nil || k.trouble.Error() != err.Error()) {
		k.say(fmt.Sprintf("the keys of the issuer %s cannot be had: %v", k.name, err))
	}
	if k.trouble = err; err == nil {
		k.keys, k.fetched = keys, k.now()
	}
	k.fetching = nil
	close(flight)
}

// fitting returns the keys with a name, of the kind that the algorithm wants. A token that names no key is
// signed by the only one of its kind: to try many would be work that anybody could cause. Called with mu held.
func (k *keySet) fitting(id, algorithm string) []any {
	var keys []any
	for _, key := range k.keys {
		if (id == "" || key.KeyID == id) && (key.Algorithm == "" || key.Algorithm == algorithm) && isOf(key.Key, algorithm) {
			keys = append(keys, key.Key)
		}
	}
	if id == "" && len(keys) > 1 {
		return nil
	}
	return keys
}

// isOf reports whether a key is of the kind that an algorithm signs by.
func isOf(key any, algorithm string) bool {
	switch key := key.(type) {
	case *rsa.PublicKey:
		return strings.HasPrefix(algorithm, "RS") || strings.HasPrefix(algorithm, "PS")
	case *ecdsa.PublicKey:
		curve := map[string]int{"ES256": 256, "ES384": 384, "ES512": 521}
		return curve[algorithm] == key.Curve.Params().BitSize
	case ed25519.PublicKey:
		return algorithm == "EdDSA"
	}
	return false
}

// fetch asks for the keys, and where they are if the configuration does not say so.
func (k *keySet) fetch(ctx context.Context) ([]jose.JSONWebKey, error) {
	at := k.spec.Keys
	if at == "" {
		var about struct {
			Issuer string `json:"issuer"`
			Keys   string `json:"jwks_uri"`
		}
		if err := k.get(ctx, strings.TrimSuffix(k.spec.Issuer, "/")+"/.well-known/openid-configuration", &about); err != nil {
			return nil, err
		}
		if about.Issuer != k.spec.Issuer {
			return nil, fmt.Errorf("the issuer calls itself %q", about.Issuer)
		}
		at = about.Keys
	}
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := k.get(ctx, at, &set); err != nil {
		return nil, err
	}
	var keys []jose.JSONWebKey
	for _, raw := range set.Keys[:min(len(set.Keys), mostKeys)] {
		var key jose.JSONWebKey
		if json.Unmarshal(raw, &key) != nil || !isUsable(key) {
			continue // others may be of a kind that nobody here knows
		}
		keys = append(keys, key)
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf("%s has no public key for signatures", at)
	}
	return keys, nil
}

// isUsable reports whether a key is a public one, for signatures, and not too short.
func isUsable(key jose.JSONWebKey) bool {
	if key.Use != "" && key.Use != "sig" || !key.Valid() {
		return false
	}
	switch public := key.Key.(type) {
	case *rsa.PublicKey:
		return public.N.BitLen() >= leastRSABits
	case *ecdsa.PublicKey, ed25519.PublicKey:
		return true
	}
	return false // a secret one: whoever can read the set could sign
}

// get reads a JSON document. No redirect is followed.
func (k *keySet) get(ctx context.Context, at string, into any) error {
	if err := CheckIssuerURL(at); err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return err
	}
	request.Header.Set("Accept", "application/json")
	answer, err := k.client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", at, answer.Status)
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, longestKeys+1))
	if err != nil {
		return fmt.Errorf("%s: %w", at, err)
	}
	if len(body) > longestKeys {
		return fmt.Errorf("%s answers with more than %d bytes", at, longestKeys)
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("%s: %w", at, err)
	}
	return nil
}

// CheckIssuerURL refuses a URL by which an issuer, or its keys, are not to be reached: keys that somebody on
// the way could change are nobody's.
func CheckIssuerURL(text string) error {
	at, err := url.Parse(text)
	switch {
	case err != nil || at.Host == "" || at.User != nil || at.Fragment != "":
		return errors.New("want a URL such as https://login.example.com")
	case at.Scheme != "https" && !(at.Scheme == "http" && isLoopback(at.Hostname())):
		return errors.New("want https://, but for an issuer on this machine")
	}
	return nil
}
