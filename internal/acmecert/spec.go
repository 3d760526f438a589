package acmecert

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"path/filepath"
	"reflect"
	"strings"

	"golang.org/x/crypto/acme"

	"github.com/a2a-acp/a2a-acp/internal/netguard"
)

// LetsEncrypt is the directory of the authority that is asked where nobody names another one.
const LetsEncrypt = acme.LetsEncryptURL

// MostDomains bounds the names of a Spec.
const MostDomains = 100

// Spec says which names have certificates, and whose. That somebody has agreed to the authority's terms is
// whoever makes a Spec to know.
type Spec struct {
	Domains   []string       // required; see CheckDomain
	Email     string         // the authority is told of it with the first order; "" for none
	Directory string         // the URL of the authority's directory; "" for LetsEncrypt
	CA        string         // a file with what has signed the authority's own certificate; "" for the system's
	Allow     []netip.Prefix // addresses of the authority that are not public
}

// Equal reports whether two specs are the same.
func (s Spec) Equal(other Spec) bool { return reflect.DeepEqual(s, other) }

// directory returns the URL of the authority's directory.
func (s Spec) directory() string {
	if s.Directory == "" {
		return LetsEncrypt
	}
	return s.Directory
}

// place returns the directory of the files of this authority: it is called by its host and a hash of its URL.
func (s Spec) place(under string) string {
	host := "authority"
	if at, err := url.Parse(s.directory()); err == nil && at.Hostname() != "" {
		host = strings.NewReplacer(":", "-", "%", "-").Replace(at.Hostname())
	}
	sum := sha256.Sum256([]byte(s.directory()))
	return filepath.Join(under, host+"-"+hex.EncodeToString(sum[:4]))
}

// guard is what requests to the authority may reach.
func (s Spec) guard() *netguard.Guard {
	return &netguard.Guard{Ports: netguard.WebPorts(), Allow: s.Allow}
}

// CheckDirectory refuses the URL of a directory by which an authority is not to be reached.
func (s Spec) CheckDirectory() error {
	at, err := s.guard().CheckURL(s.directory())
	if err == nil && at.Scheme != "https" {
		err = errors.New("want https://")
	}
	return err
}

// CheckDomain refuses what is no name that an authority gives a certificate for in this way.
func CheckDomain(name string) error {
	switch _, isAddress := netip.ParseAddr(name); {
	case strings.HasPrefix(name, "*."):
		return errors.New("a handshake proves one name, and no wildcard: write each name")
	case isAddress == nil:
		return errors.New("want a name, and no address")
	case len(name) > 253 || !strings.Contains(name, "."):
		return fmt.Errorf("want a whole name, such as tools.example.com")
	}
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' || strings.ContainsFunc(label, notInName) {
			return errors.New("want a name of small letters, digits and -, others as xn--…, without a dot at its end")
		}
	}
	return nil
}

func notInName(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-') }
