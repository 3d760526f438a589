package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// Algorithms lists the algorithms that a signature may have: those with a public key. With one that has a
// secret key, or none at all, whoever knows the public key could sign.
func Algorithms() []string {
	return []string{"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"}
}

// leeway is how far the issuer's clock may be from ours.
const leeway = time.Minute

// The bounds of a token.
const (
	longestToken = 16 << 10
	longestName  = 256 // bytes of what an issuer calls a principal
)

// issuer is somebody whose tokens count. It is safe for concurrent use.
type issuer struct {
	name       string
	spec       IssuerSpec
	only       bool // there is no other
	workspace  string
	algorithms []jose.SignatureAlgorithm
	keys       *keySet
	now        func() time.Time
}

// newIssuer makes an issuer. Where before says the same of its keys, they are kept: the issuer may not answer at
// the moment.
func newIssuer(name string, spec IssuerSpec, only bool, before *issuer, workspace string, now func() time.Time,
	say func(string)) (*issuer, error) {
	var keys *keySet
	if before != nil && before.keys.isFor(spec) {
		keys = before.keys
	} else {
		var err error
		if keys, err = newKeySet(name, spec, now, say); err != nil {
			return nil, &SettingError{spec.Source, fmt.Errorf("the issuer %s: %w", name, err)}
		}
	}
	i := &issuer{name: name, spec: spec, only: only, workspace: cmp.Or(spec.Workspace, workspace), keys: keys, now: now}
	for _, algorithm := range spec.Algorithms {
		i.algorithms = append(i.algorithms, jose.SignatureAlgorithm(algorithm))
	}
	return i, nil
}

// names reports whether a principal's name is one that this issuer gives.
func (i *issuer) names(principal string) bool { return strings.HasPrefix(principal, i.name+":") }

// claims are those that every token is looked at for. Numbers are seconds since 1970.
type claims struct {
	Issuer    string           `json:"iss"`
	Audience  jwt.Audience     `json:"aud"`
	Expires   *jwt.NumericDate `json:"exp"`
	NotBefore *jwt.NumericDate `json:"nbf"`
	IssuedAt  *jwt.NumericDate `json:"iat"`
}

// byIssuer returns whom a token is about, by the word of the issuer that it names. Nothing is asked of anybody
// for a token that would not count whoever has signed it.
func byIssuer(ctx context.Context, issuers []*issuer, token string) (*Principal, error) {
	if len(token) > longestToken {
		return nil, errWrongCredential
	}
	var algorithms []jose.SignatureAlgorithm
	for _, i := range issuers {
		algorithms = append(algorithms, i.algorithms...)
	}
	parsed, err := jwt.ParseSigned(token, algorithms)
	if err != nil {
		return nil, fmt.Errorf("%w: it cannot be read, or is signed by an algorithm that is not taken", errWrongCredential)
	}
	var said claims
	if err := parsed.UnsafeClaimsWithoutVerification(&said); err != nil {
		return nil, fmt.Errorf("%w: its claims cannot be read", errWrongCredential)
	}
	for _, i := range issuers {
		if i.spec.Issuer == said.Issuer {
			return i.principal(ctx, parsed, said, token)
		}
	}
	return nil, fmt.Errorf("%w: nobody here believes its issuer", errWrongCredential)
}

// principal returns whom a token of this issuer is about.
func (i *issuer) principal(ctx context.Context, parsed *jwt.JSONWebToken, said claims, token string) (*Principal, error) {
	header := parsed.Headers[0] // the compact form has one signature
	if err := i.check(header, said); err != nil {
		return nil, fmt.Errorf("%w: %w", errWrongCredential, err)
	}
	keys, err := i.keys.find(ctx, header.KeyID, header.Algorithm)
	if err != nil {
		return nil, err
	}
	var all map[string]any
	if !slices.ContainsFunc(keys, func(key any) bool { return parsed.Claims(key, &all) == nil }) {
		return nil, fmt.Errorf("%w: its signature is not the issuer's, or a claim stands there twice", errWrongCredential)
	}
	for claim, wanted := range i.spec.Require {
		if !slices.ContainsFunc(textsOf(all[claim]), func(text string) bool { return slices.Contains(wanted, text) }) {
			return nil, fmt.Errorf("%w: its claim %s is none that is let in", errWrongCredential, claim)
		}
	}
	name, _ := all[i.spec.NameClaim].(string)
	if name == "" || len(name) > longestName || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsGraphic(r) }) {
		return nil, fmt.Errorf("%w: its claim %s is no name", errWrongCredential, i.spec.NameClaim)
	}
	var issued time.Time
	if said.IssuedAt != nil {
		issued = said.IssuedAt.Time()
	}
	return &Principal{
		Name: i.name + ":" + name, Scopes: i.scopes(all), Workspace: i.workspace, MCP: i.spec.MCP,
		Claims: all, Issuer: i.name, OnlyIssuer: i.only, Issued: issued,
		Expires: said.Expires.Time().Add(leeway), token: &token, rate: i.spec.Rate, atOnce: i.spec.AtOnce,
	}, nil
}

// check looks at what a token says of itself.
func (i *issuer) check(header jose.Header, said claims) error {
	now := i.now()
	if !slices.Contains(i.algorithms, jose.SignatureAlgorithm(header.Algorithm)) {
		return errors.New("its algorithm is none that its issuer signs by")
	}
	// A token of another kind, such as one that ends a session, is signed by the same key (RFC 8725, 3.11).
	kind, has := header.ExtraHeaders["typ"].(string)
	if has && !slices.Contains([]string{"jwt", "at+jwt", "application/at+jwt"}, strings.ToLower(kind)) {
		return errors.New("it is a token of another kind")
	}
	if _, is := header.ExtraHeaders["b64"]; is {
		return errors.New("it is not encoded as a token is") // RFC 7797, 7
	}
	switch {
	case !slices.ContainsFunc(i.spec.Audience, said.Audience.Contains):
		return errors.New("it is for another audience")
	case said.Expires == nil:
		return errors.New("it says no time at which it ends")
	case now.After(said.Expires.Time().Add(leeway)):
		return errors.New("it has expired")
	case said.NotBefore != nil && now.Add(leeway).Before(said.NotBefore.Time()):
		return errors.New("it does not count yet")
	case said.IssuedAt != nil && now.Add(leeway).Before(said.IssuedAt.Time()):
		return errors.New("it was issued at a time that is yet to come")
	}
	return nil
}

// scopes returns what a token gives: no more than its issuer's tokens may.
func (i *issuer) scopes(all map[string]any) []Scope {
	if i.spec.ScopesClaim == "" {
		return i.spec.Scopes
	}
	given := textsOf(all[i.spec.ScopesClaim])
	return slices.DeleteFunc(slices.Clone(i.spec.Scopes), func(s Scope) bool { return !slices.Contains(given, string(s)) })
}

// textsOf returns the texts of a claim: a list's, or the words of a text. A text is among its words as a whole,
// too.
func textsOf(claim any) []string {
	switch value := claim.(type) {
	case string:
		return append(strings.Fields(value), value)
	case bool:
		return []string{fmt.Sprint(value)}
	case []any:
		var texts []string
		for _, item := range value {
			if text, ok := item.(string); ok {
				texts = append(texts, text)
			}
		}
		return texts
	}
	return nil
}
