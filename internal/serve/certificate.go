package serve

import (
	"crypto/tls"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// certificates are what the daemon shows for itself. They are safe for concurrent use, and never keep a client
// waiting.
type certificates interface {
	// get returns the one for the name that a client asks for, "" for none.
	get(name string) (*tls.Certificate, error)
	// certifies reports whether there is one for a host.
	certifies(host string) bool
	// all are those that there are.
	all() []*tls.Certificate
}

// CertificateEnds are when the certificates that are shown stop counting, each by its first name or address; nothing
// where no TLS is spoken.
func (s *Server) CertificateEnds() map[string]time.Time {
	from := s.inForce.Load().certificates
	if from == nil {
		return nil
	}
	ends := map[string]time.Time{}
	for _, shown := range from.all() {
		name := shown.Leaf.Subject.CommonName
		switch {
		case len(shown.Leaf.DNSNames) > 0:
			name = shown.Leaf.DNSNames[0]
		case len(shown.Leaf.IPAddresses) > 0:
			name = shown.Leaf.IPAddresses[0].String()
		}
		ends[name] = shown.Leaf.NotAfter
	}
	return ends
}

// fileCertificate is one from two files that may change: whoever renews it need not tell us. It is safe for
// concurrent use.
type fileCertificate struct {
	files TLS
	say   func(string)

	mu     sync.Mutex
	loaded *tls.Certificate
	seen   string // how the files looked when they were read last, whatever came of it
}

// newFileCertificate reads the files for the first time.
func newFileCertificate(files TLS, say func(string)) (*fileCertificate, error) {
	c := &fileCertificate{files: files, say: say, seen: look(files.Cert, files.Key)}
	if err := c.read(); err != nil {
		return nil, err
	}
	return c, nil
}

// get implements certificates: it is as the files have it now, whatever the client asks for. With a mistake in
// them it is the last good one.
func (c *fileCertificate) get(string) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if seen := look(c.files.Cert, c.files.Key); seen != c.seen {
		c.seen = seen // before they are read: what changes meanwhile is read again
		if err := c.read(); err != nil {
			c.say(fmt.Sprintf("the changed certificate is not used, the one before still is: %v", err))
		} else {
			c.say("the changed certificate is in use")
		}
	}
	return c.loaded, nil
}

// read reads the files. Called with mu held, or before anybody else knows of c.
func (c *fileCertificate) read() error {
	pair, err := tls.LoadX509KeyPair(c.files.Cert, c.files.Key)
	if err != nil {
		return fmt.Errorf("serve.tls: %w", err)
	}
	if info, err := os.Stat(c.files.Key); err == nil && info.Mode().Perm()&0o004 != 0 {
		c.say(fmt.Sprintf("%s can be read by everybody (mode %04o): chmod o-r %s", c.files.Key, info.Mode().Perm(), c.files.Key))
	}
	if now := time.Now(); now.After(pair.Leaf.NotAfter) || now.Before(pair.Leaf.NotBefore) {
		c.say(fmt.Sprintf("%s counts from %s to %s: clients will not believe it", c.files.Cert,
			pair.Leaf.NotBefore.Format(time.DateOnly), pair.Leaf.NotAfter.Format(time.DateOnly)))
	}
	c.loaded = &pair
	return nil
}

// certifies implements certificates.
func (c *fileCertificate) certifies(host string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.loaded.Leaf.VerifyHostname(host) == nil
}

// all implements certificates.
func (c *fileCertificate) all() []*tls.Certificate {
	shown, err := c.get("")
	if err != nil {
		return nil
	}
	return []*tls.Certificate{shown}
}

// look names files as the file system tells of them, without their being read.
func look(paths ...string) string {
	var b strings.Builder
	for _, path := range paths {
		var is unix.Stat_t
		if err := unix.Stat(path, &is); err != nil {
			fmt.Fprintln(&b, err)
			continue
		}
		fmt.Fprintln(&b, is.Dev, is.Ino, is.Size, is.Mode, is.Mtim, is.Ctim)
	}
	return b.String()
}
