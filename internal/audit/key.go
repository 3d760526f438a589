package audit

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"github.com/a2a-acp/a2a-acp/internal/atomicfile"
)

// The key of the record (Ed25519) and its public half, in the forms of golang.org/x/mod/sumdb/note. Whoever has
// the key can sign another record; who keeps the public half elsewhere can tell.
const (
	keyName    = "key"
	publicName = "key.pub"
)

// openKey returns what signs the record in dir, and makes it where nothing was signed yet.
func openKey(dir string) (note.Signer, error) {
	text, err := readKey(dir, keyName)
	if errors.Is(err, fs.ErrNotExist) {
		if last, err := lastNote(dir); err != nil || last != "" {
			return nil, cmp.Or(err, fmt.Errorf("the key of the record, %s, is gone, or this is a copy without it",
				filepath.Join(dir, keyName)))
		}
		if text, err = makeKey(dir); err != nil {
			return nil, fmt.Errorf("the key of the record: %w", err)
		}
	} else if err != nil {
		return nil, fmt.Errorf("the key of the record: %w", err)
	}
	signer, err := note.NewSigner(text)
	if err != nil {
		return nil, fmt.Errorf("the key of the record, %s: %w", filepath.Join(dir, keyName), err)
	}
	return signer, nil
}

// PublicKey returns the public half of the key of the record in dir; "" where nothing was signed yet.
func PublicKey(dir string) (string, error) {
	text, err := readKey(dir, publicName)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return text, err
}

// verifierOf returns what checks signatures with a public key.
func verifierOf(public string) (note.Verifier, error) {
	key, err := note.NewVerifier(public)
	if err != nil {
		return nil, fmt.Errorf("the public key is none of a record: %w", err) // who mixes them up sees no private one
	}
	return key, nil
}

func readKey(dir, name string) (string, error) {
	f, err := openRead(filepath.Join(dir, name))
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, longestNote))
	return strings.TrimSuffix(string(text), "\n"), err
}

// makeKey makes a key with a name of its own, which is the origin of the checkpoints that it signs. The public
// half is there first, so that a signature never lacks it.
func makeKey(dir string) (string, error) {
	id := make([]byte, 8)
	rand.Read(id)
	private, public, err := note.GenerateKey(rand.Reader, "a2a-acp-audit/"+hex.EncodeToString(id))
	if err != nil {
		return "", err
	}
	for _, file := range []struct{ name, text string }{{publicName, public}, {keyName, private}} {
		if err := atomicfile.Write(filepath.Join(dir, file.name), []byte(file.text+"\n"), 0o600); err != nil {
			return "", err
		}
	}
	return private, nil
}
