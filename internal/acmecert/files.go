package acmecert

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/a2a-acp/a2a-acp/internal/atomicfile"
)

// files are those of an authority. Only their owner can read them.
type files struct{ dir string }

// longestFile bounds what is read of one, in bytes.
const longestFile = 1 << 20

// make makes the directory.
func (f files) make() error {
	if err := os.MkdirAll(f.dir, 0o700); err != nil {
		return err
	}
	for _, dir := range []string{filepath.Dir(f.dir), f.dir} {
		info, err := os.Lstat(dir)
		if err != nil {
			return err
		}
		if !info.IsDir() || info.Mode().Perm()&0o077 != 0 {
			return fmt.Errorf("%s is not a directory that only its owner can read (%s): chmod 0700 it", dir, info.Mode())
		}
	}
	return nil
}

// read returns what a file holds; nil for none.
func (f files) read(name string) ([]byte, error) {
	path := filepath.Join(f.dir, name)
	file, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("%s is not a file that only its owner can read (%s); remove it, and another one is made",
			path, info.Mode())
	}
	return io.ReadAll(io.LimitReader(file, longestFile))
}

func (f files) write(name string, data []byte) error {
	return atomicfile.Write(filepath.Join(f.dir, name), data, 0o600)
}

// account returns the key of the account with the authority, and makes it where there is none.
func (f files) account() (*ecdsa.PrivateKey, error) {
	const name = "account.key"
	text, err := f.read(name)
	if err != nil {
		return nil, err
	}
	if text == nil {
		key, block, err := newKey()
		if err == nil {
			err = f.write(name, pem.EncodeToMemory(block))
		}
		return key, err
	}
	block, _ := pem.Decode(text)
	if block != nil {
		if parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes); err == nil {
			if key, ok := parsed.(*ecdsa.PrivateKey); ok {
				return key, nil
			}
		}
	}
	return nil, fmt.Errorf("%s holds no key; remove it, and the authority gives another account", filepath.Join(f.dir, name))
}

// newKey makes a key.
func newKey() (*ecdsa.PrivateKey, *pem.Block, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	return key, &pem.Block{Type: "PRIVATE KEY", Bytes: der}, err
}

// certificate returns what is kept for a name; nil for none.
func (f files) certificate(name string) (*tls.Certificate, error) {
	text, err := f.read(name + ".pem")
	if text == nil || err != nil {
		return nil, err
	}
	made, err := parse(name, text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; remove it, and the authority gives another one", filepath.Join(f.dir, name+".pem"), err)
	}
	return made, nil
}

// parse reads a key and its certificate, and holds both against each other and the name.
func parse(name string, text []byte) (*tls.Certificate, error) {
	made, err := tls.X509KeyPair(text, text)
	if err != nil {
		return nil, err
	}
	if err := made.Leaf.VerifyHostname(name); err != nil {
		return nil, err
	}
	if !made.Leaf.NotAfter.After(made.Leaf.NotBefore) {
		return nil, errors.New("the certificate counts at no time")
	}
	return &made, nil
}

// keep writes a key and the chain of its certificate, and returns them as they are shown. One that counts no more
// is not kept.
func (f files) keep(name string, key *pem.Block, chain [][]byte, now time.Time) (*tls.Certificate, error) {
	var text bytes.Buffer
	text.Write(pem.EncodeToMemory(key))
	for _, der := range chain {
		text.Write(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	}
	made, err := parse(name, text.Bytes())
	if err != nil {
		return nil, err
	}
	if !made.Leaf.NotAfter.After(now) {
		return nil, errors.New("the certificate counts no more")
	}
	return made, f.write(name+".pem", text.Bytes())
}

// failed returns the failure that is kept for a name; the zero failure for none, and for one that cannot be read:
// it only says for how long to wait.
func (f files) failed(name string) (last failure) {
	text, err := f.read(name + ".failed")
	if err != nil || json.Unmarshal(text, &last) != nil {
		return failure{}
	}
	return last
}

// setFailed keeps a failure; the zero failure for none.
func (f files) setFailed(name string, last failure) error {
	if last == (failure{}) {
		if err := os.Remove(filepath.Join(f.dir, name+".failed")); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	text, err := json.Marshal(last)
	if err != nil {
		return err
	}
	return f.write(name+".failed", append(text, '\n'))
}
