package serve

import (
	"crypto/tls"
	"net/http"
	"slices"

	"golang.org/x/crypto/acme"

	"github.com/a2a-acp/a2a-acp/internal/acmecert"
)

// authorityCertificates are those that an authority gives the daemon by ACME.
type authorityCertificates struct{ *acmecert.Certificates }

// get implements certificates.
func (a authorityCertificates) get(name string) (*tls.Certificate, error) { return a.Get(name) }

// certifies implements certificates.
func (a authorityCertificates) certifies(host string) bool { return a.Certifies(host) }

// all implements certificates.
func (a authorityCertificates) all() []*tls.Certificate { return a.Shown() }

// fromAuthority returns the certificates of a spec: those that are in use where that has not changed.
func (s *Server) fromAuthority(spec acmecert.Spec) (certificates, error) {
	if in := s.inForce.Load(); in != nil {
		if used, ok := in.certificates.(authorityCertificates); ok && used.Spec().Equal(spec) {
			return used, nil
		}
	}
	opened, err := acmecert.Open(acmecert.Options{Spec: spec, Dir: s.o.CertificateDir, Say: s.o.Say, Now: s.o.Now})
	if err != nil {
		return nil, err
	}
	return authorityCertificates{opened}, nil
}

// authority returns the certificates in force that an authority gives; nil for none.
func (in *inForce) authority() *acmecert.Certificates {
	if a, ok := in.certificates.(authorityCertificates); ok {
		return a.Certificates
	}
	return nil
}

// tlsConfig is how TLS is spoken. An authority that looks whether a name is ours is shown what it wants to see,
// and gets no further: see closeProved.
func (s *Server) tlsConfig() *tls.Config {
	proof := &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{acme.ALPNProto},
		GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
			if from := s.inForce.Load().authority(); from != nil {
				return from.Challenge(hello.ServerName)
			}
			return nil, errNoCertificate
		}}
	return &tls.Config{MinVersion: tls.VersionTLS12,
		GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
			if from := s.inForce.Load().certificates; from != nil {
				return from.get(hello.ServerName)
			}
			return nil, errNoCertificate
		},
		GetConfigForClient: func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
			if slices.Equal(hello.SupportedProtos, []string{acme.ALPNProto}) {
				return proof, nil
			}
			return nil, nil
		}}
}

// closeProved ends a connection that was for a proof alone: http.Server closes it when this returns.
func closeProved(*http.Server, *tls.Conn, http.Handler) {}
