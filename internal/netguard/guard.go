// Package netguard keeps requests that this program makes for others from reaching what only this machine,
// or its network, should reach: the addresses are looked at when the connection is made, and it is made to
// the very address that was looked at, so that a name which resolves otherwise a moment later (DNS
// rebinding) changes nothing.
//
// Only public addresses are reached, and those that a person has allowed by number. Names are never a
// reason to allow anything.
package netguard

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"syscall"
	"time"
)

// Resolver finds the addresses of a name. *net.Resolver is one.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Guard decides which addresses may be reached. The zero Guard reaches public ones only. It is safe for
// concurrent use.
type Guard struct {
	// Allow are addresses that may be reached although they are not public. A cloud's metadata service is
	// reached only where its very address is allowed, and not by a network that holds it.
	Allow []netip.Prefix
	// Only has no address reached but those of Allow.
	Only bool
	// Ports are those that are reached; nil for all. An address of Allow is reached at every one.
	Ports    []uint16
	Resolver Resolver // optional, default that of the system

	dial func(ctx context.Context, network, address string) (net.Conn, error) // of tests, which reach nothing
}

// RefusedError says which address was not reached, and why.
type RefusedError struct {
	Host    string
	Address netip.Addr // the zero Addr where the host itself is none
	Why     string
}

func (e *RefusedError) Error() string {
	if !e.Address.IsValid() {
		return fmt.Sprintf("%q is not reached: %s", e.Host, e.Why)
	}
	return fmt.Sprintf("%s is at %s, %s, which is not reached unless it is allowed by its number", e.Host,
		e.Address, e.Why)
}

// The time that a connection may take to be made, and bounds of what is kept open.
const (
	dialTimeout = 10 * time.Second
	idleTimeout = 30 * time.Second
)

// DialContext makes a connection (http.Transport.DialContext). Of a name that has several addresses none is
// reached when one of them is refused: who mixes them has something in mind.
func (g *Guard) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	addresses, err := g.resolve(ctx, host)
	if err != nil {
		return nil, err
	}
	for _, found := range addresses {
		if why := g.refuses(found); why != "" {
			return nil, &RefusedError{Host: host, Address: found, Why: why}
		}
	}
	if number, err := strconv.ParseUint(port, 10, 16); err != nil || !g.reaches(uint16(number), addresses) {
		return nil, g.portError(uint16(number))
	}
	dialer := net.Dialer{Timeout: dialTimeout, Control: g.control(host)}
	dial := dialer.DialContext
	if g.dial != nil {
		dial = g.dial
	}
	var errs []error
	for _, found := range addresses[:min(len(addresses), mostAddresses)] {
		conn, err := dial(ctx, network, net.JoinHostPort(found.String(), port))
		if err == nil {
			return conn, nil
		}
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}

// mostAddresses bounds how many addresses of a name are tried.
const mostAddresses = 8

func (g *Guard) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	if literal, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{literal}, nil
	}
	if err := checkHost(host); err != nil {
		return nil, &RefusedError{Host: host, Why: err.Error()}
	}
	var resolver Resolver = net.DefaultResolver
	if g.Resolver != nil {
		resolver = g.Resolver
	}
	addresses, err := resolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil, err
	}
	if len(addresses) == 0 {
		return nil, fmt.Errorf("%s has no address", host)
	}
	return addresses, nil
}

// control looks once more at the address of the socket itself, whatever happened on the way to it.
func (g *Guard) control(host string) func(network, address string, _ syscall.RawConn) error {
	return func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil {
			return fmt.Errorf("the address %q cannot be read: %w", address, err)
		}
		if why := g.refuses(at.Addr()); why != "" {
			return &RefusedError{Host: host, Address: at.Addr(), Why: why}
		}
		return nil
	}
}

// Transport makes an http.Transport that reaches what the guard lets it. It uses no proxy: the proxy would
// choose the address. The caller closes its idle connections.
func (g *Guard) Transport() *http.Transport {
	return &http.Transport{
		DialContext: g.DialContext, ForceAttemptHTTP2: true, MaxIdleConns: 16, MaxIdleConnsPerHost: 4,
		IdleConnTimeout: idleTimeout, TLSHandshakeTimeout: dialTimeout, MaxResponseHeaderBytes: 64 << 10,
	}
}
