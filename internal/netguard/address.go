package netguard

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// refuses says why an address is not reached; "" when it is.
func (g *Guard) refuses(address netip.Addr) string {
	if !address.IsValid() {
		return "which is no address"
	}
	if address.Zone() != "" {
		return "an address with a zone, which is only this machine's own"
	}
	address = address.Unmap()
	for _, inside := range embedded(address) {
		if why := g.refuses(inside); why != "" {
			return why + " inside of it"
		}
	}
	why := notPublic(address)
	if g.Only && why == "" {
		why = "which is not among the addresses that are reached"
	}
	if why == "" || g.allows(address) {
		return ""
	}
	return why
}

// allows reports whether an address is allowed by its number.
func (g *Guard) allows(address netip.Addr) bool {
	for _, allowed := range g.Allow {
		if allowed.Contains(address) && (!metadata[address] || allowed.IsSingleIP()) {
			return true
		}
	}
	return false
}

// reaches reports whether a port is one that may be reached at all of some addresses: at those that are
// allowed by number every one is.
func (g *Guard) reaches(port uint16, addresses []netip.Addr) bool {
	if g.Ports == nil || slices.Contains(g.Ports, port) {
		return true
	}
	for _, address := range addresses {
		if !g.allows(address.Unmap()) {
			return false
		}
	}
	return len(addresses) > 0
}

func (g *Guard) portError(port uint16) error {
	return fmt.Errorf("port %d is not one that is reached; there is %s", port, strings.Trim(fmt.Sprint(g.Ports), "[]"))
}

// metadata are the addresses at which clouds tell a machine its credentials: AWS, GCP, Azure, Oracle and
// others; AWS by IPv6; Alibaba; Azure's host.
var metadata = map[netip.Addr]bool{
	netip.MustParseAddr("169.254.169.254"): true, netip.MustParseAddr("169.254.170.2"): true,
	netip.MustParseAddr("fd00:ec2::254"): true, netip.MustParseAddr("fd20:ce::254"): true,
	netip.MustParseAddr("100.100.100.200"): true, netip.MustParseAddr("168.63.129.16"): true,
	netip.MustParseAddr("192.0.0.192"): true,
}

// special are the networks that are not the public Internet (IANA's special-purpose address registries, RFC
// 6890).
var special = []struct {
	network netip.Prefix
	why     string
}{
	{netip.MustParsePrefix("0.0.0.0/8"), "this machine or network (RFC 1122)"},
	{netip.MustParsePrefix("10.0.0.0/8"), "a private address (RFC 1918)"},
	{netip.MustParsePrefix("100.64.0.0/10"), "a carrier's own address (RFC 6598)"},
	{netip.MustParsePrefix("127.0.0.0/8"), "this machine (loopback)"},
	{netip.MustParsePrefix("169.254.0.0/16"), "a link-local address"},
	{netip.MustParsePrefix("172.16.0.0/12"), "a private address (RFC 1918)"},
	{netip.MustParsePrefix("192.0.0.0/24"), "an address for protocols (RFC 6890)"},
	{netip.MustParsePrefix("192.0.2.0/24"), "an address for documents"},
	{netip.MustParsePrefix("192.88.99.0/24"), "an address of 6to4 relays"},
	{netip.MustParsePrefix("192.168.0.0/16"), "a private address (RFC 1918)"},
	{netip.MustParsePrefix("198.18.0.0/15"), "an address for measurements"},
	{netip.MustParsePrefix("198.51.100.0/24"), "an address for documents"},
	{netip.MustParsePrefix("203.0.113.0/24"), "an address for documents"},
	{netip.MustParsePrefix("224.0.0.0/4"), "an address of many (multicast)"},
	{netip.MustParsePrefix("240.0.0.0/4"), "a reserved address"},
	{netip.MustParsePrefix("::/128"), "no address"},
	{netip.MustParsePrefix("::1/128"), "this machine (loopback)"},
	{netip.MustParsePrefix("100::/64"), "an address that discards"},
	{netip.MustParsePrefix("64:ff9b:1::/48"), "an address of a translator of this network (RFC 8215)"},
	{netip.MustParsePrefix("100:0:0:1::/64"), "an address that leads nowhere (RFC 9780)"},
	{netip.MustParsePrefix("2001:2::/48"), "an address for measurements"},
	{netip.MustParsePrefix("2001:10::/28"), "an address that is none (ORCHID)"},
	{netip.MustParsePrefix("2001:20::/28"), "an address that is none (ORCHIDv2)"},
	{netip.MustParsePrefix("2001:db8::/32"), "an address for documents"},
	{netip.MustParsePrefix("3fff::/20"), "an address for documents"},
	{netip.MustParsePrefix("5f00::/16"), "an address for segment routing"},
	{netip.MustParsePrefix("fc00::/7"), "a private address (RFC 4193)"},
	{netip.MustParsePrefix("fe80::/10"), "a link-local address"},
	{netip.MustParsePrefix("fec0::/10"), "a site-local address"},
	{netip.MustParsePrefix("ff00::/8"), "an address of many (multicast)"},
}

func notPublic(address netip.Addr) string {
	if metadata[address] {
		return "a cloud's metadata service"
	}
	for _, s := range special {
		if s.network.Contains(address) {
			return s.why
		}
	}
	// What else the Internet has is in this one (RFC 4291, 2.4). The rest nobody has been given, or it is a
	// translator's.
	if address.Is6() && !global.Contains(address) && len(embedded(address)) == 0 {
		return "an address that is nobody's"
	}
	return ""
}

// global is the network of all public addresses of IPv6.
var global = netip.MustParsePrefix("2000::/3")

// embedded returns the IPv4 addresses that stand in an IPv6 address and that a translator on the way may
// mean: NAT64 (RFC 6052), 6to4 (RFC 3056), Teredo (RFC 4380, its bits turned over), IPv4-compatible (RFC
// 4291), IPv4-translated (RFC 2765), ISATAP (RFC 5214).
func embedded(address netip.Addr) []netip.Addr {
	if !address.Is6() {
		return nil
	}
	b := address.As16()
	v4 := func(at int) netip.Addr { return netip.AddrFrom4([4]byte(b[at : at+4])) }
	switch {
	case nat64.Contains(address), translated.Contains(address):
		return []netip.Addr{v4(12)}
	case sixToFour.Contains(address):
		return []netip.Addr{v4(2)}
	case teredo.Contains(address):
		for i := 12; i < 16; i++ {
			b[i] = ^b[i]
		}
		return []netip.Addr{v4(4), v4(12)}
	case compatible.Contains(address) && address != netip.IPv6Unspecified() && address != netip.IPv6Loopback():
		return []netip.Addr{v4(12)}
	case b[8]&^2 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe: // ISATAP
		return []netip.Addr{v4(12)}
	}
	return nil
}

// The networks of embedded.
var (
	nat64      = netip.MustParsePrefix("64:ff9b::/96")
	translated = netip.MustParsePrefix("::ffff:0:0:0/96")
	sixToFour  = netip.MustParsePrefix("2002::/16")
	teredo     = netip.MustParsePrefix("2001::/32")
	compatible = netip.MustParsePrefix("::/96")
)
