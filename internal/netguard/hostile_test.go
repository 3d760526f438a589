package netguard

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// The hostile URLs. Each would reach something that only this machine or its network should reach, in some
// reader's eyes, or a port or a scheme that is none of ours. Behind a blank stand the addresses that its name
// has. Nothing is ever dialed: the tests have a dialer of their own.
const hostile = `
https://127.0.0.1/
https://127.0.0.1:8443/
https://127.0.0.2/
https://127.1.1.1/
https://127.255.255.254/
https://0.0.0.0/
https://0.1.2.3/
https://10.0.0.1/
https://10.255.255.255/
https://172.16.0.1/
https://172.31.255.255/
https://192.168.0.1/
https://192.168.255.255/
https://169.254.169.254/latest/meta-data/
https://169.254.170.2/v2/credentials
https://169.254.0.1/
https://100.64.0.1/
https://100.127.255.255/
https://100.100.100.200/latest/meta-data/
https://168.63.129.16/
https://192.0.0.1/
https://192.0.0.192/
https://192.0.2.1/
https://192.88.99.1/
https://198.18.0.1/
https://198.19.255.255/
https://198.51.100.1/
https://203.0.113.1/
https://224.0.0.1/
https://239.255.255.250/
https://240.0.0.1/
https://255.255.255.255/
https://[::1]/
https://[::1]:8443/
https://[0:0:0:0:0:0:0:1]/
https://[::]/
https://[::ffff:127.0.0.1]/
https://[::ffff:7f00:1]/
https://[::ffff:10.0.0.1]/
https://[::ffff:169.254.169.254]/
https://[::127.0.0.1]/
https://[::a9fe:a9fe]/
https://[::ffff:0:127.0.0.1]/
https://[64:ff9b::127.0.0.1]/
https://[64:ff9b::a9fe:a9fe]/
https://[64:ff9b::10.0.0.1]/
https://[64:ff9b:1::8.8.8.8]/
https://[64:ff9b:1:7f00:0:100::]/
https://[2002:7f00:1::]/
https://[2002:a9fe:a9fe::1]/
https://[2002:a00:1::1]/
https://[2002:c0a8:101::]/
https://[2001:0:7f00:1::f7f7:f7f7]/
https://[2001:0:808:808::80ff:fffe]/
https://[2001:db8::1]/
https://[2001:10::1]/
https://[2001:20::1]/
https://[2001:2::1]/
https://[3fff::1]/
https://[5f00::1]/
https://[100::1]/
https://[100:0:0:1::1]/
https://[4000::1]/
https://[8000::1]/
https://[200::1]/
https://[fc00::1]/
https://[fd00::1]/
https://[fd00:ec2::254]/
https://[fd20:ce::254]/
https://[fe80::1]/
https://[fe80::1%25eth0]/
https://[fe80::1%25lo]/
https://[2606:4700::1%25lo]/
https://[::1%25lo]/
https://[fec0::1]/
https://[ff02::1]/
https://[ff05::c]/
https://[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]/
https://[2606:4700::5efe:7f00:1]/
https://[2606:4700::200:5efe:10.0.0.1]/
https://127.1/
https://127.0.1/
https://127/
https://0/
https://0.0/
https://10.1/
https://2130706433/
https://2852039166/
https://4294967295/
https://017700000001/
https://0177.0.0.1/
https://0177.0.0.01/
https://127.0.0.01/
https://127.0.0.0x1/
https://010.0.0.1/
https://0x7f000001/
https://0x7F.0.0.1/
https://0x7f.1/
https://0xa9fea9fe/
https://0x0/
https://0x/
https://0x7f.0x0.0x0.0x1/
https://169.254.43518/
https://169.0xfea9fe/
https://1.1.1.1.1/
https://127.0.0.256/
https://localhost/ 127.0.0.1 ::1
https://LOCALHOST/ 127.0.0.1
https://localhost:8443/ ::1
https://localhost./ 127.0.0.1
https://127.0.0.1./
https://127.0.0.1../
https://.127.0.0.1/
https://127..0.0.1/
https://example..com/ 127.0.0.1
https://example.com./ 127.0.0.1
https://./ 127.0.0.1
https://ip6-localhost/ ::1
https://127.0.0.1.nip.example/ 127.0.0.1
https://metadata.google.internal/ 169.254.169.254
https://metadata/ 169.254.169.254
https://kubernetes.default.svc/ 10.96.0.1
https://router.lan/ 192.168.1.1
https://printer.local/ 169.254.9.9
https://cgnat.example/ 100.64.9.9
https://mapped.example/ ::ffff:127.0.0.1
https://nat64.example/ 64:ff9b::a00:1
https://teredo.example/ 2001:0:a00:1::f7f7:f7f7
https://sixtofour.example/ 2002:a00:1::
https://ula.example/ fd12::1
https://zero.example/ 0.0.0.0
https://unspecified.example/ ::
https://broadcast.example/ 255.255.255.255
https://multicast.example/ 224.0.0.251
https://mixed.example/ 93.184.216.34 127.0.0.1
https://mixed6.example/ 2606:4700::1 ::1
https://last.example/ 93.184.216.1 93.184.216.2 93.184.216.3 93.184.216.4 93.184.216.5 93.184.216.6 93.184.216.7 93.184.216.8 10.0.0.1
https://none.example/
https://%31%32%37.0.0.1/
https://127%2e0%2e0%2e1/
https://127.0.0.1%2f.example.com/
https://localhost%00.example.com/
https://localho%73t/
https://１２７.０.０.１/
https://①②⑦.0.0.1/
https://127。0。0。1/
https://127．0．0．1/
https://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/
https://loc\u00adalhost/
https://١٢٧.٠.٠.١/
https://münchen.example/ 93.184.216.34
https://user@127.0.0.1/
https://example.com@127.0.0.1/
https://example.com:443@127.0.0.1/
https://user:pass@example.com/ 93.184.216.34
https://127.0.0.1:443@example.com/ 93.184.216.34
https://example.com\@127.0.0.1/
https://example.com#@127.0.0.1/
https://127.0.0.1\t.example.com/
https://example.com:22/ 93.184.216.34
https://example.com:25/ 93.184.216.34
https://example.com:6379/ 93.184.216.34
https://example.com:0/ 93.184.216.34
https://example.com:65536/ 93.184.216.34
https://example.com:0443/ 93.184.216.34
https://example.com:-1/ 93.184.216.34
https://example.com:/ 93.184.216.34
https://93.184.216.34:8080/
http://example.com/ 93.184.216.34
http://93.184.216.34/
http://127.0.0.1/
http://localhost/ 127.0.0.1
http://169.254.169.254/
HTTP://example.com/ 93.184.216.34
file:///etc/passwd
ftp://example.com/ 93.184.216.34
gopher://127.0.0.1:6379/_FLUSHALL
unix:///run/docker.sock
dict://127.0.0.1:11211/stat
javascript:alert(1)
data:text/plain,x
//127.0.0.1/
https:127.0.0.1
https:/127.0.0.1/
https:///127.0.0.1/
https://
https://?x
https://:443/
https://[::1/
https://::1/
https://[127.0.0.1]/
https://[v1.fe80]/
127.0.0.1
`

// zone finds the addresses that a list of names has.
type zone map[string][]netip.Addr

func (z zone) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	found := z[strings.ToLower(strings.TrimSuffix(host, "."))]
	if len(found) == 0 {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return found, nil
}

var errDialed = errors.New("the dialer of the test connects to nothing")

// dialer notes what would have been connected to.
type dialer struct {
	mu   sync.Mutex
	seen []netip.AddrPort
}

func (d *dialer) dial(_ context.Context, _, address string) (net.Conn, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.seen = append(d.seen, netip.MustParseAddrPort(address))
	return nil, errDialed
}

// TestHostileURLs checks that no hostile URL is accepted, and that a request to it connects to nothing all the
// same, were it accepted.
func TestHostileURLs(t *testing.T) {
	t.Parallel()
	rows := strings.Split(strings.TrimSpace(hostile), "\n")
	if len(rows) < 150 {
		t.Fatalf("there are %d rows", len(rows))
	}
	for _, row := range rows {
		text, listed, _ := strings.Cut(row, " ")
		text = strings.NewReplacer(`\u00ad`, "\u00ad", `\t`, "\t").Replace(text)
		names := zone{}
		if listed != "" {
			host := strings.TrimPrefix(strings.TrimPrefix(strings.ToLower(text), "https://"), "http://")
			host, _, _ = strings.Cut(host[strings.LastIndex(host, "@")+1:], "/")
			host, _, _ = strings.Cut(host, ":")
			names[strings.TrimSuffix(host, ".")] = addresses(strings.Fields(listed)...)
		}
		var d dialer
		g := &Guard{Ports: WebPorts(), Resolver: names, dial: d.dial}
		u, accepted := g.CheckURL(text)
		byName := accepted == nil && net.ParseIP(u.Hostname()) == nil && (len(names) > 0 || strings.Contains(text, "none.example"))
		if accepted == nil && !byName {
			t.Errorf("%s was accepted", row)
		}
		if accepted != nil && strings.Contains(accepted.Error(), "pass@") {
			t.Errorf("%s: the password is in %q", row, accepted)
		}
		if strings.HasPrefix(strings.ToLower(text), "http:") {
			g.Only = true // as whoever speaks in the clear has it
		}
		transport := g.Transport()
		response, err := (&http.Client{Transport: transport}).Get(text)
		if err == nil {
			response.Body.Close()
			t.Errorf("%s: there was an answer", row)
		}
		// A public name with another fault, such as a password, is refused before anything is dialed.
		for _, at := range d.seen {
			if notPublic(at.Addr()) != "" || g.Only || !g.reaches(at.Port(), nil) || byName {
				t.Errorf("%s: %s would have been connected to", row, at)
			}
		}
		transport.CloseIdleConnections()
	}
}

// turning answers in turn with a public address and with one of this machine or its network.
type turning struct {
	mu sync.Mutex
	n  int
}

var turns = addresses("93.184.216.34", "127.0.0.1", "2606:4700::1", "::1", "93.184.216.35", "169.254.169.254", "93.184.216.36", "64:ff9b::7f00:1")

func (r *turning) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.n++
	return []netip.Addr{turns[r.n%len(turns)]}, nil
}

// TestTurningNames checks that a name which turns between two looks leads nowhere: what is connected to is what
// was looked at.
func TestTurningNames(t *testing.T) {
	t.Parallel()
	var d dialer
	g := &Guard{Ports: WebPorts(), Resolver: &turning{}, dial: d.dial}
	var done sync.WaitGroup
	for range 8 {
		done.Go(func() {
			for range 100 {
				u, err := g.CheckURL("https://turning.example/hook")
				if err != nil {
					t.Error(err)
					return
				}
				_, err = g.DialContext(t.Context(), "tcp", net.JoinHostPort(u.Hostname(), "443"))
				var refused *RefusedError
				if !errors.Is(err, errDialed) && !errors.As(err, &refused) {
					t.Error(err)
				}
			}
		})
	}
	done.Wait()
	for _, at := range d.seen {
		if notPublic(at.Addr()) != "" {
			t.Errorf("%s would have been connected to", at)
		}
	}
	if len(d.seen) != 400 {
		t.Errorf("%d of 800 times the name was a public one, want 400", len(d.seen))
	}
}

// TestGoodURLs checks what is let through, so that the table above refuses for its own reasons.
func TestGoodURLs(t *testing.T) {
	t.Parallel()
	local := []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32"), netip.MustParsePrefix("10.1.0.0/16")}
	for _, test := range []struct {
		url   string
		allow []netip.Prefix
		ports []uint16
		says  string // "" for one that is good
	}{
		{"https://example.com/hook?x=1", nil, WebPorts(), ""},
		{"https://example.com:8443/", nil, WebPorts(), ""},
		{"https://xn--mnchen-3ya.example/", nil, WebPorts(), ""},
		{"https://93.184.216.34/", nil, WebPorts(), ""},
		{"https://[2606:4700::1]:443/", nil, WebPorts(), ""},
		{"https://example.com:9443/", nil, []uint16{443, 9443}, ""},
		{"https://example.com:9443/", nil, nil, ""},
		{"https://my_service.internal:9443/", local, WebPorts(), ""}, // by its address, when it is dialed
		{"https://127.0.0.1:9443/", local, WebPorts(), ""},
		{"http://127.0.0.1:9000/hook", local, WebPorts(), ""},
		{"http://[::ffff:127.0.0.1]:9000/hook", local, WebPorts(), ""},
		{"http://localhost:9000/hook", local, WebPorts(), ""},
		{"http://127.0.0.2:9000/", local, WebPorts(), "want https://"},
		{"http://10.1.2.3/", local, WebPorts(), "want https://"},
		{"https://10.2.0.1/", local, WebPorts(), "a private address"},
		{"https://example.com:9443/", nil, WebPorts(), "port 9443 is not one that is reached; there is 443 8443"},
		{"https://93.184.216.34:9443/", local, WebPorts(), "port 9443"},
		{"https://example.com/#x", nil, nil, "never sent"},
		{"https://example.com/a b", nil, nil, "a blank"},
		{"https://example.com/ü", nil, nil, "beyond ASCII"},
		{"https://example.com/" + strings.Repeat("x", 3000), nil, nil, "2048"},
		{"https://" + strings.Repeat("x", 64) + ".example/", nil, nil, "63"},
		{"https://" + strings.Repeat("x.", 130) + "example/", nil, nil, "253"},
	} {
		_, err := (&Guard{Allow: test.allow, Ports: test.ports}).CheckURL(test.url)
		if (err == nil) != (test.says == "") || err != nil && !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: got %v, want %q", test.url, err, test.says)
		}
	}
}

// TestSpellingsAreNotLookedUp checks that a connection to an odd spelling is refused whatever a resolver says
// of it.
func TestSpellingsAreNotLookedUp(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"127.1", "0x7f.1", "2130706433", "0177.0.0.1", "example.com.", "a..b", "１２７.0.0.1", "fe80::1%lo"} {
		var d dialer
		g := &Guard{Resolver: &names{answers: [][]netip.Addr{addresses("93.184.216.34")}}, dial: d.dial}
		_, err := g.DialContext(t.Context(), "tcp", net.JoinHostPort(host, "443"))
		var refused *RefusedError
		if !errors.As(err, &refused) || len(d.seen) > 0 {
			t.Errorf("%s: got %v, connected to %v", host, err, d.seen)
		}
	}
}

// TestPorts checks that a port is looked at with the connection: a name that turns to a public address is not
// reached at a port that was meant for one that is allowed.
func TestPorts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		at     string
		port   string
		only   bool
		dialed bool
	}{
		{"a web port", "93.184.216.34", "443", false, true},
		{"another", "93.184.216.34", "6379", false, false},
		{"any, of an address that is allowed", "10.1.2.3", "6379", false, true},
		{"none but what is allowed", "93.184.216.34", "443", true, false},
		{"what is allowed", "10.1.2.3", "443", true, true},
		{"no number", "10.1.2.3", "https", false, false},
	} {
		var d dialer
		g := &Guard{Allow: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16")}, Only: test.only, Ports: WebPorts(),
			Resolver: zone{"x.example": addresses(test.at)}, dial: d.dial}
		_, err := g.DialContext(t.Context(), "tcp", "x.example:"+test.port)
		if errors.Is(err, errDialed) != test.dialed {
			t.Errorf("%s: got %v, want dialed %t", test.name, err, test.dialed)
		}
	}
}

// FuzzCheckURL checks that a URL that is accepted is one that every reader reads the same: https, a plain name or
// a public address, at a port that is reached.
func FuzzCheckURL(f *testing.F) {
	for row := range strings.Lines(hostile) {
		text, _, _ := strings.Cut(strings.TrimSpace(row), " ")
		f.Add(text)
	}
	f.Add("https://example.com/hook?x=%20y")
	f.Fuzz(func(t *testing.T, text string) {
		g := &Guard{Ports: WebPorts()}
		u, err := g.CheckURL(text)
		if err != nil {
			return
		}
		again, err := url.Parse(text)
		if err != nil || again.Host != u.Host || u.User != nil || u.Scheme != "https" || u.Port() != "" && u.Port() != "443" && u.Port() != "8443" {
			t.Errorf("%q was accepted as %q", text, u)
		}
		host := u.Hostname()
		if address, err := netip.ParseAddr(host); err == nil {
			if notPublic(address.Unmap()) != "" || address.Zone() != "" {
				t.Errorf("%q was accepted, which is at %s", text, address)
			}
			return
		}
		if strings.ContainsFunc(host, func(r rune) bool { return r != '.' && notInName(r) }) || strings.HasSuffix(host, ".") {
			t.Errorf("%q was accepted with the host %q", text, host)
		}
		if last := host[strings.LastIndex(host, ".")+1:]; last == "" || strings.Trim(last, "0123456789") == "" {
			t.Errorf("%q was accepted with a number as %q", text, host)
		}
	})
}
