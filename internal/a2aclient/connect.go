package a2aclient

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// ConnectOptions say which of a card's interfaces are taken.
type ConnectOptions struct {
	// Allow are origins beside the card's own that its interfaces may lead to, and to which the credential is shown
	// (see ReadOrigin).
	Allow []string
	// Binding is the one that is wanted (JSONRPC, HTTPJSON or GRPC), and Version (Version10 or Version03). Optional.
	Binding, Version string
}

// ElsewhereError says that a card leads only to where nobody has allowed it to.
type ElsewhereError struct {
	Card    string   // its origin
	Origins []string // where its interfaces are
}

func (e *ElsewhereError) Error() string {
	return fmt.Sprintf("the card of %s leads to %s, which was not asked for: nothing was sent there", e.Card,
		strings.Join(e.Origins, ", "))
}

// Connect takes the best of the interfaces of a card: 1.0 before 0.3, JSON-RPC before HTTP+JSON before gRPC. It makes no
// request.
func Connect(card *Card, o Options, c ConnectOptions) (*Client, error) {
	home := origin(card.URL)
	var best *Client
	var elsewhere, others []string
	for _, i := range card.Interfaces {
		version := i.version()
		u, err := i.parse(func(at string) bool { return at == home || slices.Contains(c.Allow, at) })
		switch {
		case err != nil || u.Host == "" || u.User != nil || u.Scheme != "http" && u.Scheme != "https":
			others = append(others, fmt.Sprintf("%.100q", i.URL))
			continue
		case i.Binding != JSONRPC && i.Binding != HTTPJSON && i.Binding != GRPC || version == "",
			c.Binding != "" && i.Binding != c.Binding, c.Version != "" && version != c.Version:
			others = append(others, i.Binding+" "+i.Version)
			continue
		}
		if at := origin(u); at != home && !slices.Contains(c.Allow, at) {
			if !slices.Contains(elsewhere, at) {
				elsewhere = append(elsewhere, at)
			}
			continue
		}
		found := &Client{x: newExchanger(o), Card: card, Interface: i, url: u, version: version}
		if best == nil || found.rank() < best.rank() {
			best = found
		}
	}
	switch {
	case best != nil:
		return best, nil
	case elsewhere != nil:
		return nil, &ElsewhereError{Card: home, Origins: elsewhere}
	case others != nil:
		return nil, fmt.Errorf("the card offers %s; spoken here are JSONRPC and HTTP+JSON of 1.0 and 0.3, and GRPC of 1.0",
			strings.Join(others, ", "))
	}
	return nil, fmt.Errorf("the card does not say where the agent is")
}

// rank says how much an interface is liked, the least the most.
func (c *Client) rank() int {
	rank := map[string]int{HTTPJSON: 1, GRPC: 2}[c.Interface.Binding]
	if c.version == Version03 {
		rank += 3
	}
	return rank
}

// parse reads the URL of an interface. One of gRPC may be a bare host and port, which is spoken to with TLS, or in the
// clear where only that is allowed, or where it is of this machine.
func (i Interface) parse(allowed func(origin string) bool) (*url.URL, error) {
	if i.Binding != GRPC {
		return url.Parse(i.URL)
	}
	scheme, rest, ok := strings.Cut(i.URL, "://")
	if ok {
		scheme = map[string]string{"grpc": "http", "grpcs": "https", "http": "http", "https": "https"}[scheme]
		return url.Parse(scheme + "://" + rest)
	}
	secret, err := url.Parse("https://" + i.URL)
	if err == nil && secret.Path != "" {
		err = fmt.Errorf("%.100q is no address of gRPC", i.URL) // unix:PATH, dns:NAME
	}
	if err != nil {
		return nil, err
	}
	plain := *secret
	plain.Scheme = "http"
	if !allowed(origin(secret)) && (allowed(origin(&plain)) || !Plain(&plain)) {
		return &plain, nil
	}
	return secret, nil
}

// URL returns where the agent is spoken to.
func (c *Client) URL() *url.URL {
	at := *c.url
	return &at
}
