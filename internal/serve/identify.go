package serve

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net/http"
	"strings"
)

// errNoCredential and its like say why nobody is known to have made a request. Their texts may be told.
var (
	errNoCredential    = errors.New("no token was shown")
	errWrongCredential = errors.New("the token is not one of this daemon's")
	errTwoCredentials  = errors.New("more than one token was shown")
	errOtherScheme     = errors.New("only Bearer tokens and X-API-Key are taken")
)

// identities are whom the daemon knows. They never change.
type identities struct {
	known []known
	open  *Principal // who everybody is, where nobody has to show anything
}

// known is a principal with the digest of its token, so that the comparison takes the same time for all of
// them whatever their lengths.
type known struct {
	digest    [sha256.Size]byte
	principal *Principal
}

func newKnown(p Principal, token string) known {
	p.token = &token
	return known{sha256.Sum256([]byte(token)), &p}
}

// identify returns who has made a request.
func (ids *identities) identify(r *http.Request) (*Principal, error) {
	token, err := credential(r.Header)
	switch {
	case err != nil:
		return nil, err
	case token != "":
		return ids.byToken(token)
	case ids.open != nil:
		return ids.open, nil
	}
	return nil, errNoCredential
}

// byToken returns whose token it is.
func (ids *identities) byToken(token string) (*Principal, error) {
	digest := sha256.Sum256([]byte(token))
	var found *Principal
	for i := range ids.known { // all of them, whichever it is
		if subtle.ConstantTimeCompare(digest[:], ids.known[i].digest[:]) == 1 {
			found = ids.known[i].principal
		}
	}
	if found == nil {
		return nil, errWrongCredential
	}
	return found, nil
}

// credential returns the token that a request shows; "" when it shows none.
func credential(h http.Header) (string, error) {
	bearers, keys := h.Values("Authorization"), h.Values("X-Api-Key")
	switch {
	case len(bearers)+len(keys) > 1:
		return "", errTwoCredentials
	case len(keys) == 1:
		return strings.TrimSpace(keys[0]), nil
	case len(bearers) == 0:
		return "", nil
	}
	scheme, token, _ := strings.Cut(bearers[0], " ")
	if token = strings.TrimSpace(token); !strings.EqualFold(scheme, "Bearer") || token == "" {
		return "", errOtherScheme
	}
	return token, nil
}
