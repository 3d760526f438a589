package a2aclient

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/go-jose/go-jose/v4"

	"github.com/a2a-acp/a2a-acp/internal/jcs"
)

// signedBy returns a signature of a payload, as a library that is not ours makes it.
func signedBy(t *testing.T, algorithm jose.SignatureAlgorithm, key crypto.Signer, payload []byte, header map[string]string) string {
	t.Helper()
	options := (&jose.SignerOptions{}).WithType("JOSE")
	for name, value := range header {
		options.WithHeader(jose.HeaderKey(name), value)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: algorithm, Key: key}, options)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := signer.Sign(payload)
	if err != nil {
		t.Fatal(err)
	}
	compact, err := signed.DetachedCompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	protected, signature, _ := strings.Cut(compact, "..")
	return fmt.Sprintf(`{"protected":%q,"signature":%q}`, protected, signature)
}

func canonical(t *testing.T, text string) []byte {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	payload, err := jcs.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return payload
}

// TestSignatures holds cards against their signatures: which is believed, by which key, what is not checked, and what is
// refused.
func TestSignatures(t *testing.T) {
	t.Parallel()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	_, other, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	ours := jose.JSONWebKey{Key: key.Public(), KeyID: "k"}
	theirs := jose.JSONWebKey{Key: other.Public(), KeyID: "e"}
	set, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{ours, theirs}})
	if err != nil {
		t.Fatal(err)
	}
	secret, err := json.Marshal(map[string]any{"keys": []any{map[string]string{"kty": "oct", "kid": "k", "k": "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0ISE"}}})
	if err != nil {
		t.Fatal(err)
	}
	const text = `"name":"a","description":"","documentationUrl":"","skills":[],"n":1e2`
	ofAll := canonical(t, "{"+text+"}")
	ofRest := canonical(t, `{"name":"a","description":"","skills":[],"n":100}`)
	ofLeast := canonical(t, `{"name":"a","n":100}`)
	named := func(id, at string) map[string]string { return map[string]string{"kid": id, "jku": at} }
	forged := func(protected string, payload []byte) string {
		encode := base64.RawURLEncoding.EncodeToString
		return fmt.Sprintf(`{"protected":%q,"signature":%q}`, encode([]byte(protected)), encode(payload[:8]))
	}
	for name, test := range map[string]struct {
		signatures func(base string) string // "" for none
		keys       []jose.JSONWebKey
		set        string // what is at /keys; by default both keys
		want       string // the state, or what the error says
	}{
		"nobody":                     {func(string) string { return "" }, nil, "", ""},
		"nobody, with a key of ours": {func(string) string { return "" }, []jose.JSONWebKey{ours}, "", "nobody has signed it"},
		"as it is": {func(b string) string { return signedBy(t, jose.ES256, key, ofAll, named("k", b+"/keys")) }, nil, "",
			"holds"},
		"as the protocol wants it": {func(b string) string { return signedBy(t, jose.EdDSA, other, ofRest, named("e", b+"/keys")) },
			nil, "", "holds"},
		"as SDKs do it": {func(b string) string { return signedBy(t, jose.ES256, key, ofLeast, named("k", b+"/keys")) }, nil, "",
			"holds"},
		"of another card": {func(b string) string {
			return signedBy(t, jose.ES256, key, canonical(t, `{"name":"b"}`), named("k", b+"/keys"))
		}, nil, "", "does not hold"},
		"one of two": {func(b string) string {
			return signedBy(t, jose.ES256, key, []byte("{}"), named("k", b+"/keys")) + "," +
				signedBy(t, jose.EdDSA, other, ofAll, named("e", b+"/keys"))
		}, nil, "", "holds"},
		"by our key": {func(string) string {
			return signedBy(t, jose.ES256, key, ofAll, named("k", "https://elsewhere.example/keys"))
		},
			[]jose.JSONWebKey{ours}, "", "holds"},
		"by a key that is not ours": {func(b string) string { return signedBy(t, jose.EdDSA, other, ofAll, named("e", b+"/keys")) },
			[]jose.JSONWebKey{ours}, "", "has to be signed by a key of yours"},
		"by another with the name of ours": {func(b string) string { return signedBy(t, jose.EdDSA, other, ofAll, named("k", b+"/keys")) },
			[]jose.JSONWebKey{ours}, "", "does not hold"},
		"a key elsewhere": {func(string) string {
			return signedBy(t, jose.ES256, key, ofAll, named("k", "http://169.254.169.254/keys"))
		},
			nil, "", "not checked"},
		"no key":       {func(string) string { return signedBy(t, jose.ES256, key, ofAll, map[string]string{"kid": "k"}) }, nil, "", "not checked"},
		"another name": {func(b string) string { return signedBy(t, jose.ES256, key, ofAll, named("x", b+"/keys")) }, nil, "", "not checked"},
		"no keys there": {func(b string) string { return signedBy(t, jose.ES256, key, ofAll, named("k", b+"/none")) }, nil, "",
			"not checked"},
		"without a signature": {func(b string) string { return forged(`{"alg":"none","kid":"k","jku":"`+b+`/keys"}`, ofAll) }, nil, "",
			"does not hold"},
		"by a shared secret": {func(b string) string { return forged(`{"alg":"HS256","kid":"k","jku":"`+b+`/keys"}`, ofAll) }, nil,
			string(secret), "not checked"},
		"with what has to be understood": {func(b string) string {
			return forged(`{"alg":"ES256","kid":"k","crit":["b64"],"b64":false,"jku":"`+b+`/keys"}`, ofAll)
		}, nil, "", "does not hold"},
		"nonsense": {func(string) string { return `{"protected":7},{"protected":"!","signature":"!"},null` }, nil, "", "not checked"},
	} {
		var base string
		s := serve(t, "", func(w http.ResponseWriter, r *http.Request, _ string) {
			switch r.URL.Path {
			case cardPaths[0]:
				signatures := test.signatures(base)
				if signatures != "" {
					signatures = `,"signatures":[` + signatures + `]`
				}
				fmt.Fprint(w, "{"+text+signatures+"}")
			case "/keys":
				fmt.Fprint(w, first(test.set, string(set)))
			default:
				http.NotFound(w, r)
			}
		})
		base = s.URL
		u, err := ParseURL(base)
		if err != nil {
			t.Fatal(err)
		}
		card, err := Discover(t.Context(), u, Options{Keys: test.keys, Credential: Credential{Secret: token}})
		var broken *BrokenSignatureError
		got := ""
		if errors.As(err, &broken) {
			got = broken.Error()
		} else if err == nil {
			got = string(card.Signature.State)
		}
		if !strings.Contains(got, test.want) || test.want == "" && got != "" {
			t.Errorf("%s: %q, %v; want %q", name, got, err, test.want)
		}
		for _, asked := range s.asked() {
			if strings.Contains(asked, "!token") {
				t.Errorf("%s: the token was shown: %s", name, asked)
			}
		}
	}
}

// TestParseKeys reads the files that keys come in.
func TestParseKeys(t *testing.T) {
	t.Parallel()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	one, err := json.Marshal(jose.JSONWebKey{Key: public, KeyID: "k"})
	if err != nil {
		t.Fatal(err)
	}
	secret, err := json.Marshal(jose.JSONWebKey{Key: private, KeyID: "k"})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{
		string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})): 1,
		string(one): 1, `{"keys":[` + string(one) + `,{"kty":"none"}]}`: 1,
		string(secret): 0, `{"keys":[` + string(secret) + `]}`: 0, "": 0, "ssh-ed25519 AAAA": 0,
		`{"kty":"oct","k":"AAAA"}`: 0, "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n": 0,
	} {
		if keys, err := ParseKeys([]byte(text)); len(keys) != want || (err == nil) != (want > 0) {
			t.Errorf("%.60q: %d keys, %v", text, len(keys), err)
		}
	}
}
