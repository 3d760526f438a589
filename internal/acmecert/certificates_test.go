package acmecert

import (
	"context"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// authority is a server that behaves as an authority should not.
type authority struct {
	*httptest.Server
	ca    string // a file with what its certificate comes from
	asked atomic.Int64
	over  context.CancelFunc // ends requests that hang
}

// newAuthority starts one. It ends with the test.
func newAuthority(t *testing.T, answer http.HandlerFunc) *authority {
	t.Helper()
	ctx, over := context.WithCancel(context.Background())
	a := &authority{over: over}
	a.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.asked.Add(1)
		answer(w, r.WithContext(ctx))
	}))
	t.Cleanup(func() {
		over()
		a.Close()
	})
	a.ca = filepath.Join(t.TempDir(), "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.Certificate().Raw})
	if err := os.WriteFile(a.ca, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return a
}

// spec has an authority asked for a name.
func (a *authority) spec() Spec {
	return Spec{Domains: []string{"tools.example.com"}, Directory: a.URL + "/dir", CA: a.ca,
		Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
}

// open opens the certificates of a spec, with a clock and times of the test. What they say is sent.
func open(t *testing.T, dir string, spec Spec, now *atomic.Int64) (c *Certificates, said chan string) {
	t.Helper()
	said = make(chan string, 100)
	c, err := Open(Options{Spec: spec, Dir: dir, Say: func(line string) { said <- line },
		Now: func() time.Time { return time.Unix(now.Load(), 0) }})
	if err != nil {
		t.Fatal(err)
	}
	c.times = times{order: 10 * time.Second, request: 300 * time.Millisecond, pause: time.Millisecond}
	t.Cleanup(c.Close)
	return c, said
}

// clock returns a clock that the test sets.
func clock() *atomic.Int64 {
	now := &atomic.Int64{}
	now.Store(time.Now().Unix())
	return now
}

// TestHostileAuthorities has authorities that hang, drip, grow, refuse, and lead elsewhere: each is asked a few times
// and no more, its words are a line, and nobody waits for it.
func TestHostileAuthorities(t *testing.T) {
	t.Parallel()
	elsewhere := newAuthority(t, func(http.ResponseWriter, *http.Request) {})
	directory := func(of string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `{"newNonce":%q,"newAccount":%q,"newOrder":%q}`, of+"/nonce", of+"/account", of+"/order")
		}
	}
	var wrote atomic.Int64
	for name, test := range map[string]struct {
		answer http.HandlerFunc
		says   string
		most   int64 // requests
	}{
		"hangs": {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "did not answer in time", 1},
		"drips": {func(w http.ResponseWriter, r *http.Request) {
			w.Write([]byte("{")) //nolint:errcheck // see below
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}, "did not answer in time", 1},
		"grows": {func(w http.ResponseWriter, _ *http.Request) {
			line := []byte(`"` + strings.Repeat("x", 64<<10))
			for n := 1; n > 0; wrote.Add(int64(n)) { // until the client has gone
				n, _ = w.Write(line)
			}
		}, "no ACME authority", 1},
		"an error": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }, "500", mostTries + 1},
		"an error with words": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(403)
			fmt.Fprintf(w, `{"type":"urn:ietf:params:acme:error:unauthorized","detail":"no\u001b]0;x\u0007\n%s"}`, strings.Repeat("y", 100_000))
		}, "no", 1},
		"too many": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "7200")
			w.WriteHeader(429)
			fmt.Fprint(w, `{"type":"urn:ietf:params:acme:error:rateLimited","detail":"slower"}`)
		}, "slower", 1},
		"leads elsewhere":        {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, elsewhere.URL, http.StatusFound) }, "302", mostTries + 1},
		"names an inner address": {directory("https://169.254.169.254"), "not reached", 1},
		"names a plain address":  {directory("http://127.0.0.1:1"), "want https", 1},
		"names a file":           {directory("file:///etc/passwd"), "want https", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, now := newAuthority(t, test.answer), clock()
			c, said := open(t, filepath.Join(t.TempDir(), "c"), a.spec(), now)
			c.Start()
			line := <-said
			if !strings.Contains(line, test.says) || !strings.Contains(line, "tools.example.com gets no new certificate") {
				t.Errorf("it says %s", line)
			}
			if len(line) > 1000 || strings.ContainsAny(line, "\x1b\x07\n") {
				t.Errorf("the line is none: %q", line)
			}
			if asked := a.asked.Load(); asked < 1 || asked > test.most {
				t.Errorf("it was asked %d times, want %d at most", asked, test.most)
			}
			if c.Trouble() == nil || !c.Missing() {
				t.Errorf("trouble: %v, missing: %t", c.Trouble(), c.Missing())
			}
			before := a.asked.Load()
			for i := range 10_000 { // whatever clients ask for
				if _, err := c.Get(fmt.Sprintf("x%d.example.com", i)); err == nil {
					t.Fatal("a strange name has a certificate")
				}
				if _, err := c.Get("tools.example.com"); err == nil {
					t.Fatal("there is a certificate")
				}
			}
			c.poke()
			c.Close()
			if after := a.asked.Load(); after != before {
				t.Errorf("clients had it asked %d times", after-before)
			}
			wait := c.domains["tools.example.com"].due.Sub(time.Unix(now.Load(), 0))
			if want := map[bool]time.Duration{true: 2 * time.Hour, false: firstWait}[name == "too many"]; wait != want {
				t.Errorf("the next try is due in %s, want %s", wait, want)
			}
		})
	}
	t.Cleanup(func() {
		if elsewhere.asked.Load() > 0 {
			t.Error("a redirect was followed")
		}
		if wrote.Load() > 16<<20 {
			t.Errorf("%d bytes of an endless answer were taken", wrote.Load())
		}
	})
}

// TestNobodyWaits has an authority that hangs, while clients are served, and the end comes at once.
func TestNobodyWaits(t *testing.T) {
	t.Parallel()
	hangs := make(chan bool, 1)
	a, now := newAuthority(t, func(_ http.ResponseWriter, r *http.Request) {
		hangs <- true
		<-r.Context().Done()
	}), clock()
	dir := filepath.Join(t.TempDir(), "c")
	keep(t, a.spec(), dir, now, -80*24*time.Hour, 10*24*time.Hour)
	c, _ := open(t, dir, a.spec(), now)
	c.times.request = time.Hour
	c.Start()
	<-hangs
	shown, err := c.Get("Tools.Example.com")
	if err != nil || shown.Leaf.DNSNames[0] != "tools.example.com" {
		t.Errorf("%v, %v", shown, err)
	}
	if _, err := c.Challenge("tools.example.com"); err == nil {
		t.Error("there is something to prove")
	}
	if !c.Certifies("tools.example.com") || c.Certifies("") || c.Certifies("other.example.com") || c.Missing() {
		t.Error("it certifies something else")
	}
	c.Close()
	if a.asked.Load() != 1 {
		t.Errorf("it was asked %d times", a.asked.Load())
	}
}

// TestWaits has the next try after failures later and later, in the next process, too, until somebody asks for
// something else or says so.
func TestWaits(t *testing.T) {
	t.Parallel()
	a, now, dir := newAuthority(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) }), clock(), filepath.Join(t.TempDir(), "c")
	for n := range 8 {
		c, said := open(t, dir, a.spec(), now)
		c.Start()
		<-said
		c.Close()
		again, said := open(t, dir, a.spec(), now) // at once
		again.Start()
		again.poke()
		again.Close()
		if len(said) > 0 || a.asked.Load() != int64(n+1) {
			t.Fatalf("after %d failures a new process asks at once: %s", n+1, <-said)
		}
		if again.Trouble() == nil {
			t.Error("a new process knows of no trouble")
		}
		wait := min(firstWait<<n, longestWait)
		now.Add(int64(wait/time.Second) - 1)
		if due := again.dueNow(); len(due) > 0 {
			t.Fatalf("after %d failures it is due before %s", n+1, wait)
		}
		now.Add(1)
	}
	now.Add(-1)
	other := a.spec()
	other.Domains = append(other.Domains, "other.example.com")
	if c, _ := open(t, dir, other, now); len(c.dueNow()) != 2 {
		t.Errorf("with another spec %q are due", c.dueNow())
	}
	c, said := open(t, dir, a.spec(), now)
	c.Start()
	c.Retry()
	<-said
	for _, wrong := range []string{"{}", "x", `{"spec":"` + sum(a.spec()) + `","times":1,"again":"2999-01-01T00:00:00Z"}`} {
		if err := os.WriteFile(filepath.Join(c.files.dir, "tools.example.com.failed"), []byte(wrong), 0o600); err != nil {
			t.Fatal(err)
		}
		if c, _ := open(t, dir, a.spec(), now); len(c.dueNow()) != 1 {
			t.Errorf("%s has nothing due", wrong)
		}
	}
}

// TestClock has a certificate that is old as soon as it comes used, and no other one asked for at once.
func TestClock(t *testing.T) {
	t.Parallel()
	a, now, dir := newAuthority(t, func(http.ResponseWriter, *http.Request) {}), clock(), filepath.Join(t.TempDir(), "c")
	keep(t, a.spec(), dir, now, -61*24*time.Hour, 29*24*time.Hour)
	c, said := open(t, dir, a.spec(), now)
	if len(c.dueNow()) != 1 {
		t.Fatal("it is not to be renewed")
	}
	old, err := c.Get("")
	if err != nil {
		t.Fatal(err)
	}
	for n := range 4 {
		c.settle("tools.example.com", old, nil)
		<-said
		if line := <-said; !strings.Contains(line, "clock") || c.Trouble() == nil || c.Missing() {
			t.Errorf("it says %s, trouble %v", line, c.Trouble())
		}
		now.Add(int64(firstWait<<n/time.Second) - 1)
		if len(c.dueNow()) > 0 {
			t.Errorf("it is due again after %d times", n+1)
		}
	}
}

// TestFiles has keys and certificates that only their owner can read, and refuses others, and those that are for
// something else.
func TestFiles(t *testing.T) {
	t.Parallel()
	spec, now, dir := Spec{Domains: []string{"tools.example.com"}}, clock(), filepath.Join(t.TempDir(), "certificates")
	keep(t, spec, dir, now, -time.Hour, time.Hour)
	path := filepath.Join(spec.place(dir), "tools.example.com.pem")
	for at, mode := range map[string]os.FileMode{path: 0o600, dir: 0o700 | os.ModeDir, filepath.Dir(path): 0o700 | os.ModeDir} {
		if info, err := os.Stat(at); err != nil || info.Mode() != mode {
			t.Errorf("%s: %v, %v", at, info.Mode(), err)
		}
	}
	refused := func(want string) {
		t.Helper()
		c, err := Open(Options{Spec: spec, Dir: dir, Say: func(string) {}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %s", err, want)
		}
		if err == nil {
			c.Close()
		}
	}
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	write := func(text []byte, mode os.FileMode) {
		t.Helper()
		if err := os.WriteFile(path, text, mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	write(good, 0o644)
	refused("only its owner can read")
	write([]byte("none"), 0o600)
	refused("remove it")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/zero", path); err != nil {
		t.Fatal(err)
	}
	refused("too many levels")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	refused("chmod 0700")
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}

	f, at := files{spec.place(dir)}, time.Unix(now.Load(), 0)
	key, block, err := newKey()
	if err != nil {
		t.Fatal(err)
	}
	another, _, err := newKey()
	if err != nil {
		t.Fatal(err)
	}
	for name, chain := range map[string][][]byte{
		"another key":  {sign(t, another, "tools.example.com", at.Add(-time.Hour), at.Add(time.Hour))},
		"another name": {sign(t, key, "other.example.com", at.Add(-time.Hour), at.Add(time.Hour))},
		"over":         {sign(t, key, "tools.example.com", at.Add(-time.Hour), at)},
		"none":         {},
		"nonsense":     {[]byte("x")},
	} {
		if _, err := f.keep("tools.example.com", block, chain, at); err == nil {
			t.Errorf("a certificate of %s is kept", name)
		}
		if _, err := os.Stat(path); err == nil {
			t.Errorf("a certificate of %s stands in the file", name)
		}
	}
}

// keep puts a certificate of the name into the place of a spec.
func keep(t *testing.T, spec Spec, dir string, now *atomic.Int64, from, to time.Duration) {
	t.Helper()
	f, at := files{spec.place(dir)}, time.Unix(now.Load(), 0)
	if err := f.make(); err != nil {
		t.Fatal(err)
	}
	key, block, err := newKey()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.keep(spec.Domains[0], block, [][]byte{sign(t, key, spec.Domains[0], at.Add(from), at.Add(to))}, at); err != nil {
		t.Fatal(err)
	}
}

// sign makes a certificate.
func sign(t *testing.T, key *ecdsa.PrivateKey, name string, from, to time.Time) []byte {
	t.Helper()
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{name}, NotBefore: from, NotAfter: to}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return der
}
