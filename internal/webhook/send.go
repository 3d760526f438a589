package webhook

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/display"
	"github.com/a2a-acp/a2a-acp/internal/netguard"
	"github.com/a2a-acp/a2a-acp/internal/secret"
)

// The bounds of what is read of a receiver's answer.
const (
	shownAnswer = 300      // bytes, for people
	mostAnswer  = 64 << 10 // bytes; what is longer costs the connection
	answerTime  = time.Second
)

// answer is what came of an attempt.
type answer struct {
	status int           // of HTTP; 0 where there was none
	after  time.Duration // when the receiver wants the next attempt; 0 where it does not say
	// ours says that nothing was sent, for a reason on this machine.
	ours bool
	// why it is no success, in a line for people; "" for one. It holds no secret of the request, and nothing
	// that a terminal would obey.
	why  string
	took time.Duration
}

func (a answer) ok() bool { return a.why == "" }

// gone reports whether the receiver wants nothing any more.
func (a answer) gone() bool { return a.status == http.StatusGone }

// sender makes requests. It is safe for concurrent use.
type sender struct {
	vault    Vault
	keys     *Keys
	now      func() time.Time
	version  string
	resolver netguard.Resolver // of tests; nil for the system's

	mu      sync.Mutex
	clients map[string]*http.Client // by what they may reach
}

// send makes one attempt.
func (s *sender) send(ctx context.Context, t *Target, item *Item) answer {
	began := s.now()
	c, err := t.resolve(ctx, s.vault)
	fail := func(a answer, err error) answer {
		a.why, a.took = shown(secret.New(c.values...), err.Error()), s.now().Sub(began)
		return a
	}
	if err != nil {
		return fail(answer{ours: true}, err)
	}
	private, err := s.privateKeys(t)
	if err != nil {
		return fail(answer{ours: true}, err)
	}
	client, err := s.client(t, c.url.Scheme == "http")
	if err != nil {
		return fail(answer{ours: true}, err)
	}
	timeout := t.Timeout
	if timeout == 0 {
		timeout = DefaultTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url.String(), bytes.NewReader(item.Body))
	if err != nil {
		return fail(answer{ours: true}, errors.New("the request cannot be made"))
	}
	request.Header = c.header
	for name, values := range item.Header {
		request.Header[name] = values
	}
	request.Header.Set("Content-Type", item.ContentType)
	request.Header.Set("User-Agent", strings.TrimSuffix("a2a-acp/"+s.version, "/"))
	sign(request.Header, item.ID, s.now(), item.Body, c.keys, private)
	response, err := client.Do(request)
	if err != nil {
		return fail(answer{}, reason(err, timeout))
	}
	defer response.Body.Close()
	// It has answered. What else it says may take as long as that, and no longer.
	defer time.AfterFunc(answerTime, cancel).Stop()
	a := answer{status: response.StatusCode}
	if a.status < 200 || a.status > 299 {
		a.after = retryAfter(response.Header, s.now())
		said, _ := io.ReadAll(io.LimitReader(response.Body, shownAnswer)) // as far as it comes
		return fail(a, refusal(response.StatusCode, said))
	}
	io.Copy(io.Discard, io.LimitReader(response.Body, mostAnswer)) //nolint:errcheck // the status is the answer
	a.took = s.now().Sub(began)
	return a
}

// privateKeys returns the keys that a target wants requests signed with.
func (s *sender) privateKeys(t *Target) ([]ed25519.PrivateKey, error) {
	if !t.Signing.Ed25519 {
		return nil, nil
	}
	return s.keys.private()
}

// refusal says what a receiver has answered that is no success.
func refusal(status int, said []byte) error {
	text := fmt.Sprintf("it answers with HTTP status %d", status)
	if status >= 300 && status <= 399 {
		text += ", and is not followed elsewhere"
	}
	if said := strings.TrimSpace(string(said)); said != "" {
		text += ": " + said
	}
	return errors.New(text)
}

// reason is an error of a request without its URL, which may hold a token.
func reason(err error, timeout time.Duration) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("it did not answer within %s", timeout)
	}
	var of *url.Error
	if errors.As(err, &of) {
		err = of.Err
	}
	return err
}

// shown is a line about an attempt as a person may see it.
func shown(hide *secret.Redactor, text string) string {
	text = display.Line(strings.ToValidUTF8(hide.Cut(text), "�"))
	if len(text) > 2*shownAnswer {
		text = display.Cut(text, 2*shownAnswer) + "…"
	}
	return text
}

// client returns what makes the requests to a target. Those that may reach the same share it, and with it the
// connections that are kept.
func (s *sender) client(t *Target, plain bool) (*http.Client, error) {
	reach := []any{plain, t.Allow, t.Ports, t.CAFile}
	if t.CAFile != "" { // as it is now: certificates are replaced
		info, err := os.Stat(t.CAFile)
		if err != nil {
			return nil, fmt.Errorf("ca_file: %w", err)
		}
		reach = append(reach, info.ModTime(), info.Size())
	}
	key, err := json.Marshal(reach)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if client := s.clients[string(key)]; client != nil {
		return client, nil
	}
	transport := t.guard(plain, s.resolver).Transport()
	if t.CAFile != "" {
		text, err := os.ReadFile(t.CAFile)
		if err != nil {
			return nil, fmt.Errorf("ca_file: %w", err)
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("ca_file: there is no certificate in %s", t.CAFile)
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	client := &http.Client{Transport: netguard.WithoutUpgrade{Transport: transport},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	if s.clients == nil {
		s.clients = map[string]*http.Client{}
	}
	s.clients[string(key)] = client
	return client, nil
}

// forget closes the connections that are kept.
func (s *sender) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, client := range s.clients {
		client.CloseIdleConnections()
	}
	s.clients = nil
}
