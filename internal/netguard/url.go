package netguard

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// longestURL bounds a URL.
const longestURL = 2048

// WebPorts are the ports at which anybody's server may be reached: what else listens on a machine (a
// database, a mail server) should get no requests of ours.
func WebPorts() []uint16 { return []uint16{443, 8443} }

// CheckURL reads a URL that somebody wants requests sent to, as strictly as its strictest reader would: what
// two readers could take for two hosts is refused, whatever it is that ours takes it for. It looks nothing
// up; what a name means is found out, and looked at, with each connection.
//
// The scheme is https. To this machine it may be http, where its address is allowed by number, since nothing
// that is sent there leaves it.
func (g *Guard) CheckURL(text string) (*url.URL, error) {
	if len(text) > longestURL {
		return nil, fmt.Errorf("it has more than %d characters", longestURL)
	}
	for _, r := range text {
		if r <= ' ' || r > '~' || r == '\\' {
			return nil, errors.New("it holds a blank, a backslash, or a character beyond ASCII; write it percent-encoded, " +
				"and a name with such letters as xn--…")
		}
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil, errors.New("it is no URL") // the library's own words repeat it, and it may hold a token
	}
	switch {
	case u.User != nil:
		return nil, errors.New("a name and a password in it would be shown and recorded; give them as authentication")
	case u.Opaque != "" || u.Host == "" || u.Hostname() == "":
		return nil, errors.New("want https:// and a host")
	case u.Fragment != "" || strings.Contains(text, "#"):
		return nil, errors.New("what stands behind # is never sent")
	case u.Scheme != "https" && u.Scheme != "http":
		return nil, errors.New("want https://")
	}
	if err := checkHost(u.Hostname()); err != nil {
		return nil, err
	}
	if strings.HasSuffix(u.Host, ":") {
		return nil, errors.New("a port is missing behind the colon")
	}
	if u.Scheme == "http" && !g.allowsPlain(u.Hostname()) {
		return nil, errors.New("want https://; http:// is for an address of this machine that allow_addresses names, " +
			"such as 127.0.0.1")
	}
	port, err := portOf(u)
	if err != nil {
		return nil, err
	}
	if address, literal := netip.ParseAddr(u.Hostname()); literal == nil {
		if why := g.refuses(address); why != "" {
			return nil, &RefusedError{Host: u.Hostname(), Address: address, Why: why}
		}
		if !g.reaches(port, []netip.Addr{address}) {
			return nil, g.portError(port)
		}
	}
	if len(g.Allow) == 0 && !g.reaches(port, nil) {
		return nil, g.portError(port)
	}
	return u, nil
}

// CheckHost says why connections to a host are refused whatever is looked up, as a RefusedError; nil where that is found out
// with each. Of localhost everybody knows what it is (RFC 6761, 6.3).
func (g *Guard) CheckHost(host string) error {
	addresses := []netip.Addr{netip.MustParseAddr("127.0.0.1"), netip.IPv6Loopback()}
	if !strings.EqualFold(host, "localhost") {
		address, err := netip.ParseAddr(host)
		if err != nil {
			return nil //nolint:nilerr // it is a name
		}
		addresses = []netip.Addr{address}
	}
	var refused error
	for _, address := range addresses { // a machine may have one of the two alone
		why := g.refuses(address)
		if why == "" {
			return nil
		}
		if refused == nil {
			refused = &RefusedError{Host: host, Address: address, Why: why}
		}
	}
	return refused
}

// allowsPlain reports whether a host may be spoken to in the clear: this machine, by a number that is
// allowed. What localhost is comes out when it is dialed.
func (g *Guard) allowsPlain(host string) bool {
	address, err := netip.ParseAddr(host)
	if err == nil {
		return address.Unmap().IsLoopback() && g.allows(address.Unmap())
	}
	return strings.EqualFold(host, "localhost") && slices.ContainsFunc(g.Allow, func(allowed netip.Prefix) bool {
		return allowed.Addr().IsLoopback()
	})
}

// portOf returns the port that a URL means.
func portOf(u *url.URL) (uint16, error) {
	switch text := u.Port(); {
	case text == "" && u.Scheme == "http":
		return 80, nil
	case text == "":
		return 443, nil
	default:
		port, err := strconv.ParseUint(text, 10, 16)
		if err != nil || port == 0 || text[0] == '0' {
			return 0, fmt.Errorf("want a port from 1 to 65535, found %q", text)
		}
		return uint16(port), nil
	}
}

// checkHost refuses what is no plain name or address. Many programs read 127.1, 0177.0.0.1, 2130706433 and
// 0x7f000001 as addresses of this machine, as inet_aton(3) does; whoever writes one has something in mind.
func checkHost(host string) error {
	if address, err := netip.ParseAddr(host); err == nil {
		if address.Zone() != "" {
			return errors.New("an address with a zone is only one machine's own")
		}
		return nil
	}
	if len(host) > 253 {
		return errors.New("the host has more than 253 characters")
	}
	labels := strings.Split(host, ".")
	for _, label := range labels {
		switch {
		case label == "":
			return errors.New("the host has an empty part: write it without a dot at its end, and with one between two parts")
		case len(label) > 63:
			return errors.New("a part of the host has more than 63 characters")
		case strings.ContainsFunc(label, notInName):
			return errors.New("the host is neither a name, of letters, digits, - and _, nor an address")
		}
	}
	last := strings.ToLower(labels[len(labels)-1])
	if strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x") && strings.Trim(last[2:], "0123456789abcdef") == "" {
		return errors.New("the host is a number in a spelling that programs read differently; write an address as 127.0.0.1 or [::1]")
	}
	return nil
}

func notInName(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_')
}
