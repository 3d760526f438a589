package serve

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestAddresses lists which addresses are listened at, and how.
func TestAddresses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		address  string
		loopback bool
		rules    rules
		secure   bool
		refuse   string
	}{
		{"127.0.0.1:1", true, rules{}, false, ""},
		{"127.0.0.1:1", true, rules{open: true}, false, ""},
		{"127.0.0.1:1", true, rules{tls: true}, true, ""},
		{"http://127.0.0.1:1", true, rules{tls: true}, false, ""},
		{"https://127.0.0.1:1", true, rules{}, false, "needs a certificate"},
		{"10.0.0.1:1", false, rules{}, false, "would be read on the way"},
		{"10.0.0.1:1", false, rules{tls: true}, true, ""},
		{"https://10.0.0.1:1", false, rules{tls: true}, true, ""},
		{"http://10.0.0.1:1", false, rules{tls: true}, false, "would be read on the way"},
		{"10.0.0.1:1", false, rules{plaintext: true}, false, ""},
		{"10.0.0.1:1", false, rules{tls: true, plaintext: true}, true, ""},
		{"http://10.0.0.1:1", false, rules{tls: true, plaintext: true}, false, ""},
		{"10.0.0.1:1", false, rules{tls: true, open: true}, false, "nobody has to show a token"},
		{"10.0.0.1:1", false, rules{plaintext: true, open: true}, false, "nobody has to show a token"},
	} {
		address, err := ParseAddress(test.address)
		if err != nil {
			t.Fatal(err)
		}
		secure, err := test.rules.secure(address, test.loopback)
		if secure != test.secure || (err == nil) != (test.refuse == "") || err != nil && !strings.Contains(err.Error(), test.refuse) {
			t.Errorf("%s, %+v: %t, %v; want %t, %q", test.address, test.rules, secure, err, test.secure, test.refuse)
		}
		var setting *SettingError
		if err != nil && !errors.As(err, &setting) {
			t.Errorf("%s: %T is no mistake of the settings", test.address, err)
		}
	}
	for _, wrong := range []string{"", "8642", "127.0.0.1", "127.0.0.1:", "ftp://127.0.0.1:1", "unix:", "unix:x", "unix:/" + strings.Repeat("x", 200)} {
		if a, err := ParseAddress(wrong); err == nil {
			t.Errorf("%q is %+v", wrong, a)
		}
	}
}

// TestEverywhere has addresses that mean all addresses, however they are written, taken for other machines'.
func TestEverywhere(t *testing.T) {
	t.Parallel()
	for _, text := range []string{":0", "0.0.0.0:0", "[::]:0", "[::ffff:0.0.0.0]:0"} {
		s, err := New(Options{Settings: Settings{Listen: []string{"127.0.0.1:0", text}, Limits: DefaultLimits()}})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Listen(); err == nil || !strings.Contains(err.Error(), text) || !strings.Contains(err.Error(), "other machines") {
			t.Errorf("%s: %v", text, err)
		}
		if conn, err := net.Dial("tcp", s.listeners[0].Addr().String()); err == nil {
			conn.Close()
			t.Errorf("%s: the first address is still listened at", text)
		}
	}
}

// TestUnixSockets has a socket that only our user can connect to, and that takes the place of a dead one, and of
// nothing else.
func TestUnixSockets(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "s") // the test's own has too long a name
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	path := filepath.Join(dir, "socket")
	h := run(t, func(o *Options) { o.Settings.Listen = []string{"unix:" + path} },
		Door{Name: "d", Routes: []Route{{Pattern: "/x", Scope: ScopeTools, Handler: who}}})
	info, err := os.Stat(path)
	if err != nil || info.Mode() != fs.ModeSocket|0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	c := http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", path)
	}}}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://anything/x", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-API-Key", "tok-one")
	answer, err := c.Do(request)
	if err != nil || answer.StatusCode != 200 {
		t.Fatalf("%v, %v", answer, err)
	}
	answer.Body.Close()
	if _, err := listenUnix(path); err == nil || !strings.Contains(err.Error(), "another program listens there") {
		t.Errorf("a second one: %v", err)
	}
	h.stop()
	if err := <-h.over; err != nil {
		t.Error(err)
	}
	h.over <- nil
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("afterwards: %v", err)
	}

	dead, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	dead.SetUnlinkOnClose(false)
	dead.Close()
	l, err := listenUnix(path)
	if err != nil {
		t.Fatalf("in place of a dead one: %v", err)
	}
	l.Close()
	if err := os.WriteFile(path, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := listenUnix(path); err == nil || !strings.Contains(err.Error(), "something else than a socket") {
		t.Errorf("in place of a file: %v", err)
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := listenUnix(filepath.Join(dir, "other")); err == nil || !strings.Contains(err.Error(), "everybody could put another socket") {
		t.Errorf("in everybody's directory: %v", err)
	}
}

// TestInherited has the sockets of a service manager listened at, and nothing else, and held to the same rules.
func TestInherited(t *testing.T) {
	t.Parallel()
	file := func(address string) *os.File {
		t.Helper()
		l, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		f, err := l.(*net.TCPListener).File()
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	h := run(t, func(o *Options) {
		o.Settings.Listen, o.Inherited = nil, []*os.File{file("127.0.0.1:0")}
	}, Door{Name: "d", Routes: []Route{{Pattern: "/x", Scope: ScopeTools, Handler: who}}})
	if answer, _ := h.get("/x", "tok-one"); answer.StatusCode != 200 || len(h.listeners) != 1 {
		t.Errorf("%s, %d listeners", answer.Status, len(h.listeners))
	}
	s, err := New(Options{Settings: Settings{Limits: DefaultLimits()}, Inherited: []*os.File{file("0.0.0.0:0")}})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Listen(); err == nil || !strings.Contains(err.Error(), "other machines") {
		t.Errorf("one for other machines: %v", err)
	}
	for _, test := range []struct{ pid, fds, want string }{
		{"1", "1", ""}, // for another process
		{"", "", ""},
		{"self", "x", "want a number"},
		{"self", "-1", "want a number"},
		{"self", "60", "is no socket"},
	} {
		if test.pid == "self" {
			test.pid = strconv.Itoa(os.Getpid())
		}
		files, err := Inherited(func(name string) string {
			return map[string]string{"LISTEN_PID": test.pid, "LISTEN_FDS": test.fds}[name]
		})
		if len(files) > 0 || (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %d files, %v", test, len(files), err)
		}
	}
}

// TestTLS has TLS spoken with the certificate that the files hold now, in both versions of HTTP, and the last
// good one where they are broken.
func TestTLS(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	files := TLS{Cert: filepath.Join(dir, "tls.crt"), Key: filepath.Join(dir, "tls.key")}
	one := newAuthority(t)
	one.issue(files, "tools.example.com")
	h := run(t, func(o *Options) { o.Settings.TLS = files }, Door{Name: "d", Routes: []Route{{Pattern: "/x", Scope: ScopeTools, Handler: who}}})
	if !strings.HasPrefix(h.base, "https://") {
		t.Errorf("the base is %s", h.base)
	}
	if ends := h.CertificateEnds(); len(ends) != 1 || ends["tools.example.com"].Before(time.Now()) {
		t.Errorf("the certificates end %v", ends)
	}
	ask := func(a *authority, host string, change func(*tls.Config)) (*http.Response, error) {
		config := &tls.Config{RootCAs: a.pool, ServerName: host}
		if change != nil {
			change(config)
		}
		transport := &http.Transport{TLSClientConfig: config, ForceAttemptHTTP2: true, DisableKeepAlives: true,
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				return (&net.Dialer{}).DialContext(ctx, "tcp", h.listeners[0].Addr().String())
			}}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+host+"/x", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("X-API-Key", "tok-one")
		answer, err := (&http.Client{Transport: transport}).Do(request)
		if err == nil {
			answer.Body.Close()
		}
		return answer, err
	}
	if answer, err := ask(one, "tools.example.com", nil); err != nil || answer.StatusCode != 200 || answer.ProtoMajor != 2 {
		t.Errorf("%+v, %v", answer, err)
	}
	if answer, err := ask(one, "tools.example.com", func(c *tls.Config) { c.MaxVersion = tls.VersionTLS11; c.MinVersion = tls.VersionTLS10 }); err == nil {
		t.Errorf("an old version: %s", answer.Status)
	}
	// A name that resolves to us, of somebody who takes any certificate.
	if answer, err := ask(one, "evil.example", func(c *tls.Config) { c.InsecureSkipVerify = true }); err != nil || answer.StatusCode != 403 {
		t.Errorf("another name: %v, %v", answer, err)
	}
	if answer, err := (&http.Client{}).Get("http://" + h.listeners[0].Addr().String() + "/healthz"); err != nil || answer.StatusCode != 400 {
		t.Errorf("without TLS: %v, %v", answer, err)
	} else {
		answer.Body.Close()
	}
	two := newAuthority(t)
	two.issue(files, "tools.example.com", "other.example.com")
	for range 2 {
		if answer, err := ask(two, "other.example.com", nil); err != nil || answer.StatusCode != 200 {
			t.Errorf("after it was renewed: %v, %v", answer, err)
		}
	}
	var unknown x509.UnknownAuthorityError
	if _, err := ask(one, "tools.example.com", nil); !errors.As(err, &unknown) {
		t.Errorf("the old one: %v", err)
	}
	if err := os.WriteFile(files.Cert, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	if answer, err := ask(two, "tools.example.com", nil); err != nil || answer.StatusCode != 200 {
		t.Errorf("after it was broken: %v, %v", answer, err)
	}
}
