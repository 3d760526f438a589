package app

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// daemonTokenName is the file in the state directory that holds the token which is made where nobody has
// named a principal.
const daemonTokenName = "daemon.token"

// daemonToken returns that token, and makes it where there is none. It stays the same, so that whoever was
// given it need not be told at each start; removing the file has another one made.
func (a *App) daemonToken() (file, token string, err error) { return a.keptSecret(daemonTokenName) }

// keptSecret returns a random text that stands in a file of the state directory, and makes it where there is
// none.
func (a *App) keptSecret(name string) (file, token string, err error) {
	if a.state == "" {
		return "", "", fmt.Errorf("there is no state directory to keep it in: %w", a.Unrecorded)
	}
	file = filepath.Join(a.state, name)
	made, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL|syscall.O_NOFOLLOW, 0o600)
	if errors.Is(err, fs.ErrExist) {
		token, err = readToken(file)
		return file, token, err
	}
	if err != nil {
		return "", "", err
	}
	var random [32]byte
	rand.Read(random[:]) // never fails
	token = base64.RawURLEncoding.EncodeToString(random[:])
	_, err = made.WriteString(token + "\n")
	if err = errors.Join(err, made.Sync(), made.Close()); err != nil {
		return "", "", errors.Join(err, os.Remove(file))
	}
	return file, token, nil
}

// readToken reads the token that was made before. Who else could read the file could call in our name.
func readToken(file string) (string, error) {
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("%s is not a file that only its owner can read (%s); remove it, and another one is made",
			file, info.Mode())
	}
	data := make([]byte, 256)
	n, err := f.Read(data)
	token := strings.TrimSpace(string(data[:n]))
	if err != nil || len(token) < 32 {
		return "", fmt.Errorf("%s holds no token; remove it, and another one is made", file)
	}
	return token, nil
}
