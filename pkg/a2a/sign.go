package a2a

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"

	wire "github.com/a2aproject/a2a-go/v2/a2a"

	"github.com/a2a-acp/a2a-acp/internal/jcs"
)

// Signer signs cards (A2A 1.0.1, 8.4): JWS with ES256 over the canonical card. It is safe for concurrent use.
type Signer struct {
	key *ecdsa.PrivateKey
	id  string
	jwk jwk
}

// jwk is the public key (RFC 7517).
type jwk struct {
	Type  string `json:"kty"`
	Curve string `json:"crv"`
	X     string `json:"x"`
	Y     string `json:"y"`
	ID    string `json:"kid,omitempty"`
	Use   string `json:"use,omitempty"`
	Alg   string `json:"alg,omitempty"`
}

// keyBlock is the kind of PEM block that a key stands in (RFC 5208).
const keyBlock = "PRIVATE KEY"

// NewKey returns a key for NewSigner, as it is kept in a file.
func NewKey() ([]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: keyBlock, Bytes: der}), nil
}

// NewSigner returns a signer with a key of NewKey.
func NewSigner(text []byte) (*Signer, error) {
	block, _ := pem.Decode(text)
	if block == nil || block.Type != keyBlock {
		return nil, errors.New("the key for cards is no PEM file with a private key; remove it, and another one is made")
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("the key for cards: %w", err)
	}
	key, ok := parsed.(*ecdsa.PrivateKey)
	if !ok || key.Curve != elliptic.P256() {
		return nil, errors.New("the key for cards is not one of the curve P-256; remove it, and another one is made")
	}
	point, err := key.PublicKey.Bytes() // 4, X, Y
	if err != nil {
		return nil, err
	}
	encode := base64.RawURLEncoding.EncodeToString
	s := &Signer{key: key, jwk: jwk{Type: "EC", Curve: "P-256", X: encode(point[1:33]), Y: encode(point[33:])}}
	thumbprint, err := json.Marshal(map[string]string{"crv": s.jwk.Curve, "kty": s.jwk.Type, "x": s.jwk.X, "y": s.jwk.Y})
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(thumbprint) // RFC 7638
	s.id = encode(sum[:])
	s.jwk.ID, s.jwk.Use, s.jwk.Alg = s.id, "sig", "ES256"
	return s, nil
}

// keys returns the public key as a set (RFC 7517, 5).
func (s *Signer) keys() ([]byte, error) { return json.Marshal(map[string][]jwk{"keys": {s.jwk}}) }

// sign signs a card without signatures. keySet is where its key can be had. Clients of the protocol's SDKs
// leave out what is empty before they look at a signature, also where that is part of a value: where a card
// has such a member, one more signature is for them.
func (s *Signer) sign(card []byte, keySet string) ([]any, error) {
	var value any
	if err := json.Unmarshal(card, &value); err != nil {
		return nil, err
	}
	payload, err := jcs.Marshal(value)
	if err != nil {
		return nil, err
	}
	payloads := [][]byte{payload}
	if bare, err := jcs.Marshal(jcs.WithoutEmpty(value)); err != nil {
		return nil, err
	} else if !bytes.Equal(bare, payload) {
		payloads = append(payloads, bare)
	}
	var signatures []any
	for _, payload := range payloads {
		signature, err := s.signPayload(payload, keySet)
		if err != nil {
			return nil, err
		}
		signatures = append(signatures, signature)
	}
	return signatures, nil
}

func (s *Signer) signPayload(payload []byte, keySet string) (signed wire.AgentCardSignature, err error) {
	header, err := json.Marshal(map[string]string{"alg": "ES256", "typ": "JOSE", "kid": s.id, "jku": keySet})
	if err != nil {
		return signed, err
	}
	encode := base64.RawURLEncoding.EncodeToString
	protected := encode(header)
	sum := sha256.Sum256([]byte(protected + "." + encode(payload)))
	r, v, err := ecdsa.Sign(rand.Reader, s.key, sum[:])
	if err != nil {
		return signed, err
	}
	signature := make([]byte, 64) // RFC 7518, 3.4
	r.FillBytes(signature[:32])
	v.FillBytes(signature[32:])
	return wire.AgentCardSignature{Protected: protected, Signature: encode(signature)}, nil
}
