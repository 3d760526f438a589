package a2aclient

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// The bounds of what servers say.
const (
	mostCard   = 1 << 20
	mostAnswer = 64 << 20
	mostError  = 64 << 10
	mostHops   = 5
)

// Options say how servers are reached. The zero Options do for what a person has typed.
type Options struct {
	// Transport makes the connections. Optional, default one of the package's own, which uses the proxy of the
	// environment. A caller that acts on what others say hands one in that guards addresses.
	Transport http.RoundTripper
	// GRPC makes the connections of gRPC; see ForGRPC. Optional where Transport is left out, too.
	GRPC http.RoundTripper
	// Credential is shown to the origin that was typed, and to those that a person has allowed. Optional.
	Credential Credential
	// Keys are those of whom one trusts. A card has to be signed by one of them. Optional; without them, a card that is
	// signed is held against the keys of its own origin.
	Keys []jose.JSONWebKey
	// UserAgent is how the client calls itself. Optional.
	UserAgent string
	// Wait waits between two attempts. Optional, by default for that long, or until ctx ends.
	Wait func(ctx context.Context, d time.Duration) error
}

func (o Options) wait(ctx context.Context, d time.Duration) error {
	if o.Wait != nil {
		return o.Wait(ctx, d)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// NewTransport returns a transport that reaches what a person has typed.
func NewTransport() *http.Transport {
	dialer := net.Dialer{Timeout: 10 * time.Second}
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext, ForceAttemptHTTP2: true,
		TLSHandshakeTimeout: 10 * time.Second, IdleConnTimeout: 30 * time.Second, MaxResponseHeaderBytes: 64 << 10,
	}
}

// ForGRPC returns a transport like another one that speaks nothing but HTTP/2, also in the clear. Nothing is sent through a
// proxy in the clear, which would not understand it.
func ForGRPC(t *http.Transport) *http.Transport {
	t = t.Clone()
	t.Protocols = new(http.Protocols)
	t.Protocols.SetHTTP2(true)
	t.Protocols.SetUnencryptedHTTP2(true)
	if proxy := t.Proxy; proxy != nil {
		t.Proxy = func(r *http.Request) (*url.URL, error) {
			if r.URL.Scheme == "http" {
				return nil, nil
			}
			return proxy(r)
		}
	}
	return t
}

// ParseURL reads the URL of a server that a person has typed. A bare host is one of https, and of this machine one
// of http.
func ParseURL(text string) (*url.URL, error) {
	text = strings.TrimSpace(text)
	if !strings.Contains(text, "://") {
		host, _, _ := strings.Cut(text, "/")
		scheme := "https://"
		if name := (&url.URL{Host: host}).Hostname(); name == "localhost" || net.ParseIP(name).IsLoopback() {
			scheme = "http://"
		}
		text = scheme + text
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Opaque != "":
		return nil, fmt.Errorf("%q is no URL of a server; want one like https://agent.example", text)
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("%q: want http:// or https://", text)
	case u.User != nil:
		return nil, errors.New("a name and a password in a URL are seen by every process of this machine; " +
			"give them with --token env:NAME or --token file:PATH, and --auth basic")
	}
	u.Fragment, u.RawFragment = "", ""
	return u, nil
}

// origin returns the origin of a URL: scheme, host and port, as browsers tell them apart.
func origin(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Scheme + "://" + net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}

// ReadOrigin returns the origin that a person has typed.
func ReadOrigin(text string) (string, error) {
	u, err := ParseURL(text)
	if err != nil {
		return "", err
	}
	return origin(u), nil
}

// Plain reports whether what is sent to a URL can be read on its way.
func Plain(u *url.URL) bool {
	ip := net.ParseIP(u.Hostname())
	return u.Scheme == "http" && u.Hostname() != "localhost" && !ip.IsLoopback()
}

// RedirectError says where a server would have us go.
type RedirectError struct{ From, To string }

func (e *RedirectError) Error() string {
	return fmt.Sprintf("%s sends us on to %s, which was not asked for; give that URL if it is meant", e.From, e.To)
}

// exchanger makes requests of one server.
type exchanger struct {
	http *http.Client
	o    Options
}

func newExchanger(o Options) exchanger {
	if o.Transport == nil {
		transport := NewTransport()
		o.Transport, o.GRPC = transport, ForGRPC(transport)
	}
	return exchanger{o: o, http: &http.Client{Transport: o.Transport,
		CheckRedirect: func(next *http.Request, before []*http.Request) error {
			if len(before) > mostHops || before[0].Method != http.MethodGet || origin(next.URL) != origin(before[0].URL) {
				return http.ErrUseLastResponse // do says where it leads
			}
			return nil
		}}}
}

// do makes a request, and returns an answer that is none of an error. The caller closes its body.
func (x exchanger) do(ctx context.Context, method string, u *url.URL, header http.Header, body []byte) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, u.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header = header
	if body == nil {
		r.Body, r.GetBody = nil, nil
	} else if header.Get("Content-Type") == "" {
		header.Set("Content-Type", "application/json")
	}
	header.Set("User-Agent", first(x.o.UserAgent, "a2a-acp"))
	answer, err := x.http.Do(r)
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, err
	}
	if answer.StatusCode == http.StatusSwitchingProtocols { // of which nothing would end the reading
		return nil, errors.Join(errors.New("the server goes over to another protocol, which it was not asked to"), answer.Body.Close())
	}
	if answer.StatusCode >= 300 && answer.StatusCode < 400 {
		defer answer.Body.Close() //nolint:errcheck // nothing of it is read
		return nil, &RedirectError{From: u.String(), To: first(answer.Header.Get("Location"), "nowhere")}
	}
	if answer.StatusCode >= 400 {
		defer answer.Body.Close() //nolint:errcheck // it was read as far as it counts
		said, _ := io.ReadAll(io.LimitReader(answer.Body, mostError))
		return nil, errorOf(answer.StatusCode, said)
	}
	return answer, nil
}

// read makes a request, and returns the whole answer.
func (x exchanger) read(ctx context.Context, method string, u *url.URL, header http.Header, body []byte,
	most int64) ([]byte, error) {
	answer, err := x.do(ctx, method, u, header, body)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close() //nolint:errcheck // it was read to its end, or is too long
	return readAnswer(ctx, answer, most)
}

func readAnswer(ctx context.Context, answer *http.Response, most int64) ([]byte, error) {
	said, err := io.ReadAll(io.LimitReader(answer.Body, most+1))
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, fmt.Errorf("the answer breaks off: %w", err)
	case int64(len(said)) > most:
		return nil, fmt.Errorf("the answer is longer than %d MB", most>>20)
	}
	return said, nil
}

// streams reports whether an answer is a stream of events.
func streams(answer *http.Response) bool {
	kind, _, err := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	return err == nil && kind == "text/event-stream"
}
