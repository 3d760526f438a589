package serve

import (
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"
)

// DefaultAddress is where the daemon listens when nobody says otherwise.
const DefaultAddress = "127.0.0.1:8642"

// Address is a place to listen at: HOST:PORT, http://HOST:PORT, https://HOST:PORT, or unix:PATH.
type Address struct {
	scheme string // http or https; "" for what the settings make of it
	host   string // HOST:PORT
	socket string // PATH
}

// ParseAddress reads an address.
func ParseAddress(text string) (Address, error) {
	if path, ok := strings.CutPrefix(text, "unix:"); ok {
		switch {
		case !filepath.IsAbs(path):
			return Address{}, fmt.Errorf("%q: want unix: and an absolute path", text)
		case len(path) > longestSocketPath:
			return Address{}, fmt.Errorf("%q: the path of a socket has %d bytes at most", text, longestSocketPath)
		}
		return Address{socket: filepath.Clean(path)}, nil
	}
	a := Address{host: text}
	if scheme, host, ok := strings.Cut(text, "://"); ok {
		a = Address{scheme: scheme, host: strings.TrimSuffix(host, "/")}
		if scheme != "http" && scheme != "https" {
			return Address{}, fmt.Errorf("%q: want http:// or https://", text)
		}
	}
	if _, port, err := net.SplitHostPort(a.host); err != nil || port == "" {
		return Address{}, fmt.Errorf("%q: want HOST:PORT, such as %s, or unix:/PATH", text, DefaultAddress)
	}
	return a, nil
}

// rules say which addresses may be listened at.
type rules struct {
	tls       bool // there is a certificate
	plaintext bool // other addresses than loopback may do without
	open      bool // nobody has to show a token
}

// secure reports whether TLS is spoken at an address, or why it cannot be listened at.
func (r rules) secure(a Address, loopback bool) (bool, error) {
	secure := r.tls && a.scheme != "http" || a.scheme == "https"
	refuse := func(why string) (bool, error) { return false, &SettingError{Err: errors.New(why)} }
	switch {
	case secure && !r.tls:
		return refuse("https needs a certificate: serve: {tls: {cert: FILE, key: FILE}} in a2a-acp.yaml, or tls: {acme: …}")
	case loopback:
		return secure, nil
	case r.open:
		return refuse("other machines reach this address, and with --no-auth nobody has to show a token: " +
			"listen at a loopback address, or leave --no-auth out")
	case !secure && !r.plaintext:
		return refuse("other machines reach this address, and their tokens would be read on the way: " +
			"name a certificate (serve: {tls: {cert: FILE, key: FILE}} in a2a-acp.yaml), or, behind a proxy that speaks TLS, " +
			"say serve: {plaintext: anywhere}")
	}
	return secure, nil
}
