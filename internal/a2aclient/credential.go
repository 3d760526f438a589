package a2aclient

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// Credential shows a server who calls. Its zero value shows nothing.
type Credential struct {
	Secret string
	// As says how it is shown: "bearer", "basic" (the secret is NAME:PASSWORD), or the name of a header; "" for
	// what the card wants.
	As string
}

// IsZero reports whether there is nothing to show.
func (c Credential) IsZero() bool { return c.Secret == "" }

// Format implements fmt.Formatter: whatever the verb, the secret is not shown.
func (c Credential) Format(f fmt.State, _ rune) { fmt.Fprint(f, "[credential]") }

// ours are headers that no card has a credential put into.
var ours = []string{"Host", "Connection", "Content-Length", "Content-Type", "Transfer-Encoding", "Te", "Trailer", "Upgrade",
	"Proxy-Authorization", "Accept", "A2a-Version", "Last-Event-Id"}

// header returns the header that shows the credential. card is nil where there is none yet.
func (c Credential) header(card *Card) (name, value string, err error) {
	if strings.ContainsFunc(c.Secret, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "", "", fmt.Errorf("the token holds a control character, such as a line end")
	}
	switch as := c.wanted(card); strings.ToLower(as) {
	case "bearer":
		return "Authorization", "Bearer " + c.Secret, nil
	case "basic":
		return "Authorization", "Basic " + base64.StdEncoding.EncodeToString([]byte(c.Secret)), nil
	default:
		name = http.CanonicalHeaderKey(as)
		if as == "" || strings.ContainsFunc(as, notInHeader) || slices.Contains(ours, name) {
			return "", "", fmt.Errorf("a credential cannot be shown in the header %.60q", as)
		}
		return name, c.Secret, nil
	}
}

// notInHeader reports whether a character cannot stand in the name of a header; of those that can (RFC 9110, 5.6.2)
// these are the ones that names of keys have.
func notInHeader(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_')
}

// wanted returns how the credential is shown: as a person said, else as the card wants it.
func (c Credential) wanted(card *Card) string {
	if c.As != "" || card == nil {
		return first(c.As, "bearer")
	}
	as := ""
	for _, s := range card.Schemes {
		switch {
		case s.Type == "oauth2", s.Type == "openIdConnect", s.Type == "http" && s.Scheme == "bearer":
			return "bearer"
		case s.Type == "apiKey" && s.In == "header" && (as == "" || as == "basic"):
			as = s.Param
		case s.Type == "http" && s.Scheme == "basic" && as == "":
			as = "basic"
		}
	}
	return first(as, "bearer")
}

func first(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}
