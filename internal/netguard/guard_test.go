package netguard

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync/atomic"
	"testing"
)

func TestRefuses(t *testing.T) {
	t.Parallel()
	allowed := &Guard{Allow: []netip.Prefix{
		netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("127.0.0.1/32"), netip.MustParsePrefix("169.254.0.0/16"), netip.MustParsePrefix("100.100.100.200/32"),
		netip.MustParsePrefix("fd00::/8"),
	}}
	for _, test := range []struct {
		address        string
		public, opened bool // reached by a Guard without Allow, and by one with it
	}{
		{"93.184.216.34", true, true}, {"8.8.8.8", true, true}, {"2606:2800:220:1:248:1893:25c8:1946", true, true}, {"172.32.0.1", true, true},
		{"127.0.0.1", false, true}, {"127.0.0.2", false, false}, {"127.255.255.255", false, false}, {"::1", false, false},
		{"0.0.0.0", false, false}, {"0.1.2.3", false, false}, {"::", false, false},
		{"10.0.0.1", false, false}, {"10.1.2.3", false, true}, {"172.16.0.1", false, false}, {"172.31.255.255", false, false}, {"192.168.1.1", false, false},
		{"169.254.1.1", false, true}, {"169.254.169.254", false, false}, {"169.254.170.2", false, false}, {"fe80::1", false, false}, {"fe80::1%eth0", false, false},
		{"100.64.0.1", false, false}, {"100.100.100.200", false, true}, {"168.63.129.16", false, false}, {"192.0.0.192", false, false},
		{"fd00:ec2::254", false, false}, {"fd12:3456::1", false, true}, {"fc00::1", false, false},
		{"224.0.0.1", false, false}, {"255.255.255.255", false, false}, {"240.0.0.1", false, false}, {"ff02::1", false, false},
		{"198.18.0.1", false, false}, {"192.0.2.1", false, false}, {"198.51.100.7", false, false}, {"203.0.113.9", false, false}, {"2001:db8::1", false, false},
		{"2606:4700::1%lo", false, false}, {"4000::1", false, false}, {"64:ff9b:1::808:808", false, false}, {"2001:20::1", false, false},
		// The same in other clothes.
		{"::ffff:127.0.0.1", false, true}, {"::ffff:169.254.169.254", false, false}, {"::ffff:8.8.8.8", true, true},
		{"64:ff9b::7f00:1", false, true}, {"64:ff9b::a9fe:a9fe", false, false}, {"64:ff9b:1::a00:1", false, false}, {"64:ff9b::808:808", true, true},
		{"2002:7f00:2::1", false, false}, {"2002:a9fe:a9fe::", false, false}, {"2002:808:808::1", true, true},
		{"2001:0:a00:1::f7f7:f7f7", false, false}, {"2001:0:808:808::5601:5601", false, false}, {"::7f00:2", false, false}, {"::ffff:0:a00:1", false, false}, {"2606:4700::5efe:a00:1", false, false}, {"2606:4700::5efe:808:808", true, true}, {"::a9fe:a9fe", false, false},
	} {
		address := netip.MustParseAddr(test.address)
		if why := (&Guard{}).refuses(address); (why == "") != test.public {
			t.Errorf("%s: refused with %q, want public %t", test.address, why, test.public)
		}
		if why := allowed.refuses(address); (why == "") != test.opened {
			t.Errorf("%s: refused with %q by one that allows some, want reached %t", test.address, why, test.opened)
		}
	}
	if (&Guard{}).refuses(netip.Addr{}) == "" {
		t.Error("the zero address is reached")
	}
}

// names answers each time with the next addresses.
type names struct {
	answers [][]netip.Addr
	asked   atomic.Int32
}

func (n *names) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	i := int(n.asked.Add(1)) - 1
	return n.answers[min(i, len(n.answers)-1)], nil
}

func addresses(texts ...string) []netip.Addr {
	var list []netip.Addr
	for _, text := range texts {
		list = append(list, netip.MustParseAddr(text))
	}
	return list
}

// TestDial checks that a connection is made to the address that was looked at, once, and to none that is
// refused.
func TestDial(t *testing.T) {
	t.Parallel()
	var reached atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	t.Cleanup(server.Close)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	loopback := []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
	for name, test := range map[string]struct {
		guard   *Guard
		host    string
		reached bool
	}{
		"a number":                         {&Guard{}, "127.0.0.1", false},
		"a number that is allowed":         {&Guard{Allow: loopback}, "127.0.0.1", true},
		"a name of this machine":           {&Guard{Resolver: &names{answers: [][]netip.Addr{addresses("127.0.0.1")}}}, "public.example", false},
		"a name whose address is allowed":  {&Guard{Allow: loopback, Resolver: &names{answers: [][]netip.Addr{addresses("127.0.0.1")}}}, "public.example", true},
		"a name of both kinds":             {&Guard{Allow: loopback, Resolver: &names{answers: [][]netip.Addr{addresses("127.0.0.1", "10.0.0.1")}}}, "public.example", false},
		"a name that is mapped":            {&Guard{Resolver: &names{answers: [][]netip.Addr{addresses("::ffff:127.0.0.1")}}}, "public.example", false},
		"a name without an address":        {&Guard{Resolver: &names{answers: [][]netip.Addr{nil}}}, "public.example", false},
		"a spelling that only some accept": {&Guard{Resolver: &names{answers: [][]netip.Addr{addresses("127.0.0.1")}}}, "0x7f.1", false},
	} {
		t.Run(name, func(t *testing.T) {
			conn, err := test.guard.DialContext(t.Context(), "tcp", net.JoinHostPort(test.host, port))
			if conn != nil {
				conn.Close()
			}
			if (err == nil) != test.reached {
				t.Errorf("got %v, want reached %t", err, test.reached)
			}
			var refused *RefusedError
			if err != nil && name != "a name without an address" && !errors.As(err, &refused) {
				t.Errorf("got %v, want a refusal", err)
			}
		})
	}
}

// TestRebinding checks that a name is asked for once for each connection: what it says later, to somebody
// else, changes nothing.
func TestRebinding(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(server.Close)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	first := &names{answers: [][]netip.Addr{addresses("127.0.0.1"), addresses("127.0.0.2")}}
	guard := &Guard{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}, Resolver: first}
	conn, err := guard.DialContext(t.Context(), "tcp", "rebind.example:"+port)
	if err != nil {
		t.Fatal(err)
	}
	if got := conn.RemoteAddr().(*net.TCPAddr).IP.String(); got != "127.0.0.1" || first.asked.Load() != 1 {
		t.Errorf("it was made to %s after %d questions", got, first.asked.Load())
	}
	conn.Close()
	if conn, err := guard.DialContext(t.Context(), "tcp", "rebind.example:"+port); err == nil {
		conn.Close()
		t.Error("the second answer was believed because of the first")
	}
	// Whatever stands between the look and the socket, the socket's own address is looked at.
	if err := (&Guard{}).control("x")("tcp", "169.254.169.254:80", nil); err == nil {
		t.Error("the socket's own address is not looked at")
	}
}
