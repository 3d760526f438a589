package acmecert

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"golang.org/x/crypto/acme"

	"github.com/a2a-acp/a2a-acp/internal/netguard"
)

// The bounds of a request to the authority.
const (
	longestAnswer = 1 << 20 // bytes
	mostTries     = 5       // of a request that the authority could not answer, or whose nonce was old
)

// times bound how long the authority is waited for.
type times struct {
	order   time.Duration // all of an order: the authority looks at the name, from several places, and signs
	request time.Duration // a request
	pause   time.Duration // before the first further try of one; each after that is as much longer
}

func defaultTimes() times {
	return times{order: 5 * time.Minute, request: 30 * time.Second, pause: 200 * time.Millisecond}
}

// client makes what speaks to the authority. The caller closes its idle connections.
func (c *Certificates) client() (*acme.Client, error) {
	key, err := c.files.account()
	if err != nil {
		return nil, err
	}
	guard := c.o.Spec.guard()
	transport := guard.Transport()
	if c.o.Spec.CA != "" {
		text, err := os.ReadFile(c.o.Spec.CA)
		if err != nil {
			return nil, fmt.Errorf("ca_file: %w", err)
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("ca_file: there is no certificate in %s", c.o.Spec.CA)
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	return &acme.Client{
		Key: key, DirectoryURL: c.o.Spec.directory(), UserAgent: "a2a-acp",
		HTTPClient: &http.Client{
			Transport: &guarded{guard, netguard.WithoutUpgrade{Transport: transport}}, Timeout: c.times.request,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		RetryBackoff: func(n int, _ *http.Request, answer *http.Response) time.Duration {
			if n > mostTries || answer != nil && answer.StatusCode == http.StatusTooManyRequests {
				return 0 // the schedule says when the next order is due
			}
			return time.Duration(n) * c.times.pause
		},
	}, nil
}

// guarded makes requests to what an authority may be. All URLs but the first are the authority's word.
type guarded struct {
	guard     *netguard.Guard
	transport netguard.WithoutUpgrade
}

// RoundTrip implements http.RoundTripper.
func (g *guarded) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme != "https" {
		return nil, fmt.Errorf("the authority names %s: want https://", r.URL.Redacted())
	}
	if _, err := g.guard.CheckURL(r.URL.String()); err != nil {
		return nil, fmt.Errorf("the authority names a URL that is not reached: %w", err)
	}
	answer, err := g.transport.RoundTrip(r)
	if err == nil {
		answer.Body = &bounded{io.LimitReader(answer.Body, longestAnswer), answer.Body}
	}
	return answer, err
}

// CloseIdleConnections lets http.Client.CloseIdleConnections close those of the transport.
func (g *guarded) CloseIdleConnections() { g.transport.CloseIdleConnections() }

// bounded is a body of which only so much is read.
type bounded struct {
	io.Reader
	io.Closer
}
