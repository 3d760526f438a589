package httptool

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"io"
	"os"
	"syscall"

	"github.com/a2a-acp/a2a-acp/pkg/tool"
)

// tlsTrust is whom a connection trusts, and what it shows. The zero tlsTrust is the system's, and nothing.
type tlsTrust struct {
	roots *x509.CertPool // nil for the system's
	own   []tls.Certificate
	sum   string // the same for the same
}

func (t tlsTrust) config() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: t.roots, Certificates: t.own}
}

// trustOf returns what the connections to a source trust and show: the certificates of its own file alone, and its
// client's certificate.
func trustOf(api tool.API, credentials map[string]string) (t tlsTrust, failure *tool.Failure) {
	sum := sha256.New()
	if api.CA != "" {
		t.roots = x509.NewCertPool()
		if failure := addRoots(t.roots, sum, api); failure != nil {
			return t, failure
		}
	}
	if certificate, shown := credentials[tool.ClientCertificate]; shown {
		key := credentials[tool.ClientKey]
		pair, err := tls.X509KeyPair([]byte(certificate), []byte(key))
		if err != nil { // whose words may hold a part of either
			return t, tool.Failf(tool.FailNotFound, "nothing was sent: the client_certificate of %s cannot be used: want a "+
				"certificate and its own key, both as PEM", api.Who())
		}
		t.own = []tls.Certificate{pair}
		for _, part := range []string{certificate, "\x00", key} {
			_, _ = io.WriteString(sum, part) // a hash never fails
		}
	}
	if t.roots != nil || t.own != nil {
		t.sum = hex.EncodeToString(sum.Sum(nil))
	}
	return t, nil
}

// endpointTrust returns what the connections to the token endpoint of a source trust: the system's certificates, and
// those of the source's file.
func endpointTrust(api tool.API) (t tlsTrust, failure *tool.Failure) {
	if api.CA == "" {
		return t, nil
	}
	var err error
	if t.roots, err = x509.SystemCertPool(); err != nil {
		t.roots = x509.NewCertPool()
	}
	sum := sha256.New()
	_, _ = io.WriteString(sum, "and the system's")
	failure = addRoots(t.roots, sum, api)
	t.sum = hex.EncodeToString(sum.Sum(nil))
	return t, failure
}

// longestCA is how long a file of certificates may be: that of a whole system has some 220 KB.
const longestCA = 4 << 20

// addRoots adds the certificates of a source's file.
func addRoots(to *x509.CertPool, sum io.Writer, api tool.API) *tool.Failure {
	fail := func(why string) *tool.Failure {
		return tool.Failf(tool.FailNotFound, "nothing was sent: the file of ca of %s (%s) %s", api.Who(), api.CA, why)
	}
	f, err := os.OpenFile(api.CA, os.O_RDONLY|syscall.O_NONBLOCK, 0) // not to wait for who writes into a FIFO
	if err != nil {
		return fail("cannot be read")
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return fail("is no file")
	}
	data, err := io.ReadAll(io.LimitReader(f, longestCA))
	if err != nil {
		return fail("cannot be read")
	}
	if !to.AppendCertsFromPEM(data) {
		return fail("holds no certificate as PEM")
	}
	_, _ = sum.Write(data) // a hash never fails
	return nil
}
