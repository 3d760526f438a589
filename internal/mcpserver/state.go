package mcpserver

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/ndjson"
)

// states signs what clients carry from one round of a request to the next. The server remembers nothing of
// it, so each says all that it depends on.
type states struct {
	key func() ([]byte, error)
	now func() time.Time
}

// stateLife is how long a client may take to come back: as long as a person may take who is asked.
const stateLife = 15 * time.Minute

// sealed is what a state says.
type sealed struct {
	State string `json:"s,omitempty"`
	About string `json:"a"` // a hash of the principal, the method and what the request is about
	Until int64  `json:"u"` // seconds since 1970
}

// seal returns a state that only the same principal can bring back, with the same request.
func (s states) seal(state, principal, method string, about []byte) (string, error) {
	text, err := json.Marshal(sealed{state, hashOf(principal, method, about), s.now().Add(stateLife).Unix()})
	if err != nil {
		return "", err
	}
	key, err := s.key()
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(text) + "." + base64.RawURLEncoding.EncodeToString(sign(key, text)), nil
}

// The reasons why a state is refused. Whoever bent it learns no more than that.
var (
	errState     = errors.New("this is not what was given for this request")
	errStateLate = errors.New("it took too long; make the call again")
)

// longestState is how many characters of a state are looked at.
const longestState = 64 << 10

// open returns the state that seal was given.
func (s states) open(text, principal, method string, about []byte) (string, error) {
	if len(text) > longestState || strings.ContainsAny(text, "\r\n") { // which decoding passes over
		return "", errState
	}
	first, second, ok := strings.Cut(text, ".")
	strict := base64.RawURLEncoding.Strict()
	said, err := strict.DecodeString(first)
	mark, err2 := strict.DecodeString(second)
	key, err3 := s.key()
	if !ok || err != nil || err2 != nil || err3 != nil || !hmac.Equal(mark, sign(key, said)) {
		return "", errState
	}
	var in sealed
	if json.Unmarshal(said, &in) != nil || in.About != hashOf(principal, method, about) {
		return "", errState
	}
	if s.now().Unix() >= in.Until {
		return "", errStateLate
	}
	return in.State, nil
}

func sign(key, text []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("mcp request state v1\n"))
	mac.Write(text)
	return mac.Sum(nil)
}

// hashOf tells requests apart, and who makes them.
func hashOf(principal, method string, about []byte) string {
	sum := sha256.New()
	for _, part := range [][]byte{[]byte(principal), []byte(method), about} {
		size := len(part)
		sum.Write([]byte{byte(size >> 24), byte(size >> 16), byte(size >> 8), byte(size)})
		sum.Write(part)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// canonical returns arguments in one spelling, since a client may write them otherwise when it comes back.
func canonical(arguments []byte) []byte {
	if len(arguments) == 0 || ndjson.Strict(arguments) != nil {
		return arguments
	}
	decoder := json.NewDecoder(bytes.NewReader(arguments))
	decoder.UseNumber()
	var v any
	if decoder.Decode(&v) != nil {
		return arguments
	}
	text, err := json.Marshal(v)
	if err != nil {
		return arguments
	}
	return text
}
