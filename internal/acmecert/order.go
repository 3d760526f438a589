package acmecert

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/crypto/acme"

	"github.com/a2a-acp/a2a-acp/internal/display"
)

// order has the authority give a certificate for a name, and keeps it. Its errors are lines for people.
func (c *Certificates) order(name string) (*tls.Certificate, error) {
	ctx, cancel := context.WithTimeout(c.ctx, c.times.order)
	defer cancel()
	client, err := c.client()
	if err != nil {
		return nil, err
	}
	defer client.HTTPClient.CloseIdleConnections()
	made, err := c.ask(ctx, client, name)
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("the authority did not answer in time (%w)", context.DeadlineExceeded)
	}
	if err != nil {
		return nil, &saidError{err}
	}
	return made, nil
}

// ask goes the way of an order (RFC 8555, section 7.1).
func (c *Certificates) ask(ctx context.Context, client *acme.Client, name string) (*tls.Certificate, error) {
	var contact []string
	if c.o.Spec.Email != "" {
		contact = []string{"mailto:" + c.o.Spec.Email}
	}
	_, err := client.Register(ctx, &acme.Account{Contact: contact}, acme.AcceptTOS)
	if err != nil && !errors.Is(err, acme.ErrAccountAlreadyExists) {
		return nil, fmt.Errorf("the account: %w", err)
	}
	order, err := client.AuthorizeOrder(ctx, acme.DomainIDs(name))
	if err != nil {
		return nil, fmt.Errorf("the order: %w", err)
	}
	for _, at := range order.AuthzURLs[:min(len(order.AuthzURLs), 1)] { // one name, one proof
		if err := c.prove(ctx, client, name, at); err != nil {
			return nil, err
		}
	}
	if order, err = client.WaitOrder(ctx, order.URI); err != nil {
		return nil, fmt.Errorf("the order: %w", err)
	}
	key, block, err := newKey()
	if err != nil {
		return nil, err
	}
	request, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{DNSNames: []string{name}}, key)
	if err != nil {
		return nil, err
	}
	chain, _, err := client.CreateCertFromOrder(ctx, order, request, true)
	if err != nil {
		return nil, fmt.Errorf("the certificate: %w", err)
	}
	return c.files.keep(name, block, chain, c.o.Now())
}

// prove has the authority see that a name is ours.
func (c *Certificates) prove(ctx context.Context, client *acme.Client, name, at string) error {
	z, err := client.GetAuthorization(ctx, at)
	switch {
	case err != nil:
		return fmt.Errorf("the proof: %w", err)
	case z.Status == acme.StatusValid: // not long ago, for an order before
		return nil
	case z.Identifier.Value != name:
		return errors.New("the proof: the authority asks about another name")
	}
	i := slices.IndexFunc(z.Challenges, func(offered *acme.Challenge) bool { return offered.Type == "tls-alpn-01" })
	if i < 0 {
		return errors.New("the proof: the authority does not offer tls-alpn-01, which is the only one that is known here")
	}
	shown, err := client.TLSALPN01ChallengeCert(z.Challenges[i].Token, name)
	if err != nil {
		return fmt.Errorf("the proof: %w", err)
	}
	c.show(name, &shown)
	defer c.show(name, nil)
	if _, err := client.Accept(ctx, z.Challenges[i]); err != nil {
		return fmt.Errorf("the proof: %w", err)
	}
	if _, err := client.WaitAuthorization(ctx, z.URI); err != nil {
		return fmt.Errorf("the proof: %w", err)
	}
	return nil
}

// show has clients that ask as the authority does see a certificate; nil for none.
func (c *Certificates) show(name string, shown *tls.Certificate) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if shown == nil {
		delete(c.challenges, name)
	} else {
		c.challenges[name] = shown
	}
}

// longestSaid bounds what is shown of an error, in bytes: it may hold the authority's own words.
const longestSaid = 500

// saidError is an error in a line that a terminal shows as it is.
type saidError struct{ err error }

func (e *saidError) Error() string {
	text := strings.TrimSuffix(e.err.Error(), ":")
	var refused *acme.AuthorizationError
	var shape *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(e.err, &refused) && len(refused.Errors) > 0:
		text = "the proof: " + errors.Join(refused.Errors...).Error()
	case errors.As(e.err, &shape) || errors.As(e.err, &syntax) || errors.Is(e.err, io.ErrUnexpectedEOF):
		text = "what answers there is no ACME authority"
	}
	text = display.Line(strings.Join(strings.Fields(strings.ToValidUTF8(text, "�")), " "))
	if len(text) > longestSaid {
		text = display.Cut(text, longestSaid) + "…"
	}
	return text
}

// Unwrap returns the error itself.
func (e *saidError) Unwrap() error { return e.err }
