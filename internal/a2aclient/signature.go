package a2aclient

import (
	"context"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/go-jose/go-jose/v4"

	"github.com/a2a-acp/a2a-acp/internal/jcs"
)

// Signature is what is known of who has signed a card (A2A 1.0.1, 8.4). The zero Signature is one of a card that nobody
// has signed.
type Signature struct {
	State SignatureState `json:"state"`
	Key   string         `json:"key,omitempty"`  // the name of the key
	From  string         `json:"from,omitempty"` // where the key was had: a URL, or YourKey for one of Options.Keys
	Why   string         `json:"why,omitempty"`  // it was not checked
}

// SignatureState says whether a signature holds. A card with one that does not is refused.
type SignatureState string

// YourKey says that a key is one of Options.Keys.
const YourKey = "you"

// The states.
const (
	Unsigned  SignatureState = ""
	Holds     SignatureState = "holds"
	Unchecked SignatureState = "not checked"
)

// BrokenSignatureError says that a card is not what was signed, or not signed by whom it has to be.
type BrokenSignatureError struct{ Why string }

func (e *BrokenSignatureError) Error() string { return "the card is not to be believed: " + e.Why }

// cardSignature is one signature of a card.
type cardSignature struct {
	Protected string `json:"protected"`
	Signature string `json:"signature"`
}

// The bounds of what is looked at.
const (
	mostSignatures = 16
	mostKeys       = 100
	mostKeySet     = 1 << 20
)

// algorithms are those of public keys.
var algorithms = []jose.SignatureAlgorithm{jose.ES256, jose.ES384, jose.ES512, jose.RS256, jose.RS384, jose.RS512, jose.PS256,
	jose.PS384, jose.PS512, jose.EdDSA}

// verify looks whether a card is what was signed. One signature that holds is enough: others may be for other readers.
func (x exchanger) verify(ctx context.Context, card *Card) error {
	if len(card.signatures) == 0 {
		if len(x.o.Keys) > 0 {
			return &BrokenSignatureError{"nobody has signed it, and it has to be signed by a key of yours"}
		}
		return nil
	}
	payloads, err := payloadsOf(card.Raw)
	if err != nil {
		return &BrokenSignatureError{err.Error()}
	}
	var broken []string
	sets := map[string]keysFrom{} // that were asked for, by their URL
	for _, signature := range card.signatures[:min(len(card.signatures), mostSignatures)] {
		name, keys, from, err := x.keysFor(ctx, card, signature, sets)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			card.Signature = Signature{State: Unchecked, Key: name, Why: err.Error()}
			continue
		}
		if holds(signature, keys, payloads) {
			card.Signature = Signature{State: Holds, Key: name, From: from}
			return nil
		}
		broken = append(broken, fmt.Sprintf("the signature by %.60q does not hold", name))
	}
	switch {
	case broken != nil:
		return &BrokenSignatureError{broken[0]}
	case len(x.o.Keys) > 0:
		return &BrokenSignatureError{"it has to be signed by a key of yours, and is not: " + card.Signature.Why}
	}
	return nil
}

// keysFor returns the keys by which a signature may have been made, and where they come from.
func (x exchanger) keysFor(ctx context.Context, card *Card, s cardSignature, sets map[string]keysFrom) (name string,
	keys []jose.JSONWebKey, from string, err error) {
	raw, err := base64.RawURLEncoding.DecodeString(s.Protected)
	if err != nil {
		return "", nil, "", errors.New("its header cannot be read")
	}
	var header struct {
		Key string `json:"kid"`
		Set string `json:"jku"`
	}
	if err := json.Unmarshal(raw, &header); err != nil {
		return "", nil, "", errors.New("its header cannot be read")
	}
	if len(x.o.Keys) > 0 {
		keys, err = named(x.o.Keys, header.Key)
		return header.Key, keys, YourKey, err
	}
	if header.Set == "" {
		return header.Key, nil, "", errors.New("it does not say where its key is; give the key if you know it")
	}
	set, err := url.Parse(header.Set)
	if err != nil || set.Host == "" || origin(set) != origin(card.URL) {
		return header.Key, nil, "", fmt.Errorf("its key is at %.200q, which is not the card's own origin; give the key if you know it",
			header.Set)
	}
	found, asked := sets[set.String()]
	if !asked {
		found.keys, found.err = x.keySet(ctx, set)
		sets[set.String()] = found
	}
	if err = found.err; err == nil {
		keys, err = named(found.keys, header.Key)
	}
	return header.Key, keys, set.String(), err
}

// keysFrom are the keys of a set, or why they cannot be had.
type keysFrom struct {
	keys []jose.JSONWebKey
	err  error
}

// keySet asks for a set of keys (RFC 7517, 5).
func (x exchanger) keySet(ctx context.Context, at *url.URL) ([]jose.JSONWebKey, error) {
	body, err := x.read(ctx, http.MethodGet, at, http.Header{"Accept": {"application/json"}}, nil, mostKeySet)
	if err != nil {
		return nil, fmt.Errorf("its key cannot be had: %w", err)
	}
	keys := keysOf(body)
	if len(keys) == 0 {
		return nil, fmt.Errorf("there is no key at %s", at)
	}
	return keys, nil
}

// ParseKeys reads public keys of a file: a set of JSON Web Keys, one of them, or PEM.
func ParseKeys(text []byte) ([]jose.JSONWebKey, error) {
	keys := keysOf(text)
	var one jose.JSONWebKey
	if keys == nil && one.UnmarshalJSON(text) == nil && isPublic(one) {
		keys = append(keys, one)
	}
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		key, err := x509.ParsePKIXPublicKey(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", block.Type, err)
		}
		keys = append(keys, jose.JSONWebKey{Key: key})
	}
	if len(keys) == 0 {
		return nil, errors.New("there is no public key: want JSON Web Keys, or PEM")
	}
	return keys, nil
}

// keysOf reads the keys of a set, but for those that are of no kind that signs.
func keysOf(text []byte) (keys []jose.JSONWebKey) {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	take(text, &set)
	for _, raw := range set.Keys[:min(len(set.Keys), mostKeys)] {
		var key jose.JSONWebKey
		if key.UnmarshalJSON(raw) == nil && isPublic(key) && (key.Use == "" || key.Use == "sig") {
			keys = append(keys, key)
		}
	}
	return keys
}

// isPublic reports whether a key is one half of a pair, and not a secret that its reader has, too.
func isPublic(key jose.JSONWebKey) bool { return key.Valid() && key.IsPublic() }

// named returns the keys of a name; those that have none may be any.
func named(all []jose.JSONWebKey, name string) ([]jose.JSONWebKey, error) {
	keys := slices.DeleteFunc(slices.Clone(all), func(k jose.JSONWebKey) bool {
		return k.KeyID != "" && name != "" && k.KeyID != name
	})
	if len(keys) == 0 {
		return nil, fmt.Errorf("none of the keys is called %.60q", name)
	}
	return keys, nil
}

// holds reports whether a signature was made by one of the keys over one of the payloads.
func holds(s cardSignature, keys []jose.JSONWebKey, payloads [][]byte) bool {
	for _, payload := range payloads {
		parsed, err := jose.ParseDetached(s.Protected+".."+s.Signature, payload, algorithms)
		if err != nil {
			return false
		}
		for _, key := range keys {
			if _, err := parsed.Verify(key.Key); err == nil {
				return true
			}
		}
	}
	return false
}

// required are the members of a card, and of what is in it, that are there even where they are empty (a2a.proto).
var required = []string{"name", "description", "version", "supportedInterfaces", "capabilities", "defaultInputModes",
	"defaultOutputModes", "skills", "id", "tags", "url", "protocolBinding", "protocolVersion"}

// payloadsOf returns what may have been signed: the card as it is without its signatures, without what is empty, as the
// protocol wants it, and without all of that, as its SDKs do it. What is empty says nothing, so that whoever leaves it out
// or adds it says the same.
func payloadsOf(raw json.RawMessage) ([][]byte, error) {
	members := map[string]any{}
	if err := json.Unmarshal(raw, &members); err != nil {
		return nil, err
	}
	delete(members, "signatures")
	var payloads [][]byte
	for _, value := range []any{members, jcs.WithoutEmpty(members, required...), jcs.WithoutEmpty(members)} {
		payload, err := jcs.Marshal(value)
		if err != nil {
			return nil, err
		}
		payloads = append(payloads, payload)
	}
	return payloads, nil
}
