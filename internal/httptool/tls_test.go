package httptool

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"log/slog"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/a2a-acp/a2a-acp/internal/request"
	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// TestTLS checks whom a connection trusts: the certificates of ca and no others, whatever it is that it shows; and that
// a client's certificate is shown to the source.
func TestTLS(t *testing.T) {
	t.Parallel()
	certificate, key := ownCertificate(t)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%d certificates", len(r.TLS.PeerCertificates))
	}))
	server.TLS = &tls.Config{ClientAuth: tls.RequestClientCert}
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError) // it says what the test is about
	server.StartTLS()
	t.Cleanup(server.Close)
	old := httptest.NewUnstartedServer(http.NotFoundHandler())
	old.TLS = &tls.Config{MaxVersion: tls.VersionTLS11}
	old.Config.ErrorLog = server.Config.ErrorLog
	old.StartTLS()
	t.Cleanup(old.Close)

	dir := t.TempDir()
	ca := filepath.Join(dir, "ca.pem")
	write(t, ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
	other := filepath.Join(dir, "other.pem")
	write(t, other, []byte(certificate))
	empty := filepath.Join(dir, "empty.pem")
	write(t, empty, []byte(canary))
	for name, test := range map[string]struct {
		base, ca string
		shown    map[string]string
		want     string // "" for a failure
	}{
		"the system's":         {server.URL, "", nil, ""},
		"its own":              {server.URL, ca, nil, "0 certificates"},
		"another's":            {server.URL, other, nil, ""},
		"none":                 {server.URL, empty, nil, ""},
		"absent":               {server.URL, filepath.Join(dir, "absent"), nil, ""},
		"no file":              {server.URL, dir, nil, ""},
		"old":                  {old.URL, ca, nil, ""},
		"a client's":           {server.URL, ca, map[string]string{tool.ClientCertificate: certificate, tool.ClientKey: key}, "1 certificates"},
		"a client's in trust":  {server.URL, "", map[string]string{tool.ClientCertificate: certificate, tool.ClientKey: key}, ""},
		"a client's of no key": {server.URL, ca, map[string]string{tool.ClientCertificate: certificate, tool.ClientKey: canary}, ""},
		"a client's of none":   {server.URL, ca, map[string]string{tool.ClientCertificate: canary, tool.ClientKey: key}, ""},
	} {
		_, body, failure := do(t, exchange(t, test.base, "GET", "/", func(x *Exchange, _ *request.Spec) {
			x.API.CA = test.ca
			for name, value := range test.shown {
				x.Credentials[name] = value
			}
		}))
		if got := string(body.Data); got != test.want || (failure == nil) != (test.want != "") {
			t.Errorf("%s: %q, %v; want %q", name, got, failure, test.want)
		}
		if failure != nil && (strings.Contains(failure.Message, key) || strings.Contains(failure.Message, certificate)) {
			t.Errorf("%s: the failure holds it", name)
		}
	}
}

// TestTokenTLS checks that a token endpoint is believed by the source's own certificates, too, and shown none.
func TestTokenTLS(t *testing.T) {
	t.Parallel()
	shown := 0
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		shown += len(r.TLS.PeerCertificates)
		says(good)(w, r)
	}))
	server.TLS = &tls.Config{ClientAuth: tls.RequestClientCert}
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError) // it says what the test is about
	server.StartTLS()
	t.Cleanup(server.Close)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	write(t, ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
	_, err := newClient(t).Token(t.Context(), wanted(server.URL, nil))
	failureOf(t, err)
	token, err := newClient(t).Token(t.Context(), wanted(server.URL, func(w *TokenRequest) { w.API.CA = ca }))
	if err != nil || token.Value != givenToken || shown != 0 {
		t.Errorf("got %+v, %v; it was shown %d certificates", token, err, shown)
	}
}

// ownCertificate makes a certificate that signs itself, and its key, as PEM.
func ownCertificate(t *testing.T) (certificate, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "a client"},
		NotAfter: time.Now().Add(time.Hour), ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw})),
		string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded}))
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}
