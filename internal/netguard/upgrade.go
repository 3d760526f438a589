package netguard

import (
	"errors"
	"net/http"
)

// ErrUpgrade is why a request has no answer.
var ErrUpgrade = errors.New("it goes over to another protocol, which it was not asked to")

// WithoutUpgrade makes requests by a Transport, and takes no answer by which a server speaks something else on the
// connection from now on (101). No deadline would end the reading of one: a Transport gives such a connection away, and
// forgets it. It implements http.RoundTripper.
type WithoutUpgrade struct{ *http.Transport }

// RoundTrip implements http.RoundTripper.
func (t WithoutUpgrade) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := t.Transport.RoundTrip(r)
	if err == nil && answer.StatusCode == http.StatusSwitchingProtocols {
		return nil, errors.Join(ErrUpgrade, answer.Body.Close())
	}
	return answer, err
}
