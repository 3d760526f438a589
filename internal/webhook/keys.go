package webhook

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/a2a-acp/a2a-acp/internal/atomicfile"
	"github.com/a2a-acp/a2a-acp/internal/filelock"
)

// keysName is the file of the private keys in the state directory, one a line, as Standard Webhooks writes
// them. Each signs, so that a new one can be known everywhere before the old one goes.
const keysName = "webhook-keys"

// The prefixes of Ed25519 keys in Standard Webhooks.
const (
	privatePrefix = "whsk_"
	publicPrefix  = "whpk_"
)

// KeysPath is where the public keys are served.
const KeysPath = "/.well-known/a2a-acp/webhook-keys"

// Keys are the Ed25519 keys of a state directory. They are made when they are needed first. Keys is safe for
// concurrent use.
type Keys struct {
	Dir string // required: the state directory

	mu   sync.Mutex
	list []ed25519.PrivateKey
}

// Private returns the keys to sign with, and makes one where there is none.
func (k *Keys) private() ([]ed25519.PrivateKey, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.list != nil {
		return k.list, nil
	}
	list, err := k.read()
	if errors.Is(err, fs.ErrNotExist) {
		if err = k.make(); err == nil {
			list, err = k.read()
		}
	}
	if err != nil {
		return nil, fmt.Errorf("the keys of webhooks: %w", err)
	}
	k.list = list
	return list, nil
}

// Public returns the public keys as Standard Webhooks writes them, the one of the newest key first.
func (k *Keys) Public() ([]string, error) {
	list, err := k.private()
	if err != nil {
		return nil, err
	}
	public := make([]string, len(list))
	for i, key := range list {
		public[i] = publicPrefix + base64.StdEncoding.EncodeToString(publicOf(key))
	}
	return public, nil
}

func (k *Keys) path() string { return filepath.Join(k.Dir, keysName) }

func (k *Keys) read() ([]ed25519.PrivateKey, error) {
	f, err := os.OpenFile(k.path(), os.O_RDONLY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, 64<<10))
	if err != nil {
		return nil, err
	}
	var list []ed25519.PrivateKey
	for n, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		seed, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(strings.TrimSpace(line), privatePrefix))
		if err != nil || len(seed) != ed25519.SeedSize {
			return nil, fmt.Errorf("%s:%d is no key; take the line out", k.path(), n+1)
		}
		list = append(list, ed25519.NewKeyFromSeed(seed))
	}
	return list, nil
}

// make makes the file where there is none. Of several processes that do, one makes it.
func (k *Keys) make() error {
	lock, err := os.OpenFile(k.path()+".lock", os.O_CREATE|os.O_RDWR|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	defer lock.Close() // and lets go
	if err := filelock.Take(context.Background(), lock); err != nil {
		return err
	}
	if _, err := os.Lstat(k.path()); err == nil {
		return nil
	}
	seed := make([]byte, ed25519.SeedSize)
	rand.Read(seed)
	return atomicfile.Write(k.path(), []byte(privatePrefix+base64.StdEncoding.EncodeToString(seed)+"\n"), 0o600)
}

// publicKey is a key as a JSON Web Key (RFC 8037), with its form of Standard Webhooks beside it.
type publicKey struct {
	Type     string `json:"kty"`
	Curve    string `json:"crv"`
	ID       string `json:"kid"`
	Use      string `json:"use"`
	X        string `json:"x"`
	Standard string `json:"whpk"`
}

// ServeHTTP tells the public keys, as a JSON Web Key Set.
func (k *Keys) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "want GET", http.StatusMethodNotAllowed)
		return
	}
	list, err := k.private()
	if err != nil {
		http.Error(w, "there are no keys", http.StatusInternalServerError)
		return
	}
	var set struct {
		Keys []publicKey `json:"keys"`
	}
	for _, key := range list {
		public := publicOf(key)
		set.Keys = append(set.Keys, publicKey{Type: "OKP", Curve: "Ed25519", ID: keyID(key), Use: "sig",
			X: base64.RawURLEncoding.EncodeToString(public), Standard: publicPrefix + base64.StdEncoding.EncodeToString(public)})
	}
	w.Header().Set("Content-Type", "application/jwk-set+json")
	w.Header().Set("Cache-Control", "max-age=300")
	json.NewEncoder(w).Encode(set) //nolint:errcheck // the client has gone
}

func publicOf(key ed25519.PrivateKey) ed25519.PublicKey {
	public, _ := key.Public().(ed25519.PublicKey)
	return public
}

// keyID names a key: the beginning of its public half.
func keyID(key ed25519.PrivateKey) string {
	return base64.RawURLEncoding.EncodeToString(publicOf(key)[:9])
}
