package webhook

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// The headers of Standard Webhooks (github.com/standard-webhooks/standard-webhooks, spec).
const (
	headerID        = "Webhook-Id"
	headerTimestamp = "Webhook-Timestamp"
	headerSignature = "Webhook-Signature"
)

// shortestKey is how many bytes a key to sign with must have. The specification wants 24 to 64.
const shortestKey = 16

// signingKey reads a secret as its receiver does: base64 behind whsec_, else the very bytes of it. The error
// holds nothing of it.
func signingKey(secret string) ([]byte, error) {
	key := []byte(secret)
	if encoded, prefixed := strings.CutPrefix(secret, "whsec_"); prefixed {
		var err error
		if key, err = base64.StdEncoding.DecodeString(encoded); err != nil {
			return nil, errors.New("what stands behind whsec_ is no base64")
		}
	}
	if len(key) < shortestKey {
		return nil, fmt.Errorf("it has %d bytes, which can be guessed; make one of 32: "+
			"echo whsec_$(head -c 32 /dev/urandom | base64)", len(key))
	}
	return key, nil
}

// sign puts the headers of Standard Webhooks on a request: a signature with each key, secret ones and private
// ones. Without keys there is no signature.
func sign(header http.Header, id string, at time.Time, body []byte, keys [][]byte, private []ed25519.PrivateKey) {
	seconds := strconv.FormatInt(at.Unix(), 10)
	header.Set(headerID, id)
	header.Set(headerTimestamp, seconds)
	var signatures []string
	content := id + "." + seconds + "."
	for _, key := range keys {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(content))
		mac.Write(body)
		signatures = append(signatures, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	for _, key := range private {
		signatures = append(signatures,
			"v1a,"+base64.StdEncoding.EncodeToString(ed25519.Sign(key, append([]byte(content), body...))))
	}
	if signatures != nil {
		header.Set(headerSignature, strings.Join(signatures, " "))
	}
}
