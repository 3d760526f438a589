package serve

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/net/dns/dnsmessage"

	"github.com/a2a-acp/a2a-acp/internal/acmecert"
)

// pebble is the ACME server of Let's Encrypt's own tests. It has an address of loopback for itself, so that its
// ports, and those that it looks at, are nobody else's.
type pebble struct {
	t    *testing.T
	host string
	ca   string // a file with what its own certificate comes from
	cmd  *exec.Cmd
}

// The ports at pebble's address.
const (
	pebblePort  = "14000"
	rootsPort   = "15000"
	ourPort     = "8443" // where names are looked at
	pebbleNames = "8053" // where they are resolved
)

// startPebble builds pebble and starts it. It ends with the test.
func startPebble(t *testing.T) *pebble {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has all of 127.0.0.0/8")
	}
	pid := os.Getpid()
	p := &pebble{t: t, host: fmt.Sprintf("127.%d.%d.%d", 64+pid>>16&63, pid>>8&255, pid&255)}
	dir := t.TempDir()
	program := filepath.Join(dir, "pebble")
	build := exec.Command("go", "build", "-o", program, "github.com/letsencrypt/pebble/v2/cmd/pebble")
	build.Dir, build.Env = "../../test/pebble", append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build pebble: %v\n%s", err, out)
	}
	own := newAuthority(t)
	files := TLS{Cert: filepath.Join(dir, "tls.crt"), Key: filepath.Join(dir, "tls.key")}
	own.issue(files, p.host)
	p.ca = filepath.Join(dir, "ca.pem")
	own.write(p.ca)
	config, err := json.Marshal(map[string]any{"pebble": map[string]any{
		"listenAddress": net.JoinHostPort(p.host, pebblePort), "managementListenAddress": net.JoinHostPort(p.host, rootsPort),
		"certificate": files.Cert, "privateKey": files.Key, "httpPort": 1, "tlsPort": 8443,
		"retryAfter": map[string]int{"authz": 1, "order": 1},
		"profiles":   map[string]any{"default": map[string]any{"description": "90 days", "validityPeriod": 90 * 24 * 3600}},
	}})
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "config.json"), config, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	p.resolve()
	p.cmd = exec.Command(program, "-config", filepath.Join(dir, "config.json"), "-dnsserver", net.JoinHostPort(p.host, pebbleNames))
	p.cmd.Env = append(os.Environ(), "PEBBLE_VA_NOSLEEP=1", "PEBBLE_WFE_NONCEREJECT=5", // some requests come twice
		"PEBBLE_AUTHZREUSE=0") // and each name is looked at for each order
	told, err := p.cmd.StdoutPipe()
	if err == nil {
		p.cmd.Stderr = p.cmd.Stdout
		err = p.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	listens := make(chan bool)
	go func() { // ends with pebble
		defer close(listens)
		for lines, once := bufio.NewScanner(told), true; lines.Scan(); {
			if once && strings.Contains(lines.Text(), "Listening on") {
				once = false
				listens <- true
			}
		}
	}()
	t.Cleanup(func() { p.stop(); <-listens })
	if !<-listens {
		t.Fatal("pebble has ended")
	}
	for { // it says so just before
		conn, err := net.Dial("tcp", net.JoinHostPort(p.host, pebblePort))
		if err == nil {
			conn.Close()
			return p
		}
		select {
		case <-listens:
			t.Fatal("pebble has ended")
		default:
		}
	}
}

// stop ends pebble.
func (p *pebble) stop() {
	if p.cmd.ProcessState == nil {
		p.cmd.Process.Kill() //nolint:errcheck // it may have ended
		p.cmd.Wait()         //nolint:errcheck // with the signal
	}
}

// resolve answers that all names are at pebble's address.
func (p *pebble) resolve() {
	l, err := net.Listen("tcp", net.JoinHostPort(p.host, pebbleNames))
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { l.Close() })
	go func() { // ends with the test
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			p.answer(conn)
			conn.Close()
		}
	}()
}

// answer answers one question, as DNS is spoken over TCP: behind two bytes with its length.
func (p *pebble) answer(conn net.Conn) {
	var size [2]byte
	if _, err := io.ReadFull(conn, size[:]); err != nil {
		return
	}
	packet := make([]byte, binary.BigEndian.Uint16(size[:]))
	var m dnsmessage.Message
	if _, err := io.ReadFull(conn, packet); err != nil || m.Unpack(packet) != nil || len(m.Questions) != 1 {
		return
	}
	m.Response, m.Additionals = true, nil
	if m.Questions[0].Type == dnsmessage.TypeA {
		m.Answers = []dnsmessage.Resource{{
			Header: dnsmessage.ResourceHeader{Name: m.Questions[0].Name, Class: dnsmessage.ClassINET, TTL: 1},
			Body:   &dnsmessage.AResource{A: netip.MustParseAddr(p.host).As4()},
		}}
	}
	if answer, err := m.Pack(); err == nil {
		conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...)) //nolint:errcheck // pebble says so
	}
}

// roots are what pebble signs with.
func (p *pebble) roots() *x509.CertPool {
	p.t.Helper()
	own, err := os.ReadFile(p.ca)
	if err != nil {
		p.t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(own)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, DisableKeepAlives: true}}
	answer, err := client.Get("https://" + net.JoinHostPort(p.host, rootsPort) + "/roots/0")
	if err != nil {
		p.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	signing := x509.NewCertPool()
	if !signing.AppendCertsFromPEM(text) {
		p.t.Fatalf("pebble's root is %s", text)
	}
	return signing
}

// TestACME has a real authority give certificates for two names, at the listener that they are for; renews one; goes
// on with it while the authority is away, and in the next process; and says so.
func TestACME(t *testing.T) {
	if testing.Short() {
		t.Skip("builds pebble")
	}
	t.Parallel()
	p, dir := startPebble(t), filepath.Join(t.TempDir(), "certificates")
	said, now := make(chan string, 100), &atomic.Int64{}
	now.Store(time.Now().Unix())
	start := func() *house {
		return run(t, func(o *Options) {
			o.Settings.Listen = []string{net.JoinHostPort(p.host, ourPort), "http://127.0.0.1:0"}
			o.Settings.TLS = TLS{ACME: &acmecert.Spec{Domains: []string{"a.example.com", "b.example.com"}, Email: "ops@example.com",
				Directory: "https://" + net.JoinHostPort(p.host, pebblePort) + "/dir", CA: p.ca,
				Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}}
			o.CertificateDir = dir
			o.Now = func() time.Time { return time.Unix(now.Load(), 0) }
			o.Say = func(line string) {
				if !strings.Contains(line, "TLS handshake error") {
					said <- line
				}
			}
		}, Door{Name: "d", Routes: []Route{{Pattern: "/x", Scope: ScopeTools, Handler: who}}})
	}
	var earlier []string
	about := func(name string) string {
		if i := slices.IndexFunc(earlier, func(line string) bool { return strings.Contains(line, name) }); i >= 0 {
			line := earlier[i]
			earlier = slices.Delete(earlier, i, i+1)
			return line
		}
		for line := range said {
			if strings.Contains(line, name) {
				return line
			}
			earlier = append(earlier, line)
		}
		return ""
	}
	var h *house
	hears := func(name, want string) {
		t.Helper()
		line := about(name)
		if strings.Contains(line, "did not answer in time") && !strings.Contains(line, want) {
			// Pebble takes the lock of an order twice to read it, and is stuck where it is signed in between.
			now.Add(6 * 60)
			h.inForce.Load().authority().Retry()
			line = about(name)
		}
		if !strings.Contains(line, want) {
			t.Errorf("it says %s; want %s %s", line, name, want)
		}
	}
	h = start()
	hears("a.example.com", "has a certificate")
	hears("b.example.com", "has a certificate")
	roots := p.roots()
	// shakes returns what is shown to somebody who asks for a name.
	shakes := func(name string, protocols ...string) (*x509.Certificate, error) {
		dialer := &tls.Dialer{Config: &tls.Config{ServerName: name, RootCAs: roots, NextProtos: protocols}}
		conn, err := dialer.DialContext(t.Context(), "tcp", net.JoinHostPort(p.host, ourPort))
		if err != nil {
			return nil, err
		}
		defer conn.Close()
		return conn.(*tls.Conn).ConnectionState().PeerCertificates[0], nil
	}
	first, err := shakes("a.example.com")
	if err != nil {
		t.Fatal(err)
	}
	if second, err := shakes("b.example.com"); err != nil || second.Equal(first) {
		t.Errorf("the other name: %v", err)
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true, DisableKeepAlives: true,
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, net.JoinHostPort(p.host, ourPort))
		}}}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://b.example.com/x", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-API-Key", "tok-one")
	if answer, err := client.Do(request); err != nil || answer.StatusCode != 200 || answer.ProtoMajor != 2 {
		t.Errorf("%+v, %v", answer, err)
	} else {
		answer.Body.Close()
	}
	for _, hostile := range [][]string{{"evil.example.com"}, {"x.a.example.com"}, {"a.example.com", acme.ALPNProto}, {"evil.example.com", acme.ALPNProto}} {
		if shown, err := shakes(hostile[0], hostile[1:]...); err == nil {
			t.Errorf("%q is shown %v", hostile, shown.DNSNames)
		}
	}
	ready := func(status int, want string) {
		t.Helper()
		answer, err := http.Get(h.listeners[1].url + "/readyz")
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		if body, err := io.ReadAll(answer.Body); err != nil || answer.StatusCode != status || !strings.Contains(string(body), want) {
			t.Errorf("%s: %s, %v; want %d, %s", answer.Status, body, err, status, want)
		}
	}
	ready(200, `"troubles":[]`)
	stop := func() {
		t.Helper()
		h.stop()
		if err := <-h.over; err != nil {
			t.Error(err)
		}
		h.over <- nil
	}
	stop()

	// A daemon that finds an old one shows it until there is a new one.
	old := TLS{Cert: filepath.Join(dir, "old.crt"), Key: filepath.Join(dir, "old.key")}
	newAuthority(t).issue(old, "a.example.com")
	places, err := filepath.Glob(filepath.Join(dir, "*", "a.example.com.pem"))
	if err != nil || len(places) != 1 {
		t.Fatalf("%q, %v", places, err)
	}
	var text []byte
	for _, path := range []string{old.Cert, old.Key} {
		part, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, part...)
	}
	if err := os.WriteFile(places[0], text, 0o600); err != nil {
		t.Fatal(err)
	}
	now.Add(3600) // it counts for two hours, of which one is over
	h = start()
	hears("a.example.com", "has a certificate")
	renewed, err := shakes("a.example.com")
	if err != nil || renewed.Equal(first) {
		t.Fatalf("it is not renewed: %v", err)
	}

	p.stop()
	now.Store(renewed.NotAfter.Add(-24 * time.Hour).Unix())
	h.inForce.Load().authority().Retry()
	hears("a.example.com", "gets no new certificate")
	hears("b.example.com", "what there was is still in use")
	ready(200, `"troubles":["the certificate"]`)
	if shown, err := shakes("a.example.com"); err != nil || !shown.Equal(renewed) {
		t.Errorf("while the authority is away: %v", err)
	}
	now.Store(renewed.NotAfter.Unix())
	ready(503, `"waits_for":["the certificate"]`)
	stop()

	now.Store(renewed.NotBefore.Unix()) // in the next process
	h = start()
	if shown, err := shakes("a.example.com"); err != nil || !shown.Equal(renewed) {
		t.Errorf("in the next process: %v", err)
	}
	// Settings that change nothing of it keep it; others take its place.
	changed := h.o.Settings
	used := h.inForce.Load().authority()
	if err := h.Configure(t.Context(), changed); err != nil || h.inForce.Load().authority() != used {
		t.Errorf("after the same settings: %v", err)
	}
	spec := *changed.TLS.ACME
	spec.Domains = []string{"b.example.com"}
	changed.TLS.ACME = &spec
	if err := h.Configure(t.Context(), changed); err != nil {
		t.Fatal(err)
	}
	if _, err := shakes("a.example.com"); err == nil {
		t.Error("a name that was taken out is still served")
	}
	if _, err := shakes("b.example.com"); err != nil {
		t.Error(err)
	}
}
